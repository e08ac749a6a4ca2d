"""Which step, attempt and trace an event gets. Pure: the state of one session, carried along."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from hindsight_cli.capture.boundaries import TaskState
from hindsight_cli.records.event import (
    FAILED_STATUSES,
    STEP_OPENERS,
    Actor,
    Event,
    EventType,
    Status,
)
from hindsight_cli.records.jsonvalue import JsonValue

_SAFE_ID = re.compile(r"[A-Za-z0-9_-]{1,100}")
_IGNORED_ARGUMENTS = frozenset({"description", "timeout", "timeout_ms"})


def safe_session_id(native: str) -> str:
    """An id that is one plain file name on every system; equal to `native` where that is one."""
    if _SAFE_ID.fullmatch(native):
        return native
    slug = re.sub(r"[^A-Za-z0-9_-]+", "-", native).strip("-")[:60] or "session"
    return f"{slug}-{hashlib.sha256(native.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def call_signature(tool_name: str | None, arguments: JsonValue, input_ref: str | None) -> str:
    """Equal for two calls that ask for the same thing; free-text descriptions do not count.

    `input_ref` names the full arguments where those given are shortened.
    """
    if isinstance(arguments, dict):
        arguments = {k: v for k, v in arguments.items() if k not in _IGNORED_ARGUMENTS}
    key = json.dumps([tool_name, arguments, input_ref], sort_keys=True, default=str)
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:16]


@dataclass(slots=True)
class OpenCall:
    """A call that has no result yet."""

    call_id: str | None
    tool_name: str | None
    signature: str
    event: Event


@dataclass(frozen=True, slots=True)
class Place:
    """Where the next event goes."""

    seq: int
    step_index: int
    trace_id: str
    attempt: int = 1
    ends_failure: bool = False
    answers: Event | None = None  # the call a result belongs to


@dataclass(slots=True)
class SessionState:
    """What must be remembered of a session to number its next event.

    Built from the session's events, or from a tail of them that reaches back over
    every unanswered call that may still be answered.
    """

    session_id: str
    trace_id: str
    seq: int = 0
    step_index: int = 0
    has_task: bool = False
    event_ids: set[str] = field(default_factory=set)
    open_calls: list[OpenCall] = field(default_factory=list)
    attempts: dict[str, int] = field(default_factory=dict)
    failing_tools: set[str] = field(default_factory=set)
    trace_ids: set[str] = field(default_factory=set)
    last_start: int = 0  # the last step that a boundary names
    task: TaskState = field(default_factory=TaskState)

    @classmethod
    def begin(cls, session_id: str) -> SessionState:
        return cls(session_id=session_id, trace_id=session_id)

    @classmethod
    def of(cls, session_id: str, events: Iterable[Event], *, lines: int = 0) -> SessionState:
        """The state after `events`; `lines` when the file has more lines than events."""
        state = cls.begin(session_id)
        for event in events:
            state.note(event)
        state.seq = max(state.seq, lines)
        return state

    def place(self, event_type: EventType, call_id: str | None, tool_name: str | None) -> Place:
        """Where an event of this type goes; the state is left as it is."""
        answers = None
        step = self.step_index
        if event_type in STEP_OPENERS:
            step += 1
        elif event_type is EventType.TOOL_RESULT:
            found = self._find_call(call_id, tool_name)
            answers = found.event if found else None
            step = answers.step_index if answers else step + 1
        return Place(seq=self.seq + 1, step_index=step, trace_id=self.trace_id, answers=answers)

    def attempt_of(self, tool_name: str | None, arguments: JsonValue, input_ref: str | None) -> int:
        """The how-manieth time this very call is made in the session, from 1."""
        return self.attempts.get(call_signature(tool_name, arguments, input_ref), 0) + 1

    def ends_failure(self, tool_name: str | None, status: Status | None) -> bool:
        return status is Status.OK and tool_name in self.failing_tools

    def note(self, event: Event) -> None:
        """Take an event that was given its place into the state."""
        self.seq = max(self.seq + 1, event.seq)
        self.step_index = max(self.step_index, event.step_index)
        self.trace_id = event.trace_id
        self.event_ids.add(event.event_id)
        self.trace_ids.add(event.trace_id)
        self.task.note(event)
        if event.event_type is EventType.BOUNDARY:
            self._note_boundary(event)
        self.has_task = self.has_task or event.event_type is EventType.TASK
        if event.event_type is EventType.TOOL_CALL:
            signature = call_signature(event.tool_name, event.input, event.extra.get("input_ref"))
            self.attempts[signature] = self.attempts.get(signature, 0) + 1
            self.open_calls.append(OpenCall(event.call_id, event.tool_name, signature, event))
        elif event.event_type is EventType.TOOL_RESULT:
            found = self._find_call(event.call_id, event.tool_name)
            if found is not None:
                self.open_calls.remove(found)
            self._note_status(event)

    def boundary(self, *, from_step: int, trace_id: str, timestamp: str | None) -> Event:
        """An event that moves the steps from `from_step` on, to the next boundary, to a trace.

        Its own trace is that of the last step, so that a reader of the tail knows it.
        """
        own = trace_id if from_step >= self.last_start else self.trace_id
        seq = self.seq + 1
        key = f"{self.session_id}\nboundary\n{seq}\n{from_step}\n{trace_id}"
        return Event(
            session_id=self.session_id,
            trace_id=own,
            seq=seq,
            step_index=self.step_index,
            event_id=hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:20],
            event_type=EventType.BOUNDARY,
            timestamp=timestamp,
            actor=Actor.SYSTEM,
            extra={"from_step": from_step, "trace_id": trace_id},
        )

    def _note_boundary(self, event: Event) -> None:
        step, trace_id = event.extra.get("from_step"), event.extra.get("trace_id")
        if type(step) is int and isinstance(trace_id, str):
            self.trace_ids.add(trace_id)
            self.last_start = max(self.last_start, step)

    def _note_status(self, event: Event) -> None:
        if not event.tool_name:
            return
        if event.status in FAILED_STATUSES:
            self.failing_tools.add(event.tool_name)
        elif event.status is Status.OK:
            self.failing_tools.discard(event.tool_name)

    def _find_call(self, call_id: str | None, tool_name: str | None) -> OpenCall | None:
        """The nearest preceding unanswered call: by id, else by tool name, else the last one.

        Call ids repeat inside a run (tau-bench), so never through a dict over the run.
        """
        if call_id is not None:
            return next((c for c in reversed(self.open_calls) if c.call_id == call_id), None)
        anonymous = [c for c in self.open_calls if tool_name in (None, c.tool_name)]
        return anonymous[-1] if anonymous else None
