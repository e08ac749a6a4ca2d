"""The part of a terminal that can still change: rows, a cursor, what control sequences do.

Rows grow downwards from the first; those that scroll off the top are added to `past`.
Every count a program asks for is cut to the size of the screen, so that no sequence
costs more than a screen's worth of work.
"""

from __future__ import annotations

from hindsight_cli.capture.screen_row import Lines, Row, cells_of

TYPE_CHECKING = False  # as typing's, without loading typing beside a running program
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

MAX_COLUMNS = 1_000
MAX_ROWS = 500
_USUAL_COLUMNS, _USUAL_ROWS = 80, 24  # of a terminal that says its size is nothing
_TAB = 8
_ALL = 2  # of what to erase: the whole screen
_MAX_FRAME_ROWS = 10  # of a progress line wider than the screen
_LIKENESS_CHARS = 12  # of two of its frames, the beginnings are compared


class Grid:
    """The screen as it stands, `rows` high at most."""

    def __init__(self, columns: int, rows: int, past: Lines) -> None:
        self.lines: list[Row] = [Row()]
        self.x = self.y = 0  # x == columns: the next character opens a new row
        self.wraps = True
        self.inserts = False
        self._past = past
        self._last = ""  # the character that REP repeats
        self._frame: tuple[Row, str, list[Row]] | None = None  # see `carriage_return`
        self._saved = (0, 0)
        self.resize(columns, rows)

    def resize(self, columns: int, rows: int) -> None:
        self.columns = min(max(columns or _USUAL_COLUMNS, 2), MAX_COLUMNS)
        self.rows = min(max(rows or _USUAL_ROWS, 1), MAX_ROWS)
        self._top, self._bottom = 0, self.rows - 1  # the scrolling region
        while len(self.lines) > self.rows:
            if self.y < len(self.lines) - 1 and _is_unused(self.lines[-1]):
                self.lines.pop()
            else:
                self._past.add(self.lines.pop(0))
                self.y = max(self.y - 1, 0)
        self.x = min(self.x, self.columns)

    @property
    def row(self) -> Row:
        return self.lines[self.y]

    def is_at_fresh_line(self) -> bool:
        """Whether lines written from here on need no cursor: they just follow each other."""
        if self.x or self._top or self._bottom < self.rows - 1 or self.inserts or not self.wraps:
            return False
        continues = self.lines[self.y - 1].wrapped if self.y else self._past.is_open
        return not continues and all(map(_is_unused, self.lines[self.y :]))

    def scroll_all(self) -> None:
        """Scroll off every row above the cursor, as more lines than the screen has would."""
        for row in self.lines[: self.y]:
            self._past.add(row)
        self.lines = [Row()]
        self.y = 0
        self._last = ""

    def write(self, text: str) -> None:
        """Write a run without control characters at the cursor."""
        marks, cells = cells_of(text)
        if marks and self.x:
            self.row.mark(self.x, marks)
        elif marks:  # nothing stands before them
            cells = [marks, *cells]
        if cells:
            self._write_cells(cells)
            self._last = (cells[-1] or cells[-2])[0]

    def _write_cells(self, cells: Sequence[str]) -> None:
        at = 0
        while at < len(cells):
            is_wide = at + 1 < len(cells) and not cells[at + 1]
            if self.x + is_wide >= self.columns:
                if self.wraps:
                    self._wrap()
                else:  # each replaces the last one
                    self.x = self.columns - 1 - is_wide
            end = at + self.columns - self.x
            if end < len(cells) and not cells[end]:  # half of a wide character
                end -= 1
            self._put(cells[at:end])
            at = end

    def _put(self, run: Sequence[str]) -> None:
        row = self.row
        if self.inserts:
            row.insert(self.x, len(run), self.columns)
        row.put(self.x, run)
        self.x += len(run)
        if self.x >= self.columns:
            row.wrapped = False  # until the next character

    def _wrap(self) -> None:
        self.end_frame()
        self.row.wrapped = True
        self.down()
        self.x = 0

    def repeat(self, count: int) -> None:
        """Write the last character again, a row's worth at most."""
        if self._last:
            self.write(self._last * min(count, self.columns))

    def carriage_return(self) -> None:
        """Go to the row's beginning, and watch for a progress line wider than the screen.

        Programs that do not know the width draw their next frame from here although
        the line began rows above. When what they write looks like what stands there,
        `end_frame` takes the old beginning away.
        """
        self.end_frame()
        self.x = 0
        first = self.y
        while self.y - first < _MAX_FRAME_ROWS and first and self.lines[first - 1].wrapped:
            first -= 1
        text = self.row.text if first < self.y else ""
        if text.strip(" "):  # else a line editor has only made sure of a new row
            self._frame = (self.row, text, self.lines[first : self.y])

    def end_frame(self) -> None:
        """Judge what was written since the last carriage return, if the cursor stayed there."""
        frame, self._frame = self._frame, None
        if frame is None:
            return
        row, before, above = frame
        after = row.text
        if row is self.row and after != before and _alike(above[0].text, after):
            for old in above:
                old.clear()

    def _unlink(self) -> None:
        """The row the cursor is in continues no other."""
        if self.y:
            self.lines[self.y - 1].wrapped = False
        else:
            self._past.end_line()

    def newline(self) -> None:
        self.line_feed()
        self.x = 0

    def line_feed(self) -> None:
        """One row down, and a line has ended; the column stays."""
        self.end_frame()
        self.row.left = True
        self._last = ""
        self.down()

    def down(self) -> None:
        """One row down, scrolling at the bottom; the column stays."""
        if self.y == self._bottom:
            self.scroll_up(1)
        elif self.y < self.rows - 1:
            self.y += 1
            self._pad(self.y)

    def up(self) -> None:
        """One row up, scrolling at the top; the column stays."""
        if self.y == self._top:
            self.scroll_down(1)
        else:
            self.y = max(self.y - 1, 0)

    def _pad(self, y: int) -> None:
        while len(self.lines) <= y:
            self.lines.append(Row())

    def move_rows(self, count: int) -> None:
        inside = self._top <= self.y <= self._bottom
        low, high = (self._top, self._bottom) if inside else (0, self.rows - 1)
        self.y = min(max(self.y + count, low), high)
        self._pad(self.y)

    def move_lines(self, count: int) -> None:
        self.move_rows(count)
        self.x = 0

    def move_columns(self, count: int) -> None:
        self.to_column(min(self.x, self.columns - 1) + count)

    def to_column(self, x: int) -> None:
        self.x = min(max(x, 0), self.columns - 1)

    def to_row(self, y: int) -> None:
        self.y = min(max(y, 0), self.rows - 1)
        self._pad(self.y)

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
        """Below the cursor (0), above it (1) or everywhere (2)."""
        if mode == 0:
            self.erase_line(0)
            cleared = self.lines[self.y + 1 :]
        elif mode == 1:
            self.erase_line(1)
            cleared = self.lines[: self.y]
        else:
            cleared = self.lines if mode == _ALL else []
        if cleared and cleared[0] is self.lines[0]:
            self._past.end_line()
        for row in cleared:
            row.clear()

    def erase_line(self, mode: int) -> None:
        """Right of the cursor (0), left of it (1) or everywhere (2).

        Behind the last column there is nothing: a full row keeps its last character.
        """
        if mode == 1:
            self.row.blank(0, self.x + 1)
        else:
            self.row.cut(self.x if mode == 0 else 0)
        if not self.row.cells:
            self._unlink()

    def erase_characters(self, count: int) -> None:
        self.row.blank(self.x, min(self.x + count, self.columns))

    def insert_characters(self, count: int) -> None:
        self.row.insert(self.x, min(count, self.columns - self.x), self.columns)

    def delete_characters(self, count: int) -> None:
        self.row.delete(self.x, min(count, self.columns - self.x))

    def insert_lines(self, count: int) -> None:
        if self._top <= self.y <= self._bottom:
            self._unlink()
            self._shift_down(self.y, count)
            self.x = 0

    def delete_lines(self, count: int) -> None:
        if self._top <= self.y <= self._bottom:
            self._unlink()
            self._shift_up(self.y, count)
            self.x = 0

    def scroll_up(self, count: int) -> None:
        gone = self._shift_up(self._top, count)
        if not self._top:
            for row in gone:
                self._past.add(row)

    def scroll_down(self, count: int) -> None:
        self._shift_down(self._top, count)

    def _shift_up(self, top: int, count: int) -> list[Row]:
        """Move the scrolling region's rows up onto those from `top` on, which are returned."""
        self._pad(self._bottom)
        count = min(count, self._bottom - top + 1)
        gone = self.lines[top : top + count]
        del self.lines[top : top + count]
        self._open(self._bottom + 1 - count, count)
        return gone

    def _shift_down(self, top: int, count: int) -> None:
        self._pad(self._bottom)
        count = min(count, self._bottom - top + 1)
        del self.lines[self._bottom + 1 - count : self._bottom + 1]
        self._open(top, count)

    def _open(self, y: int, count: int) -> None:
        self.lines[y:y] = [Row() for _ in range(count)]

    def set_region(self, top: int, bottom: int) -> None:
        """Scroll only the rows from `top` to `bottom`, counted from 1; 0 is the screen's edge."""
        last = min(bottom or self.rows, self.rows) - 1
        if max(top - 1, 0) < last:
            self._top, self._bottom = max(top - 1, 0), last
            self.to(0, 0)

    def reset(self) -> None:
        self.erase_display(_ALL)
        self._top, self._bottom = 0, self.rows - 1
        self.wraps, self.inserts = True, False
        self.to(0, 0)


def _is_unused(row: Row) -> bool:
    return not (row.left or row.wrapped or row.cells)


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
