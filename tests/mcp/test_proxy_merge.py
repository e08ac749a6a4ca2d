"""A session that a proxy saw as well: told once, with all that either knows of it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from hindsight_cli.api.merging import filled_by_proxies
from hindsight_cli.api.project import Project
from hindsight_cli.api.traces import list_traces, read_trace
from hindsight_cli.records.event import Event, EventType, Status
from tests.conftest import run_hindsight
from tests.factories import an_event
from tests.mcp.proxied import PROXY, SCRIPTED

AGENT = """
import json, subprocess, sys
def talk(name, *calls):
    server = subprocess.Popen(
        [*PROXY, "--name", name, "--", *SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    for number, (tool, given) in enumerate(calls):
        params = {"name": tool, "arguments": given}
        call = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
        server.stdin.write(json.dumps(call).encode() + b"\\n")
        server.stdin.flush()
        server.stdout.readline()
    server.stdin.close()
    server.wait()
talk("one", ("echo", {"a": 1}), ("fail", {}))
talk("two", ("echo", {"b": 2}))
print("the agent says little")
"""


def pair(step: int, name: str, given: dict[str, int], **more: object) -> list[Event]:
    call = an_event(
        step_index=step, event_type=EventType.TOOL_CALL, tool_name=name, input=given, timestamp=None
    )
    result = replace(call, event_type=EventType.TOOL_RESULT, input=None, output_summary="text")
    told = {"timestamp": None, "duration_ms": None, "status": None, "server": None}
    return [replace(call, server=more.get("server")), replace(result, **{**told, **more})]  # type: ignore[arg-type]


def seen(step: int, tool: str, given: dict[str, int], took_ms: int) -> list[Event]:
    at = f"2026-12-01T00:00:0{step}.000000Z"
    events = pair(step, tool, given, server="my db", duration_ms=took_ms, status=Status.OK)
    return [replace(event, timestamp=at) for event in events]


@pytest.mark.parametrize("name", ["mcp__my_db__run_sql", "mcp_my_db_run_sql", "my_db_run_sql"])
def test_a_transcript_gets_times_from_the_proxy_call_by_call(name: str) -> None:
    ours = [*pair(1, name, {"q": 1}), *pair(2, name, {"q": 2}), *pair(3, name, {"q": 1})]
    proxy = [
        *seen(1, "run_sql", {"q": 1}, 11),
        *seen(2, "run_sql", {"q": 1}, 12),
        *seen(3, "run_sql", {"q": 2}, 13),
    ]
    merged = filled_by_proxies(ours, [proxy])
    assert [e.duration_ms for e in merged if e.event_type is EventType.TOOL_RESULT] == [11, 13, 12]
    assert {e.server for e in merged} == {"my db"}
    assert [e.tool_name for e in merged] == [name] * 6
    assert all(e.timestamp for e in merged)


def test_only_what_is_empty_is_filled() -> None:
    own = pair(1, "mcp__my_db__q", {}, status=Status.ERROR, duration_ms=5, server="db")
    merged = filled_by_proxies(own, [seen(1, "q", {}, 11)])
    assert [(e.status, e.duration_ms, e.server) for e in merged[1:]] == [(Status.ERROR, 5, "db")]


def unequal() -> list[Event]:
    return [*seen(1, "q", {}, 1), *seen(2, "q", {}, 2)]


def ambiguous() -> list[Event]:
    return [replace(e, extra={"ambiguous_id": True}) for e in seen(1, "q", {}, 1)]


@pytest.mark.parametrize(
    "proxy", [unequal(), ambiguous(), seen(1, "q", {"other": 1}, 1), seen(1, "other", {}, 1)]
)
def test_what_cannot_be_told_apart_stays_apart(proxy: Sequence[Event]) -> None:
    own = pair(1, "mcp__my_db__q", {})
    assert filled_by_proxies(own, [proxy]) == own


def agent(folder: Path) -> list[str]:
    path = folder / "agent.py"
    path.write_text(f"PROXY, SERVER = {PROXY!r}, {SCRIPTED!r}\n{AGENT}")
    return [sys.executable, str(path)]


def test_a_run_of_an_unknown_agent_is_what_its_proxies_saw(project: Project) -> None:
    command = ["run", "--task", "count the orders", "--", *agent(project.root)]
    done = run_hindsight(command, cwd=project.root, env={})
    assert (done.code, done.out) == (0, "the agent says little\n")
    (row,) = list_traces(project)  # the run waited until its proxies had recorded
    assert (row.task, row.tool_calls, row.failed_tool_calls) == ("count the orders", 3, 1)
    events = read_trace(project, row.trace_id).trace.events
    calls = [(e.server, e.tool_name) for e in events if e.event_type is EventType.TOOL_CALL]
    assert calls == [("one", "echo"), ("one", "fail"), ("two", "echo")]
    steps = [e.step_index for e in events if e.event_type is EventType.TOOL_RESULT]
    assert steps == sorted(set(steps))


def test_a_program_that_records_itself_keeps_its_own_session(project: Project) -> None:
    script = agent(project.root)
    record = [sys.executable, "-m", "hindsight_cli", "record", "event"]
    record += ["--type", "message", "--text", "hello"]
    code = f"import subprocess; subprocess.run({script!r}); subprocess.run({record!r}, check=True)"
    command = ["run", "--task", "say hello", "--", sys.executable, "-c", code]
    done = run_hindsight(command, cwd=project.root, env={})
    assert done.code == 0, done.err
    (row,) = list_traces(project)
    assert (row.task, row.tool_calls) == ("say hello", 0)
    assert len(project.traces.find_proxies(row.session_id)) == 2
