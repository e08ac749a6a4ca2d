"""Trace files: the truth. One file a session, found by its id, read by one tolerant reader."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hindsight_cli import appendlog
from hindsight_cli.errors import StorageError
from hindsight_cli.records.event import Event, event_from_dict, event_to_dict
from hindsight_cli.records.jsonvalue import JsonValue
from hindsight_cli.traces.plain import check_files, check_folders

_MONTH = re.compile(r"[0-9]{4}-[0-9]{2}")
_SESSION_ID = re.compile(r"[A-Za-z0-9_-]{1,200}")


@dataclass(frozen=True, slots=True)
class SessionFile:
    session_id: str
    path: Path


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line of a trace file that is no event; everything round it is read."""

    path: str
    line: int
    reason: str


class OpenSession:
    """One session's file with its lock held."""

    def __init__(self, log: appendlog.LockedFile) -> None:
        self._log = log

    @property
    def size(self) -> int:
        return self._log.size()

    def events(self) -> list[Event]:
        return [event for line in self._log.lines() if (event := event_of(line)) is not None]

    def tail(self, max_bytes: int) -> tuple[list[Event], bool]:
        """The last events, and whether they are all there are."""
        lines, whole = self._log.tail(max_bytes)
        return [event for line in lines if (event := event_of(line)) is not None], whole

    def append(self, events: list[Event]) -> None:
        self._log.append([event_to_dict(event) for event in events])


class TraceFiles:
    """`<folder>/<yyyy-mm>/<session_id>.jsonl`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def find(self, session_id: str) -> Path | None:
        """The file of a session, whichever month it lies in.

        Raises:
            StorageError: a link or a pipe lies in its place.
        """
        paths = (month / f"{session_id}.jsonl" for month in self._months(session_id))
        path = next((path for path in paths if os.path.lexists(path)), None)
        if path is not None:
            check_files(path)
        return path

    def all_files(self) -> list[Path]:
        """Every file of every session: its own, those of other sources, torn ends of both.

        Raises:
            StorageError: a link or a pipe lies in the place of one.
        """
        paths = [p for month in self._months() for p in sorted(month.glob("*.jsonl*"))]
        check_files(*paths)
        return paths

    def files_of(self, session_id: str) -> list[Path]:
        """Those of one session."""
        return [path for path in self.all_files() if path.name.split(".")[0] == session_id]

    def sessions(self) -> list[SessionFile]:
        """Every session, oldest month first. Files of other sources (`a.hooks.jsonl`) are not.

        Raises:
            StorageError: a link or a pipe lies in the place of one.
        """
        paths = [
            path
            for month in self._months()
            for path in sorted(month.glob("*.jsonl"))
            if _SESSION_ID.fullmatch(path.stem)
        ]
        check_files(*paths)
        return [SessionFile(path.stem, path) for path in paths]

    @contextlib.contextmanager
    def open(self, session_id: str, *, month: str) -> Iterator[OpenSession]:
        """Lock a session's file, made under `month` (yyyy-mm) when there is none.

        Raises:
            StorageError: it cannot be written, or the id is no file name.
        """
        if not _SESSION_ID.fullmatch(session_id):
            raise StorageError(session_id, "it is no session id")
        path = self.find(session_id) or self.folder / month / f"{session_id}.jsonl"
        check_folders(self.folder, path.parent)
        check_files(path, path.with_name(path.name + ".torn"))
        with appendlog.locked(path) as log:
            yield OpenSession(log)

    def read(self, path: Path) -> tuple[list[Event], list[BadLine]]:
        """Every event of a file in order, and the lines that are none."""
        events: list[Event] = []
        bad: list[BadLine] = []
        for line in appendlog.read_lines(path):
            event = event_of(line)
            if event is not None:
                events.append(event)
            else:
                bad.append(BadLine(str(path), line.number, line.problem or "not an event"))
        return events, bad

    def _months(self, session_id: str = "any") -> list[Path]:
        """The folders a session may lie in, oldest first; none for what is no session id."""
        check_folders(self.folder)
        if not _SESSION_ID.fullmatch(session_id):
            return []
        months = [path for path in sorted(self.folder.glob("*")) if _MONTH.fullmatch(path.name)]
        check_folders(*months)
        return months


def month_of(timestamp: str | None, today: str) -> str:
    """The yyyy-mm folder for a session that began at `timestamp`, else at `today` (ISO 8601)."""
    month = (timestamp or today)[:7]
    return month if _MONTH.fullmatch(month) else today[:7]


def event_of(line: appendlog.Line) -> Event | None:
    """The event of a line; None when it is none. The one place where lines become events."""
    data: dict[str, JsonValue] | None = line.data
    if data is None:
        return None
    try:
        return event_from_dict(data)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        return None
