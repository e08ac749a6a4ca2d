"""What could not be read of a session's source: kept beside its events, no event itself.

`<session_id>.jsonl.unread`, a JSON object a line; deleted with the session.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from hindsight_cli import appendlog
from hindsight_cli.traces.plain import check_files

_MOST = 1000  # of one source; the import counts them all


@dataclass(frozen=True, slots=True)
class UnreadLine:
    """A line of a transcript that could not be read; everything round it was."""

    path: str  # of the transcript
    line: int
    reason: str  # with the beginning of the line, redacted


def read_unread(session_file: Path) -> list[UnreadLine]:
    """Those of the session with this file, as its last imports told."""
    return [
        UnreadLine(str(line.data["path"]), line.data["line"], str(line.data.get("reason")))
        for line in appendlog.read_lines(_beside(session_file))
        if line.data and type(line.data.get("line")) is int and "path" in line.data
    ]


def write_unread(session_file: Path, source: str, found: Sequence[UnreadLine]) -> None:
    """Replace what is known of one source: a line that was half written may be whole by now.

    Raises:
        StorageError: nothing was changed.
    """
    path = _beside(session_file)
    check_files(path)
    known = read_unread(session_file)
    new = list(found[:_MOST])
    if [line for line in known if line.path == source] == new:
        return
    appendlog.rewrite(path, lambda line: line.data if _is_of_another(line, source) else None)
    if new:
        appendlog.append(path, [asdict(line) for line in new])
    elif not path.stat().st_size:
        path.unlink(missing_ok=True)


def _is_of_another(line: appendlog.Line, source: str) -> bool:
    return line.data is not None and line.data.get("path") != source


def _beside(session_file: Path) -> Path:
    return session_file.with_name(f"{session_file.name}.unread")
