"""Full outputs, images and binaries, once each, by the sha256 of their (redacted) bytes."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
from pathlib import Path

from hindsight_cli.appendlog import make_private
from hindsight_cli.errors import StorageError
from hindsight_cli.traces.plain import check_files, check_folders, read_plain

_REF = re.compile(r"[0-9a-f]{64}")


class OutputStore:
    """`<folder>/<aa>/<sha256>`; content never changes once written."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, data: bytes) -> str:
        """Store `data` and give its sha256; storing the same bytes again costs nothing.

        Raises:
            StorageError: the disk refused; nothing half-written is left behind.
        """
        ref = hashlib.sha256(data).hexdigest()
        path = self._checked(ref)
        if path.exists():
            with contextlib.suppress(OSError):
                os.utime(path)  # it is needed again: see `prune`
            return ref
        try:
            make_private(path.parent)
            self._write(path, data)
        except OSError as error:
            raise StorageError(str(path), error.strerror or str(error)) from error
        return ref

    def find(self, ref: str) -> bytes | None:
        """The bytes stored under `ref`, or None when they were pruned or `ref` is no sha256.

        Raises:
            StorageError: they cannot be read, or a link or a pipe lies in their place.
        """
        if not _REF.fullmatch(ref):
            return None
        path = self._checked(ref)
        try:
            return read_plain(path)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StorageError(str(path), error.strerror or str(error)) from error

    def delete(self, ref: str) -> None:
        """Delete what is stored under `ref`; nothing is no error."""
        if _REF.fullmatch(ref):
            self._checked(ref).unlink(missing_ok=True)

    def refs(self) -> list[str]:
        """Every ref that something is stored under.

        Raises:
            StorageError: a link or a pipe lies in the place of a folder.
        """
        check_folders(self._folder)
        folders = sorted(self._folder.glob("[0-9a-f][0-9a-f]"))
        check_folders(*folders)
        return [p.name for f in folders for p in sorted(f.iterdir()) if _REF.fullmatch(p.name)]

    def prune(self, ref: str, before: float, *, dry_run: bool = False) -> int | None:
        """Delete what was last stored before a time (seconds since 1970); its size, or None.

        With `dry_run` it stays.
        """
        path = self._checked(ref)
        try:
            about = path.stat()
            if about.st_mtime >= before:
                return None
            if not dry_run:
                path.unlink()
        except FileNotFoundError:
            return None
        return about.st_size

    def _checked(self, ref: str) -> Path:
        path = self._folder / ref[:2] / ref
        check_folders(self._folder, path.parent)
        check_files(path)
        return path

    def _write(self, path: Path, data: bytes) -> None:
        # Not by `tempfile`: loading it costs a hook a tenth of its time.
        temporary = path.with_name(f".new-{os.urandom(8).hex()}")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            with os.fdopen(os.open(temporary, flags, 0o600), "wb") as file:
                file.write(data)
            temporary.replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise
