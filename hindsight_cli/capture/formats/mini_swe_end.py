"""How a mini-swe-agent run ended."""

from __future__ import annotations

import re
from collections.abc import Mapping

from hindsight_cli.capture.draft import DraftEvent
from hindsight_cli.records.event import Actor, EventType
from hindsight_cli.records.jsonvalue import JsonValue

_STATES = {
    "Submitted": "completed",
    "LimitsExceeded": "limits exceeded",
    "TimeExceeded": "timed out",
    "RepeatedFormatError": "aborted",
    "KeyboardInterrupt": "interrupted",
    "UserInterruption": "interrupted",
}
_EXCEPTION = re.compile(r"\w+(?:Error|Exception|Expired)")
_MAX_DETAIL_CHARS = 2_000


def end_event(
    info: Mapping[str, JsonValue], extra: Mapping[str, JsonValue], timestamp: str | None
) -> DraftEvent:
    """The `end` of a run by its exit status, with what it cost.

    That an agent submitted something does not say that it solved its task: there is no
    `outcome` in it.
    """
    status = extra.get("exit_status") or info.get("exit_status")
    status = status if isinstance(status, str) else ""
    kept: dict[str, JsonValue] = {"end_state": _state(status)}
    if status:
        kept["exit_status"] = status
    stats = info.get("model_stats")
    for key, name in (("instance_cost", "cost"), ("api_calls", "api_calls")):
        value = stats.get(key) if isinstance(stats, dict) else None
        if isinstance(value, int | float) and not isinstance(value, bool):
            kept[name] = value
    detail = extra.get("exception_str")
    if isinstance(detail, str) and detail:
        kept["detail"] = detail[:_MAX_DETAIL_CHARS]
    return DraftEvent(event_type=EventType.END, actor=Actor.SYSTEM, timestamp=timestamp, extra=kept)


def _state(status: str) -> str:
    if status in _STATES:
        return _STATES[status]
    if _EXCEPTION.fullmatch(status):
        return "crashed"
    return status or "completed"
