"""Codex's hooks. Source: payloads of version 0.171.

A command that failed comes as any other: its answer is a text, with an exit code at most in
the lines above the output.
"""

from __future__ import annotations

import re
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

AGENT = "codex"
FOLDER_VARIABLE = ""
KINDS = {
    "SessionStart": HookKind.START,
    "UserPromptSubmit": HookKind.PROMPT,
    "PostToolUse": HookKind.TOOL,
    "Stop": HookKind.STOP,
    "SessionEnd": HookKind.END,
}
_FRAME = re.compile(
    r"(?:[^\n]{0,200}\n){0,6}?(?:Process exited with code|Exit code:) (-?\d{1,10})\n"
)
_OUTPUT = re.compile(r"(?:[^\n]{0,200}\n){0,3}?Output:\n")
document = common_document


def unpacked(payload: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    return payload


def tool_use_of(event: str, payload: Mapping[str, JsonValue]) -> ToolUse:
    """The frame round an output, where there is one, tells the exit code."""
    del event
    response = payload.get("tool_response")
    text, facts = answer_text(response), mapping(response)
    code = integer(facts.get("exit_code"))
    if frame := _FRAME.match(text):
        code = int(frame[1])
        rest = _OUTPUT.match(text, frame.end())
        text = text[rest.end() if rest else frame.end() :]
    success = facts.get("success")
    return ToolUse(
        name=string(payload, "tool_name"),
        arguments=payload.get("tool_input"),
        text=text,
        call_id=string(payload, "tool_use_id") or None,
        flag=not success if isinstance(success, bool) else None,
        exit_code=code,
        duration_ms=integer(payload.get("duration_ms")),
    )
