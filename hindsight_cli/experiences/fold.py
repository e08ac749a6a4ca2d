"""The state of every experience is a fold over the ledger. Pure.

Entries are deduplicated by id and ordered by (at, entry_id). A person's decision
outranks an automatic one, the last one wins; decisions made side by side on two
branches that disagree leave the experience pending. Source: docs/reference/experience-format.md.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from hindsight_cli.experiences.credits import counts_of
from hindsight_cli.records.experience import (
    Experience,
    ExperienceState,
    ReviewStatus,
    content_from_dict,
    experience_from_dict,
)
from hindsight_cli.records.jsonvalue import JsonValue
from hindsight_cli.records.ledger import HUMAN, MALFORMED, EntryKind, LedgerEntry

_STATUS_AFTER = {
    EntryKind.APPROVED: ReviewStatus.APPROVED,
    EntryKind.EDITED: ReviewStatus.APPROVED,
    EntryKind.PROMOTED: ReviewStatus.APPROVED,
    EntryKind.REJECTED: ReviewStatus.REJECTED,
    EntryKind.SUPERSEDED: ReviewStatus.SUPERSEDED,
    EntryKind.FORGOTTEN: ReviewStatus.FORGOTTEN,
    EntryKind.SUSPENDED: ReviewStatus.SUSPENDED,
}
DECISIONS = frozenset(_STATUS_AFTER)
NEEDS_TRUST = frozenset({EntryKind.APPROVED, EntryKind.EDITED, EntryKind.PROMOTED})


def fold(
    entries: Iterable[LedgerEntry], trusted_digests: Collection[str]
) -> dict[str, ExperienceState]:
    """Every experience by id, forgotten ones too (without content worth showing).

    Entries that carry no readable content for their experience are passed over.
    """
    unique = {entry.entry_id: entry for entry in entries}
    ordered = sorted(unique.values(), key=lambda e: (e.at, e.entry_id))
    by_experience: dict[str, list[LedgerEntry]] = defaultdict(list)
    for entry in ordered:
        by_experience[entry.experience_id].append(entry)
    states = {}
    for experience_id, own in by_experience.items():
        state = _fold_one(without_undone(own), trusted_digests)
        if state is not None:
            states[experience_id] = state
    return states


def without_undone(entries: Sequence[LedgerEntry]) -> list[LedgerEntry]:
    """The entries still in force: an `undone` entry takes the one it names out, itself too."""
    undone = {str(e.data.get("entry_id")) for e in entries if e.entry is EntryKind.UNDONE}
    return [e for e in entries if e.entry is not EntryKind.UNDONE and e.entry_id not in undone]


def deciding_entry(entries: Sequence[LedgerEntry]) -> LedgerEntry | None:
    """The decision in force among an experience's entries in time order, if any."""
    decisions = [e for e in entries if e.entry in DECISIONS]
    heads = human_heads(entries)
    if not heads:
        return decisions[-1] if decisions else None
    suspended = [e for e in decisions if e.entry is EntryKind.SUSPENDED and e.at > heads[-1].at]
    return suspended[-1] if suspended else heads[-1]


def _fold_one(
    entries: Sequence[LedgerEntry], trusted_digests: Collection[str]
) -> ExperienceState | None:
    deciding = deciding_entry(entries)
    experience = (_experience_in(deciding) if deciding else None) or _content_in_force(entries)
    if experience is None:
        return None
    counts = counts_of(entries)
    state = ExperienceState(
        experience=experience,
        status=ReviewStatus.PENDING,
        created_at=entries[0].at,
        last_verified_at=_last(entries, {EntryKind.VERIFIED, *NEEDS_TRUST}),
        weight=counts.weight,
        shown=counts.shown,
        followed=counts.followed,
        success=counts.success,
        failure=counts.failure,
        sketch=_sketch_in(deciding),
    )
    if deciding is None:
        return state
    decided = replace(
        state,
        status=_STATUS_AFTER[deciding.entry],
        decided_at=deciding.at,
        decided_by=deciding.by,
        reason=str(deciding.data.get("reason") or ""),
        **_expiry(entries, deciding),
    )
    if _branches_disagree(entries):
        return replace(
            decided, status=ReviewStatus.PENDING, reason="decided differently on two branches"
        )
    if deciding.entry in NEEDS_TRUST and deciding.digest not in trusted_digests:
        return replace(
            decided, status=ReviewStatus.PENDING, trusted=False, reason="approved elsewhere"
        )
    return decided


def _content_in_force(entries: Sequence[LedgerEntry]) -> Experience | None:
    """The experience as last proposed while undecided, else as last approved or edited."""
    current: Experience | None = None
    for entry in entries:
        found = _experience_in(entry)
        if found is None:
            continue
        automatic = entry.entry is EntryKind.PROPOSED
        decided = any(e.entry in DECISIONS and e.at <= entry.at for e in entries)
        if current is None or not (automatic and decided):
            current = found
    return current


def _experience_in(entry: LedgerEntry) -> Experience | None:
    """The full experience an entry carries, or an empty one for a tombstone."""
    data: JsonValue = entry.data.get("experience")
    try:
        if isinstance(data, dict):
            return replace(experience_from_dict(data), experience_id=entry.experience_id)
        if entry.entry is EntryKind.FORGOTTEN:
            kind = entry.data.get("experience_kind") or "key_decision"
            blank = {"kind": kind, "scenario": "", "recommend": ""}
            return Experience(
                experience_id=entry.experience_id, trace_id=None, content=content_from_dict(blank)
            )
    except MALFORMED:
        pass
    return None


def _sketch_in(deciding: LedgerEntry | None) -> tuple[int, ...]:
    """What a tombstone keeps of a text, so that it does not come back."""
    kept = deciding.data.get("sketch") if deciding else None
    return tuple(n for n in kept if type(n) is int) if isinstance(kept, list) else ()


def _branches_disagree(entries: Sequence[LedgerEntry]) -> bool:
    """Whether two human decisions were made on the same state and say different things."""
    return len({(_STATUS_AFTER[e.entry], _hash_in(e)) for e in human_heads(entries)}) > 1


def human_heads(entries: Sequence[LedgerEntry]) -> list[LedgerEntry]:
    """The human decisions that no later one was made upon: several after a merge.

    A decision names in `data.base` the heads it was made upon; one without a base
    was made upon the one before it in time.
    """
    decisions = [e for e in entries if e.entry in DECISIONS and e.by == HUMAN]
    bases: set[str] = set()
    for i, entry in enumerate(decisions):
        base = entry.data.get("base", [decisions[i - 1].entry_id] if i else [])
        bases.update(map(str, base) if isinstance(base, list) else [str(base)])
    return [e for e in decisions if e.entry_id not in bases]


def _hash_in(entry: LedgerEntry) -> str:
    found = _experience_in(entry)
    return found.content.content_hash if found else ""


def _expiry(entries: Sequence[LedgerEntry], deciding: LedgerEntry) -> dict[str, JsonValue]:
    """Stale when the last `expired` entry is younger than every verification."""
    expired = [e for e in entries if e.entry is EntryKind.EXPIRED]
    verified = _last(entries, {EntryKind.VERIFIED, *NEEDS_TRUST}) or ""
    if deciding.entry in NEEDS_TRUST and expired and expired[-1].at > verified:
        return {"stale": True, "stale_reason": str(expired[-1].data.get("reason") or "")}
    return {}


def _last(entries: Sequence[LedgerEntry], kinds: Collection[EntryKind]) -> str | None:
    return max((e.at for e in entries if e.entry in kinds), default=None)
