"""One run never teaches two things that cannot both be followed."""

from __future__ import annotations

from hindsight_cli.records.event import Status
from hindsight_cli.reflect.lines import quoted_commands
from hindsight_cli.reflect.rules import reflect_by_rules
from tests.unit.reflect_builder import TraceBuilder, only, proposals

ERROR = Status.ERROR
GONE = "error: unknown option '--fast' for this server"
NEEDED = "error: the server refuses jobs without --fast"


def _there_and_back() -> TraceBuilder:
    trace = TraceBuilder()
    trace.shell("jobctl run nightly --fast", GONE, ERROR)
    trace.shell("jobctl run nightly", "done")
    trace.shell("jobctl server upgrade", "upgraded")
    trace.shell("jobctl run nightly", NEEDED, ERROR)
    trace.shell("jobctl run nightly --fast", "done")
    return trace


def test_what_a_run_first_recommended_and_then_refused_is_not_proposed() -> None:
    found = proposals(_there_and_back())

    recommended = {line for p in found for line in quoted_commands(p["recommend"])}
    avoided = {line for p in found for line in quoted_commands(p["avoid"])}

    assert len(found) == 1
    assert not recommended & avoided
    assert "jobctl run nightly --fast" in recommended


def test_the_dropped_proposal_is_listed_with_its_reason() -> None:
    codes = {s.code for s in reflect_by_rules(_there_and_back().build()).silences}

    assert "contradicted" in codes


def test_advice_for_one_value_shows_that_value_in_its_situation() -> None:
    trace = TraceBuilder("Ask a helper")
    said = "Kind 'reviewer' not found. Known kinds: team:reviewer, team:writer"
    trace.call("Spawn", {"kind": "reviewer", "text": "look at it"}, said, ERROR)
    trace.call("Spawn", {"kind": "team:reviewer", "text": "look at it"}, "fine")

    lesson = only(trace)

    assert "'reviewer'" in lesson["scenario"]
    assert "the answer lists what is valid" in lesson["recommend"]


def test_a_program_that_waits_for_input_is_told_as_such() -> None:
    trace = TraceBuilder("Solve the puzzle")
    trace.shell("./guess", "EXECUTION TIMED OUT", Status.TIMEOUT)
    trace.shell("echo 42 | ./guess", "right")

    lesson = only(trace)

    assert "waits for input" in lesson["recommend"]
    assert lesson["avoid"] == ""
