"""Experiences from what worked: a filter corrected, a task that demonstrably succeeded."""

from __future__ import annotations

from hindsight_cli.records.event import Outcome, Status
from hindsight_cli.records.experience import ExperienceKind
from hindsight_cli.records.trace import Call
from hindsight_cli.reflect import shell
from hindsight_cli.reflect.calls import changes_files
from hindsight_cli.reflect.essence import changes_between
from hindsight_cli.reflect.findings import LateFailure, NearMiss
from hindsight_cli.reflect.lessons.writer import Draft, Writer
from hindsight_cli.reflect.telling import error_lines, quoted

_MIN_EDITS = 2
_TASK_CHARS = 160


def draft_near_miss(writer: Writer, miss: NearMiss) -> Draft:
    common = {"asked": miss.asked, "actual": miss.actual}
    texts = {
        "scenario": writer.say(
            "near_miss", "scenario", command=writer.command(miss.empty), **common
        ),
        "recommend": writer.say("near_miss", "recommend", fix=writer.command(miss.found), **common),
        "avoid": writer.say("near_miss", "avoid", **common),
        "why": writer.say(
            "near_miss",
            "why",
            empty_step=miss.empty.step_index,
            fix_step=miss.found.step_index,
            **common,
        ),
    }
    proposal = writer.proposal(ExperienceKind.FAILURE_LESSON, texts, [miss.empty, miss.found])
    return Draft(worth=3.4, proposal=proposal, key=f"near-miss {miss.asked}")


def draft_late_failure(writer: Writer, late: LateFailure) -> Draft:
    error = quoted(next(iter(error_lines(late.log)), ""))
    command = writer.command(late.started)
    log = writer.command(late.log)
    steps = {
        "start_step": late.started.step_index,
        "log_step": late.log.step_index,
        "fix_step": late.again.step_index,
    }
    texts = {
        "scenario": writer.say(
            "late", "scenario", command=command, log=log, error=error, task=writer.task()
        ),
        "recommend": writer.say("late", "recommend", fix=writer.command(late.again), log=log),
        "avoid": writer.say("late", "avoid", command=command),
        "why": writer.say("late", "why", error=error, **steps),
    }
    cited = [late.started, late.log, late.again]
    proposal = writer.proposal(ExperienceKind.FAILURE_LESSON, texts, cited)
    return Draft(worth=3.4, proposal=proposal, key=f"late {late.started.step_index}")


def draft_success(writer: Writer, outcome: Outcome, check: Call | None) -> Draft | None:
    """How a change was made and proven; None for anything less than that."""
    if outcome is not Outcome.SUCCESS or check is None:
        return None
    end = writer.reading.index_of[check.step_index]
    edits = [call for call in writer.reading.calls[:end] if changes_files(call)]
    if len(edits) < _MIN_EDITS:
        return None
    task = writer.reading.trace.task
    changes = changes_between(writer.reading, edits, task)
    checks = _closing_checks(writer, end)
    if not changes:
        return None
    texts = {
        "scenario": writer.say("success", "scenario", task_text=writer.task_text(_TASK_CHARS)),
        "recommend": writer.say(
            "success",
            "recommend",
            Changes=writer.join(map(writer.change, changes)),
            checks=writer.then(dict.fromkeys(map(writer.command, checks))),
        ),
        "why": writer.say("success", "why", check_step=check.step_index),
    }
    cited = [check, *(change.call for change in changes), *checks]
    proposal = writer.proposal(ExperienceKind.SUCCESS_PATTERN, texts, cited)
    return Draft(worth=2.4, proposal=proposal, key="success")


def _closing_checks(writer: Writer, end: int) -> list[Call]:
    """The accepted checks after the last change, in order."""
    found: list[Call] = []
    for call in reversed(writer.reading.calls[: end + 1]):
        if changes_files(call):
            break
        if call.status is Status.OK and shell.checks(call.command):
            found.append(call)
    return found[::-1][:3]
