from __future__ import annotations

import pytest

from hindsight_cli.records.event import Status
from hindsight_cli.reflect.rules import reflect_by_rules
from tests.unit.reflect_builder import TraceBuilder

ERROR = Status.ERROR


def invalid(trace: TraceBuilder) -> dict[int, str]:
    found = reflect_by_rules(trace.build()).attribution.invalid_steps
    return {step.step_index: step.reason for step in found}


def workarounds(trace: TraceBuilder) -> list[int]:
    return [w.step_index for w in reflect_by_rules(trace.build()).attribution.workarounds]


def test_the_first_failure_is_no_detour_its_repetition_is() -> None:
    trace = TraceBuilder()
    trace.call("book", {"n": 1}, "Error: no seats", ERROR)
    same = trace.call("book", {"n": 1}, "Error: no seats", ERROR)
    alike = trace.call("book", {"n": 2}, "Error: no seats", ERROR)

    found = invalid(trace)

    assert found.keys() == {same, alike}
    assert "unchanged" in found[same]


def test_a_change_and_the_one_that_took_it_back_are_told_apart() -> None:
    trace = TraceBuilder()
    done = trace.edit("a.json", '"mode": "fast"', '"mode": "slow"')
    trace.edit("b.json", "x", "y")
    undone = trace.edit("a.json", '"mode": "slow"', '"mode": "fast"')

    found = invalid(trace)

    assert found.keys() == {done}
    assert str(undone) in found[done]


def test_a_written_file_that_is_removed_again_was_a_detour() -> None:
    trace = TraceBuilder()
    written = trace.call("Write", {"file_path": "/repo/notes/plan.md", "content": "a plan"})
    trace.shell("rm notes/plan.md")

    assert invalid(trace).keys() == {written}


def test_what_was_done_inside_an_aborted_rebase_was_a_detour() -> None:
    trace = TraceBuilder()
    trace.shell("git rebase origin/main", "CONFLICT (content): a.py", ERROR)
    inside = trace.shell("sed -n '1,80p' a.py", "<<<<<<< HEAD")
    trace.shell("git rebase --abort")

    assert invalid(trace).keys() == {inside}


def test_looking_at_the_same_thing_three_times_is_a_loop() -> None:
    trace = TraceBuilder()
    trace.shell("cat a.log", "nothing")
    trace.shell("cat a.log", "nothing")
    third = trace.shell("cat a.log", "nothing")

    assert invalid(trace).keys() == {third}


@pytest.mark.parametrize(
    "command",
    [
        "git commit --no-verify -m wip",
        "chmod 777 /srv/data",
        "curl -k https://internal.test/health ",
        "SKIP=eslint git commit -m wip",
        "mvn package -DskipTests",
        "pytest -k 'not refund'",
    ],
)
def test_commands_that_get_past_a_check_are_workarounds(command: str) -> None:
    trace = TraceBuilder()
    step = trace.shell(command, "ok")

    assert workarounds(trace) == [step]


@pytest.mark.parametrize(
    "added",
    ["x = 1  # noqa", "@pytest.mark.xfail", "requests.get(url, verify=False)", "it.skip('a')"],
)
def test_lines_that_silence_a_check_are_workarounds(added: str) -> None:
    trace = TraceBuilder()
    step = trace.edit("a.py", "y = 1", f"y = 1\n{added}")

    assert workarounds(trace) == [step]


@pytest.mark.parametrize(
    "command", ["git push --force-with-lease", "rm -f x || true", "grep -k a b", "pytest -k refund"]
)
def test_ordinary_commands_are_no_workarounds(command: str) -> None:
    trace = TraceBuilder()
    trace.shell(command, "ok")

    assert workarounds(trace) == []


def test_ignoring_the_result_right_after_it_failed_is_a_workaround() -> None:
    trace = TraceBuilder()
    trace.shell("npm audit", "3 high severity vulnerabilities", ERROR)
    step = trace.shell("npm audit || true", "3 high severity vulnerabilities")

    assert workarounds(trace) == [step]


def test_moving_a_silencing_comment_along_is_none() -> None:
    trace = TraceBuilder()
    trace.edit("a.py", "x = 1  # noqa", "x = 2  # noqa")

    assert workarounds(trace) == []


def test_key_steps_are_the_ends_of_failures_the_changes_that_stayed_and_the_last_check() -> None:
    trace = TraceBuilder()
    trace.call("Read", {"file_path": "a.go"}, "package a")
    trace.shell("make test", "--- FAIL: TestA", ERROR)
    edit = trace.edit("a.go", "return 1", "return 2")
    green = trace.shell("make test", "ok")

    assert reflect_by_rules(trace.build()).attribution.key_steps == (edit, green)
