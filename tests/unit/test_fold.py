from __future__ import annotations

from dataclasses import replace

import pytest

from hindsight_cli.experiences.fold import fold
from hindsight_cli.experiences.weights import weight_of
from hindsight_cli.records.experience import ExperienceState, ReviewStatus
from hindsight_cli.records.ledger import EntryKind, LedgerEntry
from tests.factories import an_entry, an_experience

PROPOSED = an_entry(EntryKind.PROPOSED, an_experience(), at="2026-11-01T09:00:00Z", by="rules")


def folded(*entries: LedgerEntry, trusted: bool = True) -> ExperienceState:
    digests = {e.digest for e in entries} if trusted else set()
    states = fold(entries, digests)
    assert len(states) == 1
    return states["ex-000000000001"]


def decision(kind: EntryKind, at: str, **changes: object) -> LedgerEntry:
    return an_entry(kind, an_experience(), at=at, entry_id=f"{kind}-{at}", **changes)


APPROVED = decision(EntryKind.APPROVED, "2026-11-02T10:00:00Z")
REJECTED = decision(EntryKind.REJECTED, "2026-11-03T10:00:00Z")


@pytest.mark.parametrize(
    ("entries", "status"),
    [
        ([PROPOSED], ReviewStatus.PENDING),
        ([PROPOSED, APPROVED], ReviewStatus.APPROVED),
        ([APPROVED], ReviewStatus.APPROVED),
        ([PROPOSED, APPROVED, REJECTED], ReviewStatus.REJECTED),
        ([REJECTED, APPROVED, PROPOSED], ReviewStatus.REJECTED),  # file order does not matter
        ([PROPOSED, APPROVED, APPROVED], ReviewStatus.APPROVED),  # a union merge doubled a line
    ],
)
def test_the_last_human_decision_is_in_force(
    entries: list[LedgerEntry], status: ReviewStatus
) -> None:
    assert folded(*entries).status is status


def test_an_approval_this_user_does_not_trust_reads_as_pending() -> None:
    state = folded(PROPOSED, APPROVED, trusted=False)
    assert (state.status, state.trusted) == (ReviewStatus.PENDING, False)


def test_an_approval_changed_on_disk_is_no_longer_trusted() -> None:
    changed = replace(APPROVED, data=an_entry(EntryKind.APPROVED, an_experience(avoid="x")).data)
    states = fold([PROPOSED, changed], {APPROVED.digest})
    assert states["ex-000000000001"].status is ReviewStatus.PENDING


def test_an_automatic_decision_never_overrides_a_person() -> None:
    automatic = decision(EntryKind.REJECTED, "2026-11-09T10:00:00Z", by="rules")
    assert folded(PROPOSED, APPROVED, automatic).status is ReviewStatus.APPROVED


def test_likely_harm_suspends_until_a_person_approves_again() -> None:
    suspended = decision(EntryKind.SUSPENDED, "2026-11-09T10:00:00Z", by="harm")
    again = decision(EntryKind.APPROVED, "2026-11-10T10:00:00Z")
    assert folded(PROPOSED, APPROVED, suspended).status is ReviewStatus.SUSPENDED
    assert folded(PROPOSED, APPROVED, suspended, again).status is ReviewStatus.APPROVED


def test_undo_takes_exactly_the_named_entry_back() -> None:
    undone = an_entry(
        EntryKind.UNDONE, at="2026-11-04T10:00:00Z", data={"entry_id": REJECTED.entry_id}
    )
    assert folded(PROPOSED, APPROVED, REJECTED, undone).status is ReviewStatus.APPROVED


def test_decisions_made_side_by_side_that_disagree_leave_it_pending() -> None:
    base = {"base": APPROVED.entry_id}
    left = decision(EntryKind.SUPERSEDED, "2026-11-05T10:00:00Z", data=base)
    right = an_entry(
        EntryKind.EDITED,
        an_experience(recommend="Another text"),
        at="2026-11-06T10:00:00Z",
        data=base,
    )
    assert folded(PROPOSED, APPROVED, left, right).status is ReviewStatus.PENDING
    assert folded(PROPOSED, APPROVED, left).status is ReviewStatus.SUPERSEDED


def test_an_edit_replaces_the_words_and_a_later_proposal_does_not() -> None:
    edited = an_entry(EntryKind.EDITED, an_experience(recommend="New words"), at="2026-11-05T00Z")
    later = an_entry(
        EntryKind.PROPOSED, an_experience(recommend="Machine"), at="2026-11-08T00Z", entry_id="p2"
    )
    assert folded(PROPOSED, edited, later).experience.content.recommend == "New words"


def test_a_new_proposal_updates_a_pending_one() -> None:
    later = an_entry(
        EntryKind.PROPOSED, an_experience(recommend="Better"), at="2026-11-08T00Z", entry_id="p2"
    )
    assert folded(PROPOSED, later).experience.content.recommend == "Better"


def test_being_shown_moves_no_weight() -> None:
    shown = [an_entry(EntryKind.INJECTED, entry_id=f"i{n}", by="inject") for n in range(100)]
    state = folded(PROPOSED, APPROVED, *shown)
    assert (state.shown, state.weight) == (100, 0.5)


def test_weights_are_bounded_and_failures_count_more() -> None:
    assert 0.99 < weight_of(1000, 0, 0) < 1
    assert weight_of(1000, 3, 0) < weight_of(1000, 0, 0)
    assert weight_of(1, 1, 0) < 0.5
    assert weight_of(1000, 0, 1) < 0.01
