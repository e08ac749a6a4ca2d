"""What `codex exec --json` prints: items told of once or twice, and streams without an end."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from hindsight_cli.capture.draft import Draft, Problem
from hindsight_cli.capture.formats import codex_exec, detect_format
from hindsight_cli.records.event import EventType, Status, ToolKind
from tests.unit.format_reading import events, reader_of
from tests.unit.test_format_shapes import assert_sound, bent

STREAM = Path(__file__).parent.parent / "fixtures" / "codex_exec" / "exec.jsonl"
THREAD = "019f0a10-2b3c-7d4e-8f50-617283940a1b"
RECORDS = [json.loads(line) for line in STREAM.read_text(encoding="utf-8").splitlines()]


read = reader_of(codex_exec)


def read_records(folder: Path, records: Iterable[Mapping[str, Any]]) -> list[Draft]:
    path = folder / "out.jsonl"
    path.write_text("".join(f"{json.dumps(r)}\n" for r in records), encoding="utf-8")
    return read(path)


def a_start(thread: str = THREAD) -> dict[str, Any]:
    return {"type": "thread.started", "thread_id": thread}


def an_item(kind: str, item_type: str, item_id: str = "item_1", **about: Any) -> dict[str, Any]:
    return {"type": f"item.{kind}", "item": {"id": item_id, "type": item_type, **about}}


def a_command(kind: str, command: str, code: int | None = None, **about: Any) -> dict[str, Any]:
    told = {"command": command, "exit_code": code, **about}
    return an_item(kind, "command_execution", **told)


def test_every_line_is_one_record_of_the_threads_session() -> None:
    drafts = read(STREAM)

    assert [draft.line for draft in drafts] == list(range(1, len(RECORDS) + 1))
    assert all(draft.known for draft in drafts)
    assert {draft.session.session_id for draft in drafts} == {f"{THREAD}-exec"}
    assert drafts[0].session.agent == "codex"


def test_a_call_that_is_told_of_twice_is_one_call_with_its_result() -> None:
    drafts = read(STREAM)

    calls = [(e.tool_name, e.tool_kind, e.server) for e in events(drafts, EventType.TOOL_CALL)]
    assert calls == [
        ("update_plan", ToolKind.PLAN, None),
        ("exec_command", ToolKind.SHELL, None),
        ("exec_command", ToolKind.SHELL, None),
        ("apply_patch", ToolKind.EDIT, None),
        ("mcp__catalog__lookup", ToolKind.MCP, "catalog"),
        ("web_search", ToolKind.WEB, None),
        ("spawn_agent", ToolKind.SUBAGENT, None),
        ("update_plan", ToolKind.PLAN, None),
        ("exec_command", ToolKind.SHELL, None),
    ]
    results = events(drafts, EventType.TOOL_RESULT)
    assert [(e.status, e.exit_code, e.native_status) for e in results[1:5]] == [
        (Status.ERROR, 2, "failed"),
        (Status.DENIED, None, "declined"),
        (Status.OK, None, "completed"),
        (Status.ERROR, None, "failed"),
    ]
    assert len(results) == len(calls) - 1  # the last one was never answered
    assert results[6].extra == {"agent_id": "019f0a10-aaaa-7000-8000-000000000002"}


@pytest.mark.parametrize(
    ("command", "script"),
    [
        ("/bin/bash -lc 'make release'", "make release"),
        ("""bash -lc "grep -q 'a b' x && echo 'y'" """, "grep -q 'a b' x && echo 'y'"),
        ("/bin/zsh -lc ls", "ls"),
        ("make release", "make release"),
        ("python -c 'print(1)'", "python -c 'print(1)'"),
        ("bash -lc 'unfinished", "bash -lc 'unfinished"),
        (["bash", "-lc", "ls"], ["bash", "-lc", "ls"]),
    ],
)
def test_the_command_is_the_script_without_the_shell(
    tmp_path: Path, command: Any, script: Any
) -> None:
    drafts = read_records(tmp_path, [a_start(), a_command("started", command)])

    (call,) = events(drafts, EventType.TOOL_CALL)
    assert call.input == {"command": script}


def test_what_the_agent_said_and_thought_is_kept_and_warnings_are_not_failures() -> None:
    drafts = read(STREAM)

    assert [e.text for e in events(drafts, EventType.REASONING)] == ["First see what fails."]
    assert [e.text for e in events(drafts, EventType.MESSAGE)] == ["The catalog is closed."]
    assert [e.error_type for e in events(drafts, EventType.OTHER)] == [None, "network"]


@pytest.mark.parametrize(
    ("last", "state", "error_type"),
    [
        ({"type": "turn.completed", "usage": {"input_tokens": 5}}, "completed", None),
        ({"type": "turn.failed", "error": {"message": "stream disconnected"}}, "failed", "network"),
        ({"type": "turn.failed", "error": {"message": "no such model"}}, "failed", "api"),
    ],
)
def test_the_end_of_a_turn_says_how_it_ended(
    tmp_path: Path, last: dict[str, Any], state: str, error_type: str | None
) -> None:
    drafts = read_records(tmp_path, [a_start(), last])

    (end,) = events(drafts, EventType.END)
    assert (end.extra["end_state"], end.error_type) == (state, error_type)
    assert drafts[-1].usage == last.get("usage")


def test_a_stream_without_an_end_was_cut_off() -> None:
    assert read(STREAM)[0].session.closes is True


def test_a_resumed_thread_uses_its_item_ids_again_and_loses_none(tmp_path: Path) -> None:
    first = [a_start(), a_command("started", "ls"), a_command("completed", "ls", 0)]
    again = [a_start(), a_command("started", "make"), a_command("completed", "make", 2)]
    apart = [read_records(tmp_path, stream) for stream in (first, again)]
    together = read_records(tmp_path, [*first, *again])

    ids = [draft.native_id for drafts in apart for draft in drafts if draft.events]
    assert len(set(ids)) == 4
    assert [e.input for e in events(together, EventType.TOOL_CALL)] == [
        {"command": "ls"}, {"command": "make"},
    ]  # fmt: skip
    results = events(together, EventType.TOOL_RESULT)
    assert [e.status for e in results] == [Status.OK, Status.ERROR]
    assert {draft.session.session_id for draft in together} == {f"{THREAD}-exec"}


def test_two_threads_in_one_file_are_two_sessions(tmp_path: Path) -> None:
    drafts = read_records(tmp_path, [a_start("a"), {"type": "turn.started"}, a_start("b")])

    assert [draft.session.session_id for draft in drafts] == ["a-exec", "a-exec", "b-exec"]


def test_words_of_the_first_versions_are_read(tmp_path: Path) -> None:
    item = {"id": "item_0", "item_type": "assistant_message", "text": "Done."}
    started = {"type": "session.created", "session_id": "s"}
    drafts = read_records(tmp_path, [started, {"type": "item.completed", "item": item}])

    assert [e.text for e in events(drafts, EventType.MESSAGE)] == ["Done."]
    assert drafts[0].session.session_id == "s-exec"


def test_unknown_items_are_told_and_the_rest_is_read(tmp_path: Path) -> None:
    drafts = read_records(
        tmp_path,
        [a_start(), an_item("completed", "telepathy"), {"type": "mood"}, *RECORDS[5:7]],
    )

    assert [d.native_type for d in drafts if not d.known] == ["item.completed/telepathy", "mood"]
    assert len(events(drafts, EventType.TOOL_RESULT)) == 1


def test_words_between_the_events_cost_only_themselves(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    lines = STREAM.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join(["Reading prompt from stdin...", *lines]), encoding="utf-8")

    assert detect_format(path) == "codex-exec"
    assert [record.line for record in codex_exec.read(path) if isinstance(record, Problem)] == [1]


@pytest.mark.parametrize(
    "content",
    [
        '{"type":"error","message":"x"}\n',
        '{"type":"thread.started"}\n',
        '{"type":"item.completed"}\n',
        '{"type":"message","role":"user","content":"thread.started"}\n',
    ],
)
def test_files_that_only_look_alike_are_not(tmp_path: Path, content: str) -> None:
    path = tmp_path / "other.jsonl"
    path.write_text(content, encoding="utf-8")

    assert detect_format(path) != "codex-exec"


def test_bent_events_are_all_accounted_for(tmp_path: Path) -> None:
    chance = random.Random(5)
    path = tmp_path / "bent.jsonl"
    for _ in range(60):
        chosen = [bent(record, chance) for record in chance.sample(RECORDS, 8)]
        path.write_text("\n".join(map(json.dumps, chosen)), encoding="utf-8")

        detect_format(path)
        found = list(codex_exec.read(path))

        assert [record.line for record in found] == list(range(1, 9))
        for record in found:
            if isinstance(record, Draft):
                assert_sound(record)
