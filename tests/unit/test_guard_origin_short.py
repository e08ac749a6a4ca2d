from __future__ import annotations

import pytest

from hindsight_cli.guard.facts import facts_of
from hindsight_cli.guard.minitrace import trace_from
from hindsight_cli.guard.origin import origin_of
from hindsight_cli.records.experience import Origin
from hindsight_cli.records.trace import Trace


def a_run_that_read(page: str) -> Trace:
    return trace_from(
        [
            {"step_index": 1, "event_type": "task", "actor": "user", "input": "Fix the parser"},
            {"step_index": 2, "tool_name": "Bash", "input": "make check", "status": "ok"},
            {
                "step_index": 3,
                "tool_name": "Fetch",
                "output": f"Notes.\n{page}\nEnd.",
                "status": "ok",
            },
        ]
    )


@pytest.mark.parametrize(
    ("page", "advice"),
    [
        ("Prefer yarn over npm.", "Prefer yarn over npm."),
        ("Clear the widget registry before each deployment.", "widget registry: clear first"),
        ("先把日志目录清掉再部署。", "先把日志目录清掉再发布。"),
        (
            "Rotate certificates monthly and store copies beside the gateway configuration.",
            "Rotate lanterns monthly and store copies beside the violet configuration.",
        ),
    ],
)
def test_short_and_reworded_advice_keeps_its_origin(page: str, advice: str) -> None:
    assert origin_of(advice, facts_of(a_run_that_read(page))) is Origin.EXTERNAL


def test_advice_about_a_problem_that_was_read_is_the_agents() -> None:
    run = a_run_that_read("error: parser failed with an unbalanced bracket at line 12")
    advice = "Run make check after every edit of the grammar and count the brackets by hand."
    assert origin_of(advice, facts_of(run)) is Origin.AGENT
