"""Which injections a trace is about, and from which step on it can have followed them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from hindsight_cli.api.receipts import ended_before, receipts_in, shown_in, step_shown
from hindsight_cli.records.event import EventType
from hindsight_cli.records.ledger import EntryKind, LedgerEntry
from hindsight_cli.records.trace import Trace
from tests.factories import an_entry, an_event
from tests.unit.reflect_builder import TraceBuilder

OWN = "inj-0123456789ab"
BLOCK = f'<hindsight-experience receipt="{OWN}">\n1. Do it'
ASK = "mcp__hindsight__get_experience_rules"


def shown(session: str | None = "s1", **more: Any) -> LedgerEntry:
    data = {"injection_id": OWN, **({"session": session} if session else {})}
    return an_entry(EntryKind.INJECTED, by="inject", data=data, **more)


def ids_shown(entries: list[LedgerEntry], trace: Trace, session: str = "s1") -> list[str]:
    return [r.injection_id for r in shown_in(receipts_in(entries), trace, session)]


def asked(tool: str, text: str) -> Trace:
    trace = TraceBuilder()
    trace.shell("ls")
    trace.call(tool, {"task_description": "x"}, text)
    trace.shell("make")
    return trace.build()


def test_a_receipt_is_read_once_whatever_the_file_repeats() -> None:
    entries = [shown(entry_id="b", at="2026-11-02T10:00:00Z"), shown(entry_id="a"), shown()]
    (receipt,) = receipts_in(entries)
    assert receipt.at == "2026-11-01T10:00:00.000000Z"
    assert receipts_in([an_entry(EntryKind.INJECTED, by="inject")]) == []


@pytest.mark.parametrize(
    ("session", "tool", "text", "expected"),
    [
        ("s1", "Bash", BLOCK, [OWN]),  # its own session
        ("other", "Bash", "nothing", []),
        ("mcp-77", ASK, BLOCK, [OWN]),  # a server that does not know its client's session
        ("mcp-77", "Bash", f"cat local.jsonl: {OWN}", []),  # only spoken of
        (None, "Bash", BLOCK, [OWN]),  # `hindsight inject` of the agent itself
        (None, "Bash", "nothing", []),
    ],
)
def test_a_trace_is_credited_with_what_its_agent_was_shown(
    session: str | None, tool: str, text: str, expected: list[str]
) -> None:
    assert ids_shown([shown(session=session)], asked(tool, text)) == expected


def test_the_step_where_the_receipt_stands_counts_before_any_clock() -> None:
    (receipt,) = receipts_in([shown(at="2027-01-01T00:00:00Z")])
    assert step_shown(receipt, asked("Bash", BLOCK)) == 3


def timed(trace: Trace, first_step: int = 1) -> Trace:
    """A minute a step."""
    events = [
        replace(
            e,
            step_index=e.step_index + first_step - 1,
            timestamp=f"2026-11-01T10:0{e.step_index + first_step - 1}:00Z",
        )
        for e in trace.events
    ]
    return replace(trace, events=events)


@pytest.mark.parametrize(
    ("at", "first_step", "expected"),
    [
        ("2026-11-01T09:00:00Z", 1, [OWN]),  # before the session began
        ("2026-11-01T09:00:00Z", 3, []),  # for the trace before this one
        ("2026-11-01T10:03:30Z", 3, [OWN]),
        ("2026-11-01T11:00:00Z", 1, []),  # for the trace after it
    ],
)
def test_each_trace_of_a_session_has_what_was_shown_in_it(
    at: str, first_step: int, expected: list[str]
) -> None:
    trace = timed(asked("Bash", "nothing"), first_step)
    assert ids_shown([shown(at=at)], trace) == expected


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        ("2026-11-01T09:59:59Z", 0),
        ("2026-11-01T10:02:30.5Z", 2),
        ("2026-11-01T18:03:30+08:00", 3),
        ("2026-11-02T10:00:00Z", 4),
        ("no time", 0),
    ],
)
def test_where_it_stands_nowhere_the_clock_decides(at: str, expected: int) -> None:
    (receipt,) = receipts_in([shown(at=at)])
    assert step_shown(receipt, timed(asked("Bash", "nothing"))) == expected


def test_events_without_a_time_are_not_before_anything() -> None:
    (receipt,) = receipts_in([shown()])
    trace = asked("Bash", "nothing")
    events = [replace(e, timestamp=None) for e in trace.events]
    assert step_shown(receipt, replace(trace, events=events)) == 0


def test_what_is_shown_between_two_tasks_belongs_to_the_later_one() -> None:
    def at(step: int, time: str, **more: Any) -> Any:
        stamp = f"2026-11-01T{time}Z"
        return an_event(seq=step, step_index=step, event_id=f"e{step}", timestamp=stamp, **more)

    session = [
        *(at(1, "10:00:00"), at(2, "11:00:00")),
        replace(at(3, "14:00:00", event_type=EventType.BOUNDARY), step_index=2),
        *(at(3, "14:00:00"), at(4, "15:00:00")),
    ]
    first = Trace("s1", "s1", "test", session[:2])
    second = Trace("s1.2", "s1", "test", session[3:])
    receipts = receipts_in([shown(at="2026-11-01T13:00:00.000000Z")])

    assert ended_before(first, session) is None
    assert shown_in(receipts, first, "s1", after=ended_before(first, session)) == []
    assert shown_in(receipts, second, "s1", after=ended_before(second, session)) == receipts
    early = receipts_in([shown(at="2026-11-01T10:30:00.000000Z")])
    assert shown_in(early, second, "s1", after=ended_before(second, session)) == []
