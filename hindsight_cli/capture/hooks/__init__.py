"""What agents tell their hooks: a payload becomes events. One small module a dialect.

A dialect is a module with AGENT (as traces have it), KINDS (its events), `unpacked`,
`tool_use_of` and `document`.
On the path of every tool call of an agent: few imports.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:  # most calls of global hooks end before any of this is needed
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
# Where an agent tells its hooks which folder it was started in.
FOLDER_VARIABLES = {
    "claude_code": "CLAUDE_PROJECT_DIR",
    "gemini": "GEMINI_PROJECT_DIR",
    "qwen": "QWEN_PROJECT_DIR",
}
_FOLDER_FIELDS = ("cwd", "directory")


def folder_of(agent: str, payload: JsonValue, env: Mapping[str, str]) -> str | None:
    """The folder the agent works in; None when nobody says."""
    started = env.get(FOLDER_VARIABLES.get(_MODULES.get(agent, ""), ""))
    if started or not isinstance(payload, dict):
        return started or None
    found = (payload.get(name) for name in _FOLDER_FIELDS)
    return next((name for name in found if isinstance(name, str) and name), None)


class Dialect(Protocol):
    """How one agent speaks to its hooks."""

    AGENT: str
    KINDS: Mapping[str, HookKind]

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
