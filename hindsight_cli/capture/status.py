"""The true status of a tool call, derived from everything a transcript tells about it.

The agents' own flag is evidence, not the answer: it also marks refusals by the
person, misses it when a pipe swallowed the exit code, and some agents have none.
Source: docs/reference/native-formats.md, "How a status is derived".
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from hindsight_cli.capture import status_phrases as phrases
from hindsight_cli.capture.shell_status import (
    exit_one_is_an_answer,
    printed_exit_code,
    silent_failure,
)
from hindsight_cli.records.event import Status, ToolKind
from hindsight_cli.records.jsonvalue import JsonValue

_HEAD_CHARS = 8_000
_TAIL_CHARS = 24_000
_PHRASE_CHARS = 600  # refusals and cancellations stand at the head
_EDGE_CHARS = 400  # exit codes and timeouts stand at an edge
_ANSWER_CHARS = 2_000
_MAX_JSON_CHARS = 200_000
_TIMEOUT_EXIT = 124
_NOT_FOUND_EXIT = 127
_HTTP_ERROR = 400
_FOREIGN_ANSWERS = frozenset({ToolKind.READ, ToolKind.SEARCH, ToolKind.WEB})
_PROSE_ANSWERS = frozenset({ToolKind.SUBAGENT, ToolKind.ASK, ToolKind.PLAN})
_EDITORS = frozenset({ToolKind.EDIT, ToolKind.WRITE})


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOutput:
    """What is known about one result before it is judged."""

    text: str
    tool_kind: ToolKind | None = None
    command: str = ""  # shell command line of the call, if it was one
    flag: bool | None = None  # the agent's own flag: True failed, False fine, None not recorded
    exit_code: int | None = None  # where the agent recorded it outside the text
    interrupted: bool = False
    exit_meaning: str = ""  # the agent's reading of a non-zero exit it takes as fine
    refusal: str = ""  # why the call did not run, where the agent recorded it: "user-rejected" ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The derived status and the name of the rule that decided."""

    status: Status
    rule: str
    exit_code: int | None = None
    error_type: str | None = None


def derive_status(output: ToolOutput) -> Verdict:
    """Judge one result. Pure; of long texts only the head and the tail are looked at."""
    text = output.text
    if len(text) > _HEAD_CHARS + _TAIL_CHARS:
        text = f"{text[:_HEAD_CHARS]}\n{text[-_TAIL_CHARS:]}"
    code = _exit_code(output, text)
    return (
        _refused(output, text)
        or _by_exit_code(output, text, code)
        or _by_flag(output, text)
        or _silent(output, text, code)
        or Verdict(
            status=Status.OK,
            rule="flag" if output.flag is False else "no_failure_signal",
            exit_code=code,
        )
    )


def _edges(text: str) -> str:
    if len(text) <= 2 * _EDGE_CHARS:
        return text
    return f"{text[:_EDGE_CHARS]}\n{text[-_EDGE_CHARS:]}"


def _refused(output: ToolOutput, text: str) -> Verdict | None:
    """A call that a person, a policy or a neighbour's failure kept from running to its end."""
    head = text[:_PHRASE_CHARS]
    if output.flag is False and not output.refusal:
        head = ""  # a page or a log that happens to begin like a refusal
    if "user" in output.refusal or phrases.DENIED_BY_USER.match(head):
        return Verdict(status=Status.DENIED, rule="denied_by_user", error_type="denied_by_user")
    if "permission" in output.refusal or phrases.DENIED_BY_POLICY.match(head):
        return Verdict(status=Status.DENIED, rule="denied_by_policy", error_type="denied_by_policy")
    stopped = output.flag is True and phrases.INTERRUPT_NOTICE in _edges(text)
    cancelled = phrases.CANCELLED.match(head) and not phrases.TIMEOUT.match(head)
    if output.refusal or output.interrupted or stopped or cancelled:
        return Verdict(status=Status.CANCELLED, rule="interrupted", error_type="interrupted")
    return None


def _exit_code(output: ToolOutput, text: str) -> int | None:
    """The exit code as recorded, else as the harness wrote it into the text."""
    if output.exit_code is not None:
        return output.exit_code
    may_be_harness = output.flag or (output.flag is None and output.tool_kind is ToolKind.SHELL)
    match = phrases.EXIT_CODE.search(_edges(text)) if may_be_harness else None
    return int(next(group for group in match.groups() if group)) if match else None


def _by_exit_code(output: ToolOutput, text: str, code: int | None) -> Verdict | None:
    if output.exit_meaning:
        return Verdict(status=Status.OK, rule="exit_meaning", exit_code=code)
    if not code:
        return None
    if phrases.TIMEOUT.search(_edges(text)) or (
        code == _TIMEOUT_EXIT and "timeout" in output.command
    ):
        return Verdict(status=Status.TIMEOUT, rule="timeout", exit_code=code, error_type="timeout")
    if code == 1 and exit_one_is_an_answer(
        output.command, phrases.EXIT_CODE.sub("", text, count=1)
    ):
        return Verdict(status=Status.OK, rule="exit_one_is_an_answer", exit_code=code)
    error_type = "not_found" if code == _NOT_FOUND_EXIT else "nonzero_exit"
    if phrases.tells_of_network(text):
        error_type = "network"
    return Verdict(status=Status.ERROR, rule="exit_code", exit_code=code, error_type=error_type)


def _by_flag(output: ToolOutput, text: str) -> Verdict | None:
    if not output.flag:
        return None
    if phrases.TIMEOUT.search(_edges(text)):
        return Verdict(status=Status.TIMEOUT, rule="timeout", error_type="timeout")
    rule = "harness" if phrases.HARNESS.match(text) else "flag"
    return Verdict(status=Status.ERROR, rule=rule, error_type=error_type_of(text))


def error_type_of(text: str) -> str:
    """The kind of error a failed result speaks of, by its first lines."""
    # What an editor looked for is quoted behind its message and may say anything.
    head = text[:_PHRASE_CHARS].split("\nString:", 1)[0]
    for name, pattern in (
        ("unknown_tool", phrases.UNKNOWN_TOOL),
        ("invalid_args", phrases.INVALID_ARGS),
        ("network", phrases.NETWORK),
        ("api", phrases.API),
    ):
        if pattern.search(head):
            return name
    edits = any(words in head for words in ("to replace", "No match found", "exact text"))
    if phrases.NOT_FOUND.search(head) and not edits:
        return "not_found"
    return "harness" if phrases.HARNESS.match(head) else "tool_error"


def _silent(output: ToolOutput, text: str, code: int | None) -> Verdict | None:
    """A failure that neither flag nor exit code tells of."""
    if output.tool_kind is ToolKind.SHELL:
        return _silent_shell(output, text, code)
    if output.tool_kind in _PROSE_ANSWERS:
        return None
    if output.tool_kind in _FOREIGN_ANSWERS and (output.flag is False or len(text) > _ANSWER_CHARS):
        return None
    if output.tool_kind in _EDITORS and output.flag is None:
        first_line = text.lstrip().split("\n", 1)[0]
        if len(first_line) < _EDGE_CHARS and phrases.EDIT_REFUSED.search(first_line):
            return Verdict(status=Status.ERROR, rule="error_answer", error_type="tool_error")
    return _error_answer(text[:_ANSWER_CHARS], output.text)


def _silent_shell(output: ToolOutput, text: str, code: int | None) -> Verdict | None:
    printed = printed_exit_code(output.command, text)
    if printed:
        return Verdict(
            status=Status.TIMEOUT if printed == _TIMEOUT_EXIT else Status.ERROR,
            rule="printed_exit_code",
            exit_code=printed,
            error_type="timeout" if printed == _TIMEOUT_EXIT else "nonzero_exit",
        )
    unjudged = code is None and output.flag is None and len(text) < _EDGE_CHARS
    if unjudged and phrases.TIMEOUT.search(text):
        return Verdict(status=Status.TIMEOUT, rule="timeout", error_type="timeout")
    vouched = output.flag is False or code == 0
    rule = None
    if printed is None:
        rule = silent_failure(output.command, text, vouched=vouched)
    if rule is None:
        return None
    return Verdict(status=Status.ERROR, rule=rule, exit_code=code, error_type=error_type_of(text))


def _error_answer(head: str, whole: str) -> Verdict | None:
    if phrases.LEADING_ERROR.match(head):
        return Verdict(status=Status.ERROR, rule="error_answer", error_type=error_type_of(head))
    if head.lstrip()[:1] == "{" and len(whole) < _MAX_JSON_CHARS and _says_error(whole):
        return Verdict(status=Status.ERROR, rule="error_object", error_type="api")
    return None


def _says_error(text: str) -> bool:
    """Whether a JSON object reports a failure as APIs do."""
    try:
        answer: JsonValue = json.loads(text)
    except (ValueError, RecursionError):
        return False
    if not isinstance(answer, dict):
        return False
    if answer.get("isError") is True or answer.get("is_error") is True:
        return True
    if answer.get("success") is False or answer.get("ok") is False:
        return True
    if answer.get("error") or (answer.get("errors") and not answer.get("data")):
        return True
    explains = any(key in answer for key in ("message", "detail", "reason"))
    status = answer.get("status")
    code = next((answer[k] for k in ("status_code", "statusCode", "code") if k in answer), status)
    refused = isinstance(code, int) and code >= _HTTP_ERROR
    return explains and (refused or str(status).lower() in {"error", "failed", "failure"})
