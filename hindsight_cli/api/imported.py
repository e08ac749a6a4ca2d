"""Which files `import` has read, and what came of it: `imports.json` beside the traces."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from hindsight_cli.api.importing import ImportReport
from hindsight_cli.api.private_file import write_private
from hindsight_cli.api.project import Project
from hindsight_cli.appendlog import locked
from hindsight_cli.integrations.past import PastFile
from hindsight_cli.records.jsonvalue import JsonValue
from hindsight_cli.traces.plain import read_plain

_STATE_FILE = "imports.json"  # beside the traces: deleted with them, as it must be
_MAX_STATE_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadFile:
    """A file as it was when it was read: size and time of its last change."""

    size_bytes: int
    modified_ns: int
    failed: int = 0  # records that could not be read
    reason: str = ""  # of the first of them, with its line
    sessions: tuple[str, ...] = ()  # that it told of


class Imported:
    """The files that were imported."""

    def __init__(self, project: Project) -> None:
        self._path = project.traces.folder / _STATE_FILE
        self._files = self._read()

    def find(self, file: PastFile) -> ReadFile | None:
        """What the last import made of it; None when it was not read as it is now."""
        read = self._files.get(_key(file.path))
        if read is None or (read.size_bytes, read.modified_ns) != (
            file.size_bytes,
            file.modified_ns,
        ):
            return None
        return read

    def note(self, files: Iterable[PastFile], report: ImportReport) -> None:
        """Remember files as they were before they were read: what came since is new.

        Raises:
            StorageError: not written; they are read once more next time.
        """
        with locked(self._path.with_suffix(".lock")):
            self._files = self._read()  # another import may have noted its own since
            for file in files:
                self._files[_key(file.path)] = _read_file(file, report)
            for key, read in self._files.items():
                if not report.replaced.isdisjoint(read.sessions):
                    kept = tuple(s for s in read.sessions if s not in report.replaced)
                    self._files[key] = replace(read, sessions=kept)
            rows = {key: _row(read) for key, read in self._files.items()}
            write_private(self._path, json.dumps(rows))

    def _read(self) -> dict[str, ReadFile]:
        try:
            given = json.loads(read_plain(self._path, _MAX_STATE_BYTES))
            return {_key_of(str(name)): _of_row(*row) for name, row in given.items()}
        except (OSError, ValueError, TypeError, AttributeError, RecursionError):
            return {}


def _key(path: Path) -> str:
    """Stands for a path, whose name may hold a secret."""
    return hashlib.sha256(str(path).encode("utf-8", "surrogateescape")).hexdigest()[:32]


def _key_of(name: str) -> str:
    """The key that is stored; files of earlier versions have the path itself."""
    return _key(Path(name)) if "/" in name else name


def _read_file(file: PastFile, report: ImportReport) -> ReadFile:
    path = str(file.path)
    problems = [p for p in report.problems if p.path == path]
    first = f"line {problems[0].line}: {problems[0].reason}" if problems else ""
    return ReadFile(
        size_bytes=file.size_bytes,
        modified_ns=file.modified_ns,
        failed=len(problems),
        reason=first,
        sessions=tuple(i for i, f in report.sessions.items() if f.path == path),
    )


def _row(read: ReadFile) -> list[JsonValue]:
    about = (read.failed, read.reason, list(read.sessions))
    return [read.size_bytes, read.modified_ns, *about]


def _of_row(
    size: JsonValue,
    time: JsonValue,
    failed: JsonValue = 0,
    reason: JsonValue = "",
    sessions: JsonValue = (),
) -> ReadFile:
    return ReadFile(
        size_bytes=int(size),
        modified_ns=int(time),
        failed=int(failed),
        reason=str(reason),
        sessions=tuple(str(session) for session in sessions),
    )
