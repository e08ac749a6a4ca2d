"""Find the sessions that agents left on this machine, and which of them are new here."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

from hindsight_cli import config
from hindsight_cli.api.imported import Imported, ReadFile
from hindsight_cli.api.importing import (
    How,
    ImportReport,
    add_traces,
    import_file,
    stoppable,
)
from hindsight_cli.api.privacy import check_not_paused
from hindsight_cli.api.project import Project
from hindsight_cli.errors import UsageError
from hindsight_cli.integrations.past import PastFile, agents, past_files

_SAVE_EVERY_S = 1.0  # what was read; a kill costs no more than that


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which sessions to look for."""

    agent: str | None = None
    since_days: float | None = None  # touched in the last so many
    all_projects: bool = False


@dataclass(frozen=True, slots=True)
class FoundSession:
    """A transcript on this machine, and what the last import made of it as it is now."""

    file: PastFile
    read: ReadFile | None
    deleted: tuple[str, ...] = ()  # sessions that it told of and that are no longer stored

    @property
    def is_new(self) -> bool:
        return self.read is None


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
    files = [
        file
        for file in past_files(project.env, _folders_of(project))
        if is_wanted(project, wanted, file)
        and (wanted.all_projects or file.holds_many or own(file.cwd))
    ]
    return as_found(project, files)


def is_wanted(project: Project, wanted: Wanted, file: PastFile) -> bool:
    """Whether the agent and the time of its last change are those asked for."""
    if wanted.agent not in (None, file.agent):
        return False
    if wanted.since_days is None:
        return True
    begin = project.clock() - timedelta(days=wanted.since_days)
    return file.modified_ns >= begin.timestamp() * 1e9


def as_found(project: Project, files: Iterable[PastFile]) -> list[FoundSession]:
    """Files with what was made of them before, the oldest first."""
    imported = Imported(project)
    stored = {session.session_id for session in project.traces.sessions()}
    found = []
    for file in sorted(files, key=lambda f: (f.modified_ns, str(f.path))):
        read = imported.find(file)
        gone = tuple(s for s in read.sessions if s not in stored) if read else ()
        found.append(FoundSession(file, read, gone))
    return found


def repositories_below(project: Project, found: Iterable[FoundSession]) -> list[Path]:
    """Git repositories inside the project's folder in which new sessions of it began."""
    tops = set()
    for folder in {f.file.cwd for f in found if f.is_new and f.file.cwd}:
        with contextlib.suppress(OSError):  # a folder above it may not be looked into
            below = Path(folder)
            if below.is_dir() and (top := project.repository_below(below)):
                tops.add(top)
    return sorted(tops)


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
        ImportInterruptedError: Ctrl-C; what was read by then is kept.
    """
    check_not_paused(project)
    report = ImportReport()
    own = None if everywhere else belongs_to(project)
    imported = Imported(project)
    done: list[PastFile] = []
    saved = time.monotonic()
    try:
        with stoppable(report):
            for file in (f.file for f in found if f.is_new):
                on_file(file)
                this = replace(how, accept=own) if file.holds_many else how
                if import_file(project, file.path, report, this):
                    done.append(file)
                if done and time.monotonic() - saved > _SAVE_EVERY_S:
                    imported.note(done, report)
                    done, saved = [], time.monotonic()
    finally:
        if done:
            imported.note(done, report)
    add_traces(project, report)
    return report


def belongs_to(project: Project) -> Callable[[str | None], bool]:
    """Whether a session that began in a folder is of this project; False for None."""
    roots = tuple(Path(folder) for folder in _folders_of(project))
    env = {k: v for k, v in project.env.items() if k != config.PROJECT_VARIABLE}
    known: dict[str, bool] = {}
    is_made = project.is_made

    def is_below(folder: Path) -> bool:  # by its name, as one that was deleted since
        return any(folder.is_relative_to(root) for root in roots)

    def is_own(folder: Path) -> bool:
        found = config.find_project(folder, env)
        if found is not None or is_made:
            return found is not None and found.resolve() == project.root.resolve()
        # It would be, once the project is made.
        return is_below(folder) or is_below(config.git_top(folder) or folder)

    def belongs(cwd: str | None) -> bool:
        if not cwd:
            return False
        if cwd not in known:
            folder = Path(os.path.normpath(cwd))
            try:
                known[cwd] = is_own(folder) if folder.is_dir() else is_below(folder)
            except OSError:  # a folder above it may not be looked into
                known[cwd] = is_below(folder)
        return known[cwd]

    return belongs


def _folders_of(project: Project) -> list[str]:
    return list(dict.fromkeys([str(project.root), str(project.root.resolve())]))
