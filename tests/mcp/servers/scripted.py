"""An MCP server for tests: each tool does one thing that real servers do. No imports of ours."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

Message = dict[str, Any]
_LOCK = threading.Lock()
_CANCELLED: set[object] = set()
_SEEN: list[Message] = []
_ANSWERS: dict[object, Message] = {}


def write(text: str) -> None:
    with _LOCK:
        sys.stdout.write(text)
        sys.stdout.flush()


def send(**message: Any) -> None:
    write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")


def text(value: object) -> Message:
    return {"content": [{"type": "text", "text": str(value)}]}


def echo(request: Message, arguments: Message) -> Message:
    return text(json.dumps(arguments, ensure_ascii=False))


def env(request: Message, arguments: Message) -> Message:
    return text(json.dumps(dict(os.environ)))


def seen(request: Message, arguments: Message) -> Message:
    return text(json.dumps(_SEEN))


def big(request: Message, arguments: Message) -> Message:
    return text("x" * arguments["bytes"])


def slow(request: Message, arguments: Message) -> Message | None:
    until = time.monotonic() + arguments["seconds"]
    while time.monotonic() < until:
        if request["id"] in _CANCELLED:
            return None
        time.sleep(0.02)
    return text("slept")


def fail(request: Message, arguments: Message) -> Message:
    return {**text("Error: no such table: orders"), "isError": True}


def progress(request: Message, arguments: Message) -> Message:
    token = request["params"]["_meta"]["progressToken"]
    for number in range(5):
        params = {"progressToken": token, "progress": number, "_meta": {"x": number}}
        send(method="notifications/progress", params=params)
    return {**text("done"), "structuredContent": {"n": 5}, "_meta": {"own": {"deep": [None]}}}


def notes(request: Message, arguments: Message) -> Message:
    send(method="notifications/x-unknown", params={"a": None})
    send(method="notifications/tools/list_changed")
    return text("noted")


def sample(request: Message, arguments: Message) -> Message:
    params = {"messages": [], "maxTokens": 5}
    send(id="from-server", method="sampling/createMessage", params=params)
    while "from-server" not in _ANSWERS:
        time.sleep(0.01)
    return text(json.dumps(_ANSWERS["from-server"]))


def noise(request: Message, arguments: Message) -> Message:
    write("loading model...\n\n[INFO] started\n{'jsonrpc': 'debug'}\n{\"level\": \"info\"}\n")
    return text("quiet")


def crash(request: Message, arguments: Message) -> Message:
    sys.stderr.write("Traceback: the database is gone\n")
    sys.stderr.flush()
    if arguments.get("kill"):
        os.kill(os.getpid(), signal.SIGKILL)
    os._exit(7)


def child(request: Message, arguments: Message) -> Message:
    started = subprocess.Popen(["sleep", "1000"])
    return text(started.pid)


TOOLS = {
    tool.__name__: tool
    for tool in (*(echo, env, seen, big, slow, fail, progress, notes, sample, noise, crash, child),)
}
LISTED = [
    {"name": name, "description": f"Does {name}.", "inputSchema": {"type": "object"}}
    for name in TOOLS
]


def answer(request: Message) -> None:
    method, params = request["method"], request.get("params") or {}
    own = request["id"]
    result: Message
    if method == "initialize":
        info = {"name": "scripted", "version": "1"}
        version = params.get("protocolVersion")
        result = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
    elif method == "tools/list":
        result = {"tools": LISTED}
    elif method == "ping":
        result = {}
    elif method == "tools/call" and params.get("name") in TOOLS:
        found = TOOLS[params["name"]](request, params.get("arguments") or {})
        if found is None:
            return
        result = found
    elif method == "tools/call":
        send(id=own, error={"code": -32602, "message": f"Unknown tool: {params.get('name')}"})
        return
    else:
        send(id=own, error={"code": -32601, "message": "Method not found", "data": {"x": None}})
        return
    send(id=own, result=result)


def main() -> None:
    for option in sys.argv[1:]:
        if option == "--banner":
            write("ready\n\n")
        elif option == "--deaf":  # to its input's end and to SIGTERM
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        elif option.startswith("--pid="):
            Path(option[6:]).write_text(str(os.getpid()))
    for line in sys.stdin:
        message = json.loads(line)
        _SEEN.append(message)
        if message.get("method") == "notifications/cancelled":
            _CANCELLED.add(message["params"]["requestId"])
        elif "method" in message and "id" in message:
            threading.Thread(target=answer, args=(message,), daemon=True).start()
        elif "method" not in message:
            _ANSWERS[message["id"]] = message
    while "--deaf" in sys.argv:
        time.sleep(1)


if __name__ == "__main__":
    main()
