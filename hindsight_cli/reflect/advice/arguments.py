"""Which tools a recommendation asks for with which arguments, and which edits. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from hindsight_cli.reflect.advice.cases import Arguments, Cases
from hindsight_cli.reflect.advice.demands import (
    ArgumentDemand,
    Asked,
    EditDemand,
    plain_tool,
)
from hindsight_cli.reflect.advice.quotations import Quotation

_SAYS_VALUE = re.compile(r"\s*(?:[:：=]|is|as|set to|to|为|设为|是)\s*")
_PAIR = re.compile(
    r"[{(]?\s*[\"']?([A-Za-z_][\w.-]*)[\"']?\s*[:=]\s*[\"']?([^\"'{}]+?)[\"']?\s*[})]?"
)
_NAME = re.compile(r"[A-Za-z_][\w.-]*")
_PATH = re.compile(r"(?:[\w.@~-]+/)*[\w.@-]*[\w-]\.\w{1,6}|(?:[\w.@~-]+/)+[\w.@-]*")
_IN = re.compile(r"\b(?:in|into|from|to)\s+$|[在从]\s*$", re.I)
_RUN = re.compile(r"\b(?:re)?run\b|运行", re.I)
_MIN_PIECE = 8  # characters of a text that is telling without its file
_MIN_PIECE_IN_FILE = 3


@dataclass(slots=True)
class _Wanted:
    """What is asked of one tool, while it is being gathered."""

    values: dict[str, str] = field(default_factory=dict)
    bare: set[str] = field(default_factory=set)
    without: set[str] = field(default_factory=set)
    refused: dict[str, frozenset[str]] = field(default_factory=dict)
    place: int = -1


def arguments_asked(
    literals: Mapping[int, Quotation], cases: Cases, tools: Collection[str]
) -> list[Asked]:
    """The demand on the tool that the advice is about; [] when it names none or no argument.

    That a tool is called says nothing by itself: it is called anyway.
    """
    named = [plain_tool(q.text) for q in literals.values() if plain_tool(q.text) in tools]
    tool = next((name for name in named if name in cases.wrong_arguments), "")
    tool = tool or next(iter(named), "")
    if not tool:
        return []
    reader = _ArgumentReader(cases, tool)
    reader.read([(p, q) for p, q in literals.items() if plain_tool(q.text) not in tools])
    return reader.asked(literals)


class _ArgumentReader:
    def __init__(self, cases: Cases, tool: str) -> None:
        self._tool = tool
        self._wrong = cases.wrong_arguments.get(tool, ())
        self._right = cases.right_arguments.get(tool, ())
        self._wanted = _Wanted()

    def read(self, literals: Sequence[tuple[int, Quotation]]) -> None:
        rest = list(literals)
        while rest:
            place, literal = rest.pop(0)
            pair = _PAIR.fullmatch(literal.text)
            if pair and "://" not in literal.text:
                self._ask(place, pair.group(1), pair.group(2), to_do=literal.to_do)
            elif self._is_name(literal.text) or (rest and _is_pair(literal, rest[0][1])):
                self._read_name(place, literal, rest)
            elif self._is_value(literal.text) and literal.to_do:
                self._wanted.bare.add(literal.text)
                self._wanted.place = place
            elif self._is_new_name(literal.text):
                self._ask(place, literal.text, "", to_do=literal.to_do)

    def asked(self, literals: Mapping[int, Quotation]) -> list[Asked]:
        wanted = self._wanted
        if wanted.place < 0:
            return []
        demand = ArgumentDemand(
            tool=self._tool,
            values=wanted.values,
            bare=frozenset(wanted.bare),
            without=frozenset(wanted.without),
            refused=wanted.refused,
        )
        literal = literals[wanted.place]
        return [Asked(place=wanted.place, literal=literal, demand=demand)]

    def _read_name(self, place: int, literal: Quotation, rest: list[tuple[int, Quotation]]) -> None:
        following = rest[0][1] if rest else None
        if following and (_is_pair(literal, following) or not _has_word(following.text)):
            place, value = rest.pop(0)[0], following.text
            self._ask(place, literal.text, value, to_do=literal.to_do and following.to_do)
        else:
            self._ask(place, literal.text, "", to_do=literal.to_do)

    def _ask(self, place: int, name: str, value: str, *, to_do: bool) -> None:
        """Ask for an argument unless those that went wrong have it the same way."""
        values = frozenset(v for given in self._wrong for v in given.get(name, ()))
        if not to_do:
            self._wanted.without.add(f"{name}={value}" if value else name)
        elif (value and value not in values) or (not value and self._wrong and not values):
            self._wanted.values[name] = value
            if values:
                self._wanted.refused[name] = values
        else:
            return
        self._wanted.place = place

    def _is_name(self, text: str) -> bool:
        return any(text in given for given in (*self._wrong, *self._right))

    def _is_new_name(self, text: str) -> bool:
        """Whether it may be an argument that the cited calls were without."""
        is_name = _NAME.fullmatch(text) is not None
        return bool(self._wrong) and is_name and not _among(text, self._wrong)

    def _is_value(self, text: str) -> bool:
        """Whether an accepted call had it, and no refused one."""
        return _among(text, self._right) and not _among(text, self._wrong)


def _is_pair(name: Quotation, value: Quotation) -> bool:
    is_said = _SAYS_VALUE.fullmatch(value.before) is not None
    return is_said and _NAME.fullmatch(name.text) is not None


def _among(text: str, calls: Sequence[Arguments]) -> bool:
    return any(text in values for given in calls for values in given.values())


def _has_word(text: str) -> bool:
    return any(char.isalnum() for char in text)


def is_piece(literals: Mapping[int, Quotation], place: int) -> bool:
    """Whether a literal is text for a file: "in `app/run.sh` add `CI=true`"."""
    file, literal = literals.get(place - 1), literals[place]
    return (
        file is not None
        and _PATH.fullmatch(file.text) is not None
        and _IN.search(file.before) is not None
        and _RUN.search(literal.before) is None
    )


def _is_moved(literals: Mapping[int, Quotation], place: int) -> bool:
    """Put somewhere else in the file: it stands there before and after."""
    following = literals.get(place + 1)
    return following is not None and following.placing


def edits_asked(literals: Mapping[int, Quotation], cases: Cases) -> list[Asked]:
    """A demand for each piece of text to be put in or taken out; [] when no file is spoken of."""
    files = tuple(q.text for q in literals.values() if _PATH.fullmatch(q.text))
    if not files and not cases.edits:
        return []
    least = _MIN_PIECE_IN_FILE if files else _MIN_PIECE
    return [
        Asked(
            place=place,
            literal=literal,
            demand=EditDemand(piece=literal.text, to_add=literal.to_do, files=files),
        )
        for place, literal in literals.items()
        if not (_PATH.fullmatch(literal.text) or literal.placing or _is_moved(literals, place))
        and len(literal.text) >= least
        and _has_word(literal.text)
    ]
