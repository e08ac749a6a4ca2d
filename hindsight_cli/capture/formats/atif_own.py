"""An event that Hindsight itself wrote into an ATIF document, read back as it was."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from typing import TypeVar

from hindsight_cli.capture.draft import DraftEvent
from hindsight_cli.records.event import Actor, EventType, Status, ToolKind
from hindsight_cli.records.interchange import OWN_KEY, OWN_NUMBERS, OWN_TEXTS
from hindsight_cli.records.jsonvalue import JsonValue

Members = Mapping[str, JsonValue]
_E = TypeVar("_E", bound=StrEnum)


def own_of(holder: JsonValue) -> Members:
    """What Hindsight put into the `extra` of a document, step, call or result; {} if nothing."""
    extra = holder.get("extra") if isinstance(holder, dict) else None
    own = extra.get(OWN_KEY) if isinstance(extra, dict) else None
    return own if isinstance(own, dict) else {}


def restored(own: Members, plain: DraftEvent) -> DraftEvent:
    """`plain`, what ATIF itself tells of an event, with what was kept beside it.

    A field that has another type than it is written with is passed over.
    """
    event = replace(
        plain,
        event_type=_member(EventType, own.get("event_type")) or plain.event_type,
        actor=_member(Actor, own.get("actor")) or plain.actor,
        tool_kind=_member(ToolKind, own["tool_kind"]) if "tool_kind" in own else plain.tool_kind,
        status=_member(Status, own.get("status")) or plain.status,
        native_status=_text(own.get("native_status")) or plain.native_status,
        injected=own.get("injected") is True,
        input=own.get("input", plain.input),
        extra=own["extra"] if isinstance(own.get("extra"), dict) else {},
    )
    changed = {name: own[name] for name in OWN_TEXTS if _is_text_or_none(own, name)}
    changed |= {name: own[name] for name in OWN_NUMBERS if type(own.get(name)) is int}
    return replace(event, **changed) if changed else event


def _is_text_or_none(own: Members, name: str) -> bool:
    return name in own and (own[name] is None or isinstance(own[name], str))


def _text(value: JsonValue) -> str | None:
    return value if isinstance(value, str) and value else None


def _member(enum: type[_E], value: JsonValue) -> _E | None:
    return enum(value) if isinstance(value, str) and value in enum._value2member_map_ else None
