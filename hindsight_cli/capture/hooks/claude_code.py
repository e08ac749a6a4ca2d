"""Claude Code's hooks. Source: payloads of version 2.1, and its documentation of hooks."""

from __future__ import annotations

from collections.abc import Mapping

from hindsight_cli.capture.hooks.payload import (
    HookKind,
    ToolUse,
    answer_text,
    common_document,
    integer,
    mapping,
    string,
)
from hindsight_cli.records.jsonvalue import JsonValue

AGENT = "claude-code"
KINDS = {
    "SessionStart": HookKind.START,
    "UserPromptSubmit": HookKind.PROMPT,
    "PostToolUse": HookKind.TOOL,
    "PostToolUseFailure": HookKind.TOOL,
    "Stop": HookKind.STOP,
    "SessionEnd": HookKind.END,
}
_FAILURE = "PostToolUseFailure"
document = common_document


def unpacked(payload: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    return payload


def tool_use_of(event: str, payload: Mapping[str, JsonValue]) -> ToolUse:
    """A failed call has an event of its own; one that a shell took as fine says so itself."""
    failed = event == _FAILURE
    response = payload.get("tool_response")
    facts = mapping(response)
    return ToolUse(
        name=string(payload, "tool_name"),
        arguments=payload.get("tool_input"),
        text=string(payload, "error") if failed else answer_text(response),
        call_id=string(payload, "tool_use_id") or None,
        flag=failed,
        exit_code=None if failed else integer(facts.get("exitCode")),
        interrupted=payload.get("is_interrupt") is True or facts.get("interrupted") is True,
        exit_meaning=string(facts, "returnCodeInterpretation"),
        duration_ms=integer(payload.get("duration_ms")),
    )
