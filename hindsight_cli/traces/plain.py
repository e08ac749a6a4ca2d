"""Nothing of ours is a link, a pipe or a device: a cloned store must not lead out of itself."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from hindsight_cli.errors import StorageError

_HINT = "Move the real folder or file there, or delete what is in its place."


def check_folders(*paths: Path) -> None:
    """Do nothing if each of `paths` is a real folder or not there yet.

    Raises:
        StorageError: one is a link, or no folder.
    """
    for path in paths:
        mode = _mode(path)
        if mode is not None and not stat.S_ISDIR(mode):
            raise StorageError(str(path), _what(mode, "folder"), hint=_HINT)


def check_files(*paths: Path) -> None:
    """Do nothing if each of `paths` is a regular file or not there yet.

    Raises:
        StorageError: one is a link, a pipe, a device or a folder.
    """
    for path in paths:
        mode = _mode(path)
        if mode is not None and not stat.S_ISREG(mode):
            raise StorageError(str(path), _what(mode, "file"), hint=_HINT)


def read_plain(path: Path, max_bytes: int = -1) -> bytes:
    """The bytes of a regular file, up to `max_bytes`; opening never waits.

    Raises:
        OSError: it is no regular file, not there, or cannot be read.
    """
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(fd, "rb") as file:
        mode = os.fstat(fd).st_mode
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, _what(mode, "file"))
        return file.read(max_bytes)


def _mode(path: Path) -> int | None:
    try:
        return path.lstat().st_mode
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StorageError(str(path), error.strerror or str(error)) from error


def _what(mode: int, wanted: str) -> str:
    return "it is a link" if stat.S_ISLNK(mode) else f"it is no regular {wanted}"
