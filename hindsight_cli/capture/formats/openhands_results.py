"""What came of a call in OpenHands: exit codes, processes that go on, errors of its own."""

from __future__ import annotations

import re
from collections.abc import Mapping

from hindsight_cli.capture.formats.calls import Call
from hindsight_cli.capture.formats.content import text_of
from hindsight_cli.capture.formats.jsonlines_reader import parse_json
from hindsight_cli.capture.status import ToolOutput, Verdict, derive_status, error_type_of
from hindsight_cli.records.event import Status
from hindsight_cli.records.jsonvalue import JsonValue

Members = Mapping[str, JsonValue]

# Said below the output of a command whose exit code is -1: there is none yet.
_TIMED_OUT = re.compile(r"\[The command timed out after\b")
_RUNNING = re.compile(
    r"\[(?:The command has no new output after|Below is the output of the previous command)\b"
)
_MAX_MCP_CHARS = 2_000_000


def mapping(value: JsonValue) -> Members:
    return value if isinstance(value, dict) else {}


def string(members: Members, key: str) -> str:
    found = members.get(key)
    return found if isinstance(found, str) else ""


def harness_error(text: str) -> Verdict:
    """The verdict on a call that the program itself turned back."""
    kind = error_type_of(text)
    return Verdict(
        status=Status.ERROR,
        rule="harness",
        error_type=kind if kind in {"unknown_tool", "invalid_args"} else "harness",
    )


def denied(*, by_user: bool) -> Verdict:
    rule = "denied_by_user" if by_user else "denied_by_policy"
    return Verdict(status=Status.DENIED, rule=rule, error_type=rule)


def judge(call: Call, told: Members, text: str, *, flag: bool | None) -> tuple[Verdict, str]:
    """The verdict on a result, and its text with what the program says below it.

    `told` is what the program recorded beside the text: `exit_code`, alone or under
    `metadata`.
    """
    metadata = mapping(told.get("metadata"))
    code = metadata.get("exit_code", told.get("exit_code"))
    exit_code = code if type(code) is int else None
    if exit_code == -1:
        below = string(metadata, "suffix").strip()
        text = f"{text}\n{below}".strip() if below else text
        end = text[-1_000:]
        if _TIMED_OUT.search(end):
            return Verdict(status=Status.TIMEOUT, rule="timeout", error_type="timeout"), text
        if _RUNNING.search(end):
            return Verdict(status=Status.OK, rule="still_running"), text
        exit_code = None
    verdict = derive_status(
        ToolOutput(
            text=text,
            tool_kind=call.kind,
            command=call.command,
            flag=flag,
            exit_code=exit_code,
        )
    )
    return verdict, text


def mcp_answer(text: str) -> tuple[JsonValue, bool | None]:
    """The content and the flag of an MCP tool's answer, which is kept as JSON text."""
    if text.lstrip()[:1] != "{" or len(text) > _MAX_MCP_CHARS:
        return text, None
    try:
        answer = parse_json(text)
    except (ValueError, RecursionError):
        return text, None
    flag = mapping(answer).get("isError")
    content = mapping(answer).get("content")
    if not isinstance(content, list) or not isinstance(flag, bool):
        return text, None
    return content, flag or None


def text_and_pictures(content: JsonValue) -> tuple[str, JsonValue]:
    """The text of a message's content, and its pictures as blocks that hold binaries."""
    blocks = content if isinstance(content, list) else [content]
    pictures: list[JsonValue] = []
    words: list[JsonValue] = []
    for block in blocks:
        urls = block.get("image_urls") if isinstance(block, dict) else None
        if isinstance(urls, list):
            pictures += [{"image_url": url} for url in urls if isinstance(url, str)]
        else:
            words.append(block)
            pictures += [block] if isinstance(block, dict) else []
    return text_of(words), pictures
