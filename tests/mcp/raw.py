"""`hindsight mcp serve` as a real process, spoken to line by line."""

from __future__ import annotations

import itertools
import json
import os
import queue
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, Self

Message = dict[str, Any]
TIMEOUT_S = 30.0
HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


class RawServer:
    """A server process; every line it writes is kept."""

    def __init__(self, folder: Path, **env: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "hindsight_cli", "mcp", "serve"],
            cwd=folder,
            env={**os.environ, **env},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._ids = itertools.count(1)
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._early: dict[object, Message] = {}
        self.raw: list[bytes] = []
        self._stderr = b""
        self._threads = [
            threading.Thread(target=target, daemon=True) for target in (self._pump, self._drain)
        ]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> Self:
        self.ask("initialize", HELLO)
        self.notify("notifications/initialized")
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self, timeout_s: float = TIMEOUT_S) -> tuple[int, str]:
        """Close stdin; the exit code and what stands on stderr."""
        assert self.process.stdin
        self.process.stdin.close()
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
        return code, self._stderr.decode("utf-8", "replace")

    def write(self, data: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def notify(self, method: str, params: Message | None = None) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params or {}}
        self.write(json.dumps(message).encode() + b"\n")

    def send(self, method: str, params: Message) -> int:
        """Send a request without waiting; gives its id."""
        own = next(self._ids)
        request = {"jsonrpc": "2.0", "id": own, "method": method, "params": params}
        self.write(json.dumps(request, ensure_ascii=False).encode() + b"\n")
        return own

    def reply_to(self, own: object, timeout_s: float = TIMEOUT_S) -> Message:
        """The reply with this id, whatever comes before it."""
        while own not in self._early:
            message = json.loads(self._lines.get(timeout=timeout_s))
            self._early[message["id"]] = message
        return self._early.pop(own)

    def ask(self, method: str, params: Message, timeout_s: float = TIMEOUT_S) -> Message:
        return self.reply_to(self.send(method, params), timeout_s)

    def call(self, tool: str, timeout_s: float = TIMEOUT_S, **arguments: Any) -> Message:
        """The result of a tool call."""
        reply = self.ask("tools/call", {"name": tool, "arguments": arguments}, timeout_s)
        return dict(reply["result"])

    def rules(self, task: str, timeout_s: float = TIMEOUT_S, **more: Any) -> str:
        """The answer's text."""
        result = self.call("get_experience_rules", timeout_s, task_description=task, **more)
        assert not result["isError"], text_of(result)
        return text_of(result)

    def _pump(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self.raw.append(line)
            self._lines.put(line)

    def _drain(self) -> None:
        assert self.process.stderr
        self._stderr = self.process.stderr.read()


def text_of(result: Message) -> str:
    return str(result["content"][0]["text"])


def given(text: str) -> list[str]:
    """The ids of the rules in an answer's block."""
    return re.findall(r"^\d+\. .*?\[(ex-[0-9a-f]{12}), verified", text, re.MULTILINE)


def receipt_in(text: str) -> str:
    """The receipt of an answer's block, "" without one."""
    found = re.match(r'<hindsight-experience receipt="(inj-[0-9a-f]{12})">\n', text)
    return found[1] if found else ""
