"""Gemini CLI, `gemini`. Source: packages/cli/src/config/config.ts of google-gemini/gemini-cli."""

from __future__ import annotations

from hindsight_cli.integrations.agent import Agent
from hindsight_cli.integrations.command_line import CommandLine, Grammar, names_in
from hindsight_cli.integrations.programs import Program


class GeminiCli(Agent):
    """Has a flag for the session's id only in late versions, and early ones refuse it."""

    __slots__ = ()

    name = "gemini-cli"
    # Of yargs, so that no option takes a value that begins with a dash.
    grammar = Grammar(
        none=(
            "-d|--debug -s|--sandbox -a|--all-files --show-memory-usage -y|--yolo"
            " -c|--checkpointing --acp|--experimental-acp -l|--list-extensions --list-sessions"
            " --screen-reader --telemetry --telemetry-log-prompts --skip-trust"
            " --raw-output --accept-raw-output-risk -h|--help -v|--version"
        ),
        optional=(
            "-m|--model -p|--prompt -i|--prompt-interactive --sandbox-image --approval-mode"
            " -e|--extensions -o|--output-format --proxy --telemetry-target"
            " --telemetry-otlp-endpoint --telemetry-otlp-protocol --telemetry-outfile -r|--resume"
            " --session-id --session-file --delete-session -w|--worktree"
        ),
        many="--allowed-mcp-server-names --allowed-tools --include-directories --policy"
        " --admin-policy",
    )
    not_runs = names_in(
        "--help --version --list-extensions --list-sessions --delete-session mcp extensions"
        " extension skills skill hooks hook gemma"
    )

    def _prompt(self, line: CommandLine) -> str | None:
        given = line.value("--prompt") or line.value("--prompt-interactive")
        return given or " ".join(line.operands)


def agent(program: Program) -> Agent:
    return GeminiCli(program)
