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
from typing import TYPE_CHECKING

from hindsight_cli.integrations.json_edit import Document, Made
from hindsight_cli.integrations.registration import (
    SERVER_NAME,
    Found,
    HookStyle,
    found_in,
    own_server,
    put_hooks,
    put_plugin,
    put_server,
    remove_hooks,
    remove_plugin,
    remove_server,
    server_found,
)
from hindsight_cli.integrations.toml_edit import read_table, with_table, without_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hindsight_cli.integrations.json_edit import Path as JsonPath
    from hindsight_cli.records.jsonvalue import JsonValue

# Codex hands its servers no variables but those named.
_CODEX_VARIABLES = ["HINDSIGHT_CLI_SESSION", "HINDSIGHT_CLI_PROJECT", "HINDSIGHT_CLI_DATA_DIR"]
_CODEX_TABLE = ("mcp_servers", SERVER_NAME)
PLUGIN = "hindsight.js"  # in a folder of the user's data folder, one a project
_PLUGIN_SOURCE = "opencode_plugin.js"


class Scope(StrEnum):
    USER = "user"
    PROJECT = "project"


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """What the places depend on."""

    env: Mapping[str, str]
    home: Path
    data: Path  # the user's data folder
    root: Path  # the project, or the folder we are in
    program: tuple[str, ...]  # hindsight, by absolute path


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A file, and how our entries are put into its text and taken out.

    `holds` names what of ours belongs there: hooks, server, plugin or source (a file that is
    ours as a whole).
    """

    path: Path
    holds: tuple[str, ...]
    install: Callable[[str, Made], str]
    remove: Callable[[str, Made], str]
    find: Callable[[str], Found]
    holds_ours: Callable[[str], bool]  # of any project and scope


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


def _json_target(
    path: Path,
    where: Where,
    *,
    server: JsonPath = (),
    style: HookStyle | None = None,
    plugin: str = "",
) -> Target:
    as_list = server[:1] == ("mcp",)  # as OpenCode writes a command

    def install(text: str, made: Made) -> str:
        document = Document(text, made)
        if style:
            put_hooks(document, style, where.program)
        if plugin:
            put_plugin(document, plugin)
        if server:
            put_server(document, _level(document, server), where.program, as_list=as_list)
        return document.text

    def remove(text: str, made: Made) -> str:
        document = Document(text, made)
        if style:
            remove_hooks(document)
        if plugin:
            remove_plugin(document)
        if server:
            remove_server(document, _level(document, server))
        return document.text

    def find(text: str) -> Found:
        document = Document(text, Made())
        return found_in(document, _level(document, server))

    holds = {"hooks": bool(style), "server": bool(server), "plugin": bool(plugin)}
    return Target(
        path=path,
        holds=tuple(what for what, is_held in holds.items() if is_held),
        install=install,
        remove=remove,
        find=find,
        holds_ours=lambda text: bool(find(text).all_ours) or _has_server_of_a_project(text),
    )


def _has_server_of_a_project(text: str) -> bool:
    """Whether one is registered for a single folder, as Claude Code keeps those of all in one."""
    projects = Document(text, Made()).value(("projects",))
    return any(
        bool(Found(**server_found((about.get("mcpServers") or {}).get(SERVER_NAME))).server)
        for about in (projects.values() if isinstance(projects, dict) else ())
        if isinstance(about, dict) and isinstance(about.get("mcpServers") or {}, dict)
    )


def _level(document: Document, server: JsonPath) -> JsonPath:
    """Newer versions of OpenCode keep servers one level deeper; where they do, so do we."""
    deeper: JsonPath = (*server[:-1], "servers")
    if server[:1] != ("mcp",):
        return server
    node = document.node(deeper)
    is_server = node is not None and node.entry("command") is not None
    return (*deeper, server[-1]) if node is not None and not is_server else server


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
        _json_target(settings, where, style=style),
        _json_target(state, where, server=server),
    ]


def _codex_folder(where: Where) -> Path:
    chosen = where.env.get("CODEX_HOME")
    return where.root / chosen if chosen else where.home / ".codex"


def _codex(where: Where, scope: Scope) -> list[Target]:
    folder = _codex_folder(where) if scope is Scope.USER else where.root / ".codex"
    style = HookStyle(agent="codex", timeouts=_AGENT["codex"].events())
    return [
        _json_target(folder / "hooks.json", where, style=style),
        _toml_target(folder / "config.toml", where),
    ]


def _toml_target(path: Path, where: Where) -> Target:
    def wanted(before: Mapping[str, JsonValue] | None) -> dict[str, JsonValue]:
        argv = _codex_argv(before)
        given = argv[len(own_server(argv) or ()) :] or ["mcp", "serve"]
        first, *rest = where.program
        names = list((before or {}).get("env_vars", _CODEX_VARIABLES))
        return {"command": first, "args": [*rest, *given], "env_vars": names}

    def install(text: str, made: Made) -> str:
        before = read_table(text, _CODEX_TABLE)
        if before is not None and own_server(_codex_argv(before)) is None:
            return text
        after = with_table(text, _CODEX_TABLE, wanted(before))
        if before is None:
            made.empties["toml"] = after[len(text) :]
        return after

    def remove(text: str, made: Made) -> str:
        before = read_table(text, _CODEX_TABLE)
        if before is None or own_server(_codex_argv(before)) is None:
            return text
        return without_table(text, _CODEX_TABLE, made.empties.pop("toml", ""))

    def find(text: str) -> Found:
        return Found(**server_found(read_table(text, _CODEX_TABLE)))

    return Target(
        path=path,
        holds=("server",),
        install=install,
        remove=remove,
        find=find,
        holds_ours=lambda text: bool(find(text).all_ours),
    )


def _codex_argv(table: Mapping[str, JsonValue] | None) -> list[str]:
    command = (table or {}).get("command")
    args = (table or {}).get("args", [])
    return [str(w) for w in (command, *args)] if command is not None else []


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
    return [_json_target(folder / "settings.json", where, style=style, server=server)]


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
    return [_json_target(folder / "settings.json", where, style=style, server=server)]


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
        _source_target(source, where),
        _json_target(config, where, plugin=source.as_uri(), server=server),
    ]


def _source_target(path: Path, where: Where) -> Target:
    """The plugin itself: ours as a whole."""

    def install(text: str, made: Made) -> str:
        del text, made
        return plugin_source(where.program, _AGENT["opencode"].events())

    return Target(
        path=path,
        holds=("source",),
        install=install,
        remove=lambda _text, _made: "",
        find=lambda _: Found(),
        holds_ours=bool,
    )


def plugin_source(program: Sequence[str], timeouts: Mapping[str, int]) -> str:
    """The plugin for one program. Its own text is a file; only two lines are filled in."""
    import json

    source = Path(__file__).with_name(_PLUGIN_SOURCE).read_text(encoding="utf-8")
    command = json.dumps(list(program), ensure_ascii=True)
    timeouts_ms = json.dumps({event: 1000 * s for event, s in timeouts.items()})
    return source.replace('["hindsight"]', command).replace("{/* timeouts */}", timeouts_ms)


def _codex_todo(scope: Scope) -> list[str]:
    todo = [
        "Codex runs hooks only once you trust them and skips them silently until then: start "
        "`codex`, enter /hooks, and trust those of hindsight. `codex exec` has "
        "--dangerously-bypass-hook-trust for one run."
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
