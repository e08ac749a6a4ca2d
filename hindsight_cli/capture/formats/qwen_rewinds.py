"""Which lines of a Qwen Code chat a person took back."""

from __future__ import annotations

from bisect import bisect_right
from pathlib import Path

from hindsight_cli.capture.formats.jsonlines_reader import Record, holds_word, read_json_lines


class Stretches:
    """Line numbers in stretches that are added in the order of their ends."""

    def __init__(self) -> None:
        self._firsts: list[int] = []
        self._ends: list[int] = []  # each one past the last line

    def add(self, first: int, end: int) -> None:
        """Lines from `first` up to `end`, without it; an earlier stretch may lie in them."""
        while self._firsts and self._ends[-1] >= first:
            first = min(first, self._firsts.pop())
            self._ends.pop()
        if first < end:
            self._firsts.append(first)
            self._ends.append(end)

    def __contains__(self, line: int) -> bool:
        place = bisect_right(self._firsts, line) - 1
        return place >= 0 and line < self._ends[place]


def abandoned_lines(path: Path) -> Stretches:
    """The lines between a `rewind` record and the record it goes back to.

    A `rewind` follows what it keeps, by its parent link. One whose parent the file does
    not hold takes back nothing: a lost line is no reason to doubt all others.
    """
    abandoned = Stretches()
    if not holds_word(path, b'"rewind"'):
        return abandoned
    line_of: dict[int, int] = {}  # by the hash of the uuid
    for item in read_json_lines(path):
        value = item.value if isinstance(item, Record) else None
        if not isinstance(value, dict):
            continue
        uuid, parent = value.get("uuid"), value.get("parentUuid")
        if value.get("type") == "system" and value.get("subtype") == "rewind":
            kept = 0 if parent is None else line_of.get(hash(str(parent)), item.line)
            abandoned.add(kept + 1, item.line)
        if isinstance(uuid, str):
            line_of[hash(uuid)] = item.line
    return abandoned
