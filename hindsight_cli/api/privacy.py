"""What is not to be recorded: everything while paused, and sessions in excluded folders.

Source: docs/how-to/use-hooks.md, "Pause, exclude, delete". On every hot path: few imports.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from hindsight_cli import appendlog, config
from hindsight_cli.api.project import Project
from hindsight_cli.errors import ExcludedError, PausedError, StorageError

PAUSED_FILE = "paused"  # in a project's folder, or in the user's for all projects


def paused_by(project: Project | None, env: Mapping[str, str]) -> Path | None:
    """The marker that says so, the project's before the user's; None when nothing is paused."""
    markers = [config.user_data_folder(env) / PAUSED_FILE]
    if project is not None:
        markers.insert(0, project.folder / PAUSED_FILE)
    return next((marker for marker in markers if os.path.lexists(marker)), None)


def pause(project: Project | None, env: Mapping[str, str]) -> Path:
    """Record nothing more in the project, or with None anywhere; gives the marker.

    Raises:
        StorageError: it cannot be written.
    """
    folder = config.user_data_folder(env) if project is None else project.folder
    marker = folder / PAUSED_FILE
    try:
        appendlog.make_private(folder)
        os.close(os.open(marker, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600))
    except OSError as error:
        raise StorageError(str(marker), error.strerror or str(error)) from error
    return marker


def resume(project: Project | None, env: Mapping[str, str]) -> Path | None:
    """Undo `pause`; gives the marker that still pauses, if another does.

    Raises:
        StorageError: it cannot be removed.
    """
    folder = config.user_data_folder(env) if project is None else project.folder
    try:
        (folder / PAUSED_FILE).unlink(missing_ok=True)
    except OSError as error:
        raise StorageError(str(folder / PAUSED_FILE), error.strerror or str(error)) from error
    return paused_by(project, env)


def check_not_paused(project: Project) -> None:
    """Do nothing unless recording is paused.

    Raises:
        PausedError: it is.
    """
    marker = paused_by(project, project.env)
    if marker is not None:
        raise PausedError(str(marker), everywhere=marker.parent != project.folder)


def check_recorded(project: Project, cwd: str) -> None:
    """Do nothing if a session that works in `cwd` is to be recorded.

    Raises:
        PausedError, ExcludedError: it is not.
    """
    check_not_paused(project)
    if is_excluded(project, cwd):
        raise ExcludedError(cwd)


def not_excluded(
    project: Project, accept: Callable[[str | None], bool] | None
) -> Callable[[str | None], bool] | None:
    """`accept`, asked for each record's folder, and only for folders that are not excluded."""
    if not project.settings.exclude:
        return accept
    known: dict[str | None, bool] = {}

    def accepts(cwd: str | None) -> bool:
        if cwd not in known:
            wanted = accept is None or accept(cwd)
            known[cwd] = wanted and not is_excluded(project, cwd)
        return known[cwd]

    return accepts


def check_not_paused_everywhere(env: Mapping[str, str]) -> None:
    """Do nothing unless recording is paused for all projects of this user.

    Raises:
        PausedError: it is.
    """
    marker = paused_by(None, env)
    if marker is not None:
        raise PausedError(str(marker), everywhere=True)


def is_excluded(project: Project, cwd: str | None) -> bool:
    """Whether a session that works in `cwd` is not to be recorded.

    A pattern without a leading slash or `~` is matched against the folder's path inside the
    project; one matches a folder with all that lies below it.

    Raises:
        ConfigError: the project's settings cannot be read.
    """
    patterns = project.settings.exclude
    if not patterns or not cwd:
        return False
    from fnmatch import fnmatchcase  # only where something is excluded

    folder = Path(cwd)
    wholes = [str(path) for path in (folder, *folder.parents)]
    try:
        inner = folder.resolve().relative_to(project.root.resolve())
        parts = [str(path) for path in (inner, *inner.parents[:-1])]
    except (ValueError, OSError):
        parts = []
    for pattern in patterns:
        is_whole = pattern.startswith(("/", "~"))
        plain = str(Path(pattern).expanduser()) if is_whole else pattern.removeprefix("./")
        plain = plain.removesuffix("/**").removesuffix("/*").rstrip("/")
        forms = {plain, plain.removeprefix("**/")}
        if any(fnmatchcase(p, form) for p in (wholes if is_whole else parts) for form in forms):
            return True
    return False
