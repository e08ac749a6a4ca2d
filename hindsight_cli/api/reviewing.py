"""A person decides what becomes memory. Every verb here is refused inside an agent's session."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from hindsight_cli import appendlog
from hindsight_cli.api.experiences import find_experience, list_experiences
from hindsight_cli.api.index import delete_index
from hindsight_cli.api.project import Project, timestamp
from hindsight_cli.errors import InvalidExperienceError, NothingToUndoError
from hindsight_cli.experiences.fold import (
    DECISIONS,
    NEEDS_TRUST,
    deciding_entry,
    human_heads,
    without_undone,
)
from hindsight_cli.experiences.freshness import parse_time
from hindsight_cli.experiences.ledger import as_stored
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
from hindsight_cli.review.decisions import Decider, is_safe, needs_confirmation, refuse_inside_agent

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
            judged_again(state),
            confirmed=confirm == state.experience.experience_id,
            seen_hash=seen_hash,
        ),
    )


def judged_again(state: ExperienceState) -> ExperienceState:
    """With every risk its words have: what a file says of itself is not believed."""
    from hindsight_cli.api.validating import candidate_of
    from hindsight_cli.guard.gate import judge

    found = judge(candidate_of(state.experience.content), None).risk
    risk = tuple(dict.fromkeys((*state.experience.risk, *found)))
    return replace(state, experience=replace(state.experience, risk=risk))


def approve_all_safe(project: Project) -> tuple[list[Decision], list[ExperienceState]]:
    """Approve every pending experience without risk, external origin or untried literals.

    Approvals made elsewhere are left for `trust`.

    Returns:
        What was approved, and what was left for a closer look.
    """
    refuse_inside_agent(project.env)
    pending = [judged_again(s) for s in list_experiences(project, [ReviewStatus.PENDING])]
    safe: list[ExperienceState] = []
    left: list[ExperienceState] = []
    for state in pending:
        plain = is_safe(state.experience) and state.decided_by is None
        (safe if plain else left).append(state)
    entries = [_decider(project).approve(s, confirmed=False) for s in safe]
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


def promote(project: Project, experience_id: str) -> Decision:
    """Approve a specific tip as a general principle.

    Raises:
        ReviewRefusedError: it is not approved, or general already.
        AgentReviewError, ExperienceNotFoundError, StorageError.
    """
    return _decide(project, experience_id, lambda decider, state: decider.promote(state))


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
    at = moment_after(project, _own(entries, last.experience_id))
    entry = Decider(entry_id=new_entry_id(), at=at).undo(last)
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
    project.ledger.append([tombstone])  # first: whatever happens next, it does not come back
    project.ledger.erase(own, keep=tombstone.entry_id)
    delete_index(project)  # its pages may still hold the text
    return own


def untrusted(project: Project) -> list[ExperienceState]:
    """Experiences approved by somebody else: pending here until trusted."""
    return [s for s in list_experiences(project, [ReviewStatus.PENDING]) if not s.trusted]


def trust(
    project: Project,
    experience_ids: Sequence[str] | None = None,
    *,
    confirm: str | None = None,
) -> tuple[list[ExperienceState], list[ExperienceState]]:
    """Accept approvals that came with the repository; None: all that are waiting and safe.

    Only the decision in force is trusted, the one whose words were shown. `confirm`
    repeats the id of one that carries a risk.

    Returns:
        What is trusted from this moment, and what was left for a closer look.
    """
    refuse_inside_agent(project.env)
    waiting = {s.experience.experience_id: judged_again(s) for s in untrusted(project)}
    wanted = set(waiting)
    if experience_ids is not None:
        wanted &= {find_experience(project, i).experience.experience_id for i in experience_ids}
    risky = {i for i in wanted if needs_confirmation(waiting[i].experience) and i != confirm}
    entries, _ = project.ledger.read()
    deciding = [_deciding(entries, own) for own in wanted - risky]
    project.trust.add([e for e in deciding if e is not None], at=project.now())
    trusted = [find_experience(project, i) for i in sorted(wanted - risky)]
    return trusted, [waiting[i] for i in sorted(risky)]


def _deciding(entries: Sequence[LedgerEntry], experience_id: str) -> LedgerEntry | None:
    return deciding_entry(without_undone(_own(entries, experience_id)))


def _own(entries: Sequence[LedgerEntry], experience_id: str) -> list[LedgerEntry]:
    mine = [e for e in entries if e.experience_id == experience_id]
    return sorted(mine, key=lambda e: (e.at, e.entry_id))


def _decide(
    project: Project,
    experience_id: str,
    make: Callable[[Decider, ExperienceState], LedgerEntry],
) -> Decision:
    refuse_inside_agent(project.env)
    state = find_experience(project, experience_id)
    own = state.experience.experience_id
    entries, _ = project.ledger.read()
    before = _own(entries, own)
    heads = [e.entry_id for e in human_heads(without_undone(before))]
    at = moment_after(project, before)
    entry = make(Decider(entry_id=new_entry_id(), at=at, base=heads), state)
    _commit(project, [entry])
    return Decision(find_experience(project, own), entry.entry_id)


def _commit(project: Project, made: Sequence[LedgerEntry]) -> None:
    """Trust first: an approval that is not yet in the ledger harms nobody."""
    entries = [as_stored(entry) for entry in made]
    if approvals := [e for e in entries if e.entry in NEEDS_TRUST]:
        project.trust.add(approvals, at=project.now())
    project.ledger.append(entries)


def moment_after(project: Project, entries: Sequence[LedgerEntry]) -> str:
    """Now, but after everything that happened before, whatever the clock says."""
    now = project.clock()
    last = max(filter(None, (parse_time(e.at) for e in entries)), default=now)
    return timestamp(max(now, last + timedelta(microseconds=1)))


def _decider(project: Project, base: Sequence[str] = ()) -> Decider:
    return Decider(entry_id=new_entry_id(), at=project.now(), base=base)


def _changed(project: Project, content: Content, changes: Mapping[str, JsonValue]) -> Content:
    unknown = sorted(set(changes) - set(EDITABLE))
    if unknown:
        raise InvalidExperienceError("edit", f"{unknown[0]!r} cannot be edited")
    clean: JsonValue = json.loads(appendlog.encode(project.redactor.value(dict(changes))))
    from hindsight_cli.guard.candidate import parse_candidate

    data = {**json.loads(json.dumps(content_to_dict(content))), **clean}
    try:
        parse_candidate({**{k: data[k] for k in EDITABLE}, "kind": content.kind.value})
        changed = content_from_dict(data)
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidExperienceError("edit", str(error)) from error
    if not changed.scenario.strip() or not changed.recommend.strip():
        raise InvalidExperienceError("edit", "scenario and recommend may not be empty")
    return replace(changed, citations=content.citations, evidence=content.evidence)
