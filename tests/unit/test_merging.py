"""A session seen by its transcript and by hooks: what is missing is filled, nothing doubled."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from hindsight_cli.api.merging import filled
from hindsight_cli.records.event import Event, EventType, Status
from tests.factories import an_event

RESULT: dict[str, Any] = {
    "event_type": EventType.TOOL_RESULT,
    "call_id": "c1",
    "tool_name": "Bash",
    "status": Status.ERROR,
    "exit_code": None,
    "duration_ms": None,
}


def result(**fields: Any) -> Event:
    return replace(an_event(), **{**RESULT, **fields})


def test_empty_fields_are_filled_by_call_id() -> None:
    merged = filled([result()], [result(duration_ms=12, exit_code=125, error_type="network")])

    assert merged == [result(duration_ms=12, exit_code=125, error_type="network")]


def test_what_the_transcript_says_stands() -> None:
    own = result(duration_ms=3, exit_code=1)

    assert filled([own], [result(duration_ms=12, exit_code=125)]) == [own]


@pytest.mark.parametrize(
    "told",
    [
        [],
        [result(call_id="c2", duration_ms=12)],
        [result(call_id=None, duration_ms=12)],
        [result(duration_ms=12), result(duration_ms=13)],
        [result(event_type=EventType.TOOL_CALL, duration_ms=12)],
    ],
    ids=["nothing", "another call", "no id", "an id twice", "the call itself"],
)
def test_what_cannot_be_told_apart_is_left(told: list[Event]) -> None:
    assert filled([result()], told) == [result()]


def test_a_repeated_id_in_the_transcript_is_left() -> None:
    own = [result(), result()]

    assert filled(own, [result(duration_ms=12)]) == own


def test_a_code_is_not_taken_from_another_status() -> None:
    merged = filled([result(status=Status.OK)], [result(exit_code=125, duration_ms=12)])

    assert merged == [result(status=Status.OK, duration_ms=12)]
