"""Lexical retrieval: words, identifiers, errors and tags; no model, standard library only."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Sequence, Set

from hindsight_cli.fingerprint import error_fingerprints, is_specific, looks_like_error
from hindsight_cli.retrieve import reading
from hindsight_cli.retrieve.query import clipped, is_cjk
from hindsight_cli.retrieve.result import Hit, Retrieval
from hindsight_cli.retrieve.scoring import (
    TASK_WEIGHT,
    Match,
    match,
    places_of,
    task_places,
    terms_of,
)
from hindsight_cli.retrieve.tables import Row, Tables
from hindsight_cli.retrieve.tags import tool_named

TYPE_CHECKING = False  # as typing's, without loading typing on the hot path
if TYPE_CHECKING:
    from hindsight_cli.retrieve.document import Document

MAX_HITS = 5
# Below this score nothing is an answer; it may still stand beside one. Set with
# tests/quality/measure_retrieval.py so that off-topic queries get nothing in nine of ten; the
# share is the same for 20 and 90 experiences. A store of one to four has no statistics, so it
# does not rest on them: see tests/quality/measure_small_stores.py.
FLOOR = 0.40
_FAR_BELOW = 0.5  # a later hit with less of the first one's evidence is beside the point
_WHOLLY_COVERED = 0.85  # a query so far answered reaches the floor, however common its words
KNOWN_ERROR = "error fingerprint"  # the reason of a hit whose very error was asked about
BESIDE = "beside the first"  # the reason of a hit that would be no answer alone
_A_SETUP = 2  # so many tools together are no longer everybody's
_TOOL_NAMED = 1.15
_OTHER_TOOL = 0.85
_CJK_QUERY = 1.8  # its units are overlapping pairs that count for less than a word each
_MAX_WEIGHT_BONUS = 0.02  # of the evidence: breaks near-ties, never more
_OTHER_LINE = 0.9  # score of the fingerprint of a line that is not the most telling one


class _Ranked:
    """A candidate with all that decides about it."""

    __slots__ = ("evidence", "fingerprint_score", "match", "row", "tools")

    def __init__(
        self, row: Row, found: Match, factor: float, fingerprint_score: float, tools: Iterable[str]
    ) -> None:
        self.row = row
        self.match = found
        self.evidence = found.evidence * factor
        self.fingerprint_score = fingerprint_score  # 0 unless the error itself is known
        self.tools = sorted(tools)  # tags of tools that the query names

    @property
    def score(self) -> float:
        words = self.evidence / (1 + self.evidence)
        if self.match.coverage >= _WHOLLY_COVERED:
            words = max(words, FLOOR)
        return max(self.fingerprint_score, words)

    @property
    def order(self) -> tuple[float, float, str]:
        bonus = 1 + _MAX_WEIGHT_BONUS * (min(1.0, max(0.0, self.row.weight)) - 0.5)
        return (-self.fingerprint_score, -self.evidence * bonus, self.row.experience_id)

    def is_answer(self) -> bool:
        tells = self.match.telling or len(self.match.names) >= _A_SETUP
        return self.score >= FLOOR and bool(self.fingerprint_score or tells)

    def is_beside(self, first: _Ranked) -> bool:
        """Whether to show it where `first` is the answer; that one included."""
        shares = self.match.telling or len(self.match.names) > 1
        near = shares and self.evidence >= first.evidence * _FAR_BELOW
        return near or self.fingerprint_score > 0

    def hit(self) -> Hit:
        reasons = [KNOWN_ERROR] if self.fingerprint_score else []
        if self.score < FLOOR:
            reasons.append(BESIDE)
        reasons += [f"tool tag: {tool}" for tool in self.tools]
        return Hit(
            experience_id=self.row.experience_id,
            score=round(self.score, 4),
            why_matched=(*reasons, *self.match.surfaces),
        )


class LexicalIndex:
    """Finds experiences by the words they share with a query.

    Owns the tables named retrieval_* of its database; they are derived and may be
    rebuilt at any time. Reading needs no write access.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._tables = Tables(connection)

    def rebuild(self, documents: Iterable[Document]) -> None:
        """Replace everything, inside the caller's transaction: commit afterwards."""
        self._tables.replace(documents)

    def search(
        self,
        query: str,
        *,
        error: bool = False,
        tool: str | None = None,
        tag: str | None = None,
        limit: int = 3,
    ) -> Retrieval:
        """The few experiences that answer `query`, best first, or none.

        `error` says that the query is an error's output. `tool` keeps only experiences
        with that tool tag, `tag` those with that tag of either kind. At most five hits
        come back whatever the `limit`.
        """
        if not self._tables.exist():
            return _abstain("The search index has not been built yet.")
        allowed = self._allowed(tool, tag)
        if allowed is not None and not allowed:
            named = " and ".join(f"'{name}'" for name in (tool, tag) if name is not None)
            return _abstain(f"No experience has the tag {named}.")
        ranked = self._ranked(query, is_error=error or looks_like_error(query), allowed=allowed)
        first = next((one for one in ranked if one.is_answer()), None)
        if first is None:
            return _abstain(_why_none(ranked))
        kept = [one for one in ranked if one.is_beside(first)]
        hits = tuple(one.hit() for one in kept[: max(0, min(limit, MAX_HITS))])
        return Retrieval(hits=hits, abstained=not hits, reason="" if hits else "No hits asked for.")

    def candidates(
        self,
        query: str,
        *,
        error: bool = False,
        tool: str | None = None,
        tag: str | None = None,
        limit: int = 20,
    ) -> list[Hit]:
        """The ranking as `search` makes it but without floor or cut-off, to fuse with another."""
        if not self._tables.exist():
            return []
        is_error = error or looks_like_error(query)
        ranked = self._ranked(query, is_error=is_error, allowed=self._allowed(tool, tag))
        return [one.hit() for one in ranked[: max(0, limit)]]

    def tagged(self, tool: str | None, tag: str | None) -> set[str] | None:
        """Ids of the experiences that pass the filters; None when there is no filter."""
        allowed = self._allowed(tool, tag)
        return (
            None if allowed is None else {row.experience_id for row in self._tables.rows(allowed)}
        )

    def _allowed(self, tool: str | None, tag: str | None) -> set[int] | None:
        """Documents that pass the filters; None when there is no filter."""
        allowed = None if tool is None else self._tables.with_tag(tool, tools_only=True)
        if tag is not None:
            tagged = self._tables.with_tag(tag, tools_only=False)
            allowed = tagged if allowed is None else allowed & tagged
        return allowed

    def _ranked(self, query: str, *, is_error: bool, allowed: set[int] | None) -> list[_Ranked]:
        known = self._known_errors(query, allowed) if is_error else {}
        query = clipped(query)
        others = reading.about_other_names(self._tables, query)
        wanted = reading.units_of(query, is_error=is_error)
        tools = self._tables.tools_named(tool_named(term) for term in wanted if " " not in term)
        reading.mark_names(wanted, {key for tags in tools.values() for key in tags})
        needs = reading.needs_in(self._tables, query, wanted)
        numbers = {*known, *set(reading.candidates(self._tables, needs, allowed)) - others}
        names = {need.unit.term for need in needs if need.unit.is_name}
        scale = _CJK_QUERY if is_cjk(query) else 1.0
        terms = terms_of(needs)
        ranked = []
        for row in self._tables.rows(numbers):
            *fields, task = row.fields
            places = dict.fromkeys(task_places(task, needs, terms), TASK_WEIGHT)
            places.update(places_of(fields, terms))
            found = match(places, needs)
            tags = tools.get(row.number, {}).values()
            factor = scale * _tool_factor(names, places, is_tagged=bool(tags))
            ranked.append(_Ranked(row, found, factor, known.get(row.number, 0.0), tags))
        return sorted(ranked, key=lambda one: one.order)

    def _known_errors(self, text: str, allowed: Collection[int] | None) -> dict[int, float]:
        """Documents that carry the fingerprint of an error in `text`, with their score."""
        found: dict[int, float] = {}
        for place, fingerprint in enumerate(error_fingerprints("", text)):
            if is_specific(fingerprint):
                for number in self._tables.with_fingerprint(fingerprint):
                    if allowed is None or number in allowed:
                        found.setdefault(number, _OTHER_LINE if place else 1.0)
        return found


def _tool_factor(names: Set[str], places: Collection[str], *, is_tagged: bool) -> float:
    """Prefers what is about a tool that the query names, by its tags or else by its words."""
    if not names or (not is_tagged and not names.isdisjoint(places)):
        return 1.0
    return _TOOL_NAMED if is_tagged else _OTHER_TOOL


def _why_none(ranked: Sequence[_Ranked]) -> str:
    closest = next((one for one in ranked if one.match.telling), None)
    if closest is None:
        if any(one.match.names for one in ranked):
            return "No experience shares more with the query than the name of a tool."
        return "No experience shares a telling word with the query."
    return (
        f"The closest experience has too little in common with the query"
        f" (score {closest.score:.2f}, needed {FLOOR:.2f})."
    )


def _abstain(reason: str) -> Retrieval:
    return Retrieval(hits=(), abstained=True, reason=reason)
