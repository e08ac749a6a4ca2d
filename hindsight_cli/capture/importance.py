"""How much a step matters, as far as it is known while it is being captured.

Attribution's key and invalid steps override this on reading.
"""

from __future__ import annotations

from hindsight_cli.records.event import (
    FAILED_STATUSES,
    EventType,
    Importance,
    Status,
    ToolKind,
)

_ROUTINE = frozenset({ToolKind.READ, ToolKind.SEARCH, ToolKind.PLAN})


def importance_of(
    event_type: EventType,
    *,
    tool_kind: ToolKind | None,
    status: Status | None,
    attempt: int,
    ends_failure: bool,
) -> Importance:
    """High: errors, denials, retries, the step that ended a failure, decisions, the task.

    Low: a routine read with the expected result. Everything else is normal.
    """
    if event_type in (EventType.TASK, EventType.DECISION, EventType.OUTCOME):
        return Importance.HIGH
    if status in FAILED_STATUSES or status is Status.DENIED or ends_failure or attempt > 1:
        return Importance.HIGH
    if tool_kind in _ROUTINE and status in (Status.OK, None):
        return Importance.LOW
    return Importance.NORMAL
