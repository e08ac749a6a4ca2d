"""Which lines of a Qwen Code chat a person took back."""

from __future__ import annotations

from pathlib import Path

from hindsight_cli.capture.formats.jsonlines_reader import Record, holds_word, read_json_lines


def abandoned_lines(path: Path) -> frozenset[int]:
    """The lines between a `rewind` record and the record it goes back to.

    A `rewind` follows what it keeps, by its parent link. One whose parent the file does
    not hold takes back nothing: a lost line is no reason to doubt all others.
    """
    if not holds_word(path, b'"rewind"'):
        return frozenset()
    line_of: dict[str, int] = {}
    abandoned: set[int] = set()
    for item in read_json_lines(path):
        value = item.value if isinstance(item, Record) else None
        if not isinstance(value, dict):
            continue
        uuid, parent = value.get("uuid"), value.get("parentUuid")
        if value.get("type") == "system" and value.get("subtype") == "rewind":
            kept = 0 if parent is None else line_of.get(str(parent), item.line)
            abandoned.update(range(kept + 1, item.line))
        if isinstance(uuid, str):
            line_of[uuid] = item.line
    return frozenset(abandoned)
