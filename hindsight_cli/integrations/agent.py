"""What `hindsight run` may ask of an agent, and the answer of one that has nothing to say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hindsight_cli.integrations.command_line import CommandLine, Grammar, read_command_line
from hindsight_cli.integrations.programs import Program


class Place:
    """Where an agent writes the transcript of a run."""

    __slots__ = ("cwd", "files", "folder", "pattern")

    def __init__(
        self,
        files: Sequence[str] = (),
        folder: str | None = None,
        pattern: str = "",
        *,
        cwd: str | None = None,
    ) -> None:
        self.files = files  # exact paths, looked at first
        self.folder = folder  # else: what matches `pattern` below here
        self.pattern = pattern
        self.cwd = cwd  # where the run's session began, when its file holds all runs' sessions

    def holds(self, path: str) -> bool:
        """Whether a file found by the pattern can be this run's; looked at after the run."""
        del path
        return True


class Agent:
    """One agent as one command starts it.

    Every method takes that command, with or without what `with_block` and `with_session`
    put into it. A command that starts no run, such as `--help`, has no answer to anything.
    """

    __slots__ = ("_program",)

    name: str  # as traces have it
    grammar: Grammar
    subcommands: frozenset[str] = frozenset()  # that start no run
    informing: frozenset[str] = frozenset()  # options with which it only prints something

    def __init__(self, program: Program) -> None:
        self._program = program

    def starts_run(self, argv: Sequence[str]) -> bool:
        """False for `--help`, `--version` and subcommands that only look or set something."""
        return self._line(argv) is not None

    def prompt_in(self, argv: Sequence[str]) -> str | None:
        """The task that stands in the arguments."""
        line = self._line(argv)
        prompt = self._prompt(line) if line is not None else None
        return prompt if prompt and prompt.strip() else None

    def with_block(self, argv: Sequence[str], block: str) -> list[str] | None:
        """The command with a text for the system prompt; None where that must not be."""
        del argv, block
        return None

    def with_session(self, argv: Sequence[str], session_id: str) -> list[str] | None:
        """The command with a session id, a UUID, of our choice; None where that must not be."""
        del argv, session_id
        return None

    def given_session(self, argv: Sequence[str]) -> str | None:
        """The id that the command gives to the session it begins; None when it resumes one."""
        del argv
        return None

    def transcripts(self, argv: Sequence[str], env: Mapping[str, str], cwd: str) -> Place | None:
        """Where the transcript of this run will be; None when there is none we can read."""
        del argv, env, cwd
        return None

    def _prompt(self, line: CommandLine) -> str | None:
        raise NotImplementedError

    def _line(self, argv: Sequence[str]) -> CommandLine | None:
        """The agent's own arguments, read; None when they start no run."""
        line = read_command_line(argv[self._program.start :], self.grammar)
        return None if line.has(*self.informing) or self._is_subcommand(line) else line

    def _is_subcommand(self, line: CommandLine) -> bool:
        return not self.subcommands.isdisjoint(line.first_words())

    def _env(self, env: Mapping[str, str]) -> dict[str, str]:
        """The environment the agent gets, with what `env NAME=VALUE` puts into it."""
        return {**env, **self._program.env}

    def _with(self, argv: Sequence[str], *arguments: str) -> list[str]:
        """The command with arguments put before all others, where nothing can swallow them."""
        start = self._program.start
        return [*argv[:start], *arguments, *argv[start:]]


def dashed(path: str) -> str:
    """A path as several agents name a folder after it: a dash for all but ASCII alphanumerics.

    They count in UTF-16 units, so that an emoji becomes two.
    """
    return "".join(
        c if c.isascii() and c.isalnum() else "-" * (2 if c > "\uffff" else 1) for c in path
    )
