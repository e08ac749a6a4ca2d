"""Gemini CLI, `gemini`. Source: `gemini --help`, version 0.61, and its config.ts before that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from hindsight_cli.integrations.agent import Agent, Place
from hindsight_cli.integrations.command_line import CommandLine, Grammar, names_in
from hindsight_cli.integrations.programs import Program

_CHATS = "**/*.json*"  # those of subagents lie in folders of their own

# What `hindsight hook gemini-cli EVENT` is registered for, and after how many seconds the
# agent may give up on it. Its settings take milliseconds.
HOOK_EVENTS = {
    "SessionStart": 5,
    "BeforeAgent": 5,
    "AfterTool": 5,
    "AfterAgent": 5,
    "SessionEnd": 5,
}


class GeminiCli(Agent):
    """Its early versions refuse `--session-id`, so none is given."""

    __slots__ = ()

    name = "gemini-cli"
    grammar = Grammar(
        yargs=True,
        none=(
            "-h|--help -v|--version --accept-raw-output-risk --experimental-acp|--acp"
            " -a|--all-files -c|--checkpointing -d|--debug -l|--list-extensions"
            " --list-sessions --raw-output -s|--sandbox --screen-reader --show-memory-usage"
            " --skip-trust --telemetry --telemetry-log-prompts -y|--yolo"
        ),
        one=(
            "--admin-policy --allowed-mcp-server-names --allowed-tools --approval-mode"
            " --delete-session -e|--extensions --include-directories -m|--model"
            " -o|--output-format --policy -p|--prompt -i|--prompt-interactive --proxy -r|--resume"
            " --sandbox-image --session-file --session-id --telemetry-otlp-endpoint"
            " --telemetry-otlp-protocol --telemetry-outfile --telemetry-target -w|--worktree"
        ),
    )
    subcommands = names_in("mcp extensions extension skills skill hooks hook gemma")
    informing = names_in("--help --version --list-extensions --list-sessions --delete-session")

    def transcripts(self, argv: Sequence[str], env: Mapping[str, str], cwd: str) -> Place | None:
        """`.gemini/tmp/<project>/chats/session-<time>-<id>.jsonl`, in early versions `.json`."""
        line, variables = self._line(argv), self._env(env)
        home = variables.get("GEMINI_CLI_HOME") or variables.get("HOME")
        if line is None or not home:
            return None
        projects = Path(cwd) / home / ".gemini" / "tmp"
        if line.has("--worktree"):  # a folder of its own, with a project of its own
            return Place(folder=str(projects), pattern=f"*/chats/{_CHATS}")
        return Place(folder=str(_project(projects, cwd) / "chats"), pattern=_CHATS)

    def _prompt(self, line: CommandLine) -> str | None:
        return line.value("--prompt", "--prompt-interactive") or " ".join(line.operands)


def agent(program: Program) -> Agent:
    return GeminiCli(program)


def _project(projects: Path, cwd: str) -> Path:
    """The folder that the program keeps for a directory.

    It has a short name and says in itself whose it is; early versions named it by a hash.
    """
    for folder in sorted(projects.glob("*")):
        try:
            if (folder / ".project_root").read_text(encoding="utf-8").strip() == cwd:
                return folder
        except (OSError, ValueError):
            continue
    from hashlib import sha256  # needed after a run only

    return projects / sha256(cwd.encode("utf-8", "surrogateescape")).hexdigest()
