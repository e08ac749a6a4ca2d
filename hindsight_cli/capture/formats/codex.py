"""OpenAI Codex rollouts: `$CODEX_HOME/sessions/<yyyy>/<mm>/<dd>/rollout-<time>-<id>.jsonl`.

One line is one native record. Since mid 2025 a line is an envelope
`{timestamp, type, payload}`; before, the first line described the session and every
other was a bare item. Source: docs/reference/native-formats.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from hindsight_cli.capture.draft import Draft, DraftEvent, Problem
from hindsight_cli.capture.formats.codex_events import TELLING, TOLD_ELSEWHERE, events_of_message
from hindsight_cli.capture.formats.codex_history import SessionTracker, starts_session
from hindsight_cli.capture.formats.codex_items import ITEMS, SILENT_ITEMS, Rollout, events_of_item
from hindsight_cli.capture.formats.codex_usage import UsageMeter, usage_on_reply
from hindsight_cli.capture.formats.content import type_of
from hindsight_cli.capture.formats.jsonlines_reader import (
    Record,
    parse_json,
    problem_of,
    read_json_lines,
)
from hindsight_cli.records.event import Actor, EventType
from hindsight_cli.records.jsonvalue import JsonValue

_SILENT = frozenset(
    {
        *("session_meta", "turn_context", "world_state", "token_usage_record"),
        *("inter_agent_communication_metadata", "state"),
    }
)
_ENVELOPES = _SILENT | {"response_item", "event_msg", "compacted", "inter_agent_communication"}
_ENVELOPE_KEYS = frozenset({"timestamp", "ordinal", "type", "payload", "metadata"})
_NEEDED_KEYS = frozenset({"timestamp", "type", "payload"})
_MAX_HEAD_LINES = 50
_NEAR_BYTES = 64 * 1024
_LOOKAHEAD_BYTES = 4 * 1024 * 1024
# A first line that is cut off, or goes on and on, cannot be parsed; how it begins decides.
_ENVELOPE = re.compile(
    rb'"type"\s*:\s*"(?:session_meta|turn_context|response_item|event_msg|compacted)"\s*,'
    rb'\s*"payload"\s*:\s*\{'
)


def recognizes(path: Path, head: bytes) -> bool:
    """Whether the file holds Codex's envelopes, or begins as its first versions did."""
    is_first = True
    for line in head.removeprefix(b"\xef\xbb\xbf").split(b"\n")[:_MAX_HEAD_LINES]:
        if not line.strip():
            continue
        try:
            record = parse_json(line.strip())
        except (ValueError, RecursionError):
            if _ENVELOPE.search(line[:_NEAR_BYTES]):
                return True
            is_first = False
            continue
        if isinstance(record, dict) and _is_ours(record, is_first=is_first):
            return True
        is_first = False
    return False


def _is_ours(record: Mapping[str, JsonValue], *, is_first: bool) -> bool:
    payload = record.get("payload")
    if not isinstance(payload, dict):
        return record.get("record_type") == "state" or (is_first and starts_session(record))
    if type_of(record) in _ENVELOPES:
        return True
    # Of a version whose record types all have other names; what cannot be read is then told.
    return record.keys() <= _ENVELOPE_KEYS and record.keys() >= _NEEDED_KEYS


def read(path: Path) -> Iterator[Draft | Problem]:
    """Every line of the rollout in file order; memory is bound to a few lines."""
    return usage_on_reply(_records(path))


def _records(
    path: Path,
) -> Iterator[tuple[Draft | Problem, Mapping[str, JsonValue] | None]]:
    sessions, rollout, meter = SessionTracker(path), Rollout(), UsageMeter()
    told_in_events = not _has_items(path)
    for item in read_json_lines(path):
        if isinstance(item, Problem):
            yield item, None
        elif not isinstance(item.value, dict):
            kind = type(item.value).__name__
            yield problem_of(item, f"a JSON {kind} where a record was expected"), None
        else:
            is_own = sessions.note(item.line, item.value)
            if sessions.is_new:
                rollout = Rollout()
            rollout.session, rollout.told_in_events = sessions.session, told_in_events
            yield (
                _draft(item, item.value, rollout, is_own=is_own),
                (meter.usage_of(item.value) if is_own else None),
            )


def _has_items(path: Path) -> bool:
    """Whether the conversation is there as items; what events tell of it is then a copy."""
    with path.open("rb") as file:
        return b'"response_item"' in file.read(_LOOKAHEAD_BYTES)


def _draft(
    item: Record, record: Mapping[str, JsonValue], rollout: Rollout, *, is_own: bool
) -> Draft | Problem:
    kind, payload = _unpacked(record)
    if payload is None:
        return problem_of(item, f"{kind} record without a payload")
    if kind == "other" and starts_session(record):
        kind = "session_meta"
    inner = type_of(payload) if kind in ("response_item", "event_msg") else ""
    known = kind in _ENVELOPES and _knows(kind, inner)
    stamp = record.get("timestamp")
    time = stamp if isinstance(stamp, str) and stamp[:4].isdigit() else None
    events: tuple[DraftEvent, ...] = ()
    native_id = None
    if is_own and known:
        events = tuple(_events(kind, payload, time, rollout))
        native_id = rollout.id_of(inner or kind, payload) if events else None
    elif not known:
        events = (DraftEvent(event_type=EventType.OTHER, actor=Actor.SYSTEM, timestamp=time),)
    return Draft(
        session=rollout.session,
        line=item.line,
        native_type=f"{kind}/{inner}" if inner else kind,
        native_id=native_id,
        events=events,
        known=known or not is_own,
    )


def _unpacked(record: Mapping[str, JsonValue]) -> tuple[str, Mapping[str, JsonValue] | None]:
    """The kind of a record and what is in it, whatever generation wrote it."""
    payload, kind = record.get("payload"), type_of(record)
    if "payload" in record or kind in _ENVELOPES:
        return kind or "(no type)", payload if isinstance(payload, dict) else None
    if record.get("record_type") == "state":
        return "state", record
    if kind in ITEMS or kind in SILENT_ITEMS:
        return "response_item", record
    return kind or "other", record


def _knows(kind: str, inner: str) -> bool:
    if kind == "response_item":
        return inner in ITEMS or inner in SILENT_ITEMS
    return kind != "event_msg" or inner in TELLING or inner in TOLD_ELSEWHERE


def _events(
    kind: str, payload: Mapping[str, JsonValue], time: str | None, rollout: Rollout
) -> Iterator[DraftEvent]:
    if kind == "response_item":
        return events_of_item(payload, time, rollout)
    if kind in ("event_msg", "compacted", "inter_agent_communication"):
        return events_of_message(kind, payload, time, rollout)
    return iter(())
