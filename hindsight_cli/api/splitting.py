"""Split and join the traces of a session by hand: boundaries are appended, nothing is rewritten."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hindsight_cli.api.project import Project
from hindsight_cli.api.traces import TraceReading, list_traces, resolve_trace
from hindsight_cli.capture.boundaries import is_request, likely_starts, next_trace_id
from hindsight_cli.capture.numbering import SessionState
from hindsight_cli.errors import NotAdjacentError, NotAStepError, TraceNotFoundError
from hindsight_cli.records.event import Event
from hindsight_cli.records.trace import boundary_starts, split_traces
from hindsight_cli.traces.index import TraceRow

_MESSAGES_OFFERED = 3  # a trace with fewer requests is not long enough to be worth a hint

Moves = dict[int, str]  # the trace that is to begin at a step


@dataclass(frozen=True, slots=True)
class Rearranged:
    """The traces that a split or a join is about, as they are since, and what to know."""

    traces: tuple[TraceRow, ...]
    messages: tuple[str, ...] = ()


def split(project: Project, trace_id: str, at: int) -> Rearranged:
    """Let another trace begin at a step; what cites its steps cites them still.

    Raises:
        TraceNotFoundError, AmbiguousIdError: no trace, or several, begin so.
        NotAStepError: the trace has no such step, or begins there.
        StorageError: nothing was written.
    """
    row = resolve_trace(project, trace_id)
    made: list[str] = []
    messages: list[str] = []

    def moves(events: Sequence[Event], state: SessionState) -> Moves:
        own = split_traces(events).get(row.trace_id, [])
        steps = sorted({e.step_index for e in own if e.step_index})
        if at not in steps[1:]:
            raise NotAStepError(row.trace_id, at, steps)
        if not any(is_request(e) for e in own if e.step_index == at):
            messages.append(_no_request(at, own))
        made.append(next_trace_id(row.session_id, state.trace_ids))
        later = [s for s, t in boundary_starts(events).items() if t == row.trace_id and s > at]
        return dict.fromkeys([at, *later], made[0])

    _append(project, row, moves)
    return _rearranged(project, [row.trace_id, *made], messages)


def join(project: Project, trace_id: str, other_id: str) -> Rearranged:
    """Make two traces that follow each other one; it keeps the id of the earlier one.

    Raises:
        TraceNotFoundError, AmbiguousIdError: no trace, or several, begin so.
        NotAdjacentError: they are one, of two sessions, or do not follow each other.
        StorageError: nothing was written.
    """
    row, other = resolve_trace(project, trace_id), resolve_trace(project, other_id)
    kept: list[str] = []

    def moves(events: Sequence[Event], _: SessionState) -> Moves:
        traces = split_traces(events)
        _check_adjacent(row, other, list(traces))
        first, second = sorted((row.trace_id, other.trace_id), key=list(traces).index)
        kept.append(first)
        begins = min(e.step_index for e in traces[second])
        starts = [s for s, t in boundary_starts(events).items() if t == second]
        return dict.fromkeys([begins, *starts], first)

    if row.session_id != other.session_id:
        raise NotAdjacentError(row.trace_id, other.trace_id, why="they are of two sessions")
    _append(project, row, moves)
    return _rearranged(project, kept, [])


def offered_starts(reading: TraceReading) -> list[int]:
    """Steps at which another task may begin: soft signs, for a person to decide on.

    Not those that were decided on: split by themselves or by hand, or joined.
    """
    if reading.requests < _MESSAGES_OFFERED:
        return []
    return [s for s in likely_starts(reading.trace.events) if s not in reading.decided]


def _no_request(at: int, own: Sequence[Event]) -> str:
    """Say where the task of a trace comes from that begins with no message of the user."""
    later = [e.step_index for e in own if is_request(e) and e.step_index > at]
    told = f"its task is the message at step {later[0]}" if later else "the trace has no task"
    return f"Step {at} is no message of the user: {told}."


def _check_adjacent(row: TraceRow, other: TraceRow, order: Sequence[str]) -> None:
    if row.trace_id == other.trace_id:
        raise NotAdjacentError(row.trace_id, other.trace_id, why="they are one already")
    places = [order.index(r.trace_id) for r in (row, other) if r.trace_id in order]
    if len(places) != 2 or abs(places[0] - places[1]) != 1:  # noqa: PLR2004
        why = "another task lies between them"
        raise NotAdjacentError(row.trace_id, other.trace_id, why=why)


def _append(
    project: Project, row: TraceRow, moves: Callable[[Sequence[Event], SessionState], Moves]
) -> None:
    """Append the boundaries that `moves` asks for, all of them or none, under the file's lock."""
    path = project.traces.find_source(row.session_id)
    if path is None:
        raise TraceNotFoundError(row.trace_id, known=len(list_traces(project)))
    with project.traces.open(row.session_id, month=path.parent.name) as session:
        events = session.events()
        state = SessionState.of(row.session_id, events)
        added = []
        for step, trace_id in sorted(moves(events, state).items()):
            added.append(state.boundary(from_step=step, trace_id=trace_id, timestamp=project.now()))
            state.note(added[-1])
        session.append(added)


def _rearranged(project: Project, ids: Sequence[str], messages: Sequence[str]) -> Rearranged:
    rows = {row.trace_id: row for row in list_traces(project)}
    return Rearranged(tuple(rows[i] for i in ids if i in rows), tuple(messages))
