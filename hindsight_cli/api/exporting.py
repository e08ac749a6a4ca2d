"""Traces for other tools: written in a format that they, and Hindsight, can read."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from hindsight_cli.api.private_file import write_private
from hindsight_cli.api.project import Project
from hindsight_cli.api.traces import list_traces, read_trace, resolve_trace
from hindsight_cli.errors import FormatNotFoundError, StorageError
from hindsight_cli.records.jsonvalue import JsonValue
from hindsight_cli.traces.atif import to_atif
from hindsight_cli.traces.files import BadLine
from hindsight_cli.traces.index import TraceRow


class ExportFormat(StrEnum):
    ATIF = "atif"


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """A trace as a document of another tool's format."""

    trace_id: str
    format: ExportFormat
    document: dict[str, JsonValue]
    subagents: int  # sessions embedded in it
    bad_lines: tuple[BadLine, ...]

    @property
    def steps(self) -> int:
        return len(self.document["steps"])

    def text(self, *, ascii_only: bool = False) -> str:
        return json.dumps(self.document, ensure_ascii=ascii_only, indent=2)


def parse_format(name: str) -> ExportFormat:
    """The format of this name.

    Raises:
        FormatNotFoundError: there is none.
    """
    if name not in ExportFormat._value2member_map_:
        raise FormatNotFoundError(name, installed=list(ExportFormat))
    return ExportFormat(name)


def export_trace(
    project: Project, trace_id: str, *, export_format: ExportFormat = ExportFormat.ATIF
) -> Exported:
    """A trace with its full texts and the sessions of its subagents; as redacted as it is stored.

    Raises:
        TraceNotFoundError, AmbiguousIdError: no trace, or several, begin so.
    """
    row = resolve_trace(project, trace_id)
    rows = list_traces(project)
    bad: list[BadLine] = []
    document, embedded = _document(project, row, rows, None, bad)
    return Exported(
        trace_id=row.trace_id,
        format=export_format,
        document=document,
        subagents=embedded,
        bad_lines=tuple(bad),
    )


def write_export(exported: Exported, path: Path) -> None:
    """Write the document, readable for this user alone, in place of what is there.

    Raises:
        StorageError: the file is as it was before.
    """
    if not path.parent.is_dir():
        why = f"there is no folder {str(path.parent)!r}"
        raise StorageError(str(path), why, hint="Make it, or write elsewhere.")
    write_private(path, exported.text() + "\n")


def _document(
    project: Project, row: TraceRow, rows: list[TraceRow], name: str | None, bad: list[BadLine]
) -> tuple[dict[str, JsonValue], int]:
    """The document of a trace, and how many subagents lie in it."""
    reading = read_trace(project, row.trace_id)
    bad += reading.bad_lines
    subagents, count = {}, 0
    for agent_id, child in _children(row, rows).items():
        subagents[agent_id], inner = _document(project, child, rows, agent_id, bad)
        count += 1 + inner
    return to_atif(reading.trace, name=name, subagents=subagents), count


def _children(row: TraceRow, rows: list[TraceRow]) -> dict[str, TraceRow]:
    """The sessions that this one's subagents made, without those that they made again."""
    start = f"{row.session_id}-agent-"
    below = [r for r in rows if r.session_id.startswith(start) and r.trace_id == r.session_id]
    names = [r.session_id for r in below]
    return {
        r.session_id.removeprefix(start): r
        for r in sorted(below, key=lambda r: r.started_at or "")
        if not any(r.session_id.startswith(f"{other}-agent-") for other in names)
    }
