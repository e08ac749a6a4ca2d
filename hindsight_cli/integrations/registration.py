"""What we write into an agent's configuration, and how our own is told from all else there."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from hindsight_cli.integrations.json_edit import Document, Path
from hindsight_cli.records.jsonvalue import JsonValue

if TYPE_CHECKING:
    from hindsight_cli.integrations.json_text import Node

SERVER_NAME = "hindsight"
_PLUGIN_URL = re.compile(r"file:///.*/opencode(-[0-9a-f]{12})?/hindsight\.js\Z")
_PROGRAMS = ("hindsight", "hindsight.exe")
_MODULE = ["-m", "hindsight_cli"]
_SERVE = ["mcp", "serve"]


@dataclass(frozen=True, slots=True, kw_only=True)
class HookStyle:
    """How an agent writes the hooks of an event: `hooks.<event>[].hooks[]`."""

    agent: str
    timeouts: Mapping[str, int]  # event -> seconds; all the events we want
    per_second: int = 1  # the unit its settings take
    extra: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What of ours stands in a file, and what stands in our place."""

    hooks: tuple[tuple[str, str], ...] = ()  # event, command
    places: tuple[tuple[int, int], ...] = ()  # of each: which group of its event, which in it
    server: tuple[str, ...] = ()  # the MCP server's command line
    foreign_server: str = ""  # a server of another program under our name
    plugins: tuple[str, ...] = ()
    switched_off: str = ""  # the setting with which a person turned all hooks off

    @property
    def all_ours(self) -> tuple[object, ...]:
        return (*self.hooks, *self.server, *self.plugins)


def hook_command(program: Sequence[str], agent: str, event: str) -> str:
    """A line for a shell, of a path that needs none of its features."""
    first, *rest = program
    return " ".join([_quoted(first), *map(shlex.quote, rest), "hook", agent, event])


def own_program(command: str) -> list[str] | None:
    """The program of a hook of ours; None when the command is not one."""
    try:
        words = shlex.split(command)
    except ValueError:
        return None
    is_hook = len(words) >= 4 and words[-3] == "hook"  # noqa: PLR2004
    return words[:-3] if is_hook and _is_ours(words[:-3]) else None


def own_server(argv: Sequence[str]) -> list[str] | None:
    """The program of an MCP server of ours; None when the command line is not one."""
    for at in range(1, len(argv) - 1):
        if list(argv[at : at + 2]) == _SERVE:
            return list(argv[:at]) if _is_ours(argv[:at]) else None
    return None


def put_hooks(document: Document, style: HookStyle, program: Sequence[str]) -> None:
    """Ours for every event we want, once; those of an earlier version are brought up to date.

    Raises:
        WrongKindError: the settings have no such form.
    """
    document.check(("hooks",), "object")
    seen: set[str] = set()
    for event, path, _ in list(_own_hooks(document))[::-1]:
        if event not in style.timeouts or event in _events_before(document, path):
            _remove_hook(document, path)
    for event, path, _ in list(_own_hooks(document)):
        seen.add(event)
        for key, value in _hook(style, program, event).items():
            document.put((*path, key), value)
    for event in style.timeouts:
        if event not in seen:
            document.append(("hooks", event), {"hooks": [_hook(style, program, event)]})


def remove_hooks(document: Document) -> None:
    for _, path, _ in list(_own_hooks(document))[::-1]:
        _remove_hook(document, path)


def put_server(
    document: Document, path: Path, program: Sequence[str], *, as_list: bool = False
) -> bool:
    """Our MCP server; False when another program has our name there, which is left alone.

    `as_list`: the whole command line in `command`.
    """
    present = document.value(path)
    if present is not None and own_server(_argv(present)) is None:
        return False
    before = _argv(present)
    given = before[len(own_server(before) or ()) :] or _SERVE  # with what a person added
    wanted: dict[str, JsonValue] = (
        {"type": "local", "command": [*program, *given]}
        if as_list
        else {"type": "stdio", "command": program[0], "args": [*program[1:], *given]}
    )
    if present is None:
        document.put(path, wanted)
    else:
        for key, value in wanted.items():
            if key != "type":
                document.put((*path, key), value)
    return True


def remove_server(document: Document, path: Path) -> None:
    if own_server(_argv(document.value(path))) is not None:
        document.remove(path)


def put_plugin(document: Document, url: str) -> None:
    """Our plugin by its URL, once; another place of it is replaced."""
    paths = list(_own_plugins(document))
    for path in paths[:0:-1]:
        document.remove(path)
    if paths:
        document.put(paths[0], url)
    else:
        document.append(("plugin",), url)


def remove_plugin(document: Document) -> None:
    for path in list(_own_plugins(document))[::-1]:
        document.remove(path)


def found_in(document: Document, server: Path) -> Found:
    """What of ours stands in a text of JSON."""
    own = list(_own_hooks(document))
    plugins = [str(document.value(p)) for p in _own_plugins(document)]
    found = Found(
        hooks=tuple((event, command) for event, _, command in own),
        places=tuple((int(path[2]), int(path[4])) for _, path, _ in own),
        plugins=tuple(plugins),
        switched_off=_switched_off(document),
    )
    return replace(found, **server_found(document.value(server))) if server else found


def server_found(entry: JsonValue) -> dict[str, JsonValue]:
    """The fields of `Found` for what stands under our name."""
    argv = _argv(entry)
    if own_server(argv) is not None:
        return {"server": tuple(argv)}
    return {"foreign_server": " ".join(argv) or "another entry"} if entry is not None else {}


def _switched_off(document: Document) -> str:
    """Claude Code and Qwen Code have the first, Gemini CLI has the second."""
    if document.value(("disableAllHooks",)) is True:
        return "disableAllHooks"
    is_off = document.value(("hooksConfig", "enabled")) is False
    return "hooksConfig.enabled" if is_off else ""


def _hook(style: HookStyle, program: Sequence[str], event: str) -> dict[str, JsonValue]:
    return {
        **style.extra,
        "type": "command",
        "command": hook_command(program, style.agent, event),
        "timeout": style.timeouts[event] * style.per_second,
    }


def _own_hooks(document: Document) -> Iterator[tuple[str, Path, str]]:
    """Event, path and command of every hook of ours."""
    for event, groups in _members(document.node(("hooks",))):
        if groups is not document.node(("hooks", event)):
            continue  # a key given twice: the last one holds
        for n, group in enumerate(groups.entries):
            hooks = group.node.entry("hooks")
            for m in range(len(hooks.node.entries) if hooks is not None else 0):
                path: Path = ("hooks", event, n, "hooks", m)
                hook = document.value(path)
                command = hook.get("command") if isinstance(hook, dict) else None
                if isinstance(command, str) and own_program(command) is not None:
                    yield event, path, command


def _members(node: Node | None) -> Iterator[tuple[str, Node]]:
    for entry in node.entries if node is not None else ():
        if entry.key is not None:
            yield entry.key, entry.node


def _events_before(document: Document, path: Path) -> set[str]:
    """Events that have a hook of ours before the one at `path`."""
    before: set[str] = set()
    for event, other, _ in _own_hooks(document):
        if other == path:
            return before
        before.add(event)
    return before


def _remove_hook(document: Document, path: Path) -> None:
    """The hook, and its group when nobody else's hook is in it."""
    hooks = document.node(path[:-1])
    alone = hooks is not None and len(hooks.entries) == 1
    document.remove(path[:-2] if alone else path)


def _own_plugins(document: Document) -> Iterator[Path]:
    """Places of our plugin, told by where its file lies."""
    urls = document.value(("plugin",))
    for n, url in enumerate(urls if isinstance(urls, list) else ()):
        if isinstance(url, str) and _PLUGIN_URL.match(url):
            yield ("plugin", n)


def _argv(entry: JsonValue) -> list[str]:
    """The command line of an MCP server, in either of its two forms."""
    if not isinstance(entry, dict):
        return []
    command, args = entry.get("command"), entry.get("args")
    words = command if isinstance(command, list) else [command]
    return [str(w) for w in (*words, *(args if isinstance(args, list) else ())) if w is not None]


def _is_ours(words: Sequence[str]) -> bool:
    if list(words[-2:]) == _MODULE:
        return True
    name = words[0].replace("\\", "/").rpartition("/")[2] if len(words) == 1 else ""
    return name in _PROGRAMS


def _quoted(path: str) -> str:
    """In double quotes, which every shell knows; else as a POSIX shell needs it."""
    return shlex.quote(path) if set(path) & set('"$`\\!') else f'"{path}"'
