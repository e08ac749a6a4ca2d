"""mini-swe-agent trajectories: tool calls, commands in fences, and every way a run can end."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hindsight_cli.capture.draft import Draft, Problem
from hindsight_cli.capture.formats import detect_format, mini_swe_agent
from hindsight_cli.records.event import Actor, EventType, Status, ToolKind
from tests.unit.format_reading import events, reader_of, value_reader_of
from tests.unit.test_format_shapes import assert_sound, bent

FOLDER = Path(__file__).parent.parent / "fixtures" / "mini_swe_agent"
TOOL_CALLS, FENCED = FOLDER / "tool_calls.traj.json", FOLDER / "fenced.traj.json"
BARE = FOLDER / "bare_list.json"


read = reader_of(mini_swe_agent)
read_value = value_reader_of(mini_swe_agent, "a.traj.json")


def run_of(path: Path) -> dict[str, Any]:
    run: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return run


def results(drafts: list[Draft]) -> list[tuple[Status | None, str | None, int | None]]:
    found = events(drafts, EventType.TOOL_RESULT)
    return [(e.status, e.status_rule, e.exit_code) for e in found]


def session_id(drafts: list[Draft]) -> str:
    (found,) = {draft.session.session_id for draft in drafts}
    return found


def ends(drafts: list[Draft]) -> list[Any]:
    return [event.extra["end_state"] for event in events(drafts, EventType.END)]


def an_unexecuted(call_id: str = "call_4_0") -> dict[str, Any]:
    why = "action was not executed"
    extra = {"raw_output": "", "returncode": -1, "exception_info": why, "timestamp": 1790000009}
    return {"role": "tool", "tool_call_id": call_id, "content": "{}", "extra": extra}


def ending_with(*messages: dict[str, Any]) -> dict[str, Any]:
    """The run up to the call that submits, then something else instead."""
    run = run_of(TOOL_CALLS)
    run["messages"] = [*run["messages"][:9], *messages]
    run["info"] |= {"exit_status": "", "submission": ""}
    return run


def a_user(text: str, kind: str) -> dict[str, Any]:
    return {"role": "user", "content": text, "extra": {"interrupt_type": kind}}


def test_every_message_is_one_record() -> None:
    drafts = read(TOOL_CALLS)

    assert [draft.line for draft in drafts] == list(range(1, 12))
    assert [draft.native_type for draft in drafts[-2:]] == ["tool", "exit"]


def test_the_task_is_told_from_the_template_round_it() -> None:
    prompt, task, rest = events(read(TOOL_CALLS))[:3]

    assert (task.event_type, task.actor) == (EventType.TASK, Actor.USER)
    assert task.text == "Make the loan tests pass.\nDo not touch the tests."
    assert (prompt.injected, rest.injected) == (True, True)
    assert "Linux 6.1" in rest.text
    assert "loan tests" not in rest.text


@pytest.mark.parametrize(
    ("template", "prompt"),
    [
        ("{{task}}", "Fix it."),
        ("{{ task }}\n\nUse bash.", "Fix it.\n\nUse bash."),
        (
            "{% if x %}Hi.{% endif %}\nIssue: {{task}}\nOn {{system}}",
            "Hi.\nIssue: Fix it.\nOn Linux",
        ),
        ("<pr>\n{{task}}\n</pr>\n", "<pr>\nFix it.\n</pr>"),
        (None, "Please solve this issue: Fix it.\n\nYou can execute bash commands and edit."),
        (None, "<pr_description>\nFix it.\n</pr_description>\nRules."),
        ("Changed since: {{task}}", "Fix it."),
        (7, "Fix it."),
    ],
)
def test_templates_of_all_kinds_leave_the_task(tmp_path: Path, template: Any, prompt: str) -> None:
    run = run_of(TOOL_CALLS)
    run["info"]["config"]["agent"]["instance_template"] = template
    run["messages"][1]["content"] = prompt

    assert [e.text for e in events(read_value(tmp_path, run), EventType.TASK)] == ["Fix it."]


def test_what_hindsight_put_into_the_task_is_injected(tmp_path: Path) -> None:
    run = run_of(TOOL_CALLS)
    block = "<hindsight-experiences>\nUse PYTHONPATH.\n</hindsight-experiences>"
    prompt = run["messages"][1]["content"]
    run["messages"][1]["content"] = prompt.replace("Make the", f"{block}\nMake the")

    drafts = read_value(tmp_path, run)

    (task,) = events(drafts, EventType.TASK)
    assert task.text.startswith("Make the")
    assert [e.text for e in events(drafts) if "PYTHONPATH." in e.text and e.injected] == [block]


def test_a_reply_is_thought_words_and_calls() -> None:
    thought, words, call = read(TOOL_CALLS)[2].events

    assert (thought.event_type, thought.text) == (EventType.REASONING, "First see what fails.")
    assert (words.event_type, words.text) == (EventType.MESSAGE, "Run the tests.")
    assert (call.tool_name, call.tool_kind) == ("bash", ToolKind.SHELL)
    assert call.input == {"command": "pytest tests/test_loans.py"}
    assert (call.call_id, call.timestamp) == ("call_1_0", "2026-09-21T14:13:21.500Z")


def test_results_keep_exit_codes_and_the_output_as_it_was() -> None:
    drafts = read(TOOL_CALLS)

    assert results(drafts) == [
        (Status.ERROR, "exit_code", 2),
        (Status.OK, "no_failure_signal", 0),
        (Status.TIMEOUT, "timeout", None),
        (Status.OK, "submitted", 0),
    ]
    first, _, late, submitted = events(drafts, EventType.TOOL_RESULT)
    assert first.text.startswith("E   ModuleNotFoundError")
    assert "timed out after 30 seconds" in late.text
    assert submitted.text == "one renewal per loan\n"


@pytest.mark.parametrize(
    ("content", "expected", "text"),
    [
        ('{"returncode": 4, "output": "no\\n"}', (Status.ERROR, "exit_code", 4), "no\n"),
        (
            '{"returncode": 0, "output_head": "a", "output_tail": "z", "elided_chars": 9}',
            (Status.OK, "no_failure_signal", 0),
            "a\nz",
        ),
        (
            "<returncode>4</returncode>\n<output>\nno\n</output>",
            (Status.ERROR, "exit_code", 4),
            "no",
        ),
        (
            "<exception>Command 'x' timed out after 30 seconds</exception>\n"
            "<returncode>-1</returncode>\n<output>\n</output>",
            (Status.TIMEOUT, "timeout", None),
            "Command 'x' timed out after 30 seconds",
        ),
        (
            "<exception>container is gone</exception>\n<returncode>-1</returncode>",
            (Status.ERROR, "harness", None),
            "container is gone",
        ),
        (
            '{"returncode": 28, "output": "curl: timed out after 30 seconds"}',
            (Status.ERROR, "exit_code", 28),
            "curl: timed out after 30 seconds",
        ),
    ],
)
def test_results_whose_extra_was_stripped_are_read_from_the_text(
    tmp_path: Path, content: str, expected: Any, text: str
) -> None:
    run = run_of(TOOL_CALLS)
    result = {"role": "tool", "tool_call_id": "call_1_0", "content": content}
    run["messages"] = [*run["messages"][:3], result]
    drafts = read_value(tmp_path, run)

    assert results(drafts) == [expected]
    assert events(drafts, EventType.TOOL_RESULT)[0].text == text


def test_a_reply_without_a_usable_call_is_words_and_an_observation() -> None:
    words, observation = read(TOOL_CALLS)[4].events

    assert (words.actor, words.text) == (Actor.AGENT, "I will deploy.")
    assert observation.event_type is EventType.OBSERVATION
    assert (observation.actor, observation.error_type) == (Actor.TOOL, "unknown_tool")
    assert observation.extra == {"tried": [{"tool_name": "deploy", "input": {"target": "staging"}}]}


def test_model_version_folder_tokens_and_cost_are_kept() -> None:
    drafts = read(TOOL_CALLS)
    (end,) = events(drafts, EventType.END)

    session = drafts[0].session
    assert (session.agent, session.agent_version) == ("mini-swe-agent", "2.4.6")
    assert (session.model, session.cwd) == ("openai/demo", "/srv/library")
    assert drafts[2].usage == {
        "prompt_tokens": 201,
        "completion_tokens": 40,
        "total_tokens": 241,
        "cost": 0.25,
    }
    assert drafts[4].usage is not None
    assert drafts[4].usage["cost"] == 0.25
    assert (end.extra["cost"], end.extra["api_calls"]) == (1.25, 5)


def test_submitting_is_an_end_and_no_outcome() -> None:
    drafts = read(TOOL_CALLS)

    assert ends(drafts) == ["completed"]
    assert not events(drafts, EventType.OUTCOME)


@pytest.mark.parametrize(
    ("status", "state"),
    [
        ("LimitsExceeded", "limits exceeded"),
        ("TimeExceeded", "timed out"),
        ("RepeatedFormatError", "aborted"),
        ("AuthenticationError", "crashed"),
        ("stopped_early", "stopped_early"),
    ],
)
def test_every_other_exit_status_is_told(tmp_path: Path, status: str, state: str) -> None:
    leaving = {"role": "exit", "content": "", "extra": {"exit_status": status, "submission": ""}}
    run = ending_with(an_unexecuted(), leaving)

    drafts = read_value(tmp_path, run)

    assert ends(drafts) == [state]
    assert events(drafts, EventType.END)[0].extra["exit_status"] == status


@pytest.mark.parametrize(
    ("messages", "status", "words"),
    [
        (
            [a_user("Commands not executed. The user rejected your commands with the following "
                    "message: ask first", "UserRejection")],
            (Status.DENIED, "denied_by_user", None), ["ask first"],
        ),
        (
            [a_user("Commands not executed. Switching to human mode", "UserRejection")],
            (Status.DENIED, "denied_by_user", None), [],
        ),
        (
            [a_user("Interrupted by user: too slow", "UserInterruption")],
            (Status.CANCELLED, "interrupted", None), ["too slow"],
        ),
        (
            [a_user("Interrupted by user: Temporary interruption caught.", "UserInterruption")],
            (Status.CANCELLED, "interrupted", None), [],
        ),
        (
            [a_user("The user added a new task: now document it", "UserNewTask")],
            (Status.OK, "submitted", 0), ["now document it"],
        ),
        ([], (Status.CANCELLED, "interrupted", None), []),
    ],
)  # fmt: skip
def test_an_action_that_did_not_run_is_explained_by_what_follows(
    tmp_path: Path, messages: list[dict[str, Any]], status: Any, words: list[str]
) -> None:
    drafts = read_value(tmp_path, ending_with(an_unexecuted(), *messages))

    assert results(drafts)[-1] == status
    spoken = [e.text for e in events(drafts, EventType.MESSAGE) if e.actor is Actor.USER]
    assert spoken == words


def test_what_stood_behind_a_submission_never_ran(tmp_path: Path) -> None:
    run = run_of(TOOL_CALLS)
    reply, (unexecuted, leaving) = run["messages"][8], run["messages"][9:]
    for call_id in ("call_b", "call_c"):
        function = {"name": "bash", "arguments": '{"command": "true"}'}
        reply["tool_calls"].append({"id": call_id, "function": function})
    run["messages"][9:] = [unexecuted, an_unexecuted("call_b"), an_unexecuted("call_c"), leaving]

    assert results(read_value(tmp_path, run))[-3:] == [
        (Status.OK, "submitted", 0),
        *[(Status.CANCELLED, "interrupted", None)] * 2,
    ]


def test_a_submission_without_a_result_of_its_own_gets_one(tmp_path: Path) -> None:
    leaving = run_of(TOOL_CALLS)["messages"][-1]
    drafts = read_value(tmp_path, ending_with(leaving))

    assert results(drafts)[-1] == (Status.OK, "submitted", 0)
    assert [e.event_type for e in drafts[-1].events] == [EventType.TOOL_RESULT, EventType.END]


def test_a_run_that_goes_on_has_no_end(tmp_path: Path) -> None:
    assert ends(read_value(tmp_path, ending_with())) == []


def test_commands_a_person_typed_are_their_calls(tmp_path: Path) -> None:
    typed = {
        "role": "user",
        "content": "User command: \n```bash\nls\n```",
        "extra": {"actions": [{"command": "ls"}]},
    }
    seen = {"role": "user", "content": "{}", "extra": {"raw_output": "a\n", "returncode": 0}}
    *_, call, result = events(read_value(tmp_path, ending_with(typed, seen)))

    assert (call.event_type, call.actor, call.input) == (
        EventType.TOOL_CALL,
        Actor.USER,
        {"command": "ls"},
    )
    assert (result.event_type, result.text, result.exit_code) == (EventType.TOOL_RESULT, "a\n", 0)


def test_replies_of_the_responses_api_are_read(tmp_path: Path) -> None:
    run, arguments = run_of(TOOL_CALLS), '{"command": "ls"}'
    reply = {
        "object": "response",
        "output": [
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Look."}]},
            {"type": "message", "content": [{"type": "output_text", "text": "Listing."}]},
            {"type": "function_call", "call_id": "c", "name": "bash", "arguments": arguments},
        ],
        "usage": {"input_tokens": 5},
        "extra": {"actions": [{"command": "ls", "tool_call_id": "c"}], "timestamp": 1790000000},
    }  # fmt: skip
    answer = {
        "type": "function_call_output",
        "call_id": "c",
        "output": "{}",
        "extra": {"raw_output": "x\n", "returncode": 0, "exception_info": ""},
    }
    run["messages"] = [*run["messages"][:2], reply, answer]
    drafts = read_value(tmp_path, run)

    thought, words, call = drafts[2].events
    assert (thought.text, words.text, call.input) == ("Look.", "Listing.", {"command": "ls"})
    assert drafts[2].usage == {"input_tokens": 5}
    assert results(drafts) == [(Status.OK, "no_failure_signal", 0)]


def test_actions_in_fences_are_calls_and_leave_the_words() -> None:
    drafts = read(FENCED)

    assert [e.input for e in events(drafts, EventType.TOOL_CALL)] == [
        {"command": "wc -l loans.txt"},
        {"command": "tail -f loans.log"},
        {"command": "rm loans.log"},
        {"command": "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"},
    ]
    assert drafts[2].events[0].text == "THOUGHT: look first."
    assert results(drafts) == [
        (Status.ERROR, "exit_code", 1),
        (Status.TIMEOUT, "timeout", None),
        (Status.DENIED, "denied_by_user", None),
        (Status.OK, "submitted", 0),
    ]
    first = events(drafts, EventType.TOOL_RESULT)[0]
    assert first.text == "wc: loans.txt: No such file or directory"


def test_the_older_format_tells_refusals_and_format_errors_in_words() -> None:
    drafts = read(FENCED)

    (observation,) = events(drafts, EventType.OBSERVATION)
    assert "found 0 actions" in observation.text
    assert [e.text for e in events(drafts, EventType.MESSAGE) if e.actor is Actor.USER] == [
        "keep the log"
    ]
    assert ends(drafts) == ["completed"]
    assert [e.text for e in events(drafts, EventType.TASK)] == ["Count the loans."]


def test_a_reply_with_two_fences_ran_nothing(tmp_path: Path) -> None:
    run = run_of(FENCED)
    run["messages"][2]["content"] = "```bash\nls\n```\nor\n```bash\npwd\n```"
    run["messages"][3]["content"] = "Please provide EXACTLY ONE action, found 2 actions."

    assert len(events(read_value(tmp_path, run), EventType.TOOL_CALL)) == 3


def test_bare_lists_of_the_first_versions_are_read() -> None:
    drafts = read(BARE)

    assert [e.text for e in events(drafts, EventType.TASK)] == ["Greet."]
    assert results(drafts) == [(Status.OK, "no_failure_signal", 0), (Status.OK, "submitted", 0)]
    assert ends(drafts) == ["completed"]


def as_one_line(path: Path) -> str:
    return json.dumps(run_of(path))


def with_long_submission(path: Path) -> str:
    run = run_of(path)
    info = run.pop("info") | {"submission": "x" * 300_000}
    ordered = {k: info[k] for k in ("exit_status", "submission", "mini_version", "config")}
    return json.dumps({"info": ordered, **run}, indent=2)


def with_info_last(path: Path) -> str:
    run = run_of(path)
    return json.dumps({"messages": run["messages"], **run, "info": run["info"]}, indent=1)


@pytest.mark.parametrize("shape", [as_one_line, with_long_submission, with_info_last])
@pytest.mark.parametrize("path", [TOOL_CALLS, FENCED])
def test_it_is_recognised_by_content_in_every_layout(
    tmp_path: Path, shape: Callable[[Path], str], path: Path
) -> None:
    file = tmp_path / "run.json"
    file.write_text(shape(path), encoding="utf-8")

    assert detect_format(file) == "mini-swe-agent"
    assert results(read(file)) == results(read(path))
    assert session_id(read(file)) == session_id(read(path))


@pytest.mark.parametrize(
    "value",
    [
        [{"role": "user", "content": "What prints COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT?"}],
        {"messages": [{"role": "user", "content": 'has {"mini_version": "2.4.6"} in it'}]},
        {"environment": "swe_main", "trajectory": [], "info": {"exit_status": "submitted"}},
    ],
)
def test_files_that_only_speak_of_it_are_not(tmp_path: Path, value: Any) -> None:
    path = tmp_path / "other.json"
    path.write_text(json.dumps(value), encoding="utf-8")

    assert detect_format(path) != "mini-swe-agent"


def test_several_runs_in_lines_are_several_sessions(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_text(f"{as_one_line(TOOL_CALLS)}\n{as_one_line(FENCED)}\n", encoding="utf-8")

    drafts = read(path)

    assert [draft.line for draft in drafts] == list(range(1, 24))
    assert [d.session.session_id for d in (drafts[0], drafts[-1])] == [
        session_id(read(TOOL_CALLS)),
        session_id(read(FENCED)),
    ]


@pytest.mark.parametrize("path", [TOOL_CALLS, FENCED])
def test_a_run_keeps_its_id_and_its_records_while_it_grows(tmp_path: Path, path: Path) -> None:
    run = run_of(path)
    run["messages"] = run["messages"][:4]
    run["info"] |= {"exit_status": "", "submission": "", "model_stats": {}}

    before, after = read_value(tmp_path, run), read(path)

    assert session_id(before) == session_id(after)
    assert [d.native_id for d in before] == [d.native_id for d in after][:4]
    assert [d.events for d in before] == [d.events for d in after][:4]


def test_two_runs_of_one_task_are_two_sessions(tmp_path: Path) -> None:
    run = run_of(TOOL_CALLS)
    again = copy.deepcopy(run)
    again["messages"][2]["extra"]["timestamp"] += 60

    assert session_id(read_value(tmp_path, run)) != session_id(read_value(tmp_path, again))


def test_runs_without_times_differ_by_all_they_say(tmp_path: Path) -> None:
    run = json.loads(BARE.read_text(encoding="utf-8"))
    other = copy.deepcopy(run)
    other[4]["content"] = "Bye.\n\n```mswea_bash_command\necho bye\n```"

    assert session_id(read_value(tmp_path, run)) != session_id(read_value(tmp_path, other))


def test_a_message_that_is_none_costs_only_itself(tmp_path: Path) -> None:
    run = run_of(TOOL_CALLS)
    run["messages"].insert(3, 7)
    path = tmp_path / "a.traj.json"
    path.write_text(json.dumps(run), encoding="utf-8")

    records = list(mini_swe_agent.read(path))

    assert [r.line for r in records if isinstance(r, Problem)] == [4]
    drafts = [r for r in records if isinstance(r, Draft)]
    assert results(drafts) == results(read(TOOL_CALLS))


def test_a_file_cut_in_the_writing_gives_all_before_the_cut(tmp_path: Path) -> None:
    text = TOOL_CALLS.read_text(encoding="utf-8")
    path = tmp_path / "a.traj.json"
    path.write_text(text[: text.index("Two things")], encoding="utf-8")

    *drafts, problem = mini_swe_agent.read(path)

    assert [record.line for record in drafts] == [1, 2, 3, 4, 5]
    assert isinstance(problem, Problem)
    assert "cut off" in problem.reason


@pytest.mark.parametrize("text", ["", "   ", "[]", "{}", "{", "[1", "nonsense", '{"messages": 5}'])
def test_a_file_with_no_run_raises_nothing(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.traj.json"
    path.write_text(text, encoding="utf-8")

    assert all(isinstance(record, Problem) for record in mini_swe_agent.read(path))


@pytest.mark.parametrize("path", [TOOL_CALLS, FENCED])
def test_bent_messages_are_all_accounted_for(tmp_path: Path, path: Path) -> None:
    chance = random.Random(7)
    run = run_of(path)
    file = tmp_path / "bent.json"
    for _ in range(60):
        messages = [bent(message, chance) for message in run["messages"]]
        strange = {**run, "info": bent(run["info"], chance), "messages": messages}
        file.write_text(json.dumps(strange), encoding="utf-8")

        detect_format(file)
        records = list(mini_swe_agent.read(file))

        assert [record.line for record in records] == list(range(1, len(messages) + 1))
        for record in records:
            if isinstance(record, Draft):
                assert_sound(record)
