"""A trace as one line a step, and one step of it in full. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from hindsight_cli.records.attribution import Attribution
from hindsight_cli.records.event import FAILED_STATUSES, Event, EventType, Importance, Status
from hindsight_cli.records.trace import Trace
from hindsight_cli.terminal import visible
from hindsight_cli.text import one_line
from hindsight_cli.tui.steps_view import OUTPUT_LINES, StepView, view_of_call
from hindsight_cli.tui.window import open_window

_HIDDEN = frozenset({EventType.BOUNDARY, EventType.OTHER})
_TEXT_CHARS = 300


@dataclass(slots=True)
class StepLine:
    """A step as the timeline shows it, with its events."""

    step_index: int
    events: list[Event] = field(default_factory=list)
    status: Status | None = None  # None: no call
    importance: Importance = Importance.NORMAL

    @property
    def failed(self) -> bool:
        return self.status in FAILED_STATUSES

    @property
    def stands_alone(self) -> bool:
        """Whether it tells of the run, not of a step."""
        return _stands_alone(self.events[0])

    @property
    def name(self) -> str:
        first = self.events[0]
        told = first.tool_name or first.event_type.value
        return one_line(visible(told), 40)

    @property
    def text(self) -> str:
        """What it was about, on one line that is safe for a terminal."""
        first = self.events[0]
        if first.event_type is EventType.TOOL_CALL:
            return one_line(visible(_given(first)[:1000]), _TEXT_CHARS)
        if first.event_type in (EventType.OUTCOME, EventType.END):
            told = first.extra.get("outcome") or first.extra.get("end_state") or ""
            return one_line(visible(str(told)), _TEXT_CHARS)
        return one_line(visible(first.output_summary[:1000]), _TEXT_CHARS)

    def matches(self, words: Sequence[str]) -> bool:
        """Whether every word stands in the tool's name, the input or the short output."""
        if not words:
            return True
        texts = [self.name, *(f"{_given(e)} {e.output_summary}" for e in self.events)]
        text = "\n".join(texts).casefold()
        return all(word in text for word in words)


@dataclass(frozen=True, slots=True)
class Notes:
    """What reflection by rules and an experience say of steps."""

    fixed_by: Mapping[int, int] = field(default_factory=dict)
    fixes: Mapping[int, int] = field(default_factory=dict)
    key: frozenset[int] = frozenset()
    invalid: Mapping[int, str] = field(default_factory=dict)  # reasons
    cited: frozenset[int] = frozenset()


def timeline(trace: Trace) -> list[StepLine]:
    """The steps of a trace in order; only its events are read, no full text. O(events)."""
    lines: list[StepLine] = []
    at: dict[int, StepLine] = {}
    for event in trace.events:
        if event.event_type in _HIDDEN:
            continue
        line = at.get(event.step_index)
        if line is None or _stands_alone(event):
            line = StepLine(event.step_index)
            lines.append(line)
            if not _stands_alone(event):
                at[event.step_index] = line
        line.events.append(event)
        if event.event_type is EventType.TOOL_CALL:
            line.status = Status.MISSING
        if event.event_type is EventType.TOOL_RESULT:
            line.status = event.status or Status.UNKNOWN
        if event.importance is not Importance.NORMAL and line.importance is not Importance.HIGH:
            line.importance = event.importance
    return lines


def notes_of(found: Attribution, cited: Iterable[int]) -> Notes:
    return Notes(
        fixed_by={r.failed_step: r.fixed_by_step for r in found.recoveries},
        fixes={r.fixed_by_step: r.failed_step for r in found.recoveries},
        key=frozenset(found.key_steps),
        invalid={s.step_index: s.reason for s in found.invalid_steps},
        cited=frozenset(cited),
    )


def step_views_of(trace: Trace, line: StepLine) -> tuple[StepView, ...]:
    """A step with its full texts cut to what a pane can bear. Reads files."""
    part = replace(trace, events=tuple(line.events))
    calls = [view_of_call(call, ()) for call in part.calls]
    return tuple(calls) or tuple(_of_event(trace, event) for event in line.events)


def full_text(trace: Trace, line: StepLine) -> str:
    """Everything recorded of a step, safe for a terminal. Reads files."""
    part = replace(trace, events=tuple(line.events))
    parts = []
    for call in part.calls:
        given = call.command or json.dumps(call.input, ensure_ascii=False, indent=2, default=str)
        parts += ["── input ──", given, "", "── output ──", call.output or "(none)"]
    if not parts:
        parts = [trace.text(event) for event in line.events]
    return visible("\n".join(parts))


def _of_event(trace: Trace, event: Event) -> StepView:
    about = [event.actor.value] if event.actor else []
    about += ["injected"] if event.injected else []
    about += [event.timestamp[:19]] if event.timestamp else []
    return StepView(
        step_index=event.step_index,
        tool=event.event_type.value,
        verdict="",
        status=None,
        note=visible(" · ".join(about)),
        given=(),
        output=open_window(trace.text(event), (), max_lines=OUTPUT_LINES),
        sign="·",
    )


def _stands_alone(event: Event) -> bool:
    return event.event_type in (EventType.OUTCOME, EventType.END, EventType.COMPACTION)


def _given(event: Event) -> str:
    value = event.input
    if isinstance(value, Mapping):
        values = [v if isinstance(v, str) else str(v) for v in value.values()]
        return " ".join(v[:400] for v in values)
    return "" if value is None else str(value)
