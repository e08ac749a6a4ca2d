"""What a project holds."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from hindsight_cli.api.experiences import list_experiences
from hindsight_cli.api.hooking import LOG_FILE
from hindsight_cli.api.privacy import paused_by
from hindsight_cli.api.project import Project
from hindsight_cli.api.reflect_job import Job, last_job
from hindsight_cli.records.experience import ReviewStatus
from hindsight_cli.traces.plain import read_plain

_HOOK_LINES = 3


@dataclass(frozen=True, slots=True)
class ProjectStatus:
    project: str
    sessions: int
    experiences: dict[str, int]  # by status, and `stale` among the approved
    oldest_pending: str | None  # when the longest waiting one was proposed
    bytes_on_disk: int
    reflection: Job | None  # the last one with a model or command
    paused_by: str | None  # the marker that pauses recording
    hooks: tuple[str, ...]  # what hooks did last, newest last


def project_status(project: Project) -> ProjectStatus:
    states = list_experiences(project)
    counts = Counter(s.status.value for s in states)
    pending = [s.created_at for s in states if s.status is ReviewStatus.PENDING]
    marker = paused_by(project, project.env)
    files = [p for p in project.folder.rglob("*") if p.is_file()]
    return ProjectStatus(
        project=str(project.root),
        sessions=len(project.traces.sessions()),
        experiences={**counts, "stale": sum(s.stale for s in states)},
        oldest_pending=min(pending, default=None),
        bytes_on_disk=sum(p.stat().st_size for p in files),
        reflection=last_job(project),
        paused_by=None if marker is None else str(marker),
        hooks=_last_lines(project.folder / LOG_FILE),
    )


def _last_lines(path: Path) -> tuple[str, ...]:
    """The end of a log; nothing where there is none."""
    try:
        text = read_plain(path).decode("utf-8", "replace")
    except OSError:
        return ()
    return tuple(text.splitlines()[-_HOOK_LINES:])
