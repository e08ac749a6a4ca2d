"""Small files of this user alone, replaced whole."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from hindsight_cli.errors import StorageError

_MAX_LOG_BYTES = 1024 * 1024  # then a new one is begun


def write_private(path: Path, text: str, *, mode: int = 0o600) -> None:
    """Put `text` in place of the file in one step; a link there is replaced, not followed.

    Raises:
        StorageError: the file is as it was before.
    """
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with contextlib.suppress(FileNotFoundError):
            part.unlink()
        fd = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
        with os.fdopen(fd, "w", encoding="utf-8", errors="replace") as file:
            file.write(text)
            file.flush()
            os.fsync(fd)
        part.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            part.unlink()
        raise StorageError(str(path), error.strerror or str(error)) from error


@contextlib.contextmanager
def open_log(path: Path) -> Iterator[int]:
    """A file to append lines to, made with its folder; of one that grew large a new one begins.

    Raises:
        OSError: it cannot be written, or is a link.
    """
    path.parent.mkdir(mode=0o700, exist_ok=True)
    with contextlib.suppress(FileNotFoundError):
        if path.lstat().st_size > _MAX_LOG_BYTES:
            path.replace(path.with_name(path.name + ".old"))
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        yield fd
    finally:
        os.close(fd)
