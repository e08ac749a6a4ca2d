"""Experiences from a filter that was corrected, and from a start whose failure showed late."""

from __future__ import annotations

from hindsight_cli.records.experience import ExperienceKind
from hindsight_cli.reflect.findings import LateFailure, NearMiss
from hindsight_cli.reflect.lessons.lesson import Silence
from hindsight_cli.reflect.lessons.shell_commands import goal
from hindsight_cli.reflect.lessons.writer import Draft, Writer
from hindsight_cli.reflect.lines import whole_line
from hindsight_cli.reflect.telling import (
    SHOWN_ERROR,
    error_lines,
    quoted,
    without_place,
)


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


def draft_late_failure(writer: Writer, late: LateFailure) -> Draft | Silence:
    """The start that held, told whole, and the log that tells whether it did."""
    fix, look = whole_line(late.again), whole_line(late.log)
    if not fix or not look:
        return Silence.TOO_LONG
    error = quoted(without_place(next(iter(error_lines(late.log)), "")), SHOWN_ERROR)
    wanted = goal(late.started, late.again)
    command = writer.command(late.started, wanted)
    log = writer.command(late.log)
    steps = {
        "start_step": late.started.step_index,
        "log_step": late.log.step_index,
        "fix_step": late.again.step_index,
    }
    texts = {
        "scenario": writer.scenario("late", command=command, log=log, error=error),
        "recommend": writer.say(
            "late",
            "recommend",
            fix=fix,
            log=look,
        ),
        "avoid": writer.say("late", "avoid", command=command),
        "why": writer.say("late", "why", error=error, **steps),
    }
    cited = [late.started, late.log, late.again]
    proposal = writer.proposal(ExperienceKind.FAILURE_LESSON, texts, cited)
    return Draft(worth=3.4, proposal=proposal, key=f"late {late.started.step_index}")
