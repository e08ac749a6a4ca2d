"""What agents tell their hooks: a payload becomes events. One small module a dialect.

A dialect is a module with AGENT (as traces have it), KINDS (its events), FOLDER_VARIABLE
(where the agent says which project it works in), `tool_use_of` and `document`.
On the path of every tool call of an agent: few imports.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Protocol, cast

from hindsight_cli.capture.hooks.payload import HookKind, ToolUse
from hindsight_cli.records.jsonvalue import JsonValue

_MODULES = {
    "claude-code": "claude_code",
    "claude": "claude_code",
    "codex": "codex",
    "gemini-cli": "gemini",
    "gemini": "gemini",
    "qwen-code": "qwen",
    "qwen": "qwen",
    "opencode": "opencode",
}


class Dialect(Protocol):
    """How one agent speaks to its hooks."""

    AGENT: str
    KINDS: Mapping[str, HookKind]
    FOLDER_VARIABLE: str

    def unpacked(self, payload: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
        """The payload with the common names: session_id, cwd, transcript_path, prompt ..."""

    def tool_use_of(self, event: str, payload: Mapping[str, JsonValue]) -> ToolUse:
        """The call a tool event tells of, with its answer; `payload` is unpacked."""

    def document(self, event: str, *, context: str, notice: str) -> dict[str, JsonValue]:
        """What is printed to put `context` before the model and `notice` before the person."""


def find_dialect(agent: str) -> Dialect | None:
    """The dialect of an agent as commands name it; None when there is none."""
    name = _MODULES.get(agent)
    return cast("Dialect", import_module(f"{__name__}.{name}")) if name else None
