"""Results of tools in a Copilot CLI session, and their true status.

`success: true` says that the tool answered; what a command came to is its exit code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from hindsight_cli.capture.draft import DraftEvent
from hindsight_cli.capture.formats.calls import Call
from hindsight_cli.capture.formats.content import blobs_of, take_out_encoded, text_of, type_of
from hindsight_cli.capture.formats.copilot_sessions import (
    Conversation,
    OpenCall,
    Record,
    bound,
    string,
)
from hindsight_cli.capture.formats.injected_text import without_trailing_reminders
from hindsight_cli.capture.formats.results import judged_result
from hindsight_cli.capture.status import ToolOutput, Verdict, derive_status
from hindsight_cli.records.event import Actor, Status, ToolKind
from hindsight_cli.records.jsonvalue import JsonValue

_EDGE_CHARS = 400
_MAX_CODE = 2**32
_EXIT = re.compile(
    r"(?:\A|\n)\s*<(?:(?:shellId|command with (?:id|shellId)): \S+ )?"
    r"(?:completed|exited)(?: with exit code (-?\d{1,9}))?>\s*\Z"
)
_RUNNING = re.compile(
    r"<command (?:started in (?:detached )?background with shellId: |with (?:shellId|id): )"
    r"([^\s>]+)"
    r"(?:>| is still running)"
)


def result_event(
    data: Record, time: str | None, made: OpenCall | None, talk: Conversation
) -> DraftEvent:
    """The result of a call, with the status derived from all that is told about it."""
    call_id, success = string(data, "toolCallId"), data.get("success")
    call = made.call if made else None
    result, error = _mapping(data.get("result")), _mapping(data.get("error"))
    text = string(error, "message") or text_of(result.get("content"))
    text, encoded = take_out_encoded(without_trailing_reminders(text))
    text, code = _exit_code(text, data, result)
    verdict = derive_status(
        ToolOutput(
            text=text,
            tool_kind=call.kind if call else None,
            command=call.command if call else "",
            flag=_flag(success, call, code),
            exit_code=code,
            refusal=_refusal(made.decision if made else "", error),
        )
    )
    return judged_result(
        call,
        verdict,
        timestamp=time,
        text=text,
        call_id=call_id or None,
        native_status=("ok" if success else "error") if isinstance(success, bool) else None,
        duration_ms=_duration_ms(made.began if made else None, time),
        blobs=blobs_of(result.get("binaryResultsForLlm")) + encoded,
        extra=_extra(call_id, text, call, talk),
    )


def cancelled_result(call_id: str, call: Call, time: str | None) -> DraftEvent:
    """The result of a call that was open when the turn was stopped."""
    stopped = Verdict(status=Status.CANCELLED, rule="interrupted", error_type="interrupted")
    event = judged_result(call, stopped, timestamp=time, call_id=call_id)
    return replace(event, actor=Actor.SYSTEM)


def _flag(success: JsonValue, call: Call | None, code: int | None) -> bool | None:
    """Whether the call failed, by the flag; that a shell answered says nothing of its command."""
    if not isinstance(success, bool):
        return None
    is_shell = call is not None and call.kind is ToolKind.SHELL
    return None if success and is_shell and code is None else not success


def _refusal(decision: str, error: Record) -> str:
    """Who kept a call from running: told by the decision about it, else by the error."""
    if decision == "denied-interactively-by-user":
        return "user"
    if decision.startswith("denied"):
        return "permission"
    if decision == "cancelled":
        return "cancelled"
    return "permission" if string(error, "code") == "denied" else ""


def _exit_code(text: str, data: Record, result: Record) -> tuple[str, int | None]:
    """The output without the program's last words, and the exit code where one is told."""
    found = _EXIT.search(text, max(len(text) - _EDGE_CHARS, 0))
    if found:
        text = text[: found.start()]
    telemetry = _mapping(data.get("toolTelemetry"))
    for told in (_mapping(data.get("shellExecution")), *_blocks(result)):
        if (code := _integer(told.get("exitCode"))) is not None:
            return text, code
    if found and found[1]:
        return text, int(found[1])
    return text, _integer(_mapping(telemetry.get("metrics")).get("exit_code"))


def _blocks(result: Record) -> Iterator[Record]:
    contents = result.get("contents")
    for block in contents if isinstance(contents, list) else []:
        if isinstance(block, dict) and type_of(block) in {"shell_exit", "terminal"}:
            yield block


def _extra(call_id: str, text: str, call: Call | None, talk: Conversation) -> dict[str, JsonValue]:
    """A command that goes on in its shell, and the subagent that a call made."""
    extra: dict[str, JsonValue] = {}
    if call is not None and call.kind is ToolKind.SHELL and (found := _RUNNING.search(text)):
        extra["running"] = found[1]
        talk.shells[found[1]] = call
        bound(talk.shells)
    if agent_id := talk.agents.pop(call_id, None):
        extra["agent_id"] = agent_id
    return extra


def _duration_ms(began: str | None, ended: str | None) -> int | None:
    """How long a call was carried out, by the times of its two events."""
    try:
        took = datetime.fromisoformat(ended or "") - datetime.fromisoformat(began or "")
    except (ValueError, TypeError):
        return None
    return max(round(took.total_seconds() * 1000), 0)


def _mapping(value: JsonValue) -> Record:
    return value if isinstance(value, dict) else {}


def _integer(value: JsonValue) -> int | None:
    is_whole = type(value) in (int, float) and abs(value) < _MAX_CODE and value == int(value)
    return int(value) if is_whole else None
