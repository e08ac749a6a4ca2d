"""What we wrote into other programs' files: kept in the user's data folder, to take it back."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hindsight_cli.api.private_file import write_private
from hindsight_cli.appendlog import make_private
from hindsight_cli.errors import StorageError
from hindsight_cli.integrations.json_edit import Made
from hindsight_cli.records.jsonvalue import JsonValue

FOLDER = "install"
_FILE = "installed.json"
_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRecord:
    """One file of another program that holds entries of ours."""

    agent: str
    created: bool  # it was not there before
    made: Made
    folders: tuple[str, ...] = ()  # that were made for it, outermost first
    backup: str = ""  # the file as it was, by its name in our folder

    def with_folders(self, folders: Sequence[str]) -> FileRecord:
        return replace(self, folders=(*self.folders, *folders))


class InstallRecords:
    """The records of this user, one a file."""

    def __init__(self, data: Path) -> None:
        self._folder = data / FOLDER
        self._path = self._folder / _FILE

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Two that install at once must not undo each other.

        Raises:
            StorageError: the data folder cannot be used.
        """
        try:
            make_private(self._folder)
            fd = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise StorageError(str(self._folder), error.strerror or str(error)) from error
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            yield
        finally:
            os.close(fd)

    def get(self, path: Path) -> FileRecord | None:
        """The record of a file; None when there is none, or it cannot be used."""
        found = self._read().get(str(path))
        if not isinstance(found, dict):
            return None
        return FileRecord(
            agent=str(found.get("agent", "")),
            created=found.get("created") is True,
            made=_made_from(found.get("made")),
            folders=tuple(map(str, found.get("folders", ()))),
            backup=Path(str(found.get("backup", ""))).name,
        )

    def files(self) -> list[tuple[str, str]]:
        """Agent and path of every file with entries of ours."""
        known = self._read()
        return [(str(r.get("agent")), p) for p, r in known.items() if isinstance(r, dict)]

    def keep(self, path: Path, record: FileRecord) -> None:
        """
        Raises:
            StorageError: not written.
        """
        self._write({**self._read(), str(path): _to_json(record)})

    def forget(self, path: Path) -> None:
        """The record goes, and the copy of the file as it was.

        Raises:
            StorageError: not written.
        """
        known = dict(self._read())
        record = self.get(path)
        if known.pop(str(path), None) is None:
            return
        if record is not None and record.backup:
            (self._folder / record.backup).unlink(missing_ok=True)
        self._write(known)

    def with_backup(self, record: FileRecord, path: Path, data: bytes) -> FileRecord:
        """The record with a copy of the file as it was before we first wrote into it.

        Raises:
            StorageError: not written.
        """
        if record.backup or record.created:
            return record
        digest = hashlib.sha256(str(path).encode("utf-8", "surrogateescape")).hexdigest()[:12]
        name = f"{digest}-{path.name}"
        backup = self._folder / name
        try:
            backup.unlink(missing_ok=True)
            fd = os.open(backup, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
            with os.fdopen(fd, "wb") as file:
                file.write(data)
        except OSError as error:
            raise StorageError(str(backup), error.strerror or str(error)) from error
        return replace(record, backup=name)

    def _read(self) -> Mapping[str, JsonValue]:
        try:
            files = json.loads(self._path.read_text(encoding="utf-8"))["files"]
            return files if isinstance(files, dict) else {}
        except (OSError, ValueError, LookupError, TypeError, RecursionError):
            return {}

    def _write(self, files: Mapping[str, JsonValue]) -> None:
        text = json.dumps({"v": _VERSION, "files": files}, indent=1, ensure_ascii=True)
        write_private(self._path, text + "\n")


def _to_json(record: FileRecord) -> dict[str, JsonValue]:
    made = record.made
    return {
        "agent": record.agent,
        "created": record.created,
        "folders": list(record.folders),
        "backup": record.backup,
        "made": {
            "containers": sorted(made.containers),
            "empties": dict(made.empties),
            "blank": made.blank,
            "is_known": made.is_known,
        },
    }


def _made_from(data: JsonValue) -> Made:
    """An unusable record counts as none."""
    if not isinstance(data, dict):
        return Made(is_known=False)
    blank, empties = data.get("blank"), data.get("empties")
    return Made(
        containers={str(c) for c in data.get("containers", ())},
        empties={str(k): str(v) for k, v in empties.items()} if isinstance(empties, dict) else {},
        blank=blank if isinstance(blank, str) else None,
        is_known=data.get("is_known") is not False,
    )
