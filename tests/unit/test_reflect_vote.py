from __future__ import annotations

from typing import Any

import pytest

from hindsight_cli.records.attribution import InvalidStep
from hindsight_cli.records.event import Outcome, Status
from hindsight_cli.reflect.parse import ModelAnswer
from hindsight_cli.reflect.vote import attribution_of, majority
from tests.unit.reflect_builder import TraceBuilder


def an_answer(outcome: str = "success", **fields: Any) -> ModelAnswer:
    return ModelAnswer(task_status=Outcome(outcome), **fields)


def a_lesson(*steps: int, kind: str = "failure_lesson", scenario: str = "s") -> dict[str, Any]:
    cites = [{"step": step, "tool": "Bash"} for step in steps]
    return {"kind": kind, "scenario": scenario, "recommend": "r", "cites": cites}


def test_steps_count_when_more_than_half_of_the_answers_name_them() -> None:
    ballot = majority(
        [
            an_answer(key_steps=(1, 2), invalid_steps=(InvalidStep(step_index=5, reason="loop"),)),
            an_answer(key_steps=(2, 3), invalid_steps=(InvalidStep(step_index=5, reason="again"),)),
            an_answer(key_steps=(2,)),
        ]
    )

    assert ballot.answer.key_steps == (2,)
    assert ballot.answer.invalid_steps == (InvalidStep(step_index=5, reason="loop"),)


def test_experiences_of_one_kind_with_overlapping_steps_are_the_same() -> None:
    middle = a_lesson(2, 3, scenario="middle")
    ballot = majority(
        [
            an_answer(experiences=(a_lesson(2), a_lesson(9))),
            an_answer(experiences=(middle,)),
            an_answer(experiences=(a_lesson(3, 4), a_lesson(2, kind="key_decision"))),
        ]
    )

    assert ballot.answer.experiences == (middle,)
    assert ballot.support == (3,)
    assert any("steps 9" in text for text in ballot.disagreements)
    assert any("key_decision" in text for text in ballot.disagreements)


def test_rules_are_one_voice_more_for_what_an_answer_says_too() -> None:
    answers = [
        an_answer(experiences=(a_lesson(2, 3), a_lesson(9))),
        an_answer(experiences=(a_lesson(9),)),
        an_answer(),
    ]

    ballot = majority(answers, [a_lesson(3), a_lesson(5), a_lesson(2, kind="key_decision")])

    assert [sorted(c["step"] for c in e["cites"]) for e in ballot.answer.experiences] == [
        [2, 3],
        [9],
    ]
    assert (ballot.support, ballot.by_rules) == ((2, 2), (True, False))


def test_two_experiences_of_one_answer_are_not_merged() -> None:
    answers = [an_answer(experiences=(a_lesson(2, 3), a_lesson(3, 4)))] * 3

    assert majority(answers).answer.experiences == (a_lesson(2, 3), a_lesson(3, 4))


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        (["success", "failure", "success"], Outcome.SUCCESS),
        (["success", "failure"], Outcome.UNKNOWN),
        (["success", "failure", "partial"], Outcome.UNKNOWN),
        (["failure"], Outcome.FAILURE),
    ],
)
def test_an_outcome_without_a_majority_is_unknown(outcomes: list[str], expected: Outcome) -> None:
    ballot = majority([an_answer(outcome) for outcome in outcomes])

    assert ballot.answer.task_status is expected
    assert bool(ballot.disagreements) == (len(set(outcomes)) > 1)


def test_there_is_no_majority_of_nothing() -> None:
    with pytest.raises(ValueError, match="no answers"):
        majority([])


def test_what_the_trace_shows_outranks_the_models() -> None:
    trace = TraceBuilder()
    trace.edit("a.go", "return 1", "return 2")
    failed = trace.shell("make test", "--- FAIL: TestA", Status.ERROR)
    ballot = majority([an_answer("success", key_steps=(failed, 99))])

    attribution = attribution_of(ballot, trace.build())

    assert (attribution.outcome, attribution.outcome_source) == (Outcome.PARTIAL, "rule")
    assert attribution.key_steps == (failed,)


def test_the_models_decide_what_the_trace_leaves_open() -> None:
    trace = TraceBuilder()
    trace.call("Read", {"file_path": "a"}, "text")
    ballot = majority([an_answer("partial")] * 3)

    attribution = attribution_of(ballot, trace.build())

    assert (attribution.outcome, attribution.outcome_source) == (Outcome.PARTIAL, "llm")
    assert attribution.votes == 3
