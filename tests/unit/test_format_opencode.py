"""OpenCode's exports: parts of messages, and "completed" calls that failed."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from hindsight_cli.api.importing import import_paths
from hindsight_cli.api.project import Project
from hindsight_cli.capture.draft import Draft, DraftEvent, Problem
from hindsight_cli.capture.formats import detect_format, opencode
from hindsight_cli.records.event import Actor, EventType, Status, ToolKind
from tests.unit.format_reading import events, reader_of
from tests.unit.test_format_shapes import assert_sound, bent

EXPORT = Path(__file__).parent.parent / "fixtures" / "opencode" / "export.json"
DOCUMENT = json.loads(EXPORT.read_text(encoding="utf-8"))
SESSION = DOCUMENT["info"]["id"]
BEGUN_MS = 1_772_617_500_000
REJECTED = "The user rejected permission to use this specific tool call."
RULED = (
    "The user has specified a rule which prevents you from using this specific tool call. "
    'Here are some of the relevant rules [{"permission":"bash","pattern":"rm *","action":"deny"}]'
)
NO_TOOL = "Model tried to call unavailable tool 'reprice'. Available tools: bash."


read = reader_of(opencode)


def write(folder: Path, *documents: Any, name: str = "export.json") -> Path:
    path = folder / name
    path.write_text("\n".join(json.dumps(d) for d in documents), encoding="utf-8")
    return path


def an_id(kind: str, made_ms: int, number: int = 0) -> str:
    return f"{kind}_{(made_ms * 4096 + number) % 2**48:012x}Kq7Zt2Rb9Lw4Xc"


def an_export(*messages: Mapping[str, Any], **about: Any) -> dict[str, Any]:
    info = {"id": "ses_1", "directory": "/p", "time": {"created": BEGUN_MS}, **about}
    return {"info": info, "messages": list(messages)}


def a_message(
    role: str, *parts: Mapping[str, Any], at: int = 1_000, **about: Any
) -> dict[str, Any]:
    made = BEGUN_MS + at
    native_id = about.pop("id", an_id("msg", made))
    time = {"created": made, "completed": made + 500} if role == "assistant" else {"created": made}
    numbered = [
        {"id": f"{native_id}-{number}", **part} for number, part in enumerate(parts, start=1)
    ]
    return {"info": {"id": native_id, "role": role, "time": time, **about}, "parts": numbered}


def a_text(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": text, **more}


def a_tool(name: str = "bash", call_id: str = "c1", **state: Any) -> dict[str, Any]:
    defaults = {"status": "completed", "input": {"command": "make"}, "output": "", "metadata": {}}
    return {"type": "tool", "tool": name, "callID": call_id, "state": {**defaults, **state}}


def a_shell(command: str, output: str, **facts: Any) -> dict[str, Any]:
    return a_tool(input={"command": command}, output=output, metadata=facts)


def judged(folder: Path, part: Mapping[str, Any]) -> DraftEvent:
    document = an_export(a_message("assistant", part))
    (result,) = events(read(write(folder, document)), EventType.TOOL_RESULT)
    return result


def test_every_part_and_every_error_is_one_record() -> None:
    drafts = read(EXPORT)

    parts = [part["id"] for message in DOCUMENT["messages"] for part in message["parts"]]
    assert [draft.line for draft in drafts] == list(range(1, len(parts) + 2))
    assert [draft.native_id for draft in drafts[:-1]] == parts
    assert drafts[-1].native_type == "error"
    assert all(draft.known for draft in drafts)


def test_the_session_is_described() -> None:
    session = read(EXPORT)[-1].session

    assert session.session_id == SESSION
    assert (session.agent, session.agent_version) == ("opencode", "1.18.33")
    assert (session.cwd, session.model) == ("/home/ada/bookshop", "larch-2")
    assert session.closes


def test_the_task_is_what_the_person_typed_and_nothing_put_beside_it() -> None:
    drafts = read(EXPORT)

    (task,) = events(drafts, EventType.TASK)
    assert task.text == 'Make the price tests pass, then say "done".'
    assert task.timestamp == "2026-03-04T09:45:02.000Z"
    injected = [event.text for event in events(drafts, EventType.MESSAGE) if event.injected]
    assert len(injected) == 1
    assert injected[0].startswith("Called the Read tool")


@pytest.mark.parametrize(
    ("typed", "task"),
    [
        ('"fix it now"', "fix it now"),
        (r'"say \"hi\" twice"', 'say "hi" twice'),
        ('fix "the cache" now', 'fix "the cache" now'),
        ('"the cache" and "the log"', '"the cache" and "the log"'),
        ("fix it", "fix it"),
        ('"', '"'),
    ],
)
def test_quotes_that_run_puts_round_an_argument_are_taken_off(
    tmp_path: Path, typed: str, task: str
) -> None:
    drafts = read(write(tmp_path, an_export(a_message("user", a_text(typed)))))

    assert [event.text for event in events(drafts, EventType.TASK)] == [task]


def test_failures_are_found_behind_completed() -> None:
    results = {e.call_id: e for e in events(read(EXPORT), EventType.TOOL_RESULT)}

    assert [(e.status, e.status_rule, e.native_status) for e in results.values()] == [
        (Status.ERROR, "exit_code", "completed"),
        (Status.ERROR, "flag", "error"),
        (Status.OK, "flag", "completed"),
        (Status.ERROR, "harness", "completed"),
        (Status.DENIED, "denied_by_user", "error"),
        (Status.TIMEOUT, "timeout", "completed"),
        (Status.OK, "flag", "completed"),
        (Status.ERROR, "flag", "error"),
        (Status.OK, "flag", "completed"),
        (Status.OK, "exit_one_is_an_answer", "completed"),
    ]
    assert results["call_01"].exit_code == 1
    assert results["call_01"].duration_ms == 300


@pytest.mark.parametrize(
    ("part", "status", "rule", "error_type"),
    [
        (a_shell("make", "no rule", exit=2), Status.ERROR, "exit_code", "nonzero_exit"),
        (a_shell("frob", "not found", exit=127), Status.ERROR, "exit_code", "not_found"),
        (a_shell("make", "", exit=0), Status.OK, "flag", None),
        (a_shell("make", "all done"), Status.OK, "no_failure_signal", None),
        (a_shell("make", "x", exit="2"), Status.OK, "no_failure_signal", None),
        (
            a_shell("sleep 9", "<metadata>\nUser aborted the command\n</metadata>", exit=None),
            *(Status.CANCELLED, "interrupted", "interrupted"),
        ),
        (
            a_shell(
                "sleep 9",
                "<bash_metadata>\nbash tool terminated command after exceeding timeout 5 ms\n"
                "</bash_metadata>",
            ),
            *(Status.TIMEOUT, "timeout", "timeout"),
        ),
        (
            a_shell("make", "make: *** [all] Error 2\n<metadata>\nin the background\n</metadata>"),
            *(Status.ERROR, "text_build_summary", "tool_error"),
        ),
        (
            a_shell("cat notes", "<shell_metadata>\nexceeding timeout\n</shell_metadata>\nend"),
            *(Status.OK, "no_failure_signal", None),
        ),
        (
            a_tool(status="error", error="Tool execution aborted"),
            *(Status.CANCELLED, "interrupted", "interrupted"),
        ),
        (
            a_tool(status="error", error="stopped", metadata={"interrupted": True}),
            *(Status.CANCELLED, "interrupted", "interrupted"),
        ),
        (a_tool(status="error", error=REJECTED), Status.DENIED, "denied_by_user", "denied_by_user"),
        (
            a_tool(status="error", error=f"{REJECTED} with the following feedback: no"),
            *(Status.DENIED, "denied_by_user", "denied_by_user"),
        ),
        (
            a_tool("question", status="error", error="The user dismissed this question"),
            *(Status.DENIED, "denied_by_user", "denied_by_user"),
        ),
        (
            a_tool(status="error", error=RULED),
            *(Status.DENIED, "denied_by_policy", "denied_by_policy"),
        ),
        (
            a_tool("invalid", input={"tool": "reprice", "error": NO_TOOL}, output=NO_TOOL),
            *(Status.ERROR, "harness", "unknown_tool"),
        ),
        (
            a_tool("invalid", input={"tool": "read", "error": "Expected a string"}, output="x"),
            *(Status.ERROR, "harness", "invalid_args"),
        ),
    ],
)
def test_a_status_rests_on_everything_the_part_tells(
    tmp_path: Path, part: Mapping[str, Any], status: Status, rule: str, error_type: str | None
) -> None:
    result = judged(tmp_path, part)

    assert (result.status, result.status_rule) == (status, rule)
    assert result.error_type == error_type


def test_a_stopped_call_keeps_what_it_had_printed(tmp_path: Path) -> None:
    facts = {"interrupted": True, "output": "half a line"}

    result = judged(
        tmp_path, a_tool(status="error", error="Tool execution aborted", metadata=facts)
    )

    assert result.text == "half a line\nTool execution aborted"


@pytest.mark.parametrize(
    ("tool", "kind", "server"),
    [
        ("bash", ToolKind.SHELL, None),
        ("todowrite", ToolKind.PLAN, None),
        ("task", ToolKind.SUBAGENT, None),
        ("apply_patch", ToolKind.EDIT, None),
        ("plan_exit", ToolKind.OTHER, None),
        ("rates_get-rate", ToolKind.MCP, "rates"),
    ],
)
def test_a_tool_with_the_name_of_a_server_before_it_is_that_servers(
    tmp_path: Path, tool: str, kind: ToolKind, server: str | None
) -> None:
    result = judged(tmp_path, a_tool(tool))

    assert (result.tool_name, result.tool_kind, result.server) == (tool, kind, server)


def test_a_call_that_could_not_be_made_has_the_name_it_was_made_by(tmp_path: Path) -> None:
    part = a_tool("invalid", input={"tool": "rates_reprice", "error": NO_TOOL}, output=NO_TOOL)

    result = judged(tmp_path, part)

    assert (result.tool_name, result.server) == ("rates_reprice", None)


@pytest.mark.parametrize(
    ("status", "is_last", "called"),
    [("running", True, True), ("pending", True, False), ("pending", False, True)],
)
def test_a_call_without_an_answer_is_a_call_once_its_arguments_are_complete(
    tmp_path: Path, status: str, is_last: bool, called: bool
) -> None:
    reply = a_message("assistant", a_tool(status=status))
    del reply["info"]["time"]["completed"]
    after = [] if is_last else [a_message("user", a_text("Well?"), at=9_000)]

    drafts = read(write(tmp_path, an_export(reply, *after)))

    assert len(events(drafts, EventType.TOOL_CALL)) == called
    assert not events(drafts, EventType.TOOL_RESULT)


def test_half_a_sentence_waits_until_it_is_whole(project: Project, tmp_path: Path) -> None:
    reply = a_message("assistant", a_text("The tests", time={"start": 1}), a_tool(status="running"))
    done = reply["info"]["time"].pop("completed")
    task = a_message("user", a_text("Go"), at=0)
    import_paths(project, [write(tmp_path, an_export(task, reply))])

    reply["info"]["time"]["completed"] = done
    reply["parts"][0]["text"] = "The tests pass."
    reply["parts"][1]["state"] |= {"status": "completed", "metadata": {"exit": 0}}
    report = import_paths(project, [write(tmp_path, an_export(task, reply))])

    assert (report.total("imported"), report.total("duplicate")) == (2, 1)
    path = project.traces.find("ses_1")
    assert path is not None
    recorded = project.traces.read(path)[0]
    assert [(e.event_type, e.output_summary) for e in recorded] == [
        (EventType.TASK, "Go"),
        (EventType.TOOL_CALL, ""),
        (EventType.MESSAGE, "The tests pass."),
        (EventType.TOOL_RESULT, ""),
    ]


def test_what_a_step_cost_is_counted_once_on_its_last_event(project: Project) -> None:
    import_paths(project, [EXPORT])

    path = project.traces.find(SESSION)
    assert path is not None
    usages = [e.native.usage for e in project.traces.read(path)[0] if e.native.usage]
    steps = [
        part["tokens"]
        for message in DOCUMENT["messages"]
        for part in message["parts"]
        if part["type"] == "step-finish"
    ]
    assert [usage["input"] for usage in usages] == [tokens["input"] for tokens in steps]
    assert usages[0] == {
        "total": 210,
        "input": 180,
        "output": 30,
        "reasoning": 0,
        "cache_read": 64,
        "cache_write": 0,
        "cost": 0.01,
    }


@pytest.mark.parametrize(
    ("reason", "state"),
    [("stop", "completed"), ("length", "out of tokens"), ("tool-calls", None), ("error", "error")],
)
def test_the_turn_ends_when_the_model_does_not_go_on(
    tmp_path: Path, reason: str, state: str | None
) -> None:
    reply = a_message("assistant", a_text("So."), {"type": "step-finish", "reason": reason})

    ends = events(read(write(tmp_path, an_export(reply))), EventType.END)

    assert [end.extra["end_state"] for end in ends] == ([state] if state else [])


def test_a_summary_is_neither_a_message_nor_an_end() -> None:
    drafts = read(EXPORT)

    marker, summary = events(drafts, EventType.COMPACTION)
    assert (marker.text, marker.injected) == ("", True)
    assert summary.text.startswith("## Goal")
    assert [end.extra["end_state"] for end in events(drafts, EventType.END)] == [
        "completed",
        "failed",
    ]


@pytest.mark.parametrize(
    ("error", "state", "error_type", "text"),
    [
        (
            {"name": "APIError", "data": {"message": "Too many requests", "statusCode": 429}},
            *("failed", "api", "Too many requests"),
        ),
        (
            {"name": "UnknownError", "data": {"message": "connect ECONNREFUSED 10.0.0.1:443"}},
            *("failed", "network", "connect ECONNREFUSED 10.0.0.1:443"),
        ),
        (
            {"name": "MessageAbortedError", "data": {"message": "Aborted"}},
            *("interrupted", None, "Aborted"),
        ),
        ("out of memory", "failed", "api", '"out of memory"'),
    ],
)
def test_an_error_ends_the_turn(
    tmp_path: Path, error: Any, state: str, error_type: str | None, text: str
) -> None:
    (end,) = events(read(write(tmp_path, an_export(a_message("assistant", error=error)))))

    assert (end.event_type, end.extra["end_state"]) == (EventType.END, state)
    assert (end.error_type, end.text) == (error_type, text)


def test_the_same_error_twice_is_two_records(project: Project, tmp_path: Path) -> None:
    error = {"name": "APIError", "data": {"message": "Overloaded"}}
    replies = [a_message("assistant", at=n, error=error) for n in (1, 2)]
    path = write(tmp_path, an_export(a_message("user", a_text("Go"), at=0), *replies))

    assert import_paths(project, [path]).total("imported") == 3
    assert import_paths(project, [path]).total("imported") == 0


def test_a_retry_is_told_with_its_number(tmp_path: Path) -> None:
    error = {"name": "APIError", "data": {"message": "HTTP 503", "statusCode": 503}}
    part = {"type": "retry", "attempt": 2, "error": error, "time": {"created": BEGUN_MS}}

    (event,) = events(read(write(tmp_path, an_export(a_message("assistant", part)))))

    assert (event.event_type, event.error_type) == (EventType.OTHER, "api")
    assert event.extra["attempt"] == 2


def test_a_command_that_a_person_ran_is_the_persons(tmp_path: Path) -> None:
    told = a_text("The following tool was executed by the user", synthetic=True)
    user = a_message("user", told)
    reply = a_message("assistant", a_shell("ls", "a b"), parentID=user["info"]["id"], at=2_000)

    drafts = read(write(tmp_path, an_export(user, reply)))

    (call,) = events(drafts, EventType.TOOL_CALL)
    assert call.actor is Actor.USER
    assert not events(drafts, EventType.TASK)


def test_a_subagent_is_a_session_of_its_own(tmp_path: Path) -> None:
    message = a_message("user", {"type": "subtask", "prompt": "Find callers", "agent": "general"})

    drafts = read(write(tmp_path, an_export(message, id="ses_2", parentID="ses_1")))

    assert drafts[0].session.parent_session_id == "ses_1"
    assert [event.text for event in events(drafts, EventType.TASK)] == ["Find callers"]
    (result,) = [e for e in events(read(EXPORT)) if e.extra.get("agent_id")]
    assert (result.tool_name, result.extra["agent_id"]) == (
        "task",
        "ses_34dd0a111ffe4ChiLdSeSsIoNa",
    )


@pytest.mark.parametrize(
    ("part", "kept"),
    [("", ["Go"]), ("msg_b-2", ["Go", "I make it."]), ("gone", ["Go", "I make it.", "make"])],
)
def test_what_a_person_took_back_is_marked_and_is_no_task(
    tmp_path: Path, part: str, kept: list[str]
) -> None:
    reply = a_message(
        *("assistant", a_text("I make it."), a_shell("make", "make", exit=0)), id="msg_b", at=2_000
    )
    document = an_export(
        a_message("user", a_text("Go"), id="msg_a"),
        reply,
        a_message("user", a_text("No!"), at=3_000, id="msg_c"),
        revert={"messageID": "msg_b", **({"partID": part} if part else {})},
    )

    drafts = read(write(tmp_path, document))

    marked = {e.text or e.tool_name for e in events(drafts) if e.extra.get("branch")}
    assert [e.text for e in events(drafts) if e.text and e.text not in marked] == [
        *kept,
        *(["No!"] if part == "gone" else []),
    ]
    assert [event.text for event in events(drafts, EventType.TASK)] == ["Go"]


def test_a_session_taken_back_from_its_start_has_the_next_task(tmp_path: Path) -> None:
    first = a_message("user", a_text("Go"), id="msg_a")

    drafts = read(write(tmp_path, an_export(first, revert={"messageID": "msg_a"})))

    (event,) = events(drafts)
    assert (event.event_type, event.extra) == (EventType.MESSAGE, {"branch": "abandoned"})


def a_fork(copy_id: str, made: int) -> dict[str, Any]:
    copied = a_message("user", a_text("Old task"), at=made, id=copy_id)
    own = a_message("user", a_text("Another way"), at=5_000)
    return an_export(copied, own, id="ses_fork")


@pytest.mark.parametrize(
    ("copy_id", "made", "tasks"),
    [
        (an_id("msg", BEGUN_MS), -60_000, ["Another way"]),
        # The clock was set back while the session began: the message is its own.
        (an_id("msg", BEGUN_MS - 60_000), -60_000, ["Old task"]),
        (an_id("msg", BEGUN_MS), 10, ["Old task"]),
        ("copy", -60_000, ["Another way"]),
    ],
)
def test_what_a_fork_copied_is_not_counted_twice(
    tmp_path: Path, copy_id: str, made: int, tasks: list[str]
) -> None:
    drafts = read(write(tmp_path, a_fork(copy_id, made)))

    assert [event.text for event in events(drafts, EventType.TASK)] == tasks
    assert len(drafts) == 2


def test_attachments_are_kept_aside(tmp_path: Path) -> None:
    url = "data:image/png;base64,iVBORw0KGgo="
    asked = a_message(
        "user", {"type": "file", "mime": "image/png", "filename": "a.png", "url": url}
    )
    shown = a_message(
        "assistant", a_tool("read", attachments=[{"type": "file", "url": url}, "?"]), at=2_000
    )

    drafts = read(write(tmp_path, an_export(asked, shown)))

    blobs = [event.blobs for event in events(drafts) if event.blobs]
    assert [[(blob.mime, blob.data[:4]) for blob in some] for some in blobs] == [
        [("image/png", b"\x89PNG")],
        [("image/png", b"\x89PNG")],
    ]
    assert "base64" not in "".join(event.text for event in events(drafts))


def test_text_that_is_only_shown_to_the_person_is_no_evidence(tmp_path: Path) -> None:
    reply = a_message("user", a_text("A tip of the day", ignored=True), a_text("Go"))

    drafts = read(write(tmp_path, an_export(reply)))

    assert [(e.text, e.injected) for e in events(drafts)] == [
        ("A tip of the day", True),
        ("Go", False),
    ]


def test_a_part_of_a_new_type_is_kept_and_counted(project: Project, tmp_path: Path) -> None:
    message = a_message("assistant", {"type": "hologram"}, a_text("Hi"))

    report = import_paths(project, [write(tmp_path, an_export(message))])

    assert report.unknown_records == {"hologram": 1}
    assert report.total("imported") == 2


def test_several_exports_may_follow_each_other(tmp_path: Path) -> None:
    first = an_export(a_message("user", a_text("One")))
    second = an_export(a_message("user", a_text("Two")), id="ses_2")

    for documents in ([first, second], [[first, second]]):
        path = write(tmp_path, *documents)
        assert detect_format(path) == "opencode"
        drafts = read(path)
        assert [(d.session.session_id, d.line) for d in drafts] == [("ses_1", 1), ("ses_2", 2)]


def test_the_notice_of_the_program_in_the_same_file_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    path.write_text(f"Exporting session: ses_1\n{json.dumps(DOCUMENT)}", encoding="utf-8")

    assert detect_format(path) == "opencode"
    assert len(read(path)) == len(read(EXPORT))


def test_an_export_that_is_cut_off_gives_what_is_there(tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    text = EXPORT.read_text(encoding="utf-8")
    path.write_text(text[: text.index('"call_04"')], encoding="utf-8")

    assert detect_format(path) == "opencode"
    *drafts, problem = opencode.read(path)
    assert isinstance(problem, Problem)
    assert problem.reason.startswith("not JSON, or cut off")
    assert [d.native_id for d in drafts if isinstance(d, Draft)] == [
        draft.native_id for draft in read(EXPORT)[: len(drafts)]
    ]
    assert len(drafts) == 8


def test_a_broken_message_costs_only_itself(tmp_path: Path) -> None:
    good = a_message("user", a_text("Go"))
    document = an_export(good)
    document["messages"][:0] = [5, None, {"info": {}, "parts": "x"}]
    good["parts"].append("no part")

    records = list(opencode.read(write(tmp_path, document)))

    assert [(type(record), record.line) for record in records] == [
        (Problem, 1),
        (Problem, 2),
        (Problem, 3),
        (Draft, 4),
        (Problem, 5),
    ]


def test_importing_twice_changes_nothing(project: Project) -> None:
    first = import_paths(project, [EXPORT])
    second = import_paths(project, [EXPORT])

    (trace,) = first.traces
    assert (trace.tool_calls, trace.failed_tool_calls, trace.denied_tool_calls) == (10, 5, 1)
    assert trace.end_state == "failed"
    assert (second.total("imported"), second.total("duplicate")) == (0, first.total("imported"))


@pytest.mark.parametrize(
    "content",
    [
        '{"info": {"id": "x"}, "messages": []}',
        '{"info": {"model": "m"}, "trajectory_format": "mini-swe-agent-1.1", "messages": []}',
        '{"messages": [{"info": {"id": "ses_1"}}]}',
        '[{"role": "user", "content": "Exporting session"}]',
    ],
)
def test_documents_of_others_are_not_taken_for_exports(tmp_path: Path, content: str) -> None:
    path = tmp_path / "file.json"
    path.write_text(content, encoding="utf-8")

    assert detect_format(path) != "opencode"


@pytest.mark.parametrize("seed", range(4))
def test_bent_exports_are_read_without_a_crash(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(60):
        messages = bent(DOCUMENT["messages"], chance)
        document = {"info": bent(DOCUMENT["info"], chance), "messages": messages}
        path = write(tmp_path, document)

        detect_format(path)

        records = list(opencode.read(path))
        assert [record.line for record in records] == list(range(1, len(records) + 1))
        for record in records:
            if isinstance(record, Draft):
                assert_sound(record)
