"""What outcomes do to an experience: the rules of the fold, as properties."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace
from typing import Any

import pytest

from hindsight_cli.experiences.fold import fold
from hindsight_cli.experiences.weights import harm_of, weight_of
from hindsight_cli.records.experience import ExperienceState, ReviewStatus
from hindsight_cli.records.ledger import HUMAN, EntryKind, LedgerEntry
from tests.factories import an_entry, an_experience

APPROVED = an_entry(EntryKind.APPROVED, an_experience(), at="2026-11-01T10:00:00Z", entry_id="a")


def state_of(*entries: LedgerEntry) -> ExperienceState:
    states = fold([APPROVED, *entries], {e.digest for e in (APPROVED, *entries)})
    return states["ex-000000000001"]


def at(minute: int) -> str:
    return f"2026-11-02T10:{minute:02}:00Z"


def an_outcome(
    outcome: str,
    injection: str = "inj-1",
    *,
    minute: int = 1,
    by: str = "run",
    followed: bool | None = True,
    **data: Any,
) -> LedgerEntry:
    return an_entry(
        EntryKind.OUTCOME,
        at=at(minute),
        by=by,
        entry_id=f"{injection}-{minute}-{by}-{outcome}",
        data={"injection_id": injection, "outcome": outcome, "followed": followed, **data},
    )


def counts(*entries: LedgerEntry) -> tuple[int, int, int]:
    state = state_of(*entries)
    return state.followed, state.success, state.failure


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        # Only what was followed and ended one way or the other moves anything.
        ([an_outcome("success")], (1, 1, 0)),
        ([an_outcome("failure")], (1, 0, 1)),
        ([an_outcome("partial")], (1, 0, 0)),
        ([an_outcome("unknown")], (1, 0, 0)),
        ([an_outcome("success", followed=False)], (0, 0, 0)),
        ([an_outcome("failure", followed=None)], (0, 0, 0)),
        # One credit an injection: the later word of the same rank.
        ([an_outcome("success"), an_outcome("failure", minute=2)], (1, 0, 1)),
        ([an_outcome("failure"), an_outcome("success", minute=2)], (1, 1, 0)),
        ([an_outcome("success"), an_outcome("partial", minute=2)], (1, 0, 0)),
        ([an_outcome("success"), an_outcome("success", by="agent", minute=2)], (1, 1, 0)),
        # What nobody knows does not take back what somebody knew.
        ([an_outcome("success"), an_outcome("unknown", minute=2)], (1, 1, 0)),
        # A person outranks a machine, also a later one.
        ([an_outcome("failure", by=HUMAN), an_outcome("success", minute=2)], (1, 0, 1)),
        ([an_outcome("success"), an_outcome("failure", by=HUMAN, minute=2)], (1, 0, 1)),
        ([an_outcome("failure", by=HUMAN), an_outcome("success", by=HUMAN, minute=2)], (1, 1, 0)),
        ([an_outcome("success"), an_outcome("success", "inj-2")], (2, 2, 0)),
        # Only a person's "wrong" is one.
        ([an_outcome("success", wrong=True)], (1, 1, 0)),
        ([an_outcome("success", by=HUMAN, wrong=True)], (0, 0, 0)),
    ],
)
def test_each_injection_has_one_credit(
    entries: list[LedgerEntry], expected: tuple[int, int, int]
) -> None:
    assert counts(*entries) == expected


RARE = 0.05


def random_entries(seed: int) -> list[LedgerEntry]:
    pick = random.Random(seed)
    entries = [
        an_outcome(
            pick.choice(("success", "failure", "partial", "unknown")),
            f"inj-{pick.randrange(4)}",
            minute=pick.randrange(50),
            by=pick.choice((HUMAN, "run", "agent")),
            followed=pick.choice((True, True, False, None)),
            **({"wrong": True} if pick.random() < RARE else {}),
        )
        for _ in range(pick.randrange(1, 25))
    ]
    return [replace(entry, entry_id=f"o{n}") for n, entry in enumerate(entries)]


@pytest.mark.parametrize("seed", range(40))
def test_neither_the_order_nor_a_repetition_of_entries_matters(seed: int) -> None:
    entries = random_entries(seed)
    shuffled = [*entries, *entries[::3]]
    random.Random(seed).shuffle(shuffled)
    assert state_of(*shuffled) == state_of(*entries)


@pytest.mark.parametrize("seed", range(40))
def test_a_success_never_costs_and_a_failure_never_pays(seed: int) -> None:
    entries = random_entries(seed)
    before = state_of(*entries).weight
    assert state_of(*entries, an_outcome("success", "inj-new", minute=55)).weight >= before
    assert state_of(*entries, an_outcome("failure", "inj-new", minute=55)).weight <= before
    assert 0 < before < 1


def test_weights_are_monotone_and_a_failure_weighs_more_than_a_success() -> None:
    for s, f, w in itertools.product(range(6), range(6), range(3)):
        assert weight_of(s + 1, f, w) >= weight_of(s, f, w) >= weight_of(s, f + 1, w)
        assert weight_of(s, f, w) >= weight_of(s, f, w + 1)
    assert weight_of(1, 0, 0) > weight_of(0, 0, 0) > weight_of(0, 1, 0) > weight_of(0, 0, 1)
    assert all(weight_of(2 * n, n, 0) < weight_of(0, 0, 0) for n in range(1, 50))


def test_a_persons_wrong_outweighs_any_number_of_successes() -> None:
    successes = [an_outcome("success", f"inj-{n}") for n in range(2, 1000)]
    wrong = an_outcome("failure", by=HUMAN, minute=2, wrong=True)
    state = state_of(*successes, wrong)
    assert (state.success, state.weight < 0.001) == (998, True)


@pytest.mark.parametrize(
    ("success", "failure", "wrong", "harmful"),
    [
        (0, 0, 0, False),
        (0, 1, 0, False),
        (0, 2, 0, True),
        (1, 2, 0, True),
        (2, 2, 0, False),
        (5, 3, 0, False),
        (1000, 0, 1, True),
    ],
)
def test_two_failures_that_prevail_are_likely_harm(
    success: int, failure: int, wrong: int, harmful: bool
) -> None:
    assert bool(harm_of(success, failure, wrong)) is harmful


SUSPENDED = an_entry(
    EntryKind.SUSPENDED, at=at(10), by="outcome", entry_id="s", data={"reason": "failed twice"}
)
FAILED_TWICE = [an_outcome("failure"), an_outcome("failure", "inj-2", minute=2)]


def test_a_suspension_is_kept_for_review_with_its_reason() -> None:
    state = state_of(*FAILED_TWICE, SUSPENDED)
    assert (state.status, state.reason) == (ReviewStatus.SUSPENDED, "failed twice")
    assert not state.retrievable


@pytest.mark.parametrize("kind", [EntryKind.APPROVED, EntryKind.EDITED])
def test_a_person_who_looked_at_it_since_begins_a_new_count(kind: EntryKind) -> None:
    again = an_entry(kind, an_experience(), at=at(20), entry_id="again", data={"base": ["a"]})
    state = state_of(*FAILED_TWICE, SUSPENDED, again)
    assert (state.status, state.failure, state.weight) == (ReviewStatus.APPROVED, 0, 0.5)
    later = an_outcome("failure", "inj-3", minute=30)
    assert state_of(*FAILED_TWICE, SUSPENDED, again, later).failure == 1


def test_approving_a_stale_one_again_keeps_its_count() -> None:
    again = an_entry(
        EntryKind.APPROVED, an_experience(), at=at(20), entry_id="again", data={"base": ["a"]}
    )
    assert state_of(an_outcome("success"), again).success == 1


def test_only_a_verification_moves_the_time_of_the_last_one() -> None:
    shown = an_entry(EntryKind.INJECTED, at=at(30), by="inject", entry_id="i")
    success = an_outcome("success", minute=31)
    assert state_of(shown, success).last_verified_at == APPROVED.at
    verified = an_entry(EntryKind.VERIFIED, at=at(32), by="outcome", entry_id="v")
    assert state_of(shown, success, verified).last_verified_at == at(32)
