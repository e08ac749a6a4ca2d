"""Traces as the shells see them: listed from the index, read from the files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hindsight_cli.api.index import Index, use_index
from hindsight_cli.api.merging import read_merged
from hindsight_cli.api.project import Project
from hindsight_cli.capture.boundaries import is_request
from hindsight_cli.errors import AmbiguousIdError, TraceNotFoundError
from hindsight_cli.records.event import Event, EventType
from hindsight_cli.records.jsonvalue import JsonValue
from hindsight_cli.records.trace import Trace, boundary_starts, split_traces
from hindsight_cli.traces.files import BadLine
from hindsight_cli.traces.index import TraceRow
from hindsight_cli.traces.outputs import OutputStore
from hindsight_cli.traces.unread import UnreadLine, read_unread


@dataclass(frozen=True, slots=True)
class TraceReading:
    """A trace, and the lines of its file that could not be read."""

    trace: Trace
    bad_lines: tuple[BadLine, ...]
    requests: int = 0  # of the person, in the whole session
    decided: frozenset[int] = frozenset()  # steps at which a trace begins or was joined
    unread: tuple[PlacedUnread, ...] = ()  # of the transcript, where it was read from one


@dataclass(frozen=True, slots=True)
class PlacedUnread:
    """A line of the transcript that could not be read, and the event it comes after."""

    line: UnreadLine
    after_seq: int  # 0: before all
    after_step: int


def list_traces(project: Project) -> list[TraceRow]:
    """Every trace, newest first."""

    def rows(opened: Index) -> list[TraceRow]:
        opened.sync_traces()
        return opened.traces.traces()

    return use_index(project, rows)


def resolve_trace(project: Project, trace_id: str) -> TraceRow:
    """The trace with this id, or the only one whose id begins so.

    Of one session's traces that begin so, the first; a later one by `BEGINNING.2`. An id
    cut in the middle, as tables show it, names the one that begins and ends so.

    Raises:
        TraceNotFoundError: none begins so.
        AmbiguousIdError: several do.
    """
    rows = list_traces(project)
    exact = [row for row in rows if row.trace_id == trace_id]
    found = exact or [row for row in rows if trace_id and row.trace_id.startswith(trace_id)]
    if not found and "…" in trace_id:
        head, _, end = trace_id.partition("…")
        found = [r for r in rows if r.trace_id.startswith(head) and r.trace_id.endswith(end)]
    if not found and (head := trace_id.rpartition(".")[0]):
        end = trace_id[len(head) :]
        found = [r for r in rows if r.trace_id == r.session_id + end]
        found = [r for r in found if r.session_id.startswith(head)]
    if len({row.session_id for row in found}) == 1:
        found = [r for r in found if r.trace_id == r.session_id][:1] or found
    if len(found) > 1:
        raise AmbiguousIdError(trace_id, [row.trace_id for row in found])
    if not found:
        raise TraceNotFoundError(trace_id, known=len(rows))
    return found[0]


def read_trace(project: Project, trace_id: str) -> TraceReading:
    """One trace with its full texts.

    Raises:
        TraceNotFoundError: there is none with this id.
    """
    row = resolve_trace(project, trace_id)
    path = project.traces.find(row.session_id)
    if path is None:
        raise TraceNotFoundError(trace_id, known=0)
    events, bad = read_merged(project, path)
    trace = traces_of(project, events)[row.trace_id]
    return TraceReading(
        trace,
        tuple(bad),
        requests=sum(map(is_request, events)),
        decided=frozenset(boundary_starts(events)),
        unread=tuple(_unread_in(trace, events, path)),
    )


def _unread_in(trace: Trace, events: Sequence[Event], path: Path) -> Iterator[PlacedUnread]:
    """Lines that could not be read, each with the trace that goes on there."""
    own = {event.seq for event in trace.events}
    is_first = bool(events) and events[0].seq in own
    for line in sorted(read_unread(path), key=lambda line: (line.path, line.line)):
        before = [e for e in events if e.native.line is not None and e.native.line < line.line]
        last = before[-1] if before else None
        if last is None and is_first:
            yield PlacedUnread(line, 0, 0)
        elif last is not None and last.seq in own:
            yield PlacedUnread(line, last.seq, last.step_index)


def traces_of(project: Project, events: Sequence[Event]) -> dict[str, Trace]:
    """The traces of a session by their ids, in order."""
    about = _about(events)
    made = {
        trace_id: trace_of(project, trace_id, own, about=about)
        for trace_id, own in split_traces(events).items()
    }
    if about.get("closes") is True and made:
        last = max(made, key=lambda trace_id: made[trace_id].events[-1].seq)
        made[last] = replace(made[last], closes=True)
    return made


def read_session(project: Project, session_id: str) -> Trace | None:
    """A whole session as if it were one trace, for what cites its steps; None when it is gone."""
    path = project.traces.find(session_id)
    if path is None:
        return None
    events = [e for e in read_merged(project, path)[0] if e.event_type is not EventType.BOUNDARY]
    return trace_of(project, session_id, events)


def _about(events: Iterable[Event]) -> JsonValue:
    return next((e.extra["session"] for e in events if "session" in e.extra), {})


def trace_of(
    project: Project, trace_id: str, events: list[Event], *, about: JsonValue = None
) -> Trace:
    """A trace over events already read, its long texts fetched when asked for.

    `about` is what the session's first event says of it, if that is not among `events`.
    """
    about = about or _about(events)
    return Trace(
        trace_id=trace_id,
        session_id=events[0].session_id if events else trace_id,
        agent=str(about.get("agent") or "unknown"),
        events=tuple(events),
        texts=_Texts(project.outputs, {e.seq: e.output_ref for e in events if e.output_ref}),
        inputs=_Inputs(
            project.outputs,
            {e.seq: str(e.extra["input_ref"]) for e in events if "input_ref" in e.extra},
        ),
    )


class _Stored(Mapping[int, JsonValue]):
    """Full texts by `seq`, read from the output store on first use; pruned ones are absent."""

    def __init__(self, outputs: OutputStore, refs: dict[int, str]) -> None:
        self._outputs = outputs
        self._refs = refs
        self._read: dict[int, JsonValue] = {}

    def __getitem__(self, seq: int) -> JsonValue:
        if seq not in self._read:
            raw = self._outputs.find(self._refs[seq])
            if raw is None:
                raise KeyError(seq)
            self._read[seq] = self._decode(raw)
        return self._read[seq]

    def __iter__(self) -> Iterator[int]:
        return iter(self._refs)

    def __len__(self) -> int:
        return len(self._refs)

    def _decode(self, raw: bytes) -> JsonValue:
        raise NotImplementedError


class _Texts(_Stored):
    def _decode(self, raw: bytes) -> str:
        return raw.decode("utf-8", "replace")


class _Inputs(_Stored):
    def _decode(self, raw: bytes) -> JsonValue:
        try:
            return json.loads(raw)
        except ValueError:
            raise KeyError from None
