"""Gemini CLI chats: `~/.gemini/tmp/<project>/chats/session-*.jsonl`, and `.json` before that.

In a `.jsonl` a whole message is written again under its id as it grows, and patches
(`$set`, `$rewindTo`) change what was said before. Source: docs/reference/native-formats.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from hindsight_cli.capture.draft import Draft, Problem, SessionInfo
from hindsight_cli.capture.formats.content import type_of
from hindsight_cli.capture.formats.gemini_chat import AGENT, Chat, Line
from hindsight_cli.capture.formats.gemini_versions import abandoned_lines, latest_versions
from hindsight_cli.capture.formats.json_members import JsonCursor
from hindsight_cli.capture.formats.jsonlines_reader import (
    MAX_LINE_BYTES,
    no_record,
    parse_json,
    read_json_lines,
    why_not_read,
)
from hindsight_cli.records.jsonvalue import JsonValue

_BOM = b"\xef\xbb\xbf"
_BEGINNING_BYTES = 4 * 1024
_MAX_HEAD_LINES = 50
_SIGNS = (b'"projectHash"', b'"gemini"', b'"$set"')
_DOCUMENT = re.compile(rb'\A\{\s*"[^"]*"\s*:.*?"messages"\s*:\s*\[', re.DOTALL)
_LOG = re.compile(rb'\A\[\s*\{\s*"sessionId"\s*:\s*"[^"]*"\s*,\s*"messageId"\s*:\s*\d')


def recognizes(path: Path, head: bytes) -> bool:
    """Whether the file is a chat of either kind, or the log of prompts beside the chats."""
    head = head.removeprefix(_BOM).lstrip()
    if _LOG.match(head):
        return True
    if _DOCUMENT.match(head) and _is_chat_document(head):
        return True
    for line in head.split(b"\n")[:_MAX_HEAD_LINES]:
        if not any(sign in line for sign in _SIGNS):
            continue
        try:
            record = parse_json(line.strip())
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict) and _is_own(record):
            return True
    return False


def _is_chat_document(head: bytes) -> bool:
    start = head[:_BEGINNING_BYTES]
    return b'"projectHash"' in start and b'"sessionId"' in start


def _is_own(record: dict[str, JsonValue]) -> bool:
    if isinstance(record.get("sessionId"), str) and isinstance(record.get("projectHash"), str):
        return True
    said = "content" in record or "toolCalls" in record
    return type_of(record) == "gemini" and isinstance(record.get("id"), str) and said


def read(path: Path) -> Iterator[Draft | Problem]:
    """Every record in order: a line of the newer kind, a message of the older one."""
    with path.open("rb") as file:
        first = file.read(_BEGINNING_BYTES).removeprefix(_BOM).lstrip()[:1]
    if first == b"[":
        yield from _log(path)
    elif _is_document(path):
        yield from _document(path)
    else:
        yield from _lines(path)


def _is_document(path: Path) -> bool:
    """Whether the file is one JSON object, over several lines or on its only line."""
    with path.open("rb") as file:
        first = b"\n"
        while first and not (body := first.removeprefix(_BOM).strip()):
            first = file.readline(MAX_LINE_BYTES)
        more = file.read(_BEGINNING_BYTES).strip()
    if body == b"{" or b'"messages"' not in body or body.startswith(b'{"$set"'):
        return body == b"{"
    return not more or not _is_json(body)


def _is_json(line: bytes) -> bool:
    try:
        parse_json(line)
    except (ValueError, RecursionError):
        return False
    return True


def _lines(path: Path) -> Iterator[Draft | Problem]:
    chat = Chat(path)
    abandoned = abandoned_lines(path)
    for item in latest_versions(read_json_lines(path)):
        if isinstance(item, Problem):
            yield item
        elif item.is_superseded:
            yield chat.superseded(item.line)
        elif isinstance(item.value, dict):
            yield from chat.drafts_of(Line(item.line, item.value, item.line in abandoned))
        else:
            yield no_record(item.line, item.value)


def _document(path: Path) -> Iterator[Draft | Problem]:
    """The messages of the older kind, numbered from 1; one in memory at a time."""
    chat = Chat(path)
    chat.describe(_header(path))
    number = 0
    with path.open("rb") as file:
        for message in _messages(JsonCursor(file), {}):
            number += 1
            if isinstance(message, Problem):
                yield Problem(line=number, reason=message.reason, excerpt=message.excerpt)
            elif isinstance(message, dict):
                yield chat.message_draft(Line(number, message))
            else:
                yield no_record(number, message)


def _header(path: Path) -> dict[str, JsonValue]:
    """What the document says of the session, read on behind the messages where need be."""
    header: dict[str, JsonValue] = {}
    with path.open("rb") as file:
        for _ in _messages(JsonCursor(file), header):
            if "sessionId" in header:
                break
    return header


def _messages(cursor: JsonCursor, header: dict[str, JsonValue]) -> Iterator[JsonValue | Problem]:
    """The messages of the document at the cursor; fills `header` on the way."""
    try:
        if not cursor.skip("{"):
            raise ValueError("no object")
        while not cursor.skip("}"):
            key = cursor.value()
            if not cursor.skip(":"):
                raise ValueError("no member")
            if key == "messages" and cursor.peek() == "[":
                yield from cursor.elements()
            elif isinstance(key, str):
                header[key] = cursor.value()
    except (ValueError, RecursionError) as error:
        yield Problem(line=1, reason=why_not_read(error), excerpt=cursor.excerpt())


def _log(path: Path) -> Iterator[Draft | Problem]:
    """The entries of `logs.json`: prompts of several sessions, which their chats hold too."""
    number = 0
    with path.open("rb") as file:
        try:
            for entry in JsonCursor(file).elements():
                number += 1
                if not isinstance(entry, dict):
                    yield no_record(number, entry)
                    continue
                named = entry.get("sessionId")
                session_id = named if isinstance(named, str) and named else path.stem
                yield Draft(
                    session=SessionInfo(session_id=session_id, agent=AGENT),
                    line=number,
                    native_type="log",
                )
        except (ValueError, RecursionError) as error:
            yield Problem(line=number + 1, reason=why_not_read(error))
