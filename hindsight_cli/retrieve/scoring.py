"""How well one document answers a query: pure functions of terms."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from hindsight_cli.retrieve.query import Unit, is_common
from hindsight_cli.retrieve.stopwords import STOP

# scenario, recommend, avoid, tags, error fingerprints; and the task it was learned in
FIELD_WEIGHTS = (1.0, 0.75, 0.45, 0.9, 0.9)
TASK_WEIGHT = 0.45
# What makes a task the one of a lesson again: of the query, and of that task, so much is shared.
SAME_QUERY = 0.7
SAME_TASK = 0.4
BACKGROUND = 200  # imagined other documents, so that a store of one has rare words too
COMMON_SHARE = 0.1  # of them, a common word is in this many
UNKNOWN = 0.8  # a word the store has nowhere weighs against a match, but less than a known one
UNKNOWN_NAME = 1.2  # a tool that no lesson speaks of
FOREIGN = 0.6  # English asked, Chinese found
MAX_NEEDS = 48


class Synonym:
    """Another way to say a unit: terms that must all be there."""

    __slots__ = ("name", "parts", "strength")

    def __init__(self, parts: tuple[str, ...], strength: float, name: str) -> None:
        self.parts = parts
        self.strength = strength  # 0..1
        self.name = name


class Need:
    """A unit with what would satisfy it."""

    __slots__ = ("answers", "cost", "exact", "unit")

    def __init__(
        self, unit: Unit, exact: float, answers: Sequence[tuple[float, Synonym]], cost: float
    ) -> None:
        self.unit = unit
        self.exact = exact  # worth of the word itself; 0 when the store has it nowhere
        self.answers = answers  # best first
        self.cost = cost  # its share in what a perfect document would gain


class Match:
    """What a document has of the needs."""

    __slots__ = ("answered", "gained", "names", "surfaces", "telling", "total")

    def __init__(self, total: float) -> None:
        self.total = total  # what a perfect document would gain
        self.gained = 0.0  # in units of the rarest word, less where it stands in a lesser field
        self.answered = 0.0  # the same without regard to fields
        self.telling = 0  # needs met by a word that is not common
        self.names: set[str] = set()  # of tools, that were asked for and are there
        self.surfaces: list[str] = []

    def add(self, unit: Unit, worth: float, place: float, synonym: Synonym | None = None) -> None:
        """Count `unit` as met, by itself or by a synonym."""
        self.gained += worth * place
        self.answered += worth
        ordinary = all(map(is_common, synonym.parts)) if synonym else is_common(unit.term)
        self.telling += not (unit.is_name or unit.is_piece or ordinary)
        if unit.is_name:
            self.names.add(unit.surface)
        surface = f"{unit.surface} ~ {synonym.name}" if synonym else unit.surface
        if surface not in self.surfaces and not unit.is_piece:
            self.surfaces.append(surface)

    @property
    def coverage(self) -> float:
        """0..1: the share of the query that is answered, in whatever field."""
        return min(1.0, self.answered / self.total) if self.total else 0.0

    @property
    def evidence(self) -> float:
        return self.gained * math.sqrt(self.gained / self.total) if self.total else 0.0


class Weigher:
    """Inverse document frequency, smoothed with a background of ordinary texts; 1 = rarest."""

    def __init__(self, documents: int, frequencies: Mapping[str, int]) -> None:
        self._total = documents + BACKGROUND
        self._frequencies = frequencies
        self._rarest = self._raw(1)

    def weight(self, term: str) -> float:
        seen = self._frequencies.get(term, 0)
        return self._raw(seen + BACKGROUND * COMMON_SHARE * is_common(term)) / self._rarest

    def frequency(self, term: str) -> int:
        return self._frequencies.get(term, 0)

    def _raw(self, seen: float) -> float:
        return math.log(1 + (self._total - seen + 0.5) / (seen + 0.5))


def needs_of(
    wanted: Iterable[Unit], synonyms: Mapping[str, Sequence[Synonym]], weigher: Weigher
) -> list[Need]:
    """Every unit that some document answers, or whose absence everywhere tells something."""
    found = []
    for unit in wanted:
        if not unit.missing and unit.term not in synonyms and not weigher.frequency(unit.term):
            continue  # most phrases: nobody's words
        own = weigher.weight(unit.term) * unit.importance
        exact = own if weigher.frequency(unit.term) else 0.0
        answers = []
        for synonym in synonyms.get(unit.term, ()):
            if all(map(weigher.frequency, synonym.parts)):
                rarest = max(map(weigher.weight, synonym.parts)) * unit.importance
                strength = synonym.strength
                if unit.term.isascii() and not synonym.name.isascii():
                    strength *= FOREIGN
                answers.append((strength * min(own, rarest), synonym))
        answers.sort(key=lambda answer: (-answer[0], answer[1].parts))
        unknown = UNKNOWN_NAME if unit.is_name else UNKNOWN
        cost = exact or max(own * unit.missing * unknown, answers[0][0] if answers else 0.0)
        if cost:
            found.append(Need(unit, exact, answers, cost))
    found.sort(key=lambda need: (-need.cost, need.unit.term))
    return found[:MAX_NEEDS]


def terms_of(needs: Iterable[Need]) -> frozenset[str]:
    """Every term that answers one of the needs."""
    return frozenset(
        part
        for need in needs
        for parts in ((need.unit.term,), *(synonym.parts for _, synonym in need.answers))
        for part in parts
    )


def places_of(fields: Sequence[Sequence[str]], wanted: frozenset[str]) -> dict[str, float]:
    """Each wanted term that a document has -> the weight of the best field that has it."""
    places: dict[str, float] = {}
    for weight, field in zip(FIELD_WEIGHTS, fields, strict=True):
        for term in wanted.intersection(field):
            places[term] = max(weight, places.get(term, 0.0))
    return places


def task_places(task: Sequence[str], needs: Sequence[Need], wanted: frozenset[str]) -> list[str]:
    """Terms of a lesson's task, when the query asks for the same task again; else none.

    A single word of it says nothing: what a run was asked to do is not what it taught.
    """
    told = {term for term in task if len(term) > 1 and term not in STOP}
    shared = wanted.intersection(told)
    if not shared or len(shared) < SAME_TASK * len(told):
        return []
    found = match(dict.fromkeys(shared, 1.0), needs)
    return sorted(shared) if found.telling > 1 and found.coverage >= SAME_QUERY else []


def match(places: Mapping[str, float], needs: Sequence[Need]) -> Match:
    """Compare one document, as `places_of` gives it, with what is needed.

    What is said literally counts first, so that one word of a document never answers
    two of the query.
    """
    found = Match(sum(need.cost for need in needs))
    used: set[str] = set()
    for need in needs:
        term = need.unit.term
        if need.exact and (place := places.get(term)):
            used.add(term)
            found.add(need.unit, need.exact, place)
    for need in needs:
        if need.answers and need.unit.term not in used:
            worth, place, synonym = _best_answer(need, places, used)
            if synonym:
                used.update(synonym.parts)
                found.add(need.unit, worth, place, synonym)
    return found


def _best_answer(
    need: Need, places: Mapping[str, float], used: set[str]
) -> tuple[float, float, Synonym | None]:
    """(worth, place, synonym) of the answer that gains most; no synonym when there is none."""
    best: tuple[float, float, Synonym | None] = (0.0, 0.0, None)
    for worth, synonym in need.answers:
        if worth <= best[0] * best[1]:
            break
        if synonym.parts[0] in places and used.isdisjoint(synonym.parts):
            place = min(places.get(part, 0.0) for part in synonym.parts)
            if worth * place > best[0] * best[1]:
                best = (worth, place, synonym)
    return best
