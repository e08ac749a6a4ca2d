"""What tools answered Gemini CLI and Qwen Code, and whether they failed.

The programs' "success" says that a tool ran: a command that failed is one as well.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace

from hindsight_cli.capture.draft import DraftEvent
from hindsight_cli.capture.formats.calls import Call
from hindsight_cli.capture.formats.content import take_out_encoded, text_of
from hindsight_cli.capture.formats.gemini_parts import Record, blobs_in, mapping, string
from hindsight_cli.capture.formats.gemini_shell import read_shell_output, without_wrapper
from hindsight_cli.capture.formats.injected_text import without_trailing_reminders
from hindsight_cli.capture.formats.results import judged_result
from hindsight_cli.capture.status import ToolOutput, Verdict, derive_status
from hindsight_cli.records.event import Status, ToolKind
from hindsight_cli.records.jsonvalue import JsonValue

_ERROR_TYPES = {
    "file_not_found": "not_found",
    "search_path_not_found": "not_found",
    "mcp_resource_not_found": "not_found",
    "invalid_tool_params": "invalid_args",
    "tool_not_registered": "unknown_tool",
    "edit_no_occurrence_found": "tool_error",
    "edit_expected_occurrence_mismatch": "tool_error",
}
_POLICY_ERRORS = frozenset({"policy_violation", "execution_denied"})
_HEAD_CHARS = 400
_TERMINATED = re.compile(r"^Termination Reason: (\w+)", re.MULTILINE)
_DENIED = re.compile(r"\buser (?:denied|did not allow|rejected|declined)", re.IGNORECASE)
_STOPPED = re.compile(r"Command (?:timed out after|was automatically cancel+ed because)\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a record tells of the result of a call beside the response itself."""

    name: str = ""
    call_id: str | None = None
    native_status: str | None = None  # success, error, cancelled ...
    error_type: str = ""
    display: JsonValue = None  # what the person saw: a text, or what it was made of
    decision: str = ""  # of the person: accept, reject ...
    duration_ms: int | None = None
    agent_id: str = ""


def result_event(
    call: Call, call_id: str | None, response: Record, answer: Answer, timestamp: str | None
) -> DraftEvent:
    text, failed = _response_text(response)
    text = without_wrapper(without_trailing_reminders(text or _shown(answer.display)))
    text, encoded = take_out_encoded(text)
    text, verdict = _judged(text, call, answer, failed=failed)
    return judged_result(
        call,
        replace(verdict, error_type=_error_type(verdict, answer)),
        timestamp=timestamp,
        text=text,
        call_id=call_id,
        native_status=answer.native_status,
        duration_ms=answer.duration_ms,
        blobs=tuple(blobs_in(response)) + encoded,
        extra={"agent_id": answer.agent_id} if answer.agent_id else {},
    )


def _response_text(response: Record) -> tuple[str, bool]:
    """The text of a response, and whether it is an error's."""
    body = response.get("response")
    if not isinstance(body, dict):
        return text_of(body), False
    if body.get("error") and "output" not in body:
        return text_of(body["error"]), True
    failed = body.get("isError") is True
    for key in ("output", "content", "result"):
        if isinstance(body.get(key), str | list):
            return text_of(body[key]), failed
    return (json.dumps(body, ensure_ascii=False) if body else ""), failed


def _judged(text: str, call: Call, answer: Answer, *, failed: bool) -> tuple[str, Verdict]:
    """The text without its frame, and the status: a shell's "success" only says that it ran."""
    status = answer.native_status or ""
    flag = True if failed or status == "error" or _is_failed_agent(text, call, answer) else None
    exit_code = None
    if call.kind is ToolKind.SHELL:
        shell = read_shell_output(text)
        text, exit_code = shell.text, shell.exit_code
        if exit_code is None:
            exit_code = _recorded_exit_code(answer.display)
        if flag is None and shell.framed:
            flag = False
        elif flag is None and _STOPPED.match(text):
            flag = True
    elif flag is None and status == "success":
        flag = False
    verdict = derive_status(
        ToolOutput(
            text=text,
            tool_kind=call.kind,
            command=call.command,
            flag=flag,
            exit_code=exit_code,
            refusal=_refusal(answer, text),
        )
    )
    return text, verdict


def _shown(display: JsonValue) -> str:
    """What the person saw, for a result without a response."""
    return display if isinstance(display, str) else string(mapping(display), "output", "text")


def _recorded_exit_code(display: JsonValue) -> int | None:
    """The exit code beside an output too long to hold it; later versions have it."""
    code = mapping(display).get("exitCode")
    return code if isinstance(code, int) and not isinstance(code, bool) else None


def _is_failed_agent(text: str, call: Call, answer: Answer) -> bool:
    """Whether a subagent came back without having reached its goal."""
    if call.kind is not ToolKind.SUBAGENT:
        return False
    reason = _TERMINATED.search(text[:_HEAD_CHARS])
    is_short = reason is not None and reason[1] != "GOAL"
    return is_short or string(mapping(answer.display), "status") == "failed"


def _error_type(verdict: Verdict, answer: Answer) -> str | None:
    """The kind of an error: the program's own name for it, else by its words."""
    if verdict.status is Status.ERROR and verdict.rule in {"flag", "harness"}:
        return _ERROR_TYPES.get(answer.error_type, verdict.error_type)
    return verdict.error_type


def _refusal(answer: Answer, text: str) -> str:
    """Why a call did not run, where the program says so."""
    if answer.decision == "reject":
        return "user-rejected"
    if answer.error_type in _POLICY_ERRORS:
        return "permission"
    if answer.native_status == "cancelled":
        return "user-rejected" if _DENIED.search(text[:_HEAD_CHARS]) else "cancelled"
    return ""
