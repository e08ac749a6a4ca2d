"""What our plugin for OpenCode tells. Source: docs/reference/hooks.md, plugin API of 1.18.

`{"directory", "input", "output"}` with the arguments of a plugin hook, or
`{"directory", "event"}`. OpenCode keeps sessions in a database, so no transcript is named.
"""

from __future__ import annotations

from collections.abc import Mapping

from hindsight_cli.capture.hooks.payload import (
    HookKind,
    ToolUse,
    answer_text,
    integer,
    mapping,
    string,
)
from hindsight_cli.records.jsonvalue import JsonValue

AGENT = "opencode"
KINDS = {
    "chat.message": HookKind.PROMPT,
    "tool.execute.after": HookKind.TOOL,
    "session.idle": HookKind.STOP,
}


def unpacked(payload: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    given, answer = mapping(payload.get("input")), mapping(payload.get("output"))
    about = mapping(mapping(payload.get("event")).get("properties"))
    parts = answer.get("parts")
    said = [
        text
        for part in (parts if isinstance(parts, list) else [])
        if isinstance(part, dict) and part.get("type") == "text" and not part.get("synthetic")
        if (text := string(part, "text"))
    ]
    return {
        "session_id": string(given, "sessionID") or string(about, "sessionID"),
        "cwd": string(payload, "directory"),
        "prompt": "\n".join(said),
        "input": given,
        "output": answer,
    }


def tool_use_of(event: str, payload: Mapping[str, JsonValue]) -> ToolUse:
    """A command's exit code is in the metadata; its "completed" says only that it ran."""
    del event
    given, answer = mapping(payload.get("input")), mapping(payload.get("output"))
    about = mapping(answer.get("metadata"))
    text = string(answer, "output") or string(about, "output")
    code = integer(about.get("exit"))
    return ToolUse(
        name=string(given, "tool"),
        arguments=given.get("args", about.get("args")),
        text=text or answer_text(answer.get("error")),
        call_id=string(given, "callID") or None,
        flag=None if code is None else bool(code),
        exit_code=code,
    )


def document(event: str, *, context: str, notice: str) -> dict[str, JsonValue]:
    """The plugin puts the context into the system prompt, or below the tool's output."""
    del event, notice
    return {"context": context} if context else {}
