"""Recorded text is data: it is shown as it is, in every view, and commands nothing."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from textual.events import Paste
from textual.pilot import Pilot
from textual.widgets import Input

from hindsight_cli.records.jsonvalue import JsonValue
from hindsight_cli.terminal import visible
from tests.tui.projects import Review, an_experience
from tests.tui.waiting import screen_text, selected_id, until_read, until_status, until_text

HOSTILE = [
    "[/]",
    "[bold",
    "[/tmp/x] [TODO] plan",
    "[@click=app.quit]here[/]",
    '{"a": [true]} $error {0} %s',
    "\\[/ [link=file:///x]y[/link]",
]
CONTROLS = {
    "\x1b[2J\x1b[31mred": "<U+001B>[2J<U+001B>[31mred",
    "\x1b]52;c;aGk=\x07": "<U+001B>]52;c;aGk=<U+0007>",
    "\x9b31m a\u202eb\u202c": "<U+009B>31m a<U+202E>b<U+202C>",
    "a\u200bb \U000e0041": "a<U+200B>b <U+E0041>",
}
CASES = (*((text, text) for text in HOSTILE), *CONTROLS.items())
FORBIDDEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\U000e0041]")


def propose_hostile(review: Review, *, risk: tuple[str, ...] = ()) -> None:
    """One experience for each case, every text of it and of its steps hostile."""
    experiences = []
    for number, (text, _) in enumerate(CASES, 1):
        session = review.record_session(output=f"out {text}", command=f"echo {text}")
        words: dict[str, JsonValue] = {
            n: f"{n} {text}" for n in ("scenario", "recommend", "avoid", "why")
        }
        words["tool_tags"] = (text,)
        experiences.append(an_experience(number, session_id=session, risk=risk, **words))
    review.propose(*experiences)


async def see(pilot: Pilot[None], *texts: str) -> None:
    """Wait for all of `texts`; nothing on screen may be one that commands."""
    for text in texts:
        await until_text(pilot, text)
    assert not FORBIDDEN.search(screen_text(pilot))


async def paste(pilot: Pilot[None], text: str) -> None:
    """As a terminal reports a paste."""
    focused = pilot.app.screen.focused
    assert focused is not None
    focused.post_message(Paste(text))
    await pilot.pause()


@pytest.mark.asyncio
@pytest.mark.parametrize("size", [(80, 24), (200, 50)], ids=str)
async def test_hostile_text_is_shown_literally_in_list_and_panes(
    review: Review, size: tuple[int, int]
) -> None:
    propose_hostile(review)
    async with review.run(size=size) as pilot:
        await until_read(pilot)
        for _, shown in CASES:
            await until_read(pilot)
            await see(pilot, f"scenario {shown}"[:24])
            await pilot.press("z")
            await see(pilot, f"echo {shown}", f"out {shown}")
            await pilot.press("escape", "tab", "z")
            await see(pilot, *(f"{n} {shown}" for n in ("scenario", "recommend", "avoid", "why")))
            await pilot.press("escape", "o", "j")


@pytest.mark.asyncio
async def test_hostile_text_is_shown_literally_in_dialogs_and_toasts(review: Review) -> None:
    propose_hostile(review)
    async with review.run(size=(200, 50)) as pilot:
        for text, shown in CASES:
            await until_read(pilot)
            await pilot.press("e")
            await until_text(pilot, "saving approves the new words")
            await see(pilot, *(f"{n} {shown}" for n in ("scenario", "recommend", "avoid", "why")))
            await pilot.press("escape", "r")
            await until_text(pilot, "reason (optional)")
            await see(pilot, f"scenario {shown}")
            await paste(pilot, text)
            await see(pilot, f"│ {shown}")
            await pilot.press("enter")
            await see(pilot, f"Rejected: scenario {shown}")
        await pilot.press("3")
        for _, shown in CASES:
            await until_read(pilot)
            await see(pilot, f"by human: {shown}")
            await pilot.press("j")


@pytest.mark.asyncio
async def test_what_is_pasted_is_data_too(review: Review) -> None:
    review.propose(an_experience(1))
    async with review.run(size=(120, 36)) as pilot:
        await until_read(pilot)
        await pilot.press("slash")
        for text, shown in CASES:
            await paste(pilot, text)
            await see(pilot, f"Nothing here matches “{shown}”.")
            pilot.app.screen.query_one("#filter", Input).clear()
        await pilot.press("escape")
        await until_read(pilot)
        await pilot.press("e")
        await until_text(pilot, "saving approves the new words")
        for text, shown in CASES:
            await paste(pilot, text + "\r")
            await see(pilot, f"│ {shown}")


@pytest.mark.asyncio
async def test_hostile_text_is_shown_literally_before_a_typed_confirmation(
    review: Review,
) -> None:
    propose_hostile(review, risk=("[/]", "\x1b[2J"))
    async with review.run(size=(120, 36)) as pilot:
        for _, shown in CASES:
            await until_read(pilot)
            await pilot.press("a")
            await see(pilot, f"recommend {shown}", "[/]; <U+001B>[2J")
            await pilot.press("escape", "j")


@pytest.mark.asyncio
async def test_an_id_chosen_by_somebody_else_is_only_an_id(review: Review) -> None:
    strange = ["[/]", "[bold", "../../etc/x", "a" * 200, "标识"]
    review.propose(*(replace(an_experience(1, risk=("delete",)), experience_id=i) for i in strange))
    async with review.run(size=(120, 36)) as pilot:
        for _ in strange:
            await until_read(pilot)
            own = selected_id(pilot)
            assert own is not None
            await pilot.press("y")
            await see(pilot, "Also in")
            await pilot.press("a")
            await see(pilot, "needs your explicit word")
            pilot.app.screen.query_one(Input).value = visible(own[-4:])
            await pilot.press("enter")
            await until_status(pilot, review, own, "approved")


@pytest.mark.asyncio
async def test_a_project_folder_with_a_hostile_name_is_shown_literally(review: Review) -> None:
    odd = Review(review.root.with_name("[@click=app.quit]"), review.env)
    odd.root.mkdir()
    odd.project.init()
    async with odd.run(size=(120, 36)) as pilot:
        await until_read(pilot)
        await see(pilot, "[@click=app.quit]")
