"""What the detectors report. Frozen; no behaviour beyond small views."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from hindsight_cli.records.trace import Call


class Nature(StrEnum):
    """What kind of thing failed, and therefore what can end the failure."""

    EDIT = "edit"  # a change of a file was refused
    LOOKUP = "lookup"  # something was not where it was looked for
    CHECK = "check"  # tests, lint, build, script: the files decide
    SHELL = "shell"  # any other command
    TOOL = "tool"  # an API, MCP or harness tool


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """Failed calls of one nature and, when there is one, the call that ended the failure."""

    nature: Nature
    failed: tuple[Call, ...]  # at least one, in order
    fix: Call | None = None
    between: tuple[Call, ...] = ()  # calls after the last failed one and before the fix
    expected: bool = False  # the agent wanted it to fail
    repeats: int = 0  # failed calls that sent the very same again
    proof: Call | None = None  # the accepted call that `fix` led to; `fix` itself when accepted
    doubtful: Call | None = None  # without a fix: what might be one, but shares nothing telling

    @property
    def last(self) -> Call:
        return self.failed[-1]

    @property
    def is_luck(self) -> bool:
        """The same call, sent again unchanged, worked: nothing to learn from it."""
        return False if self.fix is None else not self.between and self.fix.input == self.last.input


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """A call and why it is pointed out."""

    call: Call
    code: str  # key of the reason's text in templates
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Denial:
    """A human or a policy said no, perhaps with words, and what the agent did then."""

    calls: tuple[Call, ...]
    words: str  # "" when nothing but the refusal was said
    instead: Call | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """The user's words against what the agent had done, and the agent's answer."""

    words: str
    before: tuple[Call, ...]  # the last calls before, what the words are about
    after: tuple[Call, ...]  # what the agent did then


@dataclass(frozen=True, slots=True, kw_only=True)
class LateFailure:
    """A command that seemed to work, the log that showed it had not, and how it was redone."""

    started: Call
    log: Call
    again: Call


@dataclass(frozen=True, slots=True, kw_only=True)
class NearMiss:
    """A filter that matched nothing, and the value it should have asked for."""

    empty: Call
    found: Call
    asked: str
    actual: str
