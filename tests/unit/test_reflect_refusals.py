"""Lessons from tools, editors and commands that said no."""

from __future__ import annotations

import re

import pytest

from hindsight_cli.records.event import Status
from hindsight_cli.reflect.rules import MAX_PROPOSALS
from tests.unit.reflect_builder import TraceBuilder, advice, cited, only, proposals

ERROR = Status.ERROR


def test_a_lesson_about_an_unknown_id_says_where_ids_stand_and_names_none() -> None:
    trace = TraceBuilder("Move my flight to Monday")
    failed = trace.call(
        "update_booking", {"id": "B1", "pay": "card_99"}, "Error: payment not found", ERROR
    )
    source = trace.call("get_user", {"id": "u1"}, '{"payments": ["gift_17"]}')
    fixed = trace.call("update_booking", {"id": "B1", "pay": "gift_17"}, "{}")

    lesson = only(trace)

    assert "`pay`" in lesson["recommend"]
    assert "`get_user`" in lesson["recommend"]
    assert not {"gift_17", "card_99", "B1"} & set(re.findall(r"\w+", advice(lesson)))
    assert cited(lesson) == {failed, source, fixed}


@pytest.mark.parametrize(
    ("error", "told"),
    [
        ("Found 3 matches, not unique: load()", "matches one place"),
        ("File has not been read yet. Read it first before writing to it.", "Read the file"),
        ("String to replace not found in file.", "as it stands now"),
    ],
)
def test_a_rule_of_the_editor_is_told_the_same_for_every_file(error: str, told: str) -> None:
    lessons = []
    for file, name in (("a.py", "load"), ("pkg/b.py", "save")):
        trace = TraceBuilder()
        trace.edit(file, f"{name}()", f"{name}(1)", error, ERROR)
        trace.call("Read", {"file_path": file}, f"{name}()\nsave_all()")
        trace.edit(file, f"{name}()\nsave_all()", f"{name}(1)\nsave_all()")
        lessons.append(only(trace))

    assert advice(lessons[0]) == advice(lessons[1])
    assert told in lessons[0]["recommend"]
    assert lessons[0]["layer"] == "general"


def test_a_path_made_up_and_then_found_teaches_to_search_first() -> None:
    trace = TraceBuilder()
    failed = trace.call("Read", {"file_path": "app/pay.go"}, "File does not exist.", ERROR)
    search = trace.call("Glob", {"pattern": "**/pay.go"}, "/repo/internal/pay.go")
    found = trace.call("Read", {"file_path": "/repo/internal/pay.go"}, "package pay")

    lesson = only(trace)

    assert cited(lesson) == {failed, search, found}
    assert "pay.go" not in advice(lesson)
    assert lesson["tool_tags"] == ["Read", "Glob"]


@pytest.mark.parametrize(("price", "paid"), [(1203, 833), (375, 299)])
def test_amounts_that_do_not_add_up_are_one_lesson_whatever_the_amounts(
    price: int, paid: int
) -> None:
    trace = TraceBuilder("Book three seats")
    error = f"Error: amount does not add up, total price is {price}, but paid {paid}"
    steps = [trace.call("book", {"amount": paid}, error, ERROR) for _ in range(3)]

    lesson = only(trace)

    assert "`total price`" in lesson["recommend"]
    assert not re.search(r"\d", advice(lesson))
    assert cited(lesson) == set(steps)


def test_the_relation_is_the_lesson_also_when_the_call_went_through_in_the_end() -> None:
    trace = TraceBuilder("Book a seat")
    error = "Error: amount does not add up, total price is 305, but paid 255"
    trace.call("book", {"id": "u1", "amount": 5}, error, ERROR)
    trace.call("book", {"id": "u1", "amount": 55}, "{}")

    lesson = only(trace)

    assert "`total price`" in lesson["recommend"]
    assert "55" not in advice(lesson)


def test_one_value_of_this_task_for_another_teaches_nothing() -> None:
    trace = TraceBuilder("Book a seat")
    trace.call("book", {"id": "u1", "amount": 5}, "Error: internal failure", ERROR)
    trace.call("book", {"id": "u1", "amount": 55}, "{}")

    assert proposals(trace) == []


def test_a_name_that_is_valid_in_every_run_is_told() -> None:
    trace = TraceBuilder("Research the framework")
    error = "Agent type 'analyst' not found. Available agents: plan, research:analyst"
    trace.call("Task", {"prompt": "Look at it", "subagent_type": "analyst"}, error, ERROR)
    trace.call("Task", {"prompt": "Look at it", "subagent_type": "research:analyst"}, "done")

    assert "`research:analyst`" in only(trace)["recommend"]


def test_a_run_that_failed_says_so_where_a_step_of_it_went_through() -> None:
    trace = TraceBuilder("Move my flight to Monday")
    trace.call("update", {"id": "B1", "pay": "card_99"}, "Error: payment not found", ERROR)
    trace.call("get_user", {"id": "u1"}, '{"payments": ["gift_17"]}')
    trace.call("update", {"id": "B1", "pay": "gift_17"}, "{}")
    trace.outcome("failure")

    assert "ended in failure" in only(trace)["why"]


def test_what_cannot_be_taken_back_is_to_be_done_last() -> None:
    trace = TraceBuilder("Rebook my trip")
    gone = trace.call("cancel_booking", {"id": "B1"}, "{}")
    trace.call("book", {"amount": 833}, "Error: total price is 1203", ERROR)
    trace.call("book", {"amount": 834}, "Error: total price is 1203", ERROR)

    assert any(gone in cited(p) and "`cancel_booking`" in p["avoid"] for p in proposals(trace))


def test_work_is_not_thrown_away_on_our_advice() -> None:
    trace = TraceBuilder("Bring the branch up to date")
    trace.shell("git rebase origin/main", "CONFLICT (content): Merge conflict in a.go", ERROR)
    trace.shell("git rebase --abort")
    trace.shell("git reset --hard origin/main")
    trace.shell("git cherry-pick ea85138 9d754fb")

    lesson = only(trace)

    assert "`git cherry-pick ea85138 9d754fb`" in lesson["recommend"]
    assert "reset" not in lesson["recommend"]


def test_the_same_command_passing_after_another_teaches_that_other() -> None:
    trace = TraceBuilder("List the results")
    failed = trace.shell("ls out", "ls: cannot access 'out': No such file or directory", ERROR)
    made = trace.shell("mkdir out")
    passed = trace.shell("ls out")

    lesson = only(trace)

    assert "`mkdir out`" in lesson["recommend"]
    assert cited(lesson) == {failed, made, passed}


def test_a_flag_that_the_error_names_is_told_as_the_one_to_leave_out() -> None:
    trace = TraceBuilder()
    trace.shell("lint run --fast --form=line 2>&1 | head -50", "Error: unknown flag: --form", ERROR)
    trace.shell("ls")
    trace.shell("lint run --fast 2>&1 | head -50", "0 issues.")

    assert only(trace)["recommend"] == (
        "Run `lint run --fast 2>&1 | head -50` without `--form=line`."
    )


def test_a_folder_the_shell_is_already_in_is_told_as_such() -> None:
    trace = TraceBuilder()
    trace.shell("cd app && go test -run TestPay", "cd: no such file or directory: app", ERROR)
    trace.shell("pwd", "/repo/app")
    trace.shell("go test -run TestPay", "ok")

    assert "keeps its folder" in only(trace)["recommend"]


def test_there_are_at_most_five_proposals() -> None:
    trace = TraceBuilder()
    for number in range(12):
        error = "Error: sum does not add up, price is 12, but paid 10"
        trace.call(f"tool_{number}", {"id": "a", "n": 10}, error, ERROR)
        trace.call(f"tool_{number}", {"id": "a", "n": 12}, "{}")

    assert len(proposals(trace)) == MAX_PROPOSALS


def test_a_mark_left_out_of_an_id_is_a_rule_for_every_id() -> None:
    trace = TraceBuilder("Return my order")
    trace.call("get_order", {"order_id": "W2611340"}, "Error: order not found", ERROR)
    trace.call("get_order", {"order_id": "#W2611340"}, "{}")

    lesson = only(trace)

    assert lesson["recommend"] == "Write `order_id` for `get_order` with `#` before it."
    assert "W2611340" not in advice(lesson)


def test_another_address_is_no_rule() -> None:
    trace = TraceBuilder("Look up the release notes")
    trace.call("WebFetch", {"url": "https://example.org/a", "prompt": "read"}, "Error: gone", ERROR)
    trace.call("WebFetch", {"url": "https://example.org/b", "prompt": "read"}, "notes")

    assert proposals(trace) == []


@pytest.mark.parametrize(
    "unsafe", ["git commit -m x --no-verify", "git reset --hard && git commit"]
)
def test_what_gets_past_a_check_is_not_recommended(unsafe: str) -> None:
    trace = TraceBuilder()
    trace.shell("git commit -m x", "pre-commit hook failed", ERROR)
    trace.shell(unsafe, "[main abc] x")

    assert proposals(trace) == []


def test_a_host_named_with_h_is_no_call_for_help() -> None:
    trace = TraceBuilder("Count the users")
    error = "psql: error: connection to server on socket failed: No such file or directory"
    trace.shell("psql -c 'select 1'", error, ERROR)
    trace.shell("psql -h localhost -c 'select 1'", "1")

    assert "`psql -h localhost" in only(trace)["recommend"]


def test_what_was_installed_before_the_same_command_passed_is_the_lesson() -> None:
    trace = TraceBuilder()
    trace.shell("python -m pytest -q", "ModuleNotFoundError: No module named 'yaml'", ERROR)
    trace.shell("pip install pyyaml", "ok")
    trace.shell("python -m pytest -q", "3 passed")

    assert "First run `pip install pyyaml`" in only(trace)["recommend"]


def test_a_command_that_only_got_further_is_not_said_to_have_gone_through() -> None:
    trace = TraceBuilder()
    trace.shell("cd app && go test -run TestPay", "cd: no such file or directory: app", ERROR)
    trace.shell("pwd", "/repo/app")
    trace.shell("go test -run TestPay", "--- FAIL: TestPay (0.01s)", ERROR)
    trace.edit("pay.go", "return 1", "return 2")
    trace.shell("go test -run TestPay", "ok")

    lesson = only(trace)

    assert "got past that" in lesson["why"]
    assert "went through" not in lesson["why"]


def test_two_rules_broken_on_the_way_to_one_edit_are_two_lessons() -> None:
    trace = TraceBuilder()
    unseen = (
        "No replacement was performed, old_str `a = 1\n  b = 2` did not appear verbatim in x.py."
    )
    twice = "No replacement was performed. Multiple occurrences of old_str `a = 1` in lines [1, 9]."
    first = trace.edit("x.py", "a = 1\n  b = 2", "a = compute()", unseen, ERROR)
    second = trace.edit("x.py", "a = 1", "a = compute()", twice, ERROR)
    fixed = trace.edit("x.py", "a = 1\nb = 2", "a = compute()")

    lessons = {frozenset(cited(p)): p for p in proposals(trace)}

    assert set(lessons) == {frozenset({first, fixed}), frozenset({second, fixed})}
    assert "did not appear verbatim" in lessons[frozenset({first, fixed})]["scenario"]
    assert "Multiple occurrences" in lessons[frozenset({second, fixed})]["scenario"]


def test_a_folder_that_a_program_missed_is_not_the_folder_of_the_cd_before_it() -> None:
    trace = TraceBuilder()
    trace.shell("cd /srv/shop && make", "/bin/sh: 1: cd: can't cd to /srv/shop/out", ERROR)
    trace.shell("mkdir -p /srv/shop/out")

    assert "Run `mkdir -p /srv/shop/out`" in only(trace)["recommend"]


def test_another_package_got_while_the_network_was_back_is_luck() -> None:
    trace = TraceBuilder()
    trace.shell("apt-get install -y llvm-dev", "Temporary failure resolving 'deb.test'", ERROR)
    trace.shell("apt-get install -y llvm-14-dev", "done")

    assert proposals(trace) == []
