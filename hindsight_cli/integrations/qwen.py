"""Qwen Code, `qwen`. Source: `qwen --help`, version 0.15, and its config.ts after that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from hindsight_cli.integrations.agent import Agent, Place, dashed
from hindsight_cli.integrations.command_line import CommandLine, Grammar, names_in
from hindsight_cli.integrations.programs import Program

# What `hindsight hook qwen-code EVENT` is registered for, and after how many seconds the
# agent may give up on it.
HOOK_EVENTS = {
    "SessionStart": 5,
    "UserPromptSubmit": 5,
    "PostToolUse": 5,
    "PostToolUseFailure": 5,
    "Stop": 5,
    "SessionEnd": 5,
}


class Chats(Place):
    """A project's folder, with the sessions in `chats` and their subagents beside it."""

    __slots__ = ()

    def holds(self, path: str) -> bool:
        return not {"chats", "subagents"}.isdisjoint(Path(path).parts[-3:-1])


class QwenCode(Agent):
    """Gets no `--append-system-prompt` and no `--session-id`: versions in use refuse them."""

    __slots__ = ()

    name = "qwen-code"
    grammar = Grammar(
        yargs=True,
        none=(
            "-h|--help -v|--version --experimental-acp|--acp -a|--all-files --background --bare"
            " --chat-recording --no-chat-recording --checkpointing -c|--continue -d|--debug"
            " --experimental-lsp --fork-session --include-partial-messages --insecure"
            " -l|--list-extensions --openai-logging --safe-mode -s|--sandbox --screen-reader"
            " --show-memory-usage --telemetry --telemetry-log-prompts -y|--yolo"
        ),
        one=(
            "--append-system-prompt --approval-mode --auth-type --channel --input-file"
            " --input-format --json-fd --json-file --json-schema --max-session-turns"
            " --max-subagent-depth --max-tool-calls --max-wall-time --mcp-config -m|--model"
            " --openai-api-key --openai-base-url --openai-logging-dir -o|--output-format"
            " -p|--prompt -i|--prompt-interactive --proxy -r|--resume --sandbox-image"
            " --session-id --system-prompt --telemetry-otlp-endpoint --telemetry-otlp-protocol"
            " --telemetry-outfile --telemetry-target --worktree"
        ),
        many=(
            "--allowed-mcp-server-names --allowed-tools --core-tools --disabled-slash-commands"
            " --exclude-tools -e|--extensions --fallback-model --add-dir|--include-directories"
        ),
    )
    subcommands = names_in(
        "agents auth channel extensions hooks hook mcp review serve sessions update"
    )
    informing = names_in("--help --version --list-extensions")

    def transcripts(self, argv: Sequence[str], env: Mapping[str, str], cwd: str) -> Place | None:
        """`projects/<folder>/chats/<session id>.jsonl`; resumed ones are added to."""
        line, root = self._line(argv), _root(self._env(env))
        if line is None or root is None or line.has("--no-chat-recording"):
            return None
        projects = Path(cwd) / root / "projects"
        if line.has("--worktree"):  # a folder of its own
            return Chats(folder=str(projects), pattern="*/*/**/*.jsonl")
        return Chats(folder=str(projects / dashed(cwd)), pattern="*/**/*.jsonl")

    def _prompt(self, line: CommandLine) -> str | None:
        return line.value("--prompt", "--prompt-interactive") or " ".join(line.operands)


def agent(program: Program) -> Agent:
    return QwenCode(program)


def _root(env: Mapping[str, str]) -> str | None:
    """Where it keeps what it writes while it runs."""
    home = env.get("HOME")
    root = env.get("QWEN_RUNTIME_DIR") or env.get("QWEN_HOME")
    if root and home and (root == "~" or root.startswith("~/")):
        root = home + root[1:]
    return root or (f"{home}/.qwen" if home else None)
