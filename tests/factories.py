"""Valid records by default; a test names only what it is about."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hindsight_cli.records.event import Actor, Event, EventType, Status, ToolKind
from hindsight_cli.records.experience import (
    Citation,
    Content,
    Experience,
    ExperienceKind,
    experience_to_dict,
)
from hindsight_cli.records.ledger import HUMAN, EntryKind, LedgerEntry
from hindsight_cli.records.trace import Trace

_EVENT = Event(
    session_id="s1",
    trace_id="s1",
    seq=1,
    step_index=1,
    event_id="e1",
    event_type=EventType.TOOL_CALL,
    actor=Actor.AGENT,
    tool_name="Bash",
    tool_kind=ToolKind.SHELL,
    timestamp="2026-11-01T10:00:00Z",
)
_CONTENT = Content(
    kind=ExperienceKind.FAILURE_LESSON,
    scenario="Starting a container whose host port is taken",
    recommend="Publish another host port, as in `docker run -p 3307:3306 mysql:8.4`.",
    avoid="Publishing port 3306 again.",
    citations=(Citation(session_id="s1", step_index=1, tool_name="Bash"),),
)
_EXPERIENCE = Experience(experience_id="ex-000000000001", trace_id="s1", content=_CONTENT)


def an_event(**changes: Any) -> Event:
    return replace(_EVENT, **changes)


def a_content(**changes: Any) -> Content:
    return replace(_CONTENT, **changes)


def an_experience(**changes: Any) -> Experience:
    """`scenario`, `recommend` and other content fields may be given directly."""
    inside = {k: changes.pop(k) for k in list(changes) if k in Content.__dataclass_fields__}
    content = replace(changes.pop("content", _CONTENT), **inside)
    return replace(_EXPERIENCE, content=content, **changes)


def an_entry(kind: EntryKind, experience: Experience | None = None, **changes: Any) -> LedgerEntry:
    """A human's entry that carries `experience`; further `data` fields in `data`."""
    data = dict(changes.pop("data", {}))
    if experience is not None:
        data["experience"] = experience_to_dict(experience)
    fields: dict[str, Any] = {
        "entry_id": f"{kind}-1",
        "experience_id": experience.experience_id if experience else "ex-000000000001",
        "at": "2026-11-01T10:00:00.000000Z",
        "by": HUMAN,
        **changes,
    }
    return LedgerEntry(entry=kind, data=data, **fields)


def a_trace(*calls: tuple[str, str, Status], task: str = "Deploy mysql") -> Trace:
    """A trace with its task and shell calls given as (command, output, status)."""
    events = [
        an_event(
            event_type=EventType.TASK,
            actor=Actor.USER,
            tool_name=None,
            tool_kind=None,
            output_summary=task,
        )
    ]
    texts = {}
    for n, (command, output, status) in enumerate(calls, 2):
        seq = 2 * n - 2
        events.append(an_event(seq=seq, step_index=n, event_id=f"c{n}", input={"command": command}))
        events.append(
            an_event(
                seq=seq + 1,
                step_index=n,
                event_id=f"r{n}",
                event_type=EventType.TOOL_RESULT,
                actor=Actor.TOOL,
                output_summary=output[:200],
                status=status,
            )
        )
        texts[seq + 1] = output
    return Trace("s1", "s1", "claude-code", tuple(events), texts)
