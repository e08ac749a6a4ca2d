"""OpenCode, `opencode`. Source: `opencode --help` and `opencode run --help`, version 1.18."""

from __future__ import annotations

from hindsight_cli.integrations.agent import Agent
from hindsight_cli.integrations.command_line import CommandLine, Grammar, names_in
from hindsight_cli.integrations.programs import Program


class OpenCode(Agent):
    """Has a task as `opencode run MESSAGE` or `opencode [FOLDER] --prompt TEXT`."""

    __slots__ = ()

    name = "opencode"
    grammar = Grammar(
        yargs=True,
        none=(
            "-h|--help -v|--version --auto -c|--continue --dangerously-skip-permissions --demo"
            " --fork -i|--interactive --mdns --mini --print-logs --pure --replay --no-replay"
            " --share --thinking --yolo"
        ),
        one=(
            "--agent --attach --command --dir --format --hostname --log-level --mdns-domain"
            " -m|--model -p|--password --port --prompt --replay-limit -s|--session --title"
            " -u|--username --variant"
        ),
        many="--cors -f|--file",
    )
    subcommands = names_in(
        "acp agent attach auth completion console db debug export generate github import mcp"
        " models plug plugin pr providers serve session stats uninstall upgrade web"
    )
    informing = names_in("--help --version")

    def _prompt(self, line: CommandLine) -> str | None:
        if line.first_words()[:1] != ["run"]:
            return line.value("--prompt")
        return None if line.has("--command") else " ".join([*line.operands[1:], *line.rest])


def agent(program: Program) -> Agent:
    return OpenCode(program)
