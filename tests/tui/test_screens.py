"""The screens beside the review: traces, one trace, all experiences, help, the palette."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Static

from hindsight_cli.api import reviewing
from hindsight_cli.api.experiences import show_experience
from hindsight_cli.records.ledger import EntryKind
from hindsight_cli.tui.experiences_screen import ExperiencesScreen
from hindsight_cli.tui.row_list import RowList
from hindsight_cli.tui.text_screen import TextScreen
from hindsight_cli.tui.trace_screen import TraceScreen
from hindsight_cli.tui.traces_screen import TracesScreen, duration, size
from tests.tui.projects import FAILED_STEP, FIXED_STEP, Review, a_call, an_experience
from tests.tui.waiting import (
    queue_ids,
    screen_text,
    selected_id,
    until,
    until_read,
    until_status,
    until_text,
)

FIRST, SECOND, THIRD = (an_experience(n).experience_id for n in (1, 2, 3))


@pytest.fixture
def three(review: Review) -> Review:
    session = review.record_session()
    review.propose(*(an_experience(n, session_id=session) for n in (1, 2, 3)))
    return review


def trace_screen(pilot: Pilot[Any]) -> TraceScreen:
    assert isinstance(pilot.app.screen, TraceScreen)
    return pilot.app.screen


async def until_trace(pilot: Pilot[Any]) -> TraceScreen:
    """Wait for the timeline and for what reflection makes of it."""
    await until(pilot, lambda: isinstance(pilot.app.screen, TraceScreen), "for the trace")
    here = trace_screen(pilot)
    await until(pilot, lambda: here.selected is not None, "for the timeline")
    await until(pilot, lambda: bool(here.steps.notes.fixed_by), "for the recoveries")
    return here


@pytest.mark.asyncio
async def test_enter_opens_the_whole_trace_at_the_failed_step_that_is_cited(three: Review) -> None:
    async with three.run(size=(140, 45)) as pilot:
        await until_read(pilot)
        await pilot.press("enter")
        here = await until_trace(pilot)
        assert here.selected is not None
        assert here.selected.step_index == FAILED_STEP
        await until_text(pilot, "● cited")
        await until_text(pilot, "failed, exit 125")
        await pilot.press("c")
        await until(pilot, lambda: here.selected is not None)
        assert here.selected.step_index == FIXED_STEP
        await pilot.press("escape")
        await until_read(pilot)
        assert selected_id(pilot) == FIRST


@pytest.mark.asyncio
async def test_a_failure_leads_to_its_fix_and_back(three: Review) -> None:
    async with three.run(size=(140, 45)) as pilot:
        await until_read(pilot)
        await pilot.press("t")
        await until_text(pilot, "Start the database")
        await pilot.press("enter")
        here = await until_trace(pilot)
        steps = []
        for key in ("n", "f", "f", "p"):
            await pilot.press(key)
            await pilot.pause()
            steps.append(here.selected.step_index if here.selected else None)

    assert steps == [FAILED_STEP, FIXED_STEP, FAILED_STEP, FAILED_STEP]


@pytest.mark.asyncio
async def test_the_whole_output_of_a_step_can_be_read_to_its_end(review: Review) -> None:
    long = "\n".join(f"line {n} [/] {{x}}" for n in range(5000)) + "\nthe very end"
    session = review.record_session(output=long)
    review.propose(an_experience(1, session_id=session))
    async with review.run() as pilot:
        await until_read(pilot)
        await pilot.press("enter")
        await until_trace(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, TextScreen))
        await pilot.press("G")
        await until_text(pilot, "the very end")
        await pilot.press("escape")
        assert isinstance(pilot.app.screen, TraceScreen)


@pytest.mark.asyncio
async def test_steps_are_searched_in_input_and_output(three: Review) -> None:
    async with three.run() as pilot:
        await until_read(pilot)
        await pilot.press("enter")
        here = await until_trace(pilot)
        await pilot.press("slash", *"allocated")
        await until(pilot, lambda: here.steps.count == 1)
        await pilot.press("enter")
        assert here.selected is not None
        assert here.selected.step_index == FAILED_STEP
        await pilot.press("slash", *"zzz")
        await until_text(pilot, "No step matches")
        await pilot.press("escape")
        await until(pilot, lambda: here.steps.count > 1)
        assert isinstance(pilot.app.screen, TraceScreen)


@pytest.mark.asyncio
async def test_traces_show_what_tells_them_apart_and_can_be_searched(three: Review) -> None:
    three.record(a_call("ls", output="", status="ok"))
    async with three.run(size=(140, 45)) as pilot:
        await until_read(pilot)
        await pilot.press("t")
        await until_text(pilot, "2 traces, 1 failed calls")
        assert "started" in screen_text(pilot)
        await pilot.press("slash")
        pilot.app.screen.query_one("#filter", Input).value = "no such task"
        await until_text(pilot, "No trace matches")
        await pilot.press("escape")
        await until(pilot, lambda: pilot.app.screen.query_one("#rows", RowList).count == 2)
        await pilot.press("escape")
        await until_read(pilot)


@pytest.mark.asyncio
async def test_without_a_trace_the_next_command_is_named(review: Review) -> None:
    async with review.run() as pilot:
        await until_read(pilot)
        await until_text(pilot, "hindsight import")
        await pilot.press("t")
        await until(pilot, lambda: isinstance(pilot.app.screen, TracesScreen))
        await until_text(pilot, "Nothing is recorded yet.")
        await pilot.press("enter", "j", "k", "G", "escape")
        await until_read(pilot)


@pytest.mark.asyncio
async def test_all_states_have_a_list_and_one_shows_its_history(three: Review) -> None:
    reviewing.approve(three.project, FIRST)
    reviewing.reject(three.project, SECOND, reason="too vague [/]")
    async with three.run(size=(140, 45)) as pilot:
        await until_read(pilot)
        await pilot.press("x")
        await until(pilot, lambda: isinstance(pilot.app.screen, ExperiencesScreen))
        await until_text(pilot, "[3 all]")
        await until_text(pilot, "history, newest first")
        await until_text(pilot, "approved  by")
        await pilot.press("4")
        await until_text(pilot, "[1 rejected]")
        await until_text(pilot, "too vague [/]")
        await pilot.press("right")
        await until_text(pilot, "Nothing is in the list “suspended”.")
        await pilot.press("3", "enter")
        await until_read(pilot)
        assert selected_id(pilot) == FIRST
        assert queue_ids(pilot) == [FIRST]


@pytest.mark.asyncio
async def test_several_are_decided_together_and_taken_back_one_by_one(three: Review) -> None:
    async with three.run() as pilot:
        await until_read(pilot)
        for _ in range(2):
            await pilot.press("space")
            await until_read(pilot)
        await pilot.press("a")
        await until_status(pilot, three, FIRST, "approved")
        await until_status(pilot, three, SECOND, "approved")
        assert queue_ids(pilot) == [THIRD]
        await pilot.press("u")
        await until_status(pilot, three, SECOND, "pending")
        await pilot.pause(0.2)
        await pilot.press("u")
        await until_status(pilot, three, FIRST, "pending")

    for own in (FIRST, SECOND):
        kinds = [e.entry for e in show_experience(three.project, own).history]
        assert kinds == [EntryKind.PROPOSED, EntryKind.APPROVED, EntryKind.UNDONE]


@pytest.mark.asyncio
async def test_one_reason_rejects_several(three: Review) -> None:
    async with three.run() as pilot:
        await until_read(pilot)
        await pilot.press("space")
        await until_read(pilot)
        await pilot.press("space", "r")
        await until_text(pilot, "Reject 2 experiences")
        await pilot.press(*"vague", "enter")
        await until_status(pilot, three, FIRST, "rejected")
        await until_status(pilot, three, SECOND, "rejected")

    assert {three.states()[i].reason for i in (FIRST, SECOND)} == {"vague"}


@pytest.mark.asyncio
async def test_a_risky_one_is_never_approved_together_with_others(review: Review) -> None:
    review.propose(an_experience(1), an_experience(2, risk=("delete",)))
    async with review.run() as pilot:
        await until_read(pilot)
        await pilot.press("space")
        await until_read(pilot)
        await pilot.press("space", "a")
        await until_text(pilot, "1 of 2 ask for a closer look")
        await until_status(pilot, review, FIRST, "approved")

    assert review.status(SECOND) == "pending"


@pytest.mark.asyncio
async def test_skipping_leaves_it_waiting(three: Review) -> None:
    async with three.run() as pilot:
        await until_read(pilot)
        await pilot.press("s")
        await until_read(pilot)
        assert selected_id(pilot) == SECOND

    assert three.status(FIRST) == "pending"


@pytest.mark.asyncio
async def test_the_guard_speaks_while_one_types_and_tags_are_completed(three: Review) -> None:
    async with three.run(size=(100, 30)) as pilot:
        await until_read(pilot)
        await pilot.press("e")
        await until_text(pilot, "the guard finds nothing")
        await pilot.press("tab", *"Run rm -rf / first. ")
        await until_text(pilot, "! ")
        tags = pilot.app.screen.query_one("#task_tags", Input)
        tags.focus()
        await pilot.press(*"doc")
        await until(pilot, lambda: tags._suggestion == "docker")
        await pilot.press("right")
        assert tags.value == "docker"


@pytest.mark.asyncio
async def test_every_command_can_be_found_by_its_name(three: Review) -> None:
    async with three.run() as pilot:
        await until_read(pilot)
        await pilot.press("ctrl+p")
        await until_text(pilot, "Search for commands")
        await pilot.press(*"Whole trace")
        await pilot.pause(0.5)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, TraceScreen))


@pytest.mark.asyncio
async def test_a_store_that_cannot_be_read_says_what_to_do(review: Review) -> None:
    review.propose(an_experience(1))
    review.project.local_ledger.unlink()
    review.project.local_ledger.mkdir()
    async with review.run() as pilot:
        await until_text(pilot, "hindsight doctor")
        await pilot.press("t")
        await pilot.press("escape")
        await pilot.press("q")


@pytest.mark.asyncio
@pytest.mark.parametrize("width", [20, 40, 80, 120, 300])
async def test_every_screen_bears_any_size(three: Review, width: int) -> None:
    async with three.run(size=(140, 45)) as pilot:
        await until_read(pilot)
        for key in ("t", "enter", "enter"):
            await pilot.press(key)
            await pilot.pause(0.2)
            await pilot.resize_terminal(width, 12)
            await pilot.pause()
            assert all(len(line) <= width for line in screen_text(pilot).splitlines())
            await pilot.resize_terminal(140, 45)


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(None, ""), (-1, ""), (26, "26s"), (150, "2m"), (11100, "3h05"), (200_000, "2d")],
)
def test_durations_are_told_as_people_do(seconds: float | None, told: str) -> None:
    assert duration(seconds) == told


@pytest.mark.parametrize(("count", "told"), [(0, "0 B"), (2048, "2 kB"), (5 << 20, "5 MB")])
def test_sizes_are_told_as_people_do(count: int, told: str) -> None:
    assert size(count) == told


@pytest.mark.asyncio
async def test_three_tones_follow_each_other(three: Review) -> None:
    async with three.run() as pilot:
        await until_read(pilot)
        seen = [pilot.app.theme]
        for _ in range(3):
            await pilot.press("T")
            seen.append(pilot.app.theme)
        assert seen == ["hindsight-dark", "hindsight-light", "hindsight-contrast", "hindsight-dark"]
        assert pilot.app.sub_title == "3 waiting"
        assert isinstance(pilot.app.screen.query_one("#empty"), Static)
