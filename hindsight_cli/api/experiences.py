"""Experiences as the shells see them: listed, shown with what they rest on, added by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hindsight_cli.api.index import Index, use_index
from hindsight_cli.api.meeting import Meeting, meetings
from hindsight_cli.api.project import Project
from hindsight_cli.api.traces import trace_of
from hindsight_cli.errors import AmbiguousIdError, ExperienceNotFoundError
from hindsight_cli.experiences.freshness import with_freshness
from hindsight_cli.records.experience import (
    Experience,
    ExperienceState,
    ReviewStatus,
)
from hindsight_cli.records.ledger import LedgerEntry
from hindsight_cli.records.trace import Call


@dataclass(frozen=True, slots=True)
class CitedStep:
    """A step an experience rests on, as recorded; without a call when the trace is gone."""

    step_index: int
    tool_name: str | None
    call: Call | None


@dataclass(frozen=True, slots=True)
class ExperienceDetail:
    state: ExperienceState
    steps: tuple[CitedStep, ...]
    history: tuple[LedgerEntry, ...]  # oldest first
    met: tuple[Meeting, ...] = ()  # further traces that bear it out


def list_experiences(
    project: Project, statuses: Sequence[ReviewStatus] = ()
) -> list[ExperienceState]:
    """Experiences in `statuses` (all but forgotten ones when empty), oldest first."""
    wanted = statuses or [s for s in ReviewStatus if s is not ReviewStatus.FORGOTTEN]

    def states(opened: Index) -> list[ExperienceState]:
        opened.sync_experiences()
        return opened.experiences.with_status(*wanted)

    return [_fresh(project, s) for s in use_index(project, states)]


def find_experience(project: Project, experience_id: str) -> ExperienceState:
    """The experience with this id, or the only one whose id begins so.

    Raises:
        ExperienceNotFoundError: none begins so.
        AmbiguousIdError: several do.
    """

    def matching(opened: Index) -> list[ExperienceState]:
        opened.sync_experiences()
        exact = opened.experiences.find(experience_id)
        return [exact] if exact else opened.experiences.matching_prefix(experience_id)

    found = use_index(project, matching)
    if not experience_id or not found:
        raise ExperienceNotFoundError(experience_id)
    if len(found) > 1:
        raise AmbiguousIdError(experience_id, [s.experience.experience_id for s in found])
    return _fresh(project, found[0])


def show_experience(project: Project, experience_id: str) -> ExperienceDetail:
    """An experience with its cited steps and everything that happened to it."""
    state = find_experience(project, experience_id)
    own = state.experience.experience_id
    entries, _ = project.ledger.read()
    history = sorted(
        (e for e in entries if e.experience_id == own), key=lambda e: (e.at, e.entry_id)
    )
    steps = cited_steps(project, state.experience)
    return ExperienceDetail(state, steps, tuple(history), meetings(history))


def cited_steps(project: Project, experience: Experience) -> tuple[CitedStep, ...]:
    """What the citations point at, read from the trace files."""
    calls: dict[tuple[str, int], Call] = {}
    for session_id in {c.session_id for c in experience.content.citations}:
        path = project.traces.find(session_id)
        events = project.traces.read(path)[0] if path else []
        trace = trace_of(project, experience.trace_id or session_id, events)
        calls |= {(session_id, call.step_index): call for call in trace.calls}
    return tuple(
        CitedStep(c.step_index, c.tool_name, calls.get((c.session_id, c.step_index)))
        for c in experience.content.citations
    )


def _fresh(project: Project, state: ExperienceState) -> ExperienceState:
    return with_freshness(state, project.clock(), stale_days=project.settings.stale_days)
