"""Whose entry a line of a pi session is: the session's own, or copied from an earlier one.

A fork begins with copies of the entries of the session it comes from, ids and times
unchanged; that session has a file of its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from hindsight_cli.capture.draft import SessionInfo
from hindsight_cli.capture.formats.calls import Call, CallMemory
from hindsight_cli.capture.formats.content import type_of
from hindsight_cli.capture.formats.jsonlines_reader import parse_json
from hindsight_cli.records.jsonvalue import JsonValue

PI, OPENCLAW = "pi", "openclaw"
_ID_IN_NAME = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_LOOKAHEAD_BYTES = 256 * 1024
_MAX_HEADER_BYTES = 64 * 1024
_MAX_LIST_BYTES = 16 * 1024 * 1024
_MAX_ANCESTORS = 50
_OPENCLAW_FOLDERS = frozenset({".openclaw", ".clawdbot", ".moltbot"})
_OPENCLAW_SIGN = re.compile(
    rb'"provider"\s*:\s*"openclaw"|"customType"\s*:\s*"(?:openclaw[.:]|model-snapshot")'
)
_SUBAGENT_SIGN = re.compile(rb"\[Subagent (?:Context|Task)\]")


@dataclass(slots=True)
class Conversation:
    """What the events of one session depend on."""

    session: SessionInfo
    calls: CallMemory = field(default_factory=CallMemory)
    running: dict[str, Call] = field(default_factory=dict)  # commands left in the background
    has_task: bool = False
    broken: bool = False  # the last reply broke off


@dataclass(frozen=True, slots=True)
class _Origin:
    """A session that a file holds entries of, and when it began."""

    session_id: str
    began: datetime | None


def is_header(record: Mapping[str, JsonValue]) -> bool:
    """Whether a record is the first line of a session."""
    return (
        type_of(record) == "session"
        and isinstance(record.get("id"), str)
        and "parentId" not in record
        and any(key in record for key in ("cwd", "version", "timestamp"))
    )


class SessionTracker:
    """The session of each entry, and what was said in it before."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._agent = _agent_of(path)
        self._origins = [_Origin(_id_of(path), None)]
        self._conversations: dict[str, Conversation] = {}

    def note(self, entry: Mapping[str, JsonValue]) -> None:
        """Take a header or a change of the model into account."""
        kind = type_of(entry)
        if kind == "session" and is_header(entry):
            self._origins = _origins(entry, self._path)
            conversation = self._conversation(self._origins[0].session_id)
            cwd = entry.get("cwd")
            conversation.session = replace(
                conversation.session,
                cwd=cwd if isinstance(cwd, str) and cwd else None,
                parent_session_id=self._spawned_by(self._origins[0].session_id),
            )
        elif model := _model_of(kind, entry):
            conversation = self.conversation_of(entry)
            if conversation.session.model != model:
                conversation.session = replace(conversation.session, model=model)

    def conversation_of(self, entry: Mapping[str, JsonValue]) -> Conversation:
        """The session an entry was first written in."""
        origin = self._origins[0]
        if len(self._origins) > 1 and (written := time_in(entry.get("timestamp"))):
            for earlier in self._origins[1:]:
                if origin.began is None or written >= origin.began:
                    break
                origin = earlier
        return self._conversation(origin.session_id)

    def _spawned_by(self, session_id: str) -> str | None:
        """The session a subagent of OpenClaw's works for: a list beside the files says so."""
        if self._agent != OPENCLAW or not _SUBAGENT_SIGN.search(_head(self._path)):
            return None
        listed = _listed(self._path.parent / "sessions.json")
        keys = [e.get("spawnedBy") for e in listed.values() if e.get("sessionId") == session_id]
        parent = listed.get(str(keys[0]), {}).get("sessionId") if keys else None
        return parent if isinstance(parent, str) and parent else None

    def _conversation(self, session_id: str) -> Conversation:
        known = self._conversations.get(session_id)
        if known is None:
            info = SessionInfo(session_id=session_id, agent=self._agent)
            known = self._conversations[session_id] = Conversation(info)
        return known


def time_in(value: JsonValue) -> datetime | None:
    """A moment in ISO 8601, of one zone or UTC."""
    try:
        found = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return found if found is None or found.tzinfo else found.replace(tzinfo=UTC)


def _origins(header: Mapping[str, JsonValue], path: Path) -> list[_Origin]:
    """The session of a header, the one it was forked from, and so on."""
    found: list[_Origin] = []
    for _ in range(_MAX_ANCESTORS):
        found.append(_Origin(str(header["id"]), time_in(header.get("timestamp"))))
        parent = header.get("parentSession")
        if not isinstance(parent, str) or not parent:
            break
        path = _where(parent, path)
        above = _header_of(path)
        if above is None or str(above["id"]) in {origin.session_id for origin in found}:
            if above is None:
                found.append(_Origin(_id_of(path), None))
            break
        header = above
    return found


def _where(parent: str, child: Path) -> Path:
    """The file of a parent session: where its child says, else beside the child."""
    name = re.split(r"[/\\]", parent)[-1]
    try:
        return Path(parent) if Path(parent).is_file() else child.parent / name
    except (OSError, ValueError):
        return child.parent / "unknown"


def _header_of(path: Path) -> Mapping[str, JsonValue] | None:
    try:
        with path.open("rb") as file:
            header = parse_json(file.readline(_MAX_HEADER_BYTES).removeprefix(b"\xef\xbb\xbf"))
    except (OSError, ValueError, RecursionError):
        return None
    return header if isinstance(header, dict) and is_header(header) else None


def _id_of(path: Path) -> str:
    """The id of a session whose header is not there: it is in the file's name."""
    named = _ID_IN_NAME.search(path.name)
    return named[0] if named else path.stem


def _agent_of(path: Path) -> str:
    is_openclaw = _OPENCLAW_FOLDERS & set(path.parts) or _OPENCLAW_SIGN.search(_head(path))
    return OPENCLAW if is_openclaw else PI


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_LOOKAHEAD_BYTES)


def _listed(path: Path) -> dict[str, dict[str, JsonValue]]:
    """What OpenClaw notes down of the sessions in a folder, by their keys."""
    try:
        with path.open("rb") as file:
            known = parse_json(file.read(_MAX_LIST_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    entries = known if isinstance(known, dict) else {}
    return {key: entry for key, entry in entries.items() if isinstance(entry, dict)}


def _model_of(kind: str, entry: Mapping[str, JsonValue]) -> str | None:
    """The model that an entry names; not what OpenClaw calls its own messages."""
    told: JsonValue = None
    if kind == "model_change":
        told = entry.get("modelId")
    elif kind == "custom" and entry.get("customType") == "model-snapshot":
        told = entry.get("data")
        told = told.get("modelId") if isinstance(told, dict) else None
    elif kind == "message":
        message = entry.get("message")
        if isinstance(message, dict) and message.get("provider") != OPENCLAW:
            told = message.get("model")
    return told if isinstance(told, str) and told else None
