"""What a piece of advice asks for, in a form that a call can be held against. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from hindsight_cli.records.trace import Call
from hindsight_cli.reflect.advice.deeds import Deed, is_number, is_one_off
from hindsight_cli.reflect.advice.quotations import Quotation
from hindsight_cli.reflect.calls import edits_of, flat_arguments, same_file
from hindsight_cli.reflect.essence import leaf


@dataclass(frozen=True, slots=True, kw_only=True)
class Doing:
    """A call with what its command line did; variables set before are among `assigned`."""

    call: Call
    deeds: Sequence[Deed] = ()


class Demand(Protocol):
    @property
    def looks(self) -> bool:
        """Whether it only asks to look at something: no advice is followed by that alone."""
        ...

    def met_by(self, doing: Doing) -> bool: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A demand and where the advice makes it."""

    place: int  # number of its last literal in the recommendation
    literal: Quotation
    demand: Demand


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandDemand:
    """A program to be run, with the options, words and variables that are telling."""

    intents: frozenset[str] = frozenset()  # any of them
    programs: frozenset[str] = frozenset()  # or any of these; both empty: whatever runs
    options: Mapping[str, str] = field(default_factory=dict)  # -> the value asked for, "" for any
    assigned: Mapping[str, str] = field(default_factory=dict)
    words: frozenset[str] = frozenset()
    without: frozenset[str] = frozenset()  # options, or options with their value: "-p 3306:3306"
    refused: Mapping[str, frozenset[str]] = field(default_factory=dict)  # values that went wrong
    rehearsed: bool = False
    looks: bool = False

    def met_by(self, doing: Doing) -> bool:
        return any(self._met_by_deed(deed) for deed in doing.deeds)

    def _met_by_deed(self, deed: Deed) -> bool:
        named = deed.intent in self.intents or deed.program in self.programs
        if (self.intents or self.programs) and not named:
            return False
        if deed.rehearsed and not self.rehearsed:
            return False
        return (
            all(self._has(deed, name, value) for name, value in self.options.items())
            and all(self._sets(deed, name, value) for name, value in self.assigned.items())
            and all(any(_is_same_word(w, g) for g in deed.words) for w in self.words)
            and not any(_given(deed, option) for option in self.without)
        )

    def _has(self, deed: Deed, name: str, wanted: str) -> bool:
        if not deed.has(name):
            return False
        given = deed.options.get(name, frozenset())
        if any(self._fits(wanted, value, name) for value in given):
            return True
        if not given or given == {""}:  # one of a cluster, or an option that takes no value
            return not is_one_off(wanted)
        return not is_one_off(wanted) and wanted in deed.words

    def _sets(self, deed: Deed, name: str, wanted: str) -> bool:
        given = deed.assigned.get(name, "")
        return given != "" and self._fits(wanted, given, name)

    def _fits(self, wanted: str, given: str, name: str) -> bool:
        if given in self.refused.get(name, ()):
            return False
        if wanted in ("", given):
            return True
        key, has_value, value = wanted.partition("=")
        if has_value:
            its_key, _, its_value = given.partition("=")
            return its_key == key and self._is_as_good(value, its_value, name)
        return self._is_as_good(wanted, given, name)

    def _is_as_good(self, wanted: str, given: str, name: str) -> bool:
        """Another port, name or path is, unless one like it went wrong before."""
        if wanted == given:
            return True
        if not is_one_off(wanted) or not given:
            return False
        return name not in self.refused or (is_number(wanted) and is_number(given))


def _is_same_word(wanted: str, given: str) -> bool:
    return wanted == given or ("/" in wanted + given and same_file(wanted, given))


def _given(deed: Deed, option: str) -> bool:
    name, _, value = option.partition(" ")
    return deed.has(name) and (not value or value in deed.options.get(name, ()))


@dataclass(frozen=True, slots=True, kw_only=True)
class EditDemand:
    """A piece of text to be put into a file, or to be taken out of it."""

    piece: str
    to_add: bool
    files: tuple[str, ...] = ()  # any of them; () for any file
    looks: bool = False

    def met_by(self, doing: Doing) -> bool:
        for edit in edits_of(doing.call):
            if self.files and not any(same_file(edit.path, file) for file in self.files):
                continue
            there, gone = (edit.new, edit.old) if self.to_add else (edit.old, edit.new)
            if _holds(there, self.piece) and not _holds(gone, self.piece):
                return True
        return False


def _holds(text: str, piece: str) -> bool:
    """Whether `piece` stands in `text` as whole words, white space apart."""
    if piece not in text:
        text, piece = " ".join(text.split()), " ".join(piece.split())
    return re.search(rf"(?<!\w){re.escape(piece)}(?!\w)", text) is not None or (
        piece in text and not (piece[:1] + piece[-1:]).isalnum()
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentDemand:
    """A tool to be called with certain arguments."""

    tool: str
    values: Mapping[str, str] = field(default_factory=dict)  # by name; "" for any value
    bare: frozenset[str] = frozenset()  # values of whatever argument
    without: frozenset[str] = frozenset()  # names, or "name=value"
    refused: Mapping[str, frozenset[str]] = field(default_factory=dict)
    looks: bool = False

    def met_by(self, doing: Doing) -> bool:
        if plain_tool(doing.call.tool_name) != self.tool:
            return False
        given = arguments_of(doing.call)
        everything = {value for values in given.values() for value in values}
        if any(
            name in given and (not has_value or value in given[name])
            for name, has_value, value in (one.partition("=") for one in self.without)
        ):
            return False
        return self.bare <= everything and all(
            any(self._fits(name, wanted, value) for value in given.get(name, ()))
            for name, wanted in self.values.items()
        )

    def _fits(self, name: str, wanted: str, value: str) -> bool:
        bad = self.refused.get(name, frozenset())
        if value in bad or value in ("", "null"):
            return False
        if wanted in ("", value):
            return True
        if wanted and not any(char.isalnum() for char in wanted):
            return value.startswith(wanted)  # marks to be written before it
        if not is_one_off(wanted):
            return False
        # Another date is as good, written the same way; another id is not, after a wrong one.
        return shape(value) == shape(wanted) and shape(wanted) not in map(shape, bad)


def plain_tool(name: str) -> str:
    """`query` of `mcp__db__query`: what the server calls it."""
    return name.rpartition("__")[2] or name


def arguments_of(call: Call) -> dict[str, frozenset[str]]:
    """Argument's own name -> its values."""
    return by_leaf(flat_arguments(call))


def by_leaf(flat: Mapping[str, str]) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for name, value in flat.items():
        own = leaf(name)
        found[own] = found.get(own, frozenset()) | {value}
    return found


def shape(value: str) -> str:
    """How a value is written: `2024-05-01` and `2025-11-30` have one shape."""
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d", "0", value))
