"""A query -> the things it asks about."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from itertools import pairwise

from hindsight_cli.retrieve.stem import stem
from hindsight_cli.retrieve.stopwords import COMMON, COMMON_CJK, STOP, STOP_CJK, WEAK_CJK
from hindsight_cli.retrieve.tokens import Word, is_noise, words

_MAX_CHARS = 16_000
_MAX_PHRASE_WORDS = 120  # an output of thousands of words is no request to be read closely
_PHRASE_SIZES = (2, 3)
_CJK_NAME_SIZES = (3, 4)  # pairs are units anyway


class Unit:
    """One thing asked about.

    `importance` scales what it is worth to find it, `missing` what it costs not to.
    """

    __slots__ = ("importance", "is_name", "is_piece", "missing", "surface", "term")

    def __init__(self, surface: str, term: str, importance: float, missing: float) -> None:
        self.surface = surface
        self.term = term  # a phrase has several, joined by spaces as in the glossary
        self.importance = importance
        self.missing = missing
        self.is_name = False  # of a tool or language: tells the corner, not the matter
        self.is_piece = False  # no word of its own: grammar, or the seam between two words

    def scaled(self, importance: float, missing: float) -> None:
        self.importance *= importance
        self.missing *= missing


def clipped(query: str) -> str:
    """Start and end of an over-long query; the middle of a log says least."""
    if len(query) <= _MAX_CHARS:
        return query
    half = _MAX_CHARS // 2
    return f"{query[:half]}\n{query[-half:]}"


def units(query: str, *, importance: float = 1.0, missing: float = 1.0) -> dict[str, Unit]:
    """What `query` asks about by term, in order, stop words left out.

    Phrases come as well: they count only where the glossary knows them.
    """
    found: dict[str, Unit] = {}
    spoken = list(words(query))
    for word in spoken:
        for unit in _cjk_units(word) if word.is_cjk else _latin_units(word):
            found.setdefault(unit.term, unit)
    for surface, term in _phrases(spoken[:_MAX_PHRASE_WORDS]):
        found.setdefault(term, Unit(surface, term, 0.8, 0.0))
    for unit in found.values():
        unit.scaled(importance, missing)
    return found


def seams(query: str, known: Collection[str]) -> set[str]:
    """Chinese pairs that lie across two words, as far as the `known` ones tell: 口冲 in 端口冲突.

    Words are told by longest match from the left. A word of four characters is two of two.
    """
    found: set[str] = set()
    inside: set[str] = set()
    for word in words(query):
        for run in _cjk_stop().split(word.surface) if word.is_cjk else ():
            owner = _owners(run, known)
            for at, pair in enumerate(map("".join, pairwise(run))):
                (found if owner[at] != owner[at + 1] else inside).add(pair)
    return found - inside


def _owners(run: str, known: Collection[str]) -> list[int]:
    """Of each character the number of its word; 0 where no known word covers it."""
    owner = [0] * len(run)
    at = 0
    while at < len(run):
        for size in (*reversed(_CJK_NAME_SIZES), 2):
            name = run[at : at + size]
            if len(name) == size and " ".join(map("".join, pairwise(name))) in known:
                half = 2 if size == 4 else size  # noqa: PLR2004
                for place in range(at, at + size):
                    owner[place] = at + 1 + (place - at) // half
                at += size
                break
        else:
            at += 1
    return owner


def glued(query: str) -> dict[str, tuple[str, str]]:
    """Neighbouring words written as one -> their two terms: 'time out' finds 'timeout'."""
    spoken = [word for word in words(query) if not word.is_cjk and not word.whole]
    return {
        stem(f"{left.surface}{right.surface}".lower()): (left.parts[0], right.parts[0])
        for left, right in pairwise(spoken[:_MAX_PHRASE_WORDS])
        if len(left.surface) > 1 and len(right.surface) > 1
    }


def is_cjk(query: str) -> bool:
    """Whether most of a query is Chinese, Japanese or Korean."""
    if query.isascii():
        return False
    balance = 0
    for word in words(query):
        balance += len(word.parts) if word.is_cjk else -1
    return balance > 0


def is_common(term: str) -> bool:
    """Whether a term is too ordinary to show that two texts are about one thing."""
    return term in COMMON_CJK or term in _common_stems(term[:1])


@lru_cache(maxsize=256)
def _common_stems(initial: str) -> frozenset[str]:
    """Of the common words with this initial: a query has few, and stems keep theirs."""
    return frozenset(stem(word) for word in COMMON if word[:1] == initial)


def _latin_units(word: Word) -> Iterator[Unit]:
    lowered = word.surface.lower()
    if not word.whole:
        if not STOP.intersection((lowered, word.parts[0])) and (
            len(lowered) > 1 or not lowered.isascii()
        ):
            missing = 0.0 if is_noise(word.parts[0]) else 1.0
            yield Unit(word.surface, word.parts[0], 1.0, missing)
        return
    yield Unit(word.surface, word.whole, 1.0, 0.15)
    for part in word.parts:
        if part not in STOP and len(part) > 1:
            yield Unit(word.surface, part, 0.7, 0.0 if is_noise(part) else 0.5)


@lru_cache(maxsize=1)
def _cjk_stop() -> re.Pattern[str]:
    return re.compile("|".join(STOP_CJK))


def _cjk_units(word: Word) -> Iterator[Unit]:
    for run in _cjk_stop().split(word.surface):
        for pair in (run[i : i + 2] for i in range(len(run) - 1)):
            weak = any(character in WEAK_CJK for character in pair)
            unit = Unit(pair, pair, 0.3 if weak else 0.6, 0.0 if weak else 0.6)
            unit.is_piece = weak
            yield unit
        if len(run) == 1 and run not in WEAK_CJK:
            unit = Unit(run, run, 0.3, 0.1)
            unit.is_piece = True
            yield unit


def _phrases(spoken: Iterable[Word]) -> Iterator[tuple[str, str]]:
    latin = []
    for word in spoken:
        if not word.is_cjk:
            latin.append(word)
            continue
        for size in _CJK_NAME_SIZES:
            for start in range(len(word.surface) - size + 1):
                yield (
                    word.surface[start : start + size],
                    " ".join(word.parts[start : start + size - 1]),
                )
    for size in _PHRASE_SIZES:
        for start in range(len(latin) - size + 1):
            run = latin[start : start + size]
            yield (
                " ".join(word.surface for word in run),
                " ".join(part for word in run for part in word.parts),
            )
