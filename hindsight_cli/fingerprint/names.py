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
_BARE = r"@?[\w-][\w.@:$+-]*(?:/[\w.@$+-]+)?"
_N = rf"([{_QUOTES}]{_BARE}[{_QUOTES}]|(?<![\w.@:$+/-]){_BARE})(?![\w/\\]|[{_QUOTES}])"
_ABSENT = r"(?:does not|doesn't) exist"

# (what a text must have, pattern). Where a match has two names, the last one matters.
_NAMED: tuple[tuple[tuple[str, ...], str], ...] = (
    (
        ("module", "package", "import", "resolve", "locate", "crate", "requirement", "matching"),
        rf"no module named {_N}|cannot import name {_N}|unresolved import {_N}"
        rf"|(?:cannot|can't|could not|unable to) (?:find|locate) (?:module|package|crate for) {_N}"
        rf"|(?:cannot|can't|could not|failed to) resolve (?:import |module )?+(?!host){_N}"
        rf"|provides package ([\w./@-]+\w)|package {_N} (?:is not in|was not found|has no install)"
        rf"|(?:satisfies the requirement|matching distribution found for) {_N}"
        rf"|undeclared (?:crate or )?module {_N}",
    ),
    (
        ("command", "recognized", "recognised", "executable", "script", "enoent", "rule to make"),
        rf"{_N}: command not found(?!: )|command not found: {_N}|{_N}: executable file not found"
        rf"|{_N} is not (?:recognized|recognised|an? \w+ command)|spawn {_N} enoent"
        rf"|(?:no such|unknown) (?:sub)?command:? {_N}|missing script:? {_N}"
        rf"|no rule to make target {_N}",
    ),
    (
        ("defined", "undeclared", "attribute", "find", "unbound"),
        rf"(?:name|referenceerror:) {_N} is not defined|not defined: {_N}"
        rf"|(?:object|module) {_N} has no attribute {_N}|{_N} object has no attribute {_N}"
        rf"|has no attribute {_N}|cannot find (?:name|value|function|type|macro|struct|trait) {_N}"
        rf"|undefined(?: (?:local|variable|or|method|function|index|symbol|constant|class"
        rf"|reference|to))*+:? {_N}|undeclared identifier {_N}|{_N} undeclared"
        rf"|{_N}: unbound variable",
    ),
    (
        ("table", "column", "exist", "unknown database", "object name"),
        rf"no such (?:table|column|function|index):? {_N}|has no column named {_N}"
        rf"|column {_N} of relation \S+ {_ABSENT}"
        rf"|(?:relation|column|table|view|schema|database|role|function|type) {_N} {_ABSENT}"
        rf"|(?:unknown (?:column|table|database)|invalid (?:column|object) name) {_N}",
    ),
    (
        ("option", "argument", "flag", "switch"),
        rf"(?:unknown|unrecognized|unrecognised|unsupported|unexpected|no such|invalid|illegal|bad)"
        rf" (?:compiler |command[ -]line |keyword |shorthand )?"
        rf"(?:option|argument|flag|switch)s?(?: --)?:? {_N}",
    ),
    (
        ("找不到", "未找到", "不存在", "未定义"),
        rf"(?:找不到|未找到|未定义)(?:名为|的|模块|命令|变量|选项|表|列|包|[:： ])*{_N}"
        rf"|(?:模块|命令|变量|选项|表|列|包)[:： ]*{_N} ?(?:不存在|找不到|未找到|未定义)",
    ),
)
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
            name = line[start:stop]
            after = name[len(name.rstrip(".:")) :] if name[-1] in ".:" else ""
            line = f"{line[:start]}{chr(_FIRST_HELD + len(names))}{after}{line[stop:]}"
            names.append(_bare(name).lower())
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
    for kind, (marks, pattern) in enumerate(_NAMED):
        if any(mark in lowered for mark in marks):
            for match in _compiled(pattern).finditer(text):
                if _is_name(match[match.lastindex or 0]):
                    yield str(kind), match


def _is_name(text: str) -> bool:
    """Letters make a name; a number or an id of the day is none."""
    letters = sum(character.isalpha() for character in text)
    return letters * 2 > sum(character.isalnum() for character in text)


def _bare(name: str) -> str:
    return name.strip(_QUOTES).rstrip(".:")


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)
