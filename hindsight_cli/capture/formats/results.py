"""The event of a tool's answer, made the same way for every format."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict, Unpack

from hindsight_cli.capture.draft import Blob, DraftEvent
from hindsight_cli.capture.formats.calls import Call
from hindsight_cli.capture.status import Verdict
from hindsight_cli.records.event import Actor, EventType, Status
from hindsight_cli.records.jsonvalue import JsonValue


class Said(TypedDict, total=False):
    """What a record tells of an answer, as DraftEvent has it."""

    timestamp: str | None
    text: str
    call_id: str | None
    native_status: str | None
    duration_ms: int | None
    blobs: tuple[Blob, ...]
    extra: Mapping[str, JsonValue]


def judged_result(call: Call | None, verdict: Verdict, **said: Unpack[Said]) -> DraftEvent:
    """The answer to `call` as judged; None: it answers no call that is known."""
    return DraftEvent(
        event_type=EventType.TOOL_RESULT,
        actor=Actor.TOOL,
        tool_name=(call.name or None) if call else None,
        tool_kind=call.kind if call else None,
        server=call.server if call else None,
        status=verdict.status,
        status_rule=verdict.rule,
        exit_code=verdict.exit_code,
        error_type=verdict.error_type,
        **said,
    )


def denied_result(call: Call, *, by_user: bool, **said: Unpack[Said]) -> DraftEvent:
    """A call that somebody, or a rule, did not let run."""
    rule = "denied_by_user" if by_user else "denied_by_policy"
    return judged_result(call, Verdict(status=Status.DENIED, rule=rule, error_type=rule), **said)
