"""The database of OpenCode: `opencode.db`, with every session of every project.

It is copied first, by SQLite's own backup, so that an agent at work is never kept from
writing and the tail in its log is not missed. Source: docs/reference/native-formats.md.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from hindsight_cli.capture.draft import Draft, Problem
from hindsight_cli.capture.formats.jsonlines_reader import (
    MAX_LINE_BYTES,
    excerpt_of,
    parse_json,
)
from hindsight_cli.capture.formats.opencode_parts import (
    Message,
    Session,
    is_ended,
    usage_on_last_part,
)
from hindsight_cli.capture.formats.opencode_results import Record, mapping, string
from hindsight_cli.records.jsonvalue import JsonValue

if TYPE_CHECKING:
    from sqlite3 import Connection, Row

_MAGIC = b"SQLite format 3\0"
_TABLES = frozenset({"session", "message", "part"})
_SESSION_COLUMNS = ("id", "parent_id", "directory", "version", "time_created", "model")
_LOCK_TIMEOUT_S = 10


def recognizes(path: Path, head: bytes) -> bool:
    """Whether the file is a SQLite database with the tables of OpenCode."""
    if not head.startswith(_MAGIC):
        return False
    from sqlite3 import Error  # deferred: of the formats only this one needs SQLite

    try:
        with closing(_open(path)) as database:
            names = database.execute("select name from sqlite_master where type = 'table'")
            return {row[0] for row in names} >= _TABLES
    except Error:
        return False


def read(path: Path) -> Iterator[Draft | Problem]:
    """Every part of every session, the older sessions first; one row in memory at a time."""
    from sqlite3 import Error  # deferred: see `recognizes`

    try:
        with _copy_of(path) as database:
            yield from usage_on_last_part(_Reader(database).records())
    except Error as error:
        yield Problem(line=1, reason=f"the database cannot be read: {error}")


@contextmanager
def _copy_of(path: Path) -> Iterator[Connection]:
    """A copy of the database that nobody else writes to, gone afterwards."""
    import sqlite3  # deferred: see `recognizes`

    with tempfile.TemporaryDirectory(prefix="hindsight-") as folder:
        copy = sqlite3.connect(Path(folder) / "copy.db")
        with closing(copy):
            with closing(_open(path)) as database:
                database.backup(copy)
            copy.execute("pragma journal_mode = off")
            copy.row_factory = sqlite3.Row
            yield copy


def _open(path: Path) -> Connection:
    """The database itself, for reading only.

    One whose log nobody keeps open may lie where nothing can be written: then as it is.
    """
    import sqlite3  # deferred: see `recognizes`

    where = f"file:{quote(str(path.resolve()))}"
    database = sqlite3.connect(f"{where}?mode=ro", uri=True, timeout=_LOCK_TIMEOUT_S)
    try:
        database.execute("select 1 from sqlite_master").fetchone()
    except sqlite3.OperationalError:
        database.close()
        if Path(f"{path}-wal").exists():
            raise
        database = sqlite3.connect(f"{where}?mode=ro&immutable=1", uri=True)
    return database


class _Reader:
    """The sessions of one database; parts are numbered through it."""

    def __init__(self, database: Connection) -> None:
        self._database = database
        self._line = 0
        self._called_by: dict[str, str] = {}  # of a subagent's session the call that made it

    def records(self) -> Iterator[Draft | Problem]:
        columns = {row["name"] for row in self._database.execute("pragma table_info(session)")}
        chosen = [name for name in _SESSION_COLUMNS if name in columns]
        order = "time_created, id" if "time_created" in columns else "rowid"
        rows = self._database.execute(
            f"select {', '.join(chosen)} from session order by {order}"
        ).fetchall()
        for row in rows:
            yield from self._session(dict(zip(chosen, row, strict=True)))

    def _session(self, row: Mapping[str, JsonValue]) -> Iterator[Draft | Problem]:
        session_id = str(row["id"])
        about: Record = {
            "id": session_id,
            "parentID": row.get("parent_id"),
            "directory": row.get("directory"),
            "version": row.get("version"),
            "time": {"created": row.get("time_created")},
        }
        session = Session.of(about, session_id, parent_call_id=self._called_by.get(session_id))
        found = self._database.execute(
            "select id, data from message where session_id = ? order by time_created, id",
            (session_id,),
        )
        messages = found.fetchall()
        for number, message in enumerate(messages, start=1):
            yield from self._message(message, session, is_last=number == len(messages))

    def _message(self, row: Row, session: Session, *, is_last: bool) -> Iterator[Draft | Problem]:
        about = self._value(row["data"])
        known: Record = {**mapping(about), "id": row["id"]}
        session.note(known)
        kept = Message(known, not is_last or is_ended(known))
        parts = self._database.execute(
            "select id, data from part where message_id = ? order by id", (row["id"],)
        )
        for part in parts:
            yield self._part(part, session, kept)
        if draft := session.error_draft(self._line + 1, known):
            self._line += 1
            yield draft

    def _part(self, row: Row, session: Session, message: Message) -> Draft | Problem:
        self._line += 1
        value = self._value(row["data"])
        if isinstance(value, Problem):
            return value
        if not isinstance(value, dict):
            return Problem(line=self._line, reason="no part", excerpt=str(value)[:80])
        state = mapping(value.get("state"))
        child = string(mapping(state.get("metadata")), "sessionId", "sessionID")
        if child:
            self._called_by[child] = string(value, "callID")
        return session.draft(self._line, {**value, "id": row["id"]}, message)

    def _value(self, data: JsonValue | bytes) -> JsonValue | Problem:
        raw = data if isinstance(data, bytes | str) else ""
        if len(raw) > MAX_LINE_BYTES:
            reason = f"record longer than {MAX_LINE_BYTES // 2**20} MiB"
            return Problem(line=self._line, reason=reason)
        try:
            return parse_json(raw)
        except (ValueError, RecursionError) as error:
            text = raw.encode("utf-8", "replace") if isinstance(raw, str) else raw
            return Problem(
                line=self._line, reason=f"not JSON: {error}", excerpt=excerpt_of(text[:400])
            )
