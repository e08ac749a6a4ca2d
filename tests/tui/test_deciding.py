from __future__ import annotations

from dataclasses import replace

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from hindsight_cli.api import reviewing
from hindsight_cli.api.experiences import show_experience
from hindsight_cli.records.experience import Origin
from hindsight_cli.records.ledger import EntryKind
from tests.tui.projects import Review, an_experience
from tests.tui.waiting import (
    queue_ids,
    screen_text,
    selected_id,
    until,
    until_read,
    until_status,
    until_text,
)

RISKY = "Run `rm -rf ~/data` first"
FIRST, SECOND, THIRD = (an_experience(n).experience_id for n in (1, 2, 3))


@pytest.fixture
def three(review: Review) -> Review:
    """Three experiences that wait, each citing a failing and a fixing step."""
    session = review.record_session()
    review.propose(*(an_experience(n, session_id=session) for n in (1, 2, 3)))
    return review


@pytest.mark.asyncio
async def test_approving_stores_what_was_shown_and_moves_on(three: Review) -> None:
    async with three.run() as pilot:
        await until_read(pilot)
        assert queue_ids(pilot) == [FIRST, SECOND, THIRD]
        await pilot.press("a")
        await until_status(pilot, three, FIRST, "approved")
        assert queue_ids(pilot) == [SECOND, THIRD]
        assert selected_id(pilot) == SECOND
        await until_text(pilot, "u undoes it")

    state = three.states()[FIRST]
    assert state.retrievable
    assert state.experience == an_experience(1, session_id=state.experience.trace_id)


@pytest.mark.asyncio
async def test_decisions_are_stored_in_the_order_of_their_keys(three: Review) -> None:
    async with three.run() as pilot:
        await until_read(pilot)
        await pilot.press("j")
        await until_read(pilot)
        await pilot.press("a", "u")
        await until(pilot, lambda: queue_ids(pilot) == [FIRST, SECOND, THIRD])
        assert selected_id(pilot) == SECOND

    kinds = [e.entry for e in show_experience(three.project, SECOND).history]
    assert kinds == [EntryKind.PROPOSED, EntryKind.APPROVED, EntryKind.UNDONE]


@pytest.mark.asyncio
async def test_neither_enter_nor_waiting_approves(three: Review) -> None:
    async with three.run() as pilot:
        await until_read(pilot)
        await pilot.press("enter", "enter", "tab", "enter", "tab", "enter", "space", "enter")
        await pilot.pause(0.5)

    assert {s.status.value for s in three.states().values()} == {"pending"}


@pytest.mark.asyncio
async def test_a_key_held_down_approves_only_once(three: Review) -> None:
    async with three.run() as pilot:
        await until_read(pilot)
        for _ in range(20):
            pilot.app.simulate_key("a")
        await until_status(pilot, three, FIRST, "approved")
        await pilot.pause(0.3)

    assert [three.status(i) for i in (FIRST, SECOND, THIRD)] == ["approved", "pending", "pending"]


@pytest.mark.asyncio
@pytest.mark.parametrize("reason", ["", "too vague [/]"])
async def test_rejecting_takes_a_reason_or_none(three: Review, reason: str) -> None:
    async with three.run() as pilot:
        await until_read(pilot)
        await pilot.press("r")
        await until_text(pilot, "reason (optional)")
        pilot.app.screen.query_one(Input).value = reason
        await pilot.press("enter")
        await until_status(pilot, three, FIRST, "rejected")
        assert queue_ids(pilot) == [SECOND, THIRD]

    assert three.states()[FIRST].reason == reason


@pytest.mark.asyncio
@pytest.mark.parametrize("key", ["r", "e", "question_mark"])
async def test_escape_leaves_everything_as_it_is(three: Review, key: str) -> None:
    async with three.run() as pilot:
        await until_read(pilot)
        await pilot.press(key)
        await until(pilot, lambda: len(pilot.app.screen_stack) == 3)
        await pilot.press("escape")
        await until(pilot, lambda: len(pilot.app.screen_stack) == 2)
        assert queue_ids(pilot) == [FIRST, SECOND, THIRD]

    assert three.status(FIRST) == "pending"


@pytest.mark.asyncio
async def test_editing_approves_the_new_words_and_keeps_the_rest(three: Review) -> None:
    before = three.states()[FIRST].experience.content
    async with three.run() as pilot:
        await until_read(pilot)
        await pilot.press("e")
        await until_text(pilot, "saving approves the new words")
        await pilot.press("H", "i", "comma", "space", "tab", "D", "o", "space", "ctrl+s")
        await until_text(pilot, "Save and approve these words?")
        await until_text(pilot, "+ Hi, Starting")
        await pilot.press("enter")
        await until_status(pilot, three, FIRST, "approved")
        assert queue_ids(pilot) == [SECOND, THIRD]

    after = three.states()[FIRST].experience.content
    assert after == replace(
        before, scenario="Hi, " + before.scenario, recommend="Do " + before.recommend
    )


@pytest.mark.asyncio
async def test_changed_words_are_thrown_away_only_when_asked(three: Review) -> None:
    async with three.run() as pilot:
        await until_read(pilot)
        await pilot.press("e")
        await until_text(pilot, "saving approves the new words")
        await pilot.press("X", "escape")
        await until_text(pilot, "Discard your changes?")
        await pilot.press("n")
        await until(pilot, lambda: len(pilot.app.screen_stack) == 3)
        assert pilot.app.screen.query_one("#scenario", TextArea).text.startswith("XStarting")
        await pilot.press("escape")
        await until_text(pilot, "Discard your changes?")
        await pilot.press("y")
        await until(pilot, lambda: len(pilot.app.screen_stack) == 2)

    assert three.status(FIRST) == "pending"


@pytest.mark.asyncio
async def test_saving_without_a_scenario_or_a_change_is_refused(three: Review) -> None:
    async with three.run() as pilot:
        await until_read(pilot)
        await pilot.press("e")
        await until_text(pilot, "saving approves the new words")
        await pilot.press("ctrl+s")
        await until_text(pilot, "Nothing is changed")
        pilot.app.screen.query_one("#scenario", TextArea).text = "  "
        await pilot.press("ctrl+s")
        await until_text(pilot, "may not be empty")

    assert three.status(FIRST) == "pending"


@pytest.mark.asyncio
async def test_undo_brings_decisions_back_one_after_another(three: Review) -> None:
    async with three.run() as pilot:
        await until_read(pilot)
        await pilot.press("a")
        await until_status(pilot, three, FIRST, "approved")
        await pilot.press("r")
        await until_text(pilot, "reason (optional)")
        await pilot.press("enter")
        await until_status(pilot, three, SECOND, "rejected")

        await pilot.press("u")
        await until_status(pilot, three, SECOND, "pending")
        assert selected_id(pilot) == SECOND
        await pilot.pause(0.1)
        await pilot.press("u")
        await until_status(pilot, three, FIRST, "pending")
        assert queue_ids(pilot) == [FIRST, SECOND, THIRD]
        await pilot.pause(0.1)
        await pilot.press("u")
        await until_text(pilot, "Nothing was decided in this sitting.")


@pytest.mark.asyncio
async def test_an_older_decision_is_taken_back_where_it_is_selected(three: Review) -> None:
    reviewing.reject(three.project, SECOND, reason="no")
    async with three.run() as pilot:
        await until_read(pilot)
        await pilot.press("3")
        await until(pilot, lambda: queue_ids(pilot) == [SECOND])
        await until_text(pilot, "by human: no")
        await pilot.press("U")
        await until_status(pilot, three, SECOND, "pending")
        assert queue_ids(pilot) == []


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("origin", "risk"), [(Origin.AGENT, ("delete",)), (Origin.EXTERNAL, ())], ids=str
)
@pytest.mark.parametrize(
    ("typed", "status"), [("000f", "approved"), ("000F", "approved"), ("", "pending"),
                          ("ffff", "pending"), ("y", "pending")]
)  # fmt: skip
async def test_a_risky_or_external_one_needs_the_end_of_its_id(
    review: Review, origin: Origin, risk: tuple[str, ...], typed: str, status: str
) -> None:
    experience = an_experience(15, origin=origin, risk=risk)
    review.propose(experience)
    async with review.run() as pilot:
        await until_read(pilot)
        await pilot.press("a")
        await until_text(pilot, "This one needs your explicit word")
        await pilot.press(*typed, "enter")
        if status == "approved":
            await until_status(pilot, review, experience.experience_id, status)
        else:
            await pilot.pause(0.2)
            assert "This one needs your explicit word" in screen_text(pilot)

    assert review.status(experience.experience_id) == status


@pytest.mark.asyncio
@pytest.mark.parametrize("risk", ["untried_literal", "quote_not_verbatim", "claim_not_cited"])
async def test_what_only_asks_for_a_closer_look_is_approved_by_one_key(
    review: Review, risk: str
) -> None:
    experience = an_experience(15, risk=(risk,))
    review.propose(experience)
    async with review.run() as pilot:
        await until_read(pilot)
        await until_text(pilot, "look closer: ")
        await pilot.press("a")
        await until_status(pilot, review, experience.experience_id, "approved")


@pytest.mark.asyncio
async def test_an_edit_that_becomes_risky_asks_for_the_end_of_the_id(three: Review) -> None:
    async with three.run() as pilot:
        await until_read(pilot)
        await edit_advice(pilot, RISKY)
        await until_text(pilot, "This one needs your explicit word")
        await until_text(pilot, "risk: deletes things")
        await until_text(pilot, RISKY)
        assert three.status(FIRST) == "pending"
        await pilot.press(*FIRST[-4:], "enter")
        await until_status(pilot, three, FIRST, "approved")

    assert three.states()[FIRST].experience.content.recommend == RISKY


@pytest.mark.asyncio
async def test_risky_words_that_are_not_confirmed_can_be_edited_on(three: Review) -> None:
    async with three.run() as pilot:
        await until_read(pilot)
        await edit_advice(pilot, RISKY)
        await until_text(pilot, "This one needs your explicit word")
        await pilot.press("escape")
        await until_text(pilot, "saving approves the new words")
        area = pilot.app.screen.query_one("#recommend", TextArea)
        assert area.text == RISKY
        area.text = "Publish another port"
        await pilot.press("ctrl+s")
        await until_text(pilot, "Save and approve these words?")
        await pilot.press("enter")
        await until_status(pilot, three, FIRST, "approved")

    assert three.states()[FIRST].experience.content.recommend == "Publish another port"


@pytest.mark.asyncio
async def test_an_edit_that_takes_the_risk_away_needs_no_confirmation(review: Review) -> None:
    experience = an_experience(15, risk=("delete",), recommend=RISKY)
    review.propose(experience)
    async with review.run() as pilot:
        await until_read(pilot)
        await edit_advice(pilot, "Publish another port")
        await until_status(pilot, review, experience.experience_id, "approved")

    assert review.states()[experience.experience_id].experience.risk == ()


@pytest.mark.asyncio
async def test_an_edit_of_an_external_one_needs_the_end_of_its_id(review: Review) -> None:
    experience = an_experience(15, origin=Origin.EXTERNAL)
    review.propose(experience)
    async with review.run() as pilot:
        await until_read(pilot)
        await edit_advice(pilot, "Publish another port")
        await until_text(pilot, "This one needs your explicit word")
        await pilot.press(*"000f", "enter")
        await until_status(pilot, review, experience.experience_id, "approved")


async def edit_advice(pilot: Pilot[None], text: str) -> None:
    await pilot.press("e")
    await until_text(pilot, "saving approves the new words")
    pilot.app.screen.query_one("#recommend", TextArea).text = text
    await pilot.press("ctrl+s")
    await until_text(pilot, "Save and approve these words?")
    await pilot.press("enter")


@pytest.mark.asyncio
async def test_what_changed_since_it_was_shown_is_not_approved(three: Review) -> None:
    shown = three.states()[FIRST].experience
    async with three.run() as pilot:
        await until_read(pilot)
        other = replace(shown, content=replace(shown.content, recommend="Something else"))
        three.propose(other)
        await pilot.press("a")
        await until_text(pilot, "changed since it was shown")
        await until_text(pilot, "Something else")
        assert selected_id(pilot) == FIRST

    assert three.status(FIRST) == "pending"


@pytest.mark.asyncio
async def test_a_refused_decision_is_told_with_its_hint_and_comes_back(three: Review) -> None:
    inside = Review(three.root, {**three.env, "CLAUDECODE": "1"})
    async with inside.run(size=(120, 36)) as pilot:
        await until_read(pilot)
        await pilot.press("a")
        await until_text(pilot, "Reviewing is for a person")
        await until_text(pilot, "Review in your own terminal")
        assert queue_ids(pilot) == [FIRST, SECOND, THIRD]
        assert selected_id(pilot) == FIRST

    assert three.status(FIRST) == "pending"


@pytest.mark.asyncio
@pytest.mark.parametrize("key", ["q", "ctrl+q"])
async def test_leaving_at_once_loses_no_decision(three: Review, key: str) -> None:
    async with three.run() as pilot:
        await until_read(pilot)
        await pilot.press("a", key)

    assert three.status(FIRST) == "approved"


@pytest.mark.asyncio
async def test_another_program_s_proposals_appear_without_asking(three: Review) -> None:
    async with three.run() as pilot:
        await until_read(pilot)
        await pilot.press("j")
        three.propose(an_experience(4))
        await until(pilot, lambda: len(queue_ids(pilot)) == 4)
        assert selected_id(pilot) == SECOND


@pytest.mark.asyncio
@pytest.mark.parametrize("key", ["a", "r"])
async def test_a_decision_made_beside_the_room_is_never_overridden_unseen(
    three: Review, key: str
) -> None:
    async with three.run() as pilot:
        await until_read(pilot)
        if key == "r":
            await pilot.press("r")
            await until_text(pilot, "reason (optional)")
        reviewing.reject(three.project, FIRST, reason="a colleague's")
        await pilot.press("a" if key == "a" else "enter")
        await until_text(pilot, "somebody decided it")
        await until(pilot, lambda: queue_ids(pilot) == [SECOND, THIRD])

    kinds = [e.entry for e in show_experience(three.project, FIRST).history]
    assert kinds == [EntryKind.PROPOSED, EntryKind.REJECTED]
    assert three.states()[FIRST].reason == "a colleague's"
