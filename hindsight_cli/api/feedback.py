"""Learn from outcomes: shown, followed, and how it ended move the weight of an experience.

Source: docs/explanation/learning-from-outcomes.md.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from hindsight_cli.api.crediting import Credit, Crediting, FeedbackReport, seen_before
from hindsight_cli.api.project import Project
from hindsight_cli.api.receipts import (
    Receipt,
    ended_before,
    may_have_receipts,
    receipts_in,
    shown_in,
    step_shown,
)
from hindsight_cli.api.traces import traces_of
from hindsight_cli.errors import InjectionNotFoundError, UsageError
from hindsight_cli.records.event import Event, Outcome
from hindsight_cli.records.experience import Content
from hindsight_cli.records.ledger import HUMAN
from hindsight_cli.records.trace import Trace
from hindsight_cli.reflect.following import Followed, followed

__all__ = ["FeedbackReport", "credit_run", "give_feedback"]

RUN = "run"  # who speaks when a run is credited by what its trace shows


def credit_run(
    project: Project, session_id: str, trace: Trace, outcome: Outcome, *, source: str
) -> FeedbackReport:
    """Credit how a run ended to what its session was shown and then did.

    `source` says where `outcome` is known from. Crediting a run again changes nothing,
    unless its trace or its outcome is another one by then.

    Raises:
        StorageError: the entries could not be written; nothing was credited.
    """
    session_id = project.redactor.text(session_id)  # as receipts have it
    if not may_have_receipts(project, session_id, trace):
        return FeedbackReport((), ())
    crediting = Crediting(project, by=RUN)
    after = ended_before(trace, _events_of(project, trace.session_id))
    for receipt in shown_in(receipts_in(crediting.entries), trace, session_id, after=after):
        content = crediting.content_of(receipt)
        if content is not None:
            is_followed, step = _sight(content, trace, receipt)
            crediting.add(
                receipt,
                Credit(outcome=outcome, followed=is_followed, step_index=step, source=source),
            )
    return crediting.commit()


def give_feedback(
    project: Project,
    injection_id: str,
    outcome: Outcome,
    *,
    by: str,
    wrong: Sequence[str] = (),
) -> FeedbackReport:
    """Take somebody's word for how a task ended in which an injection was shown.

    `by` is HUMAN or "agent"; `wrong` names experiences (or how their ids begin) that are
    wrong, whatever the outcome: a person's word suspends them at once.

    Raises:
        InjectionNotFoundError: nothing was injected under this id.
        UsageError: an experience in `wrong` was not in it.
        StorageError: the entries could not be written; nothing was changed.
    """
    crediting = Crediting(project, by=by)
    given = [r for r in receipts_in(crediting.entries) if r.injection_id == injection_id]
    if not given:
        raise InjectionNotFoundError(injection_id)
    named = {_named(beginning, given) for beginning in wrong}
    trace = _trace_shown(project, given[0])
    for receipt in given:
        is_wrong = receipt.experience_id in named
        if outcome is Outcome.UNKNOWN and not is_wrong:
            continue
        content = crediting.content_of(receipt)
        if content is None:
            continue
        is_followed, step = _seen(crediting, receipt, content, trace)
        if is_followed is None and _is_word_enough(by, given, named, receipt.experience_id):
            is_followed = True
        credit = Credit(
            outcome=Outcome.FAILURE if is_wrong and by != HUMAN else outcome,
            followed=is_followed,
            step_index=step,
            source=by,
            wrong=is_wrong and by == HUMAN,
        )
        crediting.add(receipt, credit)
    return crediting.commit()


def _seen(
    crediting: Crediting, receipt: Receipt, content: Content, trace: Trace | None
) -> tuple[bool | None, int | None]:
    """What was made out when the run was credited, else what its trace shows by now."""
    seen = seen_before(crediting.entries, receipt, by=RUN)
    if seen is None and trace is not None:
        seen = _sight(content, trace, receipt)
    return seen or (None, None)


def _is_word_enough(
    by: str, given: Sequence[Receipt], named: Collection[str], experience_id: str
) -> bool:
    """Whether feedback says of itself that an experience was followed.

    Whoever names the wrong ones has said which it hung on. An agent's word does for one that
    was given alone: of several it does not say which.
    """
    if named:
        return experience_id in named
    return by == HUMAN or len(given) == 1


def _named(beginning: str, given: Sequence[Receipt]) -> str:
    ids = [r.experience_id for r in given]
    matching = [i for i in ids if i == beginning] or [i for i in ids if i.startswith(beginning)]
    if len(matching) != 1 or not beginning:
        raise UsageError(
            f"{beginning!r} is no experience of {given[0].injection_id}.",
            hint=f"It showed: {', '.join(ids)}",
        )
    return matching[0]


def _sight(content: Content, trace: Trace, receipt: Receipt) -> tuple[bool | None, int | None]:
    """What a trace shows: whether it was followed, None for unknown, and at which step."""
    found = followed(content, trace, after_step=step_shown(receipt, trace))
    known = {Followed.YES: True, Followed.NO: False}
    return known.get(found.answer), found.step_index


def _trace_shown(project: Project, receipt: Receipt) -> Trace | None:
    """The trace of its session that a receipt was shown in; the first where nothing tells."""
    session = receipt.session
    events = _events_of(project, session) if session else []
    traces = list(traces_of(project, events).values())
    for trace in traces if session else ():
        if shown_in([receipt], trace, session or "", after=ended_before(trace, events)):
            return trace
    return traces[0] if traces else None


def _events_of(project: Project, session: str) -> list[Event]:
    path = project.traces.find(session)
    return project.traces.read(path)[0] if path is not None else []
