"""Claude Code, `claude`. Source: `claude --help` and the options it hides, version 2.1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from hindsight_cli.integrations.agent import Agent, Place, dashed
from hindsight_cli.integrations.command_line import CommandLine, Grammar, names_in
from hindsight_cli.integrations.programs import Program

_CONTINUES = (
    *("--continue", "--resume", "--from-pr", "--fork-session", "--teleport"),
    *("--resume-session-at", "--rewind-files"),
)
# Options with which the session is another process's, or there is none.
_ELSEWHERE = ("--background", "--cloud", "--remote", "--sdk-url", "--tmux", "--init-only")
_SYSTEM_PROMPT = (
    *("--system-prompt", "--system-prompt-file", "--safe-mode"),
    *("--append-system-prompt", "--append-system-prompt-file"),
)
_UNSAVED = "--no-session-persistence"
_FOLDER_CHARS = 200  # longer names are cut there, and a hash is added
_UUID_PARTS = [8, 4, 4, 4, 12]

# What `hindsight hook claude-code EVENT` is registered for, and after how many seconds the
# agent may give up on it. Its settings take seconds.
HOOK_EVENTS = {
    "SessionStart": 5,
    "UserPromptSubmit": 5,
    "PostToolUse": 5,
    "PostToolUseFailure": 5,
    "Stop": 5,
    "SessionEnd": 5,
}


class ClaudeCode(Agent):
    __slots__ = ()

    name = "claude-code"
    grammar = Grammar(
        none=(
            "-p|--print -c|--continue -h|--help -v|--version --verbose --bg|--background --bare"
            " --brief --chrome --no-chrome --ide --fork-session --no-session-persistence"
            " --dangerously-skip-permissions --allow-dangerously-skip-permissions"
            " --disable-slash-commands --include-hook-events --include-partial-messages"
            " --replay-user-messages --safe-mode --strict-mcp-config --tmux --ax-screen-reader"
            " --exclude-dynamic-system-prompt-sections --mcp-debug -d2e|--debug-to-stderr"
            " --init --init-only --maintenance --enable-auto-mode --enable-auth-status --cowork"
            " --plan-mode-required --reply-on-resume --session-mirror --xaa --deep-link-origin"
        ),
        one=(
            "--advisor --agent --agent-color --agent-id --agent-name --agents --agent-type"
            " --append-system-prompt --append-system-prompt-file --debug-file --effort"
            " --fallback-model --input-format --json-schema --managed-settings --max-budget-usd"
            " --max-thinking-tokens --max-turns --model -n|--name --output-format"
            " --parent-session-id --permission-mode --permission-prompt-tool"
            " --plan-mode-instructions --plugin-dir --plugin-dir-no-mcp --plugin-url --prefill"
            " --remote-control-session-name-prefix --resume-session-at --rewind-files --sdk-url"
            " --session-id --setting-sources --settings --system-prompt --system-prompt-file"
            " --task-budget --team-name --teammate-mode --thinking --thinking-display --workload"
        ),
        optional=(
            "-d|--debug -r|--resume -w|--worktree --from-pr --prompt-suggestions --teleport"
            " --rc|--remote-control --remote --cloud"
        ),
        many=(
            "--add-dir --allowedTools|--allowed-tools --disallowedTools|--disallowed-tools"
            " --betas --channels --dangerously-load-development-channels --file --mcp-config"
            " --tools"
        ),
    )
    subcommands = names_in(
        "agents assistant attach auth auto-mode bridge completion config critique daemon doctor"
        " gateway help import-conversations install kill login logout logs mcp migrate-installer"
        " open plugin plugins project ps rc remote remote-control respawn rm rollback server"
        " setup setup-token ssh stop sync ultrareview uninstall up update upgrade"
    )
    informing = names_in("--help --version")

    def with_block(self, argv: Sequence[str], block: str) -> list[str] | None:
        if not self._may_add(argv, *_SYSTEM_PROMPT):
            return None
        return self._with(argv, "--append-system-prompt", block)

    def with_session(self, argv: Sequence[str], session_id: str) -> list[str] | None:
        if not self._may_add(argv, "--session-id", _UNSAVED):
            return None
        return self._with(argv, "--session-id", session_id)

    def given_session(self, argv: Sequence[str]) -> str | None:
        line = self._line(argv)
        if line is None or line.has(_UNSAVED, *_ELSEWHERE):
            return None
        return _uuid(line.value("--session-id"))

    def transcripts(self, argv: Sequence[str], env: Mapping[str, str], cwd: str) -> Place | None:
        """`<configuration>/projects/<folder>/<session id>.jsonl`; resumed ones are added to."""
        line = self._line(argv)
        root = _configuration(self._env(env))
        if line is None or root is None or line.has(_UNSAVED, *_ELSEWHERE):
            return None
        projects, name = Path(cwd) / root / "projects", dashed(cwd)
        chosen = _uuid(line.value("--session-id"))
        if chosen:  # in another folder when it works in a worktree
            file = projects / name / f"{chosen}.jsonl"
            return Place([str(file)], str(projects), f"*/{chosen}.jsonl")
        resumed = None if line.has("--fork-session") else _uuid(line.value("--resume"))
        files = [str(projects / name / f"{resumed}.jsonl")] if resumed else []
        if len(name) > _FOLDER_CHARS:
            return Place(files, str(projects), f"{name[:_FOLDER_CHARS]}-*/*.jsonl")
        return Place(files, str(projects / name), "*.jsonl")

    def _prompt(self, line: CommandLine) -> str | None:
        return line.operands[0] if line.operands else None

    def _is_subcommand(self, line: CommandLine) -> bool:
        return not line.has("--print") and super()._is_subcommand(line)

    def _may_add(self, argv: Sequence[str], *given: str) -> bool:
        """Whether options may be added: a session begins here, and nothing is in doubt."""
        line = self._line(argv)
        if line is None or line.unknown or line.has(*_CONTINUES, *_ELSEWHERE, *given):
            return False
        return line.has("--print") or not any(map(_may_be_subcommand, line.operands[:1]))


def agent(program: Program) -> Agent:
    return ClaudeCode(program)


def _may_be_subcommand(word: str) -> bool:
    """Whether a later version may read a word as something else than a prompt."""
    return word.isascii() and word[:1].isalnum() and len(word.split()) == 1


def _configuration(env: Mapping[str, str]) -> str | None:
    home = env.get("HOME")
    return env.get("CLAUDE_CONFIG_DIR") or (f"{home}/.claude" if home else None)


def _uuid(text: str | None) -> str | None:
    """The text when it is a UUID: no other text is a session id."""
    parts = (text or "").split("-")
    is_hex = all(c in "0123456789abcdefABCDEF" for part in parts for c in part)
    return text if is_hex and [len(part) for part in parts] == _UUID_PARTS else None
