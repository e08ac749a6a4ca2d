"""Experiences from shell commands that failed and later went through."""

from __future__ import annotations

import re

from hindsight_cli.records.event import Status
from hindsight_cli.records.experience import ExperienceKind
from hindsight_cli.records.trace import Call
from hindsight_cli.reflect import shell
from hindsight_cli.reflect.calls import words_of
from hindsight_cli.reflect.detectors.recoveries import Stage, stage_of
from hindsight_cli.reflect.essence import Change, changes_between, command_difference
from hindsight_cli.reflect.findings import Chain, Flag, Nature
from hindsight_cli.reflect.lessons.lesson import acts, failure_lesson, shown_failure
from hindsight_cli.reflect.lessons.writer import Draft, Writer
from hindsight_cli.reflect.programs import WEAK, CheckKind
from hindsight_cli.reflect.telling import error_lines, error_text, quoted

_WORTH_USAGE = 3.4  # how a command is called here: the next run needs it too
_WORTH_COMPILE = 1.9  # the message says it all
_WORTH = {CheckKind.LINT: 3.2, CheckKind.TEST: 2.9, CheckKind.BUILD: 2.9}
_WORTH_OTHER = 3.0
_WORTH_SLIP = 2.8  # put right with the very next call
_WORTH_WEAK = 1.5
_PIPE = re.compile(r"\|\s*((?:tail|head)\b[^|;&]*)")
_MIN_SHARED = 2
_NAMED = re.compile(r"\d{3,}|[\w./-]*[._/-][\w./-]+|[A-Za-z_]\w{5,}")
_LOOKED_AT = 4_000
_TEST_FILE = re.compile(r"(?:^|[/_.-])(?:tests?|specs?)(?=[/_.-]|$)", re.I)


def draft_check(writer: Writer, chain: Chain, fix: Call) -> Draft | None:
    """A check that an edit turned green."""
    failed = shown_failure(chain)
    kinds = shell.checks(failed.command)
    usage = stage_of(failed) is Stage.USAGE
    if (usage or kinds == {CheckKind.SCRIPT}) and _differs(failed, fix):
        return draft_shell(writer, chain, fix)
    reading = writer.reading
    start, end = reading.index_of[chain.failed[0].step_index], reading.index_of[fix.step_index]
    about = " ".join((*error_lines(failed, 3), *error_lines(chain.last, 2)))
    changes = changes_between(reading, reading.calls[start + 1 : end], about)
    if not changes:
        return draft_shell(writer, chain, fix)
    command = writer.command(failed)
    say = writer.say
    texts = {
        "scenario": say(
            "check",
            "scenario",
            command=command,
            error=quoted(error_text(failed)),
            task=writer.task(),
        ),
        "recommend": say(
            "check",
            "recommend",
            Changes=writer.join(map(writer.change, changes)) + _only_test(writer, changes),
            fix=writer.command(fix),
        ),
        "avoid": _avoid(writer, chain, changes, about),
        "why": say(
            "check",
            "why",
            failed=failed.step_index,
            errors=writer.errors(failed, 3),
            fix_step=fix.step_index,
        ),
    }
    extra = [change.call for change in changes]
    return failure_lesson(writer, chain, texts, worth=_worth_of_check(failed), extra=extra)


def _worth_of_check(failed: Call) -> float:
    stage = stage_of(failed)
    if stage is not Stage.RESULT:
        return _WORTH_USAGE if stage is Stage.USAGE else _WORTH_COMPILE
    kinds = shell.checks(failed.command)
    return max((_WORTH.get(kind, _WORTH_OTHER) for kind in kinds), default=_WORTH_OTHER)


def draft_shell(writer: Writer, chain: Chain, fix: Call) -> Draft | None:
    """A command that worked when called differently, or after something was prepared."""
    failed = shown_failure(chain)
    if "--abort" in fix.command:
        return _draft_other_way(writer, chain, fix)
    steps = [c for c in chain.between if acts(c) and _prepares(c)][-2:] or _diagnoses(chain)
    if not _differs(failed, fix) and not steps:
        return None  # the same again, and it worked: luck
    prepared = writer.join(map(writer.command, steps))
    texts = {
        "scenario": writer.say(
            "shell",
            "scenario",
            command=writer.command(failed),
            error=quoted(error_text(failed)),
            task=writer.task(),
        ),
        "recommend": writer.say(
            "shell",
            "recommend",
            Prepared=writer.say("check", "prepared", steps=prepared) if prepared else "",
            fix=quoted(command_difference(failed, fix), 170),
        ),
        "avoid": writer.say("shell", "avoid", command=writer.command(failed)),
        "why": writer.say(
            "shell",
            "why",
            failed=failed.step_index,
            errors=writer.errors(failed),
            fix_step=fix.step_index,
        ),
    }
    draft = failure_lesson(writer, chain, texts, worth=_worth_of_call(chain), extra=steps)
    if stage_of(failed) is not Stage.USAGE:
        return draft
    called = min(shell.intents(failed.command), default=failed.tool_name)
    return Draft(worth=draft.worth, proposal=draft.proposal, key=f"usage {called}")


def _worth_of_call(chain: Chain) -> float:
    failed = shown_failure(chain)
    if not shell.intents(failed.command) - WEAK:
        return _WORTH_WEAK
    if len(chain.failed) == 1 and not chain.between:
        return _WORTH_SLIP
    usage = stage_of(failed) is Stage.USAGE or chain.nature is Nature.SHELL
    return _WORTH_USAGE if usage else _WORTH_OTHER


def _draft_other_way(writer: Writer, chain: Chain, fix: Call) -> Draft | None:
    """The operation was given up; what was done in its place is the lesson."""
    failed = shown_failure(chain)
    later = writer.reading.calls[writer.reading.index_of[fix.step_index] + 1 :]
    instead = [c for c in later if c.command and acts(c) and not shell.only_shows(c.command)][:2]
    if not instead:
        return None
    texts = {
        "scenario": writer.say(
            "shell",
            "scenario",
            command=writer.command(failed),
            error=quoted(error_text(failed)),
            task=writer.task(),
        ),
        "recommend": writer.say(
            "shell",
            "recommend_instead",
            abort=writer.command(fix),
            instead=writer.then(map(writer.command, instead)),
        ),
        "avoid": writer.say("shell", "avoid", command=writer.command(failed)),
        "why": writer.say(
            "shell",
            "why_instead",
            failed=failed.step_index,
            errors=writer.errors(failed),
            fix_step=fix.step_index,
            steps=writer.steps(instead),
        ),
    }
    return failure_lesson(writer, chain, texts, worth=_WORTH_USAGE, extra=instead)


def _diagnoses(chain: Chain) -> list[Call]:
    """The last look whose answer speaks of what the error named: a port, a file, a table."""
    failed = shown_failure(chain)
    named = set(_NAMED.findall(error_text(failed)))
    shown = [c for c in chain.between if c.command and c.status is Status.OK]
    return [c for c in shown if named & set(_NAMED.findall(c.output[:_LOOKED_AT]))][-1:]


def _prepares(call: Call) -> bool:
    """Whether a command changes something, rather than shows it."""
    return call.status is Status.OK and not shell.only_shows(call.command)


def draft_red_green(writer: Writer, chain: Chain, fix: Call) -> Draft | None:
    """A failure that was wanted, turned green by a change: test first, or a reproduced bug."""
    failed = chain.failed[0]
    if chain.nature is not Nature.CHECK:
        return None
    reading = writer.reading
    start, end = reading.index_of[failed.step_index], reading.index_of[fix.step_index]
    about = f"{reading.trace.task} {error_text(failed)}"
    changes = changes_between(reading, reading.calls[start:end], about, limit=2)
    if not changes:
        return None
    texts = {
        "scenario": writer.say("red_green", "scenario", task=writer.task()),
        "recommend": writer.say(
            "red_green",
            "recommend",
            error=quoted(error_text(failed)),
            changes=writer.join(map(writer.change, changes)),
            fix=writer.command(fix),
        ),
        "avoid": writer.say("red_green", "avoid"),
        "why": writer.say(
            "red_green",
            "why",
            failed=failed.step_index,
            command=writer.command(failed),
            fix_step=fix.step_index,
        ),
    }
    cited = [failed, fix, *(change.call for change in changes)]
    proposal = writer.proposal(ExperienceKind.SUCCESS_PATTERN, texts, cited)
    return Draft(worth=3.0, proposal=proposal, key="success")


def draft_removed_test(writer: Writer, flag: Flag) -> Draft | None:
    """A failing test was taken out instead of settled."""
    before = writer.reading.calls[: writer.reading.index_of[flag.call.step_index]]
    failed = next((c for c in reversed(before) if c.failed and flag.detail in c.output), None)
    if failed is None:
        return None
    common = {"test": flag.detail, "step": flag.call.step_index}
    texts = {
        "scenario": writer.say(
            "removed_test",
            "scenario",
            error=quoted(error_text(failed)),
            task=writer.task(),
            **common,
        ),
        "recommend": writer.say(
            "removed_test", "recommend", errors=writer.errors(failed, 3), **common
        ),
        "avoid": writer.say("removed_test", "avoid", **common),
        "why": writer.say("removed_test", "why", failed=failed.step_index, **common),
    }
    proposal = writer.proposal(
        ExperienceKind.FAILURE_LESSON, texts, [failed, flag.call], workaround=True
    )
    return Draft(worth=3.6, proposal=proposal, key=f"removed {flag.detail}")


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
            return writer.say("check", "avoid", old=quoted(change.old), command=command)
    for call in chain.failed[:-1]:
        if match := _PIPE.search(call.command):
            return writer.say("check", "avoid_piped", filter=quoted(match.group(1).strip()))
    return ""


def _only_test(writer: Writer, changes: tuple[Change, ...]) -> str:
    """A note that the test was brought up to date, not the code."""
    only = all(_TEST_FILE.search(change.file) for change in changes)
    return writer.words("only_test") if only else ""


def _differs(failed: Call, fix: Call) -> bool:
    """Whether something else was run; waiting before it is no method."""
    if failed.command.strip() == fix.command.strip():
        return False
    waited = "sleep" in fix.command or "sleep" in failed.command
    return not waited or shell.invocations(failed.command) != shell.invocations(fix.command)
