"""What the room shows: lists, filter, sizes, long texts, empty places."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from hindsight_cli.api import reviewing
from hindsight_cli.api.project import Project
from hindsight_cli.api.proposing import propose
from hindsight_cli.records.experience import ExperienceKind, Origin
from tests.tui.projects import Review, an_experience
from tests.tui.waiting import (
    queue_ids,
    room,
    screen_text,
    selected_id,
    until,
    until_read,
    until_text,
)

SIZES = [(80, 24), (120, 36), (200, 50)]


def ids(*numbers: int) -> list[str]:
    return [an_experience(n).experience_id for n in numbers]


@pytest.mark.asyncio
@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_the_claim_and_both_cited_steps_are_in_sight_together(
    review: Review, size: tuple[int, int]
) -> None:
    long = "\n".join(f"noise {n}" for n in range(400)) + "\nport is already allocated"
    session = review.record_session(output=long)
    review.propose(an_experience(1, session_id=session))
    async with review.run(size=size) as pilot:
        await until_read(pilot)
        lines = screen_text(pilot).splitlines()

    assert len(lines) == size[1]
    text = "\n".join(lines)
    for expected in (
        "failure lesson",
        "Publish another host port",
        "step 2  Bash",
        "failed, exit 125",
        "port is already allocated",
        "lines left out",
        "step 3  Bash",
        "ok, exit 0",
        "a approve",
        "q quit",
        "1 pending 1",
    ):
        assert expected in text


@pytest.mark.asyncio
async def test_long_outputs_are_shown_at_length_on_a_key(review: Review) -> None:
    session = review.record_session(output="\n".join(f"noise {n}" for n in range(100)))
    review.propose(an_experience(1, session_id=session))
    async with review.run() as pilot:
        await until_read(pilot)
        assert "noise 7" not in screen_text(pilot)
        await pilot.press("o", "z")
        await until_text(pilot, "noise 7")
        assert "lines left out" not in screen_text(pilot)
        await pilot.press("J")
        await until_text(pilot, "noise 30")


@pytest.mark.asyncio
async def test_megabytes_of_output_never_reach_a_widget(review: Review) -> None:
    line = "0123456789abcdef" * 8
    output = "\n".join([line] * 20_000 + ["x" * 2_000_000, "port is already allocated"])
    session = review.record_session(output=output)
    review.propose(an_experience(1, session_id=session))
    async with review.run() as pilot:
        await until_read(pilot)
        shown = room(pilot).shown
        assert shown is not None
        assert sum(len(str(row)) for view in shown.views for row in view.output) < 200_000
        assert "port is already allocated" in screen_text(pilot)
        await pilot.press("o")
        await pilot.pause()


@pytest.mark.asyncio
async def test_a_step_whose_trace_is_gone_shows_the_extract_that_was_kept(review: Review) -> None:
    review.propose(an_experience(1, session_id="gone"))
    async with review.run() as pilot:
        await until_read(pilot)
        await until_text(pilot, "its trace is gone")


@pytest.mark.asyncio
async def test_one_written_by_hand_says_that_it_cites_nothing(review: Review) -> None:
    review.propose(an_experience(1))
    async with review.run(size=(120, 36)) as pilot:
        await until_read(pilot)
        assert "written by hand and cites no step" in screen_text(pilot)


@pytest.mark.asyncio
@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_flags_are_shown_in_the_list_and_explained(
    review: Review, size: tuple[int, int]
) -> None:
    review.propose(
        an_experience(
            1, origin=Origin.EXTERNAL, risk=("untried_literal", "delete"), workaround=True
        ),
        an_experience(2, kind=ExperienceKind.SUCCESS_PATTERN),
    )
    async with review.run(size=size) as pilot:
        await until_read(pilot)
        text = screen_text(pilot)
        for expected in (
            "risk: deletes things",
            "external: its words come only",
            "look closer: a command or name",
            "workaround: temporary: the root",
        ):
            assert expected in text
        if size[0] == 80:
            await pilot.press("l")
            text = screen_text(pilot)
        in_words = size[0] != 120
        assert ("risk external" if in_words else "▌! number 1 while") in text
        assert ("success pattern" if in_words else " S Starting container") in text


@pytest.mark.asyncio
async def test_the_four_lists_have_a_key_and_a_count_each(review: Review) -> None:
    then = review.project_at(datetime.now(UTC) - timedelta(days=90))
    propose(then, [an_experience(4)], by="rules")
    reviewing.approve(then, ids(4)[0])
    review.propose(*(an_experience(n) for n in (1, 2, 3, 5)))
    reviewing.approve(review.project, ids(2)[0])
    reviewing.reject(review.project, ids(3)[0], reason="wrong")
    async with review.run() as pilot:
        await until_read(pilot)
        assert "1 pending 2  2 approved 2  3 rejected 1  4 stale 1" in screen_text(pilot)
        for key, expected in (
            ("2", ids(4, 2)),
            ("3", ids(3)),
            ("4", ids(4)),
            ("1", ids(1, 5)),
        ):
            await pilot.press(key)
            assert queue_ids(pilot) == expected
        await pilot.press("4")
        await until_text(pilot, "not verified for 90 days")


@pytest.mark.asyncio
async def test_a_stale_one_is_fresh_again_once_approved(review: Review) -> None:
    then = review.project_at(datetime.now(UTC) - timedelta(days=90))
    propose(then, [an_experience(1)], by="rules")
    reviewing.approve(then, ids(1)[0])
    async with review.run() as pilot:
        await until_read(pilot)
        await pilot.press("4")
        await until(pilot, lambda: queue_ids(pilot) == ids(1))
        await until_read(pilot)
        await pilot.press("a")
        await until(pilot, lambda: not review.states()[ids(1)[0]].stale)
        assert queue_ids(pilot) == []


@pytest.mark.asyncio
async def test_an_approval_by_somebody_else_waits_and_says_so(review: Review) -> None:
    review.propose(an_experience(1))
    other = Project(review.root, env={"HINDSIGHT_CLI_DATA_DIR": str(review.root / "other")})
    reviewing.approve(other, ids(1)[0])
    async with review.run(size=(120, 36)) as pilot:
        await until_read(pilot)
        assert queue_ids(pilot) == ids(1)
        assert "untrusted: approved by somebody" in screen_text(pilot)
        await pilot.press("a")
        await until(pilot, lambda: review.states()[ids(1)[0]].retrievable)


@pytest.mark.asyncio
async def test_moving_works_by_letters_and_arrows(review: Review) -> None:
    review.propose(*(an_experience(n) for n in range(1, 31)))
    async with review.run() as pilot:
        await until_read(pilot)
        for key, expected in (
            ("j", 2),
            ("down", 3),
            ("k", 2),
            ("up", 1),
            ("up", 1),
            ("end", 30),
            ("j", 30),
            ("home", 1),
            ("pagedown", 2),
            ("pageup", 1),
            ("l", 1),
            ("pagedown", 4),
            ("pageup", 1),
            ("l", 1),
        ):
            await pilot.press(key)
            assert selected_id(pilot) == ids(expected)[0], key
        await pilot.press("tab", "j", "j", "tab", "j")
        assert selected_id(pilot) == ids(4)[0]
        await until_read(pilot)
        assert "number 4" in screen_text(pilot)


@pytest.mark.asyncio
async def test_the_filter_narrows_while_one_types(review: Review) -> None:
    review.propose(
        an_experience(1, scenario="Starting the database"),
        an_experience(2, scenario="统计退款的订单数", recommend="先看表结构"),
        an_experience(3, scenario="Bringing up a cache", tool_tags=("redis-cli",)),
    )
    async with review.run() as pilot:
        await until_read(pilot)
        await pilot.press("slash", *"DATA")
        assert queue_ids(pilot) == ids(1)
        await pilot.press(*"zzz")
        assert queue_ids(pilot) == []
        await until_text(pilot, "Nothing here matches “DATAzzz”.")
        await pilot.press("escape")
        assert queue_ids(pilot) == ids(1, 2, 3)
        await pilot.press("slash", *"redis", "enter")
        assert queue_ids(pilot) == ids(3)
        await until_read(pilot)
        await pilot.press("escape", "slash", *"退款")
        assert queue_ids(pilot) == ids(2)
        await pilot.press("enter")
        await until_read(pilot)
        await pilot.press("a")
        await until(pilot, lambda: review.status(ids(2)[0]) == "approved")
        assert queue_ids(pilot) == []


@pytest.mark.asyncio
@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_an_empty_room_says_what_to_do_next(review: Review, size: tuple[int, int]) -> None:
    async with review.run(size=size) as pilot:
        await until_read(pilot)
        await until_text(pilot, "hindsight reflect")
        await pilot.press("a", "e", "r", "u", "U", "y", "j", "k", "J", "K", "o", "z", "z")
        await pilot.press("1", "2", "3", "4", "tab", "enter", "escape")
        await until_text(pilot, "Nothing is stale")


@pytest.mark.asyncio
async def test_the_last_decision_leads_to_what_comes_next(review: Review) -> None:
    review.propose(an_experience(1))
    async with review.run() as pilot:
        await until_read(pilot)
        await pilot.press("a")
        await until_text(pilot, "All reviewed: 1 approved, 0 rejected.")


@pytest.mark.asyncio
async def test_wide_characters_stay_inside_their_pane(review: Review) -> None:
    text = "当容器因为端口被占用而反复退出时，日志里只有一行错误，" * 6
    review.propose(an_experience(1, scenario=text, recommend=text, why="👩‍💻 é " * 40))
    for size in SIZES:
        async with review.run(size=size) as pilot:
            await until_read(pilot)
            strips = pilot.app.screen._compositor.render_strips()
            assert {strip.cell_length for strip in strips} == {size[0]}
            lines = [strip.text.rstrip() for strip in strips]
            panes = lines[2 if size[0] == 80 else 1 : -1]
            assert all(line.endswith(("│", "╮", "╯")) for line in panes)


@pytest.mark.asyncio
async def test_zoom_gives_a_pane_the_whole_room_and_back(review: Review) -> None:
    review.propose(an_experience(1, session_id=review.record_session()))
    async with review.run() as pilot:
        await until_read(pilot)
        await pilot.press("z")
        await until(pilot, lambda: "avoid" not in screen_text(pilot))
        assert "step 2  Bash" in screen_text(pilot)
        await pilot.press("escape")
        await until_text(pilot, "avoid")


@pytest.mark.asyncio
async def test_hundreds_wait_and_the_last_one_is_a_key_away(review: Review) -> None:
    session = review.record_session()
    review.propose(*(an_experience(n, session_id=session) for n in range(1, 501)))
    async with review.run() as pilot:
        await until_read(pilot)
        assert "1 of 500" in screen_text(pilot)
        await pilot.press("end")
        await until_read(pilot)
        await until_text(pilot, "500 of 500")
        assert "number 500" in screen_text(pilot)


@pytest.mark.asyncio
async def test_a_click_selects(review: Review) -> None:
    review.propose(*(an_experience(n) for n in range(1, 4)))
    async with review.run(size=(120, 36)) as pilot:
        await until_read(pilot)
        await pilot.click("#queue", offset=(5, 7))
        assert selected_id(pilot) == ids(3)[0]


@pytest.mark.asyncio
@pytest.mark.parametrize("size", [(20, 6), (40, 12), (500, 100)], ids=str)
async def test_no_size_is_too_odd(review: Review, size: tuple[int, int]) -> None:
    review.propose(an_experience(1, session_id=review.record_session(), risk=("delete",)))
    async with review.run(size=size) as pilot:
        await until_read(pilot)
        for key in ("o", "z", "a", "escape", "e", "escape", "r", "escape", "question_mark"):
            await pilot.press(key)
        await pilot.resize_terminal(80, 24)
        await pilot.press("escape", "escape")
        await until_text(pilot, "1 pending 1")


@pytest.mark.asyncio
async def test_a_project_that_went_away_is_told_and_ends_nothing(review: Review) -> None:
    review.propose(an_experience(1))
    async with review.run(size=(120, 36)) as pilot:
        await until_read(pilot)
        (review.root / ".hindsight" / "project.toml").unlink()
        await pilot.press("a")
        await until_text(pilot, "No Hindsight project at")
        assert queue_ids(pilot) == ids(1)


@pytest.mark.asyncio
async def test_the_list_gives_way_where_room_is_short_and_comes_on_a_key(review: Review) -> None:
    review.propose(*(an_experience(n) for n in range(1, 6)))
    async with review.run() as pilot:
        await until_read(pilot)
        assert screen_text(pilot).splitlines()[1].startswith("▌1 of 5  failure lesson  Starting")
        assert "number 2" not in screen_text(pilot)
        await pilot.press("l")
        await until_text(pilot, "number 2")
        await pilot.press("l")
        await until(pilot, lambda: "number 2" not in screen_text(pilot))
        await pilot.press("slash", *"number")
        await until_text(pilot, "number 2")
        await pilot.press("escape")
        await until(pilot, lambda: "number 2" not in screen_text(pilot))
        await pilot.resize_terminal(80, 40)
        await until_text(pilot, "number 2")
        await pilot.press("l")
        await until(pilot, lambda: "number 2" not in screen_text(pilot))
