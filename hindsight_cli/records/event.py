"""The recorded facts: what an agent did, one event per line of a trace file.

Source: docs/reference/event-format.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import TypeVar, cast

from hindsight_cli.records.jsonvalue import JsonValue

SCHEMA_VERSION = 1
RUN = "run"  # in `extra` of the first event of a session's hooks: the `hindsight run` it is of


class EventType(StrEnum):
    TASK = "task"
    MESSAGE = "message"
    REASONING = "reasoning"
    TOOL_CALL = "tool_call"
    TOOL_RESULT = "tool_result"
    OBSERVATION = "observation"
    DECISION = "decision"
    COMPACTION = "compaction"
    BOUNDARY = "boundary"
    OUTCOME = "outcome"
    END = "end"
    OTHER = "other"


STEP_OPENERS = frozenset(
    {
        EventType.TASK,
        EventType.MESSAGE,
        EventType.REASONING,
        EventType.TOOL_CALL,
        EventType.OBSERVATION,
        EventType.DECISION,
    }
)


class Actor(StrEnum):
    USER = "user"
    AGENT = "agent"
    TOOL = "tool"
    SYSTEM = "system"


class ToolKind(StrEnum):
    SHELL = "shell"
    READ = "read"
    EDIT = "edit"
    WRITE = "write"
    SEARCH = "search"
    WEB = "web"
    MCP = "mcp"
    SUBAGENT = "subagent"
    PLAN = "plan"
    ASK = "ask"
    OTHER = "other"


class Status(StrEnum):
    """What became of a tool call; an agent's own flag is kept in `native.status`."""

    OK = "ok"
    ERROR = "error"
    DENIED = "denied"  # a human or a policy said no: not a failure of the tool
    CANCELLED = "cancelled"  # never ran, or stopped by someone
    TIMEOUT = "timeout"
    MISSING = "missing"  # a call that was never answered
    UNKNOWN = "unknown"


FAILED_STATUSES = frozenset({Status.ERROR, Status.TIMEOUT})


class Importance(StrEnum):
    HIGH = "high"
    NORMAL = "normal"
    LOW = "low"


class Outcome(StrEnum):
    SUCCESS = "success"
    FAILURE = "failure"
    PARTIAL = "partial"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Native:
    """Where an event came from in the agent's own transcript."""

    line: int | None = None  # line, or index of the message, counted from 1
    id: str | None = None
    type: str | None = None
    status: str | None = None  # the agent's own flag, as it wrote it
    usage: Mapping[str, JsonValue] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One line of a trace file.

    A tool call and its result share a `step_index`, so one citation names both.
    """

    v: int = SCHEMA_VERSION
    session_id: str
    trace_id: str
    seq: int  # number of the line in its file, from 1
    step_index: int  # counts from 1 through the session; 0 before the first step
    event_id: str
    event_type: EventType
    timestamp: str | None = None  # ISO 8601 as the agent wrote it
    actor: Actor
    tool_name: str | None = None  # set on tool calls and results
    tool_kind: ToolKind | None = None
    server: str | None = None  # MCP server
    call_id: str | None = None  # not unique in a run: pair by nearest preceding call
    input: JsonValue = None  # arguments of a call, long strings shortened
    output_summary: str = ""  # at most 200 characters, head and tail kept
    output_ref: str | None = None  # sha256 of the full text, when it is longer than the summary
    output_bytes: int = 0
    status: Status | None = None  # set on tool results
    status_rule: str | None = None  # how `status` was derived
    exit_code: int | None = None
    error_type: str | None = None
    attempt: int | None = None  # n-th time this call was tried in the trace, from 1
    duration_ms: int | None = None
    importance: Importance = Importance.NORMAL
    injected: bool = False  # written by a harness or by us: never evidence
    native: Native = field(default_factory=Native)
    extra: Mapping[str, JsonValue] = field(default_factory=dict)
    unknown: Mapping[str, JsonValue] = field(default_factory=dict)  # fields of a later version

    def __post_init__(self) -> None:
        if self.step_index < 0 or self.seq < 1:
            raise ValueError(f"steps count from 0 and lines from 1, got {self}")

    @property
    def failed(self) -> bool:
        return self.status in FAILED_STATUSES


_EVENT_FIELDS = tuple(f.name for f in fields(Event) if f.name != "unknown")
_FIELD_SET = frozenset(_EVENT_FIELDS)
_NATIVE_FIELDS = tuple(f.name for f in fields(Native))
_MAX_COUNT = 2**53  # what every JSON reader can count to
_IDS = ("session_id", "trace_id", "event_id")
_NULL = type(None)
_Types = frozenset[type]
_TEXT: _Types = frozenset({str})
_OPTIONAL_TEXT: _Types = frozenset({str, _NULL})
_COUNT: _Types = frozenset({int})  # exact: a bool is no count
_OPTIONAL_COUNT: _Types = frozenset({int, _NULL})
_TYPES: tuple[tuple[str, _Types], ...] = (
    *((name, _TEXT) for name in (*_IDS, "output_summary")),
    *((name, _OPTIONAL_TEXT) for name in ("timestamp", "tool_name", "server", "call_id")),
    *((name, _OPTIONAL_TEXT) for name in ("output_ref", "status_rule", "error_type")),
    *((name, _COUNT) for name in ("v", "seq", "step_index", "output_bytes")),
    *((name, _OPTIONAL_COUNT) for name in ("exit_code", "attempt", "duration_ms")),
    ("injected", frozenset({bool})),
    ("extra", frozenset({dict})),
)
_NATIVE_TYPES: tuple[tuple[str, _Types], ...] = (
    *((name, _OPTIONAL_TEXT) for name in ("id", "type", "status")),
    ("line", _OPTIONAL_COUNT),
    ("usage", frozenset({dict, _NULL})),
)
_E = TypeVar("_E", bound=StrEnum)


def event_to_dict(event: Event) -> dict[str, JsonValue]:
    """The JSON object of one trace line: every field, later versions' fields included."""
    data = {name: getattr(event, name) for name in _EVENT_FIELDS}
    data["native"] = {name: getattr(event.native, name) for name in _NATIVE_FIELDS}
    return {**data, **event.unknown}


def event_from_dict(data: Mapping[str, JsonValue]) -> Event:
    """Read one trace line of any released version.

    Unknown fields are kept in `unknown`; an enum value of a later version reads as
    its closest neutral member. Whatever a caller does with the event, its fields
    have the types they are declared with.

    Raises:
        ValueError, KeyError: the object is not an event.
    """
    given = _typed(data, _TYPES)
    if "input" in data:
        given["input"] = data["input"]
    if given.get("extra"):
        _check_extra(given["extra"])
    _check_numbering(given)
    native = data.get("native")
    if native is not None and type(native) is not dict:
        raise ValueError("native must be an object")
    return Event(
        **given,
        event_type=_member(EventType, data["event_type"], EventType.OTHER),
        actor=_member(Actor, data.get("actor"), Actor.SYSTEM),
        tool_kind=_optional(ToolKind, data.get("tool_kind"), ToolKind.OTHER),
        status=_optional(Status, data.get("status"), Status.UNKNOWN),
        importance=_member(Importance, data.get("importance"), Importance.NORMAL),
        native=Native(**_typed(native, _NATIVE_TYPES)) if native else Native(),
        unknown=_unknown(data),
    )


def _typed(
    data: Mapping[str, JsonValue], types: tuple[tuple[str, _Types], ...]
) -> dict[str, JsonValue]:
    """The fields named in `types` that `data` has, each of one of its types."""
    given: dict[str, JsonValue] = {}
    for name, allowed in types:
        if name in data:
            value = data[name]
            if type(value) not in allowed:
                raise ValueError(f"{name} must not be {type(value).__name__}")
            given[name] = value
    return given


def _unknown(data: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    if data.keys() <= _FIELD_SET:
        return {}
    return {name: value for name, value in data.items() if name not in _FIELD_SET}


def _check_numbering(given: Mapping[str, JsonValue]) -> None:
    for name in _IDS:
        if not given[name].isascii():
            given[name].encode()  # a lone surrogate is a ValueError
    if given["seq"] > _MAX_COUNT or given["step_index"] > _MAX_COUNT:
        raise ValueError("numbered beyond what can be counted")


def _check_extra(extra: Mapping[str, JsonValue]) -> None:
    """What capture itself puts in `extra` is followed by others, so its shape must hold."""
    if type(extra.get("session", {})) is not dict:
        raise ValueError("extra.session must be an object")
    if type(extra.get("input_ref", "")) is not str:
        raise ValueError("extra.input_ref must be text")
    blobs = extra.get("blobs", [])
    if type(blobs) is not list or not all(
        type(blob) is dict and type(blob.get("ref")) is str for blob in blobs
    ):
        raise ValueError("extra.blobs must be a list of objects with a ref")


def _member(enum: type[_E], value: JsonValue, default: _E) -> _E:
    if value is not None and not isinstance(value, str):
        raise ValueError(f"{enum.__name__} must be text")
    return cast("_E", enum._value2member_map_.get(value, default))


def _optional(enum: type[_E], value: JsonValue, default: _E) -> _E | None:
    return None if value is None else _member(enum, value, default)
