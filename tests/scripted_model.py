"""A model server with a script, on 127.0.0.1: OpenAI chat completions and Anthropic messages.

A script is a list of turns; every request takes the next one, and the last one is repeated.
A turn is an object:

    text        what the model says
    tool_calls  [{"name": ..., "arguments": {...}}], instead of a text or beside it
    refuse      "temperature" or "response_format": HTTP 400 to a request that carries it;
                the turn is taken by the first request that does not
    status      an HTTP error instead of an answer; `retry_after` seconds are told with it,
                `message` is the text of the error
    delay_s     answer so much later
    hang        take the request and never answer
    truncated   send half of the body, then close

A request that asks for a stream gets the answer as server-sent events. Agents also ask for what
is no turn of theirs, such as a title: with an `aside`, a request that offers no tool is answered
with that text, and the script stays where it is.

As a process: python -m tests.scripted_model --script FILE --port-file FILE [--requests FILE]
"""

from __future__ import annotations

import argparse
import contextlib
import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.scripted_events import completion_events, message_events

Turn = Mapping[str, Any]
_JSON_TOOL = "json_tool_call"  # how litellm asks a Claude it does not know for JSON
# What a request calls the parameters that a turn may refuse.
_CARRIED = {
    "temperature": ("temperature",),
    "response_format": ("response_format", "output_format", "output_config", "tool_choice"),
}


@dataclass(frozen=True)
class Request:
    path: str
    headers: Mapping[str, str]  # names in lower case
    body: dict[str, Any]


class ScriptedModel:
    """Serves a script until it is closed; keeps every request."""

    def __init__(
        self,
        turns: Sequence[Turn],
        *,
        port: int = 0,
        log: Path | None = None,
        aside: str | None = None,
    ) -> None:
        self.turns = list(turns)
        self.aside = aside
        self.requests: list[Request] = []
        self._log = log
        self._taken = 0
        self._lock = threading.Lock()
        self._closing = threading.Event()
        model = self

        class Handler(_Handler):
            scripted = model

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def address(self) -> str:
        """For Anthropic's API; OpenAI's is at `/v1` below it."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [request.body for request in self.requests]

    def play(self, *turns: Turn) -> None:
        """Begin another script; the requests so far are forgotten."""
        with self._lock:
            self.turns, self.requests, self._taken = list(turns), [], 0

    def take(self, request: Request) -> Turn:
        """The turn for a request."""
        with self._lock:
            self.requests.append(request)
            if self._log is not None:
                with self._log.open("a", encoding="utf-8") as log:
                    log.write(json.dumps({"path": request.path, "body": request.body}) + "\n")
            if self.aside is not None and not request.body.get("tools"):
                return {"text": self.aside}
            turn = self.turns[min(self._taken, len(self.turns) - 1)]
            refused = turn.get("refuse")
            if refused and any(name in request.body for name in _CARRIED[refused]):
                return {"status": 400, "message": f"Unsupported parameter: '{refused}'."}
            self._taken += 1
            return {**turn, "number": self._taken}

    def wait_until_closing(self, timeout_s: float | None = None) -> None:
        self._closing.wait(timeout_s)

    def close(self) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@contextlib.contextmanager
def serving(*turns: Turn, aside: str | None = None) -> Iterator[ScriptedModel]:
    model = ScriptedModel(turns, aside=aside)
    try:
        yield model
    finally:
        model.close()


class _Handler(BaseHTTPRequestHandler):
    scripted: ScriptedModel
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._send(200, {"object": "list", "data": [{"id": "scripted", "object": "model"}]})

    def do_HEAD(self) -> None:
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        body = json.loads(raw or b"{}")
        path = self.path.split("?")[0]
        if path.endswith("/count_tokens"):
            self._send(200, {"input_tokens": 100})
            return
        headers = {name.lower(): value for name, value in self.headers.items()}
        turn = self.scripted.take(Request(self.path, headers, body))
        if turn.get("hang"):
            self.scripted.wait_until_closing()
            self.close_connection = True
            return
        self.scripted.wait_until_closing(turn.get("delay_s", 0))
        if "status" in turn:
            message = turn.get("message", f"scripted {turn['status']}")
            error = {"message": message, "type": "scripted_error", "code": None}
            self._send(turn["status"], {"type": "error", "error": error}, turn)
            return
        anthropic = path.endswith("/messages")
        document = _message(turn, body) if anthropic else _completion(turn, body)
        if body.get("stream"):
            events = message_events(document) if anthropic else completion_events(document)
            self._send_data(200, "text/event-stream", "".join(events).encode(), turn)
        else:
            self._send(200, document, turn)

    def _send(self, status: int, document: Mapping[str, Any], turn: Turn | None = None) -> None:
        self._send_data(status, "application/json", json.dumps(document).encode(), turn or {})

    def _send_data(self, status: int, kind: str, data: bytes, turn: Turn) -> None:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(data)))
            self.send_header("connection", "close")  # no client is left with an open socket
            if "retry_after" in turn:
                self.send_header("retry-after", str(turn["retry_after"]))
            self.end_headers()
            self.wfile.write(data[: len(data) // 2] if turn.get("truncated") else data)

    def log_message(self, *args: object) -> None:
        """Tests want a quiet terminal."""


def _completion(turn: Turn, body: Mapping[str, Any]) -> dict[str, Any]:
    calls = [
        {
            "id": f"call_{turn.get('number', 0)}_{number}_{call['name']}",
            "type": "function",
            "function": {"name": call["name"], "arguments": json.dumps(call["arguments"])},
        }
        for number, call in enumerate(turn.get("tool_calls", ()))
    ]
    message: dict[str, Any] = {"role": "assistant", "content": turn.get("text")}
    if calls:
        message["tool_calls"] = calls
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
    return {
        "id": f"chatcmpl-scripted-{turn.get('number', 0)}",
        "object": "chat.completion",
        "created": 1_790_000_000,
        "model": body.get("model", "scripted"),
        "choices": [choice],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
    }


def _message(turn: Turn, body: Mapping[str, Any]) -> dict[str, Any]:
    calls = list(turn.get("tool_calls", ()))
    text = turn.get("text")
    forced = (body.get("tool_choice") or {}).get("name") == _JSON_TOOL
    if forced and text and (answer := _object(text)) is not None:
        calls, text = [{"name": _JSON_TOOL, "arguments": answer}], None
    content: list[dict[str, Any]] = [{"type": "text", "text": text}] if text is not None else []
    content += [
        {
            "type": "tool_use",
            "id": f"toolu_{turn.get('number', 0)}_{number}_{call['name']}",
            "name": call["name"],
            "input": call["arguments"],
        }
        for number, call in enumerate(calls)
    ]
    return {
        "id": f"msg_scripted_{turn.get('number', 0)}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model", "scripted"),
        "content": content,
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 100, "output_tokens": 20},
    }


def _object(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def main() -> None:
    parser = argparse.ArgumentParser(description="A model server with a script, on 127.0.0.1.")
    parser.add_argument("--script", type=Path, required=True, help="JSON: a list of turns")
    parser.add_argument("--port-file", type=Path, required=True, help="the port is written there")
    parser.add_argument("--requests", type=Path, help="every request is appended there")
    given = parser.parse_args()
    turns = json.loads(given.script.read_text(encoding="utf-8"))
    model = ScriptedModel(turns, log=given.requests)
    whole = given.port_file.with_name(given.port_file.name + ".part")
    whole.write_text(str(model.port))
    whole.rename(given.port_file)  # who waits for the file finds it whole
    with contextlib.suppress(KeyboardInterrupt):
        model.wait_until_closing()
    model.close()


if __name__ == "__main__":
    main()
