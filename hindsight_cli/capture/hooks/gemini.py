"""Gemini CLI's hooks. Source: its hooks reference, version 0.61, and payloads of it.

An answer is `{llmContent, returnDisplay, error}`; a shell's exit code stands in the text.
Calls have no id.
"""

from __future__ import annotations

from collections.abc import Mapping

from hindsight_cli.capture.formats.gemini_shell import read_shell_output, without_wrapper
from hindsight_cli.capture.hooks.payload import (
    HookKind,
    ToolUse,
    answer_text,
    common_document,
    integer,
    mapping,
    string,
)
from hindsight_cli.capture.toolkinds import tool_kind
from hindsight_cli.records.event import ToolKind
from hindsight_cli.records.jsonvalue import JsonValue

AGENT = "gemini-cli"
KINDS = {
    "SessionStart": HookKind.START,
    "BeforeAgent": HookKind.PROMPT,
    "AfterTool": HookKind.TOOL,
    "AfterAgent": HookKind.STOP,
    "SessionEnd": HookKind.END,
}
document = common_document


def unpacked(payload: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    return payload


def tool_use_of(event: str, payload: Mapping[str, JsonValue]) -> ToolUse:
    """Shared with Qwen Code, whose tools answer the same way."""
    response = payload.get("tool_response")
    facts = mapping(response)
    content = facts.get("llmContent", facts.get("returnDisplay"))
    failed = bool(facts.get("error")) or event == "PostToolUseFailure"
    text = answer_text(response if content is None else content) or string(payload, "error")
    if failed and not text:
        text = answer_text(facts.get("error"))
    text = without_wrapper(text)
    name, exit_code = string(payload, "tool_name"), None
    flag: bool | None = failed or None
    if tool_kind(name) is ToolKind.SHELL:
        shell = read_shell_output(text)
        text, exit_code = shell.text, shell.exit_code
        if shell.framed:
            flag = failed
    elif not failed:
        flag = False
    return ToolUse(
        name=name,
        arguments=payload.get("tool_input"),
        text=text,
        call_id=string(payload, "tool_use_id") or None,
        flag=flag,
        exit_code=exit_code,
        interrupted=payload.get("is_interrupt") is True,
        duration_ms=integer(payload.get("duration_ms")),
    )
