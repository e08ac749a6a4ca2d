"""Sessions of OpenCode as `opencode export` prints them: one JSON document each.

A part of a message is one native record, numbered through the file; messages are in
memory one at a time. Source: docs/reference/native-formats.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from hindsight_cli.capture.draft import Draft, Problem
from hindsight_cli.capture.formats.json_members import JsonCursor
from hindsight_cli.capture.formats.jsonlines_reader import no_record, why_not_read
from hindsight_cli.capture.formats.opencode_parts import (
    Message,
    Session,
    is_ended,
    usage_on_last_part,
)
from hindsight_cli.capture.formats.opencode_results import mapping
from hindsight_cli.records.jsonvalue import JsonValue

_BEGINNING_BYTES = 4 * 1024
# What the program tells the terminal meanwhile, where both were sent to one file.
_NOTICE = re.compile(rb"\A(?:\xef\xbb\xbf)?\s*(?:Exporting session[^\n]*\n\s*)+")
_INFO = re.compile(rb'\A(?:\xef\xbb\xbf)?[\s\[]*\{\s*"info"\s*:\s*\{')
_SESSION_ID = re.compile(rb'"id"\s*:\s*"ses[_-]')
_MESSAGES = re.compile(rb'"messages"\s*:\s*\[')


def recognizes(path: Path, head: bytes) -> bool:
    """Whether the file begins with the description of a session, as an export does."""
    head = _NOTICE.sub(b"", head)
    if not _INFO.match(head):
        return False
    if _SESSION_ID.search(head[:_BEGINNING_BYTES]):
        return True
    return b'"projectID"' in head and bool(_MESSAGES.search(head))


def read(path: Path) -> Iterator[Draft | Problem]:
    """Every part of every message, in order; several exports may follow each other."""
    with path.open("rb") as file:
        _pass_notice(file)
        yield from usage_on_last_part(_Document(path, JsonCursor(file)).records())


def _pass_notice(file: IO[bytes]) -> None:
    match = _NOTICE.match(file.read(_BEGINNING_BYTES))
    file.seek(match.end() if match else 0)


class _Document:
    """The exports in one file, read on from record to record."""

    def __init__(self, path: Path, cursor: JsonCursor) -> None:
        self._stem = path.stem
        self._cursor = cursor
        self._line = 0

    def records(self) -> Iterator[Draft | Problem]:
        try:
            while self._cursor.peek():
                if not (self._cursor.skip("[") or self._cursor.skip("]")):
                    yield from self._export()
        except (ValueError, RecursionError) as error:
            yield Problem(
                line=self._line + 1, reason=why_not_read(error), excerpt=self._cursor.excerpt()
            )

    def _export(self) -> Iterator[Draft | Problem]:
        session = Session.of({}, self._stem)
        if not self._cursor.skip("{"):
            raise ValueError("no object")
        while not self._cursor.skip("}"):
            key = self._cursor.value()
            if not self._cursor.skip(":"):
                raise ValueError("no member")
            if key == "messages" and self._cursor.peek() == "[":
                for message, is_last in _with_last(self._cursor.elements()):
                    yield from self._message(message, session, is_last=is_last)
                continue
            value = self._cursor.value()
            if key == "info" and isinstance(value, dict):
                session = Session.of(value, self._stem)

    def _message(
        self, message: JsonValue, session: Session, *, is_last: bool
    ) -> Iterator[Draft | Problem]:
        body = mapping(message)
        about, parts = mapping(body.get("info")), body.get("parts")
        if not isinstance(parts, list):
            self._line += 1
            yield no_record(self._line, message)
            return
        session.note(about)
        kept = Message(about, not is_last or is_ended(about))
        for part in parts:
            self._line += 1
            if isinstance(part, dict):
                yield session.draft(self._line, part, kept)
            else:
                yield no_record(self._line, part)
        if draft := session.error_draft(self._line + 1, about):
            self._line += 1
            yield draft


def _with_last(messages: Iterator[JsonValue]) -> Iterator[tuple[JsonValue, bool]]:
    """Every message with whether it is the last; of a list that is cut off, none is."""
    held: list[JsonValue] = []
    try:
        for message in messages:
            yield from ((before, False) for before in held)
            held = [message]
    except (ValueError, RecursionError):
        yield from ((before, False) for before in held)
        raise
    yield from ((last, True) for last in held)
