"""What a project holds."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from hindsight_cli.api.experiences import list_experiences
from hindsight_cli.api.project import Project
from hindsight_cli.api.reflect_job import Job, last_job
from hindsight_cli.records.experience import ReviewStatus


@dataclass(frozen=True, slots=True)
class ProjectStatus:
    project: str
    sessions: int
    experiences: dict[str, int]  # by status, and `stale` among the approved
    oldest_pending: str | None  # when the longest waiting one was proposed
    bytes_on_disk: int
    reflection: Job | None  # the last one with a model or command


def project_status(project: Project) -> ProjectStatus:
    states = list_experiences(project)
    counts = Counter(s.status.value for s in states)
    pending = [s.created_at for s in states if s.status is ReviewStatus.PENDING]
    files = [p for p in project.folder.rglob("*") if p.is_file()]
    return ProjectStatus(
        project=str(project.root),
        sessions=len(project.traces.sessions()),
        experiences={**counts, "stale": sum(s.stale for s in states)},
        oldest_pending=min(pending, default=None),
        bytes_on_disk=sum(p.stat().st_size for p in files),
        reflection=last_job(project),
    )
