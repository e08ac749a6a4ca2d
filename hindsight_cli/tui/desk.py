"""Decisions on their way to the ledger, and the way back. Knows nothing of widgets."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from hindsight_cli.api import reviewing
from hindsight_cli.api.experiences import find_experience
from hindsight_cli.api.project import Project
from hindsight_cli.api.reviewing import Decision
from hindsight_cli.errors import HindsightError, NothingToUndoError, ReviewRefusedError
from hindsight_cli.records.experience import Content, ExperienceState
from hindsight_cli.review.decisions import LOOK_CLOSER, needs_confirmation

Changes = Mapping[str, str | list[str]]  # fields of an experience and their new words


class Verb(StrEnum):
    APPROVE = "approve"
    EDIT = "edit"
    REJECT = "reject"
    UNDO = "undo"


@dataclass(frozen=True, slots=True)
class Job:
    """A decision taken by a key, not yet carried out."""

    verb: Verb
    experience_id: str | None  # None: whatever was decided last in this sitting
    act: Callable[[Project], Decision | Asked]


@dataclass(frozen=True, slots=True)
class Asked:
    """New words that are stored only once they are confirmed: what they say is grave."""

    shown: ExperienceState
    reworded: ExperienceState  # with the flags of the new words
    changes: Changes


@dataclass(frozen=True, slots=True)
class Done:
    """What became of a job: one of `decision`, `asked` and `error` is there."""

    job: Job
    decision: Decision | None = None
    asked: Asked | None = None
    error: HindsightError | None = None


class Desk:
    """Carries decisions out one at a time, in the order of their keys.

    Every `put` needs one `work` on a thread of its own. Whichever thread comes first
    takes the oldest job, so that an undo never overtakes the decision before it.
    """

    def __init__(self, open_project: Callable[[], Project]) -> None:
        self._open = open_project
        self._jobs: deque[Job] = deque()
        self._lock = threading.Lock()
        self._made: list[str] = []  # ids decided in this sitting, the last one at the end

    def approve(self, shown: ExperienceState, *, confirmed: bool) -> None:
        own, seen = shown.experience.experience_id, shown.experience.content.content_hash
        confirm = own if confirmed else None

        def act(project: Project) -> Decision:
            _refuse_if_decided(project, shown)
            return reviewing.approve(project, own, confirm=confirm, seen_hash=seen)

        self._put(Verb.APPROVE, own, act)

    def edit(self, shown: ExperienceState, changes: Changes, *, confirmed: bool) -> None:
        own, seen = shown.experience.experience_id, shown.experience.content.content_hash
        confirm = own if confirmed else None

        def act(project: Project) -> Decision | Asked:
            # The fields left alone are approved too: they must be the ones that were shown.
            now = _refuse_if_decided(project, shown)
            if now.experience.content.content_hash != seen:
                raise ReviewRefusedError(
                    f"{own} changed since it was shown.", hint="Read it again, then edit it."
                )
            try:
                return reviewing.edit(project, own, dict(changes), confirm=confirm)
            except ReviewRefusedError:
                new = reworded(shown, changes)
                if confirmed or not needs_confirmation(new.experience):
                    raise
                return Asked(shown, new, changes)

        self._put(Verb.EDIT, own, act)

    def reject(self, shown: ExperienceState, reason: str) -> None:
        own = shown.experience.experience_id

        def act(project: Project) -> Decision:
            _refuse_if_decided(project, shown)
            return reviewing.reject(project, own, reason=reason)

        self._put(Verb.REJECT, own, act)

    def undo(self, experience_id: str | None = None) -> None:
        """Take back the last decision about an experience, or the last of this sitting."""

        def act(project: Project) -> Decision:
            target = experience_id or (self._made[-1] if self._made else None)
            if target is None:
                raise ReviewRefusedError(
                    "Nothing was decided in this sitting.",
                    hint="In the lists 2 and 3, U takes the selected one's decision back.",
                )
            try:
                decision = reviewing.undo(project, target)
            except NothingToUndoError:
                self._forget(target)
                raise
            self._forget(target)
            return decision

        self._put(Verb.UNDO, experience_id, act)

    def work(self) -> Done:
        """Carry out the oldest job; expected errors are part of the answer."""
        with self._lock:
            job = self._jobs.popleft()
            try:
                decision = job.act(self._open())
            except HindsightError as error:
                return Done(job, error=error)
            if isinstance(decision, Asked):
                return Done(job, asked=decision)
            if job.verb is not Verb.UNDO:
                self._made.append(decision.state.experience.experience_id)
            return Done(job, decision)

    def _put(
        self, verb: Verb, experience_id: str | None, act: Callable[[Project], Decision | Asked]
    ) -> None:
        self._jobs.append(Job(verb, experience_id, act))

    def _forget(self, experience_id: str) -> None:
        """Its last decision is no longer one to take back."""
        for place in range(len(self._made) - 1, -1, -1):
            if self._made[place] == experience_id:
                del self._made[place]
                return


def _refuse_if_decided(project: Project, shown: ExperienceState) -> ExperienceState:
    """The experience as it is, unless somebody decided on it since it was shown.

    Raises:
        ReviewRefusedError: somebody did; their decision stands.
    """
    own = shown.experience.experience_id
    now = find_experience(project, own)
    if now.status is not shown.status:
        raise ReviewRefusedError(
            f"{own} is {now.status.value} by now: somebody decided it since it was shown.",
            hint="Their decision stands. Look at it again to decide otherwise.",
        )
    return now


@dataclass(frozen=True, slots=True)
class Remark:
    """What the guard finds in words that were typed."""

    code: str
    detail: str
    grave: bool  # asks for a typed confirmation


def remarks_on(shown: ExperienceState, changes: Changes) -> tuple[Remark, ...]:
    """The findings on what an edit would store, the worst first. Pure."""
    from hindsight_cli.api.validating import candidate_of  # the guard is for edits only
    from hindsight_cli.guard.gate import judge

    verdict = judge(candidate_of(_reworded(shown, changes)), None)
    found = {f.code: Remark(f.code, f.detail, f.code not in LOOK_CLOSER) for f in verdict.findings}
    for code in verdict.risk:
        found.setdefault(code, Remark(code, "", code not in LOOK_CLOSER))
    return tuple(found.values())


def reworded(shown: ExperienceState, changes: Changes) -> ExperienceState:
    """What an edit would store, with the risk of the new words."""
    from hindsight_cli.api.validating import candidate_of  # the guard is for edits only
    from hindsight_cli.guard.gate import judge

    content = _reworded(shown, changes)
    risk = judge(candidate_of(content), None).risk
    return replace(shown, experience=replace(shown.experience, content=content, risk=risk))


def _reworded(shown: ExperienceState, changes: Changes) -> Content:
    fields: Mapping[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in changes.items()
    }
    return replace(shown.experience.content, **fields)
