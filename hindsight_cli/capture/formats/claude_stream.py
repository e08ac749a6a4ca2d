"""What `claude -p --output-format stream-json` prints: one JSON object a line.

Also what `--output-format json --verbose` prints, the same objects as one list. They are
the records of a transcript in a thinner envelope, with the same ids.
Source: docs/reference/native-formats.md.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

from hindsight_cli.capture.draft import Draft, Problem
from hindsight_cli.capture.formats.claude_stream_records import Run, foretold
from hindsight_cli.capture.formats.claude_usage import usage_on_last_line
from hindsight_cli.capture.formats.content import type_of
from hindsight_cli.capture.formats.json_members import JsonCursor
from hindsight_cli.capture.formats.jsonlines_reader import (
    Record,
    no_record,
    parse_json,
    read_json_lines,
    why_not_read,
)
from hindsight_cli.records.jsonvalue import JsonValue

_MAX_HEAD_RECORDS = 20
_BOM = b"\xef\xbb\xbf"
_BLANKS = b"\x00 \t\r\n"
# Only of these is one enough to know the format by.
_RESULT_KEYS = frozenset({"session_id", "is_error", "num_turns", "duration_ms"})


def recognizes(path: Path, head: bytes) -> bool:
    """Whether one of the first records is of such a run, and none of a program like it."""
    for record in _beginning(head):
        if "qwen_code_version" in record:
            return False
        if _is_own(record):
            return True
    return False


def _beginning(head: bytes) -> Iterator[dict[str, JsonValue]]:
    """The first records; of the list, those that lie in `head` whole."""
    body = head.removeprefix(_BOM).lstrip(_BLANKS)
    if body.startswith(b"["):
        try:
            for count, value in enumerate(JsonCursor(io.BytesIO(body)).elements()):
                if count == _MAX_HEAD_RECORDS:
                    return
                if isinstance(value, dict):
                    yield value
        except (ValueError, RecursionError):
            return
    for line in body.split(b"\n")[:_MAX_HEAD_RECORDS]:
        if b'"session_id"' not in line:
            continue  # parsing megabytes of another format would cost more than it tells
        try:
            record = parse_json(line.strip(_BLANKS))
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict):
            yield record


def _is_own(record: dict[str, JsonValue]) -> bool:
    if not isinstance(record.get("session_id"), str):
        return False
    match type_of(record):
        case "system":
            return record.get("subtype") == "init" and isinstance(record.get("tools"), list)
        case "assistant" | "user":
            message = record.get("message")
            return (
                "parent_tool_use_id" in record
                and isinstance(message, dict)
                and "content" in message
            )
        case "result":
            return record.keys() >= _RESULT_KEYS
    return False


def read(path: Path) -> Iterator[Draft | Problem]:
    """Every record in order. The file is read twice: some things are told only afterwards."""
    return usage_on_last_line(_drafts(path))


def _drafts(path: Path) -> Iterator[tuple[Draft | Problem, str | None]]:
    run = Run(path, foretold(item for item in _records(path) if isinstance(item, Record)))
    for item in _records(path):
        if isinstance(item, Problem):
            yield item, None
        elif isinstance(item.value, dict):
            yield run.draft_of(item.line, item.value)
        else:
            yield no_record(item.line, item.value), None


def _records(path: Path) -> Iterator[Record | Problem]:
    if not _holds_list(path):
        yield from read_json_lines(path)
        return
    line = 0
    with path.open("rb") as file:
        cursor = JsonCursor(file)
        try:
            for line, value in enumerate(cursor.elements(), start=1):
                yield Record(line, value)
        except (ValueError, RecursionError) as error:
            reason = why_not_read(error)
            yield Problem(line=line + 1, reason=reason, excerpt=cursor.excerpt())


def _holds_list(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(1024).removeprefix(_BOM).lstrip(_BLANKS).startswith(b"[")
