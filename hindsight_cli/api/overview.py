"""What a project knows of its runs at a glance: worth a look also when no lesson follows yet."""

from __future__ import annotations

from dataclasses import dataclass

from hindsight_cli.api.failures import Failure, list_failures
from hindsight_cli.api.project import Project
from hindsight_cli.api.traces import list_traces

_COMING_BACK = 2  # sessions that an error was seen in


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    sessions: int
    tool_calls: int
    failed_tool_calls: int
    recurring: tuple[Failure, ...]  # errors seen in two or more sessions, the widest first


def overview(project: Project) -> Overview:
    """Counts over everything recorded; nothing of a project that is not made yet."""
    if not project.is_made:
        return Overview(sessions=0, tool_calls=0, failed_tool_calls=0, recurring=())
    rows = list_traces(project)
    return Overview(
        sessions=len({row.session_id for row in rows}),
        tool_calls=sum(row.tool_calls for row in rows),
        failed_tool_calls=sum(row.failed_tool_calls for row in rows),
        recurring=tuple(list_failures(project, min_sessions=_COMING_BACK)),
    )
