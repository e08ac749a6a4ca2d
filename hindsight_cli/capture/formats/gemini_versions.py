"""What later lines of a Gemini CLI chat change about earlier ones.

A message is written again under its id as it grows; `$rewindTo` takes back a message
and everything behind it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from hindsight_cli.capture.draft import Problem
from hindsight_cli.capture.formats.jsonlines_reader import Record, holds_word, read_json_lines
from hindsight_cli.records.jsonvalue import JsonValue

# A message grows while it is the latest; one further back is told of again, and what it has
# gained is added there.
_WINDOW = 16
_MAX_HELD_CHARS = 8_000_000
_REWIND = b'"$rewindTo"'


@dataclass(slots=True)
class Version:
    """A line of the file; superseded when another line has a later version of its message."""

    line: int
    value: JsonValue
    is_superseded: bool = False


def message_id(value: JsonValue) -> str | None:
    """The id of a message record; None for every other record."""
    found = value.get("id") if isinstance(value, Mapping) else None
    return found if isinstance(found, str) and found else None


def latest_versions(items: Iterable[Record | Problem]) -> Iterator[Version | Problem]:
    """Every line once; a message's latest content stands where the message first stood."""
    held: deque[tuple[Version | Problem, int]] = deque()
    for item in items:
        if isinstance(item, Problem):
            held.append((item, 0))
        elif earlier := _earlier(held, item.value):
            held.append((Version(earlier.line, None, is_superseded=True), _weight(item.value)))
            earlier.line, earlier.value = item.line, item.value
        else:
            if _changes_history(item.value):
                yield from (one for one, _ in held)
                held.clear()
            held.append((Version(item.line, item.value), _weight(item.value)))
        while len(held) > _WINDOW or (
            len(held) > 1 and sum(weight for _, weight in held) > _MAX_HELD_CHARS
        ):
            yield held.popleft()[0]
    yield from (one for one, _ in held)


def _earlier(held: Iterable[tuple[Version | Problem, int]], value: JsonValue) -> Version | None:
    """The version of the same message among those held back."""
    known = message_id(value)
    for one, _ in held if known else ():
        if isinstance(one, Version) and message_id(one.value) == known:
            return one
    return None


def _changes_history(value: JsonValue) -> bool:
    if not isinstance(value, Mapping):
        return False
    patch = value.get("$set")
    return "$rewindTo" in value or (isinstance(patch, Mapping) and "messages" in patch)


def _weight(value: JsonValue) -> int:
    """About how many characters a value holds."""
    size, todo = 0, [value]
    while todo:
        one = todo.pop()
        if isinstance(one, str):
            size += len(one)
        elif isinstance(one, Mapping):
            todo.extend(one.values())
        elif isinstance(one, list):
            todo.extend(one)
    return size


def abandoned_lines(path: Path) -> frozenset[int]:
    """The lines whose messages a later `$rewindTo` took back.

    Files without one, nearly all, cost no more than to be looked through for the word.
    """
    if not holds_word(path, _REWIND):
        return frozenset()
    lines_of: dict[str, list[int]] = {}  # in the order in which the agent has the messages
    abandoned: set[int] = set()
    for item in read_json_lines(path):
        value = item.value if isinstance(item, Record) else None
        if not isinstance(value, dict):
            continue
        if isinstance(target := value.get("$rewindTo"), str):
            # Like the agent: a target that is not there takes everything back.
            taken = None
            while lines_of and taken != target:
                taken, lines = lines_of.popitem()
                abandoned.update(lines)
        elif known := message_id(value):
            lines_of.setdefault(known, []).append(item.line)
    return frozenset(abandoned)
