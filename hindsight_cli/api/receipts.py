"""The receipts that injections left, and where in a trace each one was shown."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from hindsight_cli.api.project import Project
from hindsight_cli.experiences.freshness import parse_time
from hindsight_cli.records.event import Event, EventType
from hindsight_cli.records.ledger import EntryKind, LedgerEntry
from hindsight_cli.records.trace import Trace

_INJECTION_ID = re.compile(r"\binj-[0-9a-f]{12}\b")
_RULES_TOOL = "get_experience_rules"


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """One experience put before an agent once."""

    injection_id: str
    experience_id: str
    session: str | None
    at: str


def receipts_in(entries: Iterable[LedgerEntry]) -> list[Receipt]:
    """Every receipt, oldest first; the same experience under one injection once."""
    found: dict[tuple[str, str], Receipt] = {}
    for entry in sorted(entries, key=lambda e: (e.at, e.entry_id)):
        injection_id, session = entry.data.get("injection_id"), entry.data.get("session")
        if entry.entry is EntryKind.INJECTED and isinstance(injection_id, str):
            receipt = Receipt(
                injection_id=injection_id,
                experience_id=entry.experience_id,
                session=session if isinstance(session, str) else None,
                at=entry.at,
            )
            found.setdefault((injection_id, entry.experience_id), receipt)
    return list(found.values())


def may_have_receipts(project: Project, session_id: str, trace: Trace) -> bool:
    """False when `shown_in` would find none: told without reading a ledger entry by entry."""
    try:
        raw = project.local_ledger.read_bytes()
    except OSError:
        return False
    wanted = (json.dumps(session_id, ensure_ascii=False), *_ids_in(trace.events))
    return any(text.encode("utf-8", "surrogatepass") in raw for text in wanted)


def shown_in(
    receipts: Sequence[Receipt], trace: Trace, session_id: str, *, after: datetime | None = None
) -> list[Receipt]:
    """Those of the session, and those that its agent asked for under no session or another.

    An MCP server does not know its client's session: there the receipt in the answer tells.
    Of a session with several traces each has those that were shown while it went on, and
    those shown since `after`: when the trace before it ended.
    """
    anywhere, asked = _ids_in(trace.events), _ids_in(filter(_answers_rules, trace.events))
    return [
        r
        for r in receipts
        if r.injection_id in asked
        or (r.session in (session_id, None) and r.injection_id in anywhere)
        or (r.session == session_id and _is_within(r, trace, after))
    ]


def ended_before(trace: Trace, session: Iterable[Event]) -> datetime | None:
    """When what lies before a trace in its session ended; None when nothing tells."""
    first = trace.events[0].step_index if trace.events else 0
    before = (e for e in session if e.step_index < first and e.event_type != EventType.BOUNDARY)
    times = (parse_time(e.timestamp) for e in before)
    return max((at for at in times if at is not None), default=None)


def _is_within(receipt: Receipt, trace: Trace, after: datetime | None) -> bool:
    """By the clock; what was shown before a session began belongs to its first trace."""
    shown = parse_time(receipt.at)
    times = [at for e in trace.events if (at := parse_time(e.timestamp)) is not None]
    if shown is None or not times:
        return True
    is_first = trace.events[0].step_index <= 1
    return shown <= max(times) and (is_first or shown >= min(times) or _is_past(shown, after))


def _is_past(moment: datetime, after: datetime | None) -> bool:
    return after is not None and moment > after


def _ids_in(events: Iterable[Event]) -> frozenset[str]:
    """The beginning of a text is enough: a block opens with its receipt."""
    return frozenset(i for e in events for i in _INJECTION_ID.findall(e.output_summary))


def _answers_rules(event: Event) -> bool:
    return event.event_type is EventType.TOOL_RESULT and (event.tool_name or "").endswith(
        _RULES_TOOL
    )


def step_shown(receipt: Receipt, trace: Trace) -> int:
    """The last step before, or at which, the agent could read it; 0 for before the first.

    Where the receipt stands in the trace decides; a block that went into the system prompt
    stands nowhere, there the clock does.
    """
    for event in trace.events:
        if receipt.injection_id in event.output_summary:
            return event.step_index
    shown = parse_time(receipt.at)
    return max((e.step_index for e in trace.events if _is_before(e, shown)), default=0)


def _is_before(event: Event, moment: datetime | None) -> bool:
    at = parse_time(event.timestamp)
    return at is not None and moment is not None and at < moment
