"""Which commands a recommendation asks for, and what of each is telling. Pure.

Telling is what sets a command apart from those that went wrong: options and their fixed
values, variables, and the program with what it is to do where none of those was that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from hindsight_cli.reflect import programs
from hindsight_cli.reflect.advice.cases import Cases
from hindsight_cli.reflect.advice.deeds import Deed, deeds_of, is_one_off, options_of
from hindsight_cli.reflect.advice.demands import Asked, CommandDemand
from hindsight_cli.reflect.advice.quotations import Quotation
from hindsight_cli.reflect.shell_syntax import simple_commands

_PROGRAM = re.compile(r"(?:\./)?[a-z][\w.+-]*")
_CODE = re.compile(r"[({;]\s*$|\)\s*[;:{]?\s*$|\s[=:]=?\s")
_SETTINGS = frozenset({"cd", "pushd", "source", "."})
_ON_FILES = frozenset({"rm", "mv", "cp", "ln", "mkdir", "touch", "chmod", "chown"})
_PLACEHOLDER = re.compile(r"[<>{}$…*]|\.\.\.")
_MANY = 2


@dataclass(slots=True)
class _Wanted:
    """A demand while its parts are being gathered."""

    place: int
    literal: Quotation
    intents: frozenset[str] = frozenset()
    programs: frozenset[str] = frozenset()
    options: dict[str, str] = field(default_factory=dict)
    assigned: dict[str, str] = field(default_factory=dict)
    words: set[str] = field(default_factory=set)
    without: set[str] = field(default_factory=set)
    refused: dict[str, frozenset[str]] = field(default_factory=dict)
    rehearsed: bool = False
    looks: bool = False
    new: bool = False  # no command like it went wrong: that it is run is telling

    def asked(self) -> Asked | None:
        """None for a command that is only run once more."""
        if not (self.new or self.options or self.assigned or self.words or self.without):
            return None
        demand = CommandDemand(
            intents=self.intents,
            programs=self.programs,
            options=self.options,
            assigned=self.assigned,
            words=frozenset(self.words),
            without=frozenset(self.without),
            refused=self.refused,
            rehearsed=self.rehearsed,
            looks=self.looks,
        )
        return Asked(place=self.place, literal=self.literal, demand=demand)


def commands_asked(
    literals: Mapping[int, Quotation], cases: Cases, tags: Iterable[str]
) -> list[Asked]:
    """One demand for each command; an option named by itself belongs to the command it is of."""
    wanted: list[_Wanted] = []
    for place, literal in literals.items():
        if literal.text.startswith("-"):
            _ask_options(wanted, place, literal, cases, frozenset(tags))
        elif literal.to_do:
            wanted += [_of_deed(place, literal, d, cases) for d in read_command(literal, cases)]
    return [asked for one in wanted if (asked := one.asked()) is not None]


def is_command(literal: Quotation, cases: Cases) -> bool:
    return literal.text.startswith("-") or bool(read_command(literal, cases))


def read_command(literal: Quotation, cases: Cases) -> tuple[Deed, ...]:
    """What a literal runs or sets, () when it is no command line."""
    text = literal.text
    deeds = () if text.startswith("-") else deeds_of(text)
    first = deeds[0] if deeds else None
    if first is None or (_CODE.search(text) and first.program not in _known_in(cases)):
        return ()
    if first.program in ("", *_SETTINGS):
        plain = all(name.isupper() for name in first.assigned) or text.startswith("export ")
        return deeds if plain else ()
    many = len(text.split()) >= _MANY
    named = (
        (many and programs.is_known(first.program))
        or first.program in programs.CHECKERS
        or first.program.startswith("./")
        or (first.program in _known_in(cases) and (many or _ran_bare(first, cases)))
        or (many and bool(first.options) and _PROGRAM.fullmatch(first.program) is not None)
    )
    return deeds if named else ()


def _known_in(cases: Cases) -> frozenset[str]:
    """Programs that the cited calls ran."""
    return frozenset(deed.program for deed in (*cases.wrong_calls, *cases.right))


def _ran_bare(deed: Deed, cases: Cases) -> bool:
    return any(deed.intent == d.intent for d in (*cases.wrong_calls, *cases.right))


def _of_deed(place: int, literal: Quotation, deed: Deed, cases: Cases) -> _Wanted:
    wanted = _Wanted(
        place=place,
        literal=literal,
        intents=frozenset({deed.intent}) if deed.program else frozenset(),
        rehearsed=deed.rehearsed,
        looks=deed.looks,
    )
    same = [d for d in (*cases.wrong, *cases.situation) if d.intent == deed.intent]
    if not same:
        wanted.new = True
        wanted.options = {name: min(deed.options[name]) for name in _telling(deed.options)}
        wanted.assigned = dict(deed.assigned)
        if deed.program in programs.LOOKERS | programs.FILTERS | _SETTINGS | _ON_FILES:
            wanted.words = {word for word in deed.words if not _PLACEHOLDER.search(word)}
        return wanted
    for name, values in deed.options.items():
        _ask(wanted, name, min(values), same)
    _ask_variables(wanted, deed, same)
    if not (wanted.options or wanted.assigned):
        _ask_difference(wanted, deed, cases, same)
    return wanted


def _telling(options: Iterable[str]) -> list[str]:
    telling = [name for name in options if name not in programs.MANNERS]
    return telling or list(options)


def _ask(wanted: _Wanted, name: str, value: str, same: Sequence[Deed]) -> None:
    """Ask for an option unless those that went wrong have it the same way."""
    having = [d for d in same if d.has(name)]
    values = frozenset(v for d in having for v in d.options.get(name, ()))
    if having and (value == "" or value in values or not values):
        return
    # A word that the others have without the option is none of its own.
    is_its_own = bool(having) or not any(value in d.words for d in same)
    wanted.options[name] = value if is_its_own else ""
    if having:
        wanted.refused[name] = values


def _ask_variables(wanted: _Wanted, deed: Deed, same: Sequence[Deed]) -> None:
    for name, value in deed.assigned.items():
        values = frozenset(d.assigned[name] for d in same if name in d.assigned)
        if value not in values:
            wanted.assigned[name] = value
            if values:
                wanted.refused[name] = values


def _ask_difference(wanted: _Wanted, deed: Deed, cases: Cases, same: Sequence[Deed]) -> None:
    """What was left out of the command that went wrong, and the words put in."""
    whole = next((d for d in cases.right if _covers(d, deed)), deed)
    failed = [d for d in cases.wrong if d.intent == deed.intent]
    dropped = (
        [name for name in failed[0].options if all(d.has(name) for d in failed)] if failed else []
    )
    dropped = [name for name in dropped if not whole.has(name)]
    shortened = whole is deed and not deed.options and len(dropped) >= _MANY
    wanted.without = set() if shortened else set(dropped)
    wanted.words = set(deed.words) - {word for d in same for word in d.words}


def _covers(whole: Deed, part: Deed) -> bool:
    return (
        whole.intent == part.intent
        and all(whole.has(name) for name in part.options)
        and set(part.words) <= set(whole.words)
    )


def _ask_options(
    wanted: list[_Wanted], place: int, literal: Quotation, cases: Cases, tags: frozenset[str]
) -> None:
    """An option by itself: of the commands that have it, else of the one named before."""
    words = next((words for words, _ in simple_commands(literal.text)), [])
    for name, values in options_of(words)[0].items():
        value = min(values)
        owners = [d for d in cases.known if d.has(name)]
        intents = frozenset(d.intent for d in owners)
        target = next((w for w in wanted if w.intents & intents), None)
        if target is None and not owners and wanted and wanted[-1].intents:
            target = wanted[-1]
        if target is None:
            intents = intents or frozenset(d.intent for d in cases.wrong_calls if not d.looks)
            target = _Wanted(place=place, literal=literal, intents=intents)
            if not intents:
                target.programs = tags
            if not (intents or tags):
                continue
            wanted.append(target)
        target.place, target.literal = place, literal
        if literal.to_do:
            _ask(target, name, value, [d for d in cases.wrong if d.intent in target.intents])
        else:
            target.without.add(f"{name} {value}" if value and is_one_off(value) else name)
