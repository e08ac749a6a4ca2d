from __future__ import annotations

import time

from hindsight_cli.records.event import Status
from hindsight_cli.reflect.detectors.recoveries import find_chains
from hindsight_cli.reflect.reading import Reading
from hindsight_cli.reflect.rules import reflect_by_rules
from tests.unit.reflect_builder import TraceBuilder

ERROR = Status.ERROR


def recoveries(trace: TraceBuilder) -> dict[int, int]:
    found = reflect_by_rules(trace.build()).attribution.recoveries
    return {pair.failed_step: pair.fixed_by_step for pair in found}


def test_an_edit_is_recovered_by_the_later_edit_of_the_same_file_that_says_the_same() -> None:
    trace = TraceBuilder()
    failed = trace.edit("a.py", "x = 1", "timeout = 30", "String to replace not found", ERROR)
    trace.edit("b.py", "y", "timeout = 30")
    trace.call("Read", {"file_path": "a.py"}, "x  = 1")
    fixed = trace.edit("a.py", "x  = 1", "timeout = 30")

    assert recoveries(trace) == {failed: fixed}


def test_an_edit_that_is_taken_back_ends_nothing() -> None:
    trace = TraceBuilder()
    failed = trace.edit("a.py", "x = 1", "limit = compute()", "not found", ERROR)
    trace.edit("a.py", "", "limit = compute()")
    trace.edit("a.py", "limit = compute()", "")
    stays = trace.edit("a.py", "y = 1", "y = 1\nlimit = compute()")

    assert recoveries(trace) == {failed: stays}


def test_a_red_check_ends_with_the_run_that_turns_green_not_with_the_edit_or_another_check() -> (
    None
):
    trace = TraceBuilder()
    first = trace.shell("make test", "--- FAIL: TestPrice (0.00s)", ERROR)
    trace.edit("price.go", "return a - b", "return a + b")
    trace.shell("make lint", "0 issues.")
    second = trace.shell("make test 2>&1 | tail -5", "--- FAIL: TestTax (0.00s)", ERROR)
    trace.edit("tax.go", "rate / 10", "rate / 100")
    green = trace.shell("make test", "ok")

    assert recoveries(trace) == {first: green, second: green}


def test_a_check_that_is_green_because_its_test_was_deleted_is_no_recovery() -> None:
    trace = TraceBuilder()
    trace.shell("go test ./...", "--- FAIL: TestRefund (0.00s)", ERROR)
    trace.edit("refund_test.go", "func TestRefund(t *testing.T) {\n}", "// hard to test")
    trace.shell("go test ./...", "ok")

    assert recoveries(trace) == {}


def test_a_wrong_call_of_a_command_ends_when_it_gets_further_even_if_the_tests_are_red() -> None:
    trace = TraceBuilder()
    failed = trace.shell(
        "cd app && go test -run TestA", "cd: no such file or directory: app", ERROR
    )
    further = trace.shell("go test -run TestA", "--- FAIL: TestA (0.01s)", ERROR)
    trace.edit("a.go", "return 1", "return 2")
    green = trace.shell("go test -run TestA", "ok")

    assert recoveries(trace) == {failed: further, further: green}


def test_the_command_that_supplies_what_was_missing_ends_the_failure() -> None:
    trace = TraceBuilder()
    failed = trace.shell("make", "/bin/sh: 1: cd: can't cd to /srv/out/release", ERROR)
    trace.shell("make -n", "cd /srv/out/release")
    fixed = trace.shell("mkdir -p /srv/out/release")

    assert recoveries(trace) == {failed: fixed}


def test_a_given_up_rebase_ends_with_its_abort() -> None:
    trace = TraceBuilder()
    failed = trace.shell("git rebase origin/main", "CONFLICT (content): conflict in a.py", ERROR)
    trace.shell("git status", "both modified: a.py")
    aborted = trace.shell("git rebase --abort")

    assert recoveries(trace) == {failed: aborted}


def test_parallel_refusals_are_answered_by_the_calls_that_ask_the_same() -> None:
    trace = TraceBuilder()
    ask = [
        ("alpha", "Study the billing code of the shop"),
        ("beta", "Read about tax law in Norway"),
    ]
    failed = [
        trace.call("Task", {"type": t, "prompt": p}, f"Agent type '{t}' not found", ERROR)
        for t, p in ask
    ]
    fixed = [trace.call("Task", {"type": f"team:{t}", "prompt": p}, "done") for t, p in ask]

    assert recoveries(trace) == dict(zip(failed, fixed, strict=True))


def test_a_call_whose_repetition_the_user_refused_is_not_recovered() -> None:
    trace = TraceBuilder()
    trace.call("Task", {"type": "a", "prompt": "Study the billing code"}, "not found", ERROR)
    trace.call("Task", {"type": "team:a", "prompt": "Study the billing code"}, "no", Status.DENIED)
    trace.call("Task", {"type": "team:b", "prompt": "Read about tax law"}, "done")

    assert recoveries(trace) == {}


def test_a_missing_file_is_found_by_the_read_of_the_same_name_elsewhere() -> None:
    trace = TraceBuilder()
    failed = trace.call("Read", {"file_path": "app/claude.go"}, "File does not exist.", ERROR)
    trace.call("Grep", {"pattern": "claude", "path": "app"}, "app/agent/claude.go\napp/reg.go")
    trace.call("Read", {"file_path": "app/reg.go"}, "package app")
    found = trace.call("Read", {"file_path": "app/agent/claude.go"}, "package agent")

    assert recoveries(trace) == {failed: found}


def test_a_search_without_result_finds_nothing() -> None:
    trace = TraceBuilder()
    trace.call("Read", {"file_path": "app/ops.go"}, "File does not exist.", ERROR)
    trace.call("Glob", {"pattern": "**/ops.go"}, "No files found")

    assert recoveries(trace) == {}


def test_every_failed_call_is_in_exactly_one_chain() -> None:
    trace = TraceBuilder()
    steps = [
        trace.shell("make test", "--- FAIL: TestA", ERROR),
        trace.call("book", {"price": 10}, "Error: total is 12", ERROR),
        trace.call("book", {"price": 11}, "Error: total is 12", ERROR),
        trace.shell("make test", "--- FAIL: TestB", ERROR),
        trace.call("Read", {"file_path": "x"}, "File does not exist.", ERROR),
    ]

    chains = find_chains(Reading(trace.build()))

    assert sorted(call.step_index for chain in chains for call in chain.failed) == steps


def test_eight_times_the_calls_take_no_more_than_some_eight_times_the_time() -> None:
    def seconds(rounds: int) -> float:
        trace = TraceBuilder()
        for number in range(rounds):
            trace.edit(f"src/m{number % 40}.py", f"a{number} = 1", f"a{number} = {number}")
            trace.shell(
                f"pytest tests/test_m{number}.py",
                "1 failed" if number % 3 else "ok",
                ERROR if number % 3 else Status.OK,
            )
        built = trace.build()
        started = time.process_time()
        reflect_by_rules(built)
        return time.process_time() - started

    few = min(seconds(200) for _ in range(3))
    many = min(seconds(1600) for _ in range(2))
    assert many < 20 * few  # were it quadratic: 64


def test_a_statement_is_answered_by_one_about_the_same_not_by_any_of_its_client() -> None:
    trace = TraceBuilder()
    first = trace.shell(
        'mysql shop -e "SELECT COUNT(*) FROM invoice WHERE paid = 0"',
        "ERROR 1146 (42S02) at line 1: Table 'shop.invoice' doesn't exist",
        ERROR,
    )
    trace.shell('mysql shop -e "SHOW TABLES"', "Tables_in_shop\ninvoices")
    found = trace.shell('mysql shop -e "SELECT COUNT(*) FROM invoices WHERE paid = 0"', "12")

    assert recoveries(trace) == {first: found}
    (proposal,) = reflect_by_rules(trace.build()).proposals
    assert "FROM invoices" in proposal["recommend"]
