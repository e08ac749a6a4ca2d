"""OpenHands event lists: both generations, evaluations' rows, and folders with a file an event."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest

from hindsight_cli.capture.draft import Draft, Problem
from hindsight_cli.capture.formats import detect_format, openhands
from hindsight_cli.records.event import Actor, EventType, Status, ToolKind
from tests.unit.format_reading import events, reader_of, value_reader_of
from tests.unit.test_format_shapes import assert_sound, bent

FOLDER = Path(__file__).parent.parent / "fixtures" / "openhands"
STREAM, ROWS, SDK = (
    FOLDER / "trajectory.json",
    FOLDER / "output.jsonl",
    FOLDER / "sdk_events.jsonl",
)
FILES = [STREAM, ROWS, SDK]
DENIED = "denied_by_user"


read = reader_of(openhands)
read_value = value_reader_of(openhands, "a.json")


def values_of(path: Path) -> list[Any]:
    text = path.read_text(encoding="utf-8")
    if path is STREAM:
        listed: list[Any] = json.loads(text)
        return listed
    return [json.loads(line) for line in text.splitlines()]


def results(drafts: list[Draft]) -> list[tuple[str | None, Status | None, str | None, int | None]]:
    found = events(drafts, EventType.TOOL_RESULT)
    return [(e.tool_name, e.status, e.status_rule, e.exit_code) for e in found]


def session_ids(drafts: list[Draft]) -> list[str]:
    return list(dict.fromkeys(draft.session.session_id for draft in drafts))


def test_every_event_is_one_record() -> None:
    assert [draft.line for draft in read(STREAM)] == list(range(1, 27))
    assert all(draft.known for path in FILES for draft in read(path))


def test_it_is_recognised_in_every_layout(tmp_path: Path) -> None:
    for number, path in enumerate(FILES):
        assert detect_format(path) == "openhands"
        for indent in (None, 1):
            file = tmp_path / f"{number}-{indent}.json"
            file.write_text(json.dumps(values_of(path), indent=indent), encoding="utf-8")
            assert detect_format(file) == "openhands"
            assert read(file) == read(path)
    row = tmp_path / "row.json"
    row.write_text(json.dumps(values_of(ROWS)[0], indent=2), encoding="utf-8")
    assert detect_format(row) == "openhands"
    assert [d.events for d in read(row)] == [d.events for d in read(ROWS)][:25]


def test_an_export_under_a_key_is_read_like_the_list(tmp_path: Path) -> None:
    drafts = read_value(tmp_path, {"trajectory": values_of(STREAM)})

    assert detect_format(tmp_path / "a.json") == "openhands"
    assert drafts == read(STREAM)


@pytest.mark.parametrize(
    "value",
    [
        [{"id": 1, "source": "agent", "message": "hello"}],
        {"kind": "ActionEvent", "source": "web", "id": "x"},
        [{"role": "user", "content": '"source": "agent", "action": "run", "args": {'}],
        {"instance_id": "x", "history": [{"role": "user", "content": "hi"}]},
    ],
)
def test_files_that_only_look_a_little_like_it_are_not(tmp_path: Path, value: Any) -> None:
    path = tmp_path / "other.json"
    path.write_text(json.dumps(value), encoding="utf-8")

    assert detect_format(path) != "openhands"


@pytest.mark.parametrize("path", [STREAM, SDK])
def test_the_task_is_what_the_person_says_first(path: Path) -> None:
    (task,) = events(read(path), EventType.TASK)

    assert task.actor is Actor.USER
    assert task.text.startswith("List overdue loans.")


def test_the_task_of_an_evaluation_is_told_from_the_template_round_it(tmp_path: Path) -> None:
    stream = values_of(STREAM)
    stream[2]["args"]["content"] = (
        "<uploaded_files>\n/library\n</uploaded_files>\nRead this:\n\n<issue_description>\n"
        "Loans are lost.\n</issue_description>\n\nFollow these steps."
    )
    task, rest = read_value(tmp_path, stream)[2].events

    assert (task.event_type, task.text) == (EventType.TASK, "Loans are lost.")
    assert rest.injected
    assert "Follow these steps." in rest.text


def test_prompts_and_recalled_knowledge_are_injected() -> None:
    texts = [e.text for e in events(read(STREAM)) if e.injected]
    assert texts == ["You are an agent. Use the tools.", "Use pytest -q.\n\nNever push to main."]
    added = [e for e in events(read(SDK)) if "EXTRA_INFO" in e.text]
    assert [e.injected for e in added] == [True]


def test_what_the_evaluation_says_for_a_person_is_not_the_persons(tmp_path: Path) -> None:
    stream = values_of(STREAM)
    text = "Please continue working on the task on whatever approach you think is suitable."
    stream.append({**stream[2], "id": 90, "args": {"content": text}})

    (event,) = read_value(tmp_path, stream)[-1].events

    assert (event.event_type, event.actor, event.injected) == (
        EventType.MESSAGE,
        Actor.SYSTEM,
        True,
    )


def test_results_are_paired_by_cause_and_judged_by_exit_codes() -> None:
    assert results(read(STREAM)) == [
        ("str_replace_editor", Status.ERROR, "error_answer", None),
        ("execute_bash", Status.ERROR, "exit_code", 1),
        ("execute_bash", Status.OK, "exit_one_is_an_answer", 1),
        ("str_replace_editor", Status.ERROR, "error_answer", None),
        ("execute_bash", Status.OK, "still_running", None),
        ("execute_bash", Status.TIMEOUT, "timeout", None),
        ("execute_bash", Status.DENIED, DENIED, None),
        ("fetch", Status.ERROR, "flag", None),
    ]
    first, second, *_ = events(read(STREAM), EventType.TOOL_RESULT)
    assert (first.call_id, second.call_id, second.native_status) == ("c2", "c1", "failure")


def test_calls_have_the_models_name_and_arguments() -> None:
    first, second, *_, mcp = events(read(STREAM), EventType.TOOL_CALL)

    assert (first.tool_name, first.tool_kind) == ("execute_bash", ToolKind.SHELL)
    assert first.input == {"command": "pytest -q"}
    assert (second.tool_kind, second.input) == (
        ToolKind.READ,
        {"command": "view", "path": "/library/loan.py"},
    )
    assert (mcp.tool_name, mcp.tool_kind) == ("fetch", ToolKind.MCP)


def test_calls_of_files_without_the_reply_have_the_actions_arguments() -> None:
    call = events(read(ROWS), EventType.TOOL_CALL)[-1]

    assert (call.tool_name, call.tool_kind) == ("run", ToolKind.SHELL)
    assert (call.input, call.call_id) == ({"command": "wc -l loans.txt"}, "event-1")


def test_a_reply_of_two_calls_has_its_tokens_once() -> None:
    usage = [draft.usage for draft in read(STREAM)]

    assert usage[5] == {"completion_tokens": 20, "prompt_tokens": 100, "total_tokens": 120}
    assert usage[6] is None


def test_an_error_that_answers_no_call_is_an_observation() -> None:
    (event,) = events(read(STREAM), EventType.OBSERVATION)

    assert "is expected to be one of" in event.text
    assert event.error_type in {"harness", "invalid_args"}


def test_an_error_that_answers_a_call_is_its_failure(tmp_path: Path) -> None:
    stream = values_of(STREAM)
    stream[8] |= {"observation": "error", "content": "Docker is gone", "extras": {}}

    assert results(read_value(tmp_path, stream))[1] == (
        "execute_bash",
        Status.ERROR,
        "harness",
        None,
    )


def test_a_thought_is_reasoning_and_no_call() -> None:
    for path in (STREAM, SDK):
        thoughts = [e.text for e in events(read(path), EventType.REASONING)]
        assert "The filter is wrong." in thoughts
        assert "think" not in [e.tool_name for e in events(read(path), EventType.TOOL_CALL)]


def test_finishing_is_one_end_and_no_outcome() -> None:
    for path in (STREAM, SDK):
        drafts = read(path)
        assert [e.extra["end_state"] for e in events(drafts, EventType.END)] == ["completed"]
        assert not events(drafts, EventType.OUTCOME)


@pytest.mark.parametrize(
    ("state", "end"),
    [("error", "crashed"), ("stopped", "interrupted"), ("rejected", "aborted")],
)
def test_the_state_it_stops_in_is_the_end(tmp_path: Path, state: str, end: str) -> None:
    stream = values_of(STREAM)[:-2]
    last = {**values_of(STREAM)[-1], "extras": {"agent_state": state, "reason": "no model"}}
    drafts = read_value(tmp_path, [*stream, last])

    (event,) = events(drafts, EventType.END)
    assert dict(event.extra) == {"end_state": end, "detail": "no model"}


def test_a_session_that_waits_for_its_person_has_no_end(tmp_path: Path) -> None:
    stream = values_of(STREAM)[:-2]
    last = {**values_of(STREAM)[-1], "extras": {"agent_state": "awaiting_user_input"}}

    assert not events(read_value(tmp_path, [*stream, last]), EventType.END)


def test_rows_of_an_evaluation_are_runs_with_what_it_found() -> None:
    drafts = read(ROWS)

    assert len(session_ids(drafts)) == 3
    assert [dict(e.extra) for e in events(drafts, EventType.OUTCOME)] == [
        {"outcome": "success", "source": "resolved"},
        {"outcome": "failure", "source": "resolved"},
    ]
    ends = [e.extra["end_state"] for e in events(drafts, EventType.END)]
    assert ends == ["completed", "limits exceeded", "completed"]
    assert {d.session.model for d in drafts} == {"openai/demo-model"}


def test_pairs_of_the_oldest_files_are_read() -> None:
    drafts = [d for d in read(ROWS) if d.session.session_id == session_ids(read(ROWS))[-1]]

    assert [e.text for e in events(drafts, EventType.TASK)] == ["Count the loans."]
    assert results(drafts) == [("run", Status.ERROR, "exit_code", 1)]


def test_model_and_version_are_kept() -> None:
    session = read(STREAM)[0].session

    assert (session.agent, session.agent_version) == ("openhands", "0.48.0")
    assert session.model == "demo-model"


def test_the_sdks_flags_rejections_and_errors_are_told_apart() -> None:
    assert results(read(SDK)) == [
        ("terminal", Status.ERROR, "exit_code", 1),
        ("file_editor", Status.ERROR, "flag", None),
        ("deploy", Status.ERROR, "harness", None),
        ("terminal", Status.DENIED, DENIED, None),
        ("terminal", Status.DENIED, "denied_by_policy", None),
        ("terminal", Status.TIMEOUT, "timeout", None),
    ]
    failed = events(read(SDK), EventType.TOOL_RESULT)
    assert [e.native_status for e in failed[:3]] == ["ok", "error", "error"]
    assert failed[2].error_type == "unknown_tool"


def test_the_sdks_arguments_are_without_what_is_said_to_the_program() -> None:
    call = events(read(SDK), EventType.TOOL_CALL)[0]

    assert call.input == {"command": "pytest -q"}


def test_condensations_are_compactions() -> None:
    (event,) = events(read(SDK), EventType.COMPACTION)

    assert event.text == "Tests fail; the path was wrong."


def test_pictures_leave_the_event(tmp_path: Path) -> None:
    stream = values_of(STREAM)
    stream[2]["args"]["image_urls"] = ["data:image/png;base64,iVBORw0KGgo="]

    (task,) = events(read_value(tmp_path, stream), EventType.TASK)

    assert [(blob.mime, blob.data[:4]) for blob in task.blobs] == [("image/png", b"\x89PNG")]


def test_an_unknown_type_is_counted_and_an_unknown_tool_is_a_call(tmp_path: Path) -> None:
    stream = values_of(STREAM)
    stream.insert(10, {**stream[0], "id": 70, "observation": "telepathy"})
    stream.insert(11, {**stream[11], "id": 71, "action": "fly"})
    drafts = read_value(tmp_path, stream)

    assert [d.native_type for d in drafts if not d.known] == ["observation telepathy"]
    assert drafts[11].events[-1].event_type is EventType.TOOL_CALL


def an_event_folder(folder: Path) -> list[Path]:
    place = folder / "sessions" / "loans-1" / "events"
    place.mkdir(parents=True)
    for number, event in enumerate(values_of(STREAM)):
        (place / f"{number}.json").write_text(json.dumps(event), encoding="utf-8")
    return sorted(place.glob("*.json"))


def test_a_folder_of_events_is_one_session_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    paths = an_event_folder(tmp_path)

    assert {detect_format(path) for path in paths} == {"openhands"}
    drafts = read(paths[0])
    assert [d.native_id for d in drafts] == [f"e{number}" for number in range(26)]
    assert session_ids(drafts) == ["loans-1"]
    others = [draft for path in paths[1:] for draft in read(path)]
    assert session_ids(others) == ["loans-1"]
    assert not events(others)


def test_a_page_of_the_programs_cache_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "event_cache" / "0-25.json"
    path.parent.mkdir()
    path.write_text(STREAM.read_text(encoding="utf-8"), encoding="utf-8")

    assert detect_format(path) != "openhands"


def test_a_run_keeps_its_id_and_its_records_while_it_grows(tmp_path: Path) -> None:
    before, after = read_value(tmp_path, values_of(STREAM)[:9]), read(STREAM)

    assert session_ids(before) == session_ids(after)
    assert [d.native_id for d in before] == [d.native_id for d in after][:9]
    assert [d.events for d in before] == [d.events for d in after][:9]


def test_two_runs_of_one_task_are_two_sessions(tmp_path: Path) -> None:
    again = copy.deepcopy(values_of(STREAM))
    again[0]["timestamp"] = "2026-03-02T11:00:00.000001"

    assert session_ids(read_value(tmp_path, again)) != session_ids(read(STREAM))


def test_a_bad_line_costs_only_itself(tmp_path: Path) -> None:
    lines = ROWS.read_text(encoding="utf-8").splitlines()
    path = tmp_path / "output.jsonl"
    path.write_text("\n".join([lines[0], lines[1][:500], lines[2]]), encoding="utf-8")

    records = list(openhands.read(path))

    assert len([r for r in records if isinstance(r, Problem)]) == 1
    assert len(session_ids([r for r in records if isinstance(r, Draft)])) == 2


def test_a_list_cut_in_the_writing_gives_all_before_the_cut(tmp_path: Path) -> None:
    text = STREAM.read_text(encoding="utf-8")
    path = tmp_path / "a.json"
    path.write_text(text[: text.index("The filter is wrong.")], encoding="utf-8")

    *drafts, problem = openhands.read(path)

    assert len(drafts) == 12
    assert isinstance(problem, Problem)
    assert "cut off" in problem.reason


@pytest.mark.parametrize(
    "text", ["", "  ", "[]", "{}", "{", "[1", "no", '{"history": 5}', '{"history": [7]}', "7\n8"]
)
def test_a_file_with_no_event_raises_nothing(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text, encoding="utf-8")

    records = list(openhands.read(path))

    assert not [r for r in records if isinstance(r, Draft) and r.events]


@pytest.mark.parametrize("path", FILES)
def test_bent_events_are_all_accounted_for(tmp_path: Path, path: Path) -> None:
    chance = random.Random(path.name)
    file = tmp_path / "bent.json"
    values = values_of(path)
    for _ in range(60):
        strange = [bent(value, chance) for value in values]
        file.write_text(json.dumps(strange), encoding="utf-8")

        detect_format(file)
        for record in openhands.read(file):
            if isinstance(record, Draft):
                assert_sound(record)
