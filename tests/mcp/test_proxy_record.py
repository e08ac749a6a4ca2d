"""What the proxy records of a session: calls paired with their answers, and what else was said."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from hindsight_cli.api.project import Project
from hindsight_cli.api.traces import list_traces
from hindsight_cli.records.event import Event, EventType
from tests.conftest import run_hindsight
from tests.mcp.proxied import SCRIPTED, Proxied, recorded, told, wait_for

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def results(events: list[Event]) -> list[Event]:
    return [event for event in events if event.event_type is EventType.TOOL_RESULT]


def test_a_session_of_its_own_is_named_by_time_and_client(project: Project) -> None:
    with Proxied(project.root) as client:
        client.hello().result("echo", a=1)
    events = recorded(project)
    (path,) = (project.folder / "traces").glob("*/*")
    assert path.name == f"{events[0].session_id}.proxy-srv.jsonl"
    assert path.stat().st_mode & 0o777 == 0o600
    assert events[0].session_id.startswith(f"mcp-{time.strftime('%Y%m')}")
    assert "-tester-" in events[0].session_id
    session = events[0].extra["session"]
    assert (session["agent"], session["agent_version"]) == ("tester", "1.2")
    (hello,) = told(events, "initialize")
    assert hello.extra["server_info"] == {"name": "scripted", "version": "1"}
    assert hello.extra["protocol"] == "2025-06-18"
    call, result = (e for e in events if e.event_type.startswith("tool_"))
    assert (call.tool_name, call.tool_kind, call.server, call.input) == (
        "echo",
        "mcp",
        "srv",
        {"a": 1},
    )
    assert (result.status, result.step_index) == ("ok", call.step_index)
    assert result.duration_ms is not None
    assert events[-1].extra["end_state"] == "completed"


def test_a_client_that_ends_while_the_recorder_is_behind_costs_no_call(project: Project) -> None:
    """Redacting this much takes longer than anybody waits for the end of a proxy."""
    text, calls = "a line with password=hunter2secret and words " * 4_000, 16
    with Proxied(project.root) as client:
        client.hello()
        for _ in range(calls):
            client.result("echo", a=text)
        began = time.monotonic()
        assert client.end() == 0
        waited_s = time.monotonic() - began

    events = recorded(project)

    assert waited_s < 5
    assert len(results(events)) == calls
    assert events[-1].extra["end_state"] == "completed"


def test_a_proxied_session_is_a_trace_that_is_listed_and_reflected(project: Project) -> None:
    with Proxied(project.root) as client:
        client.hello()
        client.result("fail", table="orders")
    session_id = recorded(project)[0].session_id
    (row,) = list_traces(project)
    assert (row.trace_id, row.agent, row.failed_tool_calls) == (session_id, "tester", 1)
    log = project.folder / "logs" / "proxy.log"
    wait_for(lambda: log.is_file() and session_id in log.read_text())
    shown = run_hindsight(["traces", "show", session_id], cwd=project.root, env={})
    assert "fail" in shown.out


def test_tools_fail_on_two_channels(project: Project) -> None:
    with Proxied(project.root) as client:
        client.hello()
        client.result("fail")
        client.reply_to(client.call("no-such-tool"))
    by_flag, by_error = results(recorded(project))
    assert (by_flag.status, by_flag.native.status) == ("error", "isError")
    assert by_flag.output_summary == "Error: no such table: orders"
    assert (by_error.status, by_error.native.status) == ("error", "error")
    assert (by_error.error_type, by_error.extra["jsonrpc_code"]) == ("invalid_args", -32602)


def test_a_cancelled_call_is_no_failure_of_the_tool(project: Project) -> None:
    with Proxied(project.root) as client:
        client.hello()
        client.call("slow", "c-1", seconds=30)
        client.notify("notifications/cancelled", {"requestId": "c-1", "reason": "took too long"})
        client.ask("ping", {})
    (result,) = results(recorded(project))
    assert (result.status, result.status_rule) == ("cancelled", "cancelled_by_client")
    assert result.output_summary == "took too long"


def test_a_server_that_died_is_told_of_with_the_calls_it_left(project: Project) -> None:
    with Proxied(project.root) as client:
        client.hello()
        client.call("slow", seconds=60)
        client.reply_to(client.call("crash"))
    events = recorded(project)
    assert [(r.status, r.error_type, r.exit_code) for r in results(events)] == [
        ("error", "server_crashed", 7)
    ] * 2
    assert "the database is gone" in results(events)[0].output_summary
    (crash,) = told(events, "server_crashed")
    assert crash.extra["stderr"] == ["Traceback: the database is gone"]
    assert events[-1].extra["end_state"] == "server_crashed"


def test_progress_questions_and_unknown_messages_are_noted(project: Project) -> None:
    with Proxied(project.root) as client:
        client.hello()
        client.reply_to(client.call("progress", meta={"progressToken": 7}))
        client.result("notes")
        call = client.call("sample")
        wait_for(lambda: any(m.get("id") == "from-server" for m in client.messages))
        client.write(b'{"jsonrpc":"2.0","id":"from-server","result":{"text":"pick"}}\n')
        client.reply_to(call)
    events = recorded(project)
    progress = told(events, "notifications/progress")
    first_call = next(e for e in events if e.event_type is EventType.TOOL_CALL)
    assert [e.extra["call"] for e in progress] == [first_call.call_id] * 5
    assert told(events, "notifications/x-unknown")
    assert told(events, "notifications/tools/list_changed")
    question, answer = told(events, "sampling/createMessage")
    assert (question.extra["from"], answer.extra["from"]) == ("server", "client")
    assert answer.output_summary == '{"text": "pick"}'


def test_each_line_of_noise_is_one_note(project: Project) -> None:
    with Proxied(project.root, [*SCRIPTED, "--banner"]) as client:
        client.hello().result("noise")
    noise = [event.output_summary for event in told(recorded(project), "noise")]
    assert noise == [
        *("ready", "", "loading model...", "", "[INFO] started"),
        *("{'jsonrpc': 'debug'}", '{"level": "info"}'),
    ]


def test_what_a_server_babbles_without_end_is_counted_and_not_kept(project: Project) -> None:
    with Proxied(project.root) as client:
        client.hello()
        for _ in range(300):
            client.result("noise")
    events = recorded(project)
    assert len(told(events, "noise")) == 1000
    assert events[-1].extra["left_out"] == {"noise": 500}
    assert len(results(events)) == 300


def test_definitions_of_tools_are_kept_once(project: Project) -> None:
    with Proxied(project.root) as client:
        client.hello()
        for _ in range(3):
            client.ask("tools/list", {})
    (note,) = told(recorded(project), "tools/list")
    assert note.output_ref is not None
    text = project.outputs.find(note.output_ref)
    tools = json.loads(text or b"")
    assert {"name", "description", "schema_sha256"} == set(tools[0])
    assert note.extra["tools"] == len(tools) > 5


def test_an_id_that_two_open_calls_share_is_flagged_and_not_guessed(project: Project) -> None:
    with Proxied(project.root) as client:
        client.hello()
        client.call("slow", 5, seconds=0.5)
        client.call("echo", 5, a=1)
        wait_for(lambda: sum(m.get("id") == 5 for m in client.messages) == 2)
        client.result("echo", own_step=True)
    events = recorded(project)
    calls = [e for e in events if e.event_type is EventType.TOOL_CALL]
    assert [bool(r.extra.get("ambiguous_id")) for r in results(events)] == [True, True, False]
    steps = {call.step_index for call in calls[:2]}
    assert steps.isdisjoint(r.step_index for r in results(events)[:2])
    assert results(events)[2].step_index == calls[2].step_index


def test_one_and_the_text_one_are_two_ids(project: Project) -> None:
    with Proxied(project.root) as client:
        client.hello()
        client.call("slow", 31, seconds=0.3)
        client.call("echo", "31", a=1)
        wait_for(lambda: sum(m.get("id") in (31, "31") for m in client.messages) == 2)
    events = recorded(project)
    assert not any("ambiguous_id" in event.extra for event in events)
    steps = {e.tool_name: e.step_index for e in events if e.event_type is EventType.TOOL_CALL}
    assert {r.tool_name: r.step_index for r in results(events)} == steps


def test_no_secret_reaches_the_record(project: Project) -> None:
    options = ["--env", f"SRV_TOKEN=plain-looking-{'x' * 4}"]
    with Proxied(project.root, SCRIPTED, *options, DB_PASSWORD="hunter2-hunter2") as client:
        client.hello()
        client.result("echo", token=SECRET, said="hunter2-hunter2")
        client.result("env")
        client.reply_to(client.call("crash"))
    recorded(project)
    kept = b"".join(p.read_bytes() for p in project.folder.rglob("*") if p.is_file())
    for secret in (SECRET, "hunter2-hunter2", "plain-looking-xxxx"):
        assert secret.encode() not in kept


def test_inside_a_run_the_session_is_that_of_the_run(project: Project) -> None:
    for _ in range(2):
        with Proxied(project.root, HINDSIGHT_CLI_SESSION="run-1") as client:
            client.hello().result("echo", a=1)
    path = project.traces.find_source("run-1", "proxy-srv")
    assert path is not None
    events = wait_for(
        lambda: (
            [e for e in project.traces.read(path)[0] if e.event_type == "end"][1:]
            and project.traces.read(path)[0]
        )
    )
    assert len({e.call_id for e in events if e.event_type is EventType.TOOL_CALL}) == 2
    assert [e.seq for e in events] == list(range(1, len(events) + 1))


def test_two_proxies_of_one_server_share_a_file_and_lose_nothing(project: Project) -> None:
    clients = [Proxied(project.root, HINDSIGHT_CLI_SESSION="run-1").hello() for _ in range(2)]
    for number in range(20):
        for client in clients:
            client.result("echo", n=number)
    for client in clients:
        client.end()
    path = project.traces.find_source("run-1", "proxy-srv")
    assert path is not None
    events = wait_for(
        lambda: (
            [e for e in project.traces.read(path)[0] if e.event_type == "end"][1:]
            and project.traces.read(path)[0]
        )
    )
    assert [e.seq for e in events] == list(range(1, len(events) + 1))
    assert len(results(events)) == 40
    steps = {e.call_id: e.step_index for e in events if e.event_type is EventType.TOOL_CALL}
    assert {r.call_id: r.step_index for r in results(events)} == steps


def test_a_huge_answer_costs_only_its_own_record(project: Project) -> None:
    with Proxied(project.root) as client:
        client.hello()
        client.result("big", bytes=20_000_000)
        client.result("echo", a=1)
    cut, small = results(recorded(project))
    assert (cut.tool_name, cut.status, cut.status_rule) == ("big", "unknown", "too_long_to_keep")
    assert cut.extra["cut_bytes"] > 20_000_000
    assert (small.tool_name, small.status) == ("echo", "ok")


@pytest.mark.parametrize("how", ["no project", "paused", "excluded"])
def test_where_nothing_is_to_be_recorded_nothing_is(
    project: Project, tmp_path: Path, how: str
) -> None:
    folder = project.root
    if how == "no project":
        folder = tmp_path / "elsewhere"
        folder.mkdir()
    elif how == "paused":
        run_hindsight(["pause"], cwd=project.root, env={})
    else:
        folder = project.root / "private"
        folder.mkdir()
        (project.folder / "project.toml").write_text('exclude = ["private"]\n')
    with Proxied(folder) as client:
        client.hello().result("echo", a=1)
        assert client.end() == 0
    assert client.stderr == b""
    assert not list(project.folder.glob("traces/*/*"))
    assert not (folder / ".hindsight").exists() or folder == project.root


def test_what_a_reflector_runs_is_not_observed(project: Project) -> None:
    with Proxied(project.root, HINDSIGHT_CLI_REFLECTING="1") as client:
        client.hello().result("echo", a=1)
    assert not (project.folder / "traces").exists()
