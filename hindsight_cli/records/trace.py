"""One task of a session as reflection and validation read it."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from hindsight_cli.records.event import (
    FAILED_STATUSES,
    Actor,
    Event,
    EventType,
    Outcome,
    Status,
    ToolKind,
)
from hindsight_cli.records.jsonvalue import JsonValue

_ASIDE = (EventType.OTHER, EventType.COMPACTION, EventType.BOUNDARY, EventType.OUTCOME)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A tool call joined with its result.

    `input` and `output` are the full ones, not the shortened ones of the events.
    """

    step_index: int
    tool_name: str
    tool_kind: ToolKind
    input: JsonValue  # usually a dict of arguments
    output: str  # "" when there is no result
    status: Status
    exit_code: int | None = None
    error_type: str | None = None
    attempt: int = 1
    server: str | None = None
    call_event: Event
    result_event: Event | None = None

    @property
    def failed(self) -> bool:
        return self.status in FAILED_STATUSES

    @property
    def command(self) -> str:
        """The shell command of a shell call, else "" (the argument name differs by agent)."""
        if self.tool_kind is not ToolKind.SHELL:
            return ""
        if isinstance(self.input, str):
            return self.input
        if isinstance(self.input, Mapping):
            value = self.input.get("command", self.input.get("cmd", ""))
            return _line_of(value) if isinstance(value, list) else str(value)
        return ""


def is_abandoned(event: Event) -> bool:
    """Whether it is of a branch that the person went back on: it happened, and led nowhere."""
    return event.extra.get("branch") == "abandoned"


def _line_of(argv: list[JsonValue]) -> str:
    """A command given as words; `["bash", "-lc", script]` is its script."""
    words = [str(word) for word in argv]
    if len(words) == 3 and words[1].startswith("-") and words[1].endswith("c"):  # noqa: PLR2004
        return words[2]
    return " ".join(words)


def split_traces(events: Sequence[Event]) -> dict[str, list[Event]]:
    """The events of a session by the trace they belong to, in order.

    Every event names the trace it was recorded into; a `boundary` event moves all
    steps from `extra.from_step` on (up to the next boundary) to `extra.trace_id`, and
    the latest boundary at a step wins. Boundary events themselves are left out, and
    those that name no step or no trace are passed over. Where there are boundaries, a
    trace's first request reads as its task, whatever it was recorded as.
    """
    starts = boundary_starts(events)
    ordered = sorted(starts)
    traces: dict[str, list[Event]] = {}
    for event in events:
        if event.event_type is EventType.BOUNDARY:
            continue
        place = bisect_right(ordered, event.step_index)
        trace_id = starts[ordered[place - 1]] if place else event.trace_id
        traces.setdefault(trace_id, []).append(event)
    if starts:
        for own in traces.values():
            _begin_with_task(own)
    return traces


def boundary_starts(events: Sequence[Event]) -> dict[int, str]:
    """The trace that begins at a step, for every step that a valid boundary names."""
    starts: dict[int, str] = {}
    for event in events:
        if event.event_type is EventType.BOUNDARY:
            step, trace_id = event.extra.get("from_step"), event.extra.get("trace_id")
            if type(step) is int and isinstance(trace_id, str) and _is_id(trace_id):
                starts[step] = trace_id
    return starts


def _begin_with_task(events: list[Event]) -> None:
    """Read the first request as the task: split by hand it was recorded as a message."""
    for index, event in enumerate(events):
        if event.event_type is EventType.TASK and not event.injected:
            return
        is_request = event.event_type is EventType.MESSAGE and event.actor is Actor.USER
        if is_request and not event.injected and not is_abandoned(event):
            events[index] = replace(event, event_type=EventType.TASK)
            return


def _is_aside(event: Event) -> bool:
    """Whether an event says nothing of whose turn it is: what the harness wrote, notes."""
    if event.event_type is EventType.MESSAGE:
        return event.actor is Actor.SYSTEM
    return event.event_type in _ASIDE


def _is_id(text: str) -> bool:
    return text.encode("utf-8", "ignore").decode() == text != ""


@dataclass(frozen=True)
class Trace:
    """The events of one task with their full texts. Not slotted: calls are computed once.

    `texts` and `inputs` hold, by `seq`, only what differs from the event itself.
    """

    trace_id: str
    session_id: str
    agent: str
    events: Sequence[Event]
    texts: Mapping[int, str] = field(default_factory=dict)
    inputs: Mapping[int, JsonValue] = field(default_factory=dict)
    closes: bool = False  # its agent records the end of a run, and this is the session's last

    def text(self, event: Event) -> str:
        """The full text of a message or result."""
        return self.texts.get(event.seq, event.output_summary)

    def input(self, event: Event) -> JsonValue:
        """The full arguments of a call."""
        return self.inputs.get(event.seq, event.input)

    @cached_property
    def kept(self) -> Trace:
        """The same without what the person went back on; this one when that is nothing."""
        events = tuple(event for event in self.events if not is_abandoned(event))
        return self if len(events) == len(self.events) else replace(self, events=events)

    @cached_property
    def task(self) -> str:
        """What the user asked for first, in full; "" when nothing tells."""
        return next(
            (
                self.text(e)
                for e in self.events
                if e.event_type is EventType.TASK and not e.injected
            ),
            "",
        )

    @cached_property
    def calls(self) -> tuple[Call, ...]:
        """Every tool call in order, each with its result.

        A result belongs to the call of its own step: capture paired them.
        A call without a result has status `missing`; a result without a call
        stands alone as a call without input.
        """
        results: dict[int, list[Event]] = defaultdict(list)
        for event in self.events:
            if event.event_type is EventType.TOOL_RESULT:
                results[event.step_index].append(event)
        calls = []
        for event in self.events:
            if event.event_type is EventType.TOOL_CALL:
                waiting = results.get(event.step_index)
                calls.append(self._join(event, waiting.pop(0) if waiting else None))
        orphans = [self._join(e, e) for rest in results.values() for e in rest]
        return tuple(sorted([*calls, *orphans], key=lambda c: c.call_event.seq))

    @cached_property
    def call_by_step(self) -> Mapping[int, Call]:
        return {call.step_index: call for call in self.calls}

    @cached_property
    def outcome(self) -> tuple[Outcome, str]:
        """The recorded outcome and its source (reward, test, human ...); unknown if none."""
        for event in reversed(self.events):
            if event.event_type is EventType.OUTCOME:
                value = str(event.extra.get("outcome", ""))
                known = value in Outcome._value2member_map_
                return Outcome(value) if known else Outcome.UNKNOWN, str(event.extra.get("source"))
        return Outcome.UNKNOWN, "none"

    @cached_property
    def is_unfinished(self) -> bool:
        """Whether what is recorded breaks off where the agent was to go on, with no end told.

        So does a session that is still going on, and one that was left.
        """
        last = next((e for e in reversed(self.events) if not _is_aside(e)), None)
        if last is None or last.event_type is EventType.END:
            return last is None and self.closes
        waits = last.event_type in (EventType.TASK, EventType.TOOL_RESULT)
        waits = waits or (last.event_type is EventType.MESSAGE and last.actor is Actor.USER)
        waits = waits and self.outcome[0] is Outcome.UNKNOWN  # what was judged is over
        return self.closes or waits or any(c.status is Status.MISSING for c in self.calls)

    def _join(self, call: Event, result: Event | None) -> Call:
        status = Status.MISSING if result is None else (result.status or Status.UNKNOWN)
        return Call(
            step_index=call.step_index,
            tool_name=call.tool_name or (result.tool_name if result else None) or "unknown",
            tool_kind=call.tool_kind or ToolKind.OTHER,
            input=None if call is result else self.input(call),
            output="" if result is None else self.text(result),
            status=status,
            exit_code=result.exit_code if result else None,
            error_type=result.error_type if result else None,
            attempt=call.attempt or 1,
            server=call.server,
            call_event=call,
            result_event=result,
        )
