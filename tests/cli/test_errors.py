"""Bad input: one clear error with a hint and an exit code, and nothing lost."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from hindsight_cli.api.project import Project
from tests.conftest import MYSQL, SAMPLES, Hindsight, run_hindsight

GOOD = (SAMPLES / "mysql-container.jsonl").read_bytes()


def prepare(folder: Path, name: str, data: bytes | None) -> str:
    path = folder / name
    if data is None:
        path.mkdir()
        (path / "notes.txt").write_text("no transcript")
    else:
        path.write_bytes(data)
    return str(path)


@pytest.mark.parametrize(
    ("name", "data", "code"),
    [
        ("folder", None, "no_transcripts"),
        ("binary.jsonl", bytes(range(256)) * 40, "unknown_format"),
        ("half.json", b'[{"role": "user", "content": "half a docu', "nothing_read"),
        ("empty.jsonl", b"", "unknown_format"),
        ("other.jsonl", b'{"stock": 3}\n{"stock": 4}\n', "unknown_format"),
        ("prose.jsonl", "第一行\n第二行\n".encode(), "unknown_format"),
    ],
)
def test_what_is_no_transcript_is_one_error_with_a_hint(
    hindsight: Hindsight, tmp_path: Path, name: str, data: bytes | None, code: str
) -> None:
    done = hindsight("import", prepare(tmp_path, name, data))
    assert done.code == 1
    assert done.out == ""
    assert done.err.startswith(f"error[{code}]: ")
    assert "  hint: " in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("arguments", "code", "exit_code"),
    [
        (["import", "nowhere.jsonl"], "source_not_found", 1),
        (["import", str(SAMPLES), "--format", "nonesuch"], "format_not_found", 2),
        (["traces", "show", "nope"], "trace_not_found", 1),
        (["reflect", "nope"], "trace_not_found", 1),
        (["reflect"], "trace_not_found", 1),
        (["experiences", "show", "ex-nope"], "experience_not_found", 1),
        (["experiences", "approve", "ex-nope"], "experience_not_found", 1),
        (["experiences", "undo"], "nothing_to_undo", 1),
        (["experiences", "list", "--status", "odd"], "usage", 2),
        (["record", "event", "--session", "nope", "--type", "message"], "session_not_found", 1),
        (["search"], "usage", 2),
        (["search", "x", "-k", "9"], "usage", 2),
        (["search", "x", "--mode", "semantic"], "usage", 2),
        (["search", "x", "--nonesuch"], "usage", 2),
        (["nonesuch"], "usage", 2),
        (["failures", "--since", "soon"], "usage", 2),
    ],
)
@pytest.mark.parametrize("as_json", [False, True])
def test_every_mistake_has_a_code_a_hint_and_an_exit_code(
    hindsight: Hindsight, arguments: list[str], code: str, exit_code: int, as_json: bool
) -> None:
    done = hindsight(*arguments, *(["--json"] if as_json else []))
    assert done.code == exit_code
    assert "Traceback" not in done.err
    if as_json:
        (error,) = done.document["errors"]
        assert (done.document["status"], error["code"]) == ("error", code)
        assert error["hint"]
    else:
        assert done.out == ""
        assert f"error[{code}]: " in done.err


def test_without_a_project_reading_says_so_and_retrieval_stays_silent(tmp_path: Path) -> None:
    lost = tmp_path / "elsewhere"
    lost.mkdir()
    listed = run_hindsight(["traces", "list"], cwd=lost, env={})
    assert (listed.code, listed.out) == (1, "")
    assert "error[project_not_found]" in listed.err
    searched = run_hindsight(["search", "x"], cwd=lost, env={})
    injected = run_hindsight(["inject", "x"], cwd=lost, env={})
    assert (searched.code, searched.out, injected.code, injected.out) == (0, "", 0, "")
    assert list(lost.iterdir()) == []


@pytest.mark.parametrize("where", ["/", "home", "temp"])
def test_a_root_a_home_and_the_temp_folder_are_refused_as_projects(
    tmp_path: Path, where: str
) -> None:
    home, temp = tmp_path / "home", tmp_path / "temp"
    home.mkdir()
    temp.mkdir()
    cwd = {"/": Path("/"), "home": home, "temp": temp}[where]
    env = {"HOME": str(home), "TMPDIR": str(temp)}
    done = run_hindsight(["import", str(SAMPLES)], cwd=cwd, env=env)
    assert done.code == 1
    assert "error[project_refused]" in done.err
    assert not (cwd / ".hindsight").exists()


def test_a_bad_line_costs_itself_and_is_reported_by_number(
    hindsight: Hindsight, tmp_path: Path
) -> None:
    lines = GOOD.split(b"\n")
    lines[4] = lines[4][: len(lines[4]) // 2]
    (tmp_path / "torn.jsonl").write_bytes(b"\n".join(lines))
    data = hindsight("import", str(tmp_path / "torn.jsonl"), "--json").data
    assert (data["found"], data["imported"], data["failed"]) == (30, 29, 1)
    assert [p["line"] for p in data["problems"]] == [5]


def test_strict_leaves_a_file_with_a_bad_line_out_whole(
    hindsight: Hindsight, tmp_path: Path, project: Project
) -> None:
    (tmp_path / "torn.jsonl").write_bytes(GOOD + b'{"half": \n')
    done = hindsight("import", str(tmp_path / "torn.jsonl"), "--strict")
    assert done.code == 1
    assert project.traces.sessions() == []


def test_one_unreadable_file_does_not_cost_the_others(hindsight: Hindsight, tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    (folder / "good.jsonl").write_bytes(GOOD)
    (folder / "cut.json").write_bytes(b'[{"role": "user", "content": "half a docu')
    (folder / "stock.json").write_bytes(b'{"stock": 3}')
    done = hindsight("import", str(folder), "--json")
    assert done.code == 3
    assert done.document["status"] == "partial"
    assert [t["session_id"] for t in done.data["traces"]] == [MYSQL]
    assert [e["code"] for e in done.document["errors"]] == ["nothing_read"]
    assert any("stock.json" in message for message in done.document["messages"])


def test_a_bad_file_named_beside_a_good_one_does_not_cost_it(
    hindsight: Hindsight, tmp_path: Path
) -> None:
    (tmp_path / "notes.json").write_text('{"stock": 3}')
    good = str(SAMPLES / "mysql-container.jsonl")
    done = hindsight("import", str(tmp_path / "notes.json"), good, "--json")
    assert done.code == 3
    assert [t["format"] for t in done.data["traces"]] == ["claude-code"]
    assert [e["code"] for e in done.document["errors"]] == ["unknown_format"]


def test_everything_in_the_store_is_for_this_user_alone(
    hindsight: Hindsight, project: Project
) -> None:
    hindsight("import", str(SAMPLES))
    hindsight("reflect", "--all")
    for path in [project.folder, *project.folder.rglob("*")]:
        assert path.stat().st_mode & 0o077 == 0, path


def test_records_of_unknown_types_are_an_error_that_counts_them_not_a_short_session(
    hindsight: Hindsight, tmp_path: Path, project: Project
) -> None:
    lines = []
    for line in GOOD.splitlines():
        data = json.loads(line)
        data["type"] = {"user": "person", "assistant": "robot"}[data["type"]]
        lines.append(json.dumps(data))
    (tmp_path / "newer.jsonl").write_text("\n".join(lines))
    done = hindsight("import", str(tmp_path / "newer.jsonl"), "--format", "claude-code")
    assert done.code == 1
    assert "error[nothing_read]" in done.err
    assert "x robot" in done.err
    assert project.traces.sessions() == []


@pytest.mark.parametrize("damage", [b"garbage" * 999, b"SQLite format 3\0" + b"\xff" * 4000])
def test_a_damaged_index_is_made_again_and_no_trace_is_lost(
    hindsight: Hindsight, project: Project, approved: Callable[..., str], damage: bytes
) -> None:
    hindsight("import", str(SAMPLES))
    own = approved()
    before = hindsight("traces", "list").out
    for path in project.folder.glob("index.db*"):
        path.write_bytes(damage)
    assert hindsight("traces", "list").out == before
    for path in project.folder.glob("index.db*"):
        path.write_bytes(damage)
    assert own in hindsight("search", "deploy mysql").out


def test_an_index_of_a_newer_version_is_left_alone(hindsight: Hindsight, project: Project) -> None:
    import sqlite3

    hindsight("import", str(SAMPLES))
    connection = sqlite3.connect(project.index_path)
    connection.execute("pragma user_version = 999")
    connection.close()
    before = project.index_path.read_bytes()
    done = hindsight("traces", "list")
    assert (done.code, "error[newer_store]" in done.err) == (1, True)
    assert project.index_path.read_bytes() == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_read_only_project_is_one_clear_error(hindsight: Hindsight, project: Project) -> None:
    hindsight("import", str(SAMPLES))
    for path in [*project.folder.rglob("*"), project.folder]:
        path.chmod(0o500 if path.is_dir() else 0o400)
    done = hindsight("import", str(SAMPLES / "port-again.jsonl"))
    for path in [project.folder, *project.folder.rglob("*")]:
        path.chmod(0o700)
    assert (done.code, "error[storage]" in done.err) == (1, True)


def test_a_store_that_cannot_be_written_is_one_clear_error_and_the_trace_stays(
    hindsight: Hindsight, project: Project
) -> None:
    """A folder in the place of the file stops root too."""
    hindsight("import", str(SAMPLES / "mysql-container.jsonl"))
    path = project.traces.find(MYSQL)
    assert path is not None
    kept = path.read_bytes()
    project.ledger.local.mkdir()
    done = hindsight("reflect", "--last")
    assert done.code == 1
    assert "error[storage]" in done.err
    assert path.read_bytes() == kept


def test_bad_settings_name_file_key_and_what_is_allowed(
    hindsight: Hindsight, project: Project
) -> None:
    (project.folder / "project.toml").write_text('stale_days = "soon"\n')
    done = hindsight("expire")
    assert done.code == 1
    assert "stale_days" in done.err
    assert "project.toml" in done.err
    assert "30" in done.err


@pytest.mark.parametrize("target", ["/dev/zero", "fifo", "elsewhere"])
@pytest.mark.parametrize("name", ["experiences.jsonl", "local.jsonl", "index.db"])
def test_a_link_or_pipe_in_the_store_is_refused_at_once(
    hindsight: Hindsight, project: Project, tmp_path: Path, target: str, name: str
) -> None:
    path = project.folder / name
    if target == "fifo":
        os.mkfifo(path)
        if name == "index.db":  # derived: whatever stands in its place is replaced
            assert hindsight("search", "x").code == 0
            return
    else:
        path.symlink_to("/dev/zero" if target == "/dev/zero" else tmp_path / "elsewhere")
    done = hindsight("search", "x")
    assert (done.code, "error[storage]" in done.err) == (1, True)
    assert not (tmp_path / "elsewhere").exists()


def test_a_marker_in_the_temp_folder_makes_no_project_of_all_below(tmp_path: Path) -> None:
    (tmp_path / ".hindsight").mkdir()
    (tmp_path / ".hindsight/project.toml").write_text("")
    below = tmp_path / "new"
    below.mkdir()
    done = run_hindsight(["traces", "list"], cwd=below, env={"TMPDIR": str(tmp_path)})
    assert "error[project_not_found]" in done.err


def test_a_folder_that_only_claims_to_be_a_worktree_is_not_believed(
    hindsight: Hindsight, project: Project, tmp_path: Path
) -> None:
    (project.root / ".git").mkdir()
    fake = tmp_path / "fake"
    (fake / "fakegit").mkdir(parents=True)
    (fake / ".git").write_text("gitdir: fakegit\n")
    (fake / "fakegit/commondir").write_text(f"{project.root / '.git'}\n")
    (fake / "fakegit/gitdir").write_text("/somewhere/else/.git\n")
    assert "error[project_not_found]" in hindsight("traces", "list", cwd=fake).err


@pytest.mark.parametrize("arguments", ["traces list", "search x", "experiences show nope --json"])
@pytest.mark.parametrize("closed", [">&-", "<&-", "| true"])
def test_closed_streams_leave_no_traceback(
    hindsight: Hindsight, project: Project, arguments: str, closed: str
) -> None:
    import subprocess
    import sys

    command = f"{sys.executable} -m hindsight_cli {arguments} {closed}"
    done = subprocess.run(
        ["bash", "-c", command], cwd=project.root, capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr


def test_a_page_of_the_index_overwritten_heals_itself(
    hindsight: Hindsight, project: Project, approved: Callable[..., str]
) -> None:
    own = approved()
    hindsight("import", str(SAMPLES))
    hindsight("traces", "list")
    import sqlite3

    with sqlite3.connect(project.index_path) as connection:
        connection.execute("pragma wal_checkpoint(truncate)")
    data = bytearray(project.index_path.read_bytes())
    for page in range(1, len(data) // 4096, 3):
        data[page * 4096 : page * 4096 + 4096] = os.urandom(4096)
    project.index_path.write_bytes(data)
    assert own in hindsight("search", "deploy mysql").out
    assert hindsight("traces", "list").code == 0


def test_decisions_hold_whatever_the_clock_says(
    project: Project, approved: Callable[..., str]
) -> None:
    from datetime import UTC, datetime, timedelta

    from hindsight_cli.api import reviewing

    now = datetime(2026, 11, 1, tzinfo=UTC)
    own = approved()
    for days, decide, status in (
        (1, reviewing.reject, "rejected"),
        (-30, reviewing.approve, "approved"),
        (400, reviewing.reject, "rejected"),
        (-400, reviewing.approve, "approved"),
    ):
        project.clock = lambda days=days: now + timedelta(days=days)  # type: ignore[misc]
        assert decide(project, own).state.status == status
