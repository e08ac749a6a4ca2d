"""Reflection: a trace becomes an attribution and proposals, each one past the guard."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hindsight_cli.api.experiences import list_experiences
from hindsight_cli.api.feedback import credit_run
from hindsight_cli.api.gating import RULES, Gate
from hindsight_cli.api.project import Project
from hindsight_cli.api.reflect_report import Dropped, ReflectReport
from hindsight_cli.api.traces import list_traces, read_trace
from hindsight_cli.api.voting import take_votes
from hindsight_cli.errors import SourceNotFoundError, TraceNotFoundError, UnusableReplyError
from hindsight_cli.records.experience import ReviewStatus, Source
from hindsight_cli.records.trace import Trace
from hindsight_cli.reflect.parse import ModelAnswer, UnusableReply, parse_reply
from hindsight_cli.reflect.prompt import build_prompt
from hindsight_cli.reflect.rules import reflect_by_rules
from hindsight_cli.reflect.wording import language_of


def pick_traces(
    project: Project, trace_ids: Sequence[str], *, all_traces: bool = False
) -> list[str]:
    """The ids to reflect on: those given, all, or the newest.

    Raises:
        TraceNotFoundError: nothing is recorded yet.
    """
    if trace_ids:
        return list(trace_ids)
    rows = list_traces(project)
    if not rows:
        raise TraceNotFoundError("", known=0)
    return [row.trace_id for row in rows] if all_traces else [rows[0].trace_id]


def reflect(
    project: Project, trace_ids: Sequence[str], *, replies: Sequence[Path] = ()
) -> ReflectReport:
    """Reflect on traces by rules, or on one trace by models' answers given as files.

    Raises:
        TraceNotFoundError: an id is unknown.
        SourceNotFoundError: a reply file is missing.
        UnusableReplyError: none of the replies is usable; nothing was changed.
    """
    report = ReflectReport()
    for trace_id in trace_ids:
        trace = read_trace(project, trace_id).trace
        if replies:
            _reflect_by_replies(project, trace, replies, report)
        else:
            by_rules(project, trace, report)
    return report


def by_rules(project: Project, trace: Trace, report: ReflectReport) -> None:
    """Reflect on one trace with no model; credit its outcome to what was injected."""
    reflection = reflect_by_rules(trace)
    found = reflection.attribution
    report.attributions.append(found)
    Gate(project, trace, Source(reflector=RULES), report).take(reflection.proposals)
    report.dropped += [Dropped(s.code.value, s.detail, {}) for s in reflection.silences]
    credited = credit_run(
        project, trace.session_id, trace, found.outcome, source=found.outcome_source
    )
    report.messages += credited.suspensions


def prompt_for(project: Project, trace_id: str, *, language: str | None = None) -> str:
    """The prompt a model would get for a trace; nothing is sent anywhere.

    `language` is en or zh, by default that of the task.
    """
    trace = read_trace(project, trace_id).trace
    stale = [s.experience for s in list_experiences(project, [ReviewStatus.APPROVED]) if s.stale]
    return build_prompt(trace, language=language or language_of(trace.task), stale=stale)


def _reflect_by_replies(
    project: Project, trace: Trace, replies: Sequence[Path], report: ReflectReport
) -> None:
    answers: list[ModelAnswer] = []
    for path in replies:
        try:
            text = path.read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            hint = "--reply takes a file that holds a model's answer."
            raise SourceNotFoundError(str(path), hint=hint) from error
        try:
            answers.append(parse_reply(text))
        except (UnusableReply, RecursionError) as error:
            problem = UnusableReplyError(str(path), str(error))
            if len(replies) == 1:
                raise problem from error
            report.messages.append(f"{problem} Its vote is lost.")
    if not answers:
        raise UnusableReplyError("No reply", "none of them could be read")
    take_votes(project, trace, answers, Source(reflector="reply", votes=len(answers)), report)
