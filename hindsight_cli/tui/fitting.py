"""Deals the lines of a pane out to the steps, so that the failure and its fix are both in sight.

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest

from rich.cells import cell_len, set_cell_size

from hindsight_cli.tui.window import CHANGED, MUST, Gap, Line, Row, by_place, narrow, weight_of
from hindsight_cli.tui.wrapping import wrap

Parts = tuple[Sequence[Row], Sequence[Row]]  # what went into a step, what came out of it

_MIN_ROWS = 3  # for each step: its input and two lines of what came of it
_MAX_ROWS_OF_LINE = 3
# The file and line that a compiler's message begins with.
_PLACE = re.compile(r"(?:\[[^\]\n]*\]\s*)?[^\s:]*[./\\][^\s:]*:\d+(?::\d+)?:\s+(?=\S)")
_FOUND_TOGETHER = 4  # lines that are looked for, in sight at once
_CHANGE_ROWS = 8
_QUOTE_CHARS = 12  # of words found in one line; more than a name or a number
_SIGN = 2  # characters of the + or - before a changed line


def is_tight(steps: int, rows: int) -> bool:
    """Whether there is no room for anything between the steps."""
    return rows < steps * (_MIN_ROWS + 2)


def fit(
    steps: Sequence[Parts], pattern: re.Pattern[str] | None, width: int, rows: int
) -> list[Parts]:
    """The parts of each step, cut so that together they take about `rows` lines."""
    steps = [(_few(given, pattern, rows), _few(output, pattern, rows)) for given, output in steps]
    needs = [(_need(given, width), _height(output, width)) for given, output in steps]
    is_whole = all(_height(s[0], width) == n[0] for s, n in zip(steps, needs, strict=True))
    if is_whole and sum(map(sum, needs)) <= rows:
        return steps
    shares = deal([sum(both) for both in needs], rows)
    fitted: list[Parts] = []
    for (given, out), (need_given, need_out), share in zip(steps, needs, shares, strict=True):
        for_given = min(need_given, max(share // 2, share - need_out))
        some_given = _narrowed(given, pattern, width, for_given, from_start=True)
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


def hits(rows: Sequence[Row], pattern: re.Pattern[str] | None) -> list[int]:
    """Indexes of the rows worth keeping, the most telling first.

    First what must be seen, and among that what the advice quotes at length; then, in
    turns, lines with words of the advice that no line before has, and what else has weight.
    """
    weighty = [i for i, row in enumerate(rows) if weight_of(row)]
    weighty.sort(key=lambda i: -weight_of(rows[i]))
    musts = [i for i in weighty if weight_of(rows[i]) >= MUST]
    others = [i for i in weighty if weight_of(rows[i]) < MUST]
    wordy = _wordy(rows, pattern)
    quoted = [i for i, chars in wordy.items() if chars >= _QUOTE_CHARS][:1]
    order = [*musts, *quoted] if _is_change(rows) else [*quoted, *musts]
    for word, other in zip_longest(wordy, others):
        order += [i for i in (word, other) if i is not None]
    return list(dict.fromkeys(order))


def _wordy(rows: Sequence[Row], pattern: re.Pattern[str] | None) -> dict[int, int]:
    """Rows with words that `pattern` finds and no row before has, and how many characters."""
    found = {
        i: frozenset(pattern.findall(row.text))
        for i, row in enumerate(rows)
        if pattern and isinstance(row, Line)
    }
    seen: frozenset[str] = frozenset()
    wordy: dict[int, int] = {}
    while found:
        gains = {i: sum(map(len, words - seen)) for i, words in found.items()}
        # Of two that hold the same, the later one: what is announced first is told of then.
        best = max(gains, key=lambda i: (gains[i], weight_of(rows[i]), i))
        if not gains[best]:
            break
        wordy[best] = gains[best]
        seen |= found.pop(best)
    return wordy


def _few(rows: Sequence[Row], pattern: re.Pattern[str] | None, budget: int) -> Sequence[Row]:
    """Not more rows than could ever be shown: what follows measures every one of them."""
    return narrow(rows, hits(rows, pattern), lambda _: 1, budget=max(budget, _MIN_ROWS))


def _need(given: Sequence[Row], width: int) -> int:
    """Rows the input of a step may take at most."""
    whole = _height(given, width)
    return min(whole, _CHANGE_ROWS) if _is_change(given) else whole


def _is_change(rows: Sequence[Row]) -> bool:
    return any(isinstance(row, Line) and row.mark in CHANGED for row in rows)


def _narrowed(
    rows: Sequence[Row],
    pattern: re.Pattern[str] | None,
    width: int,
    budget: int,
    *,
    from_start: bool = False,
) -> Sequence[Row]:
    """Rows that take about `budget` lines of `width` cells; what is not looked for last.

    Of that the end is favoured, or with `from_start` the beginning.
    """
    if _height(rows, width) <= budget:
        return rows
    found = hits(rows, pattern)
    dull = {i for i, row in enumerate(rows) if isinstance(row, Line) and not _says(row)}
    others = range(len(rows)) if from_start else by_place(len(rows), len(rows))
    sought = sorted([*found, *others], key=dull.__contains__)
    if budget < _MIN_ROWS:
        together = max(1, min(budget, len(found)))
        lines = [i for i in dict.fromkeys(sought) if isinstance(rows[i], Line)][:together]
        return _closely(rows, sorted(lines), pattern, width, budget)
    most = _rows_of_line(budget, len(rows), len(found))
    short = [
        row if isinstance(row, Gap) else _shortened(row, pattern, width, most if _says(row) else 1)
        for row in rows
    ]
    return narrow(short, sought, lambda line: len(wrap(line.text, width)), budget=budget)


def _closely(
    rows: Sequence[Row],
    chosen: Sequence[int],
    pattern: re.Pattern[str] | None,
    width: int,
    budget: int,
) -> list[Row]:
    """The chosen lines in `budget` rows, the last one with the number of those left out."""
    others = sum(r.lines if isinstance(r, Gap) else 1 for r in rows)
    others -= len(chosen)
    shown: list[Row] = []
    for index in chosen:
        row = rows[index]
        told = f" … +{others}" if others and index == chosen[-1] else ""
        if isinstance(row, Line):
            short = _shortened(row, pattern, width - len(told), budget // len(chosen))
            shown.append(replace(short, text=short.text + told))
    return shown


def _rows_of_line(budget: int, lines: int, found: int) -> int:
    """How many rows one line may take, so that several found ones have room."""
    if lines == 1:
        return min(_MAX_ROWS_OF_LINE, budget)
    if budget <= _MIN_ROWS and not found:
        return 1
    each = (budget - 1) // max(min(found, _FOUND_TOGETHER), 1)
    return max(1, min(_MAX_ROWS_OF_LINE, each))


def _says(line: Line) -> bool:
    """Whether it is more than a blank line or a ruler."""
    return any(map(str.isalnum, line.text))


def _shortened(line: Line, pattern: re.Pattern[str] | None, width: int, rows: int) -> Line:
    """At most `rows` lines of a line, with the part in it that matters."""
    text = line.text
    spans = wrap(text, width)
    if len(spans) <= rows:
        return line
    begin, end = _focus(line, pattern, width)
    if end >= spans[rows - 1][1]:
        sign = text[:_SIGN] if line.mark in CHANGED else ""
        room = width * rows
        start = min(begin - room // 4, len(text) - room * 3 // 4)
        text = f"{sign}…{text[start:]}" if start > len(sign) else text
        spans = wrap(text, width)
        if len(spans) <= rows:
            return replace(line, text=text)
    begin = spans[rows - 1][0]
    last = text[begin:]
    last = set_cell_size(last, min(cell_len(last), width - 1)).rstrip() + "…"
    return replace(line, text=text[:begin] + last)


def _focus(line: Line, pattern: re.Pattern[str] | None, width: int) -> tuple[int, int]:
    """The part of a line that should be seen when not all of it can be."""
    place = _PLACE.match(line.text)
    message = place.end() if place else 0
    found = pattern.search(line.text) if pattern and not line.start else None
    if found and found.start() >= message:
        return found.span()
    begin = max(line.start, message)
    return begin, begin + width // 2


def _height(rows: Sequence[Row], width: int) -> int:
    return sum(1 if isinstance(row, Gap) else len(wrap(row.text, width)) for row in rows)
