"""Results of tools in a pi or OpenClaw session, and their true status.

pi's own flag is true for its shell; OpenClaw's says that the tool answered, and what
the command came to is in the details.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from hindsight_cli.capture.draft import DraftEvent
from hindsight_cli.capture.formats.calls import Call, call_of
from hindsight_cli.capture.formats.content import blobs_of, take_out_encoded, text_of
from hindsight_cli.capture.formats.injected_text import without_trailing_reminders
from hindsight_cli.capture.formats.pi_sessions import OPENCLAW, Conversation
from hindsight_cli.capture.formats.results import judged_result
from hindsight_cli.capture.status import ToolOutput, Verdict, derive_status
from hindsight_cli.records.event import Status, ToolKind
from hindsight_cli.records.jsonvalue import JsonValue

Record = Mapping[str, JsonValue]
_EXIT = re.compile(r"(?:\A|\n)\s*\(?Command exited with code (-?\d{1,9})\)?\s*\Z")
_ABORTED = re.compile(r"(?:\A|\n)\s*(?:Command|Operation) aborted\s*\Z")
_EDGE_CHARS = 400
_FAILED = frozenset({"error", "failed", "failure", "forbidden", "unavailable"})
_TIMED_OUT = frozenset({"timeout", "timed_out", "timed-out"})
_KILLED = frozenset({"killed", "aborted", "cancelled", "canceled"})
# What OpenClaw writes where a call has no answer, so that the model's API takes the history.
_STAND_IN = "missing tool result in session history"
_ARGUMENTS = "\n\nReceived arguments:\n"
_MAX_RUNNING = 256
_MAX_MS = 10**12


def result_event(message: Record, time: str | None, conversation: Conversation) -> DraftEvent:
    """The result of a call, with the status derived from all that is told about it."""
    call_id = _string(message, "toolCallId") or None
    details = _mapping(message.get("details"))
    name = _string(message, "toolName")
    call = conversation.calls.find(call_id) if call_id else None
    call = call or (call_of(name, None) if name else None)
    text = without_trailing_reminders(text_of(message.get("content")))
    text, encoded = take_out_encoded(text)
    flag = message.get("isError")
    judged = _started(conversation, details, call)
    told = flag if isinstance(flag, bool) else None
    if told is False and conversation.session.agent == OPENCLAW and _is_shell(judged):
        told = None  # it says that the tool answered
    text, verdict = _judged(text, judged, details, told)
    extra = _extra(details)
    if "running" in extra and call is not None and len(conversation.running) < _MAX_RUNNING:
        conversation.running[str(extra["running"])] = call
    return judged_result(
        call,
        verdict,
        timestamp=time,
        text=text,
        call_id=call_id,
        native_status=("error" if flag else "ok") if isinstance(flag, bool) else None,
        duration_ms=_duration_ms(details),
        blobs=blobs_of(message.get("content")) + encoded,
        extra=extra,
    )


def command_result(message: Record, time: str | None, call: Call) -> DraftEvent:
    """The result of a command that the person ran."""
    text, encoded = take_out_encoded(_string(message, "output"))
    code = _integer(message.get("exitCode"))
    verdict = derive_status(
        ToolOutput(
            text=text,
            tool_kind=call.kind,
            command=call.command,
            exit_code=code,
            interrupted=message.get("cancelled") is True,
        )
    )
    return judged_result(
        call,
        verdict,
        timestamp=time,
        text=text,
        blobs=encoded,
    )


def _is_shell(call: Call | None) -> bool:
    return call is not None and call.kind is ToolKind.SHELL


def _started(conversation: Conversation, details: Record, call: Call | None) -> Call | None:
    """The call that began the command a result tells of: it may have gone on since."""
    if "exitCode" not in details or (call is not None and call.command):
        return call
    return conversation.running.get(_string(details, "sessionId"), call)


def _judged(
    text: str, call: Call | None, details: Record, flag: bool | None
) -> tuple[str, Verdict]:
    """The output without the harness's last words, and the verdict on it."""
    if flag and _STAND_IN in text[:_EDGE_CHARS]:
        return text, Verdict(status=Status.MISSING, rule="no_result")
    code = _integer(details.get("exitCode"))
    if found := _EXIT.search(text, max(len(text) - _EDGE_CHARS, 0)):
        code = int(found[1]) if code is None else code
        text = text[: found.start()].rstrip("\n")
    state = _string(details, "status")
    stopped = bool(flag and _ABORTED.search(text, max(len(text) - _EDGE_CHARS, 0)))
    if not flag and state in _FAILED | _TIMED_OUT:
        flag = True
    if state in _TIMED_OUT or details.get("timedOut") is True:
        return text, Verdict(
            status=Status.TIMEOUT, rule="timeout", exit_code=code, error_type="timeout"
        )
    return text, derive_status(
        ToolOutput(
            text=text.split(_ARGUMENTS, 1)[0],  # a call's own words say nothing of its fate
            tool_kind=call.kind if call else None,
            command=call.command if call else "",
            flag=flag,
            exit_code=code,
            interrupted=stopped or (state in _KILLED and not code),
        )
    )


def _extra(details: Record) -> dict[str, JsonValue]:
    """A command that goes on, and a session that a call began."""
    extra: dict[str, JsonValue] = {}
    if _string(details, "status") == "running" and (number := _string(details, "sessionId")):
        extra["running"] = number
    if child := _string(details, "childSessionKey"):
        extra["agent_id"] = child
    return extra


def _mapping(value: JsonValue) -> Record:
    return value if isinstance(value, dict) else {}


def _string(record: Record, key: str) -> str:
    value = record.get(key)
    return value if isinstance(value, str) else ""


def _integer(value: JsonValue) -> int | None:
    return value if type(value) is int else None


def _duration_ms(details: Record) -> int | None:
    for key in ("durationMs", "tookMs", "totalMs"):
        value = details.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < _MAX_MS:
            return round(value)
    return None
