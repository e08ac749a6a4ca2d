"""Look at the review room and wait for what the threads behind it do."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

from textual.pilot import Pilot

from hindsight_cli.tui.review import ReviewScreen
from tests.tui.projects import Review

PATIENCE_S = 30.0


async def until(pilot: Pilot[Any], condition: Callable[[], bool], what: str = "") -> None:
    """Wait until `condition` holds.

    Raises:
        AssertionError: it did not within `PATIENCE_S`.
    """
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, f"waited in vain {what}:\n{screen_text(pilot)}"
        await pilot.pause()
        await asyncio.sleep(0.01)
    await pilot.pause()


def room(pilot: Pilot[Any]) -> ReviewScreen:
    """The review room, whatever dialog lies above it."""
    return next(s for s in pilot.app.screen_stack if isinstance(s, ReviewScreen))


def queue_ids(pilot: Pilot[Any]) -> list[str]:
    return [s.experience.experience_id for s in room(pilot).queue.items]


def selected_id(pilot: Pilot[Any]) -> str | None:
    selected = room(pilot).queue.selected
    return selected.experience.experience_id if selected else None


async def until_read(pilot: Pilot[Any]) -> None:
    """Wait until the selected experience is on screen with its steps, or the list is empty."""
    await until(pilot, lambda: any(isinstance(s, ReviewScreen) for s in pilot.app.screen_stack))
    here = room(pilot)
    await until(
        pilot,
        lambda: here.loaded and (here.shown is not None or not here.queue.items),
        "for the steps",
    )


async def until_status(pilot: Pilot[Any], review: Review, experience_id: str, status: str) -> None:
    """Wait until the ledger says so, read as another process would, and the room knows."""
    await until(
        pilot, lambda: review.status(experience_id) == status, f"for {experience_id} {status}"
    )
    await until(pilot, lambda: all(w.is_finished for w in pilot.app.workers), "for the workers")
    await until_read(pilot)


async def until_text(pilot: Pilot[Any], text: str) -> None:
    """Wait until `text` stands on one line of the screen."""
    await until(pilot, lambda: text in screen_text(pilot), f"for {text!r}")


def screen_text(pilot: Pilot[Any]) -> str:
    """What a person sees, line by line."""
    strips = pilot.app.screen._compositor.render_strips()
    return "\n".join(strip.text for strip in strips)
