"""Reflection with a model or a command: votes are asked for, and rules stand in when none comes.

What leaves the machine is the redacted prompt, and only to what this user configured.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from hindsight_cli.api.daily_calls import DailyCalls
from hindsight_cli.api.project import Project
from hindsight_cli.api.reflect_job import LOG_FILE, JobState, running_job, spawn
from hindsight_cli.api.reflect_plan import (
    Plan,
    Reflector,
    check_plan,
    plan_of,
    prompt_to_send,
    reflector_name,
)
from hindsight_cli.api.reflect_report import ReflectReport
from hindsight_cli.api.reflecting import by_rules
from hindsight_cli.api.traces import read_trace, resolve_trace
from hindsight_cli.api.voting import take_votes
from hindsight_cli.config import read_user_settings
from hindsight_cli.config.user import KEY_VARIABLE
from hindsight_cli.errors import (
    DailyCallsSpentError,
    HindsightError,
    ModelNotConfiguredError,
    NestedReflectionError,
    UnusableReplyError,
)
from hindsight_cli.providers.answering import Answer, Answering, Question, Reply, ask
from hindsight_cli.providers.command import CommandModel
from hindsight_cli.records.experience import Source
from hindsight_cli.records.trace import Trace
from hindsight_cli.reflect.answer_schema import answer_schema
from hindsight_cli.reflect.parse import ModelAnswer, UnusableReply, parse_reply
from hindsight_cli.text import one_line

_WAIT_S = 3600.0  # for another reflection to end: each may take long, and none is to be lost
_MESSAGE_CHARS = 2000
_SAID_CHARS = 120  # of an answer that is of no use, so that a person sees what is wrong
_BY_RULES = "Rules reflected instead."

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """A reflection that was left to itself."""

    model: str
    trace_ids: tuple[str, ...]
    calls: int
    log: str


def nobody(message: str) -> None:
    """Hears what nobody wants to know."""


def reflect_with_model(
    project: Project, trace_ids: Sequence[str], plan: Plan, *, say: Say = nobody
) -> ReflectReport:
    """Ask for votes on each trace and propose what most of them say and the guard lets pass.

    Where no usable vote came, rules reflect instead and the report has the problem. One
    such reflection runs in a project at a time. `say` hears how far it is.

    Raises:
        TraceNotFoundError: an id is unknown.
        NestedReflectionError: we run inside the command that reflects for us.
        ReflectionRunningError: another one ran all the time that this one waits, an hour.
    """
    report = ReflectReport()
    try:
        check_plan(project, plan)
    except ModelNotConfiguredError as error:
        report.problems.append(error)
        report.messages.append(_BY_RULES)
        for trace_id in trace_ids:
            by_rules(project, read_trace(project, trace_id).trace, report)
        return report
    trace_ids = [resolve_trace(project, trace_id).trace_id for trace_id in trace_ids]
    with running_job(project, trace_ids, wait_s=_WAIT_S, say=say) as job:
        asking = _Asking(project, plan, report)
        for number, trace_id in enumerate(trace_ids, 1):
            say(f"Reflecting on trace {trace_id} ({number} of {len(trace_ids)}) …")
            asking.reflect_on(trace_id)
        told = [*map(str, report.problems), *report.messages]
        job.finish(
            JobState.FAILED if report.is_partial else JobState.DONE,
            proposed=len(report.proposed),
            message=" ".join(told)[:_MESSAGE_CHARS],
        )
    return report


def start_detached(
    project: Project, trace_ids: Sequence[str], plan: Plan | None = None
) -> Started | None:
    """Reflect as `reflect_with_model`, in a process that is left to itself.

    None when there is nothing to start: rules are chosen, nothing is configured, or we run
    inside a reflection. How it ends is seen in `reflect_job.last_job`.

    Raises:
        TraceNotFoundError: an id is unknown.
        ConfigError: a setting is not allowed.
        StorageError: the log cannot be written.
    """
    plan = plan or plan_of(project)
    try:
        check_plan(project, plan)
    except (ModelNotConfiguredError, NestedReflectionError):
        return None
    if plan.reflector is Reflector.RULES or not trace_ids:
        return None
    ids = tuple(resolve_trace(project, trace_id).trace_id for trace_id in trace_ids)
    options = ["--with", plan.reflector, "--samples", str(plan.samples), "--wait"]
    if plan.language:
        options += ["--language", plan.language]
    spawn(project, ids, ["reflect", "--project", str(project.root), *options, "--", *ids])
    return Started(
        model=project.redactor.text(reflector_name(project, plan)),
        trace_ids=ids,
        calls=len(ids) * plan.samples,
        log=str(project.folder / LOG_FILE),
    )


class _Asking:
    """Asks one model about one trace after another; gives it up when it is of no use to ask."""

    def __init__(self, project: Project, plan: Plan, report: ReflectReport) -> None:
        self._project = project
        self._plan = plan
        self._report = report
        self._given_up = False
        self._llm: Answering | None = None  # one for all traces: it knows what the model refuses

    def reflect_on(self, trace_id: str) -> None:
        trace = read_trace(self._project, trace_id).trace
        if self._given_up:
            self._report.messages.append(f"Nothing more was sent: rules reflected on {trace_id}.")
        answers = [] if self._given_up else self._usable(trace)
        if not answers:
            by_rules(self._project, trace, self._report)
            return
        source = Source(
            reflector=self._plan.reflector, votes=len(answers), model=self._public_name()
        )
        take_votes(self._project, trace, answers, source, self._report)

    def _usable(self, trace: Trace) -> list[ModelAnswer]:
        """The votes that can be counted; what became of the others is in the report."""
        prompt = prompt_to_send(self._project, trace.trace_id, self._plan)
        replies = ask(
            self._source(),
            Question(prompt, answer_schema()),
            samples=self._plan.samples,
            timeout_s=self._plan.timeout_s,
        )
        answers: list[ModelAnswer] = []
        lost: list[HindsightError] = []
        for number, reply in enumerate(replies, 1):
            try:
                answers.append(self._parsed(reply, number))
            except HindsightError as error:
                lost.append(error)
        notes = dict.fromkeys(n for r in replies if isinstance(r, Answer) for n in r.notes)
        self._report.messages += [f"{self._public_name()}: {note}." for note in notes]
        self._tell([self._cleaned(error) for error in lost], all_lost=not answers)
        return answers

    def _parsed(self, reply: Reply, number: int) -> ModelAnswer:
        if isinstance(reply, HindsightError):
            raise reply
        try:
            return parse_reply(reply.text)
        except (UnusableReply, RecursionError) as error:
            said = one_line(reply.text, _SAID_CHARS)
            why = f"{error}. It said: {said}" if said else str(error)
            raise UnusableReplyError(f"Answer {number}", why) from error

    def _tell(self, lost: Sequence[HindsightError], *, all_lost: bool) -> None:
        if not all_lost:
            self._report.messages += [f"{error} Its vote is lost." for error in lost]
            return
        self._report.messages += list(dict.fromkeys(map(str, lost)))[1:]
        self._report.problems.append(lost[0])
        self._report.messages.append(_BY_RULES)
        if all(isinstance(e, DailyCallsSpentError) or getattr(e, "is_final", False) for e in lost):
            self._given_up = True

    def _source(self) -> Answering:
        settings = read_user_settings(self._project.env)
        spend = DailyCalls(self._project).spend
        if self._plan.reflector is Reflector.COMMAND:
            return CommandModel(settings.reflect_command, self._project.env, before_call=spend)
        if self._llm is None:
            from hindsight_cli.providers.llm import LlmModel

            self._llm = LlmModel(
                settings.llm_model,
                settings.llm_api_base,
                api_key=self._project.env.get(KEY_VARIABLE, ""),
                before_call=spend,
            )
        return self._llm

    def _public_name(self) -> str:
        """The model, or the program of the command: it may be committed with an experience."""
        name = reflector_name(self._project, self._plan)
        if self._plan.reflector is Reflector.COMMAND:
            name = Path(shlex.split(name)[0]).name
        return self._project.redactor.text(name)

    def _cleaned(self, error: HindsightError) -> HindsightError:
        """A provider may quote the key it refuses, a command its environment."""
        error.args = (self._project.redactor.text(str(error)),)
        return error
