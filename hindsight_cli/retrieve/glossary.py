"""The words that software people use for one thing, and for its neighbours.

Source: glossary.txt and codes.txt beside this file, public vocabulary in English and Chinese.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hindsight_cli.retrieve.tokens import words

SYNONYM = 1
NEIGHBOUR = 0
MEANING = -1  # what a code is about: asked for a code it is found, never the reverse
_MAX_BARE = 4  # digits
_PLACE = "N"  # of the number, in the names of a block of codes


def entries() -> Iterator[tuple[str, int, int, str]]:
    """(key, group, SYNONYM, NEIGHBOUR or MEANING, name as people read it)."""
    group = 0
    for group, (same, near) in enumerate(_lines("glossary.txt")):
        for kind, names in ((SYNONYM, same), (NEIGHBOUR, near)):
            for name in names.split():
                spoken = name.replace("_", " ")
                yield key_of(spoken), group, kind, spoken
    patterns: list[str] = []
    for code_group, (same, near) in enumerate(_lines("codes.txt"), group + 1):
        if same.startswith("["):
            patterns = _listed(same.partition("]")[2])
            continue
        for kind, names in ((SYNONYM, same), (MEANING, near)):
            for name in _listed(names):
                for spoken in _spoken(name, patterns):
                    yield code_key_of(spoken), code_group, kind, spoken


def key_of(name: str) -> str:
    """The terms a name is stored under, joined by spaces: 'out of memory' -> 'out of memori'."""
    return " ".join(part for word in words(name) for part in word.parts)


def code_key_of(name: str) -> str:
    """As `key_of`, but an identifier is one term: ER_LOCK_DEADLOCK is no lock."""
    spoken = ((word.whole,) if word.whole else word.parts for word in words(name))
    return " ".join(part for parts in spoken for part in parts)


def _lines(file: str) -> Iterator[tuple[str, str]]:
    """(before the bar, after it) of each line."""
    text = Path(__file__).with_name(file).read_text(encoding="utf-8")
    for line in text.splitlines():
        if line and not line.startswith("#"):
            same, _, near = line.partition("|")
            yield same, near


def _listed(names: str) -> list[str]:
    return [name.strip() for name in names.split(",") if name.strip()]


def _spoken(name: str, patterns: list[str]) -> list[str]:
    """A bare number says nothing without a word before it: 500 rows are no server error."""
    number = name.removeprefix("=")
    if not number.isdigit() or len(number) > _MAX_BARE:
        return [name]
    said = [pattern.replace(_PLACE, number) for pattern in patterns]
    return said if number == name else [number, *said]
