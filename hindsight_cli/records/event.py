"""The recorded facts: what an agent did, one event per line of a trace file.

Source: docs/reference/event-format.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import TypeVar, cast

from hindsight_cli.records.jsonvalue import JsonValue as JsonValue

SCHEMA_VERSION = 1


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
_NATIVE_FIELDS = tuple(f.name for f in fields(Native))
_PLAIN_FIELDS = frozenset(_EVENT_FIELDS) - {
    *("event_type", "actor", "tool_kind", "status", "importance", "native")
}
_E = TypeVar("_E", bound=StrEnum)


def event_to_dict(event: Event) -> dict[str, JsonValue]:
    """The JSON object of one trace line: every field, later versions' fields included."""
    data = {name: getattr(event, name) for name in _EVENT_FIELDS}
    data["native"] = {name: getattr(event.native, name) for name in _NATIVE_FIELDS}
    return {**data, **event.unknown}


def event_from_dict(data: Mapping[str, JsonValue]) -> Event:
    """Read one trace line of any released version.

    Unknown fields are kept in `unknown`; an enum value of a later version reads as
    its closest neutral member.

    Raises:
        ValueError, KeyError, TypeError: the object is not an event.
    """
    native = data.get("native") or {}
    return Event(
        **{name: data[name] for name in _PLAIN_FIELDS if name in data},
        event_type=EventType(data["event_type"]) if _known(EventType, data) else EventType.OTHER,
        actor=_member(Actor, data.get("actor"), Actor.SYSTEM),
        tool_kind=_optional(ToolKind, data.get("tool_kind"), ToolKind.OTHER),
        status=_optional(Status, data.get("status"), Status.UNKNOWN),
        importance=_member(Importance, data.get("importance"), Importance.NORMAL),
        native=Native(**{name: native[name] for name in _NATIVE_FIELDS if name in native}),
        unknown={k: v for k, v in data.items() if k not in _FIELD_SET},
    )


_FIELD_SET = frozenset(_EVENT_FIELDS)


def _known(enum: type[StrEnum], data: Mapping[str, JsonValue]) -> bool:
    return data["event_type"] in enum._value2member_map_


def _member(enum: type[_E], value: JsonValue, default: _E) -> _E:
    return cast("_E", enum._value2member_map_.get(value, default))


def _optional(enum: type[_E], value: JsonValue, default: _E) -> _E | None:
    return None if value is None else _member(enum, value, default)
