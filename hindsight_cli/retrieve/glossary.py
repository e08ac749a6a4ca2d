"""The words that software people use for one thing."""

from __future__ import annotations

from collections.abc import Iterator

from hindsight_cli.retrieve.stem import stem
from hindsight_cli.retrieve.tokens import words


def members() -> Iterator[tuple[str, int, int]]:
    """(term, group, 1 for a synonym or 0 for a neighbour); parts of a phrase joined by a space."""
    from pathlib import Path

    lines = Path(__file__).with_name("glossary.txt").read_text(encoding="utf-8").splitlines()
    for group, line in enumerate(lines):
        if not line or line.startswith("#"):
            continue
        same, _, near = line.partition("|")
        for is_same, names in ((1, same), (0, near)):
            for name in names.split():
                parts = tuple(p for w in words(name.replace("_", " ")) for p in w.parts)
                yield " ".join(parts), group, is_same
