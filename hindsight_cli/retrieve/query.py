"""A query -> the things it asks about, each with the terms that would answer it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from hindsight_cli.retrieve.stem import stem
from hindsight_cli.retrieve.stopwords import COMMON, STOP, STOP_CJK, WEAK_CJK
from hindsight_cli.retrieve.tokens import Word, is_noise, words

MAX_CHARS = 16_000
MAX_UNITS = 40


class Unit(NamedTuple):
    """One thing asked about.

    `importance` scales what it is worth to find it; `missing` scales what it costs not to.
    """

    surface: str
    term: str
    importance: float
    missing: float


def clipped(query: str) -> str:
    """Start and end of an over-long query; the middle of a log says least."""
    if len(query) <= MAX_CHARS:
        return query
    half = MAX_CHARS // 2
    return f"{query[:half]}\n{query[-half:]}"


def units(query: str, *, importance: float = 1.0) -> list[Unit]:
    """What `query` asks about, stop words left out, in order, each term once."""
    found: dict[str, Unit] = {}
    for word in words(query):
        for unit in _cjk_units(word) if word.is_cjk else _latin_units(word):
            if unit.term not in found:
                found[unit.term] = unit._replace(importance=unit.importance * importance)
    return list(found.values())


def is_common(term: str) -> bool:
    """Whether a term is too ordinary to show that two texts are about one thing."""
    return term in _common_stems()


@lru_cache(maxsize=1)
def _common_stems() -> frozenset[str]:
    return frozenset(map(stem, COMMON))


def phrases(query: str) -> Iterable[tuple[str, tuple[str, ...]]]:
    """Neighbouring stems, two and three together, for entries such as 'out of memory'."""
    run = [part for word in words(query) if not word.is_cjk for part in word.parts]
    for size in (2, 3):
        for start in range(len(run) - size + 1):
            part = tuple(run[start : start + size])
            yield " ".join(part), part


def _latin_units(word: Word) -> Iterable[Unit]:
    lowered = word.surface.lower()
    if not word.whole:
        if lowered not in STOP and (len(lowered) > 1 or not lowered.isascii()):
            noise = is_noise(word.parts[0])
            yield Unit(word.surface, word.parts[0], 1.0, 0.0 if noise else 1.0)
        return
    yield Unit(word.surface, word.whole, 1.0, 0.15)
    for part in word.parts:
        if part not in STOP and len(part) > 1:
            yield Unit(word.surface, part, 0.7, 0.0 if is_noise(part) else 0.5)


@lru_cache(maxsize=1)
def _cjk_stop() -> re.Pattern[str]:
    return re.compile("|".join(STOP_CJK))


def _cjk_units(word: Word) -> Iterable[Unit]:
    for run in _cjk_stop().split(word.surface):
        for pair in (run[i : i + 2] for i in range(len(run) - 1)):
            weak = any(character in WEAK_CJK for character in pair)
            yield Unit(pair, pair, 0.3 if weak else 0.6, 0.0 if weak else 0.6)
        if len(run) == 1 and run not in WEAK_CJK:
            yield Unit(run, run, 0.3, 0.1)
