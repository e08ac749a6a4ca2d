"""`hindsight record`: any program's own events, from many processes at once."""

from __future__ import annotations

import json
import multiprocessing
from pathlib import Path

import pytest

from hindsight_cli.api import recording
from hindsight_cli.api.project import Project
from hindsight_cli.records.event import Event, Outcome
from tests.conftest import Hindsight


def start(hindsight: Hindsight) -> str:
    return str(hindsight("record", "start", "--task", "build it", "--json").data["session_id"])


def events_of(project: Project, session: str) -> list[Event]:
    path = project.traces.find(session)
    assert path is not None
    events, bad = project.traces.read(path)
    assert bad == []
    return events


def test_a_session_recorded_by_flags_is_a_trace(hindsight: Hindsight, project: Project) -> None:
    session = start(hindsight)
    common = ["record", "event", "--session", session]
    call = ["--type", "tool_call", "--tool", "bash", "--call-id", "1", "--input"]
    hindsight(*common, *call, '{"command": "make"}')
    answer = ["--type", "tool_result", "--tool", "bash", "--call-id", "1", "--exit-code", "2"]
    hindsight(*common, *answer, "--output", "make: *** [all] Error 2")
    hindsight(*common, "--type", "decision", "--output", "use cmake")
    done = hindsight("record", "end", "--session", session, "--outcome", "failure", "--json")
    assert done.data["session_id"] == session
    events = events_of(project, session)
    assert [(e.event_type.value, e.step_index) for e in events] == [
        ("task", 1),
        ("tool_call", 2),
        ("tool_result", 2),
        ("decision", 3),
        ("outcome", 3),
        ("end", 3),
    ]
    assert (events[2].status, events[2].exit_code) == ("error", 2)
    (row,) = hindsight("traces", "list", "--json").data["traces"]
    assert (row["outcome"], row["end_state"], row["failed_tool_calls"]) == (
        *("failure", "completed", 1),
    )


def test_a_call_that_brings_its_output_is_a_call_and_a_result(
    hindsight: Hindsight, project: Project
) -> None:
    session = start(hindsight)
    event = {"type": "tool_call", "tool": "bash", "input": {"command": "make"}, "exit_code": 2}
    hindsight(*("record", "event", "--session", session), stdin=json.dumps(event))
    kinds = [(e.event_type.value, e.step_index, e.status) for e in events_of(project, session)]
    assert kinds[1:] == [("tool_call", 2, None), ("tool_result", 2, "error")]


def test_json_lines_are_taken_all_or_none(hindsight: Hindsight, project: Project) -> None:
    session = start(hindsight)
    good = {"event_type": "message", "output": "first"}
    lines = [good, {"event_type": "hologram"}, good]
    done = hindsight(
        *("record", "event", "--session", session), stdin="\n".join(map(json.dumps, lines))
    )
    assert (done.code, "error[invalid_event]: event 2" in done.err) == (2, True)
    assert len(events_of(project, session)) == 1


@pytest.mark.parametrize(
    "line",
    [
        "not json",
        "[1]",
        '{"event_type": "tool_call"}',
        '{"event_type": "message", "actor": "ghost"}',
        '{"event_type": "tool_result", "tool_name": "x", "exit_code": "two"}',
        '{"event_type": "outcome"}',
        "{}",
        '{"event_type": "message", "extra": {"a": ' + "[" * 940 + "]" * 940 + "}}",
        '{"event_type": "message", "extra": {"a": ' + "[" * 5000 + "]" * 5000 + "}}",
    ],
)
def test_what_is_no_event_is_refused_by_name(
    hindsight: Hindsight, project: Project, line: str
) -> None:
    session = start(hindsight)
    done = hindsight("record", "event", "--session", session, stdin=line)
    assert done.code == 2
    assert "error[invalid_event]" in done.err
    assert "Traceback" not in done.err
    assert len(events_of(project, session)) == 1


def test_an_event_with_an_id_of_its_own_is_taken_once(
    hindsight: Hindsight, project: Project
) -> None:
    session = start(hindsight)
    event = json.dumps({"event_type": "message", "output": "x", "event_id": "mine"})
    for _ in range(2):
        hindsight("record", "event", "--session", session, stdin=event)
    assert [e.event_id for e in events_of(project, session)][1:] == ["mine"]


def test_secrets_are_gone_from_every_field_and_ids_stay_ids(
    hindsight: Hindsight, project: Project
) -> None:
    secrets = [f"ghp_{letter * 3}" + "a1B2c3D4e5" * 3 + "F6g" for letter in "xyz"]
    session = start(hindsight)
    lines = []
    for secret in (*secrets, secrets[0]):
        names = ("event_id", "server", "error_type", "timestamp", "tool_name", "call_id", "novel")
        event: dict[str, object] = {name: f"{name} {secret}" for name in names}
        lines.append(json.dumps({**event, "event_type": "tool_call", "output": f"is {secret}"}))
    done = hindsight("record", "event", "--session", session, stdin="\n".join(lines))
    assert done.code == 0
    written = b"".join(p.read_bytes() for p in project.folder.rglob("*") if p.is_file())
    assert all(secret.encode() not in written for secret in secrets)
    events = events_of(project, session)[1:]
    assert len({e.event_id for e in events}) == len(events) == 2 * len(secrets)
    assert [e.step_index for e in events] == [2, 2, 3, 3, 4, 4]


def test_the_session_may_come_from_the_environment(hindsight: Hindsight, project: Project) -> None:
    session = start(hindsight)
    line = '{"type": "message", "text": "x"}'
    assert hindsight("record", "event", stdin=line, HINDSIGHT_CLI_SESSION=session).code == 0
    assert len(events_of(project, session)) == 2


def test_a_result_finds_its_call_however_far_back(project: Project) -> None:
    session = recording.start(project, "long").session_id
    call = {"event_type": "tool_call", "tool_name": "slow", "call_id": "far", "input": {}}
    step = recording.record(project, session, [call]).step_index
    filler = [{"event_type": "message", "output": "m" * 190}] * 50
    for _ in range(20):
        recording.record(project, session, filler)
    path = project.traces.find(session)
    assert path is not None
    assert path.stat().st_size > 2 * 256 * 1024
    answer = {"event_type": "tool_result", "tool_name": "slow", "call_id": "far", "output": "ok"}
    recording.record(project, session, [answer])
    assert events_of(project, session)[-1].step_index == step


def test_many_writers_leave_no_gap_no_double_and_no_loss(project: Project) -> None:
    session = recording.start(project, "crowd").session_id
    jobs = [(project.root, session, n) for n in range(16)]
    with multiprocessing.get_context("fork").Pool(16) as pool:
        pool.map(_write, jobs)
    events = events_of(project, session)
    assert [e.seq for e in events] == list(range(1, len(events) + 1))
    opened = [e.step_index for e in events if e.event_type != "tool_result"]
    assert opened == list(range(1, len(opened) + 1))
    texts = [e.output_summary for e in events if e.event_type == "message"]
    assert sorted(texts) == sorted(f"{n}-{i}" for n in range(16) for i in range(20))
    by_call = {e.call_id: e.step_index for e in events if e.event_type == "tool_call"}
    assert len(by_call) == 16 * 20
    for event in events:
        if event.event_type == "tool_result":
            assert event.step_index == by_call[event.call_id]


def _write(job: tuple[Path, str, int]) -> None:
    root, session, number = job
    project = Project(root)
    for i in range(20):
        own = f"{number}-{i}"
        call = {"type": "tool_call", "tool": "t", "call_id": own, "input": {"n": i}}
        recording.record(project, session, [{"type": "message", "text": own}, call])
        answer = {"type": "tool_result", "tool": "t", "call_id": own, "text": "y" * 400}
        recording.record(project, session, [answer])


def test_an_outcome_reported_twice_is_the_last_one(project: Project) -> None:
    session = recording.start(project, "x").session_id
    recording.end(project, session, outcome=Outcome.FAILURE)
    recording.end(project, session, outcome=Outcome.SUCCESS)
    outcomes = [e.extra["outcome"] for e in events_of(project, session) if "outcome" in e.extra]
    assert outcomes == ["failure", "success"]


def test_a_result_is_judged_by_the_command_it_answers(
    hindsight: Hindsight, project: Project
) -> None:
    session = start(hindsight)
    call = {"type": "tool_call", "tool": "bash", "input": {"command": "make | tee log"}}
    answer = {"type": "tool_result", "tool": "bash", "output": "make: *** [all] Error 2"}
    for event in (call, answer):
        hindsight("record", "event", "--session", session, stdin=json.dumps(event))
    assert events_of(project, session)[-1].status == "error"
