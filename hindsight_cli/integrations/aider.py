"""aider. Source: its args.py, version 0.86."""

from __future__ import annotations

from hindsight_cli.integrations.agent import Agent
from hindsight_cli.integrations.command_line import CommandLine, Grammar, names_in
from hindsight_cli.integrations.programs import Program


class Aider(Agent):
    """Only its message matters: its operands are files. So no list of its switches is kept."""

    __slots__ = ()

    name = "aider"
    grammar = Grammar(
        none="-h|--help --version -v|--verbose --models|--list-models --just-check-update"
        " --update|--upgrade --install-main-branch --show-repo-map --show-prompts",
        one=(
            "--aiderignore --alias --analytics-log --anthropic-api-key --api-key --apply"
            " --assistant-output-color --cache-keepalive-pings --chat-history-file"
            " --chat-language --code-theme --commit-language --commit-prompt -c|--config"
            " --chat-mode|--edit-format --editor --editor-edit-format --editor-model --encoding"
            " --env-file --file --input-history-file --line-endings --lint-cmd"
            " --llm-history-file --load --map-multiplier-no-files --map-refresh --map-tokens"
            " --max-chat-history-tokens -m|--msg|--message -f|--message-file --model"
            " --model-metadata-file --model-settings-file --notifications-command"
            " --openai-api-base --openai-api-key --read --reasoning-effort --set-env"
            " --shell-completions --test-cmd --thinking-tokens --timeout --voice-format"
            " --voice-input-device --voice-language --weak-model"
        ),
    )
    informing = names_in(
        "--help --version --list-models --just-check-update --upgrade --install-main-branch"
        " --show-repo-map --show-prompts --shell-completions --apply"
    )

    def _prompt(self, line: CommandLine) -> str | None:
        return line.value("--message")


def agent(program: Program) -> Agent:
    return Aider(program)
