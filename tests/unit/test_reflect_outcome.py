from __future__ import annotations

import pytest

from hindsight_cli.records.event import Outcome, Status
from hindsight_cli.reflect.rules import reflect_by_rules
from tests.unit.reflect_builder import TraceBuilder

ERROR = Status.ERROR


def outcome(trace: TraceBuilder) -> tuple[Outcome, str]:
    found = reflect_by_rules(trace.build()).attribution
    return found.outcome, found.outcome_source


def test_a_recorded_outcome_wins_over_everything_seen() -> None:
    trace = TraceBuilder()
    trace.shell("make test", "1 failed", ERROR)
    trace.outcome("success", "reward")

    assert outcome(trace) == (Outcome.SUCCESS, "reward")


def test_a_green_check_after_the_last_edit_is_success() -> None:
    trace = TraceBuilder()
    trace.shell("make test", "--- FAIL: TestA", ERROR)
    trace.edit("a.go", "return 1", "return 2")
    trace.shell("make test", "ok")
    trace.edit("README.md", "old", "new")

    assert outcome(trace) == (Outcome.SUCCESS, "test")


def test_an_edit_after_the_last_check_leaves_the_outcome_open() -> None:
    trace = TraceBuilder()
    trace.shell("make test", "ok")
    trace.edit("a.go", "return 1", "return 2")

    assert outcome(trace) == (Outcome.UNKNOWN, "none")


def test_the_word_of_the_agent_makes_no_success_of_a_failure() -> None:
    trace = TraceBuilder()
    trace.edit("a.go", "return 1", "return 2")
    trace.shell("make test", "--- FAIL: TestA", ERROR)
    trace.agent("All tests pass now. The task is complete and everything works.")

    assert outcome(trace) == (Outcome.PARTIAL, "rule")


def test_a_linter_alone_proves_no_success() -> None:
    trace = TraceBuilder()
    trace.edit("a.go", "return 1", "return 2")
    trace.shell("make lint", "0 issues.")

    assert outcome(trace) == (Outcome.UNKNOWN, "none")


def test_a_script_proves_success_when_it_had_failed_before() -> None:
    trace = TraceBuilder()
    trace.shell("python repro.py", "AttributeError: missing", ERROR)
    trace.edit("lib.py", "a", "b")
    trace.shell("python repro.py", "done")

    assert outcome(trace) == (Outcome.SUCCESS, "rerun")


def test_a_build_is_not_called_a_test() -> None:
    trace = TraceBuilder()
    trace.edit("a.go", "return 1", "return 2")
    trace.shell("cargo build", "Finished")

    assert outcome(trace) == (Outcome.SUCCESS, "build")


def test_a_part_that_was_cut_says_nothing_of_a_session_that_went_on() -> None:
    trace = TraceBuilder()
    trace.edit("a.go", "return 1", "return 2")
    trace.end("interrupted")  # and resumed
    trace.shell("make test", "ok")

    assert outcome(trace) == (Outcome.SUCCESS, "test")


@pytest.mark.parametrize("what", ["unanswered", "limit"])
def test_a_run_that_was_cut_is_no_success(what: str) -> None:
    trace = TraceBuilder()
    trace.edit("a.go", "return 1", "return 2")
    trace.shell("make test", "ok")
    if what == "unanswered":
        trace.shell("git push", status=Status.MISSING)
    else:
        trace.end("Agent reached maximum iteration. Current iteration: 50")

    assert outcome(trace) == (Outcome.PARTIAL, "end")


def test_a_cut_run_in_which_nothing_was_done_failed() -> None:
    trace = TraceBuilder()
    trace.shell("make test", status=Status.MISSING)

    assert outcome(trace) == (Outcome.FAILURE, "end")


def test_a_refused_change_after_which_only_looking_followed_is_partial() -> None:
    trace = TraceBuilder()
    trace.edit("a.go", "return 1", "return 2")
    trace.shell("make test", "ok")
    trace.edit("b.go", "x", "y", "The user doesn't want to proceed.", Status.DENIED)
    trace.call("Grep", {"pattern": "x"}, "b.go: x")

    assert outcome(trace) == (Outcome.PARTIAL, "human")


def test_green_without_the_test_that_failed_is_partial() -> None:
    trace = TraceBuilder()
    trace.shell("go test ./...", "--- FAIL: TestRefund (0.00s)", ERROR)
    trace.edit("refund_test.go", "func TestRefund(t *testing.T) {\n}", "// hard to test")
    trace.shell("go test ./...", "ok")

    assert outcome(trace) == (Outcome.PARTIAL, "test")


def test_a_check_that_stays_red_is_no_success() -> None:
    trace = TraceBuilder()
    trace.edit("a.go", "return 1", "return 2")
    trace.shell("make build", "ok")
    trace.shell("make test", "--- FAIL: TestA", ERROR)
    trace.call("Read", {"file_path": "a.go"}, "return 2")
    trace.agent("Done, the build is fine.")

    assert outcome(trace)[0] is not Outcome.SUCCESS


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("Thanks, that works!", (Outcome.SUCCESS, "human")),
        ("和财务的数字一致,谢谢。", (Outcome.SUCCESS, "human")),
        ("Thanks, but the total is still wrong", (Outcome.UNKNOWN, "none")),
        ("Great, now add the same for the web shop", (Outcome.UNKNOWN, "none")),
    ],
)
def test_only_the_user_can_accept_work_that_nothing_checks(
    words: str, expected: tuple[Outcome, str]
) -> None:
    trace = TraceBuilder()
    trace.shell("mysql shop -e 'SELECT COUNT(*) FROM refunds'", "137")
    trace.agent("Perfect, it works: 137. Thanks!")
    trace.user(words)

    assert outcome(trace) == expected


def test_an_empty_trace_has_no_outcome() -> None:
    assert outcome(TraceBuilder()) == (Outcome.UNKNOWN, "none")


def test_changes_after_the_last_check_are_told_as_unchecked() -> None:
    trace = TraceBuilder()
    trace.edit("a.py", "x = 1", "x = 2")
    trace.shell("pytest -q", "1 passed")
    late = trace.edit("a.py", "x = 2", "x = 3")
    trace.edit("README.md", "old", "new")

    found = reflect_by_rules(trace.build()).attribution

    assert found.unchecked_steps == (late,)
    assert found.outcome is not Outcome.SUCCESS


@pytest.mark.parametrize("checked", [True, False])
def test_nothing_is_unchecked_when_a_check_came_last_or_none_is_known(checked: bool) -> None:
    trace = TraceBuilder()
    trace.edit("a.py", "x = 1", "x = 2")
    if checked:
        trace.shell("make test", "3 failed", Status.ERROR)

    assert reflect_by_rules(trace.build()).attribution.unchecked_steps == ()


def test_a_customers_thanks_prove_nothing_of_work_that_cannot_be_seen() -> None:
    trace = TraceBuilder("Cancel my booking")
    trace.call("cancel_booking", {"id": "B1"}, "cancelled")
    trace.agent("All done!")
    trace.user("Thank you, perfect!")

    found = reflect_by_rules(trace.build()).attribution

    assert (found.outcome, found.outcome_source) == (Outcome.UNKNOWN, "none")
