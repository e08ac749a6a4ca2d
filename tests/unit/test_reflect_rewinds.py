"""What a person went back on happened, and led to nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from hindsight_cli.api.importing import import_paths
from hindsight_cli.api.project import Project
from hindsight_cli.api.traces import list_traces, read_trace
from hindsight_cli.records.event import Outcome, Status
from hindsight_cli.records.trace import is_abandoned
from hindsight_cli.reflect.following import Followed, followed
from hindsight_cli.reflect.prompt import build_prompt
from hindsight_cli.reflect.rules import find_recoveries, reflect_by_rules
from tests.factories import a_content
from tests.unit.reflect_builder import TraceBuilder, cited, proposals

ERROR, OK = Status.ERROR, Status.OK
FIXTURES = Path(__file__).parent.parent / "fixtures"
NO_KEY = "docker: Error response from daemon: no such image: shop/api:latest"


def test_a_fix_on_a_branch_that_was_given_up_ends_no_failure() -> None:
    trace = TraceBuilder()
    failed = trace.shell("docker run shop/api:latest", NO_KEY, ERROR)
    given_up = trace.shell("docker run shop/api:old", "started")
    trace.go_back(given_up)
    trace.user("Do not run the old one.")
    fixed = trace.shell("docker run shop/api:2.1", "started")

    recoveries = find_recoveries(trace.build())

    assert [(r.failed_step, r.fixed_by_step) for r in recoveries] == [(failed, fixed)]


def test_a_branch_that_was_given_up_teaches_nothing() -> None:
    trace = TraceBuilder()
    start = trace.shell("docker run shop/api:latest", NO_KEY, ERROR)
    end = trace.shell("docker run shop/api:2.1", "started")
    kept = proposals(trace)
    trace.go_back(start)
    trace.user("Use compose.")
    trace.shell("docker compose up -d", "started")

    assert [cited(p) for p in kept] == [{start, end}]
    assert proposals(trace) == []


def test_no_step_that_was_given_up_decides_how_the_task_ended() -> None:
    trace = TraceBuilder()
    trace.edit("price.go", "a - b", "a + b")
    green = trace.shell("make test", "ok")
    second = trace.edit("price.go", "a + b", "a * b")
    trace.shell("make test", "--- FAIL: TestPrice (0.00s)", ERROR)
    assert reflect_by_rules(trace.build()).attribution.outcome is not Outcome.SUCCESS
    trace.go_back(second)

    found = reflect_by_rules(trace.build()).attribution

    assert (found.outcome, found.outcome_source) == (Outcome.SUCCESS, "test")
    assert max(found.key_steps) == green
    assert all(step.step_index < second for step in found.invalid_steps)


def test_a_branch_that_was_cut_off_and_given_up_does_not_cut_off_the_task() -> None:
    trace = TraceBuilder()
    trace.edit("price.go", "a - b", "a + b")
    trace.shell("make test", "ok")
    trace.go_back(trace.shell("sleep 1000", status=Status.MISSING))

    assert reflect_by_rules(trace.build()).attribution.outcome is Outcome.SUCCESS


def test_a_model_is_not_shown_what_was_given_up() -> None:
    trace = TraceBuilder()
    trace.shell("make first", "done")
    trace.go_back(trace.shell("make second", "done"))
    prompt = build_prompt(trace.build(), language="en")
    assert "make first" in prompt
    assert "make second" not in prompt


def test_advice_that_was_followed_on_a_branch_given_up_was_not_followed() -> None:
    content = a_content(scenario="Something fails", recommend="Run `make clean-cache` first.")
    trace = TraceBuilder()
    step = trace.shell("make clean-cache", "done")
    trace.shell("make build", "done")
    assert followed(content, trace.build()).answer is Followed.YES
    trace.go_back(step)
    trace.shell("make build", "done")
    assert followed(content, trace.build()).answer is Followed.NO


@pytest.mark.parametrize(
    "fixture",
    [
        "pi/tree.jsonl",
        "qwen/9e000000-1111-4222-8333-0000000000ee.jsonl",
        "gemini/session-2026-03-04T10-15-5b0c9f0e.jsonl",
    ],
)
def test_it_stays_in_the_trace(project: Project, fixture: str) -> None:
    import_paths(project, [FIXTURES / fixture])
    traces = [read_trace(project, row.trace_id).trace for row in list_traces(project)]
    given_up = [event for trace in traces for event in trace.events if is_abandoned(event)]
    kept = [event for trace in traces for event in trace.kept.events]
    assert given_up
    assert kept
    assert not any(map(is_abandoned, kept))
