"""tau2-bench: two who use tools, rewards as outcomes, and conversations by voice."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest

from hindsight_cli.capture.draft import Draft, Problem
from hindsight_cli.capture.formats import detect_format, tau2_bench
from hindsight_cli.records.event import Actor, EventType, Status
from tests.unit.format_reading import events, reader_of, value_reader_of
from tests.unit.test_format_shapes import assert_sound, bent

FOLDER = Path(__file__).parent.parent / "fixtures" / "tau2_bench"
TEXT, VOICE = FOLDER / "text.json", FOLDER / "simulations" / "voice.json"
RESULTS = FOLDER / "results.json"


read = reader_of(tau2_bench)
read_value = value_reader_of(tau2_bench, "a.json")


def value_of(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def first_run() -> list[Draft]:
    return read(TEXT)[:14]


def test_every_message_is_one_record() -> None:
    drafts = read(TEXT)

    assert [draft.line for draft in drafts] == list(range(1, 27))
    assert [draft.native_type for draft in drafts[:4]] == ["assistant", "user", "assistant", "tool"]


def test_a_simulation_is_a_session_of_its_own_id() -> None:
    sessions = list(dict.fromkeys(draft.session for draft in read(TEXT)))

    assert [s.session_id[-1] for s in sessions] == ["1", "2", "3", "4"]
    assert {(s.agent, s.model, s.closes) for s in sessions} == {("tau2-bench", "demo-model", True)}


def test_the_task_is_what_the_user_says_first() -> None:
    (task,) = events(first_run(), EventType.TASK)

    assert (task.actor, task.text) == (Actor.USER, "I want to renew my loan of *Winter*.")
    assert task.timestamp == "2026-04-02T10:00:02.000001"


def test_the_sign_with_which_the_user_leaves_is_no_message() -> None:
    assert not [e for e in events(read(TEXT)) if "###" in e.text]


def test_results_are_paired_within_the_one_who_asked() -> None:
    calls = [(e.tool_name, e.actor) for e in events(first_run(), EventType.TOOL_CALL)]
    found = [
        (e.tool_name, e.call_id, e.status, e.status_rule, e.native_status)
        for e in events(first_run(), EventType.TOOL_RESULT)
    ]

    assert calls == [
        ("find_reader", Actor.AGENT),
        ("find_reader", Actor.AGENT),
        ("list_loans", Actor.AGENT),
        ("check_card", Actor.USER),
        ("renew_loan", Actor.AGENT),
    ]
    assert found == [
        ("find_reader", "call_1", Status.ERROR, "flag", "error"),
        ("find_reader", "call_2", Status.OK, "flag", "ok"),
        ("list_loans", "call_3", Status.OK, "flag", "ok"),
        ("check_card", "call_1", Status.OK, "flag", "ok"),
        ("renew_loan", "call_1", Status.OK, "flag", "ok"),
    ]


def test_thoughts_tokens_and_cost_are_kept() -> None:
    draft = first_run()[2]

    assert [e.text for e in draft.events if e.event_type is EventType.REASONING] == ["Who is it?"]
    assert draft.usage == {"completion_tokens": 20, "prompt_tokens": 300, "cost": 0.01}


def test_the_reward_is_the_outcome_unless_the_benchmark_itself_broke() -> None:
    outcomes = [dict(e.extra) for e in events(read(TEXT), EventType.OUTCOME)]

    assert [(o["outcome"], o["source"], o["reward"]) for o in outcomes] == [
        ("success", "reward", 1.0),
        ("failure", "reward", 0.0),
        ("partial", "reward", 0.5),
    ]
    assert outcomes[2]["breakdown"] == {"DB": 1.0, "ACTION": 0.5}


@pytest.mark.parametrize(
    ("reason", "state"),
    [
        ("user_stop", "completed"),
        ("max_steps", "limits exceeded"),
        ("timeout", "timed out"),
        ("too_many_errors", "aborted"),
        ("unexpected_error", "crashed"),
        ("moon_phase", "moon_phase"),
    ],
)
def test_the_end_is_told_by_the_termination_reason(tmp_path: Path, reason: str, state: str) -> None:
    value = value_of(TEXT)
    value["simulations"][0]["termination_reason"] = reason

    end = events(read_value(tmp_path, value), EventType.END)[0]

    assert (end.extra["end_state"], end.extra["termination_reason"]) == (state, reason)
    assert (end.extra["cost"], end.extra["duration_s"]) == (0.25, 300.5)


def test_a_simulation_without_messages_is_told_by_its_end() -> None:
    (draft,) = [d for d in read(TEXT) if d.session.session_id.endswith("3")]

    assert [e.extra["end_state"] for e in draft.events] == ["crashed"]


def test_by_voice_what_one_says_is_one_message_though_both_speak() -> None:
    drafts = read(VOICE)

    assert [d.native_type for d in drafts] == ["tick"] * 10
    said = [(e.actor, e.text) for e in events(drafts, EventType.TASK, EventType.MESSAGE)]
    assert said == [
        (Actor.AGENT, "Hello, who speaks?"),
        (Actor.AGENT, "Yes."),
        (Actor.USER, "Ida here, I want to renew."),
        (Actor.AGENT, "Not found."),
    ]
    (result,) = events(drafts, EventType.TOOL_RESULT)
    assert (result.tool_name, result.status) == ("find_reader", Status.ERROR)
    assert not events(drafts, EventType.OUTCOME)


def test_a_simulations_own_file_has_its_model_from_the_results_beside() -> None:
    assert read(VOICE)[0].session.model == "demo-model"


def test_results_whose_simulations_lie_elsewhere_hold_nothing_to_keep() -> None:
    (draft,) = read(RESULTS)

    assert (draft.native_type, draft.events, draft.known) == ("results", (), True)


def test_the_same_simulation_in_both_layouts_is_one_session(tmp_path: Path) -> None:
    alone = read_value(tmp_path, value_of(TEXT)["simulations"][0])

    assert alone[0].session.session_id == first_run()[0].session.session_id
    assert [d.native_id for d in alone] == [d.native_id for d in first_run()]
    assert [d.events for d in alone] == [d.events for d in first_run()]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("path", [TEXT, VOICE, RESULTS])
def test_it_is_recognised_in_every_layout(tmp_path: Path, path: Path, indent: int | None) -> None:
    file = tmp_path / "run.json"
    file.write_text(json.dumps(value_of(path), indent=indent), encoding="utf-8")

    assert detect_format(path) == detect_format(file) == "tau2-bench"


def test_simulations_in_lines_and_in_a_list_are_read(tmp_path: Path) -> None:
    runs = value_of(TEXT)["simulations"]
    lines = tmp_path / "runs.jsonl"
    lines.write_text("\n".join(json.dumps(run) for run in runs), encoding="utf-8")

    listed = read_value(tmp_path, runs)

    assert detect_format(lines) == detect_format(tmp_path / "a.json") == "tau2-bench"
    assert read(lines) == listed
    assert [d.events for d in listed] == [d.events for d in read(TEXT)]


def test_a_bad_line_costs_only_itself(tmp_path: Path) -> None:
    lines = [json.dumps(run) for run in value_of(TEXT)["simulations"]]
    lines.insert(1, lines[0][:300])
    path = tmp_path / "runs.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")

    records = list(tau2_bench.read(path))

    assert len([r for r in records if isinstance(r, Problem)]) == 1
    assert len([r for r in records if isinstance(r, Draft)]) == 26


@pytest.mark.parametrize(
    "value",
    [
        [{"task_id": 1, "reward": 1.0, "info": {}, "traj": [{"role": "user", "content": "x"}]}],
        {"info": {"num": 1}, "messages": [{"role": "user", "content": '"num_trials": 1'}]},
        {"simulations": [{"role": "user"}]},
    ],
)
def test_files_that_only_look_a_little_like_it_are_not(tmp_path: Path, value: Any) -> None:
    path = tmp_path / "other.json"
    path.write_text(json.dumps(value), encoding="utf-8")

    assert detect_format(path) != "tau2-bench"


def test_an_unknown_role_is_counted_and_a_message_that_is_none_told(tmp_path: Path) -> None:
    value = copy.deepcopy(value_of(TEXT))
    value["simulations"][0]["messages"][2:2] = [7, {"role": "judge", "content": "Hm."}]
    path = tmp_path / "a.json"
    path.write_text(json.dumps(value), encoding="utf-8")

    records = list(tau2_bench.read(path))

    assert [r.line for r in records if isinstance(r, Problem)] == [3]
    assert [r.native_type for r in records if isinstance(r, Draft) and not r.known] == ["judge"]


def test_a_file_cut_in_the_writing_gives_all_before_the_cut(tmp_path: Path) -> None:
    text = VOICE.read_text(encoding="utf-8")
    path = tmp_path / "a.json"
    path.write_text(text[: text.index('"tick_id": 8')], encoding="utf-8")

    *drafts, problem = tau2_bench.read(path)

    assert len(drafts) == 8
    assert isinstance(problem, Problem)
    assert "cut off" in problem.reason


@pytest.mark.parametrize(
    "text", ["", " ", "[]", "{}", "{", "[1", "no", '{"simulations": 5}', '{"simulations": [7]}']
)
def test_a_file_with_no_simulation_raises_nothing(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text, encoding="utf-8")

    assert not [r for r in tau2_bench.read(path) if isinstance(r, Draft) and r.events]


@pytest.mark.parametrize("path", [TEXT, VOICE])
def test_bent_files_are_read_without_a_crash(tmp_path: Path, path: Path) -> None:
    chance = random.Random(path.name)
    file = tmp_path / "bent.json"
    value = value_of(path)
    for _ in range(60):
        file.write_text(json.dumps(bent(value, chance)), encoding="utf-8")

        detect_format(file)
        for record in tau2_bench.read(file):
            if isinstance(record, Draft):
                assert_sound(record)
