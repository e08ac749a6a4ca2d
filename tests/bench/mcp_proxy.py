"""`hindsight mcp proxy`: what it adds to a call, and what it costs.

    python -m tests.bench.mcp_proxy [--calls N] [--peers VENV]

The same server is asked directly, through us (recording into a project) and, with --peers,
through mcp-proxy, FastMCP's proxy and agentwit, installed in a virtual environment of their
own; all in one run, taking turns. mcp-proxy has no stdio on both sides: its client speaks
HTTP to it. A call sends and gets about 100 bytes; times are wall times of the client, which
reads bytes and parses nothing. CPU is that of all processes of a way but the server and the
client. A large answer is one of 10 MB, and one of 64 MB.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import socket
import statistics
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from hindsight_cli.api.project import Project
from tests.mcp.proxied import HELLO, PROXY, SCRIPTED, processes_in, wait_for

SIZES = (10_000_000, 64_000_000)
BIG_ROUNDS = 5
GIVEN_UP_S = 15
MAX_ADDED = 0.12  # of the best peer's added p50
MAX_BIG = 1.3  # times direct, 10 MB
FASTMCP = """
import sys
from fastmcp.server import create_proxy
server = {"command": sys.argv[1], "args": sys.argv[2:]}
create_proxy({"mcpServers": {"srv": server}}).run(show_banner=False)
"""


class Way:
    """A server reached over stdio, by `command` before the server's own."""

    def __init__(self, name: str, folder: Path, command: list[str]) -> None:
        self.name = name
        self.folder = folder / name.replace(" ", "-")
        self.folder.mkdir()
        self.pid_file = self.folder / "pid"
        self.server = [*SCRIPTED, f"--pid={self.pid_file}"]
        self.command = command
        self._id = 0

    def start(self) -> float:
        """Until the first answer; seconds."""
        began = time.perf_counter()
        self.process = subprocess.Popen(
            [*self.command, *self.server],
            cwd=self.folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.ask("initialize", HELLO)
        took = time.perf_counter() - began
        self.tell({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return took

    def tell(self, message: Mapping[str, object]) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method: str, params: Mapping[str, object]) -> int:
        """The size of the answer."""
        self._id += 1
        self.tell({"jsonrpc": "2.0", "id": self._id, "method": method, "params": params})
        assert self.process.stdout
        while b'"id"' not in (line := self.process.stdout.readline())[:200] + line[-200:]:
            assert line, f"{self.name} gave up"
        return len(line)

    def call_s(self, tool: str, **given: object) -> float:
        """Infinite where no answer comes; it is ended then."""
        if self.process.poll() is not None:
            return float("inf")
        watch = threading.Timer(GIVEN_UP_S, self.process.kill)
        watch.start()
        began = time.perf_counter()
        try:
            self.ask("tools/call", {"name": tool, "arguments": given})
        except (AssertionError, OSError, HTTPException):
            self.process.kill()
            return float("inf")
        finally:
            watch.cancel()
        return time.perf_counter() - began

    def cpu_s(self) -> float:
        """Of all that stands between the client and the server, so far."""
        server = int(self.pid_file.read_text())
        return sum(cpu_of(pid) for pid in processes_in(self.folder) - {server})

    def end(self) -> None:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.close()
        self.process.wait(5)
        self.process.stdout.close()


class HttpWay(Way):
    """One that is spoken to over HTTP; `{port}` in the command is where."""

    def start(self) -> float:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.session = ""
        began = time.perf_counter()
        self.process = subprocess.Popen(
            [word.format(port=self.port) for word in [*self.command, *self.server]],
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        wait_for(self._is_up)
        self.connection = HTTPConnection("127.0.0.1", self.port, timeout=120)
        self.ask("initialize", HELLO)
        took = time.perf_counter() - began
        self._post({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return took

    def ask(self, method: str, params: Mapping[str, object]) -> int:
        self._id += 1
        message = {"jsonrpc": "2.0", "id": self._id, "method": method, "params": params}
        return len(self._post(message))

    def end(self) -> None:
        self.process.terminate()
        self.process.wait(5)

    def _post(self, message: Mapping[str, object]) -> bytes:
        accept = "application/json, text/event-stream"
        headers = {"Content-Type": "application/json", "Accept": accept}
        if self.session:
            headers["Mcp-Session-Id"] = self.session
        self.connection.request("POST", "/mcp", json.dumps(message), headers)
        answer = self.connection.getresponse()
        self.session = answer.getheader("Mcp-Session-Id") or self.session
        return answer.read()

    def _is_up(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0


def cpu_of(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def ways_in(folder: Path, peers: Path | None) -> list[Way]:
    ways = [Way("direct", folder, []), Way("hindsight", folder, [*PROXY, "--name", "srv", "--"])]
    project = Project(ways[1].folder)
    project.init()
    if peers is not None:
        python = peers / "bin" / "python"
        script = folder / "fastmcp_proxy.py"
        script.write_text(FASTMCP)
        ways += [
            HttpWay("mcp-proxy", folder, [str(peers / "bin" / "mcp-proxy"), "--port={port}", "--"]),
            Way("FastMCP", folder, [str(python), str(script)]),
            Way("agentwit", folder, [str(peers / "bin" / "agentwit"), "proxy", "--stdio", "--"]),
        ]
    return ways


@contextlib.contextmanager
def running(ways: list[Way]) -> Iterator[list[float]]:
    try:
        yield [way.start() for way in ways]
    finally:
        for way in ways:
            try:
                way.end()
            except (OSError, subprocess.TimeoutExpired):
                way.process.kill()


def measure_calls(ways: list[Way], calls: int) -> dict[str, list[float]]:
    """Seconds of each call, in turns of ten."""
    took: dict[str, list[float]] = {way.name: [] for way in ways}
    for way in ways:
        way.call_s("echo", text="warm")
    for _ in range(calls // 10):
        for way in ways:
            took[way.name] += [way.call_s("echo", text="x" * 60) for _ in range(10)]
    return took


def measure_big(ways: list[Way], size: int) -> dict[str, float]:
    """Median seconds of a large answer; infinite where it does not come."""
    took: dict[str, list[float]] = {way.name: [] for way in ways}
    for _ in range(BIG_ROUNDS):
        for way in ways:
            took[way.name].append(way.call_s("big", bytes=size))
    return {name: statistics.median(values) for name, values in took.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--calls", type=int, default=500)
    parser.add_argument("--peers", type=Path, help="a virtual environment with the peers in it")
    given = parser.parse_args()
    os.environ.pop("HINDSIGHT_CLI_SESSION", None)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HINDSIGHT_CLI_DATA_DIR"] = str(Path(folder) / "user")
        ways = ways_in(Path(folder), given.peers)
        with running(ways) as started:
            before = {way.name: way.cpu_s() for way in ways}
            took = measure_calls(ways, given.calls)
            time.sleep(1)  # for recorders that are behind
            cpu = {way.name: way.cpu_s() - before[way.name] for way in ways}
            big = [measure_big(ways, size) for size in SIZES]
        report(ways, started, took, cpu, big)


def report(
    ways: list[Way],
    started: list[float],
    took: dict[str, list[float]],
    cpu: dict[str, float],
    big: list[dict[str, float]],
) -> None:
    middles = {name: statistics.median(values) for name, values in took.items()}
    tails = {name: statistics.quantiles(values, n=20)[18] for name, values in took.items()}
    print("               start   added per call, ms      own CPU     10 MB         64 MB")
    print("                  ms      p50       p95     ms a call   s    x direct   s    x direct")
    for way, start in zip(ways, started, strict=True):
        added = 1000 * (middles[way.name] - middles["direct"])
        late = 1000 * (tails[way.name] - tails["direct"])
        each = 1000 * cpu[way.name] / len(took[way.name])
        line = f"{way.name:12} {1000 * start:7.0f} {added:9.3f} {late:9.3f} {each:9.3f}"
        for sizes in big:
            line += f"  {sizes[way.name]:6.3f} {sizes[way.name] / sizes['direct']:6.2f}"
        print(line)
    print(f"direct: p50 {1000 * middles['direct']:.3f} ms, p95 {1000 * tails['direct']:.3f} ms")
    ours = middles["hindsight"] - middles["direct"]
    others = [middles[w.name] - middles["direct"] for w in ways[2:]]
    if others:
        share = ours / min(others)
        limit = f"(at most {MAX_ADDED}): {kept(share <= MAX_ADDED)}"
        print(f"added p50 against the best peer: {share:.3f} {limit}")
    ratio = big[0]["hindsight"] / big[0]["direct"]
    print(f"10 MB against direct: {ratio:.2f} x (at most {MAX_BIG}): {kept(ratio <= MAX_BIG)}")


def kept(is_kept: bool) -> str:
    return "kept" if is_kept else "MISSED"


if __name__ == "__main__":
    main()
