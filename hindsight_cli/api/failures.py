"""Errors that come back, also where no lesson follows yet."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from hindsight_cli import __version__
from hindsight_cli.api.index import Index, fingerprints_of, use_index
from hindsight_cli.api.project import Project, timestamp
from hindsight_cli.api.traces import traces_of
from hindsight_cli.records.experience import ExperienceState, ReviewStatus
from hindsight_cli.reflect.rules import find_recoveries
from hindsight_cli.traces.index import FailurePlace, FailureRow

PLACES_SHOWN = 5
_ALL_PLACES = 2**31
_READER = f"{__version__}/1"  # the number grows when the rules see recoveries otherwise

Places = dict[str, list[FailurePlace]]


@dataclass(frozen=True, slots=True)
class Failure:
    row: FailureRow
    experience_ids: tuple[str, ...]  # approved experiences about this error
    at: tuple[FailurePlace, ...]  # where it came up, newest first: a few, or all when asked for


def list_failures(
    project: Project,
    *,
    since_days: float | None = None,
    min_sessions: int = 1,
    error: str | None = None,
) -> list[Failure]:
    """Errors by fingerprint, those seen in most sessions first.

    With `error` only those whose fingerprint begins so, else those that hold it, and all
    their places.
    """
    since = None
    if since_days is not None:
        since = timestamp(project.clock() - timedelta(days=since_days))

    _find_recoveries(project)

    def read(opened: Index) -> tuple[list[FailureRow], list[ExperienceState], Places]:
        opened.sync_experiences()
        rows = opened.traces.failures(since, min_sessions=min_sessions)
        most = PLACES_SHOWN if error is None else _ALL_PLACES
        places = opened.traces.failure_places(since, most=most)
        return rows, opened.experiences.with_status(ReviewStatus.APPROVED), places

    rows, states, places = use_index(project, read)
    approved = [s for s in states if s.retrievable]
    return [
        Failure(
            row,
            tuple(
                s.experience.experience_id
                for s in approved
                if row.fingerprint in fingerprints_of(s.experience)
            ),
            tuple(places.get(row.fingerprint, ())),
        )
        for row in (rows if error is None else _named(rows, error))
    ]


def _named(rows: list[FailureRow], error: str) -> list[FailureRow]:
    wanted = " ".join(error.lower().split())
    found = [row for row in rows if row.fingerprint.lower().startswith(wanted)]
    return found or [row for row in rows if wanted in row.fingerprint.lower()]


def _find_recoveries(project: Project) -> None:
    """Let the rules of reflection say which failures ended, in sessions that changed."""

    def unread(opened: Index) -> list[str]:
        opened.sync_traces()
        return opened.traces.sessions_with_unread_recoveries(_READER)

    changed = use_index(project, unread)
    if changed:
        found = {session_id: _recovered_steps(project, session_id) for session_id in changed}
        use_index(project, lambda opened: opened.save_recoveries(found, _READER))


def _recovered_steps(project: Project, session_id: str) -> list[int]:
    path = project.traces.find(session_id)
    if path is None:
        return []
    events, _ = project.traces.read(path)
    traces = traces_of(project, events).values()
    return [pair.failed_step for trace in traces for pair in find_recoveries(trace)]
