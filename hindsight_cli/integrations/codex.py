"""OpenAI Codex, `codex`. Source: `codex --help` and that of its subcommands, version 0.171."""

from __future__ import annotations

from hindsight_cli.integrations.agent import Agent
from hindsight_cli.integrations.command_line import CommandLine, Grammar, names_in
from hindsight_cli.integrations.programs import Program

_STDIN = "-"


class Codex(Agent):
    """Takes neither a session id nor a text for the system prompt."""

    __slots__ = ()

    name = "codex"
    grammar = Grammar(
        none=(
            "-h|--help -V|--version --all --approve-for-me"
            " --yolo|--dangerously-bypass-approvals-and-sandbox --dangerously-bypass-hook-trust"
            " --ephemeral --full-auto --ignore-rules --ignore-user-config"
            " --include-non-interactive --experimental-json|--json --last --no-alt-screen"
            " --no-daemon --oss --search --skip-git-repo-check --strict-config --trust"
            " --uncommitted --worktree"
        ),
        one=(
            "--add-dir -a|--ask-for-approval --base -C|--cd --color --commit -c|--config"
            " --cyber-access-program --disable --enable --local-provider -m|--model"
            " -o|--output-last-message --output-schema -p|--profile --remote"
            " --remote-auth-token-env -s|--sandbox --thread-source --title"
        ),
        many="-i|--image",
    )
    subcommands = names_in(
        "a agents app app-server apply archive cloud cloud-tasks completion debug delete doctor"
        " exec-server execpolicy features help login logout mcp mcp-server migrate-nfs-db"
        " migrate-rollouts plugin queue remote-control responses-api-proxy sandbox"
        " stdio-to-uds unarchive update"
    )
    informing = names_in("--help --version")

    def _prompt(self, line: CommandLine) -> str | None:
        words = line.operands
        if words[:1] != line.words[:1]:
            return None
        if words[:1] in (["exec"], ["e"]):
            words = words[1:]
        if words[:1] in (["resume"], ["fork"]):  # [SESSION_ID] [PROMPT]
            words = words[1:] if line.has("--last") and not words[2:] else words[2:]
        elif words[:1] == ["review"]:
            words = words[1:]
        is_given = bool(words) and words[0] not in (_STDIN, "help")
        return words[0] if is_given else None


def agent(program: Program) -> Agent:
    return Codex(program)
