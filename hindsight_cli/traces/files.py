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
HOOKS = "hooks"  # the source of what an agent told its hooks
TERMINAL = "terminal"  # that of what a run's terminal showed
_PROXY = "proxy-"  # begins those of what MCP proxies saw, one for each server's name
# What a session is read from, the first that there is; of several proxies the first by name.
_IN_PLACE = ("", HOOKS, _PROXY, TERMINAL)


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
        """The file a session is read from, whichever month it lies in.

        Its own; without one, what hooks told of it; without that, what an MCP proxy saw, and
        at last what its terminal showed.

        Raises:
            StorageError: a link or a pipe lies in its place.
        """
        for source in _IN_PLACE:
            if source == _PROXY:
                found = next(iter(self.find_proxies(session_id)), None)
            else:
                found = self.find_source(session_id, source)
            if found is not None:
                return found
        return None

    def find_proxies(self, session_id: str) -> list[Path]:
        """What MCP proxies saw of a session: a file for each server, by name."""
        months = self._months(session_id)
        paths = [p for month in months for p in month.glob(f"{session_id}.{_PROXY}*.jsonl")]
        check_files(*paths)
        return sorted(paths, key=lambda path: path.name)

    def find_source(self, session_id: str, source: str = "") -> Path | None:
        """As `find`, for exactly one source; "" is the session's own file."""
        name = _name(session_id, source)
        paths = (month / name for month in self._months(session_id))
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
        """Every session, oldest month first, with the file that `find` would give.

        A terminal's file stands for its session as long as there is no better one: that of
        a run still going on, or killed. So does what hooks told of a session without a
        transcript.

        Raises:
            StorageError: a link or a pipe lies in the place of one.
        """
        files: dict[str, tuple[int, Path]] = {}
        for path in (p for month in self._months() for p in sorted(month.glob("*.jsonl"))):
            session_id, _, source = path.stem.partition(".")
            place = _PROXY if source.startswith(_PROXY) else source
            if not _SESSION_ID.fullmatch(session_id) or place not in _IN_PLACE:
                continue
            rank = _IN_PLACE.index(place)
            if session_id not in files or rank < files[session_id][0]:
                files[session_id] = (rank, path)
        check_files(*(path for _, path in files.values()))
        return [SessionFile(session_id, path) for session_id, (_, path) in files.items()]

    def promote(self, session_id: str, source: str) -> bool:
        """Make a source's file the session's own; False when it has one, or it cannot be moved."""
        path = self.find_source(session_id, source)
        if path is None or self.find_source(session_id) is not None:
            return False
        own = path.with_name(_name(session_id))
        try:
            os.link(path, own)  # fails where a file is, unlike a rename
        except FileExistsError:
            return False
        except OSError:
            with contextlib.suppress(OSError):  # a file system without links
                path.rename(own)
        else:
            path.unlink()
        return own.exists()

    @contextlib.contextmanager
    def open(self, session_id: str, *, month: str, source: str = "") -> Iterator[OpenSession]:
        """Lock a session's file, made under `month` (yyyy-mm) when there is none.

        Raises:
            StorageError: it cannot be written, or the id is no file name.
        """
        if not _SESSION_ID.fullmatch(session_id):
            raise StorageError(session_id, "it is no session id")
        found = self.find_source(session_id, source)
        path = found or self.folder / month / _name(session_id, source)
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


def _name(session_id: str, source: str = "") -> str:
    return f"{session_id}.{source}.jsonl" if source else f"{session_id}.jsonl"


def proxy_source(name: str) -> str:
    """The source of what the MCP proxy of a server saw; `name` is one plain file name."""
    return f"{_PROXY}{name}"


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
