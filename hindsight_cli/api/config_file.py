"""Other programs' configuration files: read as they are, replaced whole in one step."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

from hindsight_cli.errors import AgentConfigError, StorageError

BOM = b"\xef\xbb\xbf"
_NEW_FILE = 0o600  # settings may hold keys


def read_file(path: Path) -> bytes | None:
    """The bytes of a file; None when it is not there.

    Raises:
        AgentConfigError: it cannot be read.
    """
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise AgentConfigError(str(path), 0, error.strerror or str(error)) from error


def text_of(path: Path, data: bytes | None) -> str:
    """The text without its byte order mark; empty when there is no file.

    Raises:
        AgentConfigError: it is not UTF-8.
    """
    data = (data or b"").removeprefix(BOM)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise AgentConfigError(str(path), line, "it is not UTF-8") from error


def bytes_of(text: str, before: bytes | None) -> bytes:
    """The text as bytes, with the byte order mark that stood before it."""
    return (BOM if (before or b"").startswith(BOM) else b"") + text.encode("utf-8")


def write_file(path: Path, data: bytes) -> list[str]:
    """Replace what the path leads to in one step; gives the folders made for it.

    A link stays a link; mode and owner of the file are kept.

    Raises:
        StorageError: it is as it was before.
    """
    real = Path(os.path.realpath(path))
    part = real.with_name(f".{real.name}.hindsight-{os.getpid()}")
    try:
        folders = _make_folders(real.parent)
        about = real.stat() if real.exists() else None
        mode = stat.S_IMODE(about.st_mode) if about is not None else _NEW_FILE
        fd = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(fd, "wb") as file:
            file.write(data)
            file.flush()
            os.fchmod(fd, mode)
            if about is not None and about.st_uid != os.geteuid():
                with contextlib.suppress(OSError):
                    os.fchown(fd, about.st_uid, about.st_gid)
            os.fsync(fd)
        part.replace(real)
    except OSError as error:
        with contextlib.suppress(OSError):
            part.unlink()
        raise StorageError(str(path), error.strerror or str(error)) from error
    return folders


def delete_file(path: Path, folders: tuple[str, ...]) -> None:
    """Delete what we made, and those folders made for it that are empty by now.

    Raises:
        StorageError: it is still there.
    """
    try:
        Path(os.path.realpath(path)).unlink(missing_ok=True)
    except OSError as error:
        raise StorageError(str(path), error.strerror or str(error)) from error
    for folder in reversed(folders):
        with contextlib.suppress(OSError):
            Path(folder).rmdir()


def _make_folders(folder: Path) -> list[str]:
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for new in reversed(missing):
        new.mkdir()
    return [str(new) for new in reversed(missing)]
