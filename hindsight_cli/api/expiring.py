"""Send experiences that nobody verified for long back for review."""

from __future__ import annotations

from dataclasses import dataclass

from hindsight_cli.api.index import Index, use_index
from hindsight_cli.api.project import Project
from hindsight_cli.experiences.freshness import age_days, staleness
from hindsight_cli.records.experience import ExperienceState, ReviewStatus
from hindsight_cli.records.ledger import EntryKind, LedgerEntry, new_entry_id


@dataclass(frozen=True, slots=True)
class Stale:
    experience_id: str
    reason: str
    age_days: int


@dataclass(frozen=True, slots=True)
class ExpireReport:
    stale: tuple[Stale, ...]
    fresh: int


def expire(project: Project, *, days: int | None = None, dry_run: bool = False) -> ExpireReport:
    """Mark approved experiences not verified for `days` (default: the project's setting).

    Stale ones are still found by search, flagged, and no longer injected, until they
    are verified. Running it again marks nothing twice.
    """
    limit = project.settings.stale_days if days is None else days
    approved = list_approved(project)
    now = project.clock()
    stale: list[Stale] = []
    marks: list[LedgerEntry] = []
    for state in approved:
        reason = staleness(state, now, stale_days=limit)
        if not reason:
            continue
        own = state.experience.experience_id
        stale.append(Stale(own, reason, int(age_days(state, now))))
        if not state.stale:
            marks.append(_mark(project, own, reason))
    if marks and not dry_run:
        project.ledger.append(marks)
    return ExpireReport(tuple(stale), len(approved) - len(stale))


def list_approved(project: Project) -> list[ExperienceState]:
    """Approved experiences as the ledger has them, their age not yet counted."""

    def states(opened: Index) -> list[ExperienceState]:
        opened.sync_experiences()
        return opened.experiences.with_status(ReviewStatus.APPROVED)

    return use_index(project, states)


def _mark(project: Project, experience_id: str, reason: str) -> LedgerEntry:
    return LedgerEntry(
        entry_id=new_entry_id(),
        entry=EntryKind.EXPIRED,
        experience_id=experience_id,
        at=project.now(),
        by="expire",
        data={"reason": reason},
    )
