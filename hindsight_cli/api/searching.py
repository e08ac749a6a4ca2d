"""Search: approved and trusted experiences only. Standard library only: a hot path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hindsight_cli.api.index import fresh_connection, healed
from hindsight_cli.api.project import Project
from hindsight_cli.errors import UsageError
from hindsight_cli.experiences.freshness import with_freshness
from hindsight_cli.experiences.rows import count_by_status, retrievable_states
from hindsight_cli.records.experience import ExperienceState
from hindsight_cli.retrieve.lexical import LexicalIndex

TYPE_CHECKING = False  # as typing's, without loading typing on the hot path
if TYPE_CHECKING:
    import sqlite3

    from hindsight_cli.retrieve.result import Retrieval

MODES = ("auto", "lexical", "vector", "hybrid")
MAX_RESULTS = 5
NOTHING_APPROVED = "No experience is approved yet."


class Found:
    """A plain class, as those that only a search makes: a dataclass costs half a millisecond."""

    __slots__ = ("score", "state", "why_matched")

    def __init__(self, state: ExperienceState, score: float, why_matched: tuple[str, ...]) -> None:
        self.state = state
        self.score = score  # 0..1
        self.why_matched = why_matched


class SearchResult:
    __slots__ = ("abstained", "found", "mode", "notice", "pending", "ranked", "reason")

    def __init__(self, found: tuple[Found, ...], answered: Answered, *, pending: int) -> None:
        self.found = found
        self.abstained = answered.retrieval.abstained
        self.reason = answered.retrieval.reason  # why it abstained
        self.mode = answered.retrieval.mode  # lexical, vector or hybrid: what answered
        self.pending = pending  # experiences that wait for review
        self.ranked = answered.ranked  # the first ids of the ranking, also where it abstained
        self.notice = answered.notice  # why it could not search as it was asked to


@dataclass(frozen=True, slots=True)
class Answered:
    """A query with the answer so far."""

    query: str
    retrieval: Retrieval
    ranked: tuple[str, ...]  # the first ids, also where it abstained
    notice: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions:
    """How to search. `tool` and `tag` are hard filters.

    Mode auto goes by words and, where they find nothing and `can_wait`, by meaning, which
    has a model to load: about half a second. `ranks_all` also ranks where it abstains.
    """

    error: bool = False
    tool: str | None = None
    tag: str | None = None
    limit: int = 3
    mode: str = "auto"
    can_wait: bool = False
    ranks_all: bool = False


def search(project: Project, query: str, options: SearchOptions | None = None) -> SearchResult:
    """Up to `limit` (at most 5) experiences for a task or an error text; none below the floor.

    Raises:
        UsageError: an unknown mode or a limit out of range.
        StorageError: the index cannot be read or made.
    """
    return search_many(project, [query], options)[0]


def search_many(
    project: Project, queries: Sequence[str], options: SearchOptions | None = None
) -> list[SearchResult]:
    """As `search`, for many queries over one open index."""
    options = options or SearchOptions()
    if options.mode not in MODES:
        raise UsageError(
            f"Mode {options.mode!r} is not available.", hint=f"Modes: {', '.join(MODES)}."
        )
    if not 1 <= options.limit <= MAX_RESULTS:
        raise UsageError(
            f"-k {options.limit} is out of range.", hint=f"Ask for 1 to {MAX_RESULTS} results."
        )
    return healed(project, lambda: _search_all(project, queries, options))


def _search_all(
    project: Project, queries: Sequence[str], options: SearchOptions
) -> list[SearchResult]:
    connection = fresh_connection(project)
    try:
        counts = count_by_status(connection)
        lexical = LexicalIndex(connection)
        found = [_by_words(lexical, query, options) for query in queries]
        if "approved" in counts:
            found = _by_meaning(project, connection, found, options)
        results = []
        for one in found:
            by_id = {h.experience_id: h for h in one.retrieval.hits}
            states = retrievable_states(connection, list(by_id))
            hits = [(s, by_id[s.experience.experience_id]) for s in states]
            hits_found = tuple(Found(_fresh(project, s), h.score, h.why_matched) for s, h in hits)
            result = SearchResult(hits_found, one, pending=counts.get("pending", 0))
            result.ranked = one.ranked[: options.limit]
            if "approved" not in counts:
                result.reason = NOTHING_APPROVED
            results.append(result)
        return results
    finally:
        connection.close()


def _by_words(lexical: LexicalIndex, query: str, options: SearchOptions) -> Answered:
    retrieval = lexical.search(
        query, error=options.error, tool=options.tool, tag=options.tag, limit=options.limit
    )
    hits = retrieval.hits
    if options.ranks_all and retrieval.abstained:
        hits = tuple(
            lexical.candidates(
                query, error=options.error, tool=options.tool, tag=options.tag, limit=options.limit
            )
        )
    return Answered(query, retrieval, tuple(h.experience_id for h in hits))


def _by_meaning(
    project: Project,
    connection: sqlite3.Connection,
    found: list[Answered],
    options: SearchOptions,
) -> list[Answered]:
    """Those of `found` that the mode wants, answered anew with the help of a model."""
    if options.mode == "lexical" or (options.mode == "auto" and not options.can_wait):
        return found
    wanted = [one for one in found if options.mode != "auto" or one.retrieval.abstained]
    if not wanted:
        return found
    from hindsight_cli.api.hybrid import answer_by_meaning  # numpy: not on the hot path

    anew = {id(one): new for one, new in answer_by_meaning(project, connection, wanted, options)}
    return [anew.get(id(one), one) for one in found]


def _fresh(project: Project, state: ExperienceState) -> ExperienceState:
    return with_freshness(state, project.clock(), stale_days=project.settings.stale_days)
