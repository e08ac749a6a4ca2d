"""A trace without an end is told as such wherever it is shown or concluded from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hindsight_cli.api.importing import import_paths
from hindsight_cli.api.project import Project
from hindsight_cli.api.traces import list_traces, read_trace
from tests.cli.test_field_reports_capture import a_call, a_record, a_reply, a_result, write
from tests.conftest import MYSQL, SAMPLES, Hindsight

SAID = {"type": "text", "text": "It is built."}
CALLED = [a_record(1), a_reply(2, a_call("c2", command="make"))]
ANSWERED = [*CALLED, a_result(3, "c2", "made")]
DONE = [*ANSWERED, a_reply(4, SAID)]
REMINDER = {"role": "user", "content": "<system-reminder>Mind the time.</system-reminder>"}


@pytest.mark.parametrize(
    ("lines", "end_state"),
    [
        ([a_record(1)], "unfinished"),
        (CALLED, "unfinished"),
        (ANSWERED, "unfinished"),
        (DONE, "completed"),
        ([*DONE, a_record(5)], "unfinished"),
        ([*DONE, a_record(5, message=REMINDER)], "completed"),
        ([*ANSWERED, a_record(5, message=REMINDER)], "unfinished"),
        ([*DONE, a_record(5), a_reply(6, SAID)], "completed"),
    ],
    ids=[
        *("task", "call", "result", "answer", "request", "reminder"),
        *("reminder after a result", "second answer"),
    ],
)
def test_a_trace_that_breaks_off_where_the_agent_was_to_go_on_is_unfinished(
    project: Project, tmp_path: Path, lines: list[dict[str, Any]], end_state: str
) -> None:
    import_paths(project, [write(tmp_path / "s.jsonl", lines)])

    (row,) = list_traces(project)
    assert row.end_state == end_state
    assert read_trace(project, row.trace_id).trace.is_unfinished == (end_state == "unfinished")


def test_a_run_that_was_judged_is_over_though_the_user_spoke_last(
    project: Project, tmp_path: Path
) -> None:
    """As in runs with a simulated user, whose last word ends them."""
    run = {
        "task_id": 1,
        "reward": 1.0,
        "info": {"task": {"instruction": "cancel it"}},
        "traj": [
            {"role": "system", "content": "policy"},
            {"role": "user", "content": "cancel it"},
            {"role": "assistant", "content": "Done."},
            {"role": "user", "content": "Thanks, bye."},
        ],
        "trial": 0,
    }
    (tmp_path / "runs.json").write_text(json.dumps([run]))

    import_paths(project, [tmp_path / "runs.json"])

    (row,) = list_traces(project)
    assert (row.outcome, row.end_state) == ("success", "completed")
    assert not read_trace(project, row.trace_id).trace.is_unfinished


def test_what_is_concluded_from_a_trace_without_an_end_says_so(
    hindsight: Hindsight, tmp_path: Path
) -> None:
    lines = (SAMPLES / "mysql-container.jsonl").read_text().splitlines(keepends=True)
    last_result = max(n for n, line in enumerate(lines) if '"tool_result"' in line)
    path = tmp_path / "s.jsonl"
    path.write_text("".join(lines[: last_result + 1]))
    hindsight("import", str(path))

    reflected = hindsight("reflect", MYSQL, "--json").data
    assert [a["unfinished"] for a in reflected["attributions"]] == [True]
    assert {e["unfinished"] for e in reflected["proposed"]} == {True}

    own = reflected["proposed"][0]["experience_id"]
    shown = hindsight("experiences", "show", own, "--json").data["experience"]
    assert shown["unfinished"] is True
    assert "its trace had no end" in hindsight("experiences", "show", own).out
    assert "the trace has no end" in hindsight("traces", "show", MYSQL).out
    assert "the trace has no end" in hindsight("reflect", MYSQL).out


def test_a_trace_that_came_to_its_end_is_not_flagged(hindsight: Hindsight) -> None:
    hindsight("import", str(SAMPLES / "mysql-container.jsonl"))

    reflected = hindsight("reflect", MYSQL, "--json").data

    assert [a["unfinished"] for a in reflected["attributions"]] == [False]
    assert {e["unfinished"] for e in reflected["proposed"]} == {False}
    assert "no end" not in hindsight("traces", "show", MYSQL).out
