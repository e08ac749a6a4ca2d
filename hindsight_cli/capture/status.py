"""The true status of a tool call, derived from everything a transcript tells about it.

The agents' own flag is evidence, not the answer: it also marks refusals by the
person, misses it when a pipe swallowed the exit code, and some agents have none.
Source: docs/explanation/true-status.md.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from hindsight_cli.capture import status_rules as rules
from hindsight_cli.capture.shell_line import Command, loses_status, parse_line, pipelines
from hindsight_cli.records.event import Status, ToolKind

_HEAD_CHARS = 8_000
_TAIL_CHARS = 24_000
_PHRASE_CHARS = 600  # refusals and cancellations stand at the head
_SHORT_ANSWER_CHARS = 2_000
_TIMEOUT_EXIT = 124
_NOT_FOUND_EXIT = 127
_FOREIGN_ANSWERS = frozenset({ToolKind.READ, ToolKind.SEARCH, ToolKind.WEB})
_PROSE_ANSWERS = frozenset({ToolKind.SUBAGENT, ToolKind.ASK, ToolKind.PLAN})


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The derived status and the name of the rule that decided."""

    status: Status
    rule: str
    exit_code: int | None = None
    error_type: str | None = None


def derive_status(output: ToolOutput) -> Verdict:
    """Judge one result. Pure; looks at the head and tail of long texts only."""
    text = _clipped(output.text)
    verdict = _refused(output, text) or _by_exit_code(output, text) or _by_flag(output, text)
    if verdict is not None:
        return verdict
    return _silent_failure(output, text) or Verdict(
        status=Status.OK,
        rule="flag" if output.flag is False else "no_failure_signal",
        exit_code=_exit_code(output, text),
    )


def _clipped(text: str) -> str:
    if len(text) <= _HEAD_CHARS + _TAIL_CHARS:
        return text
    return text[:_HEAD_CHARS] + "\n" + text[-_TAIL_CHARS:]


def _refused(output: ToolOutput, text: str) -> Verdict | None:
    """A call that a person, a policy or a neighbour's failure kept from running to its end."""
    head = text[:_PHRASE_CHARS]
    if output.flag is False and output.tool_kind in _FOREIGN_ANSWERS | {ToolKind.SHELL}:
        head = ""  # a page or a log that happens to begin like a refusal
    if rules.DENIED_BY_USER.match(head):
        return Verdict(status=Status.DENIED, rule="denied_by_user", error_type="denied_by_user")
    if rules.DENIED_BY_POLICY.match(head):
        return Verdict(status=Status.DENIED, rule="denied_by_policy", error_type="denied_by_policy")
    if rules.CANCELLED.match(head) or output.interrupted:
        return Verdict(status=Status.CANCELLED, rule="interrupted", error_type="interrupted")
    return None


def _exit_code(output: ToolOutput, text: str) -> int | None:
    if output.exit_code is not None:
        return output.exit_code
    if output.tool_kind is not ToolKind.SHELL and not output.flag:
        return None
    edges = f"{text[:400]}\n{text[-400:]}" if len(text) > 800 else text  # noqa: PLR2004
    match = rules.EXIT_CODE.search(edges)
    return int(next(group for group in match.groups() if group is not None)) if match else None


def _by_exit_code(output: ToolOutput, text: str) -> Verdict | None:
    code = _exit_code(output, text)
    if code is None:
        return None
    if output.exit_meaning:
        return Verdict(status=Status.OK, rule="exit_meaning", exit_code=code)
    if code == 0:
        return None
    if rules.TIMEOUT.search(text) or (code == _TIMEOUT_EXIT and "timeout" in output.command):
        return Verdict(status=Status.TIMEOUT, rule="timeout", exit_code=code, error_type="timeout")
    if code == 1 and _answers_with_one(output, text):
        return Verdict(status=Status.OK, rule="exit_one_is_an_answer", exit_code=code)
    error_type = "not_found" if code == _NOT_FOUND_EXIT else "nonzero_exit"
    if rules.NETWORK.search(text):
        error_type = "network"
    return Verdict(status=Status.ERROR, rule="exit_code", exit_code=code, error_type=error_type)


def _answers_with_one(output: ToolOutput, text: str) -> bool:
    """Whether exit 1 is how the last command says "no": grep, diff, test, which."""
    groups = pipelines(parse_line(output.command))
    if not groups:
        return False
    last = groups[-1][-1]
    is_diff = last.program == "git" and last.subcommand == "diff"
    if last.program not in rules.ANSWERS_WITH_ONE and not is_diff:
        return False
    body = rules.EXIT_CODE.sub("", text).strip()
    if any(_reports_itself(line, groups) for line in body.splitlines()):
        return False
    return len(groups) == 1 or not any(s.pattern.search(body) for s in rules.SHELL_SIGNALS)


def _by_flag(output: ToolOutput, text: str) -> Verdict | None:
    if not output.flag:
        return None
    if output.exit_meaning:
        return Verdict(status=Status.OK, rule="exit_meaning")
    if rules.TIMEOUT.search(text[:_SHORT_ANSWER_CHARS]):
        return Verdict(status=Status.TIMEOUT, rule="timeout", error_type="timeout")
    rule = "harness" if rules.HARNESS.match(text) else "flag"
    return Verdict(status=Status.ERROR, rule=rule, error_type=error_type_of(text))


def error_type_of(text: str) -> str:
    """The kind of error a failed result speaks of, by its first lines."""
    head = text[:_SHORT_ANSWER_CHARS]
    harness = rules.HARNESS.match(head)
    first = head.split("\nString:", 1)[0][:_PHRASE_CHARS]
    for name, pattern in (
        ("unknown_tool", rules.UNKNOWN_TOOL),
        ("invalid_args", rules.INVALID_ARGS),
        ("api", rules.API),
        ("network", rules.NETWORK),
    ):
        if pattern.search(first):
            return name
    if rules.NOT_FOUND.search(first) and not (harness and "to replace" in first):
        return "not_found"
    return "harness" if harness else "tool_error"


def _silent_failure(output: ToolOutput, text: str) -> Verdict | None:
    """A failure that no flag and no exit code tells of."""
    if output.tool_kind is ToolKind.SHELL:
        return _silent_shell_failure(output, text)
    if output.tool_kind in _PROSE_ANSWERS or output.flag is False:
        return _answer_is_error(text[:_SHORT_ANSWER_CHARS]) if _is_edit(output) else None
    if output.tool_kind in _FOREIGN_ANSWERS and len(text) > _SHORT_ANSWER_CHARS:
        return None
    return _answer_is_error(text)


def _is_edit(output: ToolOutput) -> bool:
    return output.tool_kind in {ToolKind.EDIT, ToolKind.WRITE}


def _answer_is_error(text: str) -> Verdict | None:
    if rules.LEADING_ERROR.match(text):
        return Verdict(status=Status.ERROR, rule="error_answer", error_type=error_type_of(text))
    if text.lstrip()[:1] == "{" and _json_says_error(text):
        return Verdict(status=Status.ERROR, rule="error_object", error_type="api")
    return None


def _json_says_error(text: str) -> bool:
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError):
        return False
    if not isinstance(answer, dict):
        return False
    if answer.get("isError") is True or answer.get("is_error") is True:
        return True
    if answer.get("success") is False or answer.get("ok") is False:
        return True
    if str(answer.get("status")).lower() in {"error", "failed", "failure"}:
        return True
    error = answer.get("error")
    return bool(error) and isinstance(error, str | dict | list | bool)


def _silent_shell_failure(output: ToolOutput, text: str) -> Verdict | None:
    commands = parse_line(output.command)
    groups = pipelines(commands)
    printed = _printed_exit(commands, text)
    if printed:
        return Verdict(
            status=Status.ERROR,
            rule="printed_exit_code",
            exit_code=printed,
            error_type="nonzero_exit",
        )
    if printed == 0 or not text.strip():
        return None
    # A recorded success or an exit code of 0 speaks for every command whose status it carries.
    vouched = output.flag is False or _exit_code(output, text) == 0
    pipefail = bool(re.search(r"\bset -\w*o? ?pipefail|\bset -\w*o pipefail", output.command))
    unvouched = [
        group
        for index, group in enumerate(groups)
        if not vouched or loses_status(groups, index, pipefail=pipefail)
    ]
    if groups and not unvouched:
        return None
    producers = [_producer(group) for group in groups] or [Command("", ())]
    if all(rules.prints_foreign_text(command) for command in producers):
        return _foreign_program_failed(groups, text)
    return _worker_failed(text)


def _producer(group: list[Command]) -> Command:
    """The command of a pipeline whose words we read: the last that is not a mere filter."""
    return next((c for c in reversed(group) if c.program not in rules.FILTERS), group[0])


def _printed_exit(commands: tuple[Command, ...], text: str) -> int | None:
    """The exit code a line printed itself, as in `make; echo "exit: $?"`."""
    for command in commands:
        template = " ".join(command.words)
        if command.program != "echo" or not re.search(r"\$\?|\$\{PIPESTATUS", template):
            continue
        pattern = re.sub(
            r"\\\$\\\?|\\\$\\\{PIPESTATUS\\\[0\\\]\\\}", r"(\\d+)", re.escape(template), count=1
        )
        found = re.findall(rf"^{pattern}", text, re.MULTILINE)
        if found and isinstance(found[-1], str):
            return int(found[-1])
    return None


def _reports_itself(line: str, groups: list[list[Command]]) -> bool:
    programs = {command.program for group in groups for command in group}
    match = rules.SELF_REPORT.match(line)
    if match and match["program"] in programs:
        return True
    if "git" in programs and rules.GIT_REPORT.match(line):
        return True
    return "gh" in programs and bool(rules.GH_REPORT.match(line))


def _foreign_program_failed(groups: list[list[Command]], text: str) -> Verdict | None:
    """Programs that print others' text fail in one way we believe: by nothing but their own report."""
    lines = [line for line in text.splitlines() if line.strip()]
    guarded = any(group[0].joined == "||" for group in groups)
    probing = all(_producer(group).program in rules.PROBES for group in groups)
    if len(lines) > 3 or (guarded and probing):  # noqa: PLR2004
        return None
    if lines and _reports_itself(lines[0], groups):
        return Verdict(status=Status.ERROR, rule="self_report", error_type=error_type_of(text))
    return None


def _worker_failed(text: str) -> Verdict | None:
    lines = text.rstrip().splitlines()
    succeeded = bool(rules.SUCCESS.search("\n".join(lines[-3:])))
    for signal in rules.SHELL_SIGNALS:
        if (signal.final or not succeeded) and signal.pattern.search(text):
            return Verdict(
                status=Status.ERROR, rule=f"text_{signal.name}", error_type=error_type_of(text)
            )
    return None
