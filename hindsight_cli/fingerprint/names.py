"""Names that are what an error says: a missing module is another error for another module.

A port, a path or an id changes from run to run and the remedy stays. The remedy for a missing
module, command, table, column, option or definition depends on its name. Pure; a pattern is
compiled only when a text has one of the words it needs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

_QUOTES = "'\"`‘’“”"
# A name, in quotes or not: with a scope or a namespace, but no path and no sentence.
_BARE = r"@?-{0,2}\w++(?:[.@:$+-]+\w++)*+(?:/\w++(?:[.@$+-]+\w++)*+)?+(?![/\\])"
_QUOTED = rf"[{_QUOTES}]{_BARE}[{_QUOTES}]"
_N = rf"({_QUOTED}|(?<![\w.@:$+/-]){_BARE})"
_ABSENT = r"(?:does not|doesn't) exist"

# (kind, what a text must have, pattern). Where a match has two names, the last one matters.
# Small patterns: an error costs the few milliseconds of its own, not of all.
_NAMED: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("module", ("no module named",), rf"no module named {_N}"),
    ("module", ("import",), rf"(?:cannot import name|unresolved import) {_N}"),
    (
        "module",
        ("find module", "find package", "locate package", "find crate", "crate for"),
        rf"(?:find|locate) (?:module|package|crate for) {_N}",
    ),
    ("module", (" resolve ",), rf"resolve (?:import |module )?({_QUOTED})"),
    ("module", ("provides package",), r"provides package ([\w./@-]+\w)"),
    ("module", ("requirement", "matching"), rf"(?:the requirement|distribution found for) {_N}"),
    ("module", ("package",), rf"package {_N} (?:is not in|was not found|has no install)"),
    ("module", ("undeclared ",), rf"undeclared (?:crate or )?module {_N}"),
    ("command", ("command not found",), rf"{_N}: command not found(?!: )"),
    ("command", ("command not found:",), rf"command not found: {_N}"),
    ("command", ("executable file not",), rf"{_N}: executable file not found"),
    ("command", ("is not ",), rf"{_N} is not (?:recogni[sz]ed|an? \w+ command)"),
    ("command", ("command",), rf"(?:no such|unknown) (?:sub)?command:? {_N}"),
    ("command", ("spawn ",), rf"spawn {_N} enoent"),
    ("command", ("missing script", "to make target"), rf"(?:missing script:?|make target) {_N}"),
    ("definition", ("is not defined",), rf"(?:name|referenceerror:) {_N} is not defined"),
    (
        "definition",
        (" attribute ",),
        rf"(?:{_N} object|module {_N}|object {_N}|object) has no attribute {_N}",
    ),
    (
        "definition",
        ("cannot find ",),
        rf"cannot find (?:name|value|function|type|macro|struct|trait) {_N}",
    ),
    (
        "definition",
        ("undefined",),
        rf"undefined(?: (?:local|variable|or|method|function|index|symbol|constant|class"
        rf"|reference|to))*+:? {_N}",
    ),
    ("definition", ("undeclared",), rf"undeclared identifier {_N}|{_N} undeclared"),
    ("definition", ("unbound variable",), rf"{_N}: unbound variable"),
    ("column", ("no such ",), rf"no such (?:table|column|function|index):? {_N}"),
    ("column", ("no column named",), rf"no column named {_N}"),
    ("column", ("of relation",), rf"column {_N} of relation \S+ does not exist"),
    (
        "column",
        ("not exist", "n't exist"),
        rf"(?:relation|column|table|view|schema|database|role|function|type) {_N}"
        rf" (?:does not|doesn't) exist",
    ),
    (
        "column",
        ("unknown ", "invalid "),
        rf"(?:unknown (?:column|table|database)|invalid (?:column|object) name) {_N}",
    ),
    (
        "option",
        ("option", "argument", "flag", "switch"),
        rf"(?:unknown|unrecogni[sz]ed|unsupported|unexpected|no such|invalid|illegal|bad)"
        rf" (?:compiler |command[ -]line |keyword |shorthand )?"
        rf"(?:option|argument|flag|switch)s?(?: --)?:? {_N}",
    ),
    ("option", ("but not defined:",), rf"but not defined: {_N}"),
    (
        "absent",
        ("找不到", "未找到", "未定义"),
        rf"(?:找不到|未找到|未定义)(?:名为|的|模块|命令|变量|选项|表|列|包|[:： ])*{_N}",
    ),
    (
        "absent",
        ("不存在", "找不到", "未找到", "未定义"),
        rf"(?:模块|命令|变量|选项|表|列|包)[:： ]*{_N} ?(?:不存在|找不到|未找到|未定义)",
    ),
)
_PROSE = """
a an and any are as at by does during error errors exception exists for found from if in is it
message not of on or problem so that the this to was when while with your
"""
_MAX_CHARS = 8_000
_LINE_CHARS = 600
_FIRST_HELD = 0xE000  # private use: no pattern of a fingerprint touches these characters
_MAX_HELD = 64
_HELD = rf"[{chr(_FIRST_HELD)}-{chr(_FIRST_HELD + _MAX_HELD - 1)}]"


def named(text: str) -> set[tuple[str, str]]:
    """(kind, name in lower case) of every error in the start of `text` that is about a name."""
    lines = (line[:_LINE_CHARS] for line in text[:_MAX_CHARS].splitlines())
    return {
        (kind, _bare(match[match.lastindex or 0]).lower())
        for line in lines
        for kind, match in _matches(line)
    }


def is_same_name(one: str, other: str) -> bool:
    """Whether two names may be of one thing: 'orders' and 'shop.orders', not 'a.x' and 'a.y'."""
    return one in (other, *_parts(other)) or other in _parts(one)


def _parts(name: str) -> list[str]:
    return re.split(r"[.:/]+", name)


def held(line: str) -> tuple[str, list[str]]:
    """`line` with a single character for each such name, and the names, for `put_back`."""
    line = _compiled(_HELD).sub(" ", line)
    spans = {
        match.span(group)
        for _, match in _matches(line)
        for group in range(1, len(match.groups()) + 1)
        if match[group]
    }
    names: list[str] = []
    end = len(line)
    for start, stop in sorted(spans, reverse=True):
        if stop <= end and len(names) < _MAX_HELD:
            names.append(_bare(line[start:stop]).lower())
            line = f"{line[:start]}{chr(_FIRST_HELD + len(names) - 1)}{line[stop:]}"
            end = start
    return line, names


def put_back(text: str, names: list[str]) -> str:
    """The inverse of `held`; names come without their quotes."""
    return _compiled(_HELD).sub(lambda match: names[ord(match[0]) - _FIRST_HELD], text)


def with_names(fingerprint: str, text: str) -> str:
    """A fingerprint that lacks its name, as ledgers have from before, with that in `text`."""
    for _, match in _matches(text[:_MAX_CHARS]) if "<str>" in fingerprint else ():
        whole, name = match[0].lower(), match[match.lastindex or 0].lower()
        general = whole.replace(name, "<str>")
        if general != whole:
            fingerprint = fingerprint.replace(general, whole.replace(name, _bare(name)))
    return fingerprint


def _matches(text: str) -> Iterator[tuple[str, re.Match[str]]]:
    lowered = text.lower()
    for kind, marks, pattern in _NAMED:
        if any(mark in lowered for mark in marks):
            for match in _compiled(pattern).finditer(text):
                if _is_name(match[match.lastindex or 0]):
                    yield kind, match


def _is_name(text: str) -> bool:
    """Letters make a name; a number or an id of the day is none, nor a word of prose."""
    if text.lower() in _PROSE.split():
        return False
    letters = sum(character.isalpha() for character in text)
    return letters * 2 > sum(character.isalnum() for character in text)


def _bare(name: str) -> str:
    return name.strip(_QUOTES)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)
