from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from hindsight_cli.guard.candidate import parse_candidate
from hindsight_cli.guard.gate import judge
from hindsight_cli.records.event import Status
from hindsight_cli.reflect.rules import MAX_PROPOSALS, reflect_by_rules
from hindsight_cli.reflect.wording import language_of, sentences
from tests.unit.reflect_builder import TraceBuilder

ERROR = Status.ERROR
DOCKER = "docker run -d -p 3306:3306 mysql:8"
PORT_TAKEN = "Bind for 0.0.0.0:3306 failed: port is already allocated"


def proposals(trace: TraceBuilder) -> list[dict[str, Any]]:
    return list(reflect_by_rules(trace.build()).proposals)


def only(trace: TraceBuilder) -> dict[str, Any]:
    found = proposals(trace)
    assert len(found) == 1, [p["scenario"] for p in found]
    return found[0]


def cited(proposal: dict[str, Any]) -> set[int]:
    return {cite["step"] for cite in proposal["cites"]}


def port_taken(task: str = "Start mysql for the tests") -> tuple[TraceBuilder, int, int]:
    trace = TraceBuilder(task)
    failed = trace.shell(DOCKER, PORT_TAKEN, ERROR)
    trace.shell("docker ps", "legacy-db 0.0.0.0:3306->3306/tcp")
    fixed = trace.shell("docker run -d -p 3307:3306 mysql:8", "6b1f")
    return trace, failed, fixed


def test_a_failure_lesson_quotes_what_failed_the_error_and_what_worked() -> None:
    trace, failed, fixed = port_taken()

    lesson = only(trace)

    assert lesson["kind"] == "failure_lesson"
    assert PORT_TAKEN in lesson["scenario"]
    assert "`docker run -d -p 3307:3306 mysql:8`" in lesson["recommend"]
    assert f"`{DOCKER}`" in lesson["avoid"]
    assert {failed, fixed} <= cited(lesson)
    assert "docker" in lesson["tool_tags"]
    assert "deployment" in lesson["task_tags"]


def test_a_lesson_about_a_red_check_tells_the_edit_that_turned_it_green() -> None:
    trace = TraceBuilder()
    failed = trace.shell("make lint", "app/pay.go:48:10: error is unwrapped (wrapcheck)", ERROR)
    edit = trace.edit("/repo/app/pay.go", "\treturn err", '\treturn fmt.Errorf("pay: %w", err)')
    green = trace.shell("make lint", "0 issues.")

    lesson = only(trace)

    assert '`return fmt.Errorf("pay: %w", err)`' in lesson["recommend"]
    assert "wrapcheck" in lesson["scenario"]
    assert {failed, edit, green} <= cited(lesson)


def test_a_lesson_about_arguments_says_where_the_right_one_stands() -> None:
    trace = TraceBuilder("Move my flight to Monday")
    failed = trace.call(
        "update_booking", {"id": "B1", "pay": "card_99"}, "Error: payment not found", ERROR
    )
    source = trace.call("get_user", {"id": "u1"}, '{"payments": ["gift_17"]}')
    fixed = trace.call("update_booking", {"id": "B1", "pay": "gift_17"}, "{}")

    lesson = only(trace)

    assert "`pay`: `gift_17`" in lesson["recommend"]
    assert "`get_user`" in lesson["recommend"]
    assert "`pay`: `card_99`" in lesson["avoid"]
    assert cited(lesson) == {failed, source, fixed}


def test_a_refused_edit_teaches_the_line_that_made_it_unique() -> None:
    trace = TraceBuilder()
    trace.edit("a.py", "load()", "load(1)", "Found 3 matches, not unique: load()", ERROR)
    trace.call("Read", {"file_path": "a.py"}, "load()\nsave_all()")
    trace.edit("a.py", "load()\nsave_all()", "load(1)\nsave_all()")

    lesson = only(trace)

    assert "Found 3 matches" in lesson["scenario"]
    assert "`save_all()`" in lesson["recommend"]


def test_a_call_resent_until_the_end_becomes_a_lesson_with_the_value_the_error_names() -> None:
    trace = TraceBuilder("Book three seats")
    steps = [
        trace.call("book", {"amount": 833}, "Error: total price is 1203, but paid 833", ERROR)
        for _ in range(3)
    ]

    lesson = only(trace)

    assert "`1203`" in lesson["recommend"]
    assert "3 times" in lesson["avoid"]
    assert cited(lesson) == set(steps)


def test_what_cannot_be_taken_back_is_to_be_done_last() -> None:
    trace = TraceBuilder("Rebook my trip")
    gone = trace.call("cancel_booking", {"id": "B1"}, "{}")
    trace.call("book", {"amount": 833}, "Error: total price is 1203", ERROR)
    trace.call("book", {"amount": 834}, "Error: total price is 1203", ERROR)

    assert any(gone in cited(p) and "`cancel_booking`" in p["avoid"] for p in proposals(trace))


def test_a_failing_test_first_is_a_success_pattern_not_a_failure() -> None:
    trace = TraceBuilder("Parse lists in the transcript")
    trace.edit("parse_test.go", "", "func TestList(t *testing.T) {}")
    trace.agent("Run it; the new test should fail before the fix.")
    red = trace.shell("go test ./parse", "--- FAIL: TestList (0.00s)", ERROR)
    trace.edit("parse.go", "return nil", "return parseList(raw)")
    green = trace.shell("go test ./parse", "ok")

    found = proposals(trace)

    assert [p["kind"] for p in found] == ["success_pattern"]
    assert {red, green} <= cited(found[0])


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        ("the user said:\nour PR tracks release, not main", True),
        ("The tool use was rejected.", False),
    ],
)
def test_a_refusal_is_a_decision_only_when_the_user_says_what_is_wanted(
    words: str, kept: bool
) -> None:
    trace = TraceBuilder("Resolve the conflicts of the PR")
    refused = trace.shell("git rebase origin/main", words, Status.DENIED)
    looked = trace.shell("gh pr view 7 --json baseRefName", "release")

    found = proposals(trace)

    assert [p["kind"] for p in found] == (["key_decision"] if kept else [])
    if kept:
        assert "our PR tracks release, not main" in found[0]["recommend"]
        assert cited(found[0]) == {refused, looked}


def corrected(*, injected: bool = False) -> TraceBuilder:
    trace = TraceBuilder("Rename the wrapper")
    trace.edit("wrap.go", "old()", "fresh()")
    trace.shell("make test", "ok")
    trace.agent("All green.")
    trace.user("--- FAIL: TestWrapper (0.01s) in CI", injected=injected)
    trace.edit("wrap_it_test.go", '"old"', '"fresh"')
    trace.shell("make test-ci", "ok")
    return trace


def test_what_the_user_had_to_report_becomes_a_step_before_reporting_done() -> None:
    lesson = proposals(corrected())[0]

    assert lesson["kind"] == "key_decision"
    assert "`make test-ci`" in lesson["recommend"]
    assert "TestWrapper" in lesson["avoid"]


def test_injected_text_is_never_evidence() -> None:
    assert not any("TestWrapper" in str(p) for p in proposals(corrected(injected=True)))


def test_a_filter_that_missed_by_a_suffix_is_told_with_the_value_it_should_have_asked_for() -> None:
    trace = TraceBuilder("Answer the bot's comment")
    trace.shell("gh api pulls/7/comments --jq '.[] | select(.user == \"linter\") | .body'", "")
    trace.shell("gh api pulls/7/comments --jq '.[] | .user'", '"linter[bot]"\n"anna"')

    assert "`linter[bot]`" in only(trace)["recommend"]


def test_a_deleted_failing_test_is_a_workaround_with_the_root_cause_open() -> None:
    trace = TraceBuilder()
    trace.shell("go test ./...", "--- FAIL: TestRefund (0.00s)\n    r_test.go:9: got 3", ERROR)
    trace.edit("refund_test.go", "func TestRefund(t *testing.T) {\n}", "// hard to test")
    trace.shell("go test ./...", "ok")

    lesson = only(trace)

    assert lesson["workaround"] is True
    assert "root cause open" in lesson["recommend"]


def test_a_plain_success_teaches_nothing() -> None:
    trace = TraceBuilder("Say hello")
    trace.shell("ls", "a.txt")
    trace.call("Read", {"file_path": "a.txt"}, "hello")
    trace.shell("echo hello", "hello")

    assert proposals(trace) == []


def test_the_same_call_that_works_when_sent_again_was_luck() -> None:
    trace = TraceBuilder()
    trace.shell("pip install httpx", "Temporary failure in name resolution", ERROR)
    trace.shell("pip install httpx", "Successfully installed httpx")

    assert proposals(trace) == []


def test_waiting_until_it_works_is_luck_too() -> None:
    trace = TraceBuilder()
    trace.shell("curl -f localhost:8080/health", "Connection refused", ERROR)
    trace.shell("sleep 15 && curl -f localhost:8080/health", "ok")

    assert proposals(trace) == []


def test_a_failure_that_only_the_log_shows_is_a_failure_of_the_command() -> None:
    trace = TraceBuilder("Start a database")
    started = trace.shell("docker run -d --name db mysql:8", "3037c8dc")
    log = trace.shell("docker logs db", "[ERROR] [Entrypoint]: password option is not specified")
    again = trace.shell("docker rm db && docker run -d --name db --env-file .env mysql:8", "aa")

    lesson = only(trace)

    assert "password option is not specified" in lesson["scenario"]
    assert "--env-file .env" in lesson["recommend"]
    assert cited(lesson) == {started, log, again}


def test_the_same_mistake_twice_is_one_proposal() -> None:
    trace = TraceBuilder()
    for name in ("api", "web"):
        trace.shell(f"cd {name} && npm test -w x", f"cd: no such file or directory: {name}", ERROR)
        trace.shell("pwd", "/repo/" + name)
        trace.shell("npm test", "ok")

    assert len(proposals(trace)) == 1


def test_there_are_at_most_five_proposals() -> None:
    trace = TraceBuilder()
    for number in range(12):
        trace.call(f"tool_{number}", {"id": "a", "n": 1}, f"Error: number {number} is odd", ERROR)
        trace.call(f"tool_{number}", {"id": "a", "n": 2}, "{}")

    assert len(proposals(trace)) == MAX_PROPOSALS


def test_reflecting_twice_says_the_same() -> None:
    trace, _, _ = port_taken()
    built = trace.build()

    assert reflect_by_rules(built) == reflect_by_rules(built)


def test_experiences_speak_the_language_of_the_task() -> None:
    trace, _, _ = port_taken("为集成测试启动 mysql 容器")

    lesson = only(trace)

    assert language_of(lesson["scenario"]) == "zh"
    assert "`docker run -d -p 3307:3306 mysql:8`" in lesson["recommend"]


def _placeholders(texts: dict[str, Any]) -> dict[str, set[str]]:
    return {
        f"{family}.{name}": set(re.findall(r"\{(\w+)\}", text))
        for family, names in texts.items()
        for name, text in names.items()
    }


def test_both_languages_say_the_same_with_the_same_literals() -> None:
    assert _placeholders(sentences("en")) == _placeholders(sentences("zh"))


SAMPLES: dict[str, Callable[[], TraceBuilder]] = {
    "correction": corrected,
    "port": lambda: port_taken()[0],
    "zh": lambda: port_taken("为集成测试启动 mysql 容器")[0],
}


@pytest.mark.parametrize("name", SAMPLES)
def test_the_guard_drops_nothing_that_the_rules_propose(name: str) -> None:
    trace = SAMPLES[name]().build()
    found = reflect_by_rules(trace).proposals

    verdicts = [judge(parse_candidate(proposal), trace) for proposal in found]

    assert found
    assert [v.findings for v in verdicts if v.verdict in ("drop", "quarantine")] == []
