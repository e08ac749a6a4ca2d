"""The words that software people use for one thing, and for its neighbours.

Source: glossary.txt beside this file, general vocabulary in English and Chinese.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hindsight_cli.retrieve.tokens import words


def entries() -> Iterator[tuple[str, int, int, str]]:
    """(key, group, 1 for a synonym or 0 for a neighbour, name as people read it)."""
    text = Path(__file__).with_name("glossary.txt").read_text(encoding="utf-8")
    for group, line in enumerate(text.splitlines()):
        if not line or line.startswith("#"):
            continue
        same, _, near = line.partition("|")
        for is_same, names in ((1, same), (0, near)):
            for name in names.split():
                spoken = name.replace("_", " ")
                yield key_of(spoken), group, is_same, spoken


def key_of(name: str) -> str:
    """The terms a name is stored under, joined by spaces: 'out of memory' -> 'out of memori'."""
    return " ".join(part for word in words(name) for part in word.parts)
