"""The entries of a pi session as events: messages, summaries, what extensions add."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hindsight_cli.capture.draft import DraftEvent
from hindsight_cli.capture.formats.content import blobs_of, text_of, type_of
from hindsight_cli.capture.formats.pi_messages import (
    BrokenRecordError,
    events_of_message,
    is_from_harness,
)
from hindsight_cli.capture.formats.pi_sessions import Conversation
from hindsight_cli.records.event import Actor, EventType
from hindsight_cli.records.jsonvalue import JsonValue

ENTRIES = frozenset({"message", "compaction", "branch_summary", "custom_message"})
SILENT = frozenset(
    {"session", "model_change", "thinking_level_change", "custom", "label", "session_info"}
)
_KEPT = ("tokensBefore", "firstKeptEntryId", "fromId")


def events_of(entry: Mapping[str, JsonValue], conversation: Conversation) -> Iterator[DraftEvent]:
    """The events of one entry, in order.

    Raises:
        BrokenRecordError: the entry has no readable body.
    """
    kind, stamp = type_of(entry), entry.get("timestamp")
    time = stamp if isinstance(stamp, str) and stamp else None
    if kind == "message":
        message = entry.get("message")
        if not isinstance(message, dict):
            raise BrokenRecordError("without a message")
        yield from events_of_message(message, time, conversation)
    elif kind == "custom_message":
        content = entry.get("content")
        yield DraftEvent(
            event_type=EventType.MESSAGE,
            actor=Actor.SYSTEM,
            timestamp=time,
            text=text_of(content),
            blobs=blobs_of(content),
            injected=True,
        )
    else:
        yield DraftEvent(
            event_type=EventType.COMPACTION,
            actor=Actor.SYSTEM,
            timestamp=time,
            text=text_of(entry.get("summary")),
            injected=True,
            extra={key: entry[key] for key in _KEPT if type(entry.get(key)) in (int, str)},
        )


def usage_of(entry: Mapping[str, JsonValue]) -> Mapping[str, JsonValue] | None:
    """Tokens and, in dollars, the cost of a model's reply."""
    message = entry.get("message")
    if not isinstance(message, dict) or message.get("role") != "assistant":
        return None
    usage = message.get("usage")
    if not isinstance(usage, dict) or is_from_harness(message):
        return None
    cost = usage.get("cost")
    numbers = {**usage, "cost": cost.get("total") if isinstance(cost, dict) else cost}
    return {k: v for k, v in numbers.items() if type(v) in (int, float)} or None
