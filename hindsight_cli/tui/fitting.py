"""Deals the lines of a pane out to the steps, so that the failure and its fix are both in sight.

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rich.cells import cell_len, set_cell_size

from hindsight_cli.tui.window import Gap, Row, narrow
from hindsight_cli.tui.wrapping import wrap

Parts = tuple[Sequence[Row], Sequence[Row]]  # what went into a step, what came out of it

_MIN_ROWS = 3  # for each step: its input and two lines of what came of it
_MAX_ROWS_OF_LINE = 3


def is_tight(steps: int, rows: int) -> bool:
    """Whether there is no room for anything between the steps."""
    return rows < steps * (_MIN_ROWS + 2)


def fit(
    steps: Sequence[Parts], pattern: re.Pattern[str] | None, width: int, rows: int
) -> list[Parts]:
    """The parts of each step, cut so that together they take about `rows` lines."""
    steps = [(_few(given, pattern, rows), _few(output, pattern, rows)) for given, output in steps]
    heights = [(_height(given, width), _height(output, width)) for given, output in steps]
    if sum(map(sum, heights)) <= rows:
        return steps
    shares = deal([sum(both) for both in heights], rows)
    fitted: list[Parts] = []
    for (given, out), (need_given, need_out), share in zip(steps, heights, shares, strict=True):
        for_given = min(need_given, max(share // 2, share - need_out))
        some_given = _narrowed(given, pattern, width, for_given)
        left = max(1, share - _height(some_given, width))
        fitted.append((some_given, _narrowed(out, pattern, width, left)))
    return fitted


def deal(needs: Sequence[int], rows: int) -> list[int]:
    """`rows` dealt out by need: one that needs less leaves the rest to the others."""
    shares = [0] * len(needs)
    by_need = sorted(range(len(needs)), key=needs.__getitem__)
    for done, place in enumerate(by_need):
        fair = max(_MIN_ROWS, rows // (len(needs) - done))
        shares[place] = min(fair, needs[place])
        rows -= shares[place]
    return shares


def _few(rows: Sequence[Row], pattern: re.Pattern[str] | None, budget: int) -> Sequence[Row]:
    """Not more rows than could ever be shown: what follows measures every one of them."""
    return narrow(rows, _hits(rows, pattern), lambda _: 1, budget=max(budget, _MIN_ROWS))


def _narrowed(
    rows: Sequence[Row], pattern: re.Pattern[str] | None, width: int, budget: int
) -> Sequence[Row]:
    """Rows that take about `budget` lines of `width` cells."""
    if _height(rows, width) <= budget:
        return rows
    hits = _hits(rows, pattern)
    if budget < _MIN_ROWS:
        return _one_line(rows, hits, pattern, width)
    most = min(_MAX_ROWS_OF_LINE, budget - 1)
    short = [row if isinstance(row, Gap) else _shortened(row, pattern, width, most) for row in rows]
    return narrow(short, hits, lambda line: len(wrap(line, width)), budget=budget)


def _one_line(
    rows: Sequence[Row], hits: Sequence[int], pattern: re.Pattern[str] | None, width: int
) -> list[Row]:
    """The most telling line, and how many there are besides."""
    lines = [i for i, row in enumerate(rows) if isinstance(row, str) and row.strip()]
    best = hits[0] if hits else lines[-1] if lines else None
    others = sum(
        row.lines if isinstance(row, Gap) else 1 for i, row in enumerate(rows) if i != best
    )
    line = rows[best] if best is not None else ""
    shown: list[Row] = [_shortened(str(line), pattern, width, 1)]
    return [*shown, Gap(others)] if others else shown


def _shortened(line: str, pattern: re.Pattern[str] | None, width: int, rows: int) -> str:
    """At most `rows` lines of a line, with the first marked place in it."""
    spans = wrap(line, width)
    if len(spans) <= rows:
        return line
    found = pattern.search(line) if pattern else None
    begin, end = found.span() if found else (0, 0)
    start = begin - width * rows // 4
    if start > 0 and end >= spans[rows - 1][1]:
        line = "…" + line[start:]
        spans = wrap(line, width)
        if len(spans) <= rows:
            return line
    begin, end = spans[rows - 1]
    last = line[begin:end]
    return line[:begin] + set_cell_size(last, min(cell_len(last), width - 1)).rstrip() + "…"


def _hits(rows: Sequence[Row], pattern: re.Pattern[str] | None) -> list[int]:
    if pattern is None:
        return []
    return [i for i, row in enumerate(rows) if isinstance(row, str) and pattern.search(row)]


def _height(rows: Sequence[Row], width: int) -> int:
    return sum(1 if isinstance(row, Gap) else len(wrap(row, width)) for row in rows)
