from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hindsight_cli.guard.candidate import parse_candidate
from hindsight_cli.guard.gate import judge
from hindsight_cli.records.event import Status
from hindsight_cli.reflect.lessons.lesson import Silence
from hindsight_cli.reflect.lessons.writer import MAX_SCENARIO
from hindsight_cli.reflect.rules import reflect_by_rules
from hindsight_cli.reflect.wording import language_of, sentences
from tests.unit.reflect_builder import TraceBuilder, cited, only, proposals

ERROR = Status.ERROR
DOCKER = "docker run -d -p 3306:3306 mysql:8"
PORT_TAKEN = "Bind for 0.0.0.0:3306 failed: port is already allocated"


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


def test_a_failing_test_first_is_a_success_pattern_not_a_failure() -> None:
    trace = TraceBuilder("Parse lists in the transcript")
    trace.edit("parse_test.go", "", "func TestList(t *testing.T) {}")
    trace.agent("Run it; the new test should fail before the fix.")
    cause = "json: cannot unmarshal array into Go struct field content of type string"
    red = trace.shell("go test ./parse", f"--- FAIL: TestList (0.00s)\n    {cause}", ERROR)
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


@pytest.mark.parametrize(
    ("first", "again"),
    [
        ("ls -la && python3 -m unittest 2>&1 | tail -20; exit 1", "python3 -m unittest | tail -3"),
        ("cargo test", "cargo test 2>&1 | head -40"),
        ("npm test | cat", "pwd && npm test"),
    ],
)
def test_what_only_shows_an_output_is_no_method(first: str, again: str) -> None:
    """A file was changed by a command between: that is what helped, not the other filter."""
    trace = TraceBuilder()
    trace.shell(first, "AssertionError: 3 != 5\nFAILED", ERROR)
    trace.shell("sed -i 's/a - b/a + b/' calc.py")
    trace.shell(again, "OK")

    assert proposals(trace) == []
    silences = reflect_by_rules(trace.build()).silences
    assert [silence.code for silence in silences] == ["file_changed"]


@pytest.mark.parametrize(
    "edit",
    [
        "sed -i 's/a - b/a + b/' calc.py",
        "cat > calc.py <<X\ndef add(a, b): return a + b\nX",
        "echo 'add = sum' | tee calc.py",
        "python3 -c \"open('calc.py', 'w').write('x')\"",
        "git apply fix.patch",
    ],
)
def test_a_file_changed_by_a_command_is_what_helped_and_no_option_is(edit: str) -> None:
    trace = TraceBuilder()
    trace.shell("python3 check_calc.py", "AssertionError: 3 != 5", ERROR)
    trace.shell(edit)
    trace.shell("python3 check_calc.py --verbose", "all good")

    assert proposals(trace) == []
    silences = reflect_by_rules(trace.build()).silences
    assert [silence.code for silence in silences] == ["file_changed"]


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


def test_the_essence_of_an_edit_is_its_code_not_the_wording_of_a_message() -> None:
    trace = TraceBuilder()
    trace.shell("go test ./...", "failed to get root: not a git repository", ERROR)
    trace.edit(
        "hooks.go",
        'return fmt.Errorf("failed to get root: %w", err)',
        'root, err = os.Getwd()\nreturn fmt.Errorf("failed to get folder: %w", err)',
    )
    trace.shell("go test ./...", "ok")

    assert "`root, err = os.Getwd()`" in only(trace)["recommend"]
    assert "failed to get folder" not in only(trace)["recommend"]


def test_lines_that_only_changed_places_are_told_as_such() -> None:
    trace = TraceBuilder()
    error = "a.go:4:2: embedded fields should be listed before regular fields (embedded)"
    trace.shell("make lint", error, ERROR)
    trace.edit("a.go", "Content string\n*Alias", "*Alias\nContent string")
    trace.shell("make lint", "0 issues.")

    assert "put `*Alias` before `Content string`" in only(trace)["recommend"]


def test_the_bug_a_task_was_about_is_no_lesson() -> None:
    trace = TraceBuilder("The test in test_calc.py fails; fix the code.")
    trace.shell("python -m unittest", "FAIL: test_add\nAssertionError: -1 != 5", ERROR)
    trace.edit("calc.py", "return a - b", "return a + b")
    trace.shell("python -m unittest", "OK")

    assert proposals(trace) == []


@pytest.mark.parametrize("silent", ["x()  # type: ignore", "x() //nolint:dupl", "_ = x()"])
def test_what_keeps_a_check_quiet_is_not_recommended(silent: str) -> None:
    trace = TraceBuilder()
    trace.shell("make lint", "a.go:4:2: error return value of `x` is not checked", ERROR)
    trace.edit("a.go", "x()", silent)
    trace.shell("make lint", "0 issues.")

    assert proposals(trace) == []


def test_only_what_was_refused_is_counted_as_refused() -> None:
    trace = TraceBuilder("Resolve the conflicts of the PR")
    trace.shell("git log origin/main", "The tool use was rejected.", Status.DENIED)
    refused = trace.shell(
        "git rebase origin/main", "the user said:\nour PR tracks release", Status.DENIED
    )
    trace.shell("gh pr view 7 --json baseRefName", "release")

    lesson = only(trace)

    assert "times" not in lesson["avoid"]
    assert lesson["why"].startswith(f"The user refused step {refused}:")


def test_a_report_hidden_by_a_filter_teaches_to_leave_the_filter_out() -> None:
    trace = TraceBuilder()
    first = trace.shell("make lint 2>&1 | tail -3", "make: *** [lint] Error 1", ERROR)
    second = trace.shell("make lint 2>&1", "a.go:4:2: 8 lines are duplicate (dupl)", ERROR)
    trace.edit("a.go", "one()", "shared()")
    trace.shell("make lint 2>&1", "0 issues.")

    hidden = [cited(p) for p in proposals(trace) if "without a pipe" in p["recommend"]]

    assert hidden == [{first, second}]


def test_scenarios_are_short_and_cut_at_words() -> None:
    trace = TraceBuilder("Start the database and then " + "check every single table of it " * 9)
    long = "docker run -d --name db -e 'A=" + "x y" * 40 + "' -p 3306:3306 mysql:8"
    trace.shell(f"cd /srv && {long} 2>&1 | tail -5", PORT_TAKEN, ERROR)
    trace.shell("docker ps", "legacy-db 0.0.0.0:3306->3306/tcp")
    trace.shell(f"cd /srv && {long.replace('-p 3306', '-p 3307')} 2>&1 | tail -5", "6b1f")

    for lesson in proposals(trace):
        assert lesson["scenario"].startswith("`docker run -d --name db`")
        assert len(lesson["scenario"]) <= MAX_SCENARIO


def test_the_same_mistake_twice_is_one_proposal() -> None:
    trace = TraceBuilder()
    for name in ("api", "web"):
        trace.shell(f"cd {name} && npm test -w x", f"cd: no such file or directory: {name}", ERROR)
        trace.shell("pwd", "/repo/" + name)
        trace.shell("npm test", "ok")

    assert len(proposals(trace)) == 1


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


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_reason_for_silence_has_its_words_and_its_line_in_the_docs(language: str) -> None:
    page = Path(__file__).parents[2] / "docs" / "explanation" / "trajectories.md"
    codes = {silence.value for silence in Silence}

    assert set(sentences(language)["silence"]) == codes
    assert codes <= set(re.findall(r"`(\w+)`", page.read_text(encoding="utf-8")))


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
