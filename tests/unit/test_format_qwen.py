"""Qwen Code's chats: Claude Code's envelope, Gemini's messages, and branches left behind."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from hindsight_cli.api.importing import import_paths
from hindsight_cli.api.project import Project
from hindsight_cli.capture.draft import Draft
from hindsight_cli.capture.formats import detect_format, qwen
from hindsight_cli.capture.formats.qwen_rewinds import Stretches
from hindsight_cli.records.event import Actor, EventType, Status
from tests.unit.format_reading import events, reader_of
from tests.unit.test_format_shapes import assert_sound, bent

FOLDER = Path(__file__).parent.parent / "fixtures" / "qwen"
CHAT = FOLDER / "9e000000-1111-4222-8333-0000000000ee.jsonl"
SUBAGENT = FOLDER / "subagents" / "agent-look-1.jsonl"
SHELL = "run_shell_command"


read = reader_of(qwen)


def write(folder: Path, *records: Any) -> Path:
    path = folder / "s1.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def a_record(kind: str, uuid: str, *parts: Any, **more: Any) -> dict[str, Any]:
    role = "model" if kind == "assistant" else "user"
    message = {"message": {"role": role, "parts": list(parts)}} if parts else {}
    return {
        "uuid": uuid,
        "parentUuid": None,
        "sessionId": "s1",
        "type": kind,
        "timestamp": "2026-03-04T10:00:00Z",
        "cwd": "/srv",
        "version": "0.15.10",
        **message,
        **more,
    }


def a_call(uuid: str, call_id: str = "c1", name: str = SHELL, **arguments: Any) -> dict[str, Any]:
    call = {"id": call_id, "name": name, "args": arguments or {"command": "make"}}
    return a_record("assistant", uuid, {"functionCall": call})


def a_result(
    uuid: str, response: Any, call_id: str = "c1", name: str = SHELL, **told: Any
) -> dict[str, Any]:
    body = {"functionResponse": {"id": call_id, "name": name, "response": response}}
    return a_record("tool_result", uuid, body, toolCallResult={"callId": call_id, **told})


def a_system(uuid: str, subtype: str, payload: Any, **more: Any) -> dict[str, Any]:
    return a_record("system", uuid, subtype=subtype, systemPayload=payload, **more)


def test_every_line_is_one_record() -> None:
    drafts = read(CHAT)

    assert [draft.line for draft in drafts] == list(range(1, 25))
    assert all(draft.known for draft in drafts)


def test_what_a_tool_did_is_told_whatever_its_flag_says() -> None:
    results = events(read(CHAT), EventType.TOOL_RESULT)

    assert [(e.native_status, e.status, e.exit_code, e.error_type) for e in results] == [
        ("success", Status.ERROR, 2, "nonzero_exit"),
        ("error", Status.ERROR, None, "not_found"),
        ("cancelled", Status.DENIED, None, "denied_by_user"),
        ("success", Status.ERROR, 2, "nonzero_exit"),
        ("success", Status.OK, 0, None),
    ]
    assert results[0].text == "printing 12 labels\nprinter: tray 2 is empty"


def test_calls_are_timed_by_the_telemetry_and_not_told_twice() -> None:
    drafts = read(CHAT)

    assert [e.duration_ms for e in events(drafts, EventType.TOOL_RESULT)[:3]] == [1250, 3, 0]
    assert len(events(drafts, EventType.TOOL_CALL)) == 5


def test_what_was_taken_back_is_marked_and_kept() -> None:
    left = [e for e in events(read(CHAT)) if e.extra.get("branch") == "abandoned"]

    assert [(e.event_type, e.text) for e in left] == [
        (EventType.MESSAGE, "Use tray 2 again."),
        (EventType.TOOL_CALL, ""),
        (EventType.TOOL_RESULT, "printer: tray 2 is empty"),
    ]


def test_only_what_the_person_said_is_the_person_s() -> None:
    said = [e for e in events(read(CHAT)) if e.actor is Actor.USER and not e.injected]

    assert [(e.event_type, e.text) for e in said] == [
        (EventType.TASK, "Print today's labels."),
        (EventType.MESSAGE, "Use tray 2 again."),
        (EventType.MESSAGE, "Use tray 3."),
    ]


def test_failed_requests_commands_and_summaries_are_told_as_such() -> None:
    drafts = read(CHAT)

    notices = [(e.text, e.error_type) for e in events(drafts, EventType.OTHER)]
    assert ("Connection error. (cause: fetch failed)", "network") in notices
    assert ("/stats", None) in notices
    (summary,) = events(drafts, EventType.COMPACTION)
    assert (summary.injected, summary.extra["newTokenCount"]) == (True, 700)


def test_thoughts_come_before_words_and_calls() -> None:
    reply = read(CHAT)[3]

    assert [e.event_type for e in reply.events] == [
        *(EventType.REASONING, EventType.MESSAGE, EventType.TOOL_CALL)
    ]


def test_a_subagent_is_a_session_linked_to_its_call(tmp_path: Path) -> None:
    path = tmp_path / SUBAGENT.name
    path.write_bytes(SUBAGENT.read_bytes())
    note = {"agentId": "look-1", "toolUseId": "call_9"}
    path.with_suffix(".meta.json").write_text(json.dumps(note), encoding="utf-8")

    session = read(path)[-1].session

    parent = "9e000000-1111-4222-8333-0000000000ee"
    assert (session.session_id, session.parent_session_id, session.parent_call_id) == (
        *(f"{parent}-agent-look-1", parent, "call_9"),
    )
    assert read(SUBAGENT)[-1].session.parent_call_id is None


@pytest.mark.parametrize("note", [b"", b"{", b"[]", b'{"toolUseId": 5}', b"[" * 99_999])
def test_a_note_beside_a_subagent_may_be_anything(tmp_path: Path, note: bytes) -> None:
    path = tmp_path / SUBAGENT.name
    path.write_bytes(SUBAGENT.read_bytes())
    path.with_suffix(".meta.json").write_bytes(note)

    assert read(path)[-1].session.parent_call_id is None


def test_a_copied_history_is_of_the_session_it_was_copied_from(
    tmp_path: Path, project: Project
) -> None:
    origin = [
        a_record("user", "u1", {"text": "Do it."}),
        a_record("assistant", "a1", {"text": "Ok"}),
    ]
    copies = [
        {**record, "sessionId": "s2", "forkedFrom": {"sessionId": "s1", "messageUuid": uuid}}
        for record, uuid in zip(origin, ["u1", "a1"], strict=True)
    ]
    copies.append(a_record("user", "u2", {"text": "Do another."}, sessionId="s2"))
    fork = tmp_path / "s2.jsonl"
    fork.write_text("".join(json.dumps(r) + "\n" for r in copies), encoding="utf-8")

    first = import_paths(project, [write(tmp_path, *origin)])
    second = import_paths(project, [fork])

    assert (first.total("imported"), second.total("imported"), second.total("duplicate")) == (
        2,
        1,
        2,
    )
    assert {row.session_id: row.task for row in second.traces} == {
        "s1": "Do it.",
        "s2": "Do another.",
    }


def test_a_reply_over_several_lines_of_one_uuid_is_whole(tmp_path: Path, project: Project) -> None:
    thought = a_record("assistant", "a1", {"text": "Hm.", "thought": True})
    call = a_call("a1")
    path = write(tmp_path, a_record("user", "u1", {"text": "Do it."}), thought, call, thought)

    drafts = read(path)
    report = import_paths(project, [path])

    assert [e.event_type for e in events(drafts)] == [
        *(EventType.TASK, EventType.REASONING, EventType.TOOL_CALL, EventType.REASONING)
    ]
    assert (report.total("imported"), report.total("duplicate")) == (3, 1)


def test_a_lost_parent_hides_nothing(tmp_path: Path) -> None:
    drafts = read(
        write(
            tmp_path,
            a_record("user", "u1", {"text": "Do it."}),
            a_record("assistant", "a1", {"text": "Ok."}, parentUuid="never-written"),
            a_system("r1", "rewind", {}, parentUuid="never-written"),
            a_record("user", "u2", {"text": "And that."}, parentUuid="r1"),
        )
    )

    assert [e.extra.get("branch") for e in events(drafts, EventType.TASK, EventType.MESSAGE)] == [
        *(None, None, None)
    ]


def test_rewinds_within_what_a_later_one_takes_back_are_one_stretch() -> None:
    lines = Stretches()
    for first, end in ((3, 5), (8, 8), (9, 12), (4, 14), (20, 22)):
        lines.add(first, end)

    assert [line for line in range(25) if line in lines] == [*range(3, 14), 20, 21]


def test_a_rewind_to_the_beginning_leaves_all_before(tmp_path: Path) -> None:
    drafts = read(
        write(
            tmp_path,
            a_record("user", "u1", {"text": "Wrong."}),
            a_record("assistant", "a1", {"text": "Ok."}),
            a_system("r1", "rewind", {}),
            a_record("user", "u2", {"text": "Right."}, parentUuid="r1"),
        )
    )

    (task,) = events(drafts, EventType.TASK)
    assert (task.text, len(events(drafts))) == ("Right.", 4)


@pytest.mark.parametrize(
    ("response", "told", "status", "code"),
    [
        ({"output": "Command: make\nDirectory: (root)\nOutput: x\nExit Code: 2"}, {}, "error", 2),
        (
            {"error": "Command: x\nDirectory: /\nOutput: (empty)\nExit Code: (none)\nSignal: 9"},
            *({"status": "error"}, "error", 137),
        ),
        (
            {"output": "Tool output was too large and has been truncated.\n1\n2\n3"},
            {"status": "success", "resultDisplay": {"type": "shell_result", "exitCode": 3}},
            *("error", 3),
        ),
        ({}, {"status": "success", "resultDisplay": "Command exited with code: 4"}, "error", 4),
        (
            {"output": "Command timed out after 120000ms before it could complete. " + "x " * 900},
            *({"status": "success"}, "timeout", None),
        ),
        ({"error": "No."}, {"status": "error", "errorType": "execution_denied"}, "denied", None),
        (
            {"error": 'Qwen Code requires permission to use "x", but it was declined by a rule.'},
            *({}, "denied", None),
        ),
        ({"error": "Tool call cancelled by user."}, {"status": "cancelled"}, "cancelled", None),
        ({"success": True}, {}, "ok", None),
        (None, {}, "ok", None),
    ],
)
def test_a_result_is_judged_by_all_that_is_told(
    tmp_path: Path, response: Any, told: dict[str, Any], status: str, code: int | None
) -> None:
    path = write(tmp_path, a_call("a1"), a_result("t1", response, **told))
    (result,) = events(read(path), EventType.TOOL_RESULT)

    assert (result.status, result.exit_code) == (status, code)


def test_a_decision_of_the_person_is_told_by_the_call_s_id_or_its_arguments(
    tmp_path: Path,
) -> None:
    def telemetry(decision: str, **more: Any) -> dict[str, Any]:
        event = {"event.name": "qwen-code.tool_call", "decision": decision, "duration_ms": 7}
        return a_system(f"t{len(more)}{decision}", "ui_telemetry", {"uiEvent": {**event, **more}})

    path = write(
        tmp_path,
        *(a_call("a1", "c1", command="rm x"), a_call("a2", "c2", command="rm y")),
        telemetry("reject", function_name=SHELL, function_args={"command": "rm y"}),
        telemetry("accept", call_id="c1"),
        *(a_result("r1", {"output": "gone"}, "c1"), a_result("r2", {"output": ""}, "c2")),
    )

    results = events(read(path), EventType.TOOL_RESULT)
    assert [(e.status, e.duration_ms) for e in results] == [(Status.OK, 7), (Status.DENIED, 7)]


def test_a_call_id_that_comes_again_is_another_call(tmp_path: Path) -> None:
    turn = [a_call("a1"), a_result("t1", {"output": "one"})]
    again = [a_call("a2"), a_result("t2", {"output": "two"})]

    results = events(read(write(tmp_path, *turn, *again)), EventType.TOOL_RESULT)

    assert [e.text for e in results] == ["one", "two"]


def test_what_was_typed_is_told_once(tmp_path: Path) -> None:
    message = a_record(
        *("user", "u1", {"text": "Go on."}),
        subtype="mid_turn_user_message",
        systemPayload={"displayText": "Go on."},
    )

    assert [e.text for e in events(read(write(tmp_path, message)))] == ["Go on."]


def test_what_the_program_says_as_the_user_is_not_the_task(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        a_record("user", "u1", {"text": "Every morning: print."}, subtype="cron"),
        a_record("user", "u2", {"text": "Go on with the goal."}, provenance="goal_runtime"),
        a_record("user", "u3", {"text": "Do it."}, provenance="real_user"),
    )

    assert [(e.text, e.injected) for e in events(read(path))] == [
        *(("Every morning: print.", True), ("Go on with the goal.", True), ("Do it.", False))
    ]


def test_unknown_records_are_kept_and_named(tmp_path: Path) -> None:
    path = write(
        tmp_path, a_record("hologram", "x1", {"text": "?"}), a_system("x2", "dreaming", {"a": 1})
    )

    assert [(d.native_type, d.known) for d in read(path)] == [
        *(("hologram", False), ("system/dreaming", False))
    ]


def test_a_chat_that_begins_with_pages_of_state_is_recognised(tmp_path: Path) -> None:
    states = [a_system(f"q{n}", "ui_telemetry", {"uiEvent": {}}) for n in range(80)]
    path = write(tmp_path, *states, a_record("user", "u1", {"text": "Do it."}))

    assert detect_format(path) == "qwen"


def test_a_line_too_long_to_be_looked_at_whole_is_recognised(tmp_path: Path) -> None:
    path = write(tmp_path, a_record("user", "u1", {"text": "x" * 20_000_000}))

    assert detect_format(path) == "qwen"


def test_importing_twice_changes_nothing(project: Project) -> None:
    first = import_paths(project, [CHAT])
    second = import_paths(project, [CHAT])

    assert first.total("imported") == second.total("duplicate") == 19
    assert second.total("imported") == 0
    (trace,) = second.traces
    assert (trace.tool_calls, trace.failed_tool_calls, trace.denied_tool_calls) == (5, 3, 1)


@pytest.mark.parametrize("seed", range(3))
def test_bent_records_are_read_without_a_crash(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    lines = [json.loads(line) for line in CHAT.read_text("utf-8").splitlines()]
    for _ in range(40):
        path = write(tmp_path, *(bent(line, chance) for line in lines))

        detect_format(path)

        for record in qwen.read(path):
            if isinstance(record, Draft):
                assert_sound(record)
