"""aider. Source: https://aider.chat/docs/config/options.html."""

from __future__ import annotations

from hindsight_cli.integrations.agent import Agent
from hindsight_cli.integrations.command_line import CommandLine, Grammar
from hindsight_cli.integrations.programs import Program


class Aider(Agent):
    """Only its message is known: its operands are files, its transcript holds no calls."""

    __slots__ = ()

    name = "aider"
    grammar = Grammar(one="-m|--msg|--message -f|--message-file", none="-h|--help --version")
    not_runs = frozenset(("--help", "--version"))

    def _prompt(self, line: CommandLine) -> str | None:
        return line.value("--message")


def agent(program: Program) -> Agent:
    return Aider(program)
