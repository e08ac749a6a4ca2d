"""Errors that come back, also where no lesson follows yet."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from hindsight_cli.api.index import Index, use_index
from hindsight_cli.api.project import Project, timestamp
from hindsight_cli.records.experience import ExperienceState, ReviewStatus
from hindsight_cli.traces.index import FailureRow


@dataclass(frozen=True, slots=True)
class Failure:
    row: FailureRow
    experience_ids: tuple[str, ...]  # approved experiences about this error


def list_failures(
    project: Project, *, since_days: float | None = None, min_sessions: int = 1
) -> list[Failure]:
    """Errors by fingerprint, those seen in most sessions first."""
    since = None
    if since_days is not None:
        since = timestamp(project.clock() - timedelta(days=since_days))

    def read(opened: Index) -> tuple[list[FailureRow], list[ExperienceState]]:
        opened.sync_traces()
        opened.sync_experiences()
        rows = opened.traces.failures(since, min_sessions=min_sessions)
        return rows, opened.experiences.with_status(ReviewStatus.APPROVED)

    rows, states = use_index(project, read)
    approved = [s for s in states if s.retrievable]
    return [
        Failure(
            row,
            tuple(
                s.experience.experience_id
                for s in approved
                if row.fingerprint in s.experience.error_fingerprints
            ),
        )
        for row in rows
    ]
