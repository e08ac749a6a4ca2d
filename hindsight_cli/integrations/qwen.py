"""Qwen Code, `qwen`. Source: packages/cli/src/config/config.ts of QwenLM/qwen-code."""

from __future__ import annotations

from hindsight_cli.integrations.agent import Agent
from hindsight_cli.integrations.command_line import CommandLine, Grammar, names_in
from hindsight_cli.integrations.programs import Program


class QwenCode(Agent):
    __slots__ = ()

    name = "qwen-code"
    # Of yargs, so that no option takes a value that begins with a dash.
    grammar = Grammar(
        none=(
            "-d|--debug -s|--sandbox -a|--all-files --show-memory-usage -y|--yolo --bare"
            " --safe-mode --checkpointing --acp|--experimental-acp --experimental-lsp"
            " -l|--list-extensions --openai-logging --screen-reader --include-partial-messages"
            " --chat-recording --no-chat-recording -c|--continue --fork-session --insecure"
            " --telemetry --telemetry-log-prompts --background -h|--help -v|--version"
        ),
        optional=(
            "-m|--model -p|--prompt -i|--prompt-interactive --system-prompt"
            " --append-system-prompt --sandbox-image --approval-mode --mcp-config"
            " --openai-api-key --openai-base-url --openai-logging-dir --proxy --input-format"
            " -o|--output-format -r|--resume --session-id --worktree --max-session-turns"
            " --max-wall-time --max-tool-calls --max-subagent-depth --auth-type --channel"
            " --json-fd --json-file --json-schema --input-file --telemetry-target"
            " --telemetry-otlp-endpoint --telemetry-otlp-protocol --telemetry-outfile"
        ),
        many=(
            "--fallback-model --allowed-mcp-server-names --allowed-tools -e|--extensions"
            " --include-directories|--add-dir --core-tools --exclude-tools"
            " --disabled-slash-commands"
        ),
    )
    not_runs = names_in(
        "--help --version --list-extensions mcp extensions auth hooks channel review serve"
        " sessions update agents"
    )

    def _prompt(self, line: CommandLine) -> str | None:
        given = line.value("--prompt") or line.value("--prompt-interactive")
        return given or " ".join(line.operands)


def agent(program: Program) -> Agent:
    return QwenCode(program)
