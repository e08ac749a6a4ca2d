"""Secrets in columns: CSV, TSV, Markdown and SQL tables whose header names a secret. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from hindsight_cli.redact.names import meaning_of
from hindsight_cli.redact.spans import Hit
from hindsight_cli.redact.values import Level, is_secret

_ROWS = 500
_LINE_CHARS = 2_000


@lru_cache(maxsize=1)
def _header() -> re.Pattern[str]:
    # A cell and nothing else: a delimiter or the line's end follows, and comes before.
    return re.compile(
        r"^[^\n:=(){}\[\];]{0,1000}?(?:^|[,|\t;])[ \t\"']*[\w. -]{0,40}?"
        r"(?:passw(?:or)?d|passphrase|secret|token|api[ _-]?key|access[ _-]?key|private[ _-]?key|pwd|credential)"
        r"[\w. -]{0,20}[ \t\"']*(?:[,|\t;]|\r?$)[^\n:=(){}\[\]]{0,1000}$",
        re.MULTILINE,
    )


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
    wanted = {i: meaning for i, cell in enumerate(cells) if (meaning := meaning_of(cell)).level and len(cell) < 40}
    if not wanted or len(cells) < 2:
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
            level = min(meaning.level, Level.SECRET) if cell.isalpha() else meaning.level
            if is_secret(cell, level):
                yield Hit(line + offset, line + offset + len(cell), meaning.kind)


def _cells(line: str, delimiter: str) -> Iterator[tuple[int, str]]:
    """Each cell without its quotes and spaces, and where in the line it starts."""
    at = 0
    for raw in line.split(delimiter):
        bare = raw.strip(" \t\r\"'`*")
        yield at + (raw.find(bare) if bare else 0), bare
        at += len(raw) + 1
