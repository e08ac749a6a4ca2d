"""New experiences: a person's own, and those a reflection proposes."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace

from hindsight_cli.api.experiences import list_experiences
from hindsight_cli.api.project import Project
from hindsight_cli.errors import InvalidExperienceError
from hindsight_cli.experiences.ledger import as_stored
from hindsight_cli.guard.candidate import SchemaError, parse_candidate
from hindsight_cli.guard.gate import judge
from hindsight_cli.records.experience import (
    Content,
    Experience,
    ExperienceState,
    Origin,
    ReviewStatus,
    Source,
    experience_to_dict,
)
from hindsight_cli.records.jsonvalue import JsonValue
from hindsight_cli.records.ledger import HUMAN, EntryKind, LedgerEntry, new_entry_id
from hindsight_cli.review.decisions import refuse_inside_agent

# What a person may write; any other field of a line is passed over.
BY_HAND = frozenset(
    {
        *("kind", "scenario", "recommend", "avoid", "why", "tool_tags", "task_tags"),
        *("workaround", "layer", "scope"),
    }
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
    given = [_by_hand(project, o, n) for n, o in enumerate(objects, 1)]
    known = {s.experience.experience_id: s for s in list_experiences(project)}
    experiences = [
        e for e in given if not _is_there(e, known.get(e.experience_id), approve=approve)
    ]
    entries = [_entry(project, EntryKind.PROPOSED, e) for e in experiences]
    if approve:
        approvals = [as_stored(_entry(project, EntryKind.APPROVED, e)) for e in experiences]
        project.trust.add(approvals, at=project.now())
        entries += approvals
    project.ledger.append(entries)
    states = {s.experience.experience_id: s for s in list_experiences(project)}
    return [states[e.experience_id] for e in given if e.experience_id in states]


def _is_there(experience: Experience, known: ExperienceState | None, *, approve: bool) -> bool:
    """Whether adding it changes nothing; one decided otherwise is not silently proposed again."""
    if known is None or known.status is ReviewStatus.PENDING:
        return False
    same = known.experience.content == experience.content
    if same and (known.retrievable or not approve):
        return True
    if not approve:
        own = experience.experience_id
        raise InvalidExperienceError(own, f"it is {known.status} already: edit it instead")
    return False


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
        entry_id=new_entry_id(),
        entry=kind,
        experience_id=experience.experience_id,
        at=project.now(),
        by=HUMAN,
        data={
            "experience": experience_to_dict(experience),
            "content_hash": experience.content.content_hash,
        },
    )
