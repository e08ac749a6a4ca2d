"""pi and OpenClaw sessions: one file a session, a tree of entries written one a line.

`~/.pi/agent/sessions/--<folder>--/<time>_<id>.jsonl` and
`~/.openclaw/agents/<agent>/sessions/<id>.jsonl`, versions 1 to 3. File order is the
order; entries that the person left behind by going back are marked, not dropped.
Source: docs/reference/native-formats.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from hindsight_cli.capture.draft import Draft, DraftEvent, Problem
from hindsight_cli.capture.formats import pi_stream
from hindsight_cli.capture.formats.content import blocks_of, type_of
from hindsight_cli.capture.formats.jsonlines_reader import (
    Record,
    no_record,
    parse_json,
    problem_of,
    read_json_lines,
)
from hindsight_cli.capture.formats.pi_entries import ENTRIES, SILENT, events_of, usage_of
from hindsight_cli.capture.formats.pi_messages import BrokenRecordError
from hindsight_cli.capture.formats.pi_sessions import SessionTracker, is_header
from hindsight_cli.capture.formats.pi_tree import abandoned, abandoned_lines
from hindsight_cli.records.jsonvalue import JsonValue

_MAX_HEAD_LINES = 50
_OWN_ROLES = frozenset({"toolResult", "bashExecution", "hookMessage"})
_OWN_KEYS = ("stopReason", "provider", "api")


def recognizes(path: Path, head: bytes) -> bool:
    """Whether a line is the header of a session or an entry with a message of it."""
    for line in head.removeprefix(b"\xef\xbb\xbf").split(b"\n")[:_MAX_HEAD_LINES]:
        if b'"session"' not in line and b'"parentId"' not in line:
            continue
        try:
            record = parse_json(line.strip())
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict) and (is_header(record) or _is_message(record)):
            return not pi_stream.recognizes(path, head)
    return False


def _is_message(record: Mapping[str, JsonValue]) -> bool:
    message = record.get("message")
    if type_of(record) != "message" or "parentId" not in record or not isinstance(message, dict):
        return False
    is_own = str(message.get("role")) in _OWN_ROLES or any(key in message for key in _OWN_KEYS)
    return is_own or any(type_of(b) == "toolCall" for b in blocks_of(message.get("content")))


def read(path: Path) -> Iterator[Draft | Problem]:
    """Every line in file order; memory is bound to one line."""
    sessions, left = SessionTracker(path), abandoned_lines(path)
    for item in read_json_lines(path):
        if isinstance(item, Problem):
            yield item
        elif isinstance(item.value, dict):
            yield _draft(item, item.value, sessions, is_abandoned=item.line in left)
        else:
            yield no_record(item.line, item.value)


def _draft(
    item: Record,
    entry: Mapping[str, JsonValue],
    sessions: SessionTracker,
    *,
    is_abandoned: bool,
) -> Draft | Problem:
    kind = type_of(entry)
    sessions.note(entry)
    conversation = sessions.conversation_of(entry)
    events: tuple[DraftEvent, ...] = ()
    if kind in ENTRIES:
        said_before = conversation.has_task
        # What the person took back is no task: what was said instead is.
        conversation.has_task = said_before or is_abandoned
        try:
            events = tuple(events_of(entry, conversation))
        except BrokenRecordError as error:
            return problem_of(item, f"{kind} entry {error}")
        finally:
            conversation.has_task = said_before if is_abandoned else conversation.has_task
    if is_abandoned:
        events = abandoned(events)
    native_id = entry.get("id")
    return Draft(
        session=conversation.session,
        line=item.line,
        native_type=_native_type(entry),
        native_id=native_id if isinstance(native_id, str) and native_id else None,
        events=events,
        usage=usage_of(entry) if events else None,
        known=kind in ENTRIES or kind in SILENT,
    )


def _native_type(entry: Mapping[str, JsonValue]) -> str:
    """The type of an entry, of a message with its role."""
    kind, message = type_of(entry), entry.get("message")
    role = message.get("role") if kind == "message" and isinstance(message, dict) else None
    return f"{kind}/{role}" if isinstance(role, str) else kind or "(no type)"
