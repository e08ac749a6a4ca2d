"""The part of a long text worth showing: its beginning, its end, and what is looked for.

Pure. A window is a list of lines and gaps, and can be narrowed again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hindsight_cli.terminal import visible
from hindsight_cli.text import summarize

LINE_CHARS = 600
_SOUGHT_EACH = 2  # places shown per thing looked for


@dataclass(frozen=True, slots=True)
class Gap:
    """Lines that are not shown."""

    lines: int


Row = str | Gap


def open_window(text: str, sought: Sequence[str], *, max_lines: int) -> tuple[Row, ...]:
    """A window on recorded text of any size, safe for a terminal.

    Long lines are cut to `LINE_CHARS` characters about what is sought.
    """
    if not text or text.isspace():
        return ()
    lines = text.replace("\r\n", "\n").strip("\n").split("\n")
    shown = narrow(lines, _places(lines, sought), lambda _: 1, budget=max_lines)
    return tuple(row if isinstance(row, Gap) else safe_line(row, sought) for row in shown)


def narrow(
    rows: Sequence[Row], sought: Sequence[int], cost: Callable[[str], int], *, budget: int
) -> list[Row]:
    """As many of `rows` as `budget` allows, with a gap for those left out.

    `sought` are indexes of rows to keep first; then the end is favoured over the
    beginning, because that is where errors are told. `cost` is the height of one line.
    """
    if len(rows) <= budget:
        heights = [1 if isinstance(row, Gap) else cost(row) for row in rows]
        if sum(heights) <= budget:
            return list(rows)
    room = max(budget - 1, 1)  # one row is for the gap
    chosen: set[int] = set()
    for index in _order(len(rows), sought, room):
        row = rows[index]
        height = 1 if isinstance(row, Gap) else cost(row)
        if index in chosen or (height > room and chosen):
            continue
        chosen.add(index)
        room -= height
        if room <= 0:
            break
    return _joined(rows, sorted(chosen))


def safe_line(line: str, sought: Sequence[str]) -> str:
    """A line of bounded length without control characters."""
    if len(line) > LINE_CHARS:
        found = min((at for at in (line.find(s) for s in sought) if at >= 0), default=-1)
        if found > LINE_CHARS // 2:
            start = found - LINE_CHARS // 4
            line = f"…[{start:,} characters]… " + line[start:]
        line = summarize(line, LINE_CHARS)
    return visible(line).expandtabs(4)


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


def _order(count: int, sought: Sequence[int], room: int) -> list[int]:
    """The indexes of `count` rows, the most worth showing first."""
    head, tail = iter(range(count)), iter(range(count - 1, -1, -1))
    order = list(sought[: max(room // 2, 1)])
    for turn in range(min(count, room + 1)):
        order.append(next(head) if turn % 3 == 1 else next(tail))
    return order


def _joined(rows: Sequence[Row], chosen: Sequence[int]) -> list[Row]:
    shown: list[Row] = []
    previous = -1
    for index in [*chosen, len(rows)]:
        left_out = sum(
            row.lines if isinstance(row, Gap) else 1 for row in rows[previous + 1 : index]
        )
        if left_out:
            shown.append(Gap(left_out))
        if index < len(rows):
            row = rows[index]
            if isinstance(row, Gap) and shown and isinstance(shown[-1], Gap):
                shown[-1] = Gap(shown[-1].lines + row.lines)
            else:
                shown.append(row)
        previous = index
    return shown
