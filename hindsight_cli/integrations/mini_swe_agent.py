"""mini-swe-agent, `mini`. Source: `mini --help` of 2.4, https://mini-swe-agent.com."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from hindsight_cli.integrations.agent import Agent, Place
from hindsight_cli.integrations.command_line import CommandLine, Grammar, names_in
from hindsight_cli.integrations.programs import Program

_LAST_RUN = "last_mini_run.traj.json"


class MiniSweAgent(Agent):
    """Keeps the trajectory of a run in one file, by default over that of the run before."""

    __slots__ = ()

    name = "mini-swe-agent"
    grammar = Grammar(
        none=(
            "-y|--yolo --exit-immediately -v|--visual --help --install-completion --show-completion"
        ),
        one=(
            "-m|--model -t|--task -l|--cost-limit -c|--config -o|--output --model-class"
            " --agent-class --environment-class"
        ),
    )
    informing = names_in("--help --install-completion --show-completion")

    def transcripts(self, argv: Sequence[str], env: Mapping[str, str], cwd: str) -> Place | None:
        line = self._line(argv)
        if line is None:
            return None
        output = line.value("--output")
        if output is not None:
            return Place([str(Path(cwd) / output)]) if output else None
        folder = _config_folder(self._env(env))
        return Place([str(Path(cwd) / folder / _LAST_RUN)]) if folder else None

    def _prompt(self, line: CommandLine) -> str | None:
        return line.value("--task")


def agent(program: Program) -> Agent:
    return MiniSweAgent(program)


def _config_folder(env: Mapping[str, str]) -> str | None:
    """Where it keeps its settings and its last run: a user's folder for configuration."""
    if chosen := env.get("MSWEA_GLOBAL_CONFIG_DIR"):
        return chosen
    home = env.get("HOME", "")
    if sys.platform == "darwin":
        base = home and f"{home}/Library/Application Support"
    else:
        base = env.get("XDG_CONFIG_HOME", "").strip() or (home and f"{home}/.config")
    return f"{base}/mini-swe-agent" if base else None
