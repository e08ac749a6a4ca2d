"""Secrets in columns: CSV, TSV, Markdown and SQL tables whose header names a secret. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from hindsight_cli.redact.names import meaning_of
from hindsight_cli.redact.spans import Hit
from hindsight_cli.redact.levels import Level
from hindsight_cli.redact.values import is_secret

_ROWS = 500
_LINE_CHARS = 2_000
_CELL_CHARS = 40


def find_tables(text: str, low: str) -> Iterator[Hit]:
    """Cells below a header such as `Secret access key` or `password`."""
    for word in ("secret", "passw", "token", "key"):
        at = low.find(word)
        while at >= 0:
            line = low.rfind("\n", 0, at) + 1
            end = low.find("\n", at)
            if end < 0:
                break
            if end - line <= _LINE_CHARS:
                yield from _below(text, line, end)
            at = low.find(word, end)


def _below(text: str, line: int, end: int) -> Iterator[Hit]:
    header = text[line:end]
    delimiter = next((d for d in ("|", "\t", ",", ";") if d in header), None)
    if delimiter is None or any(mark in header for mark in "=(){}[]:"):
        return
    cells = [cell for _, cell in _cells(header, delimiter)]
    if any(len(cell) > _CELL_CHARS or cell.count(" ") > 3 for cell in cells) or "" in cells[1:-1]:
        return
    wanted = {i: meaning for i, cell in enumerate(cells) if (meaning := meaning_of(cell)).level}
    if not wanted or sum(bool(cell) for cell in cells) < 2:
        return
    for _ in range(_ROWS):
        line, end = end + 1, text.find("\n", end + 1)
        end = len(text) if end < 0 else end
        row = list(_cells(text[line:end], delimiter)) if end - line <= _LINE_CHARS else []
        if not set(text[line:end]) - set("-+|: "):
            if end >= len(text) or line >= end:
                return
            continue
        if len(row) != len(cells):
            return
        for index, meaning in wanted.items():
            offset, cell = row[index]
            if is_secret(cell, min(meaning.level, Level.SECRET)) or (
                meaning.level is Level.PASSWORD and any(map(str.isdigit, cell)) and is_secret(cell, meaning.level)
            ):
                yield Hit(line + offset, line + offset + len(cell), meaning.kind)


def _cells(line: str, delimiter: str) -> Iterator[tuple[int, str]]:
    """Each cell without its quotes and spaces, and where in the line it starts."""
    at = 0
    for raw in line.split(delimiter):
        bare = raw.strip(" \t\r\"'`*")
        yield at + (raw.find(bare) if bare else 0), bare
        at += len(raw) + 1
