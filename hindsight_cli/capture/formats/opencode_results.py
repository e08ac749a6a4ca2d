"""A tool part of OpenCode, which is a call and its result in one, as events."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import unquote_to_bytes

from hindsight_cli.capture.draft import Blob, DraftEvent
from hindsight_cli.capture.formats.calls import Call, call_of
from hindsight_cli.capture.formats.content import decoded_blob, take_out_encoded
from hindsight_cli.capture.formats.injected_text import without_trailing_reminders
from hindsight_cli.capture.formats.results import judged_result
from hindsight_cli.capture.status import ToolOutput, Verdict, derive_status, error_type_of
from hindsight_cli.records.event import Actor, EventType, Status, ToolKind
from hindsight_cli.records.jsonvalue import JsonValue

Record = Mapping[str, JsonValue]

_REFUSED_CALL = "invalid"  # the tool that answers in place of one that could not be called
# OpenCode's own tools whose names look like `<server>_<tool>`.
_OWN_TOOLS = frozenset(
    {"plan_enter", "plan_exit", "repo_clone", "repo_overview", "read_mcp_resource"}
    | {"list_mcp_resources", "list_mcp_resource_templates"}
)
# What the shell tool appends about a command it ended itself.
_NOTE = re.compile(r"\s*<(?P<tag>(?:\w+_)?metadata)>\s*(?P<note>.*?)\s*</(?P=tag)>\s*\Z", re.DOTALL)
_NOTE_CHARS = 2_000
_OUT_OF_TIME = re.compile(r"\bexceed(?:ed|ing) (?:the |its )?time ?(?:out|limit)\b|\btimed out\b")
_STOPPED = re.compile(r"\b(?:aborted|interrupted|cancel+ed)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What a tool's state tells of how the call ended."""

    state: Record
    facts: Record  # the state's metadata
    text: str


def string(record: Record, *keys: str) -> str:
    """The first of the members that is a string with something in it."""
    for key in keys:
        value = record.get(key)
        if value and isinstance(value, str):
            return value
    return ""


def mapping(value: JsonValue) -> Record:
    return value if isinstance(value, dict) else {}


def number(value: JsonValue) -> int | float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def iso_time(milliseconds: JsonValue) -> str | None:
    """A time in milliseconds since 1970 in ISO 8601, UTC; None for anything else."""
    value = number(milliseconds)
    try:
        moment = datetime.fromtimestamp(value / 1000, UTC) if value is not None else None
    except (ValueError, OverflowError, OSError):
        return None
    if moment is None:
        return None
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def tool_events(part: Record, fallback: str | None, *, typed: bool) -> Iterator[DraftEvent]:
    """The call, and the result once there is one.

    `fallback` is the time where the part has none; `typed` says that a person ran it.
    """
    state = mapping(part.get("state"))
    call_id = string(part, "callID") or None
    name, arguments, call = _named(part, state.get("input"))
    times = mapping(state.get("time"))
    yield DraftEvent(
        event_type=EventType.TOOL_CALL,
        actor=Actor.USER if typed else Actor.AGENT,
        timestamp=iso_time(times.get("start")) or fallback,
        tool_name=name,
        tool_kind=call.kind,
        server=call.server,
        call_id=call_id,
        input=arguments,
    )
    if string(state, "status") in {"completed", "error"}:
        yield _result(part, call, call_id, fallback)


def _named(part: Record, arguments: JsonValue) -> tuple[str, JsonValue, Call]:
    """The tool the model asked for, its arguments, and what judging needs of them."""
    name = string(part, "tool")
    if name == _REFUSED_CALL and (wanted := string(mapping(arguments), "tool")):
        return wanted, arguments, call_of(wanted, arguments)
    call = call_of(name, arguments)
    server, _, tool = name.partition("_")
    if call.kind is ToolKind.OTHER and name not in _OWN_TOOLS and server and tool:
        call = Call(name, ToolKind.MCP, server, "")
    return name, arguments, call


def _result(part: Record, call: Call, call_id: str | None, fallback: str | None) -> DraftEvent:
    state = mapping(part.get("state"))
    facts, times = mapping(state.get("metadata")), mapping(state.get("time"))
    text = without_trailing_reminders(_text(state, facts))
    text, encoded = take_out_encoded(text)
    verdict = _verdict(part, call, _Outcome(state, facts, text))
    child = string(facts, "sessionId", "sessionID") if call.kind is ToolKind.SUBAGENT else ""
    return judged_result(
        call,
        verdict,
        timestamp=iso_time(times.get("end")) or fallback,
        text=text,
        call_id=call_id,
        native_status=string(state, "status"),
        duration_ms=_duration_ms(times),
        blobs=tuple(_attachments(state)) + encoded,
        extra={"agent_id": child} if child else {},
    )


def _text(state: Record, facts: Record) -> str:
    """The output as the model saw it: of a call that was stopped, what there was of it."""
    if string(state, "status") == "completed":
        return string(state, "output") or string(facts, "output")
    printed = string(facts, "output") if facts.get("interrupted") is True else ""
    error = string(state, "error") or string(mapping(state.get("error")), "message")
    return "\n".join(part for part in (printed, error) if part)


def _verdict(part: Record, call: Call, outcome: _Outcome) -> Verdict:
    failed = string(outcome.state, "status") == "error"
    if string(part, "tool") == _REFUSED_CALL and call.name != _REFUSED_CALL:
        return _refused_call(outcome)
    exit_code = _exit_code(outcome.facts)
    text = outcome.text
    tail = max(len(text) - _NOTE_CHARS, 0) if call.kind is ToolKind.SHELL else len(text)
    note = _NOTE.search(text, tail)
    if note and _OUT_OF_TIME.search(note["note"]):
        return Verdict(
            status=Status.TIMEOUT, rule="timeout", exit_code=exit_code, error_type="timeout"
        )
    stopped = note is not None and bool(_STOPPED.search(note["note"]))
    # That a command was run says nothing: without an exit code its end is not known.
    unknown = call.kind is ToolKind.SHELL and exit_code is None and not failed
    return derive_status(
        ToolOutput(
            text=text[: note.start()] if note else text,
            tool_kind=call.kind,
            command=call.command,
            flag=None if unknown else failed,
            exit_code=exit_code,
            interrupted=stopped or outcome.facts.get("interrupted") is True,
        )
    )


def _refused_call(outcome: _Outcome) -> Verdict:
    """A call of a tool that there is not, or with arguments it does not take."""
    reason = string(mapping(outcome.state.get("input")), "error") or outcome.text
    found = error_type_of(reason)
    is_unknown = found == "unknown_tool"
    return Verdict(
        status=Status.ERROR,
        rule="harness",
        error_type=found if is_unknown else "invalid_args",
    )


def _exit_code(facts: Record) -> int | None:
    for key in ("exit", "exitCode", "exit_code"):
        value = facts.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    return None


def _duration_ms(times: Record) -> int | None:
    start, end = number(times.get("start")), number(times.get("end"))
    if start is None or end is None or end < start:
        return None
    return round(end - start)


def _attachments(state: Record) -> Iterator[Blob]:
    listed = state.get("attachments")
    for item in listed if isinstance(listed, list) else []:
        if blob := file_blob(mapping(item)):
            yield blob


def file_blob(part: Record) -> Blob | None:
    """The binary inside a file part; None for one that only names a file."""
    head, separator, data = string(part, "url").partition(",")
    if not separator or not head.startswith("data:"):
        return None
    mime = head[5:].partition(";")[0] or string(part, "mime") or "application/octet-stream"
    if head.endswith(";base64"):
        return decoded_blob(mime, data)
    return Blob(mime=mime, data=unquote_to_bytes(data))
