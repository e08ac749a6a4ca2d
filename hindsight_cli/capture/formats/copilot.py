"""GitHub Copilot CLI: `~/.copilot/session-state/<session>/events.jsonl`, and what it prints.

One line is one event, `{type, data, id, timestamp, parentId}`. What `copilot -p
--output-format json` prints are the same events with the same ids, more that are only of
the moment, and a last line that names the session. Source: docs/reference/native-formats.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from hindsight_cli.capture.draft import Draft, DraftEvent, Problem
from hindsight_cli.capture.formats.content import type_of
from hindsight_cli.capture.formats.copilot_events import events_of, is_known
from hindsight_cli.capture.formats.copilot_sessions import Conversation, Ids, SessionTracker
from hindsight_cli.capture.formats.jsonlines_reader import (
    Record,
    no_record,
    parse_json,
    problem_of,
    read_json_lines,
)
from hindsight_cli.records.jsonvalue import JsonValue

_MAX_HEAD_LINES = 50
_NEAR_BYTES = 4096
_FAMILY = re.compile(
    r"(?:session|assistant|user|tool|system|subagent|hook|permission|model|skill|mcp)\.[\w.]+"
)
# A first line that goes on and on cannot be parsed; how it begins decides.
_ENVELOPE = re.compile(rb'\{"type":"(?:session|assistant|user|tool|system)\.\w+","data":\{')


def recognizes(path: Path, head: bytes) -> bool:
    """Whether one of the first lines is an event of Copilot's."""
    for line in head.removeprefix(b"\xef\xbb\xbf").split(b"\n")[:_MAX_HEAD_LINES]:
        if b'"data"' not in line:
            continue
        try:
            record = parse_json(line.strip())
        except (ValueError, RecursionError):
            if _ENVELOPE.match(line[:_NEAR_BYTES]):
                return True
            continue
        if isinstance(record, dict) and _is_event(record):
            return True
    return False


def _is_event(record: Mapping[str, JsonValue]) -> bool:
    return (
        bool(_FAMILY.fullmatch(type_of(record)))
        and isinstance(record.get("data"), dict)
        and all(isinstance(record.get(key), str) for key in ("id", "timestamp"))
    )


def read(path: Path) -> Iterator[Draft | Problem]:
    """Every line in file order; memory is bound to one line."""
    sessions, ids = SessionTracker(path), Ids()
    for item in read_json_lines(path):
        if isinstance(item, Problem):
            yield item
        elif isinstance(item.value, dict):
            yield _draft(item, item.value, sessions, ids)
        else:
            yield no_record(item.line, item.value)


def _draft(
    item: Record, record: Mapping[str, JsonValue], sessions: SessionTracker, ids: Ids
) -> Draft | Problem:
    kind = type_of(record)
    sessions.note(item.line, record)
    conversation = sessions.conversation_of(record)
    known = is_known(record)
    if known and kind != "result" and not isinstance(record.get("data"), dict):
        return problem_of(item, f"{kind} event without data")
    events = tuple(events_of(record, conversation)) if known else ()
    return Draft(
        session=conversation.session,
        line=item.line,
        native_type=kind or "(no type)",
        native_id=ids.id_of(record),
        events=events,
        usage=_usage_of(record, events, conversation),
        known=known,
    )


def _usage_of(
    record: Mapping[str, JsonValue], events: tuple[DraftEvent, ...], conversation: Conversation
) -> Mapping[str, JsonValue] | None:
    """What a reply cost: told apart, else at least the tokens of the answer."""
    data = record.get("data")
    if type_of(record) != "assistant.message" or not isinstance(data, dict) or not events:
        return None
    call_id, tokens = data.get("apiCallId"), data.get("outputTokens")
    told = conversation.usage.pop(call_id, None) if isinstance(call_id, str) else None
    return told or ({"outputTokens": tokens} if type(tokens) is int else None)
