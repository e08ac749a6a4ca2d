"""The same lesson from several traces is one experience: where else it was met, is kept with it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hindsight_cli.api.project import Project
from hindsight_cli.records.experience import Citation, Experience, ExperienceState, Layer
from hindsight_cli.records.ledger import EntryKind, LedgerEntry, new_entry_id
from hindsight_cli.records.trace import Trace

GENERAL_FROM = 3  # traces that met a specific tip before it is offered as a general one
_CONTEXTS = 2  # different tasks among them


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting:
    """A further trace that bears an experience out."""

    trace_id: str
    at: str
    by: str  # the reflector
    citations: tuple[Citation, ...]
    task: str  # a hash: equal for the same task


def note_meeting(
    project: Project, state: ExperienceState, found: Experience, trace: Trace
) -> tuple[Meeting, ...]:
    """Keep that `trace` bears out `state`; every meeting known then. Once for each trace."""
    known = state.experience
    entries, _ = project.ledger.read()
    met = meetings(e for e in entries if e.experience_id == known.experience_id)
    if trace.trace_id in {known.trace_id, *(m.trace_id for m in met)}:
        return met
    cited = [
        {"session_id": c.session_id, "step_index": c.step_index, "tool_name": c.tool_name}
        for c in found.content.citations
    ]
    entry = LedgerEntry(
        entry_id=new_entry_id(),
        entry=EntryKind.MET,
        experience_id=known.experience_id,
        at=project.now(),
        by=found.source.reflector,
        data={"trace_id": trace.trace_id, "task": task_key(trace.task), "citations": cited},
    )
    project.ledger.append([entry])
    return (*met, *meetings([entry]))


def meetings(entries: Iterable[LedgerEntry]) -> tuple[Meeting, ...]:
    """The meetings among the entries of one experience, one a trace, oldest first."""
    found: dict[str, Meeting] = {}
    for entry in sorted(entries, key=lambda e: (e.at, e.entry_id)):
        if entry.entry is not EntryKind.MET:
            continue
        trace_id = str(entry.data.get("trace_id") or "")
        cited = entry.data.get("citations")
        citations = [
            Citation(
                session_id=str(c.get("session_id")),
                step_index=c["step_index"],
                tool_name=str(c["tool_name"]) if c.get("tool_name") else None,
            )
            for c in (cited if isinstance(cited, list) else [])
            if isinstance(c, dict) and isinstance(c.get("step_index"), int)
        ]
        meeting = Meeting(
            trace_id=trace_id,
            at=entry.at,
            by=entry.by,
            citations=tuple(citations),
            task=str(entry.data.get("task") or ""),
        )
        found.setdefault(trace_id, meeting)
    return tuple(found.values())


def task_key(task: str) -> str:
    return hashlib.sha256(" ".join(task.split()).encode("utf-8", "replace")).hexdigest()[:12]


def offers_promotion(state: ExperienceState, met: Sequence[Meeting]) -> bool:
    """Whether a specific tip was met in so many traces and tasks that it may hold in general."""
    own = task_key(state.experience.task)
    tasks = {own, *(meeting.task for meeting in met)}
    specific = state.experience.content.layer is Layer.SPECIFIC
    return (
        specific and state.retrievable and len(met) + 1 >= GENERAL_FROM and len(tasks) >= _CONTEXTS
    )
