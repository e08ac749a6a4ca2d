"""The records of a Qwen Code chat as events, in order."""

from __future__ import annotations

import json
from collections import OrderedDict, deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from hindsight_cli.capture.draft import Draft, DraftEvent, SessionInfo
from hindsight_cli.capture.formats.content import text_of, type_of
from hindsight_cli.capture.formats.gemini_body import (
    Conversation,
    abandoned,
    api_error_type,
    notice,
    rewind_event,
)
from hindsight_cli.capture.formats.gemini_parts import Record, mapping, parts_of, string, with_files
from hindsight_cli.capture.formats.gemini_results import Answer
from hindsight_cli.capture.formats.jsonlines_reader import parse_json
from hindsight_cli.capture.formats.qwen_rewinds import Stretches
from hindsight_cli.records.event import Actor, EventType
from hindsight_cli.records.jsonvalue import JsonValue

AGENT = "qwen-code"
_KNOWN = frozenset({"user", "assistant", "tool_result"})
# What the program notes down for itself: titles, snapshots, goals, copies.
_SILENT = frozenset(
    {"agent_bootstrap", "at_command", "attribution_snapshot", "background_task_completed"}
    | {"branch_checkpoint", "custom_title", "file_history_snapshot", "goal_state"}
    | {"goal_turn_end", "parent_session", "session_artifact_event", "session_artifact_snapshot"}
    | {"session_model", "session_recording_degraded", "session_source"}
    | {"session_sources_snapshot", "turn_result", "user_text_elements"}
)
_TELLING = frozenset(
    {"agent_launch_prompt", "chat_compression", "omni_recall", "rewind", "slash_command"}
    | {"ui_telemetry"}
)
_NOT_SAID = frozenset({"cron", "notification", "goal_runtime"})
_MAX_CALLS = 4096
_MAX_WAITING = 64
_MAX_SESSIONS = 1000
_MAX_NOTE_BYTES = 64 * 1024
_MAX_UUIDS = 200_000


@dataclass(slots=True)
class _Session:
    info: SessionInfo
    conversation: Conversation = field(default_factory=Conversation)


class Reader:
    """Turns the records of one file into drafts."""

    def __init__(self, path: Path, abandoned_lines: Stretches) -> None:
        self._path = path
        self._abandoned = abandoned_lines
        self._sessions: dict[str, _Session] = {}
        self._ids = _Ids()
        self._measured = _Measured()

    def draft_of(self, line: int, record: Record) -> Draft:
        kind, subtype = type_of(record), string(record, "subtype")
        known = subtype in _SILENT | _TELLING if kind == "system" else kind in _KNOWN
        session = self._session_of(record)
        events = self._events(session, record, is_abandoned=line in self._abandoned)
        return Draft(
            session=session.info,
            line=line,
            native_type=(f"{kind}/{subtype}" if kind == "system" else kind) or "(no type)",
            native_id=self._ids.id_of(record),
            events=events if known else (),
            usage=_usage(record),
            known=known,
        )

    def _session_of(self, record: Record) -> _Session:
        """The session a record is of: of a copied one, the session it was copied from."""
        origin = mapping(record.get("forkedFrom"))
        own_id = string(origin, "sessionId") or string(record, "sessionId") or self._path.stem
        agent_id = string(record, "agentId") if record.get("isSidechain") is True else ""
        session_id = f"{own_id}-agent-{agent_id}" if agent_id else own_id
        session = self._sessions.get(session_id)
        if session is None:
            info = SessionInfo(
                session_id=session_id,
                agent=AGENT,
                parent_session_id=own_id if agent_id else None,
                parent_call_id=_call_of_agent(self._path) if agent_id else None,
            )
            session = self._sessions[session_id] = _Session(info)
            if len(self._sessions) > _MAX_SESSIONS:
                del self._sessions[next(iter(self._sessions))]
        known = session.info
        session.info = replace(
            known,
            agent_version=string(record, "version") or known.agent_version,
            cwd=string(record, "cwd") or known.cwd,
            model=string(record, "model") or known.model,
        )
        return session

    def _events(
        self, session: _Session, record: Record, *, is_abandoned: bool
    ) -> tuple[DraftEvent, ...]:
        conversation = session.conversation
        said_before = conversation.has_task
        # What was taken back is no task: what the person said instead is.
        conversation.has_task = said_before or is_abandoned
        events = tuple(self._events_of(conversation, record))
        if is_abandoned:
            conversation.has_task = said_before
            return abandoned(events)
        return events

    def _events_of(self, conversation: Conversation, record: Record) -> Iterator[DraftEvent]:
        kind, stamp = type_of(record), string(record, "timestamp") or None
        message = record.get("message")
        if kind == "user":
            yield from _user_events(conversation, record, stamp)
        elif kind == "assistant" and message is not None:
            for event in conversation.model_events(message, stamp):
                if event.event_type is EventType.TOOL_CALL:
                    self._measured.begin(event)
                yield event
        elif kind == "tool_result":
            yield from self._results(conversation, record, stamp)
        elif kind == "system":
            yield from self._system(conversation, record, stamp)

    def _results(
        self, conversation: Conversation, record: Record, stamp: str | None
    ) -> Iterator[DraftEvent]:
        parts = list(parts_of(record.get("message")))
        responses = [one for part in parts if (one := mapping(part.get("functionResponse")))]
        told = mapping(record.get("toolCallResult"))
        for response in responses:
            call_id = string(response, "id") or string(told, "callId")
            is_told = len(responses) == 1 or string(told, "callId") == call_id
            answer = self._answer(response, told if is_told else {}, call_id)
            yield from conversation.response_events(with_files(response, parts), stamp, answer)
        for part in parts:
            if text := string(part, "text"):
                yield notice(text, stamp)

    def _answer(self, response: Record, told: Record, call_id: str) -> Answer:
        decision, duration_ms = self._measured.end(call_id)
        own_duration = _milliseconds(told.get("durationMs"))
        return Answer(
            name=string(response, "name"),
            call_id=call_id or None,
            native_status=string(told, "status") or None,
            error_type=string(told, "errorType"),
            display=told.get("resultDisplay"),
            decision=decision,
            duration_ms=duration_ms if own_duration is None else own_duration,
            agent_id=string(mapping(told.get("resultDisplay")), "agentId"),
        )

    def _system(
        self, conversation: Conversation, record: Record, stamp: str | None
    ) -> Iterator[DraftEvent]:
        payload = mapping(record.get("systemPayload"))
        match string(record, "subtype"):
            case "ui_telemetry":
                yield from self._telemetry(mapping(payload.get("uiEvent")), stamp)
            case "chat_compression":
                yield _compaction(payload, stamp)
            case "rewind":
                yield rewind_event(string(record, "parentUuid"), stamp)
            case "slash_command" if string(payload, "phase") != "result":
                if command := string(payload, "rawCommand"):
                    yield notice(command, stamp)
            case "omni_recall":
                yield notice(json.dumps(payload, ensure_ascii=False), stamp)
            case "agent_launch_prompt" if not conversation.has_task:
                yield from conversation.user_events(payload.get("displayText"), stamp)

    def _telemetry(self, event: Record, stamp: str | None) -> Iterator[DraftEvent]:
        """Of what the program measures: failed requests. Calls and replies have own records."""
        name = string(event, "event.name")
        if name.endswith(".tool_call"):
            self._measured.add(event)
        elif name.endswith(".api_error"):
            text = string(event, "error_message", "error") or string(event, "error_type")
            yield notice(text, stamp, api_error_type(text))


def _call_of_agent(path: Path) -> str | None:
    """The call that began a subagent, from the note that lies beside its file."""
    try:
        with path.with_suffix(".meta.json").open("rb") as file:
            note = parse_json(file.read(_MAX_NOTE_BYTES))
    except (OSError, ValueError, RecursionError):
        return None
    return string(mapping(note), "toolUseId") or None


def _user_events(
    conversation: Conversation, record: Record, stamp: str | None
) -> Iterator[DraftEvent]:
    not_said = string(record, "subtype") in _NOT_SAID
    if not_said or string(record, "provenance") in {"system", "goal_runtime"}:
        for part in parts_of(record.get("message")):
            if text := string(part, "text"):
                yield notice(text, stamp)
        return
    display = mapping(record.get("systemPayload")).get("displayText")
    yield from conversation.user_events(record.get("message"), stamp, display=display)


def _compaction(payload: Record, stamp: str | None) -> DraftEvent:
    """The history was replaced by a summary, which its first message holds."""
    info = mapping(payload.get("info"))
    history = payload.get("compressedHistory")
    first = history[0] if isinstance(history, list) and history else None
    return DraftEvent(
        event_type=EventType.COMPACTION,
        actor=Actor.SYSTEM,
        timestamp=stamp,
        text="\n".join(text_of(dict(part)) for part in parts_of(first) if "text" in part),
        injected=True,
        extra={key: value for key, value in info.items() if type(value) in (int, float)},
    )


def _usage(record: Record) -> Record | None:
    tokens = mapping(record.get("usageMetadata"))
    return {k: v for k, v in tokens.items() if type(v) in (int, float)} or None


class _Ids:
    """The native id of each record: its uuid, told apart where several share one.

    A reply may lie in several lines with one uuid; a line written twice is one record.
    """

    def __init__(self) -> None:
        self._shapes: OrderedDict[int, dict[int, int]] = OrderedDict()  # hashes: ids may be long

    def id_of(self, record: Record) -> str | None:
        uuid = string(mapping(record.get("forkedFrom")), "messageUuid") or string(record, "uuid")
        if not uuid:
            return None
        parts = parts_of(record.get("message"))
        shape = f"{record.get('timestamp')} {[(list(p), len(string(p, 'text'))) for p in parts]}"
        shapes = self._shapes.setdefault(hash(uuid), {})
        if len(self._shapes) > _MAX_UUIDS:
            self._shapes.popitem(last=False)
        place = shapes.setdefault(hash(shape), len(shapes))
        return f"{uuid}/{place}" if place else uuid


class _Measured:
    """What the program measured of calls: it says so before the result.

    Later versions name the call's id; else the tool and the arguments tell which it is.
    """

    def __init__(self) -> None:
        self._told: OrderedDict[int, deque[tuple[str, int | None]]] = OrderedDict()
        self._key_of: OrderedDict[str, int] = OrderedDict()

    def begin(self, call: DraftEvent) -> None:
        if call.call_id:
            self._key_of[call.call_id] = _key(call.tool_name or "", call.input)
            if len(self._key_of) > _MAX_CALLS:
                self._key_of.popitem(last=False)

    def add(self, event: Record) -> None:
        key = _key(string(event, "function_name"), event.get("function_args"))
        if call_id := string(event, "call_id"):
            key = self._key_of[call_id] = hash(("id", call_id))
        told = self._told.setdefault(key, deque(maxlen=_MAX_WAITING))
        told.append((string(event, "decision"), _milliseconds(event.get("duration_ms"))))
        if len(self._told) > _MAX_CALLS:
            self._told.popitem(last=False)

    def end(self, call_id: str) -> tuple[str, int | None]:
        """The decision about a call and how long it took, each call's own in their order."""
        key = self._key_of.pop(call_id, None)
        told = self._told.get(key) if key is not None else None
        if key is None or not told:
            return "", None
        measured = told.popleft()
        if not told:
            del self._told[key]
        return measured


def _key(name: str, arguments: JsonValue) -> int:
    return hash((name, json.dumps(arguments, sort_keys=True)))


def _milliseconds(value: JsonValue) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
