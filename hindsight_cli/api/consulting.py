"""What an agent asks for by itself: the rules for its task, or for the error it just met."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from hindsight_cli.api.injecting import give, inject, receipts_of, rules_of
from hindsight_cli.api.project import Project
from hindsight_cli.api.searching import SearchOptions, search
from hindsight_cli.inject.block import Rule, escape, render_block
from hindsight_cli.text import one_line

_SCENARIO_CHARS = 120  # of a rule that is only named


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """A rule that fits and stands in the session already."""

    experience_id: str
    injection_id: str  # the receipt it was given with
    scenario: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Consultation:
    injection_id: str  # the receipt; "" when nothing is given
    text: str  # the block for the agent; "" when nothing is given
    earlier: tuple[Earlier, ...]
    reason: str  # why nothing is given


def consult(project: Project, task: str, *, error: str, session: str | None) -> Consultation:
    """The rules for `error` if there are any, else those for `task`.

    A rule that the session was given before is named with its receipt and not repeated,
    unless the error matches it: then the fix stands there again, under the old receipt.

    Raises:
        StorageError: the index cannot be read or made, or the receipt not written.
    """
    session = project.redactor.text(session) if session else None
    if error.strip():
        answer = _consult(project, error, error=True, session=session)
        if answer.injection_id or not task.strip():
            return answer
    return _consult(project, task, error=False, session=session)


def consult_one(project: Project, experience_id: str, *, session: str | None) -> Consultation:
    """The whole of a rule of which only the case was named.

    Raises:
        StorageError: as `consult`.
    """
    given = give(project, experience_id, session=session)
    return Consultation(
        injection_id=given.injection_id, text=given.text, earlier=(), reason=given.reason
    )


def _consult(project: Project, query: str, *, error: bool, session: str | None) -> Consultation:
    receipts = receipts_of(project, session, whole_only=error) if session else {}
    injection = inject(project, query, error=error, session=session)
    before: list[Rule] = []
    if receipts:
        found = search(project, query, SearchOptions(error=error, can_wait=not error)).found
        rules = rules_of(project, [f for f in found if not f.state.stale])
        before = [r for r in rules if r.experience_id in receipts]
    if before and error and not injection.injection_id:
        return _again(project, before, receipts)
    return Consultation(
        injection_id=injection.injection_id,
        text=injection.text,
        earlier=_earlier(before, receipts),
        reason=injection.reason,
    )


def _again(project: Project, before: Sequence[Rule], receipts: Mapping[str, str]) -> Consultation:
    """What the error matches, in full once more: knowing it did not keep the error away."""
    injection_id = receipts[before[0].experience_id]
    same = [r for r in before if receipts[r.experience_id] == injection_id]
    cap = project.settings.inject_max_tokens
    text, shown = render_block(same, injection_id, max_tokens=cap)
    return Consultation(
        injection_id=injection_id if shown else "",
        text=text,
        earlier=_earlier([r for r in before if r.experience_id not in shown], receipts),
        reason="" if shown else "too long for the token cap",
    )


def _earlier(before: Iterable[Rule], receipts: Mapping[str, str]) -> tuple[Earlier, ...]:
    return tuple(
        Earlier(
            experience_id=r.experience_id,
            injection_id=receipts[r.experience_id],
            scenario=escape(one_line(r.content.scenario, _SCENARIO_CHARS)),
        )
        for r in before
    )
