"""The proxy of a server that speaks HTTP: as without it, for this machine alone, no header kept."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

import pytest
from mcp.client import Client

from hindsight_cli.api.project import Project
from hindsight_cli.records.event import EventType
from tests.mcp.proxied import PROXY, SERVERS, recorded, told, wait_for

ERAS = [("auto", "2026-07-28"), ("legacy", "2025-11-25")]
TOKEN = "not-a-known-shape-of-token-91"


class HttpProxy:
    """A proxy's process; `host` and `port` are where it listens."""

    def __init__(self, project: Project, url: str) -> None:
        self.process = subprocess.Popen(
            [*PROXY, "--name", "srv", "--url", url], cwd=project.root, stderr=subprocess.PIPE
        )
        assert self.process.stderr
        self.said = self.process.stderr.readline().decode()
        self.url = self.said.split()[-1]
        self.port = int(self.url.split(":")[2].split("/")[0])

    def end(self) -> int:
        self.process.terminate()
        code = self.process.wait(10)
        assert self.process.stderr
        self.rest = self.process.stderr.read().decode()
        self.process.stderr.close()
        return code

    def ask(self, method: str, body: object = None, **headers: str) -> tuple[int, bytes]:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        data = None if body is None else json.dumps(body).encode()
        connection.request(method, "/mcp", data, headers)
        answer = connection.getresponse()
        found = answer.status, answer.read()
        connection.close()
        return found


class Upstream(BaseHTTPRequestHandler):
    """A server that tells what it was asked, and streams when asked to."""

    protocol_version = "HTTP/1.1"
    asked: ClassVar[list[dict[str, Any]]] = []
    gone: ClassVar[threading.Event] = threading.Event()

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append({"path": self.path, "headers": dict(self.headers), "body": body})
        name = body.get("params", {}).get("name")
        if name == "stream":
            self.stream()
            return
        size = 64_000_000 if name == "big" else 2
        result = {"content": [{"type": "text", "text": "x" * size}]}
        data = json.dumps({"jsonrpc": "2.0", "id": body.get("id"), "result": result}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Mcp-Session-Id", "s-1")
        self.send_header("X-Own", TOKEN)
        self.end_headers()
        self.wfile.write(data)

    def stream(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        try:
            for number in range(1000):
                note = {"jsonrpc": "2.0", "method": "notifications/x", "params": {"n": number}}
                data = f"event: message\ndata: {json.dumps(note)}\n\n".encode()
                self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))
                time.sleep(0.02)
        except OSError:
            self.gone.set()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def upstream() -> Iterator[str]:
    Upstream.asked.clear()
    Upstream.gone.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Upstream)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/mcp?key=s3cr3t-in-the-address"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def official() -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, str(SERVERS / "official.py"), str(port)]
    server = subprocess.Popen(command, stderr=subprocess.DEVNULL)

    def is_up() -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    wait_for(is_up)
    yield f"http://127.0.0.1:{port}/mcp"
    server.kill()
    server.wait()


async def visit(url: str, mode: str) -> list[Any]:
    heard: list[tuple[float, float | None]] = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, total))

    async with Client(url, mode=mode) as client:
        seen: list[Any] = [
            await client.list_tools(),
            await client.call_tool("add", {"a": 2, "b": 3}),
        ]
        seen.append(await client.call_tool("refuse", {"why": "表不存在"}))
        seen.append(await client.call_tool("count", {"to": 3}, progress_callback=on_progress))
        calls = [client.call_tool("add", {"a": n, "b": n}) for n in range(10)]
        seen += await asyncio.gather(*calls)
        return [client.protocol_version, *(s.model_dump(mode="json") for s in seen), heard]


@pytest.mark.parametrize(("mode", "version"), ERAS, ids=["stateless", "handshake"])
def test_a_client_sees_the_same_with_and_without_the_proxy(
    project: Project, official: str, mode: str, version: str
) -> None:
    direct = asyncio.run(visit(official, mode))
    proxy = HttpProxy(project, official)
    proxied = asyncio.run(visit(proxy.url, mode))
    assert proxy.end() == 128 + signal.SIGTERM
    assert proxied == direct
    assert proxied[0] == version

    events = recorded(project)
    assert events[0].extra["session"]["agent"] == "mcp"
    calls = {e.step_index: e for e in events if e.event_type is EventType.TOOL_CALL}
    results = {e.step_index: e for e in events if e.event_type is EventType.TOOL_RESULT}
    assert set(calls) == set(results)
    assert len(calls) == 13
    for step, call in calls.items():
        if call.tool_name == "add":
            assert str(call.input["a"] + call.input["b"]) in results[step].output_summary
    assert len(told(events, "notifications/progress")) == 3


def test_headers_pass_both_ways_and_none_is_recorded(project: Project, upstream: str) -> None:
    proxy = HttpProxy(project, upstream)
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "echo"}}
    connection = HTTPConnection("127.0.0.1", proxy.port, timeout=5)
    headers = {"Authorization": f"Bearer {TOKEN}", "X-Api-Key": TOKEN, "Mcp-Session-Id": "s-1"}
    connection.request("POST", "/mcp?a=1", json.dumps(body), headers)
    answer = connection.getresponse()
    assert json.loads(answer.read())["id"] == 1
    assert (answer.status, answer.getheader("X-Own")) == (200, TOKEN)
    connection.close()
    (asked,) = Upstream.asked
    assert asked["path"] == "/mcp?a=1&key=s3cr3t-in-the-address"
    assert headers.items() <= asked["headers"].items()
    assert asked["headers"]["Host"] == upstream.split("/")[2]
    assert proxy.end() == 128 + signal.SIGTERM
    assert "s3cr3t" not in proxy.said + proxy.rest
    assert recorded(project)
    kept = b"".join(p.read_bytes() for p in project.folder.rglob("*") if p.is_file())
    assert TOKEN.encode() not in kept
    assert b"s3cr3t" not in kept


def test_a_stream_comes_as_it_is_written_and_ends_with_its_client(
    project: Project, upstream: str
) -> None:
    proxy = HttpProxy(project, upstream)
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "stream"}}
    connection = HTTPConnection("127.0.0.1", proxy.port, timeout=5)
    connection.request("POST", "/mcp", json.dumps(body))
    answer = connection.getresponse()
    began = time.monotonic()
    lines = [answer.readline() for _ in range(9)]
    assert time.monotonic() - began < 2
    assert [json.loads(line[6:])["params"]["n"] for line in lines[1::3]] == [0, 1, 2]
    answer.close()
    connection.close()
    assert Upstream.gone.wait(5)
    proxy.end()
    assert len(told(recorded(project), "notifications/x")) >= 3


def test_an_answer_of_64_mb_passes(project: Project, upstream: str) -> None:
    proxy = HttpProxy(project, upstream)
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "big"}}
    status, data = proxy.ask("POST", body)
    assert (status, len(json.loads(data)["result"]["content"][0]["text"])) == (200, 64_000_000)
    assert proxy.ask("POST", {**body, "params": {"name": "small"}})[0] == 200
    proxy.end()


def test_web_pages_and_names_that_lead_here_are_refused(project: Project, upstream: str) -> None:
    proxy = HttpProxy(project, upstream)
    body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    assert proxy.ask("POST", body)[0] == 200
    assert proxy.ask("POST", body, Origin="http://localhost:3000")[0] == 200
    assert proxy.ask("POST", body, Origin="https://evil.example")[0] == 403
    assert proxy.ask("POST", body, Origin="null")[0] == 403
    assert proxy.ask("POST", body, Host="evil.example")[0] == 403
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.2", proxy.port)).close()
    assert len(Upstream.asked) == 2
    proxy.end()


def test_a_server_that_cannot_be_reached_is_an_error_that_names_it(project: Project) -> None:
    proxy = HttpProxy(project, "http://127.0.0.1:1/mcp")
    body = {"jsonrpc": "2.0", "id": "a", "method": "ping"}
    status, data = proxy.ask("POST", body)
    answer = json.loads(data)
    assert (status, answer["id"], answer["error"]["code"]) == (502, "a", -32000)
    assert "'srv' cannot be reached" in answer["error"]["message"]
    proxy.end()


@pytest.mark.parametrize("url", ["ftp://x/", "not a url", "http:///mcp", "http://x:port/"])
def test_what_is_no_address_is_refused(project: Project, url: str) -> None:
    done = subprocess.run(
        [*PROXY, "--url", url], cwd=project.root, capture_output=True, check=False
    )
    assert done.returncode == 2
    assert b"no address of a server" in done.stderr


def test_the_death_of_who_started_it_ends_it(project: Project, upstream: str) -> None:
    code = f"import subprocess, time; p = subprocess.Popen({[*PROXY, '--url', upstream]!r}); "
    code += "print(p.pid, flush=True); time.sleep(60)"
    parent = subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=project.root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert parent.stdout
    assert parent.stderr
    pid = int(parent.stdout.readline())
    parent.stderr.readline()
    parent.kill()
    parent.wait()

    def is_gone() -> bool:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        return False

    wait_for(is_gone, 10)
    parent.communicate()
