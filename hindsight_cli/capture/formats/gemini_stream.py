"""What `gemini --output-format stream-json` prints: one JSON object a line.

Source: docs/reference/native-formats.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from hindsight_cli.capture.draft import Draft, DraftEvent, Problem, SessionInfo
from hindsight_cli.capture.formats.content import type_of
from hindsight_cli.capture.formats.gemini_body import Conversation, api_error_type, notice
from hindsight_cli.capture.formats.gemini_chat import AGENT
from hindsight_cli.capture.formats.gemini_parts import Record, mapping, string
from hindsight_cli.capture.formats.gemini_results import Answer
from hindsight_cli.capture.formats.jsonlines_reader import (
    no_record,
    parse_json,
    read_json_lines,
)
from hindsight_cli.records.event import Actor, EventType
from hindsight_cli.records.jsonvalue import JsonValue

_KNOWN = frozenset({"init", "message", "tool_use", "tool_result", "error", "result"})
_MAX_HEAD_LINES = 20
_MAX_REPLY_CHARS = 4_000_000
_MAX_DETAIL_CHARS = 2_000


def recognizes(path: Path, head: bytes) -> bool:
    """Whether one of the first lines begins such a run, or is a call as it tells of one."""
    for line in head.removeprefix(b"\xef\xbb\xbf").split(b"\n")[:_MAX_HEAD_LINES]:
        if b'"init"' not in line and b'"tool_id"' not in line:
            continue
        try:
            record = parse_json(line.strip())
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict) and _is_own(record):
            return True
    return False


def _is_own(record: dict[str, JsonValue]) -> bool:
    if type_of(record) == "init":
        return isinstance(record.get("session_id"), str) and "timestamp" in record
    return type_of(record) in {"tool_use", "tool_result"} and isinstance(record.get("tool_id"), str)


def read(path: Path) -> Iterator[Draft | Problem]:
    """Every line in order; the pieces of one reply are one message, told with the last."""
    stream = _Stream(path)
    for item in read_json_lines(path):
        if isinstance(item, Problem):
            yield item
        elif isinstance(item.value, dict):
            yield from stream.drafts_of(item.line, item.value)
        else:
            yield no_record(item.line, item.value)
    yield from stream.rest()


class _Stream:
    """One run. A reply comes in pieces, `delta` messages, and is over when something else comes."""

    def __init__(self, path: Path) -> None:
        self._session = SessionInfo(session_id=path.stem, agent=AGENT, closes=True)
        self._conversation = Conversation()
        self._pieces: list[str] = []
        self._last: tuple[int, str | None] | None = None  # line and time of the last piece

    def drafts_of(self, line: int, record: Record) -> Iterator[Draft]:
        kind, stamp = type_of(record), string(record, "timestamp") or None
        if kind == "message" and string(record, "role") == "assistant":
            if self._last:
                yield self._draft(self._last[0], kind)
            self._last = line, stamp
            self._pieces.append(string(record, "content"))
            if record.get("delta") is True and sum(map(len, self._pieces)) < _MAX_REPLY_CHARS:
                return
            yield from self.rest()
            return
        yield from self.rest()
        if kind == "init":
            self._session = replace(
                self._session,
                session_id=string(record, "session_id") or self._session.session_id,
                model=string(record, "model") or None,
            )
        known = kind in _KNOWN
        events = tuple(self._events(kind, record, stamp)) if known else ()
        yield self._draft(line, kind or "(no type)", events, stats=record.get("stats"), known=known)

    def rest(self) -> Iterator[Draft]:
        """The reply whose last piece has come."""
        if self._last is not None:
            line, stamp = self._last
            events = tuple(self._conversation.model_events("".join(self._pieces), stamp))
            self._last, self._pieces = None, []
            yield self._draft(line, "message", events)

    def _draft(
        self,
        line: int,
        kind: str,
        events: tuple[DraftEvent, ...] = (),
        *,
        stats: JsonValue = None,
        known: bool = True,
    ) -> Draft:
        usage = {k: v for k, v in mapping(stats).items() if type(v) in (int, float)}
        return Draft(
            session=self._session,
            line=line,
            native_type=kind,
            events=events,
            usage=usage or None,
            known=known,
        )

    def _events(self, kind: str, record: Record, stamp: str | None) -> Iterator[DraftEvent]:
        if kind == "message":
            yield from self._conversation.user_events(record.get("content"), stamp)
        elif kind == "tool_use":
            call = {"id": record.get("tool_id"), "name": record.get("tool_name")}
            yield self._conversation.call_event(call, record.get("parameters"), stamp)
        elif kind == "tool_result":
            yield from self._result(record, stamp)
        elif kind == "error":
            text = string(record, "message")
            severe = string(record, "severity") != "warning"
            yield notice(text, stamp, api_error_type(text) if severe else None)
        elif kind == "result":
            yield _end(record, stamp)

    def _result(self, record: Record, stamp: str | None) -> Iterator[DraftEvent]:
        """A result: the output as the person saw it, which has no exit code in it."""
        error, output = mapping(record.get("error")), string(record, "output")
        message = string(error, "message")
        response: dict[str, JsonValue] = {"output": output}
        if message:
            is_repeated = output.strip().rstrip(".") in message
            response = {"error": message if is_repeated else f"{output}\n{message}"}
        answer = Answer(
            call_id=string(record, "tool_id") or None,
            native_status=string(record, "status") or None,
            error_type=string(error, "type"),
        )
        yield from self._conversation.response_events({"response": response}, stamp, answer)


def _end(record: Record, stamp: str | None) -> DraftEvent:
    """The end of a run. That the program came to its end does not say that the task did."""
    status, error = string(record, "status"), mapping(record.get("error"))
    extra: dict[str, JsonValue] = {"end_state": "completed" if status == "success" else "crashed"}
    if detail := string(error, "message"):
        extra["detail"] = detail[:_MAX_DETAIL_CHARS]
    return DraftEvent(event_type=EventType.END, actor=Actor.SYSTEM, timestamp=stamp, extra=extra)
