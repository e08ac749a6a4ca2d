"""Secrets in columns: CSV, TSV, Markdown and SQL tables whose header names a secret. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from hindsight_cli.redact.levels import Level
from hindsight_cli.redact.names import IN_QUERY, Meaning, meaning_of
from hindsight_cli.redact.spans import Hit
from hindsight_cli.redact.values import is_secret

_ROWS = 500
_ROWS_IN_VAIN = 20  # rows without a secret after which the header was none
_LINE_CHARS = 2_000
_CELL_CHARS = 40
_CELL_SPACES = 3
_DELIMITERS = "|\t,;"
_PROSE = frozenset("=(){}[]:*/<>")


class Table:
    """Looks below header lines of one text, each line once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._done = -1

    def below(self, start: int, end: int) -> list[Hit]:
        """Secrets in the columns of the header line that has a name at `start:end`."""
        text = self._text
        if start <= self._done:
            return []
        line = text.rfind("\n", max(0, start - _LINE_CHARS), start) + 1
        stop = text.find("\n", end, line + _LINE_CHARS)
        self._done = stop if stop >= 0 else end
        if stop < 0:
            return []
        header = text[line:stop]
        delimiter = next((mark for mark in _DELIMITERS if mark in header), None)
        if delimiter is None or not _PROSE.isdisjoint(header):
            return []
        cells = [cell for _, cell in _cells(header, delimiter)]
        if any(len(cell) > _CELL_CHARS or cell.count(" ") > _CELL_SPACES for cell in cells):
            return []
        meanings = ((index, meaning_of(cell)) for index, cell in enumerate(cells))
        named = {i: said for i, said in meanings if said.level and said.kind != IN_QUERY}
        if not named or "" in cells[1:-1] or sum(map(bool, cells)) <= 1:
            return []
        return list(self._rows(stop, delimiter, len(cells), named))

    def _rows(self, end: int, mark: str, width: int, named: dict[int, Meaning]) -> Iterator[Hit]:
        text, in_vain = self._text, 0
        for _ in range(_ROWS):
            line, end = end + 1, text.find("\n", end + 1, end + _LINE_CHARS)
            end = len(text) if end < 0 else end
            self._done = line  # a row is no header
            if line >= end or end - line > _LINE_CHARS:
                return
            if not set(text[line:end]) - set("-+|: \r"):
                continue  # the rule below a header
            row = list(_cells(text[line:end], mark))
            if len(row) != width or in_vain >= _ROWS_IN_VAIN:
                return
            in_vain += 1
            for index, meaning in named.items():
                offset, cell = row[index]
                if _is_cell_secret(cell, meaning):
                    in_vain = 0
                    yield Hit(line + offset, line + offset + len(cell), meaning.kind)


def _is_cell_secret(cell: str, meaning: Meaning) -> bool:
    if is_secret(cell, min(meaning.level, Level.SECRET)):
        return True
    digits = any(char.isdigit() for char in cell)
    return meaning.level is Level.PASSWORD and digits and is_secret(cell, meaning.level)


def _cells(line: str, delimiter: str) -> Iterator[tuple[int, str]]:
    """Each cell without its quotes and spaces, and where in the line it starts."""
    at = 0
    for raw in line.split(delimiter):
        bare = raw.strip(" \t\r\"'`*")
        yield at + (raw.find(bare) if bare else 0), bare
        at += len(raw) + 1
