"""A client of a server behind `hindsight mcp proxy`, speaking line by line; what was recorded."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Self, TypeVar

from hindsight_cli.api.project import Project
from hindsight_cli.records.event import Event

Message = dict[str, Any]
T = TypeVar("T")
TIMEOUT_S = 30.0
SERVERS = Path(__file__).parent / "servers"
SCRIPTED = [sys.executable, str(SERVERS / "scripted.py")]
PROXY = [sys.executable, "-m", "hindsight_cli", "mcp", "proxy"]
HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "tester", "version": "1.2"},
}


def wait_for(found: Callable[[], T | None], timeout_s: float = TIMEOUT_S) -> T:
    """What `found` gives as soon as it is true."""
    deadline = time.monotonic() + timeout_s
    while True:
        value = found()
        if value:
            return value
        assert time.monotonic() < deadline, "it did not come to be"
        time.sleep(0.02)


class Proxied:
    """A proxy's process; every line it writes is kept, with the time it came."""

    def __init__(
        self,
        folder: Path,
        server: Sequence[str] = SCRIPTED,
        *options: str,
        direct: bool = False,
        **env: str,
    ) -> None:
        command = [*([] if direct else [*PROXY, "--name", "srv", *options, "--"]), *server]
        self.process = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, **env},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.raw: list[bytes] = []
        self.at: list[float] = []
        self.stderr = b""
        self._ids = itertools.count(1)
        self._threads = [threading.Thread(target=t) for t in (self._pump, self._drain)]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def hello(self) -> Self:
        self.ask("initialize", HELLO)
        self.notify("notifications/initialized")
        return self

    def write(self, data: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def notify(self, method: str, params: Message | None = None) -> None:
        self.write(
            json.dumps({"jsonrpc": "2.0", "method": method, "params": params or {}}).encode()
            + b"\n"
        )

    def send(self, method: str, params: Message, own: object = None) -> object:
        own = next(self._ids) if own is None else own
        request = {"jsonrpc": "2.0", "id": own, "method": method, "params": params}
        self.write(json.dumps(request, ensure_ascii=False).encode() + b"\n")
        return own

    def call(
        self, tool: str, own: object = None, meta: Message | None = None, **given: Any
    ) -> object:
        """Send a tool call without waiting; its id."""
        params: Message = {"name": tool, "arguments": given}
        return self.send("tools/call", {**params, **({"_meta": meta} if meta else {})}, own)

    def reply_to(self, own: object, timeout_s: float = TIMEOUT_S) -> Message:
        def found() -> Message | None:
            replies = (m for m in self.messages if m.get("id") == own and "method" not in m)
            return next(replies, None)

        return wait_for(found, timeout_s)

    def ask(self, method: str, params: Message) -> Message:
        return self.reply_to(self.send(method, params))

    def result(self, tool: str, **given: Any) -> Message:
        return dict(self.reply_to(self.call(tool, **given))["result"])

    @property
    def messages(self) -> list[Message]:
        return [json.loads(line) for line in self.raw.copy()]

    def end(self, timeout_s: float = TIMEOUT_S) -> int:
        """Close stdin; the exit code."""
        assert self.process.stdin
        try:
            if not self.process.stdin.closed:
                self.process.stdin.close()
        except BrokenPipeError:
            pass
        try:
            code = self.process.wait(timeout_s)
        finally:
            self.process.kill()
            self.process.wait()
            for thread in self._threads:
                thread.join()
            for stream in (self.process.stdout, self.process.stderr):
                if stream:
                    stream.close()
        return code

    def _pump(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self.at.append(time.monotonic())
            self.raw.append(line)

    def _drain(self) -> None:
        assert self.process.stderr
        for line in self.process.stderr:
            self.stderr += line


def text_of(result: Message) -> str:
    return str(result["content"][0]["text"])


def recorded(project: Project, *, ended: bool = True) -> list[Event]:
    """The events of the only session, once the recorder is done with it."""

    def found() -> list[Event]:
        files = list((project.folder / "traces").glob("*/*.proxy-*.jsonl"))
        events = project.traces.read(files[0])[0] if files else []
        return events if not ended or (events and events[-1].event_type == "end") else []

    return wait_for(found)


def told(events: Sequence[Event], kind: str) -> list[Event]:
    """The notes of one kind."""
    return [event for event in events if event.extra.get("mcp") == kind]


def processes_in(folder: Path) -> set[int]:
    """Processes at work in a folder, zombies too where their parent still is."""
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if (entry / "cwd").resolve() == folder.resolve():
                    found.add(int(entry.name))
            except OSError:
                continue
    return found
