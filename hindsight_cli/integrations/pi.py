"""pi, `pi`. Source: `pi --help`, version 0.73, and its args.js and session-manager.js."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from hindsight_cli.integrations.agent import Agent, Place
from hindsight_cli.integrations.begun import BegunIn
from hindsight_cli.integrations.command_line import CommandLine, Grammar, names_in
from hindsight_cli.integrations.programs import Program

_ID = re.compile(r"[0-9a-fA-F-]{4,36}")
_SEPARATORS = re.compile(r"[/\\:]")
_CWD = ("cwd",)  # in the header of a session


class Pi(Agent):
    """Takes no id for a new session. Its system prompt is left alone: a file's name or a text."""

    __slots__ = ()

    name = "pi"
    grammar = Grammar(
        none=(
            "-h|--help -v|--version -c|--continue -r|--resume -p|--print --no-session"
            " -nt|--no-tools -nbt|--no-builtin-tools -ne|--no-extensions -ns|--no-skills"
            " -np|--no-prompt-templates --no-themes -nc|--no-context-files --verbose --offline"
        ),
        one=(
            "--append-system-prompt --api-key --export -e|--extension --fork --mode --model"
            " --models --prompt-template --provider --session --session-dir --skill"
            " --system-prompt --theme --thinking -t|--tools"
        ),
        optional="--list-models",
    )
    subcommands = names_in("config install list remove uninstall update")
    informing = names_in("--help --version --export --list-models")

    def transcripts(self, argv: Sequence[str], env: Mapping[str, str], cwd: str) -> Place | None:
        """`sessions/--<folder>--/<time>_<session id>.jsonl`, resumed ones too."""
        line, variables = self._line(argv), self._env(env)
        if line is None or line.has("--no-session"):
            return None
        chosen = line.value("--session")
        if chosen and ("/" in chosen or chosen.endswith(".jsonl")):
            return Place([str(Path(cwd) / chosen)])
        name = f"*_{chosen}*.jsonl" if chosen and _ID.fullmatch(chosen) else "*.jsonl"
        began = None if line.has("--resume", "--session") else cwd
        own = line.value("--session-dir") or _expanded(variables, "PI_CODING_AGENT_SESSION_DIR")
        if own:
            return BegunIn(str(Path(cwd) / own), name, began, _CWD)
        root = _root(variables)
        if root is None:
            return None
        sessions = Path(cwd) / root / "sessions"
        if began is None:  # of any directory
            return BegunIn(str(sessions), f"*/{name}", None, _CWD)
        return BegunIn(str(sessions / _folder(cwd)), name, began, _CWD)

    def _prompt(self, line: CommandLine) -> str | None:
        """The first message; what begins with `@` is a file."""
        return next((word for word in line.operands if not word.startswith("@")), None)


def agent(program: Program) -> Agent:
    return Pi(program)


def _folder(cwd: str) -> str:
    """As pi names a folder after a directory."""
    return f"--{_SEPARATORS.sub('-', cwd.removeprefix('/'))}--"


def _root(env: Mapping[str, str]) -> str | None:
    home = env.get("HOME")
    return _expanded(env, "PI_CODING_AGENT_DIR") or (f"{home}/.pi/agent" if home else None)


def _expanded(env: Mapping[str, str], variable: str) -> str | None:
    path, home = env.get(variable), env.get("HOME")
    is_at_home = path is not None and (path == "~" or path.startswith("~/"))
    return f"{home}{path[1:]}" if path and home and is_at_home else path
