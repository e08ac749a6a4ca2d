"""What all experiences about failed calls share: kind, citations, worth."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from hindsight_cli.records.event import ToolKind
from hindsight_cli.records.experience import ExperienceKind
from hindsight_cli.records.trace import Call
from hindsight_cli.reflect.calls import is_lookup
from hindsight_cli.reflect.findings import Chain
from hindsight_cli.reflect.lessons.writer import MAX_CITES, Draft, Writer
from hindsight_cli.reflect.telling import error_key, is_pointed


class Silence(StrEnum):
    """Why a failure that was got over teaches nothing. The words are codes: they stay."""

    LUCK = "luck"  # the same call, sent again
    EXPECTED = "expected_failure"
    TYPING_ERROR = "typing_error"
    NOTHING_TELLING = "nothing_telling"  # only values of this task differ
    UNRELATED = "unrelated"  # the next call of the program works on something else
    SUBJECT_LEFT_OUT = "subject_left_out"  # what the error is about was given up
    UNCLEAR_CAUSE = "unclear_cause"  # several things were done, any may have helped
    FILE_CHANGED = "file_changed"  # an edit helped, which is no command
    NOT_PROVEN = "not_proven"  # it got past one error and failed with the next
    UNSAFE = "unsafe"
    TOO_LONG = "too_long"  # no command line of it can be shown whole
    MINOR = "minor"  # worth less than what a proposal must be
    OUTWEIGHED = "outweighed"  # others of the run are worth more
    CONTRADICTED = "contradicted"  # the run ended with the opposite
    SAME_AS_ANOTHER = "same_as_another"


_PER_REPEAT = 0.5  # a failure met again is worth more
_MAX_REPEATS = 4


def failure_lesson(
    writer: Writer,
    chain: Chain,
    texts: dict[str, str],
    *,
    worth: float,
    extra: Sequence[Call] = (),
) -> Draft:
    """Cites the first failure, what ended it, `extra` and then the other failures."""
    fix = [chain.fix] if chain.fix else []
    cited = [shown_failure(chain), *fix, *extra, *chain.failed]
    kind = ExperienceKind.FAILURE_LESSON
    proposal = writer.proposal(kind, texts, cited[: MAX_CITES * 2])
    key = f"{chain.last.tool_name} {error_key(shown_failure(chain))}"
    more = _PER_REPEAT * min(len(chain.failed) - 1, _MAX_REPEATS)
    return Draft(worth=worth + more, proposal=proposal, key=key)


def shown_failure(chain: Chain) -> Call:
    """The failed call whose output says most: the first that points at the trouble."""
    return next((call for call in chain.failed if is_pointed(call)), chain.failed[0])


def acts(call: Call) -> bool:
    """Whether a call does more than look, plan or ask."""
    return not is_lookup(call) and call.tool_kind not in {ToolKind.PLAN, ToolKind.ASK}


def lines_of(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if line.strip()]
