"""OpenAI Codex, `codex`. Source: `codex --help` and that of its subcommands, version 0.171."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from hindsight_cli.integrations.agent import Agent, Place
from hindsight_cli.integrations.begun import BegunIn
from hindsight_cli.integrations.command_line import CommandLine, Grammar, names_in
from hindsight_cli.integrations.programs import Program

_STDIN = "-"
# Options with which nothing is kept, or elsewhere.
_UNSAVED = ("--ephemeral", "--remote")
_UUID_CHARS = 36
_CWD = ("payload", "cwd")  # in the first line of a rollout

# What `hindsight hook codex EVENT` is registered for, and after how many seconds the agent
# may give up on it. Its hooks.json takes seconds, for the end of a session no more than 3;
# untrusted hooks are skipped silently.
HOOK_EVENTS = {
    "SessionStart": 5,
    "UserPromptSubmit": 5,
    "PostToolUse": 5,
    "Stop": 5,
    "SessionEnd": 3,
}


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

    def transcripts(self, argv: Sequence[str], env: Mapping[str, str], cwd: str) -> Place | None:
        """`<CODEX_HOME>/sessions/<yyyy>/<mm>/<dd>/rollout-<time>-<id>.jsonl`, resumed ones too."""
        line = self._line(argv)
        home = _home(self._env(env))
        if line is None or home is None or line.has(*_UNSAVED):
            return None
        folder = str(Path(cwd) / home / "sessions")
        resumed = _resumed(line)
        if resumed:
            return BegunIn(folder, f"*/*/*/rollout-*-{resumed}.jsonl", None, _CWD)
        elsewhere = line.has("--worktree", "--all")
        began = None if elsewhere else str(Path(cwd) / (line.value("--cd") or ""))
        return BegunIn(folder, "*/*/*/rollout-*.jsonl", began, _CWD)

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


def _home(env: Mapping[str, str]) -> str | None:
    home = env.get("HOME")
    return env.get("CODEX_HOME") or (f"{home}/.codex" if home else None)


def _resumed(line: CommandLine) -> str | None:
    """The id of the session that is gone on with, where the command names it."""
    words = [word for word in line.operands if word not in ("exec", "e")]
    if words[:1] != ["resume"] or line.has("--last") or not words[1:]:
        return None
    chosen = words[1]
    is_id = len(chosen) == _UUID_CHARS and all(c in "0123456789abcdefABCDEF-" for c in chosen)
    return chosen if is_id else None
