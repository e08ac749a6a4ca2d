"""What mini-swe-agent writes into texts: the task, an action in a fence, a command's output."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from hindsight_cli.capture.formats.jsonlines_reader import parse_json
from hindsight_cli.records.jsonvalue import JsonValue

_TASK_VARIABLE = re.compile(r"\{\{-?\s*task\s*-?\}\}")
_TEMPLATE_TAG = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.DOTALL)
# How the templates that come with the agent begin and go on, for files that hold none.
_OPENINGS = (
    ("Please solve this issue: ", "\n\nYou can execute bash commands"),
    ("<pr_description>\nConsider the following PR description:\n", "\n</pr_description>"),
    ("<pr_description>\n", "\n</pr_description>"),
)
_FENCES = tuple(
    re.compile(pattern, re.DOTALL)
    for pattern in (
        r"```mswea_bash_command[ \t]*\n(.*?)\n```",
        r"<mswea_bash_command>(.*?)</mswea_bash_command>",
        r"```(?:bash|sh)[ \t]*\n(.*?)\n```",
    )
)
_RETURNCODE = re.compile(r"<returncode>\s*(-?\d{1,9})\s*</returncode>")
_EXCEPTION = re.compile(r"\A\s*<exception>(.*?)</exception>", re.DOTALL)
_OUTPUT = re.compile(r"<output>\n?(.*)\n?</output>\s*\Z", re.DOTALL)
_FORMAT_ERROR = re.compile(
    r"\A\s*(?:Tool call error|Format error)\b|\bEXACTLY ONE action\b|\bfound \d+ actions\b"
    r"|\AYour previous response reached the output token limit"
)


@dataclass(frozen=True, slots=True)
class Observed:
    """The answer to one action as the model saw it."""

    output: str
    exit_code: int | None = None
    exception: str = ""  # why there is no exit code: it timed out, its container was gone


def split_task(text: str, template: JsonValue) -> tuple[str, str]:
    """The task in the first prompt, and what the agent's template put round it.

    Where the template is not found again in the prompt, all of it is the task.
    """
    if isinstance(template, str) and len(parts := _TASK_VARIABLE.split(template)) == 2:  # noqa: PLR2004
        before = _TEMPLATE_TAG.split(parts[0])[-1]
        after = _TEMPLATE_TAG.split(parts[1])[0]
        pairs = [(before.lstrip(), after.rstrip())]
    else:
        pairs = list(_OPENINGS)
    for before, after in pairs:
        start = text.find(before)
        end = text.rfind(after) if after else len(text)
        if start >= 0 and start + len(before) <= end:
            task = text[start + len(before) : end]
            rest = f"{text[: start + len(before)]}\n{text[end:]}"
            return (task.strip(), rest.strip()) if task.strip() else (text, "")
    return text, ""


def fenced_actions(text: str) -> list[str]:
    """The commands in fences of the first kind that occurs."""
    for fence in _FENCES:
        if found := fence.findall(text):
            return [command.strip() for command in found]
    return []


def without_action(text: str, command: str) -> str:
    """A reply without the fence that holds `command`: that is the call, not words."""
    for fence in _FENCES:
        for match in fence.finditer(text):
            if match[1].strip() == command.strip():
                return f"{text[: match.start()]}{text[match.end() :]}".strip()
    return text


def observed_in(text: str) -> Observed:
    """The output and exit code in an observation's text: JSON, or elements."""
    head = text.lstrip()[:1]
    if head == "{" and '"returncode"' in text:
        try:
            value = parse_json(text)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict):
            parts = [value.get(key) for key in ("output", "output_head", "output_tail")]
            output = "\n".join(part for part in parts if isinstance(part, str))
            code = value.get("returncode")
            why = value.get("exception_info")
            return Observed(
                output, code if type(code) is int else None, why if isinstance(why, str) else ""
            )
    exception, code_match = _EXCEPTION.match(text), _RETURNCODE.search(text)
    if code_match is None:
        return Observed(text)
    rest = text[code_match.end() :].strip("\n")
    inner = _OUTPUT.match(rest)
    return Observed(
        inner[1].removesuffix("\n") if inner else rest,
        int(code_match[1]),
        exception[1].strip() if exception else "",
    )


def looks_observed(text: str) -> bool:
    """Whether a user message is the answer to an action rather than a person's words."""
    return bool(_RETURNCODE.search(text[:4000]))


def is_format_error(text: str) -> bool:
    """Whether the agent tells the model that it understood no action in its reply."""
    return bool(_FORMAT_ERROR.search(text[:4000]))


def words_of_user(text: str) -> Iterator[str]:
    """What a person typed, without the sentence the agent puts before it."""
    _, colon, words = text.partition(": ")
    if colon and words.strip() and "Temporary interruption caught" not in words:
        yield words.strip()
