"""Which entries of a pi session a person left behind by going back to an earlier one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from hindsight_cli.capture.draft import DraftEvent
from hindsight_cli.capture.formats.content import type_of
from hindsight_cli.capture.formats.jsonlines_reader import MAX_LINE_BYTES, parse_json
from hindsight_cli.records.jsonvalue import JsonValue

# The two stand together in what pi writes; any other line is parsed.
_LINK = re.compile(rb'"id":"([^"\\]+)","parentId":(?:"([^"\\]+)"|(null))')
_CHUNK_BYTES = 1024 * 1024
_MAX_JUMPS = 100_000
_ROOT = b""


@dataclass(frozen=True, slots=True)
class _Entry:
    line: int
    id: bytes
    parent: bytes | None  # None: not told


@dataclass(slots=True)
class _Block:
    """The lines of one session, from its header on."""

    first: int
    last: int = 0
    jumps: list[_Entry] = field(default_factory=list)  # entries that do not follow the one before


class Lines:
    """Line numbers, kept as ranges."""

    def __init__(self, ranges: Iterable[tuple[int, int]]) -> None:
        self._ranges = sorted(ranges)
        self._at = 0

    def __contains__(self, line: int) -> bool:
        """Whether a line is in one of the ranges. Asked for in rising order."""
        while self._at < len(self._ranges) and self._ranges[self._at][1] < line:
            self._at += 1
        return self._at < len(self._ranges) and self._ranges[self._at][0] <= line


def abandoned(events: Iterable[DraftEvent]) -> tuple[DraftEvent, ...]:
    """Events of a branch that a person left."""
    return tuple(replace(event, extra={**event.extra, "branch": "abandoned"}) for event in events)


def abandoned_lines(path: Path) -> Lines:
    """The lines that are not on the way from the last entry back to the first.

    An entry whose parent the file does not hold is taken to follow the one before it, as
    is a line written twice: a broken link is no reason to doubt what else there is.
    """
    blocks = list(_blocks(path))
    wanted = {e.id for b in blocks for e in b.jumps} | {
        e.parent for b in blocks for e in b.jumps if e.parent
    }
    if not wanted or sum(len(block.jumps) for block in blocks) > _MAX_JUMPS:
        return Lines(())
    lines: dict[bytes, int] = {}
    for entry in _entries(path):
        if entry is not None and entry.id in wanted:
            lines.setdefault(entry.id, entry.line)
    return Lines(left for block in blocks for left in _left(block, lines))


def _left(block: _Block, lines: dict[bytes, int]) -> Iterator[tuple[int, int]]:
    """The ranges of a session's lines that were left, from the last to the first."""
    end = block.last
    for jump in reversed(block.jumps):
        if jump.line > end or lines[jump.id] < jump.line:
            continue
        kept = block.first if jump.parent == _ROOT else lines.get(jump.parent or b"")
        if kept is not None and block.first <= kept < jump.line - 1:
            yield kept + 1, jump.line - 1
            end = kept


def _blocks(path: Path) -> Iterator[_Block]:
    block, before = _Block(first=0), _ROOT
    for entry in _entries(path):
        if entry is None or not entry.id:
            if entry is not None:
                yield block
                block, before = _Block(first=entry.line), _ROOT
            continue
        block.last = entry.line
        is_jump = entry.parent is not None and entry.parent != before
        if is_jump and len(block.jumps) <= _MAX_JUMPS:
            block.jumps.append(entry)
        before = entry.id
    yield block


def _entries(path: Path) -> Iterator[_Entry | None]:
    """The entries with an id; one without an id stands for a session's header."""
    with path.open("rb", buffering=_CHUNK_BYTES) as file:
        number = 0
        while raw := file.readline(MAX_LINE_BYTES):
            if raw.endswith(b"\n") or len(raw) < MAX_LINE_BYTES:
                number += 1
                yield _entry(number, raw)
            else:  # a longer line is no entry
                number += 1
                while (rest := file.readline(_CHUNK_BYTES)) and not rest.endswith(b"\n"):
                    pass


def _entry(number: int, raw: bytes) -> _Entry | None:
    links = _LINK.findall(raw)
    if len(links) == 1:
        own, parent, _ = links[0]
        return _Entry(number, own, parent or _ROOT)
    try:
        value = parse_json(raw.strip(b"\x00 \t\r\n").removeprefix(b"\xef\xbb\xbf"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    name, parent = value.get("id"), value.get("parentId", "")
    if type_of(value) == "session":
        return _Entry(number, b"", None)
    if not isinstance(name, str) or not name:
        return None
    return _Entry(number, name.encode("utf-8", "replace"), _parent(parent))


def _parent(link: JsonValue) -> bytes | None:
    if link is None:
        return _ROOT
    return link.encode("utf-8", "replace") if isinstance(link, str) and link else None
