"""Whose lines a Codex rollout holds: its own, a parent's, a forked session's, two sessions'."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hindsight_cli.records.event import Actor, EventType, Status, ToolKind
from tests.unit.codex_lines import (
    OWN,
    PARENT,
    a_call,
    a_line,
    a_message,
    a_meta,
    an_event,
    an_item,
    an_output,
    events,
    read_records,
    results,
    said,
)


def a_history() -> list[dict[str, Any]]:
    """What a parent had done before: to be found in its own rollout."""
    return [
        a_meta(PARENT, created="08:00:00"),
        an_event("task_started", turn_id="p1"),
        a_message("user", "Sort the whole library."),
        a_call({"cmd": "make sort"}, call_id="p"),
        an_output("Process exited with code 2\nOutput:\nno sort", "p"),
        a_call({"message": "Count the loans."}, "spawn_agent", "spawn"),
    ]


def its_own(second: float) -> list[dict[str, Any]]:
    return [
        an_event("task_started", turn_id="c1", second=second),
        a_message("user", "Count the loans.", second=second),
        a_line("turn_context", {"model": "gpt-child", "cwd": "/srv"}, second=second),
        a_call({"cmd": "wc -l loans"}, call_id="o", second=second),
        an_output("Process exited with code 0\nOutput:\n7 loans", "o", second=second),
    ]


SUBAGENT = {"subagent": {"thread_spawn": {"parent_thread_id": PARENT, "depth": 1}}}
SPAWNED = an_output("You are the newly spawned agent. The prior history was forked.", "spawn")


def a_numbered_child() -> list[dict[str, Any]]:
    lines = [a_meta(source=SUBAGENT, subagent_history_start_ordinal=7), *a_history(), *its_own(0)]
    return [{**line, "ordinal": ordinal} for ordinal, line in enumerate(lines)]


def a_marked_child() -> list[dict[str, Any]]:
    return [a_meta(source=SUBAGENT), *a_history(), SPAWNED, *its_own(0)]


def an_unmarked_child() -> list[dict[str, Any]]:
    return [a_meta(source=SUBAGENT), *a_history(), *its_own(0.2)]


def a_slow_child() -> list[dict[str, Any]]:
    return [a_meta(source=SUBAGENT), *a_history(), *its_own(9)]


def a_fork() -> list[dict[str, Any]]:
    ended = an_event("turn_aborted", reason="interrupted")
    return [a_meta(forked_from_id=PARENT), *a_history(), ended, *its_own(9)]


def a_fork_at_once() -> list[dict[str, Any]]:
    """As 0.140 wrote it: ids that grow with time, and no pause between copy and first turn."""
    lines = [a_meta(forked_from_id=PARENT), *a_history(), an_event("task_complete"), *its_own(0)]
    ids = {
        "p1": "019f0a10-0001-7000-8000-000000000001",
        "c1": "019f0a10-2b3d-7000-8000-000000000001",
    }
    for line in lines:
        if turn_id := line["payload"].get("turn_id"):
            line["payload"]["turn_id"] = ids[turn_id]
    return [*lines, an_event("task_complete")]


def a_fast_fork() -> list[dict[str, Any]]:
    ended = an_event("task_complete")
    return [a_meta(forked_from_id=PARENT), *a_history(), ended, *its_own(0.1)]


@pytest.mark.parametrize(
    "lines",
    [
        a_numbered_child(), a_marked_child(), an_unmarked_child(), a_slow_child(),
        a_fork(), a_fast_fork(), a_fork_at_once(),
    ],
    ids=["numbered", "marked", "unmarked", "slow", "fork", "fast fork", "fork at once"],
)  # fmt: skip
def test_history_copied_from_another_session_is_not_counted_again(
    tmp_path: Path, lines: list[dict[str, Any]]
) -> None:
    drafts = read_records(tmp_path, lines)

    assert len(drafts) == len(lines)
    assert [e.text for e in events(drafts, EventType.TASK)] == ["Count the loans."]
    assert [e.input for e in events(drafts, EventType.TOOL_CALL)] == [{"cmd": "wc -l loans"}]
    assert [r[0] for r in results(drafts)] == [Status.OK]
    assert {draft.session.session_id for draft in drafts} == {OWN}
    assert drafts[-1].session.model == "gpt-child"


@pytest.mark.parametrize("lines", [a_numbered_child(), a_marked_child()])
def test_a_subagent_names_its_parent_and_the_call_that_made_it(
    tmp_path: Path, lines: list[dict[str, Any]]
) -> None:
    session = read_records(tmp_path, lines)[0].session

    assert (session.parent_session_id, session.parent_call_id) == (PARENT, "spawn")


@pytest.mark.parametrize(
    ("told", "answer"),
    [
        (an_event("collab_agent_spawn_end", call_id="c", new_thread_id=OWN), "Spawned."),
        (an_event("sub_agent_activity", event_id="c", agent_thread_id=OWN), "Spawned."),
        (
            an_event(
                "item_completed",
                item={"type": "CollabAgentToolCall", "id": "c", "receiver_thread_ids": [OWN]},
            ),
            "Spawned.",
        ),
        (an_event("token_count", info=None), f'{{"agent_id": "{OWN}", "nickname": "Ada"}}'),
    ],
)
def test_a_parent_names_the_subagent_its_call_made(
    tmp_path: Path, told: dict[str, Any], answer: str
) -> None:
    drafts = read_records(tmp_path, [a_meta(), a_call({}, "spawn_agent"), told, an_output(answer)])

    (result,) = events(drafts, EventType.TOOL_RESULT)
    assert (result.tool_kind, result.extra) == (ToolKind.SUBAGENT, {"agent_id": OWN})


def test_codexs_own_tools_are_no_mcp_tools_whatever_their_namespace(tmp_path: Path) -> None:
    waiting = an_item(
        "function_call", name="wait_agent", namespace="multi_agent_v1", arguments="{}", call_id="c"
    )
    refused = an_output("invalid agent id all: Error(ParseChar)")
    drafts = read_records(tmp_path, [a_meta(), waiting, refused])

    (call,) = events(drafts, EventType.TOOL_CALL)
    assert (call.tool_name, call.tool_kind, call.server) == (
        "wait_agent",
        ToolKind.SUBAGENT,
        None,
    )
    assert results(drafts) == [(Status.ERROR, "harness", None)]


def test_a_subagents_task_is_what_another_agent_wrote(tmp_path: Path) -> None:
    text = "Message Type: NEW_TASK\nPayload:\nCount the loans."
    content = [{"type": "input_text", "text": text}, {"type": "encrypted_content", "x": "gAA"}]
    order = an_item("agent_message", author="/root", recipient="/root/x", content=content)
    child = read_records(tmp_path, [a_meta(source=SUBAGENT), order, order])
    root = read_records(tmp_path, [a_meta(), order])

    assert [e.event_type for e in events(child)] == [EventType.TASK, EventType.OBSERVATION]
    assert [(e.event_type, e.actor) for e in events(root)] == [(EventType.OBSERVATION, Actor.TOOL)]


def test_a_resumed_session_goes_on_in_its_file(tmp_path: Path) -> None:
    lines = [a_meta(), *its_own(1), an_event("task_complete"), a_meta(git={"branch": "x"})]
    before = read_records(tmp_path, lines)
    after = read_records(tmp_path, [*lines, a_message("user", "And now?", second=50)])

    assert after[: len(before)] == before
    assert {draft.session.session_id for draft in after} == {OWN}
    assert said(after)[-1] == "And now?"


def test_two_rollouts_in_one_file_are_two_sessions(tmp_path: Path) -> None:
    younger = "019f0a10-ffff-7d4e-8f50-617283940a1b"
    drafts = read_records(
        tmp_path,
        [a_meta(), *its_own(1), a_meta(younger, created="09:00:00"), *its_own(2)],
    )

    assert [d.session.session_id for d in drafts] == [OWN] * 6 + [younger] * 6
    assert len(events(drafts, EventType.TASK)) == 2
