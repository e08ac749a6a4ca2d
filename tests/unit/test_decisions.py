from __future__ import annotations

from typing import Any

import pytest

from hindsight_cli.errors import AgentReviewError, ReviewRefusedError
from hindsight_cli.records.experience import ExperienceState, Origin, ReviewStatus
from hindsight_cli.records.ledger import EntryKind
from hindsight_cli.review.decisions import (
    Decider,
    is_safe,
    needs_confirmation,
    refuse_inside_agent,
)
from tests.factories import a_content, an_experience

DECIDER = Decider(entry_id="d1", at="2026-11-02T10:00:00Z", base=["d0"])


def a_state(*, status: ReviewStatus = ReviewStatus.PENDING, **changes: Any) -> ExperienceState:
    return ExperienceState(experience=an_experience(**changes), status=status)


@pytest.mark.parametrize(
    ("changes", "safe", "confirmation"),
    [
        ({}, True, False),
        ({"risk": ("untried_literal",)}, False, False),
        ({"risk": ("delete",)}, False, True),
        ({"risk": ("untried_literal", "delete")}, False, True),
        ({"origin": Origin.EXTERNAL}, False, True),
        ({"origin": Origin.USER}, True, False),
    ],
)
def test_what_is_approved_among_many_with_one_key_or_only_by_a_typed_word(
    changes: dict[str, Any], safe: bool, confirmation: bool
) -> None:
    experience = an_experience(**changes)
    assert (is_safe(experience), bool(needs_confirmation(experience))) == (safe, confirmation)
    state = a_state(**changes)
    if confirmation:
        with pytest.raises(ReviewRefusedError):
            DECIDER.approve(state, confirmed=False)
    entry = DECIDER.approve(state, confirmed=confirmation)
    assert (entry.entry, entry.data["base"]) == (EntryKind.APPROVED, ["d0"])
    assert entry.data["content_hash"] == experience.content.content_hash


def test_only_what_was_shown_is_approved() -> None:
    with pytest.raises(ReviewRefusedError, match="changed"):
        DECIDER.approve(a_state(), confirmed=False, seen_hash="of another text")


@pytest.mark.parametrize("status", [ReviewStatus.APPROVED, ReviewStatus.FORGOTTEN])
def test_a_decision_that_says_nothing_new_is_refused(status: ReviewStatus) -> None:
    with pytest.raises(ReviewRefusedError):
        DECIDER.approve(a_state(status=status), confirmed=False)


def test_edited_words_are_the_persons_own_and_keep_id_and_citations() -> None:
    state = a_state(origin=Origin.EXTERNAL)
    content = a_content(recommend="New words")
    with pytest.raises(ReviewRefusedError):
        DECIDER.edit(state, content, risk=(), confirmed=False)
    entry = DECIDER.edit(state, content, risk=("delete",), confirmed=True)
    edited = entry.data["experience"]
    assert (edited["origin"], edited["risk"]) == ("user", ("delete",))
    assert edited["experience_id"] == state.experience.experience_id
    assert edited["content"]["citations"]


@pytest.mark.parametrize("variable", ["CLAUDECODE", "CODEX_THREAD_ID", "GEMINI_CLI", "OPENCODE"])
def test_an_agents_shell_is_not_a_person(variable: str) -> None:
    with pytest.raises(AgentReviewError, match=variable):
        refuse_inside_agent({variable: "1"})
    refuse_inside_agent({variable: "1", "HINDSIGHT_CLI_ALLOW_AGENT_REVIEW": "1"})
    refuse_inside_agent({variable: ""})
