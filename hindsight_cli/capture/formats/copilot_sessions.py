"""Whose event a line of Copilot's is: the session's own, or one of a subagent of it."""

from __future__ import annotations

import hashlib
import re
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from hindsight_cli.capture.draft import SessionInfo
from hindsight_cli.capture.formats.calls import Call
from hindsight_cli.capture.formats.content import type_of
from hindsight_cli.capture.formats.jsonlines_reader import parse_json
from hindsight_cli.records.jsonvalue import JsonValue

AGENT = "copilot-cli"
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_LOOKAHEAD_BYTES = 1024 * 1024
_MAX_RESULT_BYTES = 1024 * 1024
_MAX_REMEMBERED = 4096
_MAX_IDS = 200_000
_RESULT = re.compile(rb'\{"type"\s*:\s*"result"')
_START = re.compile(rb'"type"\s*:\s*"session\.start"')
_FIRST_ID = re.compile(rb'"id"\s*:\s*"([^"\\]+)"')

Record = Mapping[str, JsonValue]


@dataclass(slots=True)
class OpenCall:
    """A call that has no result yet."""

    call: Call
    began: str | None = None  # when it was carried out; None while it was only asked for
    prompt: str = ""  # of a call that makes a subagent
    decision: str = ""  # what the person or a rule said to it


@dataclass(slots=True)
class Conversation:
    """What the events of one session depend on."""

    session: SessionInfo
    open: OrderedDict[str, OpenCall] = field(default_factory=OrderedDict)
    settled: set[str] = field(default_factory=set)  # calls an interruption ended
    shells: OrderedDict[str, Call] = field(default_factory=OrderedDict)  # what runs in them
    usage: OrderedDict[str, Record] = field(default_factory=OrderedDict)  # by the request's id
    agents: OrderedDict[str, str] = field(default_factory=OrderedDict)  # subagents by their call
    prompt: str = ""  # what a subagent was asked for, where its own events do not tell
    thought: str = ""
    broken: str = ""  # how the last turn ended, if not well
    has_task: bool = False

    def began(self, call_id: str, call: OpenCall) -> None:
        self.open[call_id] = call
        bound(self.open)


def bound(remembered: OrderedDict[str, Any]) -> None:
    """Forget the oldest where there are too many."""
    if len(remembered) > _MAX_REMEMBERED:
        remembered.popitem(last=False)


class Ids:
    """The id of each event; with a mark of its content where another event has it already."""

    def __init__(self) -> None:
        self._first: OrderedDict[str, int] = OrderedDict()

    def id_of(self, record: Record) -> str | None:
        native = string(record, "id")
        if not native and type_of(record) == "result" and (at := string(record, "timestamp")):
            native = f"result-{at}"
        if not native:
            return None
        text = repr(record)
        first = self._first.setdefault(native, hash(text))
        if len(self._first) > _MAX_IDS:
            self._first.popitem(last=False)
        if first == hash(text):
            return native
        return f"{native}-{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:12]}"


class SessionTracker:
    """The session of each line; a subagent's is `<session>-agent-<id>`."""

    def __init__(self, path: Path) -> None:
        self._results = _results(path)
        self._fallback = _fallback_id(path)
        self._conversations: dict[str, Conversation] = {}
        self._main_id = self._results[0][1] if self._results else self._fallback
        self._agents: dict[str, tuple[str, str | None]] = {}  # call and parent agent of each

    def note(self, line: int, record: Record) -> None:
        """Take into account what a line tells of its session."""
        kind, data = type_of(record), data_of(record)
        if self._results and self._results[0][0] < line:
            del self._results[0]
            self._main_id = self._results[0][1] if self._results else self._fallback
        if kind == "session.start":
            self._main_id = string(data, "sessionId") or self._fallback
            self._describe(data, parent=string(data, "detachedFromSpawningParentSessionId"))
        elif kind in {"session.resume", "session.context_changed"}:
            self._describe({"context": data} if kind != "session.resume" else data)
        elif kind == "session.model_change":
            self._describe({"selectedModel": data.get("newModel")})
        elif kind == "subagent.started" and (call_id := string(data, "toolCallId")):
            self._note_subagent(call_id, string(record, "agentId"), string(data, "parentId"))
        elif kind == "assistant.message" and (model := string(data, "model")):
            conversation = self.conversation_of(record)
            conversation.session = replace(conversation.session, model=model)

    def _note_subagent(self, call_id: str, agent_id: str, above: str) -> None:
        parent = self._conversation(above)
        self._agents[agent_id or call_id] = (call_id, above or None)
        parent.agents[call_id] = agent_id or call_id
        bound(parent.agents)
        made = parent.open.get(call_id)
        if made is not None and not agent_id:
            self._conversation(call_id).prompt = made.prompt

    def conversation_of(self, record: Record) -> Conversation:
        data = data_of(record)
        by_call = string(data, "parentToolCallId")
        agent_id = string(record, "agentId")
        if not agent_id and type_of(record).startswith("subagent."):
            by_call = by_call or string(data, "toolCallId")
        return self._conversation(agent_id or by_call)

    def _conversation(self, agent_id: str) -> Conversation:
        session_id = f"{self._main_id}-agent-{agent_id}" if agent_id else self._main_id
        known = self._conversations.get(session_id)
        if known is None:
            info = SessionInfo(session_id=session_id, agent=AGENT, closes=True)
            if agent_id:
                call_id, above = self._agents.get(agent_id, (agent_id, None))
                parent = f"{self._main_id}-agent-{above}" if above else self._main_id
                info = replace(info, parent_session_id=parent, parent_call_id=call_id)
                main = self._conversations.get(self._main_id)
                if main is not None:
                    about = main.session
                    info = replace(info, cwd=about.cwd, agent_version=about.agent_version)
            known = self._conversations[session_id] = Conversation(info)
        return known

    def _describe(self, data: Record, *, parent: str = "") -> None:
        conversation = self._conversation("")
        context = data.get("context")
        context = context if isinstance(context, dict) else {}
        known = conversation.session
        conversation.session = replace(
            known,
            agent_version=string(data, "copilotVersion") or known.agent_version,
            cwd=string(context, "cwd") or known.cwd,
            model=string(data, "selectedModel") or known.model,
            parent_session_id=parent or known.parent_session_id,
        )


def data_of(record: Record) -> Record:
    data = record.get("data")
    return data if isinstance(data, dict) else {}


def string(record: Record, key: str) -> str:
    value = record.get(key)
    return value if isinstance(value, str) else ""


def _results(path: Path) -> list[tuple[int, str]]:
    """Where printed sessions end, and their ids; nothing of a file that names its own."""
    with path.open("rb") as file:
        if _START.search(file.read(_LOOKAHEAD_BYTES)):
            return []
        file.seek(0)
        found, number = [], 0
        while raw := file.readline(_MAX_RESULT_BYTES):
            if _RESULT.match(raw) and (named := _session_in(raw)):
                found.append((number + 1, named))
            number += raw.endswith(b"\n")
    return found


def _session_in(raw: bytes) -> str:
    try:
        value = parse_json(raw.strip())
    except (ValueError, RecursionError):
        return ""
    return string(value, "sessionId") if isinstance(value, dict) else ""


def _fallback_id(path: Path) -> str:
    """The id of a session that names none: its folder's or file's, else one of its first event."""
    name = path.parent.name if path.stem == "events" else path.stem
    if _UUID.fullmatch(name):
        return name
    with path.open("rb") as file:
        first = _FIRST_ID.search(file.read(_LOOKAHEAD_BYTES))
    mark = first[1] if first else path.name.encode("utf-8", "replace")
    return f"{AGENT}-{hashlib.sha256(mark).hexdigest()[:16]}"
