"""One row of a terminal screen: cells that can be written over, and the text in them."""

from __future__ import annotations

import re
from functools import lru_cache

TYPE_CHECKING = False  # as typing's, without loading typing beside a running program
if TYPE_CHECKING:
    from collections.abc import Sequence

# Every character here takes one cell: Latin, Greek and Cyrillic letters, punctuation,
# arrows, the boxes, blocks and braille of progress bars. All others are looked up.
_NARROW = re.compile(
    "[\x20-\x7e\u00a0-\u02ff\u0370-\u0482\u2010-\u2027\u2030-\u205e\u2070-\u209c"
    "\u2190-\u2319\u2500-\u25fc\u2800-\u28ff\ufffd]*"
)
_MAX_MARKS = 1000  # on one cell; more is an attack on whoever has to move them about
_HANGUL_VOWELS = range(0x1160, 0x1200)  # they join the consonant before them
_SOFT_HYPHEN = "\u00ad"


def is_narrow(text: str) -> bool:
    """Whether every character of a text surely takes one cell."""
    return text.isascii() or _NARROW.fullmatch(text) is not None


@lru_cache(maxsize=4096)
def _width(character: str) -> int:
    import unicodedata  # a shared library of a megabyte: most output needs none of it

    category = unicodedata.category(character)
    if category in {"Mn", "Me"} or ord(character) in _HANGUL_VOWELS:
        return 0
    if category == "Cf" and character != _SOFT_HYPHEN:
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1


def cells_of(text: str) -> tuple[str, list[str]]:
    """The marks a text begins with, which belong to the cell before it, and its cells.

    A cell is a character with the marks on it. A wide character takes two, the second
    of which is "".
    """
    cells: list[str] = []
    marks: list[str] = []  # on the last character; joined once, so that many are cheap
    leading = ""
    for character in text:
        width = _width(character)
        if not width:
            marks.append(character)
            continue
        if marks:
            leading = _put_marks(cells, marks) or leading
            marks = []
        cells.append(character)
        if width > 1:
            cells.append("")
    if marks:
        leading = _put_marks(cells, marks) or leading
    return leading, cells


def _put_marks(cells: list[str], marks: list[str]) -> str:
    """Join marks to the last character of `cells`; where there is none, return them."""
    joined = "".join(marks[:_MAX_MARKS])
    if not cells:
        return joined
    cells[-1 if cells[-1] else -2] += joined
    return ""


class Row:
    """A row: as a string while every character takes one cell, else as a list of cells."""

    __slots__ = ("_cells", "_text", "given", "left", "wrapped")

    def __init__(self) -> None:
        self._text = ""
        self._cells: list[str] | None = None
        self.wrapped = False  # the line goes on in the next row
        self.left = False  # a line feed went through it, so that it is a line even when blank
        self.given: str | None = None  # its text when it was last handed out

    @property
    def text(self) -> str:
        return self._text if self._cells is None else "".join(self._cells)

    @property
    def width(self) -> int:
        """How many cells, from the left, have been written to."""
        return len(self._text) if self._cells is None else len(self._cells)

    def is_blank(self) -> bool:
        return not self.text.strip(" ")

    def put(self, column: int, run: str | Sequence[str]) -> None:
        """Write cells from `column` on, over what is there. A string is of narrow characters."""
        if self._cells is not None or not isinstance(run, str):
            self._put_cells(column, run)
            return
        text = self._text
        size = len(text)
        if column == size:
            self._text = text + run
        elif column > size:
            self._text = text + " " * (column - size) + run
        else:
            self._text = text[:column] + run + text[column + len(run) :]

    def _put_cells(self, column: int, run: Sequence[str]) -> None:
        cells = self._padded(column)
        self._halve(column)
        self._halve(column + len(run))
        cells[column : column + len(run)] = run

    def _padded(self, column: int) -> list[str]:
        """The cells, at least `column` of them."""
        if self._cells is None:
            self._cells = list(self._text)
        self._cells += [" "] * (column - len(self._cells))
        return self._cells

    def _halve(self, column: int) -> None:
        """Blank a wide character that a cut before `column` goes through."""
        cells = self._cells
        if cells is not None and 0 < column < len(cells) and not cells[column]:
            cells[column - 1 : column + 1] = "  "

    def mark(self, column: int, marks: str) -> None:
        """Put combining marks on the character before `column`, which is 1 at least."""
        cells = self._padded(column)
        at = column - 1 if cells[column - 1] else column - 2
        if len(cells[at]) < _MAX_MARKS:
            cells[at] += marks

    def erase(self, start: int, end: int) -> None:
        """Blank the cells from `start` up to `end`, exclusive."""
        width = self.width
        if end >= width:
            self._halve(start)
            self.wrapped = False
            self._cut(start)
        elif start < end:
            self.put(start, " " * (end - start))

    def _cut(self, width: int) -> None:
        if self._cells is None:
            self._text = self._text[:width]
        else:
            del self._cells[width:]

    def insert(self, column: int, count: int, limit: int) -> None:
        """Move what stands from `column` on to the right by `count` cells, up to `limit`."""
        if column < self.width:
            self._halve(column)
            if self._cells is None:
                self._text = self._text[:column] + " " * count + self._text[column:]
            else:
                self._cells[column:column] = [" "] * count
            self._halve(limit)
            self._cut(limit)

    def delete(self, column: int, count: int) -> None:
        """Take `count` cells out at `column`; what stands behind them moves up."""
        self._halve(column)
        self._halve(column + count)
        if self._cells is None:
            self._text = self._text[:column] + self._text[column + count :]
        else:
            del self._cells[column : column + count]
        self.wrapped = False

    def clear(self) -> None:
        """As if nothing had ever been written to it; what was handed out is remembered."""
        self._text, self._cells = "", None
        self.wrapped = self.left = False
