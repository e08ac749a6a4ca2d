"""Drafts become events: redacted, summarised, numbered. The one choke point of redaction.

Nothing of a native record reaches disk, an index, a log or a model but through here.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace

from hindsight_cli.capture.blobs import redacted_blob
from hindsight_cli.capture.boundaries import Sign, next_trace_id
from hindsight_cli.capture.draft import Blob, Draft, DraftEvent, SessionInfo
from hindsight_cli.capture.importance import importance_of
from hindsight_cli.capture.names import Names
from hindsight_cli.capture.numbering import SessionState
from hindsight_cli.capture.own_blocks import without_own_blocks
from hindsight_cli.records.event import Actor, Event, EventType, Importance, Native
from hindsight_cli.records.jsonvalue import JsonValue
from hindsight_cli.redact import Redactor
from hindsight_cli.text import SUMMARY_CHARS, summarize

MAX_INPUT_CHARS = 2_000  # of an event's arguments as JSON; the rest is kept by hash
MAX_ARGUMENT_CHARS = 400
MAX_INPUT_DEPTH = 8
_MAX_BRACKETS = 200  # of arguments kept as they are: so no reader meets them too deep
_OWN_EXTRA = frozenset({"session", "input_ref", "blobs"})  # what others give is renamed

PutOutput = Callable[[bytes], str]  # stores full text or a blob, gives its sha256


class EventBuilder:
    """Builds the events of one session; `state` moves along with every event built."""

    def __init__(
        self,
        state: SessionState,
        redactor: Redactor,
        put_output: PutOutput,
        *,
        format_name: str | None = None,  # of the transcript that the records are read from
    ) -> None:
        self.state = state
        self._format_name = format_name
        self._redactor = redactor
        self._names = Names(redactor)
        self._put_output = put_output
        self._described = state.seq > 0

    def build(self, draft: Draft) -> list[Event]:
        """The new events of one native record; [] when it has none or all are there already."""
        drafts = draft.events if draft.known else (_unknown_record(draft),)
        uncounted = replace(draft, usage=None) if len(drafts) > 1 and draft.usage else draft
        events: list[Event] = []
        for index, draft_event in enumerate(drafts):
            event_id = event_id_of(self.state.session_id, draft, index)
            if event_id in self.state.event_ids:
                continue
            is_last = index == len(drafts) - 1
            # On one event only, so that the tokens of a session can be added up.
            event = self._event(draft if is_last else uncounted, draft_event, event_id)
            # A subagent has one task, its call's; a trace that was exported has its own.
            if not (draft.session.parent_session_id or draft.session.one_task):
                event = self._begin_task(event, events)
            self.state.note(event)
            events.append(event)
        return events

    def _begin_task(self, event: Event, events: list[Event]) -> Event:
        """The event; where it begins another task, as that and with a boundary before it."""
        if self.state.task.sign_of(event) is not Sign.HARD:
            return event
        trace_id = next_trace_id(self.state.session_id, self.state.trace_ids)
        boundary = self.state.boundary(
            from_step=event.step_index, trace_id=trace_id, timestamp=event.timestamp
        )
        self.state.note(boundary)
        events.append(boundary)
        return replace(
            event,
            event_type=EventType.TASK,
            trace_id=trace_id,
            seq=boundary.seq + 1,
            importance=Importance.HIGH,  # as that of every task
        )

    def build_one(self, draft: Draft, event_id: str) -> Event:
        """As `build`, for a record with one event whose id the caller chose."""
        event = self._event(draft, draft.events[0], event_id)
        self.state.note(event)
        return event

    def _event(self, draft: Draft, given: DraftEvent, event_id: str) -> Event:
        given = self._names.of(given)
        arguments, input_ref = self._input(given.input)
        event_type = given.event_type
        if event_type is EventType.TASK and self.state.has_task:
            event_type = EventType.MESSAGE  # one task a session unless a boundary says otherwise
        place = self.state.place(event_type, given.call_id, given.tool_name)
        call = place.answers
        tool_name = given.tool_name or (call.tool_name if call else None)
        tool_kind = given.tool_kind or (call.tool_kind if call else None)
        attempt = None
        if event_type is EventType.TOOL_CALL:
            attempt = self.state.attempt_of(tool_name, arguments, input_ref)
        elif event_type is EventType.TOOL_RESULT:
            attempt = call.attempt if call else 1
        own = given.text if given.injected else without_own_blocks(given.text)
        text = self._redactor.text(own)
        summary, output_ref, output_bytes = self._text(text)
        return Event(
            session_id=self.state.session_id,
            trace_id=place.trace_id,
            seq=place.seq,
            step_index=place.step_index,
            event_id=event_id,
            event_type=event_type,
            timestamp=given.timestamp,
            actor=given.actor,
            tool_name=tool_name,
            tool_kind=tool_kind,
            server=given.server or (call.server if call else None),
            call_id=given.call_id,
            input=arguments,
            output_summary=summary,
            output_ref=output_ref,
            output_bytes=output_bytes,
            status=given.status,
            status_rule=given.status_rule,
            exit_code=given.exit_code,
            error_type=given.error_type,
            attempt=attempt,
            duration_ms=given.duration_ms,
            importance=importance_of(
                event_type,
                tool_kind=tool_kind,
                status=given.status,
                attempt=attempt or 1,
                ends_failure=self.state.ends_failure(tool_name, given.status),
            ),
            injected=given.injected,
            native=self._native(draft, given),
            extra=self._extra(draft.session, given, input_ref),
        )

    def _native(self, draft: Draft, given: DraftEvent) -> Native:
        return Native(
            line=draft.line,
            id=self._names.clean_or_none(draft.native_id),
            type=self._names.clean(draft.native_type),
            status=given.native_status,
            usage=self._names.usage(draft.usage),
        )

    def _text(self, text: str) -> tuple[str, str | None, int]:
        raw = text.encode("utf-8", "replace")
        if len(text) <= SUMMARY_CHARS:
            return raw.decode(), None, len(raw)
        return summarize(text), self._put_output(raw), len(raw)

    def _input(self, value: JsonValue) -> tuple[JsonValue, str | None]:
        """The redacted arguments, long strings shortened, and where the full ones are."""
        if value is None:
            return None, None
        value = self._redactor.value(value)
        full = json.dumps(value, ensure_ascii=False, default=str).encode("utf-8", "replace")
        if len(full) <= MAX_INPUT_CHARS and full.count(b"[") + full.count(b"{") <= _MAX_BRACKETS:
            return json.loads(full), None
        return _shorten(value, MAX_ARGUMENT_CHARS), self._put_output(full)

    def _extra(
        self, session: SessionInfo, given: DraftEvent, input_ref: str | None
    ) -> Mapping[str, JsonValue]:
        clean: JsonValue = self._redactor.value(dict(given.extra))
        extra = {f"given_{k}" if k in _OWN_EXTRA else k: v for k, v in clean.items()}
        if input_ref is not None:
            extra["input_ref"] = input_ref
        if given.blobs:
            extra["blobs"] = [self._blob(blob) for blob in given.blobs]
        if not self._described:
            self._described = True
            about = {**asdict(session), "format": self._format_name}
            described = {k: v for k, v in about.items() if v is not None}
            extra["session"] = self._redactor.value(described)
        return extra

    def _blob(self, blob: Blob) -> JsonValue:
        data = redacted_blob(blob.data, self._redactor)
        return {
            "mime": self._names.clean(blob.mime),
            "bytes": len(data),
            "ref": self._put_output(data),
        }


def event_id_of(session_id: str, draft: Draft, index: int) -> str:
    """The id of the `index`-th event of a native record, equal at every import of it."""
    native = draft.native_id or f"{draft.line}:{_content_key(draft)}"
    return hashlib.sha256(f"{session_id}\n{native}\n{index}".encode()).hexdigest()[:20]


def _content_key(draft: Draft) -> str:
    texts = [draft.native_type, *(e.text for e in draft.events)]
    return hashlib.sha256("\n".join(texts).encode("utf-8", "replace")).hexdigest()[:16]


def _unknown_record(draft: Draft) -> DraftEvent:
    if draft.events:
        return draft.events[0]
    return DraftEvent(event_type=EventType.OTHER, actor=Actor.SYSTEM)


def _shorten(value: JsonValue, max_chars: int, depth: int = MAX_INPUT_DEPTH) -> JsonValue:
    """`value` with long strings cut, long lists ended early and deep parts as text."""
    if isinstance(value, str):
        return summarize(value, max_chars)
    if not isinstance(value, dict | list | tuple):
        return value
    if depth == 0:
        return summarize(json.dumps(value, ensure_ascii=False, default=str), max_chars)
    if isinstance(value, dict):
        some = list(value.items())[:50]
        return {str(k)[:max_chars]: _shorten(v, max_chars, depth - 1) for k, v in some}
    return [_shorten(v, max_chars // 2 or 1, depth - 1) for v in value[:20]]
