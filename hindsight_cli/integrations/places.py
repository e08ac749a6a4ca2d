"""Where each agent keeps its configuration, and what of ours goes into which file.

Source: docs/how-to/install-hooks.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from importlib import import_module
from pathlib import Path

from hindsight_cli.integrations.json_edit import Path as JsonPath
from hindsight_cli.integrations.registration import SERVER_NAME, HookStyle
from hindsight_cli.integrations.targets import (
    Target,
    Where,
    json_target,
    source_target,
    toml_target,
)

PLUGIN = "hindsight.js"  # in a folder of the user's data folder, one a project


class Scope(StrEnum):
    USER = "user"
    PROJECT = "project"


@dataclass(frozen=True, slots=True, kw_only=True)
class Registered:
    """An agent we can be registered with."""

    name: str  # as traces and `hindsight hook` have it
    aliases: tuple[str, ...]
    programs: tuple[str, ...]
    folder: Callable[[Where], Path]  # there when the agent is used by this user
    targets: Callable[[Where, Scope], list[Target]]
    todo: Callable[[Scope], list[str]]
    module: str

    def events(self) -> Mapping[str, int]:
        """The events its hooks are for, with the seconds each may take."""
        events: Mapping[str, int] = import_module(
            f"hindsight_cli.integrations.{self.module}"
        ).HOOK_EVENTS
        return events


def find_registered(name: str) -> Registered | None:
    return next((a for a in AGENTS if name == a.name or name in a.aliases), None)


def _claude_folder(where: Where) -> Path:
    chosen = where.env.get("CLAUDE_CONFIG_DIR")
    return where.root / chosen if chosen else where.home / ".claude"


def _claude(where: Where, scope: Scope) -> list[Target]:
    style = HookStyle(agent="claude-code", timeouts=_AGENT["claude-code"].events())
    chosen = where.env.get("CLAUDE_CONFIG_DIR")
    state = (where.root / chosen if chosen else where.home) / ".claude.json"
    if scope is Scope.USER:
        settings = _claude_folder(where) / "settings.json"
        server: JsonPath = ("mcpServers", SERVER_NAME)
    else:  # what is of one person in one project: the path of a program must not be committed
        settings = where.root / ".claude" / "settings.local.json"
        server = ("projects", str(where.root), "mcpServers", SERVER_NAME)
    return [
        json_target(settings, where, style=style),
        json_target(state, where, server=server),
    ]


def _codex_folder(where: Where) -> Path:
    chosen = where.env.get("CODEX_HOME")
    return where.root / chosen if chosen else where.home / ".codex"


def _codex(where: Where, scope: Scope) -> list[Target]:
    folder = _codex_folder(where) if scope is Scope.USER else where.root / ".codex"
    style = HookStyle(agent="codex", timeouts=_AGENT["codex"].events())
    return [
        json_target(folder / "hooks.json", where, style=style),
        toml_target(folder / "config.toml", where),
    ]


def _gemini_folder(where: Where) -> Path:
    chosen = where.env.get("GEMINI_CLI_HOME")
    return (where.root / chosen if chosen else where.home) / ".gemini"


def _gemini(where: Where, scope: Scope) -> list[Target]:
    folder = _gemini_folder(where) if scope is Scope.USER else where.root / ".gemini"
    style = HookStyle(
        agent="gemini-cli",
        timeouts=_AGENT["gemini-cli"].events(),
        per_second=1000,
        extra={"name": "hindsight"},
    )
    server = ("mcpServers", SERVER_NAME)
    return [json_target(folder / "settings.json", where, style=style, server=server)]


def _qwen_folder(where: Where) -> Path:
    chosen = where.env.get("QWEN_HOME")
    return where.root / chosen if chosen else where.home / ".qwen"


def _qwen(where: Where, scope: Scope) -> list[Target]:
    folder = _qwen_folder(where) if scope is Scope.USER else where.root / ".qwen"
    style = HookStyle(
        agent="qwen-code",
        timeouts=_AGENT["qwen-code"].events(),
        per_second=1000,
        extra={"name": "hindsight"},
    )
    server = ("mcpServers", SERVER_NAME)
    return [json_target(folder / "settings.json", where, style=style, server=server)]


def _opencode_folder(where: Where) -> Path:
    base = where.env.get("XDG_CONFIG_HOME")
    return (Path(base) if base else where.home / ".config") / "opencode"


def _opencode(where: Where, scope: Scope) -> list[Target]:
    folder = _opencode_folder(where) if scope is Scope.USER else where.root
    names = ("opencode.json", "opencode.jsonc")
    config = next((folder / n for n in names if (folder / n).exists()), folder / names[0])
    own = "" if scope is Scope.USER else "-" + sha256(str(where.root).encode()).hexdigest()[:12]
    source = where.data / f"opencode{own}" / PLUGIN
    server = ("mcp", SERVER_NAME)
    return [
        source_target(source, where, _AGENT["opencode"].events()),
        json_target(config, where, plugin=source.as_uri(), server=server),
    ]


def _codex_todo(scope: Scope) -> list[str]:
    todo = [
        "Codex runs hooks only once you trust them, and skips them silently until then: start "
        "`codex` in a terminal and choose to trust them when it asks, else enter /hooks there. "
        "For one run without that, `codex exec` has --dangerously-bypass-hook-trust."
    ]
    if scope is Scope.PROJECT:
        todo.append(
            "Codex reads .codex/ only in a project it trusts, and these files name a path of "
            "this machine: keep them out of git."
        )
    return todo


def _claude_todo(scope: Scope) -> list[str]:
    todo = ["Restart Claude Code. There /hooks lists the hooks, and /mcp the server `hindsight`."]
    if scope is Scope.PROJECT:
        todo.append(
            ".claude/settings.local.json is yours alone: see that git ignores it. The server "
            "is registered for this folder in your own ~/.claude.json."
        )
    return todo


def _local_todo(agent: str) -> Callable[[Scope], list[str]]:
    def todo(scope: Scope) -> list[str]:
        lines = [f"Restart {agent}."]
        if scope is Scope.PROJECT:
            lines.append("The file names a path of this machine: keep it out of git.")
        return lines

    return todo


AGENTS = (
    Registered(
        name="claude-code",
        aliases=("claude", "claude_code"),
        programs=("claude",),
        folder=_claude_folder,
        targets=_claude,
        todo=_claude_todo,
        module="claude_code",
    ),
    Registered(
        name="codex",
        aliases=("codex-cli",),
        programs=("codex",),
        folder=_codex_folder,
        targets=_codex,
        todo=_codex_todo,
        module="codex",
    ),
    Registered(
        name="gemini-cli",
        aliases=("gemini",),
        programs=("gemini",),
        folder=_gemini_folder,
        targets=_gemini,
        todo=_local_todo("Gemini CLI; /hooks there lists the hooks, /mcp the server `hindsight`"),
        module="gemini",
    ),
    Registered(
        name="opencode",
        aliases=("open-code",),
        programs=("opencode",),
        folder=_opencode_folder,
        targets=_opencode,
        todo=_local_todo("OpenCode; `opencode mcp list` shows the server"),
        module="opencode",
    ),
    Registered(
        name="qwen-code",
        aliases=("qwen",),
        programs=("qwen",),
        folder=_qwen_folder,
        targets=_qwen,
        todo=_local_todo("Qwen Code; /hooks there lists the hooks, /mcp the server `hindsight`"),
        module="qwen",
    ),
)
_AGENT = {agent.name: agent for agent in AGENTS}
