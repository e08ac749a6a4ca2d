"""What `pi --mode json` prints: a session's header, then what happens, one event a line.

Every message is told as it grows, when it ends, and in the ends of its turn and of the
run; only its own end counts. Source: docs/reference/native-formats.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from hindsight_cli.capture.draft import Draft, DraftEvent, Problem
from hindsight_cli.capture.formats.content import type_of
from hindsight_cli.capture.formats.jsonlines_reader import (
    Record,
    no_record,
    parse_json,
    problem_of,
    read_json_lines,
)
from hindsight_cli.capture.formats.pi_entries import events_of, usage_of
from hindsight_cli.capture.formats.pi_messages import BrokenRecordError
from hindsight_cli.capture.formats.pi_sessions import Conversation, SessionTracker, is_header
from hindsight_cli.records.event import Actor, EventType
from hindsight_cli.records.jsonvalue import JsonValue

_MAX_HEAD_LINES = 50
_STARTS = frozenset({"agent_start", "turn_start", "message_start"})
_SILENT = _STARTS | frozenset(
    {"session", "turn_end", "message_update", "tool_execution_start", "tool_execution_update"}
    | {"tool_execution_end", "queue_update", "auto_retry_start", "auto_retry_end", "response"}
    | {"compaction_start", "extension_ui_request", "extension_error"}
)
_TELLING = frozenset({"message_end", "compaction_end", "agent_end"})


def recognizes(path: Path, head: bytes) -> bool:
    """Whether the first lines tell of an agent, a turn or a message that begins."""
    for line in head.removeprefix(b"\xef\xbb\xbf").split(b"\n")[:_MAX_HEAD_LINES]:
        if not line.startswith(b'{"type":"') or not any(s.encode() in line[:40] for s in _STARTS):
            continue
        try:
            record = parse_json(line.strip())
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict) and type_of(record) in _STARTS and "sessionID" not in record:
            return True
    return False


def read(path: Path) -> Iterator[Draft | Problem]:
    """Every line in file order; memory is bound to one line."""
    sessions = SessionTracker(path)
    for item in read_json_lines(path):
        if isinstance(item, Problem):
            yield item
        elif isinstance(item.value, dict):
            if is_header(item.value):
                sessions.note(item.value)
            elif type_of(item.value) == "message_end":
                sessions.note({"type": "message", "message": item.value.get("message")})
            yield _draft(item, item.value, sessions.conversation_of({}))
        else:
            yield no_record(item.line, item.value)


def _draft(
    item: Record, record: Mapping[str, JsonValue], conversation: Conversation
) -> Draft | Problem:
    kind, known = type_of(record), type_of(record) in _SILENT | _TELLING
    try:
        events = tuple(_events(kind, record, conversation)) if known else ()
    except BrokenRecordError as error:
        return problem_of(item, f"{kind} event {error}")
    session = conversation.session
    # Not the session's own id: its file tells the same steps once more.
    streamed = replace(session, session_id=f"{session.session_id}-json", closes=True)
    return Draft(
        session=streamed,
        line=item.line,
        native_type=kind or "(no type)",
        native_id=_id_of(record) if events else None,
        events=events,
        usage=usage_of(record) if events and kind == "message_end" else None,
        known=known,
    )


def _events(
    kind: str, record: Mapping[str, JsonValue], conversation: Conversation
) -> Iterator[DraftEvent]:
    if kind == "message_end":
        yield from events_of({"type": "message", "message": record.get("message")}, conversation)
    elif kind == "compaction_end":
        result = record.get("result")
        if isinstance(result, dict):
            yield from events_of({**result, "type": "compaction"}, conversation)
    elif kind == "agent_end" and not conversation.broken:
        yield DraftEvent(
            event_type=EventType.END, actor=Actor.SYSTEM, extra={"end_state": "completed"}
        )


def _id_of(record: Mapping[str, JsonValue]) -> str | None:
    """What tells a message from all others: who wrote it, when, and for which call."""
    message = record.get("message")
    if not isinstance(message, dict) or type(message.get("timestamp")) not in (int, float):
        return None
    parts = (message.get("role"), message["timestamp"], message.get("toolCallId"))
    return "-".join(str(part) for part in parts if part)
