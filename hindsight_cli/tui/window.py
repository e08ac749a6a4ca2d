"""The part of a long text worth showing: its beginning, its end, and what is looked for.

Pure. A window is a list of lines and gaps, and can be narrowed again.
"""

from __future__ import annotations

import re
from bisect import bisect, insort
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from hindsight_cli.terminal import visible
from hindsight_cli.text import summarize

LINE_CHARS = 600
MUST = 100  # a line of this weight is shown before any other
_SOUGHT_EACH = 2  # places shown per thing looked for
_TELLING = 3  # lines that say what went wrong
_TRIED = 12  # telling lines looked for; some stand in lines that were put together
_FEW = 6  # rows; below that one gap stands for all that is left out
# Colours would part a line from what the error reader makes of it.
_ANSI = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")


class Mark(StrEnum):
    """What a line is, and so how it is drawn and cut."""

    PLAIN = "plain"
    TELLING = "telling"  # says what went wrong
    PATH = "path"
    REMOVED = "removed"
    ADDED = "added"
    CONTEXT = "context"


CHANGED = frozenset({Mark.REMOVED, Mark.ADDED})


@dataclass(frozen=True, slots=True)
class Line:
    """One line that is safe for a terminal."""

    text: str
    mark: Mark = Mark.PLAIN
    start: int = 0  # where in `text` the part that matters begins
    weight: int = 0  # the higher, the sooner it is shown


@dataclass(frozen=True, slots=True)
class Gap:
    """Lines that are not shown; `scattered` when they lie between those that are."""

    lines: int
    scattered: bool = False


Row = Line | Gap
_T = TypeVar("_T")


def open_window(
    text: str, sought: Sequence[str], *, max_lines: int, telling: Sequence[str] = ()
) -> tuple[Row, ...]:
    """A window on recorded text of any size, safe for a terminal.

    Long lines are cut to `LINE_CHARS` characters about what is sought. `telling` are pieces
    of lines, the most telling first; the first few are always in the window.
    """
    if not text or text.isspace():
        return ()
    lines = text.replace("\r\n", "\n").strip("\n").split("\n")
    told = _told_places(lines, telling)
    places = [*told, *_places(lines, sought)]
    shown = narrow(range(len(lines)), places, lambda _: 1, budget=max_lines)
    return tuple(
        row if isinstance(row, Gap) else _line(lines[row], sought, _rank(told, row), told.get(row))
        for row in shown
    )


def narrow(
    rows: Sequence[_T | Gap], sought: Sequence[int], cost: Callable[[_T], int], *, budget: int
) -> list[_T | Gap]:
    """As many of `rows` as `budget` allows, with a gap for those left out.

    `sought` are indexes of rows to keep first; then the end is favoured over the
    beginning, because that is where errors are told. `cost` is the height of one line.
    A small budget is not spent on gaps: one at the end then stands for all.
    """

    def height(index: int) -> int:
        row = rows[index]
        return 1 if isinstance(row, Gap) else cost(row)

    count = len(rows)
    if count <= budget and sum(map(height, range(count))) <= budget:
        return list(rows)
    scattered = budget < _FEW
    chosen: list[int] = []
    used = 1  # the gap
    for index in [*sought, *by_place(count, budget)]:
        at = bisect(chosen, index)
        before = chosen[at - 1] if at else -1
        after = chosen[at] if at < len(chosen) else count
        if index == before or (scattered and isinstance(rows[index], Gap)):
            continue
        gaps = (index - before > 1) + (after - index > 1) - (after - before > 1)
        more = height(index) + (0 if scattered else gaps)
        if chosen and used + more > budget:
            continue
        insort(chosen, index)
        used += more
    return _gathered(rows, chosen) if scattered else _joined(rows, chosen)


def weight_of(row: Row) -> int:
    return row.weight if isinstance(row, Line) else 0


def safe_line(line: str, sought: Sequence[str]) -> str:
    """A line of bounded length without control characters."""
    if len(line) > LINE_CHARS:
        found = min((at for at in (line.find(s) for s in sought) if at >= 0), default=-1)
        if found > LINE_CHARS // 2:
            start = found - LINE_CHARS // 4
            line = f"…[{start:,} characters]… " + line[start:]
        line = summarize(line, LINE_CHARS)
    return visible(line).expandtabs(4)


def _line(line: str, sought: Sequence[str], rank: int, piece: str | None) -> Line:
    if piece is None:
        return Line(safe_line(line, sought))
    text = safe_line(line, [piece])
    start = text.find(safe_line(piece, ()))
    return Line(text, Mark.TELLING, max(start, 0), MUST - rank)


def _rank(told: Mapping[int, str], index: int) -> int:
    return list(told).index(index) if index in told else 0


def _told_places(lines: Sequence[str], telling: Sequence[str]) -> dict[int, str]:
    """Where the first few of `telling` stand, the most telling first."""
    found: dict[int, str] = {}
    for piece in dict.fromkeys(telling[:_TRIED]):
        if len(found) == _TELLING:
            break
        # The last one: what is told twice is told at the end by the summary.
        for index in range(len(lines) - 1, -1, -1):
            line = lines[index]
            if piece in line or ("\x1b" in line and piece in _ANSI.sub("", line)):
                found.setdefault(index, piece)
                break
    return found


def _places(lines: Sequence[str], sought: Sequence[str]) -> list[int]:
    """Indexes of the first lines that hold what is sought, the most telling ones first."""
    found: dict[int, None] = {}
    for word in sought:
        left = _SOUGHT_EACH
        for index, line in enumerate(lines):
            if word in line:
                found[index] = None
                left -= 1
                if not left:
                    break
    return list(found)


def by_place(count: int, room: int) -> list[int]:
    """The indexes at both ends of `count` rows; the end is favoured."""
    head, tail = iter(range(count)), iter(range(count - 1, -1, -1))
    return [next(head) if turn % 3 == 1 else next(tail) for turn in range(min(count, room + 1))]


def _gathered(rows: Sequence[_T | Gap], chosen: Sequence[int]) -> list[_T | Gap]:
    """The chosen rows, then how many there are besides."""
    kept = set(chosen)
    left_out = sum(_lines_of(row) for i, row in enumerate(rows) if i not in kept)
    shown = [rows[i] for i in chosen]
    return [*shown, Gap(left_out, scattered=len(chosen) > 1)] if left_out else shown


def _joined(rows: Sequence[_T | Gap], chosen: Sequence[int]) -> list[_T | Gap]:
    shown: list[_T | Gap] = []
    previous = -1
    for index in [*chosen, len(rows)]:
        left_out = sum(map(_lines_of, rows[previous + 1 : index]))
        if left_out:
            shown.append(Gap(left_out))
        if index < len(rows):
            row = rows[index]
            last = shown[-1] if shown else None
            if isinstance(row, Gap) and isinstance(last, Gap):
                shown[-1] = Gap(last.lines + row.lines)
            else:
                shown.append(row)
        previous = index
    return shown


def _lines_of(row: object) -> int:
    return row.lines if isinstance(row, Gap) else 1
