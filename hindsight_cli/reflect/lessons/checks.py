"""Experiences from checks: red ones that a change turned green, and tests that were taken out."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from hindsight_cli.records.event import Status
from hindsight_cli.records.experience import ExperienceKind
from hindsight_cli.records.trace import Call
from hindsight_cli.reflect import shell
from hindsight_cli.reflect.calls import words_of
from hindsight_cli.reflect.commands import main_segment
from hindsight_cli.reflect.detectors.preparations import prepares
from hindsight_cli.reflect.detectors.recoveries import Stage, stage_of
from hindsight_cli.reflect.essence import Change, changes_between
from hindsight_cli.reflect.findings import Chain, Flag, Nature
from hindsight_cli.reflect.lessons.lesson import Silence, failure_lesson, shown_failure
from hindsight_cli.reflect.lessons.shell_commands import differs, draft_shell, goal, why_name
from hindsight_cli.reflect.lessons.writer import Draft, Writer
from hindsight_cli.reflect.lines import whole_line
from hindsight_cli.reflect.programs import CheckKind
from hindsight_cli.reflect.reading import Reading
from hindsight_cli.reflect.silences import SILENCES
from hindsight_cli.reflect.telling import (
    SHOWN_ERROR,
    error_lines,
    error_text,
    excerpt,
    is_failed_test,
    quoted,
    quoted_piece,
    without_place,
)

_WORTH_USAGE = 3.4  # how a check is called here: the next run needs it too
_WORTH_COMPILE = 1.9  # the message says it all
_WORTH = {CheckKind.LINT: 3.2, CheckKind.TEST: 2.9, CheckKind.BUILD: 2.9}
_WORTH_OTHER = 3.0
_WORTH_PIPED = 2.6
_PIPE = re.compile(r"\|\s*(?:tail|head)\b[^|;&]*")
_MIN_SHARED = 2
_LINT_RULE = re.compile(r"[(\[]([a-z][\w/-]{2,40})[)\]]\s*$")
_THROWN_AWAY = re.compile(r"_(?:, _)* :?= ")
_CAUSE_CHARS = 110
# What is about the machine, the repository or the configuration carries over to other tasks.
_SURROUNDINGS = re.compile(
    r"unbound variable|no such file|not a git repository|git repository|permission denied"
    r"|(?:module|command|package|driver|library|browser)\b.{0,60}\bnot (?:found|installed)"
    r"|no module named|cannot find (?:module|package)|connection refused|could not connect"
    r"|environment variable|[A-Z]{2,}_[A-Z_]{2,}\b.{0,30}\b(?:not set|missing|required|undefined)"
    r"|address already in use|timed? ?out|certificate|locale|encoding|unsupported|deprecated",
    re.I,
)
_SETTINGS = re.compile(
    r"\.(?:json|ya?ml|toml|cfg|ini|env|lock|conf)$|(?:^|/)(?:Dockerfile|Makefile|\.[\w.]+rc)$"
)
_SAYS_CAUSE = re.compile(
    r"\b(?:cannot|can't|could not|unable|unknown|unsupported|invalid|not (?:found|supported|defined"
    r"|allowed)|missing|unexpected)\b",
    re.I,
)


def draft_check(writer: Writer, chain: Chain, fix: Call) -> Draft | Silence:
    """A check that an edit turned green, when another run could meet the same report."""
    failed = shown_failure(chain)
    kinds = shell.checks(failed.command)
    usage = stage_of(failed) is Stage.USAGE
    if (usage or kinds == {CheckKind.SCRIPT}) and differs(failed, fix):
        return draft_shell(writer, chain, fix)
    reading = writer.reading
    start, end = reading.index_of[chain.failed[0].step_index], reading.index_of[fix.step_index]
    about = " ".join((*error_lines(failed, 3), *error_lines(chain.last, 2)))
    changes = changes_between(reading, reading.calls[start + 1 : end], about, limit=2)
    if not changes:
        return draft_shell(writer, chain, fix)
    if _has_rival(reading, failed, fix, changes):
        return Silence.UNCLEAR_CAUSE
    if _is_silenced(reading, changes):
        return Silence.UNSAFE
    if not _carries_over(failed, changes):
        return Silence.NOTHING_TELLING
    wanted = goal(failed, fix)
    command = writer.command(failed, wanted)
    texts = {
        "scenario": writer.scenario("check", command=command, error=_reports(writer, failed)),
        "recommend": writer.say(
            "check",
            "recommend",
            Changes=writer.join(map(writer.change, changes)),
            fix=_rerun(writer, chain),
        ),
        "avoid": _avoid(writer, chain, changes, about),
        "why": writer.say(
            "check",
            why_name(fix),
            failed=failed.step_index,
            errors=writer.errors(failed),
            fix_step=fix.step_index,
        ),
    }
    extra = [change.call for change in changes]
    return failure_lesson(writer, chain, texts, worth=_worth_of_check(failed), extra=extra)


def _has_rival(reading: Reading, failed: Call, fix: Call, changes: Sequence[Change]) -> bool:
    """Whether a command between, too, may be what helped, and the changes do not say that they did.

    A package was installed for a module that was missing: the edit beside it proves nothing.
    """
    start, end = reading.index_of[failed.step_index], reading.index_of[fix.step_index]
    ran = [c for c in reading.calls[start + 1 : end] if c.command and c.status is Status.OK]
    told = "\n".join(error_lines(failed, 3))
    wanted = words_of(told)
    if any(words_of(f"{c.file} {c.old} {c.new}") & wanted for c in changes):
        return False
    return any(prepares(call, told) for call in ran)


def _rerun(writer: Writer, chain: Chain) -> str:
    """The command that went through in the end, "the check" when it cannot be shown whole."""
    line = whole_line(chain.proof) if chain.proof else ""
    return line or writer.words("the_check")


def _reports(writer: Writer, failed: Call) -> str:
    """The report, and the names of other rules that were broken too."""
    first, *others = error_lines(failed, 3)
    names = [m.group(1) for line in others if (m := _LINT_RULE.search(line))]
    fresh = [f"`{name}`" for name in dict.fromkeys(names) if name not in first]
    return writer.join([writer.error(failed), *fresh])


def _is_silenced(reading: Reading, changes: Sequence[Change]) -> bool:
    """Whether a change keeps a check quiet, or was itself to be kept from a check later."""
    if any(SILENCES.search(change.new) or _THROWN_AWAY.match(change.new) for change in changes):
        return True
    first = reading.index_of[changes[0].call.step_index]
    later = [line for at, line in reading.silencing_lines if at >= first]
    added = [change.new for change in changes if change.new]
    return any(new in line for line in later for new in added)


def draft_piped(writer: Writer, chain: Chain) -> Draft | None:
    """A check had to be run again because a filter behind it had hidden the cause."""
    for first, second in itertools.pairwise(chain.failed):
        match = _PIPE.search(first.command)
        same = main_segment(first.command) == main_segment(second.command)
        if match is None or not same or not shell.checks(first.command):
            continue
        if match.group() in second.command or error_text(second) in first.output:
            continue
        command = writer.command(second)
        filtered = quoted_piece(match.group().strip())
        common = {"command": command, "filter": filtered, "error": writer.error(second)}
        texts = {
            name: writer.say("piped", name, first=first.step_index, second=second.step_index)
            if name == "why"
            else writer.say("piped", name, **common)
            for name in ("scenario", "recommend", "avoid", "why")
        }
        kind = ExperienceKind.FAILURE_LESSON
        proposal = writer.proposal(kind, texts, [first, second])
        return Draft(worth=_WORTH_PIPED, proposal=proposal, key="piped")
    return None


def _carries_over(failed: Call, changes: Sequence[Change]) -> bool:
    """Whether the report is about rules or surroundings, not about the bug of this one task."""
    if CheckKind.LINT in shell.checks(failed.command) and stage_of(failed) is Stage.RESULT:
        return True
    told = "\n".join(error_lines(failed, 4))
    if _SURROUNDINGS.search(told):
        return True
    return all(_SETTINGS.search(change.file) for change in changes)


def _worth_of_check(failed: Call) -> float:
    stage = stage_of(failed)
    if stage is not Stage.RESULT:
        return _WORTH_USAGE if stage is Stage.USAGE else _WORTH_COMPILE
    kinds = shell.checks(failed.command)
    return max((_WORTH.get(kind, _WORTH_OTHER) for kind in kinds), default=_WORTH_OTHER)


def draft_red_green(writer: Writer, chain: Chain) -> Draft | Silence:
    """A failure that was wanted, turned green by a change; silent for a mismatch of values."""
    failed, fix = chain.failed[0], chain.proof
    if chain.nature is not Nature.CHECK or fix is None:
        return Silence.EXPECTED
    told = next((line for line in error_lines(failed, 4) if _SAYS_CAUSE.search(line)), "")
    reading = writer.reading
    start, end = reading.index_of[failed.step_index], reading.index_of[fix.step_index]
    between = reading.calls[start:end]
    changes = changes_between(reading, between, told, limit=1)
    if not any(words_of(f"{c.old} {c.new}") & words_of(told) for c in changes):
        changes = changes_between(reading, between, f"{reading.trace.task} {told}", limit=1)
    cause = quoted_piece(excerpt(_cause(told), SHOWN_ERROR))
    if not changes or not cause:
        return Silence.EXPECTED
    command = writer.command(failed)
    texts = {
        "scenario": writer.scenario("red_green", command=command, error=cause),
        "recommend": writer.say(
            "red_green",
            "recommend",
            changes=writer.join(map(writer.change, changes)),
            fix=_rerun(writer, chain),
        ),
        "avoid": writer.say("red_green", "avoid"),
        "why": writer.say(
            "red_green",
            "why",
            failed=failed.step_index,
            command=command,
            fix_step=fix.step_index,
        ),
    }
    cited = [failed, fix, *(change.call for change in changes)]
    proposal = writer.proposal(ExperienceKind.SUCCESS_PATTERN, texts, cited)
    return Draft(worth=3.0, proposal=proposal, key="success")


def _cause(line: str) -> str:
    """The end of a chain of reasons, where it begins to say what is the matter."""
    clauses = re.split(r":\s+", line)
    while len(clauses) > 1 and len(": ".join(clauses)) > _CAUSE_CHARS:
        clauses = clauses[1:]
    return line[-len(": ".join(clauses)) :]


def draft_removed_test(writer: Writer, flag: Flag) -> Draft | None:
    """A failing test was taken out instead of settled."""
    before = writer.reading.calls[: writer.reading.index_of[flag.call.step_index]]
    failed = next((c for c in reversed(before) if c.failed and flag.detail in c.output), None)
    if failed is None:
        return None
    common = {"test": flag.detail, "step": flag.call.step_index}
    texts = {
        "scenario": writer.scenario(
            "removed_test",
            error=_cause_of_test(writer, failed),
            **common,
        ),
        "recommend": writer.say(
            "removed_test", "recommend", errors=_cause_of_test(writer, failed), **common
        ),
        "avoid": writer.say("removed_test", "avoid", **common),
        "why": writer.say("removed_test", "why", failed=failed.step_index, **common),
    }
    proposal = writer.proposal(
        ExperienceKind.FAILURE_LESSON, texts, [failed, flag.call], workaround=True
    )
    return Draft(worth=3.6, proposal=proposal, key=f"removed {flag.detail}")


def _cause_of_test(writer: Writer, failed: Call) -> str:
    """What a test complained of, rather than that it failed."""
    lines = error_lines(failed, 4)
    line = next((text for text in lines if not is_failed_test(text)), lines[0] if lines else "")
    return quoted(without_place(line), SHOWN_ERROR)


def _avoid(writer: Writer, chain: Chain, changes: tuple[Change, ...], about: str) -> str:
    """The line the check pointed at; failing that, the filter that hid its report."""
    wanted = words_of(about)
    for change in changes:
        if (
            change.old
            and change.old not in change.new
            and len(words_of(change.old) & wanted) >= _MIN_SHARED
        ):
            command = writer.command(shown_failure(chain))
            if change.moved:
                continue
            return writer.say("check", "avoid", old=quoted(change.old), command=command)
    return ""
