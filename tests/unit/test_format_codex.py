"""Codex rollouts of every generation: one conversation told twice, and the truth of each call."""

from __future__ import annotations

import base64
import json
import random
from pathlib import Path

import pytest

from hindsight_cli.capture.draft import Draft, Problem
from hindsight_cli.capture.formats import codex, detect_format
from hindsight_cli.records.event import FAILED_STATUSES, Actor, EventType, Status, ToolKind
from tests.unit.codex_lines import (
    EARLY,
    MID,
    OWN,
    PARENT,
    TODAY,
    a_call,
    a_line,
    a_message,
    a_meta,
    an_event,
    an_item,
    an_output,
    events,
    read,
    read_records,
    records_of,
    results,
    said,
)
from tests.unit.test_format_shapes import assert_sound, bent


@pytest.mark.parametrize(("path", "count"), [(EARLY, 8), (MID, 32), (TODAY, 42)])
def test_every_line_is_one_record_of_a_known_type(path: Path, count: int) -> None:
    drafts = read(path)

    assert [draft.line for draft in drafts] == list(range(1, count + 1))
    assert all(draft.known for draft in drafts)


def test_what_is_told_twice_is_kept_once() -> None:
    assert said(read(TODAY)) == [
        "Make the loan tests pass.",
        "Run the tests.",
        "The loan tests pass.",
    ]
    assert said(read(MID)) == ["续借为什么失败？", "Renewals are switched off."]
    assert [e.text for e in events(read(MID), EventType.REASONING)] == ["Look at the log."]


def test_the_task_is_what_the_person_asked_for_and_the_rest_is_injected() -> None:
    drafts = read(TODAY)

    (task,) = events(drafts, EventType.TASK)
    assert (task.text, task.actor) == ("Make the loan tests pass.", Actor.USER)
    injected = [e.text.split("\n")[0] for e in events(drafts) if e.injected]
    assert injected == ["<permissions instructions>", "<environment_context>"]
    (asked,) = events(read(MID), EventType.TASK)
    assert asked.text == "续借为什么失败？"
    assert "## Active file: loans.py" in [e.text for e in events(read(MID)) if e.injected][-2]


def test_todays_calls_get_their_status_from_the_frame_of_their_output() -> None:
    assert results(read(TODAY)) == [
        (Status.ERROR, "exit_code", 2),
        (Status.DENIED, "denied_by_user", None),
        (Status.ERROR, "flag", None),
        (Status.OK, "no_failure_signal", 0),
        (Status.ERROR, "harness", None),
        (Status.OK, "flag", None),
        (Status.OK, "no_failure_signal", 0),
    ]
    first = events(read(TODAY), EventType.TOOL_RESULT)[0]
    assert first.text == "E   ModuleNotFoundError: No module named 'loans'\n"
    assert (first.native_status, first.duration_ms) == ("failed", 1250)


def test_calls_of_2025_get_their_status_from_metadata_and_events() -> None:
    assert results(read(MID)) == [
        (Status.ERROR, "exit_code", 1),
        (Status.OK, "exit_one_is_an_answer", 1),
        (Status.TIMEOUT, "timeout", 124),
        (Status.DENIED, "denied_by_user", None),
        (Status.ERROR, "flag", None),
        (Status.ERROR, "exit_code", 3),
    ]
    assert [e.text for e in events(read(MID), EventType.TOOL_RESULT)][4] == "no such book"


def test_tools_are_named_and_sorted_in_every_generation() -> None:
    calls = events(read(TODAY), EventType.TOOL_CALL)
    assert [(c.tool_name, c.tool_kind, c.server) for c in calls[1:6]] == [
        ("exec_command", ToolKind.SHELL, None),
        ("mcp__catalog__library_search", ToolKind.MCP, "catalog"),
        ("apply_patch", ToolKind.EDIT, None),
        ("deploy", ToolKind.OTHER, None),
        ("web_search", ToolKind.WEB, None),
    ]
    older = events(read(MID), EventType.TOOL_CALL)
    assert [(c.tool_name, c.server) for c in older[4:6]] == [
        ("catalog__lookup", "catalog"),
        ("local_shell", None),
    ]


def test_tokens_of_a_reply_are_counted_once_on_its_last_record() -> None:
    for path, replies, each in ((TODAY, 6, 240), (MID, 4, 120)):
        counted = [draft.usage for draft in read(path) if draft.usage]
        assert [usage["total_tokens"] for usage in counted] == [each] * replies


def test_version_model_and_folder_are_those_of_the_session() -> None:
    for path, version, model in ((TODAY, "0.171.0", "gpt-demo"), (MID, "0.34.0", "gpt-demo-mini")):
        session = read(path)[0].session
        assert (session.agent, session.agent_version, session.model) == ("codex", version, model)
        assert session.cwd == "/srv/library"
    assert read(EARLY)[0].session.session_id == "6c1f0e9d-2b3a-4c5d-8e7f-0a1b2c3d4e5f"


def test_the_end_of_a_turn_is_an_end_and_no_outcome() -> None:
    for path, state in ((TODAY, "completed"), (MID, "interrupted")):
        drafts = read(path)
        assert [e.extra["end_state"] for e in events(drafts, EventType.END)] == [state]
        assert not events(drafts, EventType.OUTCOME)


def test_a_turn_that_ends_in_an_error_says_so(tmp_path: Path) -> None:
    failed = an_event("task_complete", error={"message": "stream disconnected"})
    (end,) = events(read_records(tmp_path, [a_meta(), failed]), EventType.END)

    assert (end.extra["end_state"], end.error_type) == ("failed", "network")


def test_only_versions_that_close_their_turns_are_expected_to(tmp_path: Path) -> None:
    assert read(TODAY)[-1].session.closes is True
    assert read(MID)[-1].session.closes is None


def test_a_compaction_is_a_boundary_and_its_copy_of_the_history_is_not_read(
    tmp_path: Path,
) -> None:
    copy = [{"type": "message", "role": "user", "content": "Make it faster."}]
    compacted = a_line("compacted", {"message": "So far.", "replacement_history": copy})
    drafts = read_records(tmp_path, [a_meta(), compacted, an_event("context_compacted")])

    (event,) = events(drafts)
    assert (event.event_type, event.text, event.injected) == (
        EventType.COMPACTION, "So far.", True,
    )  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "# AGENTS.md instructions for /srv/library\n\n<INSTRUCTIONS>\nUse tabs.\n</INSTRUCTIONS>",
        "<user_instructions>\nUse tabs.\n</user_instructions>",
        "<skill>\n<name>imagegen</name>\nDraw.\n</skill>",
        "<turn_aborted>\nThe user interrupted.\n</turn_aborted>",
        "<user_action>\n<action>review</action>\n</user_action>",
        '<hook_prompt hook_run_id="1">Run the linter.</hook_prompt>',
        "<hindsight-experiences>\nUse PYTHONPATH.\n</hindsight-experiences>",
    ],
)
def test_what_codex_puts_into_user_messages_is_never_the_task(tmp_path: Path, text: str) -> None:
    drafts = read_records(
        tmp_path, [a_meta(), a_message("user", text), a_message("user", "Fix the loans.")]
    )

    assert said(drafts) == ["Fix the loans."]
    assert [e.text for e in events(drafts, EventType.TASK)] == ["Fix the loans."]


def test_pictures_leave_the_event_wherever_they_are(tmp_path: Path) -> None:
    data = base64.b64encode(bytes(range(256)) * 40).decode()
    picture = {"type": "input_image", "image_url": f"data:image/png;base64,{data}"}
    frame = [
        *({"type": "input_text", "text": text} for text in ("<image>", "</image>", "Read it.")),
        picture,
    ]
    shot = {"type": "image", "data": data, "mimeType": "image/png"}
    items = json.dumps([{"type": "text", "text": "seen"}, shot])
    drafts = read_records(
        tmp_path,
        [
            a_meta(),
            an_item("message", role="user", content=frame),
            a_call({"path": "x.png"}, "view_image"),
            an_output([picture]),
            a_call({}, "camera__shoot", "d"),
            an_output(items, "d"),
            an_item("image_generation_call", id="i", status="completed", result=data),
        ],
    )

    assert [e.text for e in events(drafts, EventType.TASK)] == ["Read it."]
    holding = [e for e in events(drafts) if e.blobs]
    assert len(holding) == 4
    assert all(len(blob.data) == 10_240 for e in holding for blob in e.blobs)
    assert not [e for e in events(drafts) if data[:200] in e.text]


def test_a_rollout_without_items_is_read_from_its_events(tmp_path: Path) -> None:
    drafts = read_records(
        tmp_path,
        [
            a_meta(),
            an_event("user_message", message="Fix the loans."),
            an_event("agent_reasoning", text="Look first."),
            an_event("agent_message", message="Fixed."),
        ],
    )

    assert said(drafts) == ["Fix the loans.", "Fixed."]
    assert [e.text for e in events(drafts, EventType.REASONING)] == ["Look first."]


def test_an_id_used_twice_for_different_things_loses_neither(tmp_path: Path) -> None:
    first = an_item("message", id="m", role="user", content="One.")
    other = an_item("message", id="m", role="user", content="Two.")
    drafts = read_records(tmp_path, [a_meta(), first, other, first])

    ids = [draft.native_id for draft in drafts[1:]]
    assert ids[0] == ids[2] == "m"
    assert ids[1] != "m"


def test_unknown_types_are_told_and_the_rest_is_read(tmp_path: Path) -> None:
    drafts = read_records(
        tmp_path,
        [
            a_meta(),
            a_line("mood", {"type": "happy"}),
            an_item("telepathy", id="t"),
            an_event("sneeze"),
            a_message("user", "Fix the loans."),
        ],
    )

    assert [d.native_type for d in drafts if not d.known] == [
        "mood", "response_item/telepathy", "event_msg/sneeze",
    ]  # fmt: skip
    assert said(drafts) == ["Fix the loans."]


def test_a_version_that_renamed_everything_is_recognised_and_told(tmp_path: Path) -> None:
    path = tmp_path / "later.jsonl"
    lines = [a_line(f"renamed_{n}", {"type": "x"}) for n in range(3)]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")

    assert detect_format(path) == "codex"
    assert [record.known for record in codex.read(path) if isinstance(record, Draft)] == [False] * 3


def test_a_broken_line_costs_only_itself(tmp_path: Path) -> None:
    lines = TODAY.read_text(encoding="utf-8").splitlines()
    lines[11] = lines[11][:40]
    path = tmp_path / TODAY.name
    path.write_text("\n".join([*lines, "[]", '{"type": "event_msg"}']), encoding="utf-8")

    found = list(codex.read(path))

    assert [record.line for record in found if isinstance(record, Problem)] == [12, 43, 44]
    assert len(found) == 44


@pytest.mark.parametrize("cut", [1, 60, 2000])
def test_a_rollout_whose_first_line_is_cut_is_read_under_the_id_in_its_name(
    tmp_path: Path, cut: int
) -> None:
    first, rest = TODAY.read_text(encoding="utf-8").split("\n", 1)
    path = tmp_path / TODAY.name
    path.write_text(f"{first[:-cut] or '{'}\n{rest}", encoding="utf-8")

    assert detect_format(path) == "codex"
    drafts = [record for record in codex.read(path) if isinstance(record, Draft)]
    assert {draft.session.session_id for draft in drafts} == {OWN}
    assert said(drafts) == said(read(TODAY))


@pytest.mark.parametrize("path", [EARLY, MID, TODAY])
def test_bent_records_are_all_accounted_for(tmp_path: Path, path: Path) -> None:
    chance = random.Random(11)
    records = [*records_of(path), a_meta(forked_from_id=PARENT), a_meta(PARENT)]
    file = tmp_path / "bent.jsonl"
    for _ in range(60):
        chosen = [bent(record, chance) for record in chance.choices(records, k=12)]
        file.write_text("\n".join(map(json.dumps, chosen)), encoding="utf-8")

        detect_format(file)
        found = list(codex.read(file))

        assert [record.line for record in found] == list(range(1, 13))
        for record in found:
            if isinstance(record, Draft):
                assert_sound(record)


def test_failed_calls_are_those_of_the_tools_not_of_the_person() -> None:
    failed = [e for e in events(read(TODAY), EventType.TOOL_RESULT) if e.status in FAILED_STATUSES]

    assert [e.tool_name for e in failed] == [
        "exec_command", "mcp__catalog__library_search", "deploy",
    ]  # fmt: skip
