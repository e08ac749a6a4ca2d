"""Find the sessions that agents left on this machine, and which of them are new here."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

from hindsight_cli import config
from hindsight_cli.api.importing import How, ImportReport, add_traces, import_file
from hindsight_cli.api.privacy import check_not_paused
from hindsight_cli.api.private_file import write_private
from hindsight_cli.api.project import Project
from hindsight_cli.errors import StorageError, UsageError
from hindsight_cli.integrations.past import PastFile, agents, past_files
from hindsight_cli.traces.plain import read_plain

_STATE_FILE = "imports.json"  # beside the traces: deleted with them, as it must be
_MAX_STATE_BYTES = 64 * 1024 * 1024

_SAVE_EVERY_S = 1.0  # what was read; a kill costs no more than that


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which sessions to look for."""

    agent: str | None = None
    since_days: float | None = None  # touched in the last so many
    all_projects: bool = False


@dataclass(frozen=True, slots=True)
class FoundSession:
    """A transcript on this machine; `is_new` when it is not imported as it is now."""

    file: PastFile
    is_new: bool


class Imported:
    """Which files were imported, as they were then: size and time of their last change."""

    def __init__(self, project: Project) -> None:
        self._path = project.traces.folder / _STATE_FILE
        self._files = self._read()

    def has(self, file: PastFile) -> bool:
        return self._files.get(str(file.path)) == (file.size_bytes, file.modified_ns)

    def note(self, files: Iterable[PastFile]) -> None:
        """Remember files as they were before they were read: what came since is new.

        Raises:
            StorageError: not written; they are read once more next time.
        """
        self._files |= {str(f.path): (f.size_bytes, f.modified_ns) for f in files}
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError(str(self._path), error.strerror or str(error)) from error
        write_private(self._path, json.dumps(self._files))

    def _read(self) -> dict[str, tuple[int, int]]:
        try:
            given = json.loads(read_plain(self._path, _MAX_STATE_BYTES))
            return {str(path): (int(size), int(time)) for path, (size, time) in given.items()}
        except (OSError, ValueError, TypeError, AttributeError, RecursionError):
            return {}


def discover(project: Project, wanted: Wanted) -> list[FoundSession]:
    """The transcripts of this project's sessions, or of all projects', oldest first.

    A session is of this project when it began in a folder that belongs to it, linked
    worktrees included; one that tells no folder is only found among all projects'.

    Raises:
        UsageError: no agent is called so.
    """
    if wanted.agent is not None and wanted.agent not in agents():
        raise UsageError(
            f"No agent {wanted.agent!r} is known.", hint=f"Known: {', '.join(agents())}."
        )
    own = belongs_to(project)
    imported = Imported(project)
    since_ns = 0.0
    if wanted.since_days is not None:
        begin = project.clock() - timedelta(days=wanted.since_days)
        since_ns = begin.timestamp() * 1e9
    found = [
        FoundSession(file, not imported.has(file))
        for file in past_files(project.env, _folders_of(project))
        if wanted.agent in (None, file.agent)
        and file.modified_ns >= since_ns
        and (wanted.all_projects or file.holds_many or own(file.cwd))
    ]
    return sorted(found, key=lambda f: (f.file.modified_ns, str(f.file.path)))


def files_at(project: Project, paths: Sequence[Path]) -> list[FoundSession]:
    """The files at `paths` and in folders among them, whatever their formats."""
    imported = Imported(project)
    files = []
    for path in paths:
        below = path.rglob("*.json*") if path.is_dir() else [path]
        for file in below:
            with contextlib.suppress(OSError):
                about = file.stat()
                files.append(
                    PastFile(
                        agent="",
                        path=file,
                        size_bytes=about.st_size,
                        modified_ns=about.st_mtime_ns,
                        cwd=None,
                    )
                )
    return [
        FoundSession(f, not imported.has(f)) for f in sorted(files, key=lambda f: f.modified_ns)
    ]


def import_found(
    project: Project,
    found: Sequence[FoundSession],
    how: How,
    *,
    everywhere: bool = False,
    on_file: Callable[[PastFile], None] = lambda _: None,
) -> ImportReport:
    """Import what is new of it; a file that cannot be read is told of and stops no other.

    Unless `everywhere`, of a file with the sessions of many projects only this one's are
    taken. What was read is remembered also when this is interrupted, and when it is killed,
    all but that of the last moments.

    Raises:
        PausedError: nothing was imported.
    """
    check_not_paused(project)
    report = ImportReport()
    own = None if everywhere else belongs_to(project)
    imported = Imported(project)
    done: list[PastFile] = []
    saved = time.monotonic()
    try:
        for file in (f.file for f in found if f.is_new):
            on_file(file)
            this = replace(how, accept=own) if file.holds_many else how
            if import_file(project, file.path, report, this):
                done.append(file)
            if done and time.monotonic() - saved > _SAVE_EVERY_S:
                imported.note(done)
                done, saved = [], time.monotonic()
    finally:
        imported.note(done)
    add_traces(project, report)
    return report


def belongs_to(project: Project) -> Callable[[str | None], bool]:
    """Whether a session that began in a folder is of this project; False for None."""
    roots = tuple(Path(folder) for folder in _folders_of(project))
    env = {k: v for k, v in project.env.items() if k != config.PROJECT_VARIABLE}
    known: dict[str, bool] = {}

    def belongs(cwd: str | None) -> bool:
        if not cwd:
            return False
        if cwd not in known:
            folder = Path(os.path.normpath(cwd))
            if folder.is_dir():
                found = config.find_project(folder, env)
                known[cwd] = found is not None and found.resolve() == project.root.resolve()
            else:  # deleted since: by its name
                known[cwd] = any(folder.is_relative_to(root) for root in roots)
        return known[cwd]

    return belongs


def _folders_of(project: Project) -> list[str]:
    return list(dict.fromkeys([str(project.root), str(project.root.resolve())]))
