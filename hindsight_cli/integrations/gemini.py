"""Gemini CLI, `gemini`. Source: `gemini --help`, version 0.61, and its config.ts before that."""

from __future__ import annotations

from hindsight_cli.integrations.agent import Agent
from hindsight_cli.integrations.command_line import CommandLine, Grammar, names_in
from hindsight_cli.integrations.programs import Program


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

    def _prompt(self, line: CommandLine) -> str | None:
        return line.value("--prompt", "--prompt-interactive") or " ".join(line.operands)


def agent(program: Program) -> Agent:
    return GeminiCli(program)
