"""Claude Code, `claude`. Source: `claude --help` of 2.1, https://docs.claude.com/en/docs/claude-code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from hindsight_cli.integrations.agent import Agent, Place
from hindsight_cli.integrations.command_line import CommandLine, Grammar, names_in
from hindsight_cli.integrations.programs import Program

_CONTINUES = ("--continue", "--resume", "--from-pr", "--fork-session", "--teleport")
_ELSEWHERE = ("--background", "--cloud", "--remote", "--tmux", "--init-only", "--sdk-url")
_SYSTEM_PROMPT = (
    *("--system-prompt", "--system-prompt-file"),
    *("--append-system-prompt", "--append-system-prompt-file", "--safe-mode"),
)
_SLUG_CHARS = 200  # longer ones are cut there, and a hash is added


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
            " --init --init-only --maintenance --enable-auto-mode"
        ),
        one=(
            "--agent --agents --append-system-prompt --append-system-prompt-file --debug-file"
            " --effort --fallback-model --input-format --json-schema --max-budget-usd"
            " --max-thinking-tokens --max-turns --model -n|--name --output-format"
            " --permission-mode --permission-prompt-tool --plugin-dir --plugin-url"
            " --remote-control-session-name-prefix --resume-session-at --rewind-files --sdk-url"
            " --session-id --setting-sources --settings --system-prompt --system-prompt-file"
            " --task-budget --thinking"
        ),
        optional=(
            "-d|--debug -r|--resume -w|--worktree --from-pr --prompt-suggestions --teleport"
            " --rc|--remote-control --remote --cloud"
        ),
        many=(
            "--add-dir --allowedTools|--allowed-tools --disallowedTools|--disallowed-tools"
            " --betas --channels --file --mcp-config --tools"
        ),
    )
    not_runs = names_in(
        "--help --version agents auth auto-mode config doctor gateway install login logout mcp"
        " migrate-installer plugin plugins project remote-control setup-token ultrareview update"
        " upgrade"
    )

    def with_block(self, argv: Sequence[str], block: str) -> list[str] | None:
        line = self._line(argv)
        if line is None or line.has(*_CONTINUES, *_ELSEWHERE, *_SYSTEM_PROMPT):
            return None
        return self._with(argv, "--append-system-prompt", block)

    def with_session(self, argv: Sequence[str], session_id: str) -> list[str] | None:
        line = self._line(argv)
        unfit = (*_CONTINUES, *_ELSEWHERE, "--session-id", "--no-session-persistence")
        if line is None or line.has(*unfit):
            return None
        return self._with(argv, "--session-id", session_id)

    def given_session(self, argv: Sequence[str]) -> str | None:
        line = self._line(argv)
        if line is None or line.has("--no-session-persistence"):
            return None
        return _uuid(line.value("--session-id"))

    def transcripts(self, argv: Sequence[str], env: Mapping[str, str], cwd: str) -> Place | None:
        line = self._line(argv)
        env = self._env(env)
        if line is None or line.has("--no-session-persistence", *_ELSEWHERE):
            return None
        home = env.get("CLAUDE_CONFIG_DIR") or (env.get("HOME", "") and f"{env['HOME']}/.claude")
        if not home:
            return None
        projects = Path(cwd) / home / "projects"
        slug = _slug(cwd)
        chosen = _uuid(line.value("--session-id"))
        if chosen:  # unique: found in a worktree's folder too
            exact = str(projects / slug / f"{chosen}.jsonl")
            return Place([exact], str(projects), f"*/{chosen}.jsonl")
        resumed = _uuid(line.value("--resume"))
        files = [str(projects / slug / f"{resumed}.jsonl")] if resumed else []
        if len(slug) > _SLUG_CHARS:
            return Place(files, str(projects), f"{slug[:_SLUG_CHARS]}*/*.jsonl")
        return Place(files, str(projects / slug), "*.jsonl")

    def _prompt(self, line: CommandLine) -> str | None:
        return line.operands[0] if line.operands else None


def agent(program: Program) -> Agent:
    return ClaudeCode(program)


def _uuid(text: str | None) -> str | None:
    """The text when it is a UUID; Claude Code takes no other session id."""
    digits = (text or "").split("-")
    is_hex = all(c in "0123456789abcdefABCDEF" for part in digits for c in part)
    return text if is_hex and [len(part) for part in digits] == [8, 4, 4, 4, 12] else None


def _slug(cwd: str) -> str:
    """The name of a folder's sessions: all but ASCII letters and digits becomes a dash.

    In UTF-16 units, as the program counts: an emoji becomes two.
    """
    return "".join(
        c if c.isascii() and c.isalnum() else "-" * (2 if c > "\uffff" else 1) for c in cwd
    )
