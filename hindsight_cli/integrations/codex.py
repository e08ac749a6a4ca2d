"""OpenAI Codex, `codex`. Source: codex-rs/cli, codex-rs/exec and codex-rs/tui, version 0.17x."""

from __future__ import annotations

from hindsight_cli.integrations.agent import Agent
from hindsight_cli.integrations.command_line import CommandLine, Grammar, names_in
from hindsight_cli.integrations.programs import Program

_EXEC = names_in("exec e")
_STDIN = "-"


class Codex(Agent):
    """Takes neither a session id nor a text for the system prompt."""

    __slots__ = ()

    name = "codex"
    grammar = Grammar(
        none=(
            "--oss --full-auto --dangerously-bypass-approvals-and-sandbox|--yolo --search --last"
            " --all --skip-git-repo-check --ephemeral --ignore-user-config --ignore-rules --json"
            " --experimental-json --no-alt-screen --strict-config --uncommitted"
            " --dangerously-bypass-hook-trust -h|--help -V|--version"
        ),
        one=(
            "-m|--model -p|--profile -s|--sandbox -a|--ask-for-approval -C|--cd -c|--config"
            " --add-dir --color --output-schema -o|--output-last-message --enable --disable"
            " --local-provider --base --commit --title --remote"
        ),
        many="-i|--image",
    )
    not_runs = names_in(
        "--help --version login logout mcp mcp-server app app-server plugin completion update"
        " sandbox debug doctor execpolicy apply a cloud cloud-tasks features exec-server"
        " responses-api-proxy stdio-to-uds remote-control help archive unarchive delete"
    )

    def _prompt(self, line: CommandLine) -> str | None:
        words = list(line.operands)
        if words[:1] != line.words[:1]:
            return None
        if words and words[0] in _EXEC:
            words.pop(0)
        if words and words[0] in ("resume", "fork"):
            words.pop(0)
            if not line.has("--last"):
                words = words[1:]  # a session comes first
        elif words and words[0] == "review":
            words.pop(0)
        return words[0] if words and words[0] != _STDIN else None


def agent(program: Program) -> Agent:
    return Codex(program)
