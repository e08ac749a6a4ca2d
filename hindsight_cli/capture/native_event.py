"""Events that a program reports itself, as JSON objects in our own field names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from typing import TypeVar

from hindsight_cli.capture.draft import DraftEvent
from hindsight_cli.capture.nesting import is_deeper
from hindsight_cli.capture.status import ToolOutput, derive_status
from hindsight_cli.capture.toolkinds import split_server, tool_kind
from hindsight_cli.errors import InvalidEventError
from hindsight_cli.records.event import Actor, Event, EventType, Outcome, Status, ToolKind
from hindsight_cli.records.jsonvalue import JsonValue

_ALIASES = {"type": "event_type", "tool": "tool_name", "text": "output", "output_summary": "output"}
_FIELDS = frozenset(
    {
        *("session_id", "event_type", "event_id", "timestamp", "actor", "tool_name", "tool_kind"),
        *("server", "call_id", "input", "output", "status", "exit_code", "error_type"),
        *("duration_ms", "injected", "extra", "outcome", "v"),
    }
)
_ACTORS = {
    EventType.TASK: Actor.USER,
    EventType.TOOL_RESULT: Actor.TOOL,
    EventType.OBSERVATION: Actor.TOOL,
    EventType.BOUNDARY: Actor.SYSTEM,
    EventType.OUTCOME: Actor.SYSTEM,
    EventType.END: Actor.SYSTEM,
    EventType.COMPACTION: Actor.SYSTEM,
    EventType.OTHER: Actor.SYSTEM,
}
_MAX_DEPTH = 500  # what every command can read again, however deep it is called itself
_E = TypeVar("_E", bound=StrEnum)


def drafts_from_json(
    given: Mapping[str, JsonValue], number: int, *, now: str
) -> list[tuple[DraftEvent, str | None]]:
    """One or two events with their ids, if the program chose some.

    A tool call that brings its output, status or exit code along becomes a call and
    a result. Fields nobody knows are kept in `extra`.

    Raises:
        InvalidEventError: names the line and the field.
    """
    where = f"event {number}"
    if is_deeper(given, _MAX_DEPTH):
        raise InvalidEventError(where, f"it is nested more than {_MAX_DEPTH} levels deep")
    data = {_ALIASES.get(key, key): value for key, value in given.items()}
    data.setdefault("timestamp", now)
    event_type = _enum(EventType, data.get("event_type"), where, "event_type")
    if event_type is None:
        raise InvalidEventError(where, "it has no event_type")
    if event_type in (EventType.TOOL_CALL, EventType.TOOL_RESULT) and not (
        data.get("tool_name") or data.get("call_id")
    ):
        raise InvalidEventError(where, f"a {event_type} needs a tool_name")
    event_id = data.get("event_id")
    identity = None if event_id is None else str(event_id)
    if event_type is not EventType.TOOL_CALL:
        return [(_draft(event_type, data, where), identity)]
    answered = {"output", "status", "exit_code", "error_type"} & data.keys()
    call = {k: v for k, v in data.items() if k not in answered and k != "duration_ms"}
    drafts = [(_draft(EventType.TOOL_CALL, call, where), identity)]
    if answered:
        result = {k: v for k, v in data.items() if k not in ("input", "extra")}
        second = f"{identity}-result" if identity else None
        drafts.append((_draft(EventType.TOOL_RESULT, result, where), second))
    return drafts


def with_status(result: DraftEvent, call: Event | None) -> DraftEvent:
    """A result whose program reported no status, with the one derived from its call and text."""
    if result.event_type is not EventType.TOOL_RESULT or result.status is not None:
        return result
    verdict = derive_status(
        ToolOutput(
            text=result.text,
            tool_kind=result.tool_kind or (call.tool_kind if call else None),
            command=_command(call.input) if call else "",
            exit_code=result.exit_code,
        )
    )
    return replace(
        result,
        status=verdict.status,
        status_rule=verdict.rule,
        exit_code=verdict.exit_code if result.exit_code is None else result.exit_code,
        error_type=result.error_type or verdict.error_type,
    )


def _draft(event_type: EventType, data: Mapping[str, JsonValue], where: str) -> DraftEvent:
    name = _text(data, "tool_name", where) or None
    server, _ = split_server(name) if name else (None, "")
    kind = _enum(ToolKind, data.get("tool_kind"), where, "tool_kind")
    kind = kind or (tool_kind(name) if name else None)
    text = _text(data, "output", where)
    exit_code = _integer(data, "exit_code", where)
    status = _enum(Status, data.get("status"), where, "status")
    error_type = data.get("error_type")
    return DraftEvent(
        event_type=event_type,
        actor=_enum(Actor, data.get("actor"), where, "actor")
        or _ACTORS.get(event_type, Actor.AGENT),
        timestamp=_text(data, "timestamp", where) or None,
        text=text,
        tool_name=name,
        tool_kind=kind,
        server=_text(data, "server", where) or server,
        call_id=_text(data, "call_id", where) or None,
        input=data.get("input"),
        status=status,
        status_rule="reported" if status else None,
        native_status=data.get("status"),
        exit_code=exit_code,
        error_type=None if error_type is None else str(error_type),
        duration_ms=_integer(data, "duration_ms", where),
        injected=bool(data.get("injected", False)),
        extra=_extra(event_type, data, where),
    )


def _extra(
    event_type: EventType, data: Mapping[str, JsonValue], where: str
) -> Mapping[str, JsonValue]:
    extra = data.get("extra") or {}
    if not isinstance(extra, dict):
        raise InvalidEventError(where, "extra must be an object")
    extra = {**extra, **{k: v for k, v in data.items() if k not in _FIELDS}}
    if event_type is EventType.OUTCOME:
        outcome = _enum(Outcome, data.get("outcome") or extra.get("outcome"), where, "outcome")
        if outcome is None:
            raise InvalidEventError(where, "an outcome event needs outcome")
        extra = {"source": "reported", **extra, "outcome": outcome.value}
    return extra


def _command(arguments: JsonValue) -> str:
    if isinstance(arguments, dict):
        return str(arguments.get("command") or arguments.get("cmd") or "")
    return arguments if isinstance(arguments, str) else ""


def _enum(enum: type[_E], value: JsonValue, where: str, name: str) -> _E | None:
    if value is None or value == "":
        return None
    try:
        return enum(value)
    except ValueError:
        allowed = ", ".join(enum)
        raise InvalidEventError(where, f"{name} {value!r} is none of {allowed}") from None


def _text(data: Mapping[str, JsonValue], name: str, where: str) -> str:
    value = data.get(name)
    if value is None:
        return ""
    if isinstance(value, dict | list):
        import json

        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, str | int | float | bool):
        return str(value)
    raise InvalidEventError(where, f"{name} must be text")


def _integer(data: Mapping[str, JsonValue], name: str, where: str) -> int | None:
    value = data.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidEventError(where, f"{name} must be a whole number, not {value!r}")
    return value
