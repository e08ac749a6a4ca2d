"""What a person looks through: traces with their length and size, and why one ended as it did."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from hindsight_cli.api.project import Project
from hindsight_cli.api.traces import list_traces
from hindsight_cli.records.attribution import Attribution
from hindsight_cli.records.trace import Trace
from hindsight_cli.traces.index import TraceRow


@dataclass(frozen=True, slots=True)
class TraceFacts:
    """A trace, how long it took and how many bytes its session's file has."""

    row: TraceRow
    seconds: float | None  # None where no times are recorded
    size: int


def list_trace_facts(project: Project) -> list[TraceFacts]:
    """Every trace, newest first."""
    rows = list_traces(project)
    ends = _ends(project)
    sizes = {file.session_id: _size(file.path) for file in project.traces.sessions()}
    return [
        TraceFacts(
            row,
            _between(row.started_at, ends.get(row.trace_id)),
            sizes.get(row.session_id, 0),
        )
        for row in rows
    ]


def attribution_of(trace: Trace) -> Attribution:
    """Key and invalid steps and recoveries, as reflection by rules sees them. O(trace)."""
    from hindsight_cli.reflect.rules import reflect_by_rules  # much code for those who only list

    return reflect_by_rules(trace).attribution


def _ends(project: Project) -> Mapping[str, str]:
    """The last recorded time of each trace."""
    from hindsight_cli.api.index import fresh_connection

    with contextlib.closing(fresh_connection(project)) as connection:
        sql = "select trace_id, max(timestamp) from events group by trace_id"
        return {trace_id: last for trace_id, last in connection.execute(sql) if last}


def _between(start: str | None, end: str | None) -> float | None:
    if not start or not end:
        return None
    try:
        return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()
    except (ValueError, TypeError):
        return None


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
