"""Whose record a line of a Claude Code transcript is, and what was said before it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from hindsight_cli.capture.draft import SessionInfo
from hindsight_cli.capture.formats.calls import CallMemory
from hindsight_cli.records.jsonvalue import JsonValue

AGENT = "claude-code"
_SYNTHETIC = "<synthetic>"
_LOOKAHEAD_BYTES = 1024 * 1024
_SESSION_ID = re.compile(rb'"sessionId"\s*:\s*"([^"\\]+)"')


@dataclass(slots=True)
class SessionMemory:
    """What the events of one session depend on."""

    calls: CallMemory = field(default_factory=CallMemory)
    has_task: bool = False
    missing_parent: str | None = None  # of a record that had nothing to keep


class ParentLinks:
    """Which records point to one that was never written, line by line in file order.

    A file may point out of itself without a gap: resumed and forked sessions, and subagents,
    go on from a record of another file. They do so where they begin, so a session's records
    up to the first that somebody said are believed, and so is whatever goes on from there.
    """

    def __init__(self) -> None:
        self._written: set[int] = set()  # hashes: a file may have millions of records
        self._elsewhere: set[str] = set()  # parents outside, and those told of
        self._begun: set[str] = set()  # sessions in which somebody spoke
        self._can_tell = True  # until something that was said has no id to point to

    def missing(self, record: Mapping[str, JsonValue], session_id: str) -> str | None:
        uuid, parent = _text(record.get("uuid")), _text(record.get("parentUuid"))
        begun = session_id in self._begun
        if record.get("type") in ("user", "assistant"):
            self._begun.add(session_id)
            self._can_tell = self._can_tell and uuid is not None
        if uuid is not None:
            self._written.add(hash(uuid))
        if parent is None or hash(parent) in self._written or parent in self._elsewhere:
            return None
        self._elsewhere.add(parent)
        return parent if begun and self._can_tell else None


class SessionTracker:
    """Assigns lines to sessions: the main one, copies of earlier ones, subagents.

    A subagent's session is `<parent>-agent-<id>`, whether its lines lie in a file
    of their own or, as older versions wrote them, between the parent's.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._main_id: str | None = None
        self._file_agent_id = path.stem.removeprefix("agent-") if _is_agent_file(path) else None
        self._sessions: dict[str, SessionInfo] = {}
        self._memories: dict[str, SessionMemory] = {}
        self._sidechain_roots: dict[str, str] = {}
        self._requests: dict[str, str] = {}
        self._forks: dict[str, str] = {}
        self._parents = ParentLinks()

    def missing_parent(self, record: Mapping[str, JsonValue], session_id: str) -> str | None:
        """The parent of a record that this file should have and has not, told once."""
        return self._parents.missing(record, session_id)

    def session_of(self, record: Mapping[str, JsonValue]) -> SessionInfo:
        own_id, forked_from = self._owner(record)
        agent_id = self._agent_id(record)
        session_id = f"{own_id}-agent-{agent_id}" if agent_id else own_id
        known = self._sessions.get(session_id) or SessionInfo(
            session_id=session_id,
            agent=AGENT,
            parent_session_id=own_id if agent_id else None,
        )
        message = record.get("message")
        model = _text(message.get("model")) if isinstance(message, dict) else None
        fresh = replace(
            known,
            agent_version=_text(record.get("version")) or known.agent_version,
            cwd=_text(record.get("cwd")) or known.cwd,
            model=model if model and model != _SYNTHETIC else known.model,
            forked_from=forked_from or known.forked_from,
        )
        known = known if fresh == known else fresh
        self._sessions[session_id] = known
        return known

    def _owner(self, record: Mapping[str, JsonValue]) -> tuple[str, str | None]:
        """The session that a record was first written in, and what that was forked from.

        A fork begins with copies of another session's records, each of which says so.
        """
        named = _text(record.get("sessionId")) or self._main_session_id()
        given = record.get("forkedFrom")
        origin = _text(given.get("sessionId")) if isinstance(given, dict) else None
        if origin is None or origin == named:
            return named, self._forks.get(named)
        self._forks[named] = origin  # of a fork's fork: the last is the nearest
        return origin, self._forks.get(origin)

    def _main_session_id(self) -> str:
        if self._main_id is None:
            self._main_id = _main_session_id(self._path)
        return self._main_id

    def memory_of(self, session_id: str) -> SessionMemory:
        return self._memories.setdefault(session_id, SessionMemory())

    def reply_key(self, record: Mapping[str, JsonValue]) -> str | None:
        """What identifies the model's reply a line is part of; None if it counts no tokens.

        Falls back step by step: message and request id, message id, uuid, content.
        """
        message = record.get("message")
        if record.get("type") != "assistant" or not isinstance(message, dict):
            return None
        if not isinstance(message.get("usage"), dict):
            return None
        reply, request = _text(message.get("id")), _text(record.get("requestId"))
        if reply is None:
            return _text(record.get("uuid")) or _digest(message)
        if request is not None:
            self._requests[reply] = request
        return f"{reply}/{request or self._requests.get(reply, '')}"

    def _agent_id(self, record: Mapping[str, JsonValue]) -> str | None:
        if self._file_agent_id:
            return _text(record.get("agentId")) or self._file_agent_id
        if record.get("isSidechain") is not True:
            return None
        uuid, parent = _text(record.get("uuid")) or "", _text(record.get("parentUuid")) or ""
        root = self._sidechain_roots.get(parent, uuid)
        self._sidechain_roots[uuid] = root
        return _text(record.get("agentId")) or root[:8] or "sidechain"


def _is_agent_file(path: Path) -> bool:
    return path.stem.startswith("agent-")


def _main_session_id(path: Path) -> str:
    """The id of lines that name none: the file's name if a line bears it, else the first named."""
    with path.open("rb") as file:
        head = file.read(_LOOKAHEAD_BYTES)
    named = [match[1].decode("utf-8", "replace") for match in _SESSION_ID.finditer(head)]
    if named:
        return path.stem if path.stem in named else named[0]
    return path.parent.parent.name if path.parent.name == "subagents" else path.stem


def _text(value: JsonValue) -> str | None:
    return value if isinstance(value, str) and value else None


def _digest(value: JsonValue) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
