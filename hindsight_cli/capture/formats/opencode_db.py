"""The database of OpenCode, `opencode.db`: every session of every project.

It is copied first, by SQLite's own backup, so that an agent at work is never kept from
writing and the tail in its log is not missed. Source: docs/reference/native-formats.md.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from hindsight_cli.capture.draft import Draft, Problem, Selection
from hindsight_cli.capture.formats.jsonlines_reader import (
    MAX_LINE_BYTES,
    excerpt_of,
    no_record,
    parse_json,
    why_not_read,
)
from hindsight_cli.capture.formats.opencode_parts import (
    Message,
    Session,
    is_ended,
    usage_on_last_part,
)
from hindsight_cli.capture.formats.opencode_results import Record, mapping, string
from hindsight_cli.errors import StorageError
from hindsight_cli.records.jsonvalue import JsonValue

if TYPE_CHECKING:
    from sqlite3 import Connection, Row

_MAGIC = b"SQLite format 3\0"
_TABLES = frozenset({"session", "message", "part"})
_NEWER = "session_message"  # a table that versions to come may keep messages in instead
_SESSION_COLUMNS = ("id", "parent_id", "directory", "version", "time_created", "revert")
# How the sessions asked for are copied.
_SELECTED = (
    "create table copy.session as select * from main.session"
    " where directory in (select value from json_each(?)) and time_updated >= ?",
    "create table copy.message as select * from main.message"
    " where session_id in (select id from copy.session)",
    "create table copy.part as select * from main.part"
    " where session_id in (select id from copy.session)",
    "create index copy.parts_of_message on part (message_id, id)",
    "create index copy.messages_by_id on message (id)",
)
_WRITE_VERSION = 18  # where the header says how changes are written,
_WITH_LOG = 2  # and how it says: to a log beside the file
_LOCK_TIMEOUT_S = 10


def recognizes(path: Path, head: bytes) -> bool:
    """Whether the file is a SQLite database with the tables of OpenCode."""
    if not head.startswith(_MAGIC):
        return False
    from sqlite3 import Error  # deferred: no other format needs SQLite

    try:
        with closing(_open(path)) as database:
            names = database.execute("select name from sqlite_master where type = 'table'")
            return {row[0] for row in names} >= _TABLES
    except Error:
        return False


def read(path: Path) -> Iterator[Draft | Problem]:
    """Every part of every session, older sessions first; one row in memory at a time."""
    from sqlite3 import Error  # deferred: see `recognizes`

    try:
        with _copy_of(path) as database:
            yield from usage_on_last_part(_Reader(database).records())
    except Error as error:
        yield Problem(line=1, reason=f"the database cannot be read: {error}")


def folders(path: Path) -> list[str]:
    """Where the sessions in the database began, each folder once.

    Raises:
        StorageError: `path` cannot be read.
    """
    from sqlite3 import Error  # deferred: see `recognizes`

    try:
        with closing(_open(path)) as database:
            database.text_factory = _text
            rows = database.execute("select distinct directory from session")
            return [folder for (folder,) in rows if isinstance(folder, str)]
    except Error as error:
        raise StorageError(str(path), str(error)) from error


def extract(path: Path, target: Path, selection: Selection) -> None:
    """Write the sessions asked for to a new database, all as they are at one moment.

    Raises:
        StorageError: `path` cannot be read.
    """
    from sqlite3 import Error  # deferred: see `recognizes`

    named = [folder for folder in selection.folders if folder]
    chosen = json.dumps([*named, *(str(Path(folder).resolve()) for folder in named)])
    try:
        with closing(_open(path)) as database:
            database.isolation_level = None  # what follows is one transaction
            database.execute("attach ? as copy", (str(target),))
            database.execute("begin")
            database.execute(_SELECTED[0], (chosen, selection.since_ms))
            for statement in _SELECTED[1:]:
                database.execute(statement)
            database.execute("commit")
    except Error as error:
        raise StorageError(str(path), str(error)) from error


@contextmanager
def _copy_of(path: Path) -> Iterator[Connection]:
    """A copy of the database that nobody else knows of, gone afterwards."""
    import sqlite3  # deferred: see `recognizes`

    with (
        tempfile.TemporaryDirectory(prefix="hindsight-") as folder,
        closing(sqlite3.connect(Path(folder) / "copy.db")) as copy,
    ):
        copy.execute("pragma synchronous = off")
        with closing(_open(path)) as database:
            database.backup(copy)
        copy.execute("pragma query_only = on")
        copy.row_factory = sqlite3.Row
        copy.text_factory = _text
        yield copy


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _open(path: Path) -> Connection:
    """The database itself, for reading only; nothing is written beside it.

    A database that keeps a log but has none is in nobody's use. To open it as usual
    would begin a log.
    """
    import sqlite3  # deferred: see `recognizes`

    with path.open("rb") as file:
        header = file.read(_WRITE_VERSION + 1)
    has_log = header[_WRITE_VERSION:] == bytes([_WITH_LOG])
    unused = has_log and not path.with_name(f"{path.name}-wal").exists()
    where = f"file:{quote(str(path.resolve()))}?mode=ro{'&immutable=1' if unused else ''}"
    database = sqlite3.connect(where, uri=True, timeout=_LOCK_TIMEOUT_S)
    try:
        # The backup would wait for a lock without end; this waits as long as it may.
        database.execute("select 1 from sqlite_master").fetchone()
    except sqlite3.Error:
        database.close()
        raise
    return database


def _has_table(database: Connection, name: str) -> bool:
    found = database.execute(
        "select 1 from sqlite_master where type = 'table' and name = ?", (name,)
    )
    return found.fetchone() is not None


class _Reader:
    """The sessions of one database; their parts are numbered through it."""

    def __init__(self, database: Connection) -> None:
        self._database = database
        self._line = 0
        self._has_newer = _has_table(database, _NEWER)
        self._made_by: dict[str, str] = {}  # the call that made a subagent's session

    def records(self) -> Iterator[Draft | Problem]:
        from sqlite3 import Error  # deferred: see `recognizes`

        try:
            for row in self._sessions():
                yield from self._session(row)
        except Error as error:
            reason = f"the database cannot be read on: {error}"
            yield Problem(line=self._line + 1, reason=reason)

    def _sessions(self) -> list[Mapping[str, JsonValue]]:
        columns = {row["name"] for row in self._database.execute("pragma table_info(session)")}
        chosen = [name for name in _SESSION_COLUMNS if name in columns]
        order = "time_created, id" if "time_created" in columns else "rowid"
        rows = self._database.execute(f"select {', '.join(chosen)} from session order by {order}")
        return [dict(row) for row in rows]

    def _session(self, row: Mapping[str, JsonValue]) -> Iterator[Draft | Problem]:
        session_id = str(row["id"])
        about: Record = {
            "id": session_id,
            "parentID": row.get("parent_id"),
            "directory": row.get("directory"),
            "version": row.get("version"),
            "time": {"created": row.get("time_created")},
            "revert": self._revert(row.get("revert")),
        }
        session = Session.of(about, session_id, parent_call_id=self._made_by.get(session_id))
        messages = self._database.execute(
            "select id from message where session_id = ? order by time_created, id", (row["id"],)
        ).fetchall()
        for number, message in enumerate(messages, start=1):
            yield from self._message(message["id"], session, is_last=number == len(messages))
        if not messages and self._has_newer:
            yield from self._newer(row["id"], session)

    def _newer(self, session_id: JsonValue, session: Session) -> Iterator[Draft]:
        """Messages that cannot be read yet, so that they are not taken for none."""
        rows = self._database.execute(
            f"select type from {_NEWER} where session_id = ? order by rowid", (session_id,)
        )
        for row in rows:
            self._line += 1
            kind = f"{_NEWER}/{row['type']}"
            yield Draft(session=session.info, line=self._line, native_type=kind, known=False)

    def _message(
        self, message_id: JsonValue, session: Session, *, is_last: bool
    ) -> Iterator[Draft | Problem]:
        row = self._database.execute(
            "select data from message where id = ?", (message_id,)
        ).fetchone()
        value = self._value(row["data"] if row else None, self._line + 1)
        if isinstance(value, Problem):
            self._line += 1
            yield value
        about: Record = {**mapping(value), "id": str(message_id)}
        session.note(about)
        kept = Message(about, not is_last or is_ended(about))
        parts = self._database.execute(
            "select id, data from part where message_id = ? order by id", (message_id,)
        )
        for part in parts:
            yield self._part(part, session, kept)
        if draft := session.error_draft(self._line + 1, about):
            self._line += 1
            yield draft

    def _part(self, row: Row, session: Session, message: Message) -> Draft | Problem:
        self._line += 1
        value = self._value(row["data"], self._line)
        if isinstance(value, Problem):
            return value
        if not isinstance(value, dict):
            return no_record(self._line, value)
        child = string(mapping(mapping(value.get("state")).get("metadata")), "sessionId")
        if child:
            self._made_by[child] = string(value, "callID")
        return session.draft(self._line, {**value, "id": str(row["id"])}, message)

    def _revert(self, data: JsonValue) -> JsonValue:
        value = self._value(data, self._line) if isinstance(data, str) else None
        return None if isinstance(value, Problem) else value

    def _value(self, data: object, line: int) -> JsonValue | Problem:
        raw = data if isinstance(data, bytes | str) else str(data)
        if len(raw) > MAX_LINE_BYTES:
            return Problem(line=line, reason=f"longer than {MAX_LINE_BYTES // 2**20} MiB")
        try:
            return parse_json(raw)
        except RecursionError:
            reason = "nested too deeply"
        except ValueError as error:
            reason = why_not_read(error)
        start = raw[:400]
        excerpt = excerpt_of(start.encode("utf-8", "replace") if isinstance(start, str) else start)
        return Problem(line=line, reason=reason, excerpt=excerpt)
