"""Token counts that Codex writes behind a reply, put on the reply itself."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from hindsight_cli.capture.draft import Draft, Problem, size_of
from hindsight_cli.capture.formats.content import type_of
from hindsight_cli.records.event import Actor
from hindsight_cli.records.jsonvalue import JsonValue

# How many lines may lie between a reply and its count: the tools it called run first.
_WINDOW = 256
_MAX_HELD_CHARS = 4_000_000
Usage = Mapping[str, JsonValue]


class UsageMeter:
    """Reads counts of single replies out of records, each once.

    Versions since 2026 write both a `token_usage_record` and a `token_count` of the same
    reply; a `token_count` is also repeated when only limits have changed.
    """

    def __init__(self) -> None:
        self._has_records = False
        self._total: JsonValue = None

    def usage_of(self, record: Mapping[str, JsonValue]) -> Usage | None:
        payload = record.get("payload")
        if not isinstance(payload, dict):
            return None
        if type_of(record) == "token_usage_record":
            self._has_records = True
            return _counts(payload.get("usage"))
        info = payload.get("info")
        if type_of(payload) != "token_count" or self._has_records or not isinstance(info, dict):
            return None
        total = info.get("total_token_usage")
        if total is not None and total == self._total:
            return None
        self._total = total
        return _counts(info.get("last_token_usage"))


def _counts(usage: JsonValue) -> Usage | None:
    if not isinstance(usage, dict):
        return None
    return {key: value for key, value in usage.items() if type(value) in (int, float)} or None


def usage_on_reply(
    items: Iterable[tuple[Draft | Problem, Usage | None]],
) -> Iterator[Draft | Problem]:
    """Records in their order, each count on the last record of the model before it.

    From that record on, what follows is held back until its count comes, or too much
    has passed to keep.
    """
    held: deque[Draft | Problem] = deque()
    held_chars = 0
    for item, usage in items:
        if usage is not None and held and isinstance(held[0], Draft):
            held[0] = replace(held[0], usage=usage)
        if usage is not None or _is_reply(item):
            yield from held
            held.clear()
            held_chars = 0
        if held or _is_reply(item):
            held.append(item)
            held_chars += size_of(item) if isinstance(item, Draft) else 0
        else:
            yield item
        if len(held) > _WINDOW or held_chars > _MAX_HELD_CHARS:
            yield from held
            held.clear()
            held_chars = 0
    yield from held


def _is_reply(item: Draft | Problem) -> bool:
    return (
        isinstance(item, Draft)
        and item.native_type.startswith("response_item")
        and any(event.actor is Actor.AGENT for event in item.events)
    )
