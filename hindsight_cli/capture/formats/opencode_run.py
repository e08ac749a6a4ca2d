"""What `opencode run --format json` prints: one event a line, without the person's words.

Source: docs/reference/native-formats.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hindsight_cli.capture.draft import Draft, Problem
from hindsight_cli.capture.formats.content import type_of
from hindsight_cli.capture.formats.jsonlines_reader import (
    no_record,
    parse_json,
    read_json_lines,
)
from hindsight_cli.capture.formats.opencode_parts import Message, Session, usage_on_last_part
from hindsight_cli.capture.formats.opencode_results import Record, mapping, string

_PARTS = frozenset({"step_start", "text", "reasoning", "tool_use", "step_finish"})
_SILENT = frozenset({"done"})
_SIGN = b'"sessionID"'
_MAX_HEAD_LINES = 50


def recognizes(path: Path, head: bytes) -> bool:
    """Whether one of the first lines is an event with a part of a session, or its error."""
    for line in head.removeprefix(b"\xef\xbb\xbf").split(b"\n")[:_MAX_HEAD_LINES]:
        if _SIGN not in line:
            continue  # a program's own words in the same file
        try:
            record = parse_json(line.strip())
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict) and _is_own(record):
            return True
    return False


def _is_own(record: Record) -> bool:
    if not string(record, "sessionID") or "timestamp" not in record:
        return False
    if type_of(record) in _PARTS:
        return isinstance(record.get("part"), dict)
    return type_of(record) == "error" and bool(record.get("error"))


def read(path: Path) -> Iterator[Draft | Problem]:
    """Every line in file order."""
    yield from usage_on_last_part(_drafts(path))


def _drafts(path: Path) -> Iterator[Draft | Problem]:
    sessions: dict[str, Session] = {}
    for item in read_json_lines(path):
        if isinstance(item, Problem):
            yield item
        elif not isinstance(item.value, dict):
            yield no_record(item.line, item.value)
        else:
            yield _draft(item.line, item.value, sessions, path.stem)


def _draft(
    line: int, record: Record, sessions: dict[str, Session], fallback: str
) -> Draft | Problem:
    kind, part = type_of(record), mapping(record.get("part"))
    named = string(record, "sessionID") or string(part, "sessionID")
    session_id = named or next(reversed(sessions), fallback)
    session = sessions.setdefault(session_id, Session.of({}, session_id))
    # The line's own time, for what has none.
    about: Record = {"role": "assistant", "time": {"created": record.get("timestamp")}}
    if kind in _PARTS and part:
        return session.draft(line, part, Message(about))
    if kind in _PARTS:
        return no_record(line, record.get("part"))
    if kind == "error" and (draft := session.error_draft(line, {**about, **record})):
        return draft
    return Draft(
        session=session.info,
        line=line,
        native_type=kind or "(no type)",
        known=kind in _SILENT,
    )
