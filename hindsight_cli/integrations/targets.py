"""Files of agents in which entries of ours stand, and how each is edited."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hindsight_cli.integrations.json_edit import Document, Made
from hindsight_cli.integrations.json_edit import Path as JsonPath
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
from hindsight_cli.records.jsonvalue import JsonValue

# Codex hands its servers no variables but those named.
_CODEX_VARIABLES = ["HINDSIGHT_CLI_SESSION", "HINDSIGHT_CLI_PROJECT", "HINDSIGHT_CLI_DATA_DIR"]
_CODEX_TABLE = ("mcp_servers", SERVER_NAME)
_PLUGIN_SOURCE = "opencode_plugin.js"


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


def json_target(
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


def toml_target(path: Path, where: Where) -> Target:
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


def source_target(path: Path, where: Where, timeouts: Mapping[str, int]) -> Target:
    """The plugin itself: ours as a whole."""

    def install(text: str, made: Made) -> str:
        del text, made
        return plugin_source(where.program, timeouts)

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
    source = Path(__file__).with_name(_PLUGIN_SOURCE).read_text(encoding="utf-8")
    command = json.dumps(list(program), ensure_ascii=True)
    timeouts_ms = json.dumps({event: 1000 * s for event, s in timeouts.items()})
    return source.replace('["hindsight"]', command).replace("{/* timeouts */}", timeouts_ms)
