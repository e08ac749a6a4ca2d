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

MODES = ("auto", "lexical")
MAX_RESULTS = 5
NOTHING_APPROVED = "No experience is approved yet."


@dataclass(frozen=True, slots=True)
class Found:
    state: ExperienceState
    score: float  # 0..1
    why_matched: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SearchResult:
    found: tuple[Found, ...]
    abstained: bool
    reason: str  # why it abstained
    mode: str
    pending: int  # experiences that wait for review


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions:
    """How to search. `tool` and `tag` are hard filters."""

    error: bool = False
    tool: str | None = None
    tag: str | None = None
    limit: int = 3
    mode: str = "auto"


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
        lexical = LexicalIndex(connection)
        counts = count_by_status(connection)
        results = []
        for query in queries:
            retrieval = lexical.search(
                query,
                error=options.error,
                tool=options.tool,
                tag=options.tag,
                limit=options.limit,
            )
            by_id = {h.experience_id: h for h in retrieval.hits}
            found = tuple(
                Found(_fresh(project, s), hit.score, hit.why_matched)
                for s in retrievable_states(connection, list(by_id))
                for hit in (by_id[s.experience.experience_id],)
            )
            results.append(
                SearchResult(
                    found,
                    abstained=retrieval.abstained,
                    reason=retrieval.reason if "approved" in counts else NOTHING_APPROVED,
                    mode=retrieval.mode,
                    pending=counts.get("pending", 0),
                )
            )
        return results
    finally:
        connection.close()


def _fresh(project: Project, state: ExperienceState) -> ExperienceState:
    return with_freshness(state, project.clock(), stale_days=project.settings.stale_days)
