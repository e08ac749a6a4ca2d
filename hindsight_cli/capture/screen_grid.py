"""The part of a terminal that can still change: rows, a cursor, what control sequences do.

Rows grow downwards from the first; what scrolls off the top is handed to a sink.
Every count a program asks for is cut to the size of the screen, so that no sequence
costs more than a screen's worth of work.
"""

from __future__ import annotations

from hindsight_cli.capture.screen_row import Row, cells_of, is_narrow

TYPE_CHECKING = False  # as typing's, without loading typing beside a running program
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Protocol

    class Sink(Protocol):
        """Where rows go that scroll off the top."""

        def add(self, row: Row) -> None: ...

        def end_line(self) -> None:
            """What was added ends here, though its last row goes on."""

        def disown(self) -> None:
            """What was added of a line that has not ended was an old frame of a progress line."""


MAX_COLUMNS = 10_000
MAX_ROWS = 1_000
_TAB = 8
_LIKENESS_CHARS = 12  # of two frames of a progress line, the beginnings are compared


class Nowhere:
    """The sink of an alternate screen, which has no past."""

    def add(self, row: Row) -> None:
        pass

    def end_line(self) -> None:
        pass

    def disown(self) -> None:
        pass


class Grid:
    """The screen as it stands, `rows` high at most; what scrolls off goes to `sink`."""

    def __init__(self, columns: int, rows: int, sink: Sink) -> None:
        self.lines: list[Row] = [Row()]
        self.x = self.y = 0  # x == columns: the next character opens a new row
        self.wraps = True
        self.inserts = False
        self._sink = sink
        self._last = ""  # the character that REP repeats
        self._restarted = self._rewritten = self._erased = False  # see `carriage_return`
        self._saved = (0, 0)
        self.resize(columns, rows)

    def resize(self, columns: int, rows: int) -> None:
        self.end_frame()
        self.columns = min(max(columns, 2), MAX_COLUMNS)
        self.rows = min(max(rows, 1), MAX_ROWS)
        self._top, self._bottom = 0, self.rows - 1  # the scrolling region
        while len(self.lines) > self.rows:
            if self.y < len(self.lines) - 1 and _is_unused(self.lines[-1]):
                self.lines.pop()
            else:
                self._sink.add(self.lines.pop(0))
                self.y = max(self.y - 1, 0)
        self.x = min(self.x, self.columns)

    @property
    def row(self) -> Row:
        return self.lines[self.y]

    def is_at_fresh_line(self) -> bool:
        """Whether lines written from here on need no cursor: they just follow each other."""
        if self.x or self._top or self._bottom < self.rows - 1 or self.inserts or not self.wraps:
            return False
        if self.y and self.lines[self.y - 1].wrapped:
            return False
        return all(map(_is_unused, self.lines[self.y :]))

    def scroll_all(self) -> None:
        """Scroll off every row above the cursor, as more lines than the screen has would."""
        for row in self.lines[: self.y]:
            self._sink.add(row)
        self.lines = [Row()]
        self.y = 0

    def write(self, text: str) -> None:
        """Write a run without control characters at the cursor."""
        if is_narrow(text):
            self._write_cells(text)
            self._last = text[-1]
            return
        marks, cells = cells_of(text)
        if marks and self.x:
            self.row.mark(self.x, marks)
        elif marks:  # nothing stands before them
            cells.insert(0, marks)
        if cells:
            self._write_cells(cells)
            self._last = cells[-1] or cells[-2]

    def _write_cells(self, run: str | list[str]) -> None:
        if not self.wraps:
            run = self._fitted(run)
        at = 0
        while at < len(run):
            if self.x >= self.columns:
                self._wrap()
            end = min(at + self.columns - self.x, len(run))
            if end < len(run) and not run[end]:  # a wide character needs two cells
                end -= 1
            if end > at:
                self._put(run[at:end])
            if end < len(run):
                self.x = self.columns
            at = end

    def _put(self, piece: str | list[str]) -> None:
        row = self.row
        if self.inserts:
            row.insert(self.x, len(piece), self.columns)
        row.put(self.x, piece)
        self.x += len(piece)
        if self.x >= self.columns:
            row.wrapped = False  # until the next character
        self._rewritten = self._restarted

    def _fitted(self, run: str | list[str]) -> list[str]:
        """A run that stops at the margin: each character there replaces the last."""
        self.x = min(self.x, self.columns - 1)
        room = self.columns - self.x
        cells = list(run)
        return cells if len(cells) <= room else [*cells[: room - 1], cells[-1] or " "]

    def _wrap(self) -> None:
        self.end_frame()
        self.row.wrapped = True
        self._down()
        self.x = 0

    def repeat(self, count: int) -> None:
        """Write the last character again, a row's worth at most."""
        if self._last:
            self.write(self._last * min(count, self.columns))

    def forget_last(self) -> None:
        self._last = ""

    def carriage_return(self) -> None:
        """Go to the row's beginning, and watch for a progress line wider than the screen.

        Programs that do not know the width draw their next frame from here although
        the line began rows above. When what they write looks like what stands there,
        `end_frame` takes the old beginning away.
        """
        self.end_frame()
        self.x = 0
        self._restarted = self.y > 0 and self.lines[self.y - 1].wrapped and not self.row.is_blank()

    def end_frame(self) -> None:
        """Judge what was written since the last carriage return; before the cursor leaves it."""
        rewritten, erased = self._rewritten, self._erased
        self._restarted = self._rewritten = self._erased = False
        first = self.y
        while rewritten and first and self.lines[first - 1].wrapped:
            first -= 1
        if erased and not rewritten:
            self._unlink()
        elif rewritten and _alike(self.lines[first].text, self.row.text):
            for row in self.lines[first : self.y]:
                row.clear()
            if not first:
                self._sink.disown()
        elif erased:
            self._unlink()

    def _unlink(self) -> None:
        """The row the cursor is in continues no other."""
        if self.y:
            self.lines[self.y - 1].wrapped = False
        else:
            self._sink.end_line()

    def newline(self) -> None:
        self.end_frame()
        self.row.left = True
        self._down()
        self.x = 0

    def _down(self) -> None:
        if self.y == self._bottom:
            self.scroll_up(1)
        elif self.y < self.rows - 1:
            self.y += 1
            self._pad()

    def down(self) -> None:
        """One row down, scrolling at the bottom; the column stays."""
        self.end_frame()
        self._down()

    def up(self) -> None:
        """One row up, scrolling at the top; the column stays."""
        self.end_frame()
        if self.y == self._top:
            self.scroll_down(1)
        else:
            self.y = max(self.y - 1, 0)

    def _pad(self, y: int | None = None) -> None:
        last = self.y if y is None else y
        while len(self.lines) <= last:
            self.lines.append(Row())

    def move_rows(self, count: int) -> None:
        self.end_frame()
        inside = self._top <= self.y <= self._bottom
        low, high = (self._top, self._bottom) if inside else (0, self.rows - 1)
        self.y = min(max(self.y + count, low), high)
        self._pad()

    def move_lines(self, count: int) -> None:
        self.move_rows(count)
        self.x = 0

    def move_columns(self, count: int) -> None:
        self.to_column(min(self.x, self.columns - 1) + count)

    def to_column(self, x: int) -> None:
        self.x = min(max(x, 0), self.columns - 1)

    def to_row(self, y: int) -> None:
        self.end_frame()
        self.y = min(max(y, 0), self.rows - 1)
        self._pad()

    def to(self, y: int, x: int) -> None:
        self.to_row(y)
        self.to_column(x)

    def tab(self, count: int) -> None:
        """Forward, or back where `count` is negative, to a multiple of eight."""
        if self.x >= self.columns:
            return  # the next character opens a row, after a tab as well
        stop = self.x // _TAB if count > 0 else -(-self.x // _TAB)
        self.to_column((stop + count) * _TAB)

    def save_cursor(self) -> None:
        self._saved = (self.y, self.x)

    def restore_cursor(self) -> None:
        self.to(*self._saved)

    def erase_display(self, mode: int) -> None:
        if mode == 0:
            self.erase_line(0)
            cleared = self.lines[self.y + 1 :]
        elif mode == 1:
            self.erase_line(1)
            cleared = self.lines[: self.y]
        else:  # 3 takes what has scrolled off; that was seen, so it is kept
            cleared = self.lines if mode == 2 else []  # noqa: PLR2004
        if cleared and cleared[0] is self.lines[0]:
            self._sink.end_line()
        for row in cleared:
            row.clear()

    def erase_line(self, mode: int) -> None:
        # Behind the last column there is nothing: a full row keeps its last character.
        start = self.x if mode == 0 else 0
        end = self.x + 1 if mode == 1 else self.columns
        self.row.erase(start, end)
        if self._restarted:
            self._erased = self._erased or not self.row.width
        elif not self.row.width:
            self._unlink()

    def erase_characters(self, count: int) -> None:
        self.row.erase(self.x, min(self.x + count, self.columns))

    def insert_characters(self, count: int) -> None:
        self.row.insert(self.x, min(count, self.columns - self.x), self.columns)

    def delete_characters(self, count: int) -> None:
        self.row.delete(self.x, min(count, self.columns - self.x))

    def insert_lines(self, count: int) -> None:
        if self._top <= self.y <= self._bottom:
            self._scroll_down(self.y, count)
            self.x = 0

    def delete_lines(self, count: int) -> None:
        if self._top <= self.y <= self._bottom:
            self._pad(self._bottom)
            for _ in range(min(count, self._bottom - self.y + 1)):
                del self.lines[self.y]
                self.lines.insert(self._bottom, Row())
            self.x = 0

    def scroll_up(self, count: int) -> None:
        self.end_frame()
        self._pad(self._bottom)
        for _ in range(min(count, self.rows)):
            row = self.lines.pop(self._top)
            if not self._top:
                self._sink.add(row)
            self.lines.insert(self._bottom, Row())

    def scroll_down(self, count: int) -> None:
        self._scroll_down(self._top, count)

    def _scroll_down(self, top: int, count: int) -> None:
        self.end_frame()
        self._pad(self._bottom)
        for _ in range(min(count, self._bottom - top + 1)):
            del self.lines[self._bottom]
            self.lines.insert(top, Row())

    def set_region(self, top: int, bottom: int) -> None:
        """Scroll only the rows from `top` to `bottom`, counted from 1; 0 is the screen's edge."""
        last = min(bottom or self.rows, self.rows) - 1
        if max(top - 1, 0) < last:
            self._top, self._bottom = max(top - 1, 0), last
            self.to(0, 0)

    def reset(self) -> None:
        self.erase_display(2)
        self._top, self._bottom = 0, self.rows - 1
        self.wraps, self.inserts = True, False
        self.to(0, 0)


def _is_unused(row: Row) -> bool:
    return not row.left and not row.width


def _alike(before: str, after: str) -> bool:
    """Whether two texts begin alike enough to be frames of one progress line."""
    pairs = list(zip(before[:_LIKENESS_CHARS], after[:_LIKENESS_CHARS], strict=False))
    return 2 * sum(a == b for a, b in pairs) > len(pairs)


# Final character of a CSI sequence -> what it does with its first two numbers, 0 if not given.
CONTROLS: Mapping[str, Callable[[Grid, int, int], object]] = {
    "A": lambda grid, n, _: grid.move_rows(-(n or 1)),
    "B": lambda grid, n, _: grid.move_rows(n or 1),
    "e": lambda grid, n, _: grid.move_rows(n or 1),
    "C": lambda grid, n, _: grid.move_columns(n or 1),
    "a": lambda grid, n, _: grid.move_columns(n or 1),
    "D": lambda grid, n, _: grid.move_columns(-(n or 1)),
    "E": lambda grid, n, _: grid.move_lines(n or 1),
    "F": lambda grid, n, _: grid.move_lines(-(n or 1)),
    "G": lambda grid, n, _: grid.to_column(n - 1),
    "`": lambda grid, n, _: grid.to_column(n - 1),
    "d": lambda grid, n, _: grid.to_row(n - 1),
    "H": lambda grid, n, m: grid.to(n - 1, m - 1),
    "f": lambda grid, n, m: grid.to(n - 1, m - 1),
    "I": lambda grid, n, _: grid.tab(n or 1),
    "Z": lambda grid, n, _: grid.tab(-(n or 1)),
    "J": lambda grid, n, _: grid.erase_display(n),
    "K": lambda grid, n, _: grid.erase_line(n),
    "X": lambda grid, n, _: grid.erase_characters(n or 1),
    "@": lambda grid, n, _: grid.insert_characters(n or 1),
    "P": lambda grid, n, _: grid.delete_characters(n or 1),
    "L": lambda grid, n, _: grid.insert_lines(n or 1),
    "M": lambda grid, n, _: grid.delete_lines(n or 1),
    "S": lambda grid, n, _: grid.scroll_up(n or 1),
    "T": lambda grid, n, _: grid.scroll_down(n or 1),
    "b": lambda grid, n, _: grid.repeat(n or 1),
    "r": lambda grid, n, m: grid.set_region(n, m),
    "s": lambda grid, _n, _m: grid.save_cursor(),
    "u": lambda grid, _n, _m: grid.restore_cursor(),
}
