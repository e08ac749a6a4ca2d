"""Secrets in JSON values: string leaves are redacted where they stand, so JSON stays JSON. Pure.

The name of a field is part of its value's surroundings, and so are the other items of an
argument list, and the `name` beside a `value`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from hindsight_cli.redact.names import meaning_of
from hindsight_cli.redact.levels import Level
from hindsight_cli.redact.values import is_placeholder, is_secret

JsonValue: TypeAlias = "dict[str, JsonValue] | list[JsonValue] | str | int | float | bool | None"

if TYPE_CHECKING:
    from hindsight_cli.redact.spans import Hit

_HEADERS = ("authorization", "cookie", "set-cookie", "proxy-authorization")
_NAME_FIELDS = ("name", "key", "Name", "Key", "variable", "header")
_VALUE_FIELDS = ("value", "Value", "val", "secretValue")
_LEAST_CHARS = 6  # below this only the name of its field can make a string a secret
_DESCRIPTION_WORDS = 5


class Walker:
    """Rebuilds a JSON value with its secrets replaced; no recursion, so depth does not matter."""

    def __init__(
        self, find: Callable[[str], list[Hit]], replace: Callable[[str, list[Hit]], str], mark: Callable[[str, str], str]
    ) -> None:
        self._find = find
        self._replace = replace
        self._mark = mark

    def walk(self, root: JsonValue) -> JsonValue:
        """A copy of `root` without secrets."""
        holder: list[JsonValue] = [None]
        todo: list[tuple[JsonValue, str, list[JsonValue] | dict[str, JsonValue], int | str]] = [(root, "", holder, 0)]
        while todo:
            node, name, parent, slot = todo.pop()
            if isinstance(node, dict):
                fresh: dict[str, JsonValue] = {}
                parent[slot] = fresh  # type: ignore[index,call-overload]
                for key, child, child_name in self._fields(node, name):
                    safe = _free(self._string(key, "") if len(key) >= _LEAST_CHARS else key, fresh)
                    fresh[safe] = None  # keeps the order of the fields
                    todo.append((child, child_name, fresh, safe))
            elif isinstance(node, list):
                items = self._items(node, name)
                parent[slot] = items  # type: ignore[index,call-overload]
                for index, item in enumerate(items):
                    if not isinstance(item, str):
                        todo.append((item, name, items, index))
            else:
                parent[slot] = self._leaf(node, name)  # type: ignore[index,call-overload]
        return holder[0]

    def _fields(self, node: dict[str, JsonValue], name: str) -> list[tuple[str, JsonValue, str]]:
        """Each field with the name that tells what its value is."""
        told = next((v for f in _NAME_FIELDS if isinstance(v := node.get(f), str)), "")
        kind = node.get("kind")
        out = []
        for key, child in node.items():
            child_name = key
            if told and key in _VALUE_FIELDS:
                child_name = told
            elif kind == "Secret" and key in ("data", "stringData") and isinstance(child, dict):
                child = {k: v if not isinstance(v, str) or is_placeholder(v) else self._mark("secret", v) for k, v in child.items()}  # noqa: PLW2901
            out.append((key, child, child_name))
        return out

    def _items(self, node: list[JsonValue], name: str) -> list[JsonValue]:
        """A list's strings, read together: `-p` says what the next argument is."""
        strings = [item for item in node if isinstance(item, str)]
        if len(strings) < 2:
            return [self._string(item, name) if isinstance(item, str) else item for item in node]
        if len(node) == 2 and meaning_of(strings[0]).level:
            return [strings[0], self._string(strings[1], strings[0])]
        joined, starts = _joined(strings)
        parts = iter(self._split(joined, starts, strings, name))
        return [next(parts) if isinstance(item, str) else item for item in node]

    def _split(self, joined: str, starts: list[int], strings: list[str], name: str) -> list[JsonValue]:
        hits = self._find(joined)
        out: list[JsonValue] = []
        for start, item in zip(starts, strings, strict=True):
            own = [
                hit._replace(start=max(hit.start, start) - start, end=min(hit.end, start + len(item)) - start, quote="")
                for hit in hits
                if hit.start < start + len(item) and hit.end > start
            ]
            out.append(self._replace(item, own) if own else self._string(item, name))
        return out

    def _leaf(self, node: JsonValue, name: str) -> JsonValue:
        if isinstance(node, str):
            return self._string(node, name)
        if isinstance(node, int) and not isinstance(node, bool) and len(str(node)) >= 4:
            meaning = meaning_of(name)
            if meaning.level is Level.PASSWORD:
                return self._mark(meaning.kind, str(node))
        return node

    def _string(self, text: str, name: str) -> str:
        low = name.lower()
        meaning = meaning_of(name) if name else None
        if meaning is not None and meaning.level:
            if self._is_named_secret(text, meaning.level) and low not in _HEADERS:
                return self._mark(meaning.kind, text)
        if len(text) < _LEAST_CHARS:
            return text
        if low in _HEADERS:
            return self._in_context(text, f"{name}: ")
        hits = self._find(text)
        return self._replace(text, hits) if hits else text

    def _is_named_secret(self, text: str, level: Level) -> bool:
        """A password field holds a password, be it short or a word; other names are doubted."""
        if level is Level.PASSWORD:
            return bool(text) and not is_placeholder(text) and len(text.split()) < _DESCRIPTION_WORDS
        return is_secret(text, level, config=True)

    def _in_context(self, text: str, context: str) -> str:
        whole = context + text
        hits = [
            hit._replace(start=max(0, hit.start - len(context)), end=hit.end - len(context))
            for hit in self._find(whole)
            if hit.end > len(context)
        ]
        return self._replace(text, hits) if hits else text


def _free(key: str, taken: dict[str, JsonValue]) -> str:
    """The key, made different from those taken: two keys must not become one."""
    free, number = key, 2
    while free in taken:
        free, number = f"{key}#{number}", number + 1
    return free


def _joined(strings: list[str]) -> tuple[str, list[int]]:
    starts, at = [], 0
    for item in strings:
        starts.append(at)
        at += len(item) + 1
    return "\n".join(strings), starts
