"""Durable append to JSON Lines files shared by many processes, and one tolerant reader.

Every writer takes an exclusive lock on the file, heals a torn tail, and writes its
lines with one buffer. A record that was acknowledged is never lost, glued or torn;
a record that was being written when its writer died is moved to `<file>.torn`.

Source: docs/explanation/durability.md.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import math
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hindsight_cli.errors import StorageError

TYPE_CHECKING = False  # as typing's, without loading typing on the hot path
if TYPE_CHECKING:
    from typing import BinaryIO

    from hindsight_cli.records.jsonvalue import JsonValue


MAX_LINE_BYTES = 64 * 1024 * 1024
_TAIL_BYTES = 64 * 1024
_CREATE = os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Line:
    """One JSON object of a file, or why a line is none."""

    number: int  # from 1
    offset: int  # bytes from the start of the file
    data: dict[str, JsonValue] | None
    problem: str = ""
    excerpt: str = ""  # first 80 characters of a bad line


class LockedFile:
    """An open log whose lock is held: read its tail, then append."""

    def __init__(self, path: Path, fd: int) -> None:
        self.path = path
        self._fd = fd

    def lines(self) -> Iterator[Line]:
        """Every line from the start, as `read_lines`."""
        return _parse(self._chunks_from_start())

    def size(self) -> int:
        return os.fstat(self._fd).st_size

    def tail(self, max_bytes: int = _TAIL_BYTES) -> tuple[list[Line], bool]:
        """The whole lines within the last `max_bytes`, and whether that is the whole file.

        Line numbers are not known in a tail and count from 1 there.
        """
        size = self.size()
        start = max(0, size - max_bytes)
        raw = os.pread(self._fd, size - start, start)
        if start:
            raw = raw[raw.find(b"\n") + 1 :] if b"\n" in raw else b""
        return list(_parse(iter([raw]))), start == 0

    def append(self, objects: Sequence[dict[str, JsonValue]], *, durable: bool = False) -> None:
        """Write one line for each object, all or none.

        Raises:
            StorageError: the disk refused; the file is as it was before.
        """
        if not objects:
            return
        buffer = b"".join(encode(o) for o in objects)
        size = self.size()
        try:
            _write_all(self._fd, buffer)
            if durable:
                os.fdatasync(self._fd)
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self._fd, size)
            raise StorageError(str(self.path), error.strerror or str(error)) from error

    def _chunks_from_start(self) -> Iterator[bytes]:
        offset = 0
        while chunk := os.pread(self._fd, 1 << 20, offset):
            offset += len(chunk)
            yield chunk


@contextlib.contextmanager
def locked(path: Path) -> Iterator[LockedFile]:
    """Open `path` for appending under an exclusive lock, created 0600 with its folder 0700.

    Raises:
        StorageError: the path is a link, a folder, not ours to write, or the disk is full.
    """
    fd = -1
    try:
        make_private(path.parent)
        fd = _open_locked(path)
        _heal(path, fd)
    except OSError as error:
        if fd >= 0:
            os.close(fd)
        raise StorageError(str(path), error.strerror or str(error)) from error
    try:
        yield LockedFile(path, fd)
    finally:
        os.close(fd)  # releases the lock


def make_private(folder: Path) -> None:
    """Make `folder` and every missing folder above it, each 0700.

    `Path.mkdir(parents=True)` would give the mode to the last one only.
    """
    missing = [f for f in (folder, *folder.parents) if not f.exists()]
    for one in reversed(missing):
        one.mkdir(mode=0o700, exist_ok=True)


def append(path: Path, objects: Sequence[dict[str, JsonValue]], *, durable: bool = False) -> None:
    """Append `objects` to `path` under its lock.

    Raises:
        StorageError: nothing was written.
    """
    with locked(path) as log:
        log.append(objects, durable=durable)


def read_lines(path: Path, *, offset: int = 0, number: int = 0) -> Iterator[Line]:
    """Every line of `path` in order; bad ones are reported, never fatal. No file: none.

    `offset` (bytes) and `number` (lines before it) continue an earlier reading.

    A last line without its newline is still being written, or torn: it is given
    when it is a whole object, else left out as not yet there.
    """
    try:
        with _open_regular(path) as file:
            file.seek(offset)
            yield from _parse(iter(lambda: file.read(1 << 20), b""), number, offset)
    except FileNotFoundError:
        return
    except OSError as error:
        raise StorageError(str(path), error.strerror or str(error)) from error


def _open_regular(path: Path) -> BinaryIO:
    """Open a plain file: never a link out of the store, a pipe or a device without an end."""
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise OSError(errno.EINVAL, "it is no plain file")
    return os.fdopen(fd, "rb")


def rewrite(path: Path, change: Callable[[Line], dict[str, JsonValue] | None]) -> None:
    """Pass every line of `path` through `change`, which returns it, another, or None to drop it.

    Only for deletion: everything else appends. A new file takes the old one's
    place in one step; writers that waited for the old one's lock notice and reopen.
    Bad lines are dropped.

    Raises:
        StorageError: the file is as it was before.
    """
    with locked(path) as log:
        kept = [change(line) for line in log.lines() if line.data is not None]
        fresh = path.with_name(path.name + ".new")
        try:
            fresh.unlink(missing_ok=True)
            with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_EXCL | _CREATE, 0o600), "wb") as file:
                file.writelines(encode(data) for data in kept if data is not None)
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(path)
        except OSError as error:
            raise StorageError(str(path), error.strerror or str(error)) from error


def encode(data: dict[str, JsonValue]) -> bytes:
    """One line of UTF-8 JSON. Lone surrogates and NaN become what every reader accepts."""
    try:
        text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except ValueError:
        text = json.dumps(_finite(data), ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace") + b"\n"


def _finite(value: JsonValue) -> JsonValue:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {k: _finite(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(v) for v in value]
    return value


def _open_locked(path: Path) -> int:
    """Open and lock `path`; again when it was replaced while we waited (see `rewrite`)."""
    while True:
        fd = os.open(path, os.O_RDWR | _CREATE | os.O_NONBLOCK, 0o600)
        try:
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                raise OSError(errno.EINVAL, "it is no plain file")
            fcntl.flock(fd, fcntl.LOCK_EX)
            mine, there = os.fstat(fd), path.stat(follow_symlinks=False)
            if (mine.st_dev, mine.st_ino) == (there.st_dev, there.st_ino):
                return fd
        except FileNotFoundError:
            pass
        except OSError:
            os.close(fd)
            raise
        os.close(fd)


def _write_all(fd: int, buffer: bytes) -> None:
    view = memoryview(buffer)
    while view:
        view = view[os.write(fd, view) :]


def _heal(path: Path, fd: int) -> None:
    """Close a torn last line: finish it when whole, else move its bytes to `<path>.torn`."""
    size = os.fstat(fd).st_size
    if size == 0 or os.pread(fd, 1, size - 1) == b"\n":
        return
    start = _last_line_start(fd, size)
    fragment = os.pread(fd, size - start, start)
    if parse_object(fragment)[0] is not None:
        _write_all(fd, b"\n")
        return
    aside = os.open(
        path.with_name(path.name + ".torn"), os.O_WRONLY | os.O_NONBLOCK | _CREATE, 0o600
    )
    try:
        _write_all(aside, fragment + b"\n")
    finally:
        os.close(aside)
    os.ftruncate(fd, start)


def _last_line_start(fd: int, size: int) -> int:
    end = size
    while end > 0:
        start = max(0, end - _TAIL_BYTES)
        found = os.pread(fd, end - start, start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0


def _parse(chunks: Iterator[bytes], number: int = 0, offset: int = 0) -> Iterator[Line]:
    rest = b""
    for chunk in chunks:
        whole, newline, tail = chunk.rpartition(b"\n")
        if not newline:
            rest += chunk
            continue
        for raw in (rest + whole).split(b"\n"):
            number += 1
            yield from _line(number, offset, raw)
            offset += len(raw) + 1
        rest = tail
    if rest and parse_object(rest)[0] is not None:
        yield from _line(number + 1, offset, rest)


def _line(number: int, offset: int, raw: bytes) -> Iterator[Line]:
    if not raw.strip():
        return
    data, problem = parse_object(raw)
    excerpt = "" if data is not None else raw[:320].decode("utf-8", "replace")[:80]
    yield Line(number, offset, data, problem, excerpt)


def parse_object(raw: bytes) -> tuple[dict[str, JsonValue] | None, str]:
    """The JSON object a line holds, or None and why it holds none."""
    try:
        data = json.loads(raw.decode())
    except (ValueError, RecursionError) as error:
        return None, f"not JSON: {str(error)[:80]}"
    return (data, "") if isinstance(data, dict) else (None, "not a JSON object")
