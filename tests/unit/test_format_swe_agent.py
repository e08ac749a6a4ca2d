"""SWE-agent trajectories: commands of its own, replies sent back, and every form of the files."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest

from hindsight_cli.capture.draft import Draft, Problem
from hindsight_cli.capture.formats import detect_format, swe_agent
from hindsight_cli.records.event import Actor, EventType, Status, ToolKind
from tests.unit.format_reading import events, reader_of, value_reader_of
from tests.unit.test_format_shapes import assert_sound, bent

FOLDER = Path(__file__).parent.parent / "fixtures" / "swe_agent"
CLASSIC, TOOLS = FOLDER / "classic.traj", FOLDER / "tools.traj"
DEMONSTRATION, ROWS = FOLDER / "demonstration.traj", FOLDER / "rows.json"
FILES = [CLASSIC, TOOLS, DEMONSTRATION, ROWS]


read = reader_of(swe_agent)
read_value = value_reader_of(swe_agent, "a.traj")


def value_of(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def results(drafts: list[Draft]) -> list[tuple[str | None, Status | None, str | None]]:
    found = events(drafts, EventType.TOOL_RESULT)
    return [(e.tool_name, e.status, e.status_rule) for e in found]


def session_id(drafts: list[Draft]) -> str:
    (found,) = {draft.session.session_id for draft in drafts}
    return found


def a_run_with(observation: str, action: str) -> dict[str, Any]:
    run: dict[str, Any] = value_of(CLASSIC)
    run["trajectory"][0] |= {"action": action, "observation": observation}
    return run


@pytest.mark.parametrize("path", FILES)
def test_it_is_recognised_in_every_form_and_layout(tmp_path: Path, path: Path) -> None:
    one_line = tmp_path / "a.json"
    one_line.write_text(json.dumps(value_of(path)), encoding="utf-8")

    assert detect_format(path) == detect_format(one_line) == "swe-agent"
    assert read(one_line) == read(path)


@pytest.mark.parametrize(
    "value",
    [
        [{"role": "user", "content": "What is (Current directory: /) and instance_id?"}],
        {"instance_id": "x", "trajectory": [{"role": "user", "text": "Plan a route."}]},
        {"history": [{"role": "user", "content": "hi"}]},
        {"trajectory_format": "mini-swe-agent-1.1", "messages": [], "info": {}},
    ],
)
def test_files_that_only_look_a_little_like_it_are_not(tmp_path: Path, value: Any) -> None:
    path = tmp_path / "other.json"
    path.write_text(json.dumps(value), encoding="utf-8")

    assert detect_format(path) != "swe-agent"


def test_every_step_is_one_record() -> None:
    drafts = read(CLASSIC)

    assert [draft.line for draft in drafts] == list(range(1, 9))
    assert {draft.native_type for draft in drafts} == {"step"}


def test_the_task_is_told_from_prompt_demonstration_and_template() -> None:
    prompt, demonstration, task, rest = read(CLASSIC)[0].events[:4]

    assert (task.event_type, task.actor) == (EventType.TASK, Actor.USER)
    assert task.text == "Overdue loans are not listed.\nThe report stays empty."
    assert [e.injected for e in (prompt, demonstration, rest)] == [True] * 3
    assert "Colours are wrong" in demonstration.text
    assert len(events(read(CLASSIC), EventType.TASK)) == 1


def test_the_task_of_newer_templates_is_the_description() -> None:
    (task,) = events(read(TOOLS), EventType.TASK)

    assert task.text == "Overdue loans are not listed."


def test_an_unknown_template_is_all_task(tmp_path: Path) -> None:
    run = value_of(CLASSIC)
    run["history"][2]["content"] = "Repair it.\n(Open file: n/a)\n(Current directory: /)\nbash-$"

    assert [e.text for e in events(read_value(tmp_path, run), EventType.TASK)] == ["Repair it."]


def test_what_hindsight_put_into_the_task_is_injected(tmp_path: Path) -> None:
    run = value_of(CLASSIC)
    block = "<hindsight-experience>\nUse python3.\n</hindsight-experience>"
    content = run["history"][2]["content"]
    run["history"][2]["content"] = content.replace("Overdue", f"{block}\nOverdue")

    drafts = read_value(tmp_path, run)

    (task,) = events(drafts, EventType.TASK)
    assert task.text.startswith("Overdue")
    assert [e.injected for e in events(drafts) if "Use python3." in e.text] == [True]


def test_actions_are_calls_of_the_agents_commands_or_of_the_shell() -> None:
    assert results(read(CLASSIC)) == [
        ("bash", Status.OK, "no_failure_signal"),
        ("open", Status.ERROR, "error_answer"),
        ("search_dir", Status.OK, "no_failure_signal"),
        ("edit", Status.ERROR, "error_answer"),
        ("edit", Status.OK, "no_failure_signal"),
        ("bash", Status.TIMEOUT, "timeout"),
        ("bash", Status.ERROR, "text_crash"),
        ("submit", Status.OK, "submitted"),
    ]
    kinds = [e.tool_kind for e in events(read(CLASSIC), EventType.TOOL_CALL)]
    assert kinds[1:4] == [ToolKind.READ, ToolKind.SEARCH, ToolKind.EDIT]


@pytest.mark.parametrize(
    ("action", "observation", "expected"),
    [
        ("cd src && open loans.py", "bash: cd: src: No such file or directory",
         ("bash", Status.ERROR, "text_shell_error")),
        ("goto 9000", "Error: <line> must be less than or equal to 40",
         ("goto", Status.ERROR, "error_answer")),
        ("scroll_down", "No file open. Use the open command first.",
         ("scroll_down", Status.ERROR, "error_answer")),
        ("open", "Usage: open <file>", ("open", Status.ERROR, "error_answer")),
        ("open error.py", "[File: /library/error.py (1 lines total)]\n1:raise KeyError",
         ("open", Status.OK, "no_failure_signal")),
        ("str_replace_editor view /no", "The path /no does not exist. Please provide a valid path.",
         ("str_replace_editor", Status.ERROR, "error_answer")),
        ("python -i", "EXECUTION FAILED OR COMMAND MALFORMED", ("bash", Status.ERROR, "harness")),
        ("sleep 99", "The command 'sleep 99' was cancelled because it took more than 30 seconds.",
         ("bash", Status.TIMEOUT, "timeout")),
        ("submit", "Wrong flag!", ("submit", Status.ERROR, "error_answer")),
        ("cat usage.txt", "usage: see below", ("bash", Status.OK, "no_failure_signal")),
    ],
)  # fmt: skip
def test_status_is_told_by_the_words_of_the_interface(
    tmp_path: Path, action: str, observation: str, expected: Any
) -> None:
    assert results(read_value(tmp_path, a_run_with(observation, action)))[0] == expected


def test_a_reply_the_program_sent_back_is_a_harness_failure() -> None:
    drafts = read(TOOLS)

    (observation,) = drafts[1].events[1:]
    assert (observation.event_type, observation.error_type) == (EventType.OBSERVATION, "harness")
    assert "did not use any tool calls" in observation.text
    blocked = drafts[2].events[-1]
    assert (blocked.status, blocked.status_rule) == (Status.ERROR, "harness")
    assert "not supported by this environment" in blocked.text


def test_thoughts_times_version_and_model_are_kept() -> None:
    drafts = read(TOOLS)

    thought = drafts[0].events[3]
    assert (thought.event_type, thought.text) == (
        EventType.REASONING,
        "The report is probably wrong.",
    )
    assert [e.duration_ms for e in events(drafts, EventType.TOOL_RESULT)] == [500, None, 250, 30500]
    session = drafts[0].session
    assert (session.agent, session.agent_version) == ("swe-agent", "1.1.0")
    assert (session.model, session.cwd, session.closes) == ("openai/demo", "/library", True)


@pytest.mark.parametrize(
    ("status", "state"),
    [
        ("submitted", "completed"),
        ("submitted (exit_context)", "limits exceeded"),
        ("exit_format", "aborted"),
        ("exit_command_timeout", "timed out"),
        ("exit_environment_error", "crashed"),
        ("exit_forfeit", "gave up"),
        ("later_invented", "later_invented"),
    ],
)
def test_the_end_is_told_by_exit_status_and_is_no_outcome(
    tmp_path: Path, status: str, state: str
) -> None:
    run = value_of(CLASSIC)
    run["info"]["exit_status"] = status
    drafts = read_value(tmp_path, run)

    (end,) = events(drafts, EventType.END)
    assert (end.extra["end_state"], end.extra["exit_status"]) == (state, status)
    assert (end.extra["cost"], end.extra["api_calls"]) == (0.5, 8)
    assert not events(drafts, EventType.OUTCOME)


def test_a_run_that_goes_on_has_no_end(tmp_path: Path) -> None:
    run = value_of(CLASSIC)
    run["info"] |= {"exit_status": None, "submission": None}
    drafts = read_value(tmp_path, run)

    assert not events(drafts, EventType.END)
    assert drafts[0].session.closes is True


def test_words_that_the_program_put_for_a_reply_are_not_the_agents() -> None:
    other, end = read(TOOLS)[-1].events

    assert (other.event_type, other.actor, other.injected) == (
        EventType.OTHER,
        Actor.SYSTEM,
        True,
    )
    assert end.extra["end_state"] == "limits exceeded"


def test_a_history_alone_gives_calls_with_their_arguments() -> None:
    drafts = read(DEMONSTRATION)

    calls = events(drafts, EventType.TOOL_CALL)
    assert [(e.tool_name, e.call_id) for e in calls] == [
        ("find_file", "call_0"),
        ("bash", "call_1"),
        ("bash", "call_2"),
        ("submit", "call_3"),
    ]
    assert calls[0].input == {"file_name": "loans.py"}
    assert results(drafts) == [
        ("find_file", Status.OK, "no_failure_signal"),
        ("bash", Status.ERROR, "text_shell_error"),
        ("bash", Status.OK, "no_failure_signal"),
    ]
    assert [e.text for e in events(drafts, EventType.TOOL_RESULT)][2] == ""


def test_rows_of_a_data_set_are_runs_with_an_outcome() -> None:
    drafts = read(ROWS)

    assert len({draft.session.session_id for draft in drafts}) == 2
    outcomes = events(drafts, EventType.OUTCOME)
    assert [dict(e.extra) for e in outcomes] == [
        {"outcome": "success", "source": "resolved"},
        {"outcome": "failure", "source": "resolved"},
    ]
    assert results(drafts) == [
        ("bash", Status.OK, "no_failure_signal"),
        ("open", Status.ERROR, "error_answer"),
        ("submit", Status.OK, "submitted"),
        ("bash", Status.ERROR, "self_report"),
    ]
    assert {draft.session.model for draft in drafts} == {"swe-agent-demo"}


def test_of_two_fences_in_a_reply_the_last_ran() -> None:
    *_, call = events(read(ROWS), EventType.TOOL_CALL)

    assert call.input == {"command": "cat loans.py"}


def test_rows_in_lines_are_read_like_an_array(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in value_of(ROWS)), encoding="utf-8")

    assert detect_format(path) == "swe-agent"
    assert read(path) == read(ROWS)


@pytest.mark.parametrize("bad", [0, 1])
def test_a_bad_line_costs_only_itself(tmp_path: Path, bad: int) -> None:
    lines = [json.dumps(row) for row in value_of(ROWS)]
    lines.insert(bad, lines[0][:700])
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")

    records = list(swe_agent.read(path))

    assert len([r for r in records if isinstance(r, Problem)]) == 1
    assert results([r for r in records if isinstance(r, Draft)]) == results(read(ROWS))


def test_attempts_are_runs_and_the_chosen_one_is_not_counted_twice(tmp_path: Path) -> None:
    first = value_of(CLASSIC)
    second = copy.deepcopy(first)
    second["trajectory"][0]["thought"] = "Look round."
    run = {"attempts": [first, second], **copy.deepcopy(second)}
    drafts = read_value(tmp_path, run)

    assert detect_format(tmp_path / "a.traj") == "swe-agent"
    assert len(drafts) == 16
    assert len({draft.session.session_id for draft in drafts}) == 2
    assert read_value(tmp_path, [run]) == drafts
    assert read_value(tmp_path, {"attempts": [first, second]}) == drafts


def test_a_run_keeps_its_id_and_its_records_while_it_grows(tmp_path: Path) -> None:
    run = value_of(TOOLS)
    run["trajectory"], run["info"] = run["trajectory"][:4], {"swe_agent_version": "1.1.0"}

    before, after = read_value(tmp_path, run), read(TOOLS)

    assert session_id(before) == session_id(after)
    assert [d.native_id for d in before] == [d.native_id for d in after][:4]
    assert [d.events for d in before] == [d.events for d in after][:4]


def test_runs_without_times_differ_by_all_they_do(tmp_path: Path) -> None:
    run = value_of(CLASSIC)
    run["trajectory"][4]["observation"] = "[File: /library/loans.py (5 lines total)]"

    assert session_id(read_value(tmp_path, run)) != session_id(read(CLASSIC))


def test_a_step_that_is_none_costs_only_itself(tmp_path: Path) -> None:
    run = value_of(CLASSIC)
    run["trajectory"].insert(3, "rubbish")
    path = tmp_path / "a.traj"
    path.write_text(json.dumps(run), encoding="utf-8")

    records = list(swe_agent.read(path))

    assert len([r for r in records if isinstance(r, Problem)]) == 1
    drafts = [r for r in records if isinstance(r, Draft)]
    assert results(drafts) == results(read(CLASSIC))


def test_a_file_cut_in_the_writing_gives_all_before_the_cut(tmp_path: Path) -> None:
    text = CLASSIC.read_text(encoding="utf-8")
    path = tmp_path / "a.traj"
    path.write_text(text[: text.index("tail -f")], encoding="utf-8")

    *drafts, problem = swe_agent.read(path)

    assert len(drafts) == 5
    assert isinstance(problem, Problem)
    assert "cut off" in problem.reason


@pytest.mark.parametrize(
    "text", ["", "  ", "[]", "{}", "{", "[1", "no", '{"trajectory": 5}', '{"attempts": [7]}']
)
def test_a_file_with_no_run_raises_nothing(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.traj"
    path.write_text(text, encoding="utf-8")

    assert all(isinstance(record, Problem) for record in swe_agent.read(path))


@pytest.mark.parametrize("path", FILES)
def test_bent_files_are_read_without_a_crash(tmp_path: Path, path: Path) -> None:
    chance = random.Random(path.name)
    file = tmp_path / "bent.json"
    value = value_of(path)
    for _ in range(60):
        file.write_text(json.dumps(bent(value, chance)), encoding="utf-8")

        detect_format(file)
        for record in swe_agent.read(file):
            if isinstance(record, Draft):
                assert_sound(record)
