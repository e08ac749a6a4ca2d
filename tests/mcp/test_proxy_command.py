"""The command line of the proxy, at both of its doors, and how its sessions are divided."""

from __future__ import annotations

import json
import sys

import pytest

from hindsight_cli.api.project import Project
from hindsight_cli.api.proxy_session import ProxySession
from hindsight_cli.api.proxying import ProxyRequest
from hindsight_cli.api.traces import list_traces
from hindsight_cli.capture.proxy.lines import Line
from hindsight_cli.cli.proxying import OPTIONS
from tests.conftest import run_hindsight

MINUTE_NS = 60_000_000_000
START_NS = 1_764_550_800_000_000_000


def test_both_doors_know_the_same_options(project: Project) -> None:
    shown = run_hindsight(["mcp", "proxy", "--help"], cwd=project.root, env={}).out
    listed = [w.strip(",") for line in shown.splitlines() for w in line.split()[:2] if w[:1] == "-"]
    assert set(listed) - {"--help"} == set(OPTIONS)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "Which server?"),
        (["--name", "x"], "Which server?"),
        (["--url", "http://127.0.0.1:1/mcp", "--", "true"], "Which server?"),
        (["--port", "x", "--url", "http://127.0.0.1:1/"], "--port"),
        (["--env", "NOVALUE", "--", "true"], "'NOVALUE' is no NAME=VALUE"),
        (["--project", "no-such-folder", "--", "true"], "no-such-folder"),
        (["--frobnicate", "--", "true"], "--frobnicate"),
    ],
)
def test_a_mistake_is_named_and_nothing_is_started(
    project: Project, arguments: list[str], words: str
) -> None:
    done = run_hindsight(["mcp", "proxy", *arguments], cwd=project.root, env={})
    assert done.code in (1, 2)
    assert (words in done.err, done.out) == (True, "")


def test_the_servers_own_options_are_its_own(project: Project) -> None:
    code = "import sys, json; print(json.dumps({'jsonrpc': '2.0', 'result': sys.argv[1:]}))"
    given = ["--name", "x", "--help", "--", "-p"]
    for dashes in ([], ["--"]):
        command = ["mcp", "proxy", *dashes, sys.executable, "-c", code, *given]
        done = run_hindsight(command, cwd=project.root, env={})
        assert json.loads(done.out)["result"] == given


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (["/usr/bin/my-server.sh", "--x"], "my-server"),
        (["npx", "-y", "@modelcontextprotocol/server-everything"], "server-everything"),
        (["python3", "servers/weather.py"], "weather"),
    ],
)
def test_a_server_without_a_name_gets_that_of_its_command(command: list[str], name: str) -> None:
    assert ProxyRequest(command).name == name


def test_a_name_of_an_address_has_no_secret_in_it() -> None:
    assert ProxyRequest([], url="https://me:pw@host:81/mcp?key=1").name == "host-81"


def call(session: ProxySession, number: int, at_ns: int) -> None:
    request = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": "go"}}
    data = json.dumps(request).encode()
    session.from_client(Line(data, len(data), b""), at_ns)
    data = json.dumps({"jsonrpc": "2.0", "id": number, "result": {"content": []}}).encode()
    session.from_server(Line(data, len(data), b""), at_ns + 1_000_000)


@pytest.mark.parametrize(("minutes", "calls"), [(29, [2]), (31, [1, 1])])
def test_after_a_long_rest_a_connection_is_at_something_else(
    project: Project, minutes: int, calls: list[int]
) -> None:
    session = ProxySession(project, "srv", str(project.root))
    call(session, 1, START_NS)
    call(session, 2, START_NS + minutes * MINUTE_NS)
    session.end()
    assert sorted(row.tool_calls for row in list_traces(project)) == calls


def test_within_a_run_a_long_rest_is_of_the_same_task(project: Project) -> None:
    env = {**project.env, "HINDSIGHT_CLI_SESSION": "run-1"}
    session = ProxySession(Project(project.root, env=env), "srv", str(project.root))
    for number in (1, 2):
        call(session, number, START_NS + number * 60 * MINUTE_NS)
    session.end()
    assert [(row.session_id, row.tool_calls) for row in list_traces(project)] == [("run-1", 2)]
