"""Rows of a terminal screen: cells that can be written over, and the lines they make up."""

from __future__ import annotations

import re
from functools import lru_cache

TYPE_CHECKING = False  # as typing's, without loading typing beside a running program
if TYPE_CHECKING:
    from collections.abc import Sequence

_NARROW = (  # one cell each: letters, punctuation, the boxes and blocks of progress bars
    "\x20-\x7e\u00a0-\u02ff\u0370-\u0482\u2010-\u2027\u2030-\u205e\u2070-\u209c"
    "\u2190-\u2319\u2500-\u25fc\u2800-\u28ff\ufffd"
)
_WIDE = "\u3001-\u3029\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60"
SURE = _NARROW + _WIDE  # for a regular expression: characters that surely have cells of their own
_ALL_NARROW = re.compile(f"[{_NARROW}]*")
_MAX_CELL = 64  # characters in one cell; more is an attack on whoever has to copy them
_HANGUL_VOWELS = range(0x1160, 0x1200)  # they join the consonant before them
_SOFT_HYPHEN = "\u00ad"


@lru_cache(maxsize=4096)
def _width(character: str) -> int:
    import unicodedata  # a shared library of a megabyte: most output needs none of it

    category = unicodedata.category(character)
    if category in {"Mn", "Me"} or ord(character) in _HANGUL_VOWELS:
        return 0
    if category == "Cf" and character != _SOFT_HYPHEN:
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1


def cells_of(text: str) -> tuple[str, Sequence[str]]:
    """The marks a text begins with, which belong to the cell before it, and its cells.

    A cell is a character with the marks on it. A wide character takes two, the second
    of which is "".
    """
    if text.isascii() or _ALL_NARROW.fullmatch(text):
        return "", text
    cells = [""]  # the first is for marks without a character
    at = 0
    for character in text:
        width = _width(character)
        if width:
            at = len(cells)
            cells.append(character)
            if width > 1:
                cells.append("")
        elif len(cells[at]) < _MAX_CELL:
            cells[at] += character
    return cells[0], cells[1:]


class Row:
    """One row; `cells` holds what has been written to, from the left."""

    __slots__ = ("cells", "left", "wrapped")

    def __init__(self) -> None:
        self.cells: list[str] = []
        self.wrapped = False  # the line goes on in the next row
        self.left = False  # a line feed went through it, so that it is a line even when blank

    @property
    def text(self) -> str:
        return "".join(self.cells)

    def put(self, column: int, run: Sequence[str]) -> None:
        """Write cells from `column` on, over what is there."""
        cells = self.cells
        if column == len(cells):
            cells += run
            return
        self._pad(column)
        end = column + len(run)
        self._halve(column)
        self._halve(end)
        cells[column:end] = run

    def _pad(self, column: int) -> None:
        self.cells += [" "] * (column - len(self.cells))

    def _halve(self, column: int) -> None:
        """Blank a wide character that a cut before `column` goes through."""
        cells = self.cells
        if 0 < column < len(cells) and not cells[column]:
            cells[column - 1 : column + 1] = "  "

    def mark(self, column: int, marks: str) -> None:
        """Put combining marks on the character before `column`, which is 1 at least."""
        self._pad(column)
        cells = self.cells
        at = column - 1 if cells[column - 1] else column - 2
        cells[at] = (cells[at] + marks)[:_MAX_CELL]

    def cut(self, column: int) -> None:
        """Nothing stands from `column` on, and the line ends here."""
        self._halve(column)
        del self.cells[column:]
        self.wrapped = False

    def blank(self, start: int, end: int) -> None:
        """Erase from `start` up to `end`, exclusive."""
        if end >= len(self.cells):
            self.cut(start)
        else:
            self.put(start, " " * (end - start))

    def insert(self, column: int, count: int, limit: int) -> None:
        """Move what stands from `column` on to the right by `count` cells, up to `limit`."""
        if column < len(self.cells):
            self._halve(column)
            self.cells[column:column] = [" "] * count
            self._halve(limit)
            del self.cells[limit:]

    def delete(self, column: int, count: int) -> None:
        """Take `count` cells out at `column`; what stands behind them moves up."""
        self._halve(column)
        self._halve(column + count)
        del self.cells[column : column + count]
        self.wrapped = False

    def clear(self) -> None:
        """As if nothing had ever been written to it."""
        self.cells.clear()
        self.wrapped = self.left = False


class Lines:
    """Lines out of rows, from the top down: what a terminal wrapped is one line again."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._parts: list[str] = []

    @property
    def is_open(self) -> bool:
        """Whether the last row added goes on in the next."""
        return bool(self._parts)

    def add(self, row: Row) -> None:
        text = row.text
        if row.wrapped:
            self._parts.append(text)
        elif self._parts:
            self._parts.append(text)
            self.end_line()
        elif row.left or text.strip(" "):
            self.texts.append(text.rstrip(" "))

    def end_line(self) -> None:
        """What the rows added have begun ends here."""
        if self._parts:
            self.texts.append("".join(self._parts).rstrip(" "))
            self._parts.clear()
