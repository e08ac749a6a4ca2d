"""JSON with comments and trailing commas, read with the place of everything in the text.

Agents read their settings in several dialects. This reads the widest of them, so that what
an agent can read is never refused here; the text itself is never written anew from values.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from hindsight_cli.records.jsonvalue import JsonValue

_STRING = re.compile(r'"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*"')
_SCALAR = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")
_WORD_END = re.compile(r"[\s,\]}/:]|\Z")
COMMENT = re.compile(r"//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_TRIVIA = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)


class JsonSyntaxError(ValueError):
    """`line` and `column` count from 1."""

    def __init__(self, text: str, at: int, problem: str) -> None:
        self.line = text.count("\n", 0, at) + 1
        self.column = at - text.rfind("\n", 0, at)
        self.problem = problem
        super().__init__(f"line {self.line}, column {self.column}: {problem}")


@dataclass(frozen=True, slots=True)
class Entry:
    """A member of an object, or an item of an array."""

    start: int  # of the key, or of the item
    node: Node
    key: str | None = None
    comma: int | None = None  # where the comma after it stands


@dataclass(frozen=True, slots=True)
class Node:
    """A value and where it stands: `text[start:end]`."""

    start: int
    end: int
    kind: str  # object, array, string or scalar
    entries: tuple[Entry, ...] = ()

    def entry(self, step: str | int) -> Entry | None:
        """A member by key (the last of several, as readers take it), or an item by number."""
        if isinstance(step, int):
            known = self.kind == "array" and 0 <= step < len(self.entries)
            return self.entries[step] if known else None
        return next((e for e in reversed(self.entries) if e.key == step), None)


def parse(text: str) -> Node | None:
    """The value of a text; None when there is nothing but white space.

    Raises:
        JsonSyntaxError: it is no JSON, not even with comments.
    """
    if not text.strip(" \t\r\n"):
        return None
    try:
        node = _value(text, _skip(text, 0))
    except RecursionError:
        raise JsonSyntaxError(text, 0, "it is nested too deeply") from None
    end = _skip(text, node.end)
    if end < len(text):
        raise JsonSyntaxError(text, end, f"{text[end]!r} after the end of the value")
    return node


def value_of(text: str, node: Node) -> JsonValue:
    """The value that a node stands for; of members with one key the last."""
    if node.kind == "object":
        return {str(e.key): value_of(text, e.node) for e in node.entries}
    if node.kind == "array":
        return [value_of(text, e.node) for e in node.entries]
    value: JsonValue = json.loads(text[node.start : node.end])
    return value


def line_of(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _value(text: str, at: int) -> Node:
    opening = text[at : at + 1]
    if opening in ("{", "["):
        return _container(text, at)
    if opening == '"':
        return Node(at, _string_end(text, at), "string")
    found = _SCALAR.match(text, at)
    if found is None or not _WORD_END.match(text, found.end()):
        shown = text[at : at + 20].split("\n", maxsplit=1)[0]
        what = f"{shown!r} is no value" if opening else "it ends where a value is due"
        raise JsonSyntaxError(text, at, what)
    return Node(at, found.end(), "scalar")


def _container(text: str, start: int) -> Node:
    is_object = text[start] == "{"
    closing = "}" if is_object else "]"
    entries = tuple(_entries(text, start + 1, closing, is_object=is_object))
    last = entries[-1] if entries else None
    after = start + 1 if last is None else last.node.end if last.comma is None else last.comma + 1
    return Node(start, _skip(text, after) + 1, "object" if is_object else "array", entries)


def _entries(text: str, at: int, closing: str, *, is_object: bool) -> Iterator[Entry]:
    """Entries up to the closing bracket, which is then the next that is no white space."""
    while text[(at := _skip(text, at)) : at + 1] != closing:
        start, key = at, None
        if is_object:
            if text[at : at + 1] != '"':
                raise JsonSyntaxError(text, at, _unexpected(text, at, 'a key in quotes, or "}"'))
            end = _string_end(text, at)
            key = str(json.loads(text[at:end]))
            at = _skip(text, end)
            if text[at : at + 1] != ":":
                raise JsonSyntaxError(text, at, _unexpected(text, at, '":"'))
            at = _skip(text, at + 1)
        node = _value(text, at)
        at = _skip(text, node.end)
        following = text[at : at + 1]
        if following not in (",", closing):
            raise JsonSyntaxError(text, at, _unexpected(text, at, f'"," or "{closing}"'))
        yield Entry(start, node, key, at if following == "," else None)
        if following == closing:
            return
        at += 1


def _string_end(text: str, at: int) -> int:
    found = _STRING.match(text, at)
    if found is None:
        raise JsonSyntaxError(text, at, "a text in quotes that is not ended, or not well formed")
    return found.end()


def _skip(text: str, at: int) -> int:
    found = _TRIVIA.match(text, at)
    end = found.end() if found else at
    if text.startswith("/*", end):
        raise JsonSyntaxError(text, end, "a comment that is not ended")
    return end


def _unexpected(text: str, at: int, wanted: str) -> str:
    return f"{text[at]!r} where {wanted} is due" if at < len(text) else f"{wanted} is missing"
