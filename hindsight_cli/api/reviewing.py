"""A person decides what becomes memory. Every verb here is refused inside an agent's session."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from hindsight_cli.api.experiences import find_experience, list_experiences
from hindsight_cli.api.index import delete_index
from hindsight_cli.api.project import Project
from hindsight_cli.errors import InvalidExperienceError, NothingToUndoError
from hindsight_cli.experiences.fold import DECISIONS, NEEDS_TRUST, human_heads, without_undone
from hindsight_cli.experiences.similarity import sketch
from hindsight_cli.records.experience import (
    Content,
    ExperienceState,
    ReviewStatus,
    content_from_dict,
    content_to_dict,
)
from hindsight_cli.records.jsonvalue import JsonValue
from hindsight_cli.records.ledger import HUMAN, EntryKind, LedgerEntry, new_entry_id
from hindsight_cli.review.decisions import Decider, is_safe, refuse_inside_agent

EDITABLE = (
    "scenario",
    "recommend",
    "avoid",
    "why",
    "tool_tags",
    "task_tags",
    "workaround",
    "layer",
)


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided; `entry_id` names it for undo."""

    state: ExperienceState
    entry_id: str


def approve(
    project: Project,
    experience_id: str,
    *,
    confirm: str | None = None,
    seen_hash: str | None = None,
) -> Decision:
    """Make an experience retrievable.

    `confirm` repeats the id where the experience carries a risk or comes from outside;
    `seen_hash` is the content hash of what the person saw.

    Raises:
        AgentReviewError, ExperienceNotFoundError, ReviewRefusedError, StorageError.
    """
    return _decide(
        project,
        experience_id,
        lambda decider, state: decider.approve(
            state,
            confirmed=confirm == state.experience.experience_id,
            seen_hash=seen_hash,
        ),
    )


def approve_all_safe(project: Project) -> tuple[list[Decision], list[ExperienceState]]:
    """Approve every pending experience without risk, external origin or untried literals.

    Approvals made elsewhere are left for `trust`.

    Returns:
        What was approved, and what was left for a closer look.
    """
    refuse_inside_agent(project.env)
    pending = list_experiences(project, [ReviewStatus.PENDING])
    left = [s for s in pending if not is_safe(s.experience) or s.decided_by is not None]
    entries = [_decider(project).approve(s, confirmed=False) for s in pending if s not in left]
    _commit(project, entries)
    decided = {s.experience.experience_id: s for s in list_experiences(project)}
    return [Decision(decided[e.experience_id], e.entry_id) for e in entries], left


def edit(
    project: Project,
    experience_id: str,
    changes: Mapping[str, JsonValue],
    *,
    confirm: str | None = None,
) -> Decision:
    """Approve new words for an experience; see `EDITABLE` for what can change.

    The risk is judged anew by the new words; `confirm` as in `approve`.

    Raises:
        InvalidExperienceError: an unknown field or an empty scenario or recommendation.
        AgentReviewError, ExperienceNotFoundError, ReviewRefusedError, StorageError.
    """
    from hindsight_cli.api.validating import candidate_of  # the guard is for edits only
    from hindsight_cli.guard.gate import judge

    def make(decider: Decider, state: ExperienceState) -> LedgerEntry:
        content = _changed(project, state.experience.content, changes)
        return decider.edit(
            state,
            content,
            risk=judge(candidate_of(content), None).risk,
            confirmed=confirm == state.experience.experience_id,
        )

    return _decide(project, experience_id, make)


def reject(project: Project, experience_id: str, *, reason: str = "") -> Decision:
    """Turn an experience down for good: it is not proposed again."""
    clean = project.redactor.text(reason)
    return _decide(project, experience_id, lambda decider, state: decider.reject(state, clean))


def verify(project: Project, experience_id: str) -> Decision:
    """Say that an approved experience still holds."""
    return _decide(project, experience_id, lambda decider, state: decider.verify(state))


def undo(project: Project, experience_id: str | None = None) -> Decision:
    """Take back the last decision, of one experience or of all.

    Raises:
        NothingToUndoError: there is none, or it was `forget`.
    """
    refuse_inside_agent(project.env)
    if experience_id is not None:
        experience_id = find_experience(project, experience_id).experience.experience_id
    entries, _ = project.ledger.read()
    kinds = DECISIONS - {EntryKind.FORGOTTEN} | {EntryKind.VERIFIED}
    candidates = [
        e
        for e in without_undone(sorted(entries, key=lambda e: (e.at, e.entry_id)))
        if e.by == HUMAN and e.entry in kinds and experience_id in (None, e.experience_id)
    ]
    if not candidates:
        raise NothingToUndoError(experience_id)
    last = candidates[-1]
    entry = _decider(project).undo(last)
    project.ledger.append([entry])
    return Decision(find_experience(project, last.experience_id), entry.entry_id)


def forget(project: Project, experience_id: str) -> str:
    """Delete an experience's text from every file of the project; gives its id.

    A tombstone without content keeps the same proposal from coming back.
    """
    refuse_inside_agent(project.env)
    state = find_experience(project, experience_id)
    own = state.experience.experience_id
    tombstone = _decider(project).forget(state, sketch(state.experience.content))
    project.ledger.erase(own)
    project.ledger.append([tombstone])
    delete_index(project)  # its pages may still hold the text
    return own


def untrusted(project: Project) -> list[ExperienceState]:
    """Experiences approved by somebody else: pending here until trusted."""
    return [s for s in list_experiences(project, [ReviewStatus.PENDING]) if not s.trusted]


def trust(project: Project, experience_ids: Sequence[str] | None = None) -> list[ExperienceState]:
    """Accept approvals that came with the repository; None: all that are waiting."""
    refuse_inside_agent(project.env)
    wanted = {s.experience.experience_id for s in untrusted(project)}
    if experience_ids is not None:
        named = {find_experience(project, i).experience.experience_id for i in experience_ids}
        wanted &= named
    entries, _ = project.ledger.read()
    accepted = [e for e in entries if e.experience_id in wanted and e.entry in NEEDS_TRUST]
    project.trust.add(accepted, at=project.now())
    return [find_experience(project, i) for i in sorted(wanted)]


def _decide(
    project: Project,
    experience_id: str,
    make: Callable[[Decider, ExperienceState], LedgerEntry],
) -> Decision:
    refuse_inside_agent(project.env)
    state = find_experience(project, experience_id)
    own = state.experience.experience_id
    entry = make(_decider(project, base=_heads(project, own)), state)
    _commit(project, [entry])
    return Decision(find_experience(project, own), entry.entry_id)


def _commit(project: Project, entries: Sequence[LedgerEntry]) -> None:
    """Trust first: an approval that is not yet in the ledger harms nobody."""
    if approvals := [e for e in entries if e.entry in NEEDS_TRUST]:
        project.trust.add(approvals, at=project.now())
    project.ledger.append(entries)


def _heads(project: Project, experience_id: str) -> list[str]:
    """The decisions the next one is made upon: it settles a conflict between branches."""
    entries, _ = project.ledger.read()
    own = sorted(
        (e for e in entries if e.experience_id == experience_id), key=lambda e: (e.at, e.entry_id)
    )
    return [e.entry_id for e in human_heads(without_undone(own))]


def _decider(project: Project, base: Sequence[str] = ()) -> Decider:
    return Decider(entry_id=new_entry_id(), at=project.now(), base=base)


def _changed(project: Project, content: Content, changes: Mapping[str, JsonValue]) -> Content:
    unknown = sorted(set(changes) - set(EDITABLE))
    if unknown:
        raise InvalidExperienceError("edit", f"{unknown[0]!r} cannot be edited")
    clean: JsonValue = project.redactor.value(dict(changes))
    data = {**content_to_dict(content), **clean}
    try:
        changed = content_from_dict(data)
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidExperienceError("edit", str(error)) from error
    if not changed.scenario.strip() or not changed.recommend.strip():
        raise InvalidExperienceError("edit", "scenario and recommend may not be empty")
    return replace(changed, citations=content.citations, evidence=content.evidence)
