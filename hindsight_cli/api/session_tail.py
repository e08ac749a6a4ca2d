"""Where a session stands, told from the end of its file. On a hot path: few imports."""

from __future__ import annotations

from collections.abc import Sequence

from hindsight_cli.capture.draft import DraftEvent
from hindsight_cli.capture.numbering import SessionState
from hindsight_cli.records.event import EventType
from hindsight_cli.traces.files import OpenSession

_TAIL_BYTES = 256 * 1024


def tail_state(
    session: OpenSession,
    session_id: str,
    drafts: Sequence[DraftEvent],
    *,
    window: int = _TAIL_BYTES,
) -> SessionState:
    """The state from as much of the file's tail as these events need.

    A result needs its call: `window` (bytes) grows until every call answered is in it.
    """
    while True:
        events, whole = session.tail(window)
        state = SessionState.of(session_id, events)
        if whole:
            return state
        state.has_task = True
        calls = {call.call_id for call in state.open_calls}
        calls |= {d.call_id for d in drafts if d.event_type is EventType.TOOL_CALL}
        results = [d for d in drafts if d.event_type is EventType.TOOL_RESULT]
        if events and all(r.call_id in calls or (not r.call_id and calls) for r in results):
            return state
        window *= 4
