"""OpenCode, `opencode`. Source: `opencode --help` and `opencode run --help`, version 1.18."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from hindsight_cli.integrations.agent import Agent, Place
from hindsight_cli.integrations.command_line import CommandLine, Grammar, names_in
from hindsight_cli.integrations.programs import Program

# What its plugin calls `hindsight hook opencode EVENT` for, and after how many seconds it may
# give up on it. On stdin: {"directory", "input", "output"} with the two arguments of that
# plugin hook, or {"directory", "event"} for the last. On stdout: nothing, or {"context": TEXT},
# for the system prompt (chat.message) or the end of the tool's output (tool.execute.after).
HOOK_EVENTS = {
    "chat.message": 5,
    "tool.execute.after": 5,
    "session.idle": 5,
}


class OpenCode(Agent):
    """Has a task as `opencode run MESSAGE` or `opencode [FOLDER] --prompt TEXT`."""

    __slots__ = ()

    name = "opencode"
    grammar = Grammar(
        yargs=True,
        none=(
            "-h|--help -v|--version --auto -c|--continue --dangerously-skip-permissions --demo"
            " --fork -i|--interactive --mdns --mini --print-logs --pure --replay --no-replay"
            " --share --thinking --yolo"
        ),
        one=(
            "--agent --attach --command --dir --format --hostname --log-level --mdns-domain"
            " -m|--model -p|--password --port --prompt --replay-limit -s|--session --title"
            " -u|--username --variant"
        ),
        many="--cors -f|--file",
    )
    subcommands = names_in(
        "acp agent attach auth completion console db debug export generate github import mcp"
        " models plug plugin pr providers serve session stats uninstall upgrade web"
    )
    informing = names_in("--help --version")

    def transcripts(self, argv: Sequence[str], env: Mapping[str, str], cwd: str) -> Place | None:
        """`opencode.db`, which holds the sessions of every directory."""
        line = self._line(argv)
        file = _database(self._env(env))
        if line is None or file is None or line.has("--attach"):
            return None
        began = line.value("--dir") or ""
        if line.operands and line.first_words()[:1] != ["run"]:
            began = line.operands[0]
        return Place([str(Path(cwd) / file)], cwd=str(Path(cwd) / began))

    def _prompt(self, line: CommandLine) -> str | None:
        if line.first_words()[:1] != ["run"]:
            return line.value("--prompt")
        return None if line.has("--command") else " ".join([*line.operands[1:], *line.rest])


def agent(program: Program) -> Agent:
    return OpenCode(program)


def _database(env: Mapping[str, str]) -> str | None:
    """The file that sessions are kept in: `OPENCODE_DB`, by itself or in the data folder."""
    home = env.get("HOME", "")
    chosen = env.get("OPENCODE_DB") or "opencode.db"
    if chosen == ":memory:":
        return None
    data = env.get("XDG_DATA_HOME") or (home and f"{home}/.local/share")
    if not data and not Path(chosen).is_absolute():
        return None
    return str(Path(data) / "opencode" / chosen)
