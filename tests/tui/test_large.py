"""Lengths that people really have: what is not in sight costs nothing."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from textual.app import App, ComposeResult

from hindsight_cli.records.event import Event, EventType, Status
from hindsight_cli.records.trace import Trace
from hindsight_cli.tui.row_list import Part, RowList
from hindsight_cli.tui.step_list import StepList
from hindsight_cli.tui.timeline import timeline
from hindsight_cli.tui.trace_screen import TraceScreen
from tests.factories import an_event
from tests.tui.projects import Review, a_call, an_experience
from tests.tui.waiting import queue_ids, room, screen_text, until, until_read, until_text

STEPS = 50_000
BORING_S = 5.0  # generous: the machines of others are slow and busy


def a_long_trace(steps: int) -> Trace:
    events: list[Event] = []
    for step in range(1, steps + 1):
        call = an_event(seq=2 * step - 1, step_index=step, event_type=EventType.TOOL_CALL)
        result = an_event(
            seq=2 * step,
            step_index=step,
            event_type=EventType.TOOL_RESULT,
            status=Status.ERROR if step % 100 == 0 else Status.OK,
        )
        events += [call, result]
    return Trace("tr-1", "se-1", "test", events)


class Timeline(App[None]):
    drawn = 0

    def compose(self) -> ComposeResult:
        app = self

        class Counted(StepList):
            def draw(self, place: int, part: int, width: int) -> list[Part]:
                app.drawn += 1
                return list(super().draw(place, part, width))

        yield Counted(id="rows")


@pytest.mark.asyncio
async def test_of_fifty_thousand_steps_only_those_in_sight_are_drawn() -> None:
    lines = timeline(a_long_trace(STEPS))
    assert len(lines) == STEPS
    assert sum(line.failed for line in lines) == STEPS // 100
    app = Timeline()
    async with app.run_test(size=(80, 24)) as pilot:
        rows = app.query_one(StepList)
        rows.items = lines
        rows.show_rows(len(lines), 0)
        await pilot.pause()
        start = time.perf_counter()
        for key in ("end", "pageup", "home", "pagedown"):
            await pilot.press(key)
        took = time.perf_counter() - start
        assert isinstance(rows, RowList)
        assert rows.index > 0
        assert took < BORING_S
        assert app.drawn < 24 * 20


@pytest.mark.asyncio
async def test_thousands_wait_and_every_key_is_answered_at_once(review: Review) -> None:
    review.propose(*(an_experience(n) for n in range(1, 3001)))
    async with review.run() as pilot:
        await until_read(pilot)
        assert len(queue_ids(pilot)) == 3000
        start = time.perf_counter()
        await pilot.press("end", "pageup", "home", "pagedown", "j", "k")
        assert time.perf_counter() - start < BORING_S
        assert room(pilot).queue.index > 0
        await until_text(pilot, "1 pending 3000")


@pytest.mark.asyncio
async def test_a_step_of_megabytes_is_opened_and_left_at_once(review: Review) -> None:
    big = "\n".join(f"line {n} " + "x" * 90 for n in range(50_000))
    session = review.record(
        a_call("cat big", output=big, status="error", exit_code=1),
        a_call("head big", output="line", status="ok", exit_code=0),
    )
    review.propose(an_experience(1, session_id=session))
    async with review.run() as pilot:
        await until_read(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, TraceScreen))
        await until_text(pilot, "failed, exit 1")
        start = time.perf_counter()
        await pilot.press("j", "k", "j")
        assert time.perf_counter() - start < BORING_S
        # Textual would write out all that a worker is given: a whole trace, at every key.
        assert all(len(worker.description) < 200 for worker in pilot.app.workers)
        await pilot.press("k", "enter", "G")
        await until_text(pilot, "line 49999")


@pytest.mark.asyncio
async def test_hostile_words_are_shown_literally_in_a_trace(review: Review, temp: Path) -> None:
    hostile = "[/] [bold red] [/tmp/x] \x1b]52;c;aGk=\x07 \u202eevil 👩‍💻 端口 e\u0301"
    session = review.record(
        a_call(f"echo {hostile}", output=hostile, status="error", exit_code=1),
        a_call("true", output=hostile, status="ok", exit_code=0),
    )
    review.propose(an_experience(1, session_id=session, scenario=hostile))
    async with review.run(size=(140, 40)) as pilot:
        await until_read(pilot)
        for keys in (["enter"], ["enter"], ["escape", "escape", "t"], ["escape", "x"]):
            await pilot.press(*keys)
            await pilot.pause(0.3)
            text = screen_text(pilot)
            assert "\x1b]52" not in text
            assert "\u202e" not in text
        assert "[/] [bold red]" in text
        assert "<U+202E>" in text
