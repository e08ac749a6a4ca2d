"""Experiences as the shells see them: listed, shown with what they rest on, added by hand."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hindsight_cli.api.index import index
from hindsight_cli.api.project import Project
from hindsight_cli.api.traces import trace_of
from hindsight_cli.errors import ExperienceNotFoundError, InvalidExperienceError
from hindsight_cli.experiences.freshness import with_freshness
from hindsight_cli.guard.candidate import SchemaError, parse_candidate
from hindsight_cli.guard.gate import judge
from hindsight_cli.records.event import JsonValue
from hindsight_cli.records.experience import (
    Content,
    Experience,
    ExperienceState,
    Origin,
    ReviewStatus,
    Source,
    experience_to_dict,
)
from hindsight_cli.records.ledger import HUMAN, EntryKind, LedgerEntry
from hindsight_cli.records.trace import Call
from hindsight_cli.review.decisions import refuse_inside_agent

# What a person may write; any other field of a line is passed over.
BY_HAND = frozenset(
    {
        *("kind", "scenario", "recommend", "avoid", "why", "tool_tags", "task_tags"),
        *("workaround", "layer", "scope"),
    }
)


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


def list_experiences(
    project: Project, statuses: Sequence[ReviewStatus] = ()
) -> list[ExperienceState]:
    """Experiences in `statuses` (all but forgotten ones when empty), oldest first."""
    wanted = statuses or [s for s in ReviewStatus if s is not ReviewStatus.FORGOTTEN]
    with index(project) as opened:
        opened.sync_experiences()
        return [_fresh(project, s) for s in opened.experiences.with_status(*wanted)]


def find_experience(project: Project, experience_id: str) -> ExperienceState:
    """The experience with this id, or the only one whose id begins so.

    Raises:
        ExperienceNotFoundError: none, or several begin so.
    """
    with index(project) as opened:
        opened.sync_experiences()
        exact = opened.experiences.find(experience_id)
        found = [exact] if exact else opened.experiences.matching_prefix(experience_id)
    if not experience_id or len(found) != 1:
        raise ExperienceNotFoundError(experience_id)
    return _fresh(project, found[0])


def show_experience(project: Project, experience_id: str) -> ExperienceDetail:
    """An experience with its cited steps and everything that happened to it."""
    state = find_experience(project, experience_id)
    own = state.experience.experience_id
    entries, _ = project.ledger.read()
    history = sorted(
        (e for e in entries if e.experience_id == own), key=lambda e: (e.at, e.entry_id)
    )
    return ExperienceDetail(state, cited_steps(project, state.experience), tuple(history))


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


def add_experiences(
    project: Project, objects: Sequence[Mapping[str, JsonValue]], *, approve: bool = False
) -> list[ExperienceState]:
    """Take a person's own experiences, all or none; a given id is kept.

    Raises:
        AgentReviewError: asked to approve inside an agent's session.
        InvalidExperienceError: names the line; nothing was added.
    """
    if approve:
        refuse_inside_agent(project.env)
    experiences = [_by_hand(project, o, n) for n, o in enumerate(objects, 1)]
    entries = [_entry(project, EntryKind.PROPOSED, e) for e in experiences]
    if approve:
        approvals = [_entry(project, EntryKind.APPROVED, e) for e in experiences]
        project.trust.add(approvals, at=project.now())
        entries += approvals
    project.ledger.append(entries)
    states = {s.experience.experience_id: s for s in list_experiences(project)}
    return [states[e.experience_id] for e in experiences if e.experience_id in states]


def propose(project: Project, experiences: Sequence[Experience], *, by: str) -> None:
    """Put experiences into the queue, as an automatic act."""
    project.ledger.append(
        [replace(_entry(project, EntryKind.PROPOSED, e), by=by) for e in experiences]
    )


def _by_hand(project: Project, given: Mapping[str, JsonValue], number: int) -> Experience:
    where = f"experience {number}"
    clean_json: JsonValue = project.redactor.value(dict(given))
    data = dict(clean_json)
    chosen = data.pop("id", None)
    try:
        candidate = parse_candidate({k: v for k, v in data.items() if k in BY_HAND})
    except SchemaError as error:
        raise InvalidExperienceError(where, str(error)) from error
    verdict = judge(candidate, None)
    clean = verdict.candidate
    content = Content(
        kind=clean.kind,
        scenario=clean.scenario,
        recommend=clean.recommend,
        avoid=clean.avoid,
        why=clean.why,
        workaround=clean.workaround,
        tool_tags=clean.tool_tags,
        task_tags=clean.task_tags,
        scope=clean.scope,
        layer=clean.layer,
    )
    if chosen is not None and not (isinstance(chosen, str) and chosen.strip()):
        raise InvalidExperienceError(where, "id must be text")
    digest = hashlib.sha256(content.content_hash.encode()).hexdigest()[:12]
    return Experience(
        experience_id=chosen or f"ex-{digest}",
        trace_id=None,
        content=content,
        origin=Origin.USER,
        risk=verdict.risk,
        source=Source(reflector=HUMAN),
    )


def _entry(project: Project, kind: EntryKind, experience: Experience) -> LedgerEntry:
    return LedgerEntry(
        entry_id=str(uuid.uuid4()),
        entry=kind,
        experience_id=experience.experience_id,
        at=project.now(),
        by=HUMAN,
        data={
            "experience": experience_to_dict(experience),
            "content_hash": experience.content.content_hash,
        },
    )


def _fresh(project: Project, state: ExperienceState) -> ExperienceState:
    return with_freshness(state, project.clock(), stale_days=project.settings.stale_days)
