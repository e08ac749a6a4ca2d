"""A trace written as ATIF and read again is the same trace."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from hindsight_cli.capture.draft import Draft, DraftEvent, SessionInfo
from hindsight_cli.capture.formats import atif
from hindsight_cli.capture.numbering import SessionState
from hindsight_cli.capture.recorder import EventBuilder
from hindsight_cli.records.event import STEP_OPENERS, Actor, Event, EventType, Status, ToolKind
from hindsight_cli.records.trace import Trace
from hindsight_cli.redact import Redactor
from hindsight_cli.traces.atif import to_atif

PHASES = [Phase.explicit, Phase.generate, Phase.shrink]
QUICK = settings(
    max_examples=200,
    phases=PHASES,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    deadline=None,
)
REDACTOR = Redactor()
SESSION = SessionInfo(session_id="run", agent="oven-agent", agent_version="2", cwd="/srv/bakery")
TEXTS = st.sampled_from(
    ["", "rye", "Executed Bash c1", "<system-reminder>x</system-reminder>", "焙く", "Exit Code: 2"]
) | st.text(max_size=300)
NAMES = st.sampled_from(["Bash", "Read", "mcp__oven__heat", "task", ""])
IDS = st.none() | st.sampled_from(["c1", "c2", "call_3"])
SCALARS = st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=9)
INPUTS = SCALARS | st.dictionaries(st.text(max_size=5), SCALARS, max_size=3) | st.lists(SCALARS)
TIMES = st.none() | st.sampled_from(["2026-09-20T08:00:00Z", "2026-09-20T08:00:01.5Z", "noon"])
EXTRAS: st.SearchStrategy[dict[str, Any]] = st.just({}) | st.just(
    {"branch": "abandoned", "levels": [1, {"deep": None}]}
)
USAGES = st.none() | st.just({"input_tokens": 5, "output_tokens": 2})


def plain(event_type: EventType) -> st.SearchStrategy[DraftEvent]:
    actors = st.sampled_from(list(Actor))
    if event_type in (EventType.REASONING, EventType.MESSAGE):
        actors = st.just(Actor.AGENT) | actors
    extra = EXTRAS
    if event_type is EventType.OUTCOME:
        extra = st.sampled_from([{"outcome": o, "source": "test"} for o in ("success", "failure")])
    return st.builds(
        DraftEvent,
        event_type=st.just(event_type),
        actor=actors,
        text=TEXTS,
        timestamp=TIMES,
        injected=st.booleans(),
        extra=extra,
    )


CALLS = st.builds(
    DraftEvent,
    event_type=st.just(EventType.TOOL_CALL),
    actor=st.sampled_from([Actor.AGENT, Actor.USER]),
    timestamp=TIMES,
    tool_name=NAMES,
    tool_kind=st.none() | st.sampled_from(list(ToolKind)),
    server=st.none() | st.just("oven"),
    call_id=IDS,
    input=INPUTS,
    extra=EXTRAS,
)
RESULTS = st.builds(
    DraftEvent,
    event_type=st.just(EventType.TOOL_RESULT),
    actor=st.just(Actor.TOOL),
    timestamp=TIMES,
    text=TEXTS,
    tool_name=st.none() | NAMES,
    call_id=IDS,
    status=st.sampled_from(list(Status)),
    status_rule=st.none() | st.just("exit_code"),
    native_status=st.none() | st.sampled_from(["ok", "error"]),
    exit_code=st.none() | st.integers(-1, 255),
    error_type=st.none() | st.just("nonzero_exit"),
    duration_ms=st.none() | st.integers(0, 10**6),
    extra=EXTRAS,
)
OTHERS = st.sampled_from(
    [
        t
        for t in EventType
        if t not in (EventType.BOUNDARY, EventType.TOOL_CALL, EventType.TOOL_RESULT)
    ]
).flatmap(plain)
RECORDS = st.lists(st.tuples(CALLS | RESULTS | OTHERS, USAGES), min_size=1, max_size=14)


class Store:
    """Full texts by hash, as the output store keeps them."""

    def __init__(self) -> None:
        self.held: dict[str, bytes] = {}

    def put(self, raw: bytes) -> str:
        ref = hashlib.sha256(raw).hexdigest()
        self.held[ref] = raw
        return ref

    def trace(self, events: Sequence[Event]) -> Trace:
        texts = {e.seq: self.held[e.output_ref].decode() for e in events if e.output_ref}
        refs = {e.seq: str(e.extra["input_ref"]) for e in events if "input_ref" in e.extra}
        inputs = {seq: json.loads(self.held[ref]) for seq, ref in refs.items()}
        about = next(e.extra["session"] for e in events if "session" in e.extra)
        return Trace(
            trace_id=events[0].trace_id,
            session_id=events[0].session_id,
            agent=about["agent"],
            events=tuple(events),
            texts=texts,
            inputs=inputs,
        )


def captured(drafts: Sequence[Draft], session_id: str) -> Trace:
    store = Store()
    builder = EventBuilder(SessionState.begin(session_id), REDACTOR, store.put)
    return store.trace([event for draft in drafts for event in builder.build(draft)])


def round_trip(trace: Trace, path: Path) -> Trace:
    document = to_atif(trace, name=None, subagents={})
    path.write_text(json.dumps(document), encoding="utf-8")
    drafts = [record for record in atif.read(path) if isinstance(record, Draft)]
    assert len(drafts) == len(document["steps"])
    return captured(drafts, drafts[0].session.session_id)


def told(trace: Trace, event: Event) -> tuple[Any, ...]:
    """What an event says, without its place in the file."""
    return (
        *(event.step_index, event.event_type, event.actor, event.timestamp, event.tool_name),
        *(event.tool_kind, event.server, event.call_id, repr(trace.input(event))),
        *(trace.text(event), event.status, event.status_rule, event.exit_code, event.error_type),
        *(event.attempt, event.duration_ms, event.injected, event.native.status),
        repr({k: v for k, v in event.extra.items() if k not in ("session", "input_ref")}),
    )


def tokens(trace: Trace) -> int:
    return sum((e.native.usage or {}).get("input_tokens", 0) for e in trace.events)


@QUICK
@given(records=RECORDS)
def test_steps_statuses_and_outcome_survive(
    tmp_path: Path, records: list[tuple[DraftEvent, dict[str, int] | None]]
) -> None:
    drafts = [
        Draft(session=SESSION, line=n, native_type="x", native_id=f"{n}", events=(e,), usage=usage)
        for n, (e, usage) in enumerate(records, start=1)
    ]
    trace = captured(drafts, "run")

    again = round_trip(trace, tmp_path / "t.json")

    openers = [told(trace, e) for e in trace.events if e.event_type in STEP_OPENERS]
    assert [told(again, e) for e in again.events if e.event_type in STEP_OPENERS] == openers
    # A result may move up to its call, so it is looked for by its step.
    both = [
        sorted(
            (told(one, e) for e in one.events if e.event_type is EventType.TOOL_RESULT), key=repr
        )
        for one in (trace, again)
    ]
    assert both[0] == both[1]
    assert again.outcome == trace.outcome
    assert tokens(again) == tokens(trace)
    assert (again.agent, again.task) == (trace.agent, trace.task)


@QUICK
@given(records=RECORDS)
def test_a_second_export_tells_of_the_same_steps(
    tmp_path: Path, records: list[tuple[DraftEvent, dict[str, int] | None]]
) -> None:
    drafts = [
        Draft(session=SESSION, line=n, native_type="x", native_id=f"{n}", events=(named(e, n),))
        for n, (e, _) in enumerate(records, start=1)
    ]
    first = round_trip(captured(drafts, "run"), tmp_path / "1.json")
    second = round_trip(first, tmp_path / "2.json")

    assert second.session_id == first.session_id == "run-export"
    assert known_by(tmp_path / "2.json") == known_by(tmp_path / "1.json")


def named(event: DraftEvent, number: int) -> DraftEvent:
    """A call with an id of its own: one that gets its id on export gets another each time."""
    if event.event_type is EventType.TOOL_CALL:
        return replace(event, call_id=f"c{number}")
    if event.event_type is EventType.TOOL_RESULT:
        return replace(event, call_id=event.call_id or "c1")
    return event


def known_by(path: Path) -> list[str | None]:
    return [record.native_id for record in atif.read(path) if isinstance(record, Draft)]


@pytest.mark.parametrize("value", [5, [], "x", {"message": 3}, {"message": {"status": ["ok"]}}])
def test_what_another_program_put_under_our_name_is_no_harm(tmp_path: Path, value: Any) -> None:
    step = {"step_id": 1, "source": "user", "message": "Bake.", "extra": {"hindsight": value}}
    given_document = {"schema_version": "ATIF-v1.7", "session_id": "r1", "steps": [step]}
    path = tmp_path / "t.json"
    path.write_text(json.dumps(given_document), encoding="utf-8")

    (draft,) = [r for r in atif.read(path) if isinstance(r, Draft)]

    assert draft.events[0].text == "Bake."
