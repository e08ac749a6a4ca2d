"""Gemini CLI's chats: messages that grow, patches, flags that say "success" of a failure."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from hindsight_cli.api.importing import import_paths
from hindsight_cli.api.project import Project
from hindsight_cli.capture.draft import Draft, DraftEvent, Problem
from hindsight_cli.capture.formats import detect_format, gemini
from hindsight_cli.records.event import Actor, EventType, Status, ToolKind
from tests.unit.format_reading import events, reader_of
from tests.unit.test_format_shapes import assert_sound, bent

FOLDER = Path(__file__).parent.parent / "fixtures" / "gemini"
CHAT = FOLDER / "session-2026-03-04T10-15-5b0c9f0e.jsonl"
OLD = FOLDER / "session-2026-03-04T10-15-0ld00000.json"
SUBAGENT = next(FOLDER.glob("*/*.jsonl"))
HEADER = {"sessionId": "s1", "projectHash": "ab", "kind": "main"}
SHELL = "run_shell_command"


read = reader_of(gemini)


def write(folder: Path, records: Iterable[Any], name: str = "session-a.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def a_user(native_id: str, *texts: str, **more: Any) -> dict[str, Any]:
    return {"id": native_id, "type": "user", "content": [{"text": t} for t in texts], **more}


def a_reply(
    native_id: str, text: str = "", calls: Iterable[Any] = (), **more: Any
) -> dict[str, Any]:
    reply = {
        "id": native_id,
        "type": "gemini",
        "content": text,
        "timestamp": "2026-03-04T10:00:00Z",
    }
    return {**reply, **({"toolCalls": list(calls)} if calls else {}), **more}


def a_call(call_id: str = "c1", name: str = SHELL, **more: Any) -> dict[str, Any]:
    response = more.pop("response", {"output": "fine"})
    answer = {"functionResponse": {"id": call_id, "name": name, "response": response}}
    call = {"id": call_id, "name": name, "args": {"command": "make"}, "status": "success"}
    return {**call, "result": [answer], **more}


def judged(folder: Path, call: Mapping[str, Any]) -> DraftEvent:
    (result,) = events(
        read(write(folder, [HEADER, a_reply("g1", calls=[call])])), EventType.TOOL_RESULT
    )
    return result


def test_every_line_is_one_record() -> None:
    drafts = read(CHAT)

    assert sorted(draft.line for draft in drafts) == list(range(1, 31))
    assert {draft.session.session_id for draft in drafts} == {
        "5b0c9f0e-1111-4222-8333-0000000000aa"
    }


def test_a_call_and_its_result_are_told_once_however_often_they_are_written() -> None:
    calls = events(read(CHAT), EventType.TOOL_CALL)
    results = events(read(CHAT), EventType.TOOL_RESULT)

    ids = ["make_1", "read_1", "rm_1", "w_1", "lp_1", "lp_2", "mcp_1", "ag_1"]
    assert [call.call_id for call in calls] == ids
    assert [result.call_id for result in results] == ids


def test_what_a_tool_did_is_told_whatever_its_flag_says() -> None:
    results = events(read(CHAT), EventType.TOOL_RESULT)

    assert [(e.native_status, e.status, e.status_rule, e.exit_code) for e in results] == [
        ("success", Status.ERROR, "exit_code", 2),
        ("error", Status.ERROR, "flag", None),
        ("cancelled", Status.DENIED, "denied_by_user", None),
        ("cancelled", Status.CANCELLED, "interrupted", None),
        ("success", Status.ERROR, "exit_code", 2),
        ("success", Status.OK, "flag", None),
        ("success", Status.OK, "flag", None),
        ("success", Status.OK, "flag", None),
    ]


def test_an_output_is_told_without_the_frame_round_it() -> None:
    made = events(read(CHAT), EventType.TOOL_RESULT)[0]

    assert made.text == "printing 12 labels\nprinter: tray 2 is empty"


def test_the_task_is_what_the_person_said_first() -> None:
    (context, task, *_) = events(read(CHAT), EventType.TASK, EventType.MESSAGE)

    assert (context.injected, context.event_type) == (True, EventType.MESSAGE)
    assert (task.event_type, task.actor, task.text) == (
        *(EventType.TASK, Actor.USER, "Print today's labels."),
    )


def test_files_that_the_person_named_are_not_the_person_s_words() -> None:
    said = events(read(CHAT), EventType.MESSAGE)
    (asked,) = [event for event in said if event.text == "Use tray 3 of @Makefile"]
    (added,) = [event for event in said if "python3 labels.py" in event.text]

    assert (asked.injected, added.injected) == (False, True)


def test_what_was_taken_back_is_marked_and_kept() -> None:
    drafts = read(CHAT)

    left = [e for e in events(drafts) if e.extra.get("branch") == "abandoned"]
    assert [(e.event_type, e.text) for e in left] == [
        (EventType.MESSAGE, "Use tray 2 again."),
        (EventType.TOOL_CALL, ""),
        (EventType.TOOL_RESULT, "printer: tray 2 is empty"),
    ]
    (rewind,) = [e for e in events(drafts) if "rewound_to" in e.extra]
    assert (rewind.actor, rewind.injected) == (Actor.USER, True)


def test_a_summary_of_earlier_context_is_a_compaction() -> None:
    (summary,) = events(read(CHAT), EventType.COMPACTION)

    assert summary.injected
    assert "Labels are printed." in summary.text


def test_a_failed_request_is_told_with_its_kind() -> None:
    notices = events(read(CHAT), EventType.OTHER)

    assert ("[API Error: fetch failed]", "network") in [(e.text, e.error_type) for e in notices]


def test_a_server_and_a_picture_of_a_tool_are_kept_apart() -> None:
    drafts = read(CHAT)
    (call,) = [e for e in events(drafts, EventType.TOOL_CALL) if e.call_id == "mcp_1"]
    (result,) = [e for e in events(drafts, EventType.TOOL_RESULT) if e.call_id == "mcp_1"]

    assert (call.server, call.tool_kind) == ("camera", ToolKind.MCP)
    assert [(blob.mime, blob.data[:4]) for blob in result.blobs] == [("image/png", b"\x89PNG")]


def test_a_subagent_is_a_session_linked_to_its_call() -> None:
    (started,) = [e for e in events(read(CHAT)) if "agent_id" in e.extra]
    own = read(SUBAGENT)[-1].session

    assert started.extra["agent_id"] == own.session_id
    assert own.parent_session_id == "5b0c9f0e-1111-4222-8333-0000000000aa"


def test_the_folder_is_read_from_the_program_s_own_words() -> None:
    assert read(CHAT)[-1].session.cwd == "/srv/bakery"
    assert read(SUBAGENT)[-1].session.cwd == "/srv/bakery"


def test_the_folder_is_read_from_the_note_above_the_chats(tmp_path: Path) -> None:
    chats = tmp_path / "chats" / "s0"
    chats.mkdir(parents=True)
    (tmp_path / ".project_root").write_text("/srv/mill\n", encoding="utf-8")

    for folder in (chats.parent, chats):
        drafts = read(write(folder, [HEADER, a_user("u1", "Grind.")]))
        assert drafts[-1].session.cwd == "/srv/mill"


def test_tokens_of_a_reply_are_counted_once() -> None:
    counted = [draft for draft in read(CHAT) if draft.usage]

    assert len(counted) == 6
    assert counted[0].usage == {
        "input": 900,
        "output": 30,
        "cached": 0,
        "thoughts": 5,
        "tool": 0,
        "total": 935,
    }


def test_an_older_chat_is_one_document_of_messages() -> None:
    drafts = read(OLD)

    assert [draft.native_type for draft in drafts] == ["user", "gemini", "info", "gemini"]
    (result,) = events(drafts, EventType.TOOL_RESULT)
    assert (result.status, result.exit_code, result.error_type) == (
        *(Status.ERROR, 127, "not_found"),
    )
    assert result.text == "Stderr: ovenctl: not found"


@pytest.mark.parametrize("indent", [None, 2])
def test_a_document_reads_the_same_on_one_line(tmp_path: Path, indent: int | None) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(json.loads(OLD.read_text("utf-8")), indent=indent), "utf-8")

    assert detect_format(path) == "gemini"
    assert events(read(path)) == events(read(OLD))


def test_a_session_named_behind_its_messages_is_found(tmp_path: Path) -> None:
    document = json.loads(OLD.read_text("utf-8"))
    named = document.pop("sessionId")
    path = tmp_path / "a.json"
    path.write_text(json.dumps({**document, "sessionId": named}, indent=2), "utf-8")

    assert {draft.session.session_id for draft in read(path)} == {named}


def test_the_log_of_prompts_repeats_what_chats_hold() -> None:
    drafts = read(FOLDER / "logs.json")

    assert [(draft.known, draft.events) for draft in drafts] == [(True, ())]


def test_a_message_is_told_at_its_first_place_with_its_last_words(tmp_path: Path) -> None:
    first, last = a_reply("g1", "Half"), a_reply("g1", "Half and more.")
    drafts = read(write(tmp_path, [HEADER, first, a_user("u1", "Then?"), last]))

    assert [event.text for event in events(drafts)] == ["Half and more.", "Then?"]


def test_a_message_that_grows_much_later_is_told_anew_from_its_beginning(
    tmp_path: Path, project: Project
) -> None:
    others = [a_user(f"u{n}", f"Word {n}.") for n in range(40)]
    grown = a_reply("g1", "I run it.", [a_call()])
    path = write(tmp_path, [HEADER, a_reply("g1", "I run it."), *others, grown])

    report = import_paths(project, [path])

    found = project.traces.find("s1")
    assert found is not None
    stored = project.traces.read(found)[0]
    assert report.total("failed") == 0
    assert [e.event_type for e in stored].count(EventType.TOOL_CALL) == 1
    assert [e.output_summary for e in stored].count("I run it.") == 1


def test_a_chat_that_has_grown_is_continued(tmp_path: Path, project: Project) -> None:
    lines = CHAT.read_text("utf-8").splitlines(keepends=True)
    path = tmp_path / "session-b.jsonl"
    for end in (5, 8, 18, len(lines)):
        path.write_text("".join(lines[:end]), encoding="utf-8")
        import_paths(project, [path])
    again = import_paths(project, [path])
    at_once = [e for d in read(CHAT) for e in d.events]

    found = project.traces.find("5b0c9f0e-1111-4222-8333-0000000000aa")
    assert found is not None
    stored = project.traces.read(found)[0]
    assert again.total("imported") == 0
    assert [e.event_type for e in stored].count(EventType.TASK) == 1
    assert sorted(e.call_id or "" for e in stored) == sorted(e.call_id or "" for e in at_once)


def test_a_history_that_was_replaced_costs_nothing_that_was_said(tmp_path: Path) -> None:
    call = a_call(response={"output": "<untrusted_context>\nOutput: x\nExit Code: 1\n"})
    records = [
        *(HEADER, a_user("u1", "Do it."), a_reply("g1", "Yes.", [call])),
        {"$set": {"messages": [a_user("u9", "<session_context>\nNew.\n</session_context>")]}},
    ]

    drafts = read(write(tmp_path, records))

    assert [e.text for e in events(drafts, EventType.TASK)] == ["Do it."]
    assert len(events(drafts, EventType.TOOL_RESULT)) == 1


def test_a_first_message_that_was_taken_back_is_not_the_task(tmp_path: Path) -> None:
    records = [
        *(HEADER, a_user("u1", "Wrong."), a_reply("g1", "As you say.")),
        *({"$rewindTo": "u1"}, a_user("u2", "Right.")),
    ]

    assert [e.text for e in events(read(write(tmp_path, records)), EventType.TASK)] == ["Right."]


def test_a_rewind_to_what_is_not_there_takes_everything_back(tmp_path: Path) -> None:
    drafts = read(write(tmp_path, [HEADER, a_user("u1", "A."), {"$rewindTo": "x"}]))

    assert [e.extra.get("branch") for e in events(drafts)] == ["abandoned", None]


@pytest.mark.parametrize(
    ("call", "status", "rule", "code"),
    [
        (a_call(response={"output": "Output: ok\nProcess Group PGID: 1"}), "ok", "flag", None),
        (a_call(response={"output": "Output: x\nExit Code: 5"}), "error", "exit_code", 5),
        (
            a_call(response={"output": "Output: Exit Code: 0\nExit Code: 3"}),
            *("error", "exit_code", 3),
        ),
        (a_call(response={"output": "Output: (empty)\nSignal: 9"}), "error", "exit_code", 137),
        (
            a_call(response={"output": "Output: (empty)\nSignal: SIGTERM"}),
            *("error", "exit_code", 143),
        ),
        (
            a_call(
                args={"command": "grep x y"}, response={"output": "Output: (empty)\nExit Code: 1"}
            ),
            *("ok", "exit_one_is_an_answer", 1),
        ),
        (
            a_call(response={"output": "Output: x\nError: spawn failed\nExit Code: 1"}),
            *("error", "exit_code", 1),
        ),
        # Without the lines below it, nobody vouches for a command.
        (
            a_call(response={"output": "make: *** [Makefile:2: all] Error 2"}),
            *("error", "text_build_summary", None),
        ),
        (
            a_call(
                response={
                    "output": "Command was automatically cancelled because it exceeded the timeout"
                    " of 5.0 minutes without output. Below is the output before it was cancelled:\n"
                    + "working\n"
                    * 200
                }
            ),
            *("timeout", "timeout", None),
        ),
        (
            a_call(response={"output": "Command was cancelled by user before it could complete."}),
            *("cancelled", "interrupted", None),
        ),
        (
            a_call(status="error", response={"error": "Tool execution denied by policy."}),
            *("denied", "denied_by_policy", None),
        ),
        (
            a_call(name="nosuch", status="error", response={"error": 'Tool "nosuch" not found.'}),
            *("error", "flag", None),
        ),
        # The words of a file that was read are not the tool's.
        (
            a_call(name="read_file", response={"output": "Error: Exit Code: 1"}),
            *("ok", "flag", None),
        ),
        (
            a_call(
                name="invoke_agent",
                response={"output": "Subagent 'a' finished.\nTermination Reason: MAX_TURNS"},
            ),
            *("error", "flag", None),
        ),
        (a_call(result=None, status="cancelled"), "cancelled", "interrupted", None),
        (a_call(result="Output: x\nExit Code: 6"), "error", "exit_code", 6),
        (
            a_call(name="mcp_stock_find", response={"content": [{"text": "No."}], "isError": True}),
            *("error", "flag", None),
        ),
        (
            a_call(result=None, resultDisplay="Command exited with code: 4"),
            *("error", "exit_code"),
            4,
        ),
    ],
)
def test_a_result_is_judged_by_all_that_is_told(
    tmp_path: Path, call: Any, status: str, rule: str, code: int | None
) -> None:
    result = judged(tmp_path, call)

    assert (result.status, result.status_rule, result.exit_code) == (status, rule, code)


@pytest.mark.parametrize(
    "added",
    [
        "\n\n<hook_context>Mind the gap.</hook_context>",
        "\n<system-reminder>\nA > b, so be brief.\n</system-reminder>\n",
        "\n<hindsight-experience>Use tray 3.</hindsight-experience>"
        "<hook_context>Twice.</hook_context>",
    ],
)
def test_what_a_hook_added_to_an_output_is_no_output(tmp_path: Path, added: str) -> None:
    output = f"<untrusted_context>\nOutput: a > b\nExit Code: 1\n</untrusted_context>{added}"
    result = judged(tmp_path, a_call(response={"output": output}))

    assert (result.text, result.exit_code) == ("a > b", 1)


def test_a_call_that_was_running_when_the_program_was_killed_has_no_result(tmp_path: Path) -> None:
    call = a_call(status="executing", result=None)
    drafts = read(write(tmp_path, [HEADER, a_reply("g1", calls=[call])]))

    assert [e.event_type for e in events(drafts)] == [EventType.TOOL_CALL]


def test_a_response_without_its_call_is_a_result_of_its_own(tmp_path: Path) -> None:
    response = {"id": "lost", "name": SHELL, "response": {"output": "Output: x\nExit Code: 1"}}
    message = {"id": "u1", "type": "user", "content": [{"functionResponse": response}]}
    (result,) = events(read(write(tmp_path, [HEADER, message])))

    assert (result.call_id, result.tool_name, result.exit_code) == ("lost", SHELL, 1)


def test_a_response_among_those_of_other_calls_is_found(tmp_path: Path) -> None:
    both = [a_call("c1")["result"][0], a_call("c2", response={"error": "No."})["result"][0]]
    calls = [a_call("c1", result=both), a_call("c2", result=both, status="error")]
    results = events(
        read(write(tmp_path, [HEADER, a_reply("g1", calls=calls)])), EventType.TOOL_RESULT
    )

    assert [(e.call_id, e.text) for e in results] == [("c1", "fine"), ("c2", "No.")]


def test_what_was_typed_is_told_from_what_it_became(tmp_path: Path) -> None:
    message = a_user("u1", "Long prompt of a command.", displayContent=[{"text": "/release now"}])
    said = events(read(write(tmp_path, [HEADER, message])))

    assert [(e.event_type, e.text, e.injected) for e in said] == [
        (EventType.TASK, "/release now", False),
        (EventType.MESSAGE, "Long prompt of a command.", True),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "/memory show",
        "<hook_context>Mind the gap.</hook_context>",
        "<hindsight-experiences>\nUse tray 3.\n</hindsight-experiences>",
        "This is the Gemini CLI. We are setting up the context for our chat.\nToday is Monday.",
    ],
)
def test_what_nobody_said_is_injected(tmp_path: Path, text: str) -> None:
    (said,) = events(read(write(tmp_path, [HEADER, a_user("u1", text)])))

    assert (said.injected, said.event_type) == (True, EventType.MESSAGE)


def test_a_path_at_the_beginning_is_no_command(tmp_path: Path) -> None:
    (said,) = events(read(write(tmp_path, [HEADER, a_user("u1", "/memory/a.py fails")])))

    assert said.event_type is EventType.TASK


def test_unknown_records_are_kept_and_named(tmp_path: Path) -> None:
    records = [HEADER, {"id": "x", "type": "hologram"}, {"type": "telepathy"}]
    drafts = read(write(tmp_path, records))

    assert [(d.native_type, d.known) for d in drafts[1:]] == [
        ("hologram", False),
        ("telepathy", False),
    ]


def test_a_broken_line_costs_only_itself(tmp_path: Path) -> None:
    path = write(tmp_path, [HEADER, a_user("u1", "Do it.")])
    whole = path.read_text("utf-8")
    path.write_text(whole + '{"id":"g1","type":\n' + "7\n" + json.dumps(a_reply("g2", "Done.")))

    records = list(gemini.read(path))

    assert [r.line for r in records if isinstance(r, Problem)] == [3, 4]
    assert [e.text for e in events(r for r in records if isinstance(r, Draft))] == [
        "Do it.",
        "Done.",
    ]


def test_a_document_that_was_cut_gives_what_is_whole(tmp_path: Path) -> None:
    text = OLD.read_text("utf-8")
    path = tmp_path / "cut.json"
    path.write_text(text[: text.index("There is no ovenctl")], encoding="utf-8")

    records = list(gemini.read(path))

    assert detect_format(path) == "gemini"
    assert [type(record) for record in records] == [Draft, Draft, Draft, Problem]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("source", [CHAT, OLD], ids=["lines", "document"])
def test_bent_records_are_read_without_a_crash(tmp_path: Path, source: Path, seed: int) -> None:
    chance = random.Random(seed)
    text = source.read_text("utf-8")
    for _ in range(40):
        if source is OLD:
            path = tmp_path / "bent.json"
            path.write_text(json.dumps(bent(json.loads(text), chance), indent=1), "utf-8")
        else:
            lines = [bent(json.loads(line), chance) for line in text.splitlines()]
            path = write(tmp_path, lines, "bent.jsonl")

        detect_format(path)

        for record in gemini.read(path):
            if isinstance(record, Draft):
                assert_sound(record)
