"""OpenCode's database: read from a copy, with a live agent writing to it or not."""

from __future__ import annotations

import json
import random
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from hindsight_cli.api.importing import How, import_paths
from hindsight_cli.api.project import Project
from hindsight_cli.capture.draft import Draft, Problem, Selection, StoreFormat
from hindsight_cli.capture.formats import detect_format, opencode_db
from hindsight_cli.errors import HindsightError, StorageError, UnknownFormatError
from hindsight_cli.records.event import EventType
from tests.unit.format_reading import events, reader_of
from tests.unit.test_format_opencode import (
    BEGUN_MS,
    DOCUMENT,
    EXPORT,
    SESSION,
    a_message,
    a_shell,
    a_text,
    a_tool,
    an_export,
)
from tests.unit.test_format_shapes import assert_sound, bent

_SCHEMA = """
create table project (id text primary key, worktree text);
create table session (id text primary key, project_id text, parent_id text, slug text,
  directory text, title text, version text, time_created integer, time_updated integer,
  revert text);
create table message (id text primary key, session_id text, time_created integer,
  time_updated integer, data text);
create table part (id text primary key, message_id text, session_id text,
  time_created integer, time_updated integer, data text);
create index part_message on part (message_id, id);
"""


read = reader_of(opencode_db)


def a_database(path: Path, *exports: Mapping[str, Any], log: bool = True) -> Path:
    """A database with the sessions of some exports, as OpenCode stores them."""
    with closing(sqlite3.connect(path)) as database:
        database.execute(f"pragma journal_mode = {'wal' if log else 'delete'}")
        database.executescript(_SCHEMA)
        for export in exports:
            add(database, export)
    return path


def add(database: sqlite3.Connection, export: Mapping[str, Any]) -> None:
    info = export["info"]
    made = info["time"]["created"]
    database.execute(
        "insert into session values (?, 'p', ?, 's', ?, 't', '1.18.33', ?, ?, ?)",
        (info["id"], info.get("parentID"), info["directory"], made, made, info.get("revert")),
    )
    for message in export["messages"]:
        about = {k: v for k, v in message["info"].items() if k not in ("id", "sessionID")}
        native_id, made = message["info"]["id"], message["info"]["time"]["created"]
        database.execute(
            "insert into message values (?, ?, ?, ?, ?)",
            (native_id, info["id"], made, made, json.dumps(about)),
        )
        for part in message["parts"]:
            data = {k: v for k, v in part.items() if k not in ("id", "sessionID", "messageID")}
            database.execute(
                "insert into part values (?, ?, ?, ?, ?, ?)",
                (part["id"], native_id, info["id"], made, made, json.dumps(data)),
            )
    database.commit()


@pytest.fixture
def copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that copies are made in."""
    folder = tmp_path / "copies"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_a_database_and_an_export_are_the_same_events(project: Project, tmp_path: Path) -> None:
    path = a_database(tmp_path / "opencode.db", DOCUMENT)
    assert detect_format(path) == "opencode-db"
    import_paths(project, [EXPORT])

    report = import_paths(project, [path])

    assert (report.total("imported"), report.total("failed")) == (0, 0)
    assert report.total("duplicate") > 20


def test_several_sessions_are_told_apart_the_older_first(tmp_path: Path) -> None:
    later = an_export(a_message("user", a_text("Two")), time={"created": BEGUN_MS + 1}, id="ses_0")
    earlier = an_export(a_message("user", a_text("One"), id="msg_x"), id="ses_9")

    drafts = read(a_database(tmp_path / "opencode.db", later, earlier))

    assert [(d.session.session_id, d.line) for d in drafts] == [("ses_9", 1), ("ses_0", 2)]
    assert [event.text for event in events(drafts, EventType.TASK)] == ["One", "Two"]
    assert drafts[0].session.cwd == "/p"


@pytest.mark.parametrize(
    ("revert", "undone"), [('{"messageID": "msg_a"}', True), ("{", False), (None, False)]
)
def test_what_a_person_took_back_is_marked(
    tmp_path: Path, revert: str | None, undone: bool
) -> None:
    export = an_export(a_message("user", a_text("Go"), id="msg_a"), revert=revert)

    (event,) = events(read(a_database(tmp_path / "opencode.db", export)))

    assert (event.extra.get("branch") == "abandoned") is undone


def test_a_subagents_session_is_linked_to_the_call_that_made_it(tmp_path: Path) -> None:
    call = a_tool("task", "call_7", output="ok", metadata={"sessionId": "ses_2"})
    parent = an_export(a_message("user", a_text("Go"), at=0), a_message("assistant", call))
    child = an_export(
        a_message("user", a_text("Look"), at=2_000),
        id="ses_2",
        parentID="ses_1",
        time={"created": BEGUN_MS + 1_500},
    )

    drafts = read(a_database(tmp_path / "opencode.db", child, parent))

    session = drafts[-1].session
    assert (session.session_id, session.parent_session_id) == ("ses_2", "ses_1")
    assert session.parent_call_id == "call_7"


def test_what_lies_in_the_log_only_is_read(tmp_path: Path, copies: Path) -> None:
    path = tmp_path / "opencode.db"
    with closing(sqlite3.connect(path)) as agent:
        agent.execute("pragma journal_mode = wal")
        agent.execute("pragma wal_autocheckpoint = 0")
        agent.executescript(_SCHEMA)
        add(agent, DOCUMENT)

        assert path.stat().st_size < 8192
        assert detect_format(path) == "opencode-db"
        assert len(read(path)) == 33
    assert list(copies.iterdir()) == []


_AGENT = """
    import sqlite3, sys
    agent = sqlite3.connect(sys.argv[1], timeout=0, isolation_level=None)
    for line in sys.stdin:
        try:
            agent.execute(line.strip())
            print("done", flush=True)
        except sqlite3.Error as error:
            print(error, flush=True)
"""


class Agent:
    """Another process that has the database open and waits for no lock."""

    def __init__(self, path: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(_AGENT), str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def does(self, sql: str) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{sql}\n")
        self._process.stdin.flush()
        return self._process.stdout.readline().strip()

    def leave(self) -> None:
        self._process.communicate()


def test_an_agent_can_write_while_its_database_is_read(tmp_path: Path) -> None:
    path = a_database(tmp_path / "opencode.db", DOCUMENT)
    agent = Agent(path)
    try:
        assert agent.does("begin immediate") == "done"
        assert agent.does("update session set title = 'half a change'") == "done"

        records = opencode_db.read(path)
        next(records)

        assert agent.does("insert into project values ('q', '/q')") == "done"
        assert agent.does("commit") == "done"
        assert len(list(records)) == 32
        assert agent.does("pragma wal_checkpoint(truncate)") == "done"
    finally:
        agent.leave()


def test_a_database_that_somebody_keeps_locked_is_told(
    tmp_path: Path, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opencode_db, "_LOCK_TIMEOUT_S", 0)
    path = a_database(tmp_path / "opencode.db", DOCUMENT, log=False)
    agent = Agent(path)
    try:
        assert agent.does("begin exclusive") == "done"

        with pytest.raises(HindsightError, match="database is locked"):
            import_paths(project, [path], How(format_name="opencode-db"))
    finally:
        agent.leave()


@pytest.mark.parametrize("log", [True, False])
def test_nothing_is_left_beside_the_database(tmp_path: Path, copies: Path, log: bool) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    path = a_database(folder / "opencode #1?.db", DOCUMENT, log=log)
    before = path.read_bytes()
    assert [p.name for p in folder.iterdir()] == [path.name]

    assert detect_format(path) == "opencode-db"
    assert len(read(path)) == 33

    assert [p.name for p in folder.iterdir()] == [path.name]
    assert path.read_bytes() == before
    assert list(copies.iterdir()) == []


def test_the_copy_is_gone_when_reading_stops_half_way(tmp_path: Path, copies: Path) -> None:
    records = opencode_db.read(a_database(tmp_path / "opencode.db", DOCUMENT))
    next(records)
    (copy,) = copies.iterdir()
    assert copy.stat().st_mode & 0o077 == 0

    records.close()  # type: ignore[attr-defined]

    assert list(copies.iterdir()) == []


def began(session_id: str, cwd: str, at: int, **about: Any) -> dict[str, Any]:
    task = a_message("user", a_text(session_id), at=at, id=f"msg_{session_id}")
    made = {"created": BEGUN_MS + at}
    return an_export(task, id=session_id, directory=cwd, time=made, **about)


def test_the_sessions_of_one_directory_since_a_time_can_be_taken_out(
    tmp_path: Path, copies: Path
) -> None:
    real, link = tmp_path / "shop", tmp_path / "link"
    real.mkdir()
    link.symlink_to(real)
    path = a_database(
        tmp_path / "opencode.db",
        began("ses_old", str(real), 0),
        began("ses_own", str(real), 5_000),
        began("ses_helper", str(real), 6_000, parentID="ses_own"),
        began("ses_elsewhere", str(tmp_path), 6_000),
    )
    target = tmp_path / "own.db"

    opencode_db.extract(path, target, Selection(folders=(str(link),), since_ms=BEGUN_MS + 5_000))

    assert detect_format(target) == "opencode-db"
    drafts = read(target)
    assert [draft.session.session_id for draft in drafts] == ["ses_own", "ses_helper"]
    assert [event.text for event in events(drafts, EventType.TASK)] == ["ses_own", "ses_helper"]
    assert drafts[1].session.parent_session_id == "ses_own"
    assert isinstance(opencode_db, StoreFormat)


def test_the_folders_that_sessions_began_in_are_told_once(tmp_path: Path, copies: Path) -> None:
    path = a_database(
        tmp_path / "opencode.db",
        began("ses_1", "/srv/a", 0),
        began("ses_2", "/srv/b", 1),
        began("ses_3", "/srv/a", 2),
    )
    assert sorted(opencode_db.folders(path)) == ["/srv/a", "/srv/b"]


def test_a_file_that_nothing_can_be_taken_out_of_is_told(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    path.write_bytes(b"SQLite format 3\0" + b"x" * 5000)

    with pytest.raises(StorageError):
        opencode_db.extract(path, tmp_path / "own.db", Selection(folders=("/p",)))
    with pytest.raises(StorageError):
        opencode_db.folders(path)


def test_a_session_that_went_on_is_read_on(project: Project, tmp_path: Path) -> None:
    start = an_export(a_message("user", a_text("Go"), at=0))
    path = a_database(tmp_path / "opencode.db", start)
    import_paths(project, [path])
    reply = a_message("assistant", a_shell("make", "no rule", exit=2))

    with closing(sqlite3.connect(path)) as database:
        database.execute("delete from session")
        database.execute("delete from message")
        database.execute("delete from part")
        add(database, an_export(*start["messages"], reply))
    report = import_paths(project, [path])

    (trace,) = report.traces
    assert (report.total("imported"), report.total("duplicate")) == (1, 1)
    assert (trace.tool_calls, trace.failed_tool_calls) == (1, 1)


def test_a_session_without_messages_is_no_trace(project: Project, tmp_path: Path) -> None:
    path = a_database(
        tmp_path / "opencode.db",
        an_export(),
        an_export(a_message("user", a_text("Go")), id="ses_2"),
    )

    report = import_paths(project, [path])

    assert [trace.session_id for trace in report.traces] == ["ses_2"]


def test_messages_of_a_version_to_come_are_told_not_taken_for_none(
    project: Project, tmp_path: Path
) -> None:
    path = a_database(tmp_path / "opencode.db", an_export(), DOCUMENT)
    with closing(sqlite3.connect(path)) as database:
        database.execute("create table session_message (id text, session_id text, type text)")
        for session_id, kind in (("ses_1", "user"), ("ses_1", "assistant"), (SESSION, "user")):
            database.execute("insert into session_message values ('m', ?, ?)", (session_id, kind))
        database.commit()

    report = import_paths(project, [path])

    assert report.unknown_records == {"session_message/user": 1, "session_message/assistant": 1}


def test_broken_rows_cost_only_themselves(tmp_path: Path) -> None:
    message = a_message("assistant", *[a_text(f"Text {n}") for n in range(5)])
    path = a_database(tmp_path / "opencode.db", an_export(message))
    ids = [part["id"] for part in message["parts"]]
    broken = ['{"type": "text", "te', "5", b"\xff\xfe", "[" * 99_999]
    with closing(sqlite3.connect(path)) as database:
        for native_id, data in zip(ids, broken, strict=False):
            database.execute("update part set data = ? where id = ?", (data, native_id))
        database.execute("update message set data = 'x'")
        database.commit()

    records = list(opencode_db.read(path))

    assert [type(record) for record in records] == [*[Problem] * 5, Draft]
    assert [record.line for record in records] == [1, 2, 3, 4, 5, 6]


def test_text_that_is_no_utf8_is_read(tmp_path: Path) -> None:
    path = a_database(tmp_path / "opencode.db", an_export(a_message("user", a_text("Caf\u00e9"))))
    with closing(sqlite3.connect(path)) as database:
        (data,) = database.execute("select data from part").fetchone()
        torn = json.dumps({"type": "text", "text": "Caf?"}).encode().replace(b"?", b"\xe9")
        assert data
        database.execute("update part set data = cast(? as text)", (torn,))
        database.commit()

    assert [event.text for event in events(read(path))] == ["Caf\ufffd"]


@pytest.mark.parametrize("keep", [0.3, 0.7])
def test_a_damaged_database_is_told_not_raised(tmp_path: Path, keep: float) -> None:
    path = a_database(tmp_path / "opencode.db", DOCUMENT, log=False)
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * keep)])

    *_, last = opencode_db.read(path)

    assert isinstance(last, Problem)
    assert "database" in last.reason


@pytest.mark.parametrize("table", ["message", "part"])
def test_other_databases_are_not_taken_for_it(project: Project, tmp_path: Path, table: str) -> None:
    path = a_database(tmp_path / "other.db")
    with closing(sqlite3.connect(path)) as database:
        database.execute(f"drop table {table}")

    assert detect_format(path) is None
    with pytest.raises(UnknownFormatError, match="binary file"):
        import_paths(project, [path])


@pytest.mark.parametrize("column", ["time_created", "parent_id", "version", "directory", "revert"])
def test_tables_of_another_version_are_read(tmp_path: Path, column: str) -> None:
    path = a_database(tmp_path / "opencode.db", DOCUMENT)
    with closing(sqlite3.connect(path)) as database:
        database.execute(f"alter table session drop column {column}")

    drafts = read(path)

    assert {draft.session.session_id for draft in drafts} == {SESSION}
    assert len(drafts) == 33


@pytest.mark.parametrize("seed", range(2))
def test_bent_rows_are_all_accounted_for(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    for number in range(20):
        path = a_database(tmp_path / f"{number}.db", DOCUMENT)
        with closing(sqlite3.connect(path)) as database:
            for table in ("message", "part"):
                rows = database.execute(f"select id, data from {table}").fetchall()
                for native_id, data in rows:
                    changed = json.dumps(bent(json.loads(data), chance))
                    database.execute(
                        f"update {table} set data = ? where id = ?", (changed, native_id)
                    )
            database.commit()

        records = list(opencode_db.read(path))

        assert [record.line for record in records] == list(range(1, len(records) + 1))
        assert len(records) >= 32
        for record in records:
            if isinstance(record, Draft):
                assert_sound(record)
