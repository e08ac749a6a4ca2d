"""GitHub Copilot CLI, `copilot`. Source: `copilot --help`, version 1.0.102."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from hindsight_cli.integrations.agent import Agent, Place
from hindsight_cli.integrations.begun import BegunIn
from hindsight_cli.integrations.command_line import CommandLine, Grammar, names_in
from hindsight_cli.integrations.programs import Program

_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_EVENTS = "events.jsonl"
_CWD = ("data", "context", "cwd")  # in the first event of a session


class CopilotCli(Agent):
    """Its early versions refuse `--session-id`, so none is given."""

    __slots__ = ()

    name = "copilot-cli"
    grammar = Grammar(
        none=(
            "-h|--help -v|--version --acp --allow-all --allow-all-mcp-server-instructions"
            " --allow-all-paths --allow-all-tools --allow-all-urls --assisted-approval --autopilot"
            " --banner --continue --disable-builtin-mcps --disable-client-telemetry"
            " --disallow-temp-dir --enable-all-github-mcp-tools --enable-memory --experimental"
            " --fleet --no-ask-user --no-auto-update --no-bash-env --no-color"
            " --no-custom-instructions --no-eager-powershell-resolution --no-experimental"
            " --no-mouse --no-remote --no-remote-export --plain-diff --plan --remote"
            " --remote-export --screen-reader --share-gist -s|--silent --trust-folder --yolo"
        ),
        one=(
            "--add-dir --add-github-mcp-tool --add-github-mcp-toolset --additional-mcp-config"
            " --agent --attachment --auto-tier -C --context --disable-mcp-server"
            " --dynamic-retrieval --enable-mcp-server --environment-compute-id"
            " --environment-host --extension-sdk-path -i|--interactive --log-dir --log-level"
            " --max-ai-credits --max-autopilot-continues --mcp-github-auth --mode --model"
            " -n|--name --output-format --plugin-dir -p|--prompt --reasoning-effort --session-id"
            " --stream --usage-output-file"
        ),
        optional="--bash-env --connect --mouse -r|--resume --share",
        many=(
            "--allow-tool --allow-url --available-tools --deny-tool --deny-url --excluded-tools"
            " --secret-env-vars"
        ),
    )
    subcommands = names_in(
        "app completion config help init instruction login lsp mcp memories plugin sandbox"
        " sessions skill update version workflow"
    )
    informing = names_in("--help --version")

    def transcripts(self, argv: Sequence[str], env: Mapping[str, str], cwd: str) -> Place | None:
        """`session-state/<session id>/events.jsonl`; resumed ones are added to."""
        line, root = self._line(argv), _root(self._env(env))
        if line is None or root is None or line.has("--connect", "--environment-host"):
            return None
        sessions = Path(cwd) / root / "session-state"
        chosen = line.value("--session-id", "--resume") or ""
        if _UUID.fullmatch(chosen):
            return Place([str(sessions / chosen.lower() / _EVENTS)])
        elsewhere = line.has("--continue", "--resume", "--session-id")
        elsewhere = elsewhere or "--worktree" in line.unknown
        began = None if elsewhere else str(Path(cwd) / (line.value("-C") or ""))
        return BegunIn(str(sessions), f"*/{_EVENTS}", began, _CWD)

    def _prompt(self, line: CommandLine) -> str | None:
        return line.value("--prompt", "--interactive")


def agent(program: Program) -> Agent:
    return CopilotCli(program)


def _root(env: Mapping[str, str]) -> str | None:
    home = env.get("HOME")
    return env.get("COPILOT_HOME") or (f"{home}/.copilot" if home else None)
