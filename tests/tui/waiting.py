"""Wait for what the threads behind the review room do."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

from textual.pilot import Pilot

from hindsight_cli.tui.review import ReviewScreen

PATIENCE_S = 20.0


async def until(pilot: Pilot[Any], condition: Callable[[], bool], what: str = "") -> None:
    """Wait until `condition` holds.

    Raises:
        AssertionError: it did not within `PATIENCE_S`.
    """
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, f"waited in vain {what}"
        await pilot.pause()
        await asyncio.sleep(0.01)
    await pilot.pause()


def room(pilot: Pilot[Any]) -> ReviewScreen:
    """The review room, whatever dialog lies above it."""
    return next(s for s in pilot.app.screen_stack if isinstance(s, ReviewScreen))


async def until_read(pilot: Pilot[Any]) -> None:
    """Wait until the selected experience is on screen with its steps, or the list is empty."""
    await until(pilot, lambda: any(isinstance(s, ReviewScreen) for s in pilot.app.screen_stack))
    here = room(pilot)
    await until(
        pilot,
        lambda: here.loaded and (here.shown is not None or not here.queue.items),
        "for the steps",
    )
