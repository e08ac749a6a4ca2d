"""Copilot CLI: `success: true` that hides an exit code, refusals, subagents, its printed stream."""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from hindsight_cli.capture.draft import Draft, DraftEvent, Problem
from hindsight_cli.capture.formats import copilot, detect_format
from hindsight_cli.records.event import Actor, EventType, Status, ToolKind
from tests.unit.format_reading import events, reader_of
from tests.unit.test_format_shapes import assert_sound, bent

EVENTS = Path(__file__).parent.parent / "fixtures" / "copilot" / "events.jsonl"
SESSION = "5f0a1c2e-0001-4000-8000-00000000aaaa"
AGENT = f"{SESSION}-agent-7a000000-0000-4000-8000-00000000bbbb"
# What is only in the file, not in what the program prints.
UNPRINTED = ("session.", "system.message", "permission.")
Record = dict[str, Any]


read = reader_of(copilot)


def records_of(path: Path) -> list[Record]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def written(path: Path, records: Iterable[Record]) -> Path:
    path.write_text("\n".join(json.dumps(record) for record in records), encoding="utf-8")
    return path


def an_event(number: int, kind: str, **data: Any) -> Record:
    stamp = f"2026-10-06T08:00:{number:02}.000Z"
    return {"type": kind, "data": data, "id": f"id-{number}", "timestamp": stamp, "parentId": None}


def a_call(*, name: str = "bash", number: int = 1, **arguments: Any) -> list[Record]:
    """A call as it is asked for and carried out."""
    asked = {"toolCallId": "c1", "name": name, "arguments": arguments}
    begun = {"toolCallId": "c1", "toolName": name, "arguments": arguments}
    return [
        an_event(number, "assistant.message", content="", toolRequests=[asked]),
        an_event(number + 1, "tool.execution_start", **begun),
    ]


def the_result(folder: Path, call: list[Record], **told: Any) -> DraftEvent:
    end = an_event(9, "tool.execution_complete", toolCallId="c1", **told)
    (result,) = events(read(written(folder / "e.jsonl", [*call, end])), EventType.TOOL_RESULT)
    return result


def a_stream(folder: Path) -> Path:
    """The fixture as `copilot -p --output-format json` prints it."""
    printed = [r for r in records_of(EVENTS) if not r["type"].startswith(UNPRINTED)]
    moment = an_event(1, "assistant.message_delta", deltaContent="I b") | {"ephemeral": True}
    told = {"sessionId": SESSION, "exitCode": 0, "usage": {"premiumRequests": 1}}
    last = {"type": "result", "timestamp": "2026-10-05T10:01:00.000Z", **told}
    return written(folder / "printed.jsonl", [printed[0], moment, *printed[1:], last])


def test_every_line_is_one_record_and_the_programs_state_is_skipped() -> None:
    drafts = read(EVENTS)

    assert [draft.line for draft in drafts] == list(range(1, 43))
    assert all(draft.known for draft in drafts)
    skipped = {draft.native_type for draft in drafts if not draft.events}
    assert "session.usage_record" in skipped
    assert not skipped & {"user.message", "assistant.message", "tool.execution_complete"}


def test_the_session_is_described_by_its_start_and_its_model() -> None:
    session = read(EVENTS)[3].session

    assert (session.session_id, session.agent) == (SESSION, "copilot-cli")
    assert (session.agent_version, session.cwd) == ("1.0.102", "/srv/bakery")
    assert (session.model, session.closes) == ("acme-large", True)


def test_the_task_is_what_was_typed_and_what_was_added_is_injected() -> None:
    task, added = read(EVENTS)[2].events

    assert (task.event_type, task.text) == (EventType.TASK, "Bake the cake.")
    assert task.extra == {"attachments": ["/srv/bakery/cake.md"]}
    assert (added.injected, added.text) == (True, "<mode_notice>Plan mode is off.</mode_notice>")


def test_a_reply_is_thought_words_and_calls_with_its_tokens() -> None:
    reply = next(draft for draft in read(EVENTS) if draft.native_type == "assistant.message")

    assert [e.event_type for e in reply.events] == [
        *(EventType.REASONING, EventType.MESSAGE, EventType.TOOL_CALL, EventType.TOOL_CALL)
    ]
    counted = {"inputTokens": 100, "outputTokens": 20, "cacheReadTokens": 5}
    assert reply.usage == counted | {"cost": 0.5}
    assert [e.tool_kind for e in reply.events[2:]] == [ToolKind.SHELL, ToolKind.READ]


def test_a_call_asked_for_and_carried_out_is_one_call() -> None:
    calls = events(read(EVENTS), EventType.TOOL_CALL)

    ids = [call.call_id for call in calls]
    assert ids == [f"call_{number}" for number in range(1, 10)]


def test_success_of_the_tool_is_not_success_of_the_command() -> None:
    results = {e.call_id: e for e in events(read(EVENTS), EventType.TOOL_RESULT)}

    make = results["call_1"]
    assert (make.native_status, make.status, make.status_rule) == ("ok", Status.ERROR, "exit_code")
    assert (make.exit_code, make.duration_ms) == (2, 3000)
    assert make.text == "make: *** No rule to make target 'cake'."
    assert {call: result.status for call, result in results.items()} == {
        **dict.fromkeys(("call_1", "call_2", "call_4", "call_5", "call_9"), Status.ERROR),
        **dict.fromkeys(("call_3", "call_6", "call_7"), Status.OK),
        "call_8": Status.DENIED,
    }


def test_a_command_in_the_background_is_judged_when_its_output_is_read() -> None:
    results = {e.call_id: e for e in events(read(EVENTS), EventType.TOOL_RESULT)}

    assert results["call_3"].extra == {"running": "7"}
    assert (results["call_4"].exit_code, results["call_4"].tool_kind) == (1, ToolKind.SHELL)
    (news,) = events(read(EVENTS), EventType.OBSERVATION)
    assert (news.exit_code, news.injected) == (1, False)


def test_a_command_the_person_typed_is_their_call() -> None:
    typed = next(e for e in events(read(EVENTS)) if e.call_id == "call_9")

    assert (typed.actor, typed.tool_name) == (Actor.USER, "local_shell")
    assert (typed.tool_kind, typed.input) == (ToolKind.SHELL, {"command": "ls pantry"})


def test_tools_of_mcp_servers_are_known_by_server() -> None:
    call = next(e for e in events(read(EVENTS)) if e.call_id == "call_5")

    assert (call.tool_name, call.server) == ("oven-heat_up", "oven")
    assert call.tool_kind is ToolKind.MCP


def test_a_subagent_is_a_session_of_its_own_linked_to_its_call() -> None:
    drafts = read(EVENTS)

    own = [draft for draft in drafts if draft.session.session_id == AGENT]
    assert {draft.session.parent_call_id for draft in own} == {"call_6"}
    assert {draft.session.parent_session_id for draft in own} == {SESSION}
    assert [e.event_type for e in events(own)] == [
        *(EventType.TASK, EventType.TOOL_CALL, EventType.TOOL_RESULT, EventType.MESSAGE),
        EventType.END,
    ]
    answer = next(e for e in events(drafts, EventType.TOOL_RESULT) if e.call_id == "call_6")
    assert answer.extra == {"agent_id": AGENT.removeprefix(f"{SESSION}-agent-")}


def test_of_older_versions_the_call_tells_the_subagents_task(tmp_path: Path) -> None:
    path = written(
        tmp_path / "e.jsonl",
        [
            *a_call(name="task", prompt="Find the recipe."),
            an_event(3, "subagent.started", toolCallId="c1", agentName="explore"),
            an_event(4, "assistant.message", content="Here.", parentToolCallId="c1"),
            an_event(5, "subagent.failed", toolCallId="c1", error="no luck"),
        ],
    )

    drafts = read(path)

    main = drafts[0].session.session_id
    assert [d.session.session_id for d in drafts[2:]] == [f"{main}-agent-c1"] * 3
    task, words, end = events(drafts[2:])
    assert (task.event_type, task.text) == (EventType.TASK, "Find the recipe.")
    assert words.text == "Here."
    assert (end.text, end.extra) == ("no luck", {"end_state": "failed"})


@pytest.mark.parametrize(
    ("told", "judged"),
    [
        ({"success": True, "result": {"content": "x"}}, ("ok", None, None)),
        (
            {"success": True, "result": {"content": "x\n<exited with exit code 3>"}},
            ("error", "nonzero_exit", 3),
        ),
        (
            {"success": True, "result": {"content": "x", "contents": [{"type": "shell_exit"}]}},
            ("ok", None, None),
        ),
        (
            {
                "success": True,
                "result": {"content": "x", "contents": [{"type": "shell_exit", "exitCode": 127}]},
            },
            ("error", "not_found", 127),
        ),
        (
            {"success": True, "toolTelemetry": {"metrics": {"exit_code": 4.0}}},
            ("error", "nonzero_exit", 4),
        ),
        ({"success": True, "shellExecution": {"exitCode": "2"}}, ("ok", None, None)),
        (
            {"success": False, "error": {"message": '"command": Required', "code": "failure"}},
            ("error", "invalid_args", None),
        ),
        (
            {"success": False, "error": {"message": "Tool 'bake' does not exist."}},
            ("error", "unknown_tool", None),
        ),
        (
            {"success": False, "error": {"message": "No match found", "code": "failure"}},
            ("error", "tool_error", None),
        ),
        (
            {"success": False, "error": {"message": "Nobody was there to ask.", "code": "denied"}},
            ("denied", "denied_by_policy", None),
        ),
        (
            {
                "success": False,
                "error": {
                    "code": "denied",
                    "message": "Permission to run this tool was denied due to the following"
                    " rules: `shell(make)`",
                },
            },
            ("denied", "denied_by_policy", None),
        ),
        (
            {
                "success": False,
                "error": {"message": "The user rejected this tool call.", "code": "denied"},
            },
            ("denied", "denied_by_user", None),
        ),
        ({"result": {"content": "2 failed, 1 passed"}}, ("error", "tool_error", None)),
        (
            {"success": True, "result": {"content": "2 failed, 1 passed"}},
            ("error", "tool_error", None),
        ),
    ],
)
def test_a_result_is_judged_by_all_that_is_told(
    tmp_path: Path, told: Record, judged: tuple[str, str | None, int | None]
) -> None:
    result = the_result(tmp_path, a_call(command="make cake"), **told)

    assert (result.status, result.error_type, result.exit_code) == judged


@pytest.mark.parametrize(
    ("decision", "status"),
    [
        ("denied-interactively-by-user", (Status.DENIED, "denied_by_user")),
        ("denied-by-rules", (Status.DENIED, "denied_by_policy")),
        ("denied-by-content-exclusion-policy", (Status.DENIED, "denied_by_policy")),
        ("cancelled", (Status.CANCELLED, "interrupted")),
        ("approved", (Status.ERROR, "flag")),
    ],
)
def test_the_decision_about_a_call_counts(
    tmp_path: Path, decision: str, status: tuple[Status, str]
) -> None:
    asked = an_event(3, "permission.completed", toolCallId="c1", result={"kind": decision})
    call = [*a_call(command="rm -rf pantry"), asked]

    result = the_result(tmp_path, call, success=False, error={"message": "It did not run."})

    assert (result.status, result.status_rule) == status
    assert result.duration_ms == 6000  # the time to decide is not the command's


def test_a_turn_that_was_stopped_ends_its_open_calls(tmp_path: Path) -> None:
    records = [
        an_event(1, "user.message", content="Go."),
        *a_call(command="sleep 100", number=2),
        an_event(4, "abort", reason="user_initiated"),
        an_event(5, "tool.execution_complete", toolCallId="c1", success=False),
        an_event(6, "session.shutdown", shutdownType="routine"),
    ]

    drafts = read(written(tmp_path / "e.jsonl", records))

    (result,) = events(drafts, EventType.TOOL_RESULT)
    assert (result.status, result.call_id) == (Status.CANCELLED, "c1")
    assert [e.extra["end_state"] for e in events(drafts, EventType.END)] == ["aborted"] * 2


@pytest.mark.parametrize(
    ("last", "state"),
    [
        (an_event(3, "session.shutdown", shutdownType="routine"), "completed"),
        (an_event(3, "session.shutdown", shutdownType="error", errorReason="boom"), "crashed"),
        ({"type": "result", "sessionId": "s", "exitCode": 0}, "completed"),
        ({"type": "result", "sessionId": "s", "exitCode": 1}, "failed"),
    ],
)
def test_how_a_session_ended_is_told(tmp_path: Path, last: Record, state: str) -> None:
    records = [an_event(1, "user.message", content="Go."), last]

    (end,) = events(read(written(tmp_path / "e.jsonl", records)), EventType.END)

    assert end.extra == {"end_state": state}


def test_an_error_on_the_way_to_the_model_ends_the_session_badly(tmp_path: Path) -> None:
    records = [
        an_event(1, "session.error", errorType="query", message="getaddrinfo ENOTFOUND api"),
        an_event(2, "session.shutdown", shutdownType="routine"),
    ]

    error, end = events(read(written(tmp_path / "e.jsonl", records)))

    assert (error.event_type, error.error_type) == (EventType.OTHER, "network")
    assert end.extra == {"end_state": "failed"}


def test_a_call_that_only_began_is_a_call_as_well(tmp_path: Path) -> None:
    begun = a_call(command="make")[1]

    (call,) = events(read(written(tmp_path / "e.jsonl", [begun])))

    assert (call.event_type, call.call_id) == (EventType.TOOL_CALL, "c1")


def test_ids_that_come_again_in_a_resumed_session_are_calls_of_their_own(tmp_path: Path) -> None:
    end = an_event(3, "tool.execution_complete", toolCallId="c1", success=True)
    again = [record | {"id": f"again-{record['id']}"} for record in [*a_call(command="ls"), end]]
    records = [*a_call(command="make"), end, an_event(5, "session.resume", eventCount=3), *again]

    drafts = read(written(tmp_path / "e.jsonl", records))

    assert len(events(drafts, EventType.TOOL_CALL)) == 2
    assert len(events(drafts, EventType.TOOL_RESULT)) == 2


def test_arguments_that_are_json_text_are_parsed(tmp_path: Path) -> None:
    asked = {"toolCallId": "c1", "name": "shell", "arguments": '{"command": "ls"}'}
    broken = {"toolCallId": "c2", "name": "shell", "arguments": '{"command": "l'}
    record = an_event(1, "assistant.message", content="", toolRequests=[asked, broken])

    whole, cut = events(read(written(tmp_path / "e.jsonl", [record])))

    assert (whole.input, cut.input) == ({"command": "ls"}, '{"command": "l')


@pytest.mark.parametrize(
    ("data", "injected"),
    [
        ({"source": "skill-pdf"}, True),
        ({"isAutopilotContinuation": True}, True),
        ({"source": "phone"}, False),
        ({}, False),
    ],
)
def test_messages_nobody_typed_are_no_task(tmp_path: Path, data: Record, injected: bool) -> None:
    record = an_event(1, "user.message", content="Go on.", **data)

    (event,) = events(read(written(tmp_path / "e.jsonl", [record])))

    assert event.injected is injected
    assert (event.event_type is EventType.TASK) is not injected


def test_what_hindsight_injected_is_no_evidence(tmp_path: Path) -> None:
    block = "<hindsight-experience>Use flour.</hindsight-experience>"
    record = an_event(1, "user.message", content="Bake.", transformedContent=f"{block}\nBake.")

    task, added = events(read(written(tmp_path / "e.jsonl", [record])))

    assert (task.text, task.injected) == ("Bake.", False)
    assert (added.text, added.injected) == (block, True)


def test_binaries_leave_the_event(tmp_path: Path) -> None:
    data = bytes(range(256)) * 8
    encoded = base64.b64encode(data).decode()
    shown = {"type": "blob", "mimeType": "image/png", "data": encoded}
    records = [
        an_event(1, "session.binary_asset", assetId="sha256:a", mimeType="image/png", data=encoded),
        an_event(2, "user.message", content="See.", attachments=[shown]),
    ]

    asset, task = events(read(written(tmp_path / "e.jsonl", records)))

    assert [blob.data for event in (asset, task) for blob in event.blobs] == [data, data]
    assert (asset.injected, asset.extra) == (True, {"asset_id": "sha256:a"})


def test_what_is_printed_are_the_same_records_of_the_same_session(tmp_path: Path) -> None:
    path = a_stream(tmp_path)
    stored = {draft.native_id: draft for draft in read(EVENTS)}

    printed = read(path)

    assert detect_format(path) == "copilot"
    assert {draft.session.session_id for draft in printed} == {SESSION, AGENT}
    for draft in printed[:-1]:
        if draft.events and draft.native_type not in ("user.message", "tool.execution_complete"):
            assert draft.events == stored[draft.native_id].events
    statuses = {e.call_id: e.status for e in events(printed, EventType.TOOL_RESULT)}
    assert statuses == {e.call_id: e.status for e in events(stored.values()) if e.status}


def test_two_printed_runs_in_one_file_are_two_sessions(tmp_path: Path) -> None:
    run = [an_event(1, "user.message", content="One.")]
    runs = [
        *(*run, {"type": "result", "sessionId": "first", "exitCode": 0}),
        *(*run, {"type": "result", "sessionId": "second", "exitCode": 0}),
        an_event(2, "user.message", content="Cut off."),
    ]

    drafts = read(written(tmp_path / "e.jsonl", runs))

    assert [d.session.session_id for d in drafts[:4]] == ["first"] * 2 + ["second"] * 2
    assert drafts[4].session.session_id.startswith("copilot-cli-")
    assert [e.text for e in events(drafts, EventType.TASK)] == ["One.", "One.", "Cut off."]


@pytest.mark.parametrize("name", [f"{SESSION}/events.jsonl", f"{SESSION}.jsonl"])
def test_a_session_without_a_start_is_named_by_its_place(tmp_path: Path, name: str) -> None:
    (tmp_path / SESSION).mkdir()
    path = written(tmp_path / name, [an_event(1, "user.message", content="Hi.")])

    assert read(path)[0].session.session_id == SESSION


def test_an_event_written_twice_has_one_id_and_two_with_one_id_have_two(tmp_path: Path) -> None:
    first, other = (an_event(1, "user.message", content=text) for text in ("One.", "Two."))

    drafts = read(written(tmp_path / "e.jsonl", [first, first, other, other]))

    one, again, two, also = (draft.native_id for draft in drafts)
    assert (one, two) == (again, also)
    assert one == "id-1" != two


def test_unknown_events_are_noticed_and_those_of_the_moment_are_not(tmp_path: Path) -> None:
    records = [
        an_event(1, "session.start", sessionId="s"),
        an_event(2, "session.moon_phase", phase="full"),
        an_event(3, "session.moon_phase", phase="new") | {"ephemeral": True},
    ]

    drafts = read(written(tmp_path / "e.jsonl", records))

    assert [draft.known for draft in drafts] == [True, False, True]


@pytest.mark.parametrize(
    "line",
    [
        {"type": "result", "sessionId": "s", "exitCode": 0},
        {"type": "message", "data": {}, "id": "x", "timestamp": "t"},
        {"type": "thread.started", "thread_id": "x"},
        {"type": "user.message", "data": "x", "id": "x", "timestamp": "t"},
    ],
)
def test_other_agents_records_are_not_taken_for_copilots(tmp_path: Path, line: Record) -> None:
    assert not copilot.recognizes(tmp_path, json.dumps(line).encode())


def test_a_first_event_too_long_to_parse_is_recognised(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    path.write_text('{"type":"user.message","data":{"content":"' + "x" * 200_000, encoding="utf-8")

    assert detect_format(path) == "copilot"


def test_an_event_without_data_costs_only_itself(tmp_path: Path) -> None:
    records = records_of(EVENTS)
    records[6] = records[6] | {"data": None}

    read_back = list(copilot.read(written(tmp_path / "e.jsonl", records)))

    assert [r.line for r in read_back if isinstance(r, Problem)] == [7]
    assert len(read_back) == len(records)


@pytest.mark.parametrize("seed", range(4))
def test_bent_events_are_all_accounted_for(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    records = records_of(a_stream(tmp_path) if seed % 2 else EVENTS)
    for _ in range(40):
        chosen = [bent(record, chance) for record in chance.sample(records, 12)]
        path = written(tmp_path / "bent.jsonl", chosen)

        detect_format(path)
        read_back = list(copilot.read(path))

        assert [record.line for record in read_back] == list(range(1, 13))
        for record in read_back:
            if isinstance(record, Draft):
                assert_sound(record)
