"""A trace as a person reads it, step by step."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hindsight_cli.cli.render import count
from hindsight_cli.errors import UsageError
from hindsight_cli.records.event import Event, EventType
from hindsight_cli.text import one_line, summarize

if TYPE_CHECKING:
    from hindsight_cli.api.traces import PlacedUnread, TraceReading
    from hindsight_cli.records.trace import Trace
    from hindsight_cli.traces.index import TraceRow

_INPUT_CHARS = 160
_HIDDEN = (EventType.OTHER, EventType.BOUNDARY)


def wanted_steps(given: str | None) -> tuple[int, int]:
    """`7` or `5-9` as first and last step; everything when not given.

    Raises:
        UsageError: it is neither.
    """
    if given is None:
        return 0, 2**31
    first, dash, last = given.partition("-")
    try:
        return int(first), int(last) if dash else int(first)
    except ValueError:
        raise UsageError(f"--steps {given!r} is no range.", hint="Like 7, or 5-9.") from None


def trace_text(row: TraceRow, reading: TraceReading, events: Sequence[Event], *, full: bool) -> str:
    trace = reading.trace
    whole = full and len(events) == len(trace.events)
    recorded = "no outcome recorded" if row.outcome == "unknown" else f"outcome {row.outcome}"
    lines = [
        f"trace {row.trace_id}  ({row.agent}, {row.started_at or 'no time recorded'})",
        f"task: {trace.task if whole else one_line(trace.task, 200) or '(none)'}",
        f"{count(row.steps, 'step')}, {count(row.tool_calls, 'call')}, "
        f"{row.failed_tool_calls} failed, "
        f"{row.denied_tool_calls} denied; {recorded}, {row.end_state}"
        + (" (the trace has no end)" if row.end_state == "unfinished" else ""),
        "",
    ]
    unread: dict[int, list[str]] = {}
    for found in reading.unread:
        unread.setdefault(found.after_seq, []).append(_unread_line(found))
    if events and events[0] == trace.events[0]:
        lines += unread.get(0, [])
    for event in events:
        if "gap" in event.extra:
            lines.append("     (gap: the record before this one is missing from the transcript)")
        if event.event_type not in _HIDDEN:
            lines += _event_lines(event, trace, full=full)
        lines += unread.get(event.seq, [])
    return "\n".join(lines)


def _unread_line(found: PlacedUnread) -> str:
    return f"     (line {found.line.line} could not be read: {one_line(found.line.reason, 160)})"


def _event_lines(event: Event, trace: Trace, *, full: bool) -> list[str]:
    text = trace.text(event) if full else summarize(event.output_summary)
    body = [f"        {line}" for line in text.split("\n") if line.strip() or full]
    if event.event_type is EventType.TOOL_RESULT:
        status = str(event.status or "unknown")
        if event.exit_code is not None:
            status += f", exit {event.exit_code}"
        if event.error_type:
            status += f", {event.error_type}"
        return [f"{event.step_index:4} -> {status}", *body]
    if event.event_type in (EventType.OUTCOME, EventType.END):
        value = event.extra.get("outcome") or event.extra.get("end_state") or ""
        return [f"     {event.event_type}: {value}"]
    mark = " (injected)" if event.injected else ""
    head = f"{event.step_index:4} {event.event_type}{mark}"
    if event.event_type is EventType.TOOL_CALL:
        again = f"  attempt {event.attempt}" if (event.attempt or 1) > 1 else ""
        given = trace.input(event) if full else event.input
        arguments = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
        shown = arguments if full else one_line(arguments, _INPUT_CHARS)
        return [f"{head} {event.tool_name}{again}", f"        {shown}"]
    return [head, *body]
