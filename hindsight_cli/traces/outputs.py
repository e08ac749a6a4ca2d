"""Full outputs, images and binaries, once each, by the sha256 of their (redacted) bytes."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from pathlib import Path

from hindsight_cli.appendlog import make_private
from hindsight_cli.errors import StorageError


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
        path = self._path(ref)
        if path.exists():
            return ref
        try:
            make_private(path.parent)
            self._write(path, data)
        except OSError as error:
            raise StorageError(str(path), error.strerror or str(error)) from error
        return ref

    def find(self, ref: str) -> bytes | None:
        """The bytes stored under `ref`, or None when they were pruned."""
        if not ref.isalnum():
            return None
        try:
            return self._path(ref).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StorageError(str(self._path(ref)), error.strerror or str(error)) from error

    def delete(self, ref: str) -> None:
        self._path(ref).unlink(missing_ok=True)

    def _path(self, ref: str) -> Path:
        return self._folder / ref[:2] / ref

    def _write(self, path: Path, data: bytes) -> None:
        fd, temporary = tempfile.mkstemp(dir=path.parent, prefix=".new-")  # mode 0600
        try:
            with os.fdopen(fd, "wb") as file:
                file.write(data)
            Path(temporary).replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(temporary).unlink()
            raise
