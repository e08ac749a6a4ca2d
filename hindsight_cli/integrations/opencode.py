"""OpenCode, `opencode`. Source: packages/opencode/src/cli/cmd of anomalyco/opencode."""

from __future__ import annotations

from hindsight_cli.integrations.agent import Agent
from hindsight_cli.integrations.command_line import CommandLine, Grammar, names_in
from hindsight_cli.integrations.programs import Program


class OpenCode(Agent):
    """Only `run` and the full-screen program, which takes a folder as its operand, have a task."""

    __slots__ = ()

    name = "opencode"
    # Of yargs, so that no option takes a value that begins with a dash.
    grammar = Grammar(
        none=(
            "-c|--continue --fork --share --thinking --mini --replay --no-replay -i|--interactive"
            " --auto --yolo --dangerously-skip-permissions --demo --print-logs --pure --mdns"
            " -h|--help -v|--version"
        ),
        optional=(
            "--command -s|--session -m|--model --agent --format --title --attach -p|--password"
            " -u|--username --dir --port --variant --replay-limit --prompt --log-level --hostname"
        ),
        many="-f|--file --cors",
    )
    not_runs = names_in(
        "--help --version acp agent attach auth completion console db debug export generate"
        " github import login logout mcp models pr plugin plug providers serve session stats"
        " uninstall upgrade web"
    )

    def _prompt(self, line: CommandLine) -> str | None:
        if line.operands[:1] == ["run"]:
            return None if line.has("--command") else " ".join(line.operands[1:])
        return line.value("--prompt")


def agent(program: Program) -> Agent:
    return OpenCode(program)
