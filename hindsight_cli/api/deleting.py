"""Delete means delete: the trace file, the outputs only it refers to, the index pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from hindsight_cli.api.index import delete_index
from hindsight_cli.api.project import Project
from hindsight_cli.api.traces import resolve_trace
from hindsight_cli.errors import StorageError
from hindsight_cli.records.event import Event


@dataclass(frozen=True, slots=True)
class Deleted:
    session_id: str
    outputs: int  # full outputs deleted with it


def delete_trace(project: Project, trace_id: str) -> Deleted:
    """Delete the session a trace lies in.

    Raises:
        TraceNotFoundError: there is none with this id.
        StorageError: a file could not be deleted; run it again.
    """
    row = resolve_trace(project, trace_id)
    path = project.traces.find(row.session_id)
    if path is None:
        return Deleted(row.session_id, 0)
    mine = set(_refs(project.traces.read(path)[0]))
    for other in project.traces.sessions():
        if mine and other.session_id != row.session_id:
            mine -= set(_refs(project.traces.read(other.path)[0]))
    try:
        path.unlink()
        for ref in mine:
            project.outputs.delete(ref)
    except OSError as error:
        raise StorageError(str(path), error.strerror or str(error)) from error
    delete_index(project)
    return Deleted(row.session_id, len(mine))


def _refs(events: Iterable[Event]) -> Iterator[str]:
    for event in events:
        if event.output_ref:
            yield event.output_ref
        if "input_ref" in event.extra:
            yield str(event.extra["input_ref"])
        for blob in event.extra.get("blobs") or ():
            yield str(blob["ref"])
