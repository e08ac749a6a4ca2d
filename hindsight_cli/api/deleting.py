"""Delete means delete: the trace file, the outputs only it refers to, the index pages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from hindsight_cli.api.index import delete_index
from hindsight_cli.api.project import Project
from hindsight_cli.api.traces import resolve_trace
from hindsight_cli.errors import StorageError

_REF = re.compile(rb'"(?:output_ref|input_ref|ref)"\s*:\s*"([0-9a-f]{64})"')


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
    mine = project.traces.files_of(row.session_id)
    refs = {ref for path in mine for ref in output_refs(path)}
    if refs:
        for path in project.traces.all_files():
            if path not in mine:
                refs -= output_refs(path)
    try:
        for ref in refs:
            project.outputs.delete(ref)
        for path in mine:  # last: what is left of a session can be deleted again
            path.unlink(missing_ok=True)
    except OSError as error:
        raise StorageError(str(project.traces.folder), error.strerror or str(error)) from error
    delete_index(project)
    return Deleted(row.session_id, len(refs))


def output_refs(path: Path) -> set[str]:
    """Every output a file refers to, be it in a line that is torn or no event.

    Raises:
        StorageError: it cannot be read.
    """
    try:
        with path.open("rb") as file:
            return {ref.decode() for line in file for ref in _REF.findall(line)}
    except OSError as error:
        raise StorageError(str(path), error.strerror or str(error)) from error
