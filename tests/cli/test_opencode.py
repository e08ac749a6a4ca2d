"""OpenCode from its database to traces: found after a run, among the sessions of all others."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from hindsight_cli.api.project import Project
from hindsight_cli.api.traces import list_traces
from hindsight_cli.integrations.past import past_files
from tests.conftest import Hindsight
from tests.unit.test_format_opencode import a_message, a_shell, a_text, an_export
from tests.unit.test_format_opencode_db import a_database

# Makes the sessions that lie ready in its database its own: begun now, where it runs.
OPENCODE = f"""#!{sys.executable}
import pathlib, sqlite3, sys, time
store = pathlib.Path(sys.argv[-1], "opencode", "opencode.db")
database = sqlite3.connect(store)
database.execute("pragma wal_autocheckpoint = 0")
database.execute(
    "update session set time_updated = ?, directory = ? where directory = 'where it runs'",
    (int(time.time() * 1000), str(pathlib.Path.cwd())),
)
database.commit()
print("done", flush=True)
import os
os._exit(0)  # as a program does that leaves its log behind
"""


def a_session(session_id: str, directory: str, **about: str) -> dict[str, object]:
    return an_export(
        a_message("user", a_text(f"Task of {session_id}"), id=f"msg_{session_id}_1"),
        a_message(
            "assistant", a_shell("make", "no rule", exit=2), id=f"msg_{session_id}_2", at=2_000
        ),
        **{"id": session_id, "directory": directory, **about},
    )


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    (folder / "opencode").mkdir(parents=True)
    return folder


def run(hindsight: Hindsight, data: Path) -> str:
    program = data.parent / "bin" / "opencode"
    program.parent.mkdir(exist_ok=True)
    program.write_text(OPENCODE, encoding="utf-8")
    program.chmod(0o700)
    done = hindsight("run", "--", str(program), "run", str(data), XDG_DATA_HOME=str(data))
    assert done.code == 0
    return done.err


@pytest.mark.parametrize(
    ("own", "said"),
    [
        (["ses_own"], "1 failed call recorded as ses_own"),
        ([], "of terminal text recorded"),
        (["ses_own", "ses_other"], "2 transcripts changed during this run"),
    ],
)
def test_after_a_run_its_session_is_the_trace_and_no_other_is_imported(
    hindsight: Hindsight, project: Project, data: Path, own: Sequence[str], said: str
) -> None:
    sessions = [
        a_session("ses_elsewhere", "/srv/elsewhere"),
        a_session("ses_past", str(project.root)),
        *[a_session(session_id, "where it runs") for session_id in own],
    ]
    a_database(data / "opencode" / "opencode.db", *sessions)

    err = run(hindsight, data)

    assert said in err
    tasks = {row.session_id: row.task for row in list_traces(project) if row.tool_calls}
    assert tasks == {session_id: f"Task of {session_id}" for session_id in own}


def test_a_subagent_of_a_run_is_imported_beside_it(
    hindsight: Hindsight, project: Project, data: Path
) -> None:
    sessions = [
        a_session("ses_own", "where it runs"),
        a_session("ses_sub", "where it runs", parentID="ses_own"),
    ]
    a_database(data / "opencode" / "opencode.db", *sessions)

    err = run(hindsight, data)

    assert "recorded as ses_own" in err
    assert {row.session_id for row in list_traces(project)} == {"ses_own", "ses_sub"}


def test_of_a_found_database_only_this_project_s_sessions_are_read(
    hindsight: Hindsight, project: Project, data: Path
) -> None:
    inside = project.root / "docs"
    inside.mkdir()
    own = [a_session("ses_1", str(project.root)), a_session("ses_2", str(inside))]
    others = [a_session(f"ses_other_{n}", f"/srv/other-{n}") for n in range(5)]
    alone = a_database(data.parent / "alone.db", *own)
    path = a_database(data / "opencode" / "opencode.db", *others, *own)

    found = hindsight("import", "--json", XDG_DATA_HOME=str(data), HOME=str(data)).data

    (file,) = found["files"]
    assert file["path"] == str(path)
    assert {t["session_id"] for t in found["traces"]} == {"ses_1", "ses_2"}
    again = hindsight("import", str(alone), "--json").data
    assert (again["found"], again["imported"]) == (file["found"], 0)


def test_a_folder_with_a_database_is_searched(hindsight: Hindsight, data: Path) -> None:
    a_database(data / "opencode" / "opencode.db", a_session("ses_1", "/srv"))

    done = hindsight("import", str(data), "--json")

    (trace,) = done.document["data"]["traces"]
    assert (trace["session_id"], trace["failed_tool_calls"]) == ("ses_1", 1)


def test_what_is_only_in_the_log_of_the_database_makes_it_new(data: Path) -> None:
    path = a_database(data / "opencode" / "opencode.db", a_session("ses_1", "/srv"))
    (before,) = past_files({"XDG_DATA_HOME": str(data)}, [])

    with closing(sqlite3.connect(path)) as database:
        database.execute("pragma wal_autocheckpoint = 0")
        database.execute("update session set title = 'x'")
        database.commit()
        (after,) = past_files({"XDG_DATA_HOME": str(data)}, [])

    assert before.holds_many
    assert after.size_bytes > before.size_bytes
    assert after.modified_ns > before.modified_ns
