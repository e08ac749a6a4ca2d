"""A small trace given inline, for validating without a store."""

from __future__ import annotations

from collections.abc import Mapping

from hindsight_cli.guard.candidate import SchemaError
from hindsight_cli.records.event import Actor, Event, EventType, Status, ToolKind
from hindsight_cli.records.jsonvalue import JsonValue
from hindsight_cli.records.trace import Trace

_SHELLS = frozenset({"bash", "shell", "sh", "zsh", "terminal", "execute_command", "run_command"})
_ACTORS = {actor.value: actor for actor in Actor}
_ALIASES = {"failed": "error", "failure": "error", "success": "ok", "succeeded": "ok"}
_MAX_STEP = 10**9


def trace_from(items: JsonValue) -> Trace:
    """Build a trace from objects with step_index, event_type, tool_name, input, output, status.

    Raises:
        SchemaError: the list or one of its objects has another shape.
    """
    if not isinstance(items, list):
        raise SchemaError("trace: must be a list of steps")
    built = _Builder()
    for number, item in enumerate(items, 1):
        if not isinstance(item, Mapping):
            raise SchemaError(f"trace[{number}]: must be an object")
        built.add(item, number)
    return Trace(
        trace_id="inline",
        session_id="inline",
        agent="inline",
        events=tuple(built.events),
        texts=built.texts,
    )


class _Builder:
    def __init__(self) -> None:
        self.events: list[Event] = []
        self.texts: dict[int, str] = {}

    def add(self, item: Mapping[str, JsonValue], number: int) -> None:
        step = item.get("step_index", number)
        if not isinstance(step, int) or isinstance(step, bool) or not 0 <= step <= _MAX_STEP:
            raise SchemaError(f"trace[{number}].step_index: must be a step number")
        kind = str(item.get("event_type", "tool_call"))
        event_type = EventType(kind) if kind in EventType._value2member_map_ else EventType.OTHER
        output = _text(item.get("output", item.get("output_summary", item.get("text"))))
        if event_type is EventType.TOOL_CALL:
            self._add_call(item, step, output)
        else:
            self._append(item, step, event_type, text=output or _text(item.get("input")))

    def _add_call(self, item: Mapping[str, JsonValue], step: int, output: str) -> None:
        self._append(item, step, EventType.TOOL_CALL, text="")
        if "output" in item or "status" in item:
            self._append(item, step, EventType.TOOL_RESULT, text=output)

    def _append(
        self, item: Mapping[str, JsonValue], step: int, event_type: EventType, *, text: str
    ) -> None:
        seq = len(self.events) + 1
        tool = item.get("tool_name") or item.get("tool")
        is_call = event_type in (EventType.TOOL_CALL, EventType.TOOL_RESULT)
        is_result = event_type in (EventType.TOOL_RESULT, EventType.OBSERVATION)
        exit_code = item.get("exit_code")
        self.texts[seq] = text
        self.events.append(
            Event(
                session_id="inline",
                trace_id="inline",
                seq=seq,
                step_index=step,
                event_id=str(seq),
                event_type=event_type,
                actor=_actor(item, event_type),
                tool_name=str(tool) if tool and is_call else None,
                tool_kind=_kind(str(tool)) if is_call else None,
                input=item.get("input") if event_type is EventType.TOOL_CALL else None,
                status=_status(item.get("status")) if is_result else None,
                exit_code=exit_code if isinstance(exit_code, int) and is_result else None,
                injected=item.get("injected") is True,
            )
        )


def _actor(item: Mapping[str, JsonValue], event_type: EventType) -> Actor:
    named = str(item.get("actor") or item.get("tool_name") or "")
    if named in _ACTORS:
        return _ACTORS[named]
    if event_type is EventType.TASK:
        return Actor.USER
    return Actor.TOOL if event_type is EventType.TOOL_RESULT else Actor.AGENT


def _kind(tool: str) -> ToolKind:
    return ToolKind.SHELL if tool.casefold() in _SHELLS else ToolKind.OTHER


def _status(value: JsonValue) -> Status | None:
    if value is None:
        return None
    word = str(value).casefold()
    word = _ALIASES.get(word, word)
    return Status(word) if word in Status._value2member_map_ else Status.UNKNOWN


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)
