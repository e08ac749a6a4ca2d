"""Chat messages of several APIs and benchmark results, one record a message."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hindsight_cli.capture.draft import Draft, Problem
from hindsight_cli.capture.formats import messages
from hindsight_cli.records.event import Actor, EventType, Status, ToolKind
from tests.unit.format_reading import events, reader_of

FOLDER = Path(__file__).parent.parent / "fixtures" / "messages"
LIBRARY = FOLDER / "library_desk.json"

USER = {"role": "user", "content": "Renew my loan."}
ANSWER = {"role": "assistant", "content": "Done."}


read = reader_of(messages)


def read_value(folder: Path, value: Any, name: str = "run.json") -> list[Draft]:
    path = folder / name
    path.write_text(json.dumps(value), encoding="utf-8")
    return read(path)


def a_call(call_id: str | None = "c", name: str = "renew", arguments: Any = "{}") -> dict[str, Any]:
    call = {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def a_result(content: str, call_id: str | None = "c") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def sessions(drafts: list[Draft]) -> list[str]:
    return list(dict.fromkeys(draft.session.session_id for draft in drafts))


def test_every_message_of_every_run_is_one_record_numbered_through_the_file() -> None:
    drafts = read(LIBRARY)

    assert [draft.line for draft in drafts] == list(range(1, 19))
    assert len(sessions(drafts)) == 3


def test_a_benchmarks_reward_is_the_outcome_on_the_last_message() -> None:
    drafts = read(LIBRARY)
    outcomes = [
        (draft.line, event.extra)
        for draft in drafts
        for event in draft.events
        if event.event_type is EventType.OUTCOME
    ]

    assert [(line, extra["outcome"], extra["source"]) for line, extra in outcomes] == [
        (8, "failure", "reward"),
        (16, "success", "reward"),
        (18, "partial", "reward"),
    ]
    assert outcomes[1][1]["reward"] == 1.0
    assert drafts[0].session.agent == "tau-bench"


def test_repeated_call_ids_are_paired_by_place() -> None:
    first_run = [e for e in events(read(LIBRARY)[:8]) if e.event_type is EventType.TOOL_RESULT]

    assert [(event.tool_name, event.status) for event in first_run] == [
        ("renew_loan", Status.ERROR),
        ("lend_copy", Status.OK),
    ]


def test_two_calls_of_one_turn_with_one_id_are_answered_in_order(tmp_path: Path) -> None:
    turn = a_call("c", "first")
    turn["tool_calls"] += a_call("c", "second")["tool_calls"]

    drafts = read_value(tmp_path, [USER, turn, a_result("1"), a_result("2")])

    results = [e.tool_name for e in events(drafts) if e.event_type is EventType.TOOL_RESULT]
    assert results == ["first", "second"]


def test_arguments_that_are_no_json_are_kept_as_written() -> None:
    calls = [e for e in events(read(LIBRARY)[:8]) if e.event_type is EventType.TOOL_CALL]

    assert [call.input for call in calls] == [{"loan": 7}, '{"title": "Dune"']


def test_system_prompts_are_injected_and_the_first_user_words_the_task() -> None:
    prompt, task = events(read(LIBRARY))[:2]

    assert (prompt.injected, prompt.actor) == (True, Actor.SYSTEM)
    assert (task.event_type, task.text) == (EventType.TASK, "I want to renew my loan.")


def test_a_session_keeps_its_id_when_the_file_is_renamed_or_grows(tmp_path: Path) -> None:
    short = [USER, a_call(), a_result("ok")]
    before = read_value(tmp_path, short, "a.json")
    after = read_value(tmp_path, [*short, ANSWER, USER], "b.json")

    assert sessions(before) == sessions(after)
    assert [d.native_id for d in before] == [d.native_id for d in after][:3]


def test_runs_that_begin_alike_stay_apart(tmp_path: Path) -> None:
    run = {"task_id": 1, "messages": [USER, a_call(), a_result("ok")]}

    assert len(sessions(read_value(tmp_path, [run, run, {**run, "trial": 2}]))) == 3


def test_anthropic_blocks_are_read() -> None:
    drafts = read(FOLDER / "anthropic.jsonl")
    task, words, call, result = events(drafts)

    assert drafts[0].session.agent == "anthropic-messages"
    assert (task.event_type, words.event_type) == (EventType.TASK, EventType.MESSAGE)
    assert (call.tool_name, call.tool_kind) == ("bash", ToolKind.SHELL)
    assert (result.status, result.native_status) == (Status.ERROR, "error")


def test_items_of_the_responses_api_are_read() -> None:
    task, thought, call, result, words = events(read(FOLDER / "responses_items.json"))

    assert thought.event_type is EventType.REASONING
    assert call.input == {"command": ["bash", "-lc", "wc -l x"]}
    assert (result.status, result.exit_code) == (Status.ERROR, 1)
    assert (task.actor, words.actor) == (Actor.USER, Actor.AGENT)


def test_function_calls_of_old_in_a_json_string_are_read() -> None:
    drafts = read(FOLDER / "functions.jsonl")
    found = events(drafts)

    assert [draft.line for draft in drafts] == [1, 2, 3, 4]
    assert found[2].tool_name == "weather"
    assert found[2].status is Status.ERROR
    assert found[-1].extra == {"outcome": "failure", "source": "resolved"}


@pytest.mark.parametrize(
    "value",
    [
        [USER, ANSWER],
        {"messages": [USER, ANSWER]},
        {"messages": json.dumps([USER, ANSWER])},
        [[USER], [ANSWER]],
        [{"conversations": [USER, ANSWER], "id": "x"}],
        [{"trajectory": [{"role": "user", "text": "a"}, {"role": "ai", "text": "b"}]}],
        [{"conversations": [{"from": "human", "value": "a"}, {"from": "gpt", "value": "b"}]}],
        {"simulations": [{"task_id": 1, "messages": [USER]}, {"task_id": 2, "messages": [USER]}]},
    ],
)
def test_lists_of_messages_come_in_many_wrappings(tmp_path: Path, value: Any) -> None:
    assert len(events(read_value(tmp_path, value))) == 2


@pytest.mark.parametrize("indent", [None, 2])
def test_layout_of_the_json_does_not_matter(tmp_path: Path, indent: int | None) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"messages": [USER, ANSWER]}, indent=indent), encoding="utf-8")

    assert len(read(path)) == 2


def test_a_bad_line_between_messages_costs_only_itself(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text(f"{json.dumps(USER)}\n{{cut\n{json.dumps(ANSWER)}\n", encoding="utf-8")

    first, problem, last = messages.read(path)

    assert isinstance(problem, Problem)
    assert problem.line == 2
    assert {type(first), type(last)} == {Draft}


def test_messages_that_are_none_are_told(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"messages": [USER, 7, {"mystery": 1}]}), encoding="utf-8")

    task, problem, unknown = messages.read(path)

    assert isinstance(problem, Problem)
    assert isinstance(unknown, Draft)
    assert (task.line, problem.line, unknown.line, unknown.known) == (1, 2, 3, False)


def test_an_array_that_was_cut_off_keeps_what_came_before(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps([USER, ANSWER, USER])[:-9], encoding="utf-8")

    *before, problem = messages.read(path)

    assert len(before) == 2
    assert isinstance(problem, Problem)


def test_an_array_larger_than_the_buffer_is_read_whole(tmp_path: Path) -> None:
    long = [{"role": "user", "content": "é" * 700_000}, a_call(), a_result("x" * 3_000_000), ANSWER]

    assert [len(event.text) for event in events(read_value(tmp_path, long))] == [
        700_000,
        0,
        3_000_000,
        5,
    ]


@pytest.mark.parametrize("text", ["OBSERVATION:\nx", "<returncode>0</returncode>\n<output>"])
def test_the_worlds_answers_are_not_the_persons_words(tmp_path: Path, text: str) -> None:
    drafts = read_value(tmp_path, [USER, ANSWER, {"role": "user", "content": text}])

    assert events(drafts)[-1].event_type is EventType.OBSERVATION


def test_thoughts_beside_the_answer_are_reasoning(tmp_path: Path) -> None:
    answer = {**ANSWER, "reasoning_content": "Easy."}

    kinds = [event.event_type for event in events(read_value(tmp_path, [USER, answer]))]

    assert kinds == [EventType.TASK, EventType.REASONING, EventType.MESSAGE]
