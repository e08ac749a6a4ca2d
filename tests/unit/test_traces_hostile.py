"""One bad line in a trace file costs itself, whatever it holds and whoever reads the file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hindsight_cli.api import recording
from hindsight_cli.api.deleting import delete_trace
from hindsight_cli.api.failures import list_failures
from hindsight_cli.api.project import Project
from hindsight_cli.api.reflecting import reflect
from hindsight_cli.api.traces import list_traces, read_trace
from hindsight_cli.records.event import Event, EventType, event_from_dict
from hindsight_cli.records.trace import split_traces
from tests.factories import an_event

CALL = {"event_type": "tool_call", "tool_name": "bash", "input": {"command": "make"}}
RESULT = {
    "event_type": "tool_result",
    "tool_name": "bash",
    "exit_code": 2,
    "output": "make: *** no",
}
HUGE = 10**30
NO_OBJECTS: list[Any] = [[], "x", None, 5]
NO_NATIVE: list[Any] = [[], "x", 5, {"usage": []}, {"line": "1"}, {"id": 5}]
NO_STEPS: list[Any] = ["x", None, [], True, 1.5]
NO_TRACES: list[Any] = [None, 5, "", "\ud800"]

BAD: list[dict[str, Any]] = [
    *({"extra": value} for value in NO_OBJECTS),
    *({"native": value} for value in NO_NATIVE),
    *({name: 5} for name in ("trace_id", "session_id", "event_id", "output_summary")),
    *({name: None} for name in ("trace_id", "session_id", "event_id", "output_summary")),
    *({name: 5} for name in ("output_ref", "tool_name", "call_id", "server", "status_rule")),
    *({name: []} for name in ("error_type", "timestamp", "event_type", "actor", "status")),
    *({name: "x"} for name in ("seq", "step_index", "attempt", "exit_code", "duration_ms")),
    *({name: True} for name in ("seq", "step_index", "attempt", "exit_code", "output_bytes")),
    *({name: float("inf")} for name in ("seq", "step_index", "attempt", "duration_ms", "v")),
    *({name: HUGE} for name in ("seq", "step_index")),
    *({name: "\ud800"} for name in ("trace_id", "session_id", "event_id")),
    {"injected": "no"},
    {"extra": {"session": "x"}},
    {"extra": {"blobs": ["x"]}},
    {"extra": {"blobs": [{"ref": 1}]}},
    {"extra": {"input_ref": 5}},
]


def a_line(**fields: Any) -> dict[str, Any]:
    least = {"session_id": "s", "trace_id": "s", "seq": 3, "step_index": 2, "event_id": "e"}
    fails = {"event_type": "tool_result", "status": "error", "actor": "tool", "tool_name": "bash"}
    return {**least, **fails, **fields}


@pytest.mark.parametrize("fields", BAD, ids=repr)
def test_fields_of_other_types_are_no_event(fields: dict[str, Any]) -> None:
    assert event_from_dict(a_line()).failed
    with pytest.raises(ValueError, match=r"."):
        event_from_dict(a_line(**fields))


def recorded(project: Project) -> tuple[str, Path]:
    session = recording.start(project, "build it").session_id
    recording.record(project, session, [CALL, RESULT])
    path = project.traces.find(session)
    assert path is not None
    return session, path


def test_every_command_passes_over_bad_lines(project: Project) -> None:
    session, path = recorded(project)
    good = len(project.traces.read(path)[0])
    own = {"session_id": session, "trace_id": session}
    with path.open("a") as file:
        for number, fields in enumerate(BAD):
            line = a_line(**{**own, "seq": 10 + number, "event_id": str(number), **fields})
            file.write(json.dumps(line) + "\n")
        deep = '{"input": ' + "[" * 100_000 + "]" * 100_000 + "}"
        file.write(f"{deep}\n[1]\nnull\n\x00\xff\n")

    (row,) = list_traces(project)
    assert (row.trace_id, row.events, row.failed_tool_calls) == (session, good, 1)
    reading = read_trace(project, session)
    assert len(reading.trace.events) == good
    assert len(reading.bad_lines) == len(BAD) + 4
    assert len(list_failures(project)) == 1
    assert reflect(project, [session])

    after = recording.record(project, session, [{"event_type": "message", "output": "go on"}])
    assert after.step_index == row.steps + 1
    assert len(read_trace(project, session).trace.events) == good + 1

    assert delete_trace(project, session).session_id == session
    assert list_traces(project) == []


def test_a_line_of_another_session_harms_neither(project: Project) -> None:
    (session, _), (other, path) = recorded(project), recorded(project)
    with path.open("a") as file:
        file.write(json.dumps(a_line(session_id=session, trace_id=other, seq=1)) + "\n")

    rows = {row.session_id: row for row in list_traces(project)}

    assert set(rows) == {session, other}
    assert {row.task for row in rows.values()} == {"build it"}


@pytest.mark.parametrize(
    "extra",
    [
        *({"from_step": step, "trace_id": "b"} for step in NO_STEPS),
        *({"from_step": 2, "trace_id": name} for name in NO_TRACES),
        {"from_step": 2},
        {},
    ],
    ids=repr,
)
def test_a_boundary_that_names_no_step_or_no_trace_is_passed_over(extra: dict[str, Any]) -> None:
    events: list[Event] = [
        an_event(seq=1, step_index=1),
        an_event(seq=2, step_index=1, event_type=EventType.BOUNDARY, extra=extra),
        an_event(seq=3, step_index=2),
    ]

    (only,) = split_traces(events).values()

    assert [event.seq for event in only] == [1, 3]
