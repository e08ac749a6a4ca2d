"""Secrets in JSON values: string leaves are redacted where they stand, so JSON stays JSON. Pure.

The name of a field is part of its value's surroundings, and so are the other items of an
argument list, the lines of a list of lines, and the `name` beside a `value`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from hindsight_cli.redact.levels import Level
from hindsight_cli.redact.names import IN_QUERY, Meaning, meaning_of
from hindsight_cli.redact.shapes import is_path, is_placeholder
from hindsight_cli.redact.values import is_phrase, is_secret
from hindsight_cli.redact.vocabulary import PLACEHOLDERS

if TYPE_CHECKING:
    from hindsight_cli.records.jsonvalue import JsonValue
    from hindsight_cli.redact.spans import Hit

_HEADERS = ("authorization", "proxy-authorization", "cookie", "set-cookie")
_NAME_FIELDS = ("name", "key", "Name", "Key", "variable", "header")
_VALUE_FIELDS = ("value", "Value", "val", "secretValue")
_MANIFEST_FIELDS = ("data", "stringData")  # of a Kubernetes Secret
_LEAST_CHARS = 6  # below this only the name of its field makes a string a secret
_LEAST_DIGITS = 4
_PAIR = 2


class Tools(NamedTuple):
    """What the engine lends: find hits, replace them, and the mark of one whole secret."""

    find: Callable[[str], list[Hit]]
    replace: Callable[[str, list[Hit]], str]
    mark: Callable[[str, str], str]


class _Job(NamedTuple):
    node: JsonValue
    name: str  # of the field the node stands in
    parent: Any  # the list or dict, already in the answer, that takes the node's copy
    slot: Any
    sealed: bool = False  # every string below is a secret


class Walker:
    """Copies a JSON value without its secrets; no recursion, so its depth does not matter."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._keys: dict[str, str] = {}

    def walk(self, root: JsonValue) -> JsonValue:
        """A copy of `root` without secrets."""
        answer: list[JsonValue] = [None]
        todo = [_Job(root, "", answer, 0)]
        while todo:
            job = todo.pop()
            if isinstance(job.node, dict):
                fresh: dict[str, JsonValue] = {}
                job.parent[job.slot] = fresh
                todo.extend(self._fields(job, fresh))
            elif isinstance(job.node, list):
                job.parent[job.slot] = items = self._items(job)
                todo.extend(
                    _Job(item, job.name, items, index, job.sealed)
                    for index, item in enumerate(items)
                    if isinstance(item, dict | list | int)
                )
            else:
                job.parent[job.slot] = self._leaf(job)
        return answer[0]

    def _fields(self, job: _Job, fresh: dict[str, JsonValue]) -> Iterator[_Job]:
        """Each field with the name that tells what its value is."""
        node = job.node
        told = next((v for f in _NAME_FIELDS if isinstance(v := node.get(f), str)), "")
        manifest = node.get("kind") == "Secret"
        for key, child in node.items():
            safe = _free(self._key(key), fresh)
            fresh[safe] = None  # keeps the order of the fields
            name = told if told and key in _VALUE_FIELDS else key
            sealed = job.sealed or (manifest and key in _MANIFEST_FIELDS)
            yield _Job(child, name, fresh, safe, sealed)

    def _key(self, key: str) -> str:
        if len(key) < _LEAST_CHARS:
            return key
        if key not in self._keys:
            self._keys[key] = self._text(key)
        return self._keys[key]

    def _items(self, job: _Job) -> list[JsonValue]:
        """A list's strings, read together: `-p` says what the next argument is."""
        strings = [item for item in job.node if isinstance(item, str)]
        name = job.name.removesuffix("s")
        if job.sealed or len(strings) < _PAIR:
            clean = [self._leaf(job._replace(node=item, name=name)) for item in strings]
        elif len(job.node) == _PAIR and meaning_of(strings[0]).level:
            clean = [strings[0], self._leaf(job._replace(node=strings[1], name=strings[0]))]
        else:
            clean = self._together(strings, name)
        rest = iter(clean)
        return [next(rest) if isinstance(item, str) else item for item in job.node]

    def _together(self, strings: list[str], name: str) -> list[JsonValue]:
        joint = " " if any(item.startswith("-") for item in strings) else "\n"
        hits = self._tools.find(joint.join(strings))
        out: list[JsonValue] = []
        start = 0
        for item in strings:
            end = start + len(item)
            own = [_moved(h, start, end) for h in hits if h.start < end and h.end > start]
            named = None if own else self._named(item, name)
            out.append(self._tools.replace(item, own) if own else named or item)
            start = end + 1
        return out

    def _leaf(self, job: _Job) -> JsonValue:
        node = job.node
        if isinstance(node, int) and not isinstance(node, bool) and len(str(node)) >= _LEAST_DIGITS:
            meaning = meaning_of(job.name)
            typed = meaning.level in (Level.PASSWORD, Level.PIN)
            return self._tools.mark(meaning.kind, str(node)) if typed else node
        if not isinstance(node, str):
            return node
        if job.sealed:
            return node if is_placeholder(node) else self._tools.mark("secret", node)
        return self._named(node, job.name) or self._text(node, job.name)

    def _named(self, text: str, name: str) -> str | None:
        """The mark of the whole text, if the name of its field makes it a secret."""
        meaning = meaning_of(name)
        if not meaning.level or meaning.kind == IN_QUERY or name.lower() in _HEADERS:
            return None
        if not _is_named(text, name, meaning):
            return None
        return self._tools.mark(meaning.kind, text)

    def _text(self, text: str, name: str = "") -> str:
        if len(text) < _LEAST_CHARS:
            return text
        context = f"{name}: " if name.lower() in _HEADERS else ""
        start, end = len(context), len(context) + len(text)
        hits = [_moved(h, start, end) for h in self._tools.find(context + text) if h.end > start]
        return self._tools.replace(text, hits) if hits else text


def _is_named(text: str, name: str, meaning: Meaning) -> bool:
    """A password field holds a password, be it short or a word; other names are doubted."""
    if meaning.kind != "password" or name.lower() == "pass" or len(text) > len(text.strip()):
        return is_secret(text, meaning.level, config=True)
    tiny = len(text) < _LEAST_DIGITS and text.isalnum() and text.lower() not in PLACEHOLDERS
    if not tiny and (is_placeholder(text) or is_path(text)):
        return False
    return is_phrase(text) if " " in text else meaning.level is Level.PASSWORD


def _moved(hit: Hit, start: int, end: int) -> Hit:
    """The part of a hit within `start:end`, counted from `start`."""
    whole = hit.start >= start and hit.end <= end
    return hit._replace(
        start=max(hit.start, start) - start,
        end=min(hit.end, end) - start,
        quote=hit.quote if whole else "",
        secret=hit.secret if whole else "",
    )


def _free(key: str, taken: dict[str, JsonValue]) -> str:
    """The key, made different from those taken: two keys must not become one."""
    free, number = key, 2
    while free in taken:
        free, number = f"{key}#{number}", number + 1
    return free
