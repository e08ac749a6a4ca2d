"""The messages of one connection as events: calls paired with their answers. Pure.

Source: Model Context Protocol 2024-11-05 to 2026-07-28; docs/reference/event-format.md.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from hindsight_cli.capture.draft import DraftEvent
from hindsight_cli.capture.nesting import is_deeper
from hindsight_cli.capture.proxy.answers import Answer, answer_of, cut_answer
from hindsight_cli.capture.proxy.definitions import Definitions
from hindsight_cli.capture.proxy.envelope import envelopes_of, id_key
from hindsight_cli.capture.proxy.lines import Line
from hindsight_cli.records.event import Actor, EventType, Status, ToolKind
from hindsight_cli.records.jsonvalue import JsonValue
from hindsight_cli.text import head_of_words

CALL = "tools/call"
_AS_CALLS = frozenset({"resources/read", "prompts/get"})  # what an agent does, too
_HELLO = frozenset({"initialize", "server/discover"})
_SILENT = frozenset({"ping", "notifications/initialized"})
_CLIENT_INFO = "io.modelcontextprotocol/clientInfo"
_VERSION = "io.modelcontextprotocol/protocolVersion"
_MOST_NOTED = 1_000  # notes of one kind; calls are never left out
_MAX_NOTE_CHARS = 4_000
_MAX_DEPTH = 200
_ANSWER: Mapping[str, JsonValue] = {"is_answer": True}


@dataclass(slots=True)
class Asked:
    """A request without an answer yet."""

    method: str
    at_ns: int
    call_id: str = ""  # of a call that is an event
    tool_name: str = ""
    is_ambiguous: bool = False  # another open request of the same side has its id


@dataclass(slots=True)
class Conversation:
    """One connection; its methods give the events that a message makes."""

    server: str
    key: str  # tells its call ids from those of other connections
    client: str = ""
    client_version: str = ""
    _asked: dict[str, list[Asked]] = field(default_factory=dict)
    _asked_by_server: dict[str, str] = field(default_factory=dict)
    _tokens: dict[str, str] = field(default_factory=dict)  # progress token -> call id
    _tools: Definitions = field(default_factory=Definitions)
    _counts: dict[str, int] = field(default_factory=dict)
    _gone: Mapping[str, JsonValue] | None = None

    @property
    def has_calls(self) -> bool:
        return bool(self._counts.get(CALL))

    @property
    def is_gone(self) -> bool:
        """The server ended by itself."""
        return self._gone is not None

    def from_client(self, line: Line, at_ns: int) -> list[DraftEvent]:
        if not line.is_whole:
            return self._cut_request(line, at_ns)
        events: list[DraftEvent] = []
        for message in _messages(line.data):
            if "method" in message and "id" in message:
                events += self._request(message, at_ns)
            elif "method" in message:
                events += self._client_notification(message, at_ns)
            else:
                events += self._client_answer(message, at_ns)
        return events

    def from_server(self, line: Line, at_ns: int) -> list[DraftEvent]:
        if not line.is_whole:
            keys = [e.key for e in envelopes_of(line.data, line.end) if e.is_response]
            return [e for key in keys for e in self._answered(key, cut_answer(line), at_ns)]
        events: list[DraftEvent] = []
        for message in _messages(line.data):
            if "method" not in message and "id" in message:
                events += self._server_answer(message, at_ns)
            elif "id" in message:
                method = str(message["method"])
                self._asked_by_server[id_key(message["id"])] = method
                events += self._note(method, at_ns, message.get("params"), side="server")
            else:
                events += self._server_notification(message, at_ns)
        return events

    def noise(self, line: Line, at_ns: int) -> list[DraftEvent]:
        """A line on the server's standard output that is no message."""
        if not self._may_note("noise"):
            return []
        text = line.data[: 4 * _MAX_NOTE_CHARS + 4].decode("utf-8", "replace").rstrip("\r")
        text = head_of_words(text, _MAX_NOTE_CHARS)
        return [_other(at_ns, {"mcp": "noise", "server": self.server}, text, Actor.TOOL)]

    def gone(self, told: Mapping[str, JsonValue], at_ns: int) -> list[DraftEvent]:
        """The server ended by itself: what was asked of it stays without an answer."""
        self._gone = told
        message = str(told.get("message") or "The server ended.")
        open_calls = [asked for found in self._asked.values() for asked in found]
        self._asked.clear()
        events = [self._crashed(asked, message, at_ns) for asked in open_calls if asked.call_id]
        extra = {"mcp": "server_crashed", "server": self.server, **told}
        extra.pop("message", None)
        return [*events, _other(at_ns, extra, message, Actor.SYSTEM)]

    def left_out(self) -> dict[str, JsonValue]:
        """How many notes of each kind were not kept, for there were too many."""
        counts = {k: n - _MOST_NOTED for k, n in self._counts.items() if k != CALL}
        return {kind: number for kind, number in counts.items() if number > 0}

    def _request(self, message: Mapping[str, JsonValue], at_ns: int) -> list[DraftEvent]:
        method, params = str(message["method"]), _mapping(message.get("params"))
        meta = _mapping(params.get("_meta"))
        told = _mapping(params.get("clientInfo")) or _mapping(meta.get(_CLIENT_INFO))
        if told and not self.client:
            self.client, self.client_version = str(told.get("name")), str(told.get("version") or "")
        key = id_key(message["id"])
        asked = Asked(method, at_ns)
        others = self._asked.setdefault(key, [])
        if others:
            for other in (*others, asked):
                other.is_ambiguous = True
        others.append(asked)
        if method == CALL or method in _AS_CALLS:
            return self._call(asked, key, params, meta)
        if method in _HELLO or method in _SILENT or method == "tools/list":
            return []  # noted with its answer
        return self._note(method, at_ns, params, side="client")

    def _call(
        self,
        asked: Asked,
        key: str,
        params: Mapping[str, JsonValue],
        meta: Mapping[str, JsonValue],
    ) -> list[DraftEvent]:
        self._counts[CALL] = self._counts.get(CALL, 0) + 1
        asked.call_id = f"{self.key}-{_plain(key)}"
        if asked.is_ambiguous:
            asked.call_id += f"-{self._counts[CALL]}"
        is_tool = asked.method == CALL
        asked.tool_name = str(params.get("name") or "") if is_tool else asked.method
        if "progressToken" in meta:
            self._tokens[id_key(meta["progressToken"])] = asked.call_id
        given = params.get("arguments") if is_tool else _without_meta(params)
        extra = {"ambiguous_id": True} if asked.is_ambiguous else {}
        call = DraftEvent(
            event_type=EventType.TOOL_CALL,
            actor=Actor.AGENT,
            timestamp=_iso(asked.at_ns),
            tool_name=asked.tool_name,
            tool_kind=ToolKind.MCP,
            server=self.server,
            call_id=asked.call_id,
            input=given,
            extra=extra,
        )
        if self._gone is None:
            return [call]
        self._asked.pop(key, None)
        return [call, self._crashed(asked, str(self._gone.get("message") or ""), asked.at_ns)]

    def _client_notification(self, message: Mapping[str, JsonValue], at: int) -> list[DraftEvent]:
        method, params = str(message["method"]), _mapping(message.get("params"))
        if method in _SILENT:
            return []
        if method == "notifications/cancelled" and "requestId" in params:
            answer = Answer(
                text=str(params.get("reason") or ""),
                status=Status.CANCELLED,
                rule="cancelled_by_client",
                error_type="interrupted",
            )
            key = id_key(params["requestId"])
            if any(a.call_id and not a.is_ambiguous for a in self._asked.get(key, [])):
                return self._answered(key, answer, at)
        return self._note(method, at, params, side="client")

    def _client_answer(self, message: Mapping[str, JsonValue], at_ns: int) -> list[DraftEvent]:
        """What the client says to a question of the server: a sample, a choice, its roots."""
        method = self._asked_by_server.pop(id_key(message.get("id")), None)
        if method in _SILENT:
            return []
        said = message.get("result", message.get("error"))
        return self._note(method or "unmatched", at_ns, said, side="client", extra=_ANSWER)

    def _server_answer(self, message: Mapping[str, JsonValue], at_ns: int) -> list[DraftEvent]:
        key = id_key(message["id"])
        found = self._asked.get(key)
        if not found:
            note = {"mcp": "unmatched", "request_id": message["id"], "server": self.server}
            return [_other(at_ns, note, "", Actor.TOOL)] if self._may_note("unmatched") else []
        asked = found[0]
        if not asked.call_id and not asked.is_ambiguous:
            self._forget(key, asked)
            return self._other_answer(asked, message, at_ns)
        return self._answered(key, answer_of(message), at_ns)

    def _other_answer(
        self, asked: Asked, message: Mapping[str, JsonValue], at_ns: int
    ) -> list[DraftEvent]:
        result = _mapping(message.get("result"))
        if asked.method in _HELLO and result:
            return [self._hello(asked, result, at_ns)]
        if asked.method == "tools/list" and result:
            told = self._tools.add(result)
            extra = {"mcp": "tools/list", "server": self.server, "tools": len(told)}
            text = json.dumps(told, ensure_ascii=False)
            return [_other(at_ns, extra, text, Actor.TOOL)] if told else []
        if "error" not in message or asked.method in _SILENT:
            return []
        return self._note(asked.method, at_ns, message["error"], side="server", extra=_ANSWER)

    def _hello(self, asked: Asked, result: Mapping[str, JsonValue], at_ns: int) -> DraftEvent:
        info = _mapping(result.get("serverInfo"))
        extra: dict[str, JsonValue] = {
            "mcp": asked.method,
            "server": self.server,
            "server_info": {k: info[k] for k in ("name", "version") if k in info},
            "client": self.client,
            "client_version": self.client_version,
            "protocol": result.get("protocolVersion") or result.get("supportedVersions"),
        }
        return _other(at_ns, {k: v for k, v in extra.items() if v}, "", Actor.SYSTEM)

    def _server_notification(self, message: Mapping[str, JsonValue], at: int) -> list[DraftEvent]:
        method, params = str(message.get("method")), _mapping(message.get("params"))
        extra: dict[str, JsonValue] = {}
        if "progressToken" in params:
            extra["call"] = self._tokens.get(id_key(params["progressToken"]))
        return self._note(method, at, params, side="server", extra=extra)

    def _answered(self, key: str, answer: Answer, at_ns: int) -> list[DraftEvent]:
        found = self._asked.get(key)
        if not found:
            return []
        asked = found[0]
        self._forget(key, asked)
        result = DraftEvent(
            event_type=EventType.TOOL_RESULT,
            actor=Actor.TOOL,
            timestamp=_iso(at_ns),
            text=answer.text,
            tool_name=asked.tool_name,
            tool_kind=ToolKind.MCP,
            server=self.server,
            call_id=asked.call_id,
            status=answer.status,
            status_rule=answer.rule,
            native_status=answer.native,
            exit_code=answer.exit_code,
            error_type=answer.error_type,
            duration_ms=max(0, at_ns - asked.at_ns) // 1_000_000,
            blobs=answer.blobs,
            extra=answer.extra,
        )
        if not asked.is_ambiguous:
            return [result]
        # Whose answer it is cannot be told: a step of its own, of no call.
        extra = {**answer.extra, "ambiguous_id": True}
        nobodys = f"{self.key}-{_plain(key)}-unknown"
        return [replace(result, tool_name=None, call_id=nobodys, duration_ms=None, extra=extra)]

    def _crashed(self, asked: Asked, message: str, at_ns: int) -> DraftEvent:
        told = self._gone or {}
        code = told.get("exit_code")
        return DraftEvent(
            event_type=EventType.TOOL_RESULT,
            actor=Actor.TOOL,
            timestamp=_iso(at_ns),
            text=message,
            tool_name=asked.tool_name,
            tool_kind=ToolKind.MCP,
            server=self.server,
            call_id=asked.call_id,
            status=Status.ERROR,
            status_rule="server_crashed",
            exit_code=code if isinstance(code, int) else None,
            error_type="server_crashed",
            duration_ms=max(0, at_ns - asked.at_ns) // 1_000_000,
        )

    def _cut_request(self, line: Line, at_ns: int) -> list[DraftEvent]:
        """A request too long to be kept: what it asks for is only known by its beginning."""
        head = line.data[:_MAX_NOTE_CHARS].decode("utf-8", "replace")
        for envelope in envelopes_of(line.data, line.end):
            if envelope.is_request:
                message = {"id": envelope.id, "method": envelope.method or "?"}
                params: dict[str, JsonValue] = {"name": "", "arguments": head}
                return self._request({**message, "params": params}, at_ns)
        return []

    def _forget(self, key: str, asked: Asked) -> None:
        self._asked[key].remove(asked)
        if not self._asked[key]:
            del self._asked[key]

    def _note(
        self,
        method: str,
        at_ns: int,
        said: JsonValue,
        *,
        side: str,
        extra: Mapping[str, JsonValue] | None = None,
    ) -> list[DraftEvent]:
        """A message that is no call, by its method; what it says as text."""
        if not self._may_note(method):
            return []
        told: dict[str, JsonValue] = {"mcp": method, "server": self.server, "from": side}
        kept = {k: v for k, v in {**told, **(extra or {})}.items() if v is not None}
        text = json.dumps(said, ensure_ascii=False) if said is not None else ""
        actor = Actor.AGENT if side == "client" else Actor.TOOL
        return [_other(at_ns, kept, text, actor)]

    def _may_note(self, kind: str) -> bool:
        self._counts[kind] = self._counts.get(kind, 0) + 1
        return self._counts[kind] <= _MOST_NOTED


def _other(at_ns: int, extra: Mapping[str, JsonValue], text: str, actor: Actor) -> DraftEvent:
    return DraftEvent(
        event_type=EventType.OTHER, actor=actor, timestamp=_iso(at_ns), text=text, extra=extra
    )


def _messages(data: bytes) -> list[Mapping[str, JsonValue]]:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return []
    if is_deeper(value, _MAX_DEPTH):
        return []
    items = value if isinstance(value, list) else [value]
    return [item for item in items if isinstance(item, dict)]


def _mapping(value: JsonValue) -> Mapping[str, JsonValue]:
    return value if isinstance(value, dict) else {}


def _without_meta(params: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    return {name: value for name, value in params.items() if name != "_meta"}


def _plain(key: str) -> str:
    return key.strip('"')


def _iso(at_ns: int) -> str:
    at = datetime.fromtimestamp(at_ns / 1e9, UTC)
    return at.isoformat(timespec="microseconds").replace("+00:00", "Z")
