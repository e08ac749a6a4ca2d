"""How well one document answers a query: a pure function of terms."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from hindsight_cli.retrieve.query import Unit, is_common

FIELD_WEIGHTS = (1.0, 0.8, 0.55, 0.9)  # scenario, recommend, avoid, tags and error words
BACKGROUND = 200  # imagined other documents, so that a store of one has rare words too
COMMON_SHARE = 0.2
UNKNOWN = 0.6


class Need(NamedTuple):
    """A unit with what would satisfy it: (terms that must all be there, worth) pairs."""

    unit: Unit
    answers: tuple[tuple[tuple[str, ...], float], ...]  # worth: idf x strength
    cost: float  # its part of the whole a perfect document would reach


class Match(NamedTuple):
    """What a document has of the needs."""

    gained: float
    coverage: float  # 0..1
    telling: int  # needs met by a word that is not common
    surfaces: tuple[str, ...]


class Weigher:
    """Inverse document frequencies, smoothed with a background of ordinary texts."""

    def __init__(self, documents: int, frequencies: Mapping[str, int]) -> None:
        self._total = documents + BACKGROUND
        self._frequencies = frequencies

    def idf(self, term: str) -> float:
        seen = self._frequencies.get(term, 0) + (BACKGROUND * COMMON_SHARE if is_common(term) else 0)
        return math.log(1 + (self._total - seen + 0.5) / (seen + 0.5))

    def known(self, term: str) -> bool:
        return term in self._frequencies


def needs(
    wanted: Iterable[Unit],
    synonyms: Mapping[str, Sequence[tuple[tuple[str, ...], float]]],
    weigher: Weigher,
) -> list[Need]:
    found = []
    for unit in wanted:
        answers: dict[tuple[str, ...], float] = {}
        if weigher.known(unit.term):
            answers[(unit.term,)] = weigher.idf(unit.term) * unit.importance
        for parts, strength in synonyms.get(unit.term, ()):
            if all(weigher.known(part) for part in parts):
                worth = strength * unit.importance * max(weigher.idf(part) for part in parts)
                answers[parts] = max(worth, answers.get(parts, 0.0))
        exact = weigher.idf(unit.term) * unit.importance
        if (unit.term,) in answers:
            cost = exact
        else:
            cost = max([exact * unit.missing * UNKNOWN, *answers.values()])
        if cost:
            capped = {parts: min(worth, cost) for parts, worth in answers.items()}
            ranked = sorted(capped.items(), key=lambda item: (-item[1], item[0]))
            found.append(Need(unit, tuple(ranked), cost))
    return found


def match(fields: Sequence[frozenset[str]], wanted: Sequence[Need]) -> Match:
    gained = total = 0.0
    telling = 0
    surfaces = []
    for need in wanted:
        total += need.cost
        best = 0.0
        for parts, worth in need.answers:
            if worth <= best:
                break
            place = min(_place(part, fields) for part in parts)
            if worth * place > best:
                best = worth * place
                by = parts
        if best:
            gained += best
            if not all(is_common(part) for part in by):
                telling += 1
            exact = by == (need.unit.term,)
            surfaces.append(need.unit.surface if exact else f"{need.unit.surface} ~ {' '.join(by)}")
    return Match(gained, gained / total if total else 0.0, telling, tuple(dict.fromkeys(surfaces)))


def _place(term: str, fields: Sequence[frozenset[str]]) -> float:
    return max(
        (weight for weight, field in zip(FIELD_WEIGHTS, fields, strict=True) if term in field),
        default=0.0,
    )
