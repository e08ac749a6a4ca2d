"""Claude Code transcripts: `~/.claude/projects/<project>/<session>.jsonl` and subagent files.

One line is one native record; one model reply spans several lines. File order is
the order, parent links are not followed. Source: docs/reference/native-formats.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from hindsight_cli.capture.draft import Draft, DraftEvent, Problem
from hindsight_cli.capture.formats.claude_records import BrokenRecordError, events_of
from hindsight_cli.capture.formats.claude_sessions import SessionMemory, SessionTracker
from hindsight_cli.capture.formats.claude_usage import usage_on_last_line
from hindsight_cli.capture.formats.content import type_of
from hindsight_cli.capture.formats.jsonlines_reader import (
    Record,
    excerpt_of,
    parse_json,
    read_json_lines,
)
from hindsight_cli.records.jsonvalue import JsonValue

# Record types that carry nothing to keep.
_SILENT = frozenset(
    {
        "progress",
        "file-history-snapshot",
        "file-history-delta",
        "queue-operation",
        "last-prompt",
        "mode",
        "permission-mode",
        "custom-title",
        "ai-title",
        "agent-name",
        "agent-color",
        "agent-setting",
        "tag",
        "pr-link",
        "worktree-state",
        "content-replacement",
        "attribution-snapshot",
        "speculation-accept",
        "marble-origami-commit",
        "marble-origami-snapshot",
        "task-summary",
        "started",
        "result",
    }
)
_SPEAKING = frozenset({"user", "assistant", "system", "summary", "attachment"})
# Streams of other agents have records of these two types as well.
_OWN_TYPES = (_SILENT | _SPEAKING) - {"started", "result"}
_MAX_HEAD_LINES = 50
_OWN_KEYS = ("sessionId", "parentUuid", "leafUuid", "snapshot")
_OWN_KEYS_QUOTED = tuple(f'"{key}"'.encode() for key in _OWN_KEYS)
# Of a version whose record types all have other names; what cannot be read is then told.
_ENVELOPE_KEYS = frozenset({"sessionId", "uuid", "parentUuid", "timestamp", "version"})
# A first line that goes on and on cannot be parsed; these keys in it decide.
_ENVELOPE = re.compile(rb'"sessionId"\s*:\s*"')
_TYPE = re.compile(rb'"type"\s*:\s*"(?:user|assistant|system|progress|attachment)"')


def recognizes(path: Path, head: bytes) -> bool:
    """Whether the first conversation record, or lacking one any record, is Claude Code's."""
    lines = head.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    own = unread = False
    for line in lines[:_MAX_HEAD_LINES]:
        if not any(key in line for key in _OWN_KEYS_QUOTED):
            continue  # parsing megabytes of another format would cost more than it tells
        try:
            record = parse_json(line.strip())
        except (ValueError, RecursionError):
            unread = True
            continue
        if not isinstance(record, dict) or not any(key in record for key in _OWN_KEYS):
            continue
        if type_of(record) in {"user", "assistant"}:
            message = record.get("message")
            return isinstance(message, dict) and "content" in message
        known = type_of(record) in _OWN_TYPES and "systemPayload" not in record
        own = own or known or _is_renamed(record)
    if len(lines) == 1 and unread:
        own = bool(_ENVELOPE.search(head) and _TYPE.search(head) and b'"parts"' not in head)
    return own


def _is_renamed(record: Mapping[str, JsonValue]) -> bool:
    message = record.get("message")
    foreign = "systemPayload" in record or (isinstance(message, dict) and "parts" in message)
    return record.keys() >= _ENVELOPE_KEYS and not foreign


def read(path: Path) -> Iterator[Draft | Problem]:
    """Every line of the transcript in file order; memory is bound to a few lines."""
    return usage_on_last_line(_records(path))


def _records(path: Path) -> Iterator[tuple[Draft | Problem, str | None]]:
    sessions = SessionTracker(path)
    for item in read_json_lines(path):
        if isinstance(item, Problem):
            yield item, None
        elif not isinstance(item.value, dict):
            kind = type(item.value).__name__
            yield _problem(item, f"a JSON {kind} where a record was expected"), None
        else:
            yield _draft(item, item.value, sessions), sessions.reply_key(item.value)


def _problem(item: Record, reason: str) -> Problem:
    text = json.dumps(item.value, ensure_ascii=False)[:400]
    return Problem(line=item.line, reason=reason, excerpt=excerpt_of(text.encode()))


def _draft(
    item: Record, record: Mapping[str, JsonValue], sessions: SessionTracker
) -> Draft | Problem:
    kind = type_of(record)
    session = sessions.session_of(record)
    missing = sessions.missing_parent(record, session.session_id)
    events: tuple[DraftEvent, ...] = ()
    if kind in _SPEAKING:
        try:
            events = tuple(events_of(record, sessions.memory_of(session.session_id)))
        except BrokenRecordError as error:
            return _problem(item, f"{kind} record {error}")
    events = _with_gap(events, missing, sessions.memory_of(session.session_id))
    native_id = _id_of(record)
    return Draft(
        session=session,
        line=item.line,
        native_type=kind or "(no type)",
        native_id=native_id,
        events=events,
        usage=_usage(record),
        known=kind in _SILENT or kind in _SPEAKING,
    )


def _id_of(record: Mapping[str, JsonValue]) -> str | None:
    """The record's id; of a copy in a fork, that of the record it was copied from."""
    origin = record.get("forkedFrom")
    copied = origin.get("messageUuid") if isinstance(origin, dict) else None
    native_id = copied if isinstance(copied, str) and copied else record.get("uuid")
    return native_id if isinstance(native_id, str) else None


def _with_gap(
    events: tuple[DraftEvent, ...], missing: str | None, memory: SessionMemory
) -> tuple[DraftEvent, ...]:
    """The events, the first one marked where the record's parent is missing from the file."""
    missing = missing or memory.missing_parent
    memory.missing_parent = None if events else missing
    if missing is None or not events:
        return events
    marked = replace(events[0], extra={**events[0].extra, "gap": {"missing_parent": missing}})
    return (marked, *events[1:])


def _usage(record: Mapping[str, JsonValue]) -> Mapping[str, JsonValue] | None:
    message = record.get("message")
    usage = message.get("usage") if isinstance(message, dict) else None
    if type_of(record) != "assistant" or not isinstance(usage, dict):
        return None
    return {key: value for key, value in usage.items() if isinstance(value, int | float | str)}
