"""`hindsight import` without paths: what agents left on this machine for this project."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hindsight_cli.api.project import Project
from hindsight_cli.api.traces import list_traces
from tests.conftest import Hindsight

Home = Path


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A home folder of its own, for us and for what we start."""
    folder = tmp_path / "home"
    folder.mkdir()
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "QWEN_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(folder))
    return folder


def claude_records(session: str, cwd: Path, *, calls: int = 1) -> Iterator[dict[str, Any]]:
    def record(kind: str, number: int, content: object) -> dict[str, Any]:
        return {
            "type": kind,
            "uuid": f"{session}-{number}",
            "parentUuid": None,
            "sessionId": session,
            "cwd": str(cwd),
            "version": "2.1.197",
            "timestamp": f"2026-11-30T10:{number:02d}:00.000Z",
            "message": {"role": kind, "id": f"m{number}", "content": content},
        }

    yield record("user", 1, "build the report")
    for n in range(calls):
        use = {"type": "tool_use", "id": f"t{n}", "name": "Bash", "input": {"command": "make"}}
        yield record("assistant", 2 * n + 2, [use])
        text = "Exit code 2\nmake: *** No rule to make target 'report'.  Stop."
        told = {"type": "tool_result", "tool_use_id": f"t{n}", "is_error": True, "content": text}
        yield record("user", 2 * n + 3, [told])


def write(path: Path, records: Iterator[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
    return path


def claude_file(home: Home, session: str, cwd: Path, **more: int) -> Path:
    slug = "".join(c if c.isalnum() else "-" for c in str(cwd))
    records = claude_records(session, cwd, **more)
    return write(home / ".claude" / "projects" / slug / f"{session}.jsonl", records)


def sessions_of(project: Project) -> set[str]:
    return {row.session_id for row in list_traces(project)}


def test_this_project_s_sessions_are_found_and_no_others(
    hindsight: Hindsight, project: Project, home: Home, tmp_path: Path
) -> None:
    below = project.root / "api"
    below.mkdir()
    claude_file(home, "here", project.root)
    claude_file(home, "below", below)
    claude_file(home, "gone", project.root / "deleted-since")
    claude_file(home, "elsewhere", tmp_path / "other")
    claude_file(home, "beside", Path(f"{project.root}-two"))

    done = hindsight("import")

    assert sessions_of(project) == {"here", "below", "gone"}
    assert "claude-code" in done.out
    assert "3 new" in done.out
    assert done.err == ""  # cron mails what is there
    assert "make" in done.out  # the error that comes back over sessions
    assert "Next: hindsight reflect --all" in done.out


@pytest.mark.parametrize("why", ["too long", "not to be looked into"])
def test_a_folder_that_cannot_be_looked_at_stops_no_other(
    project: Project, home: Home, tmp_path: Path, why: str
) -> None:
    shut = tmp_path / "shut"
    shut.mkdir()
    folder = tmp_path / ("a" * 300) if why == "too long" else shut / "proj"
    claude_file(home, "here", project.root)
    write(home / ".claude" / "projects" / "x" / "there.jsonl", claude_records("there", folder))
    command = [sys.executable, "-m", "hindsight_cli", "import"]
    if why != "too long":
        if os.geteuid() == 0:  # root may look into everything
            drop = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"]
            if shutil.which("setpriv") is None:
                pytest.skip("needs setpriv")
            os.chown(shut, 65534, 65534)
            command = [*drop, *command]
        shut.chmod(0o700 if os.geteuid() == 0 else 0)
    done = subprocess.run(command, cwd=project.root, capture_output=True, text=True, check=False)
    shut.chmod(0o700)
    assert (done.returncode, done.stderr) == (0, "")
    assert sessions_of(project) == {"here"}


def test_a_project_inside_this_one_keeps_its_own(
    hindsight: Hindsight, project: Project, home: Home
) -> None:
    inner = project.root / "inner"
    inner.mkdir()
    hindsight("init", "--project", str(inner))
    claude_file(home, "inner", inner)

    hindsight("import")

    assert sessions_of(project) == set()


def test_only_what_is_new_is_read_again(hindsight: Hindsight, project: Project, home: Home) -> None:
    claude_file(home, "one", project.root)
    hindsight("import")
    assert "Nothing new" in hindsight("import").out

    grown = claude_file(home, "one", project.root, calls=2)
    claude_file(home, "two", project.root)
    data = hindsight("import", "--json").data

    assert [f["path"] for f in data["files"] if f["path"] == str(grown)] == [str(grown)]
    assert (data["imported"], data["duplicate"]) == (5, 3)
    assert data["overview"]["sessions"] == 2


def test_deleted_traces_are_read_again(hindsight: Hindsight, project: Project, home: Home) -> None:
    claude_file(home, "one", project.root)
    hindsight("import")
    for path in sorted((project.folder / "traces").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()

    hindsight("import")

    assert sessions_of(project) == {"one"}


def test_a_dry_run_lists_and_writes_nothing(
    hindsight: Hindsight, project: Project, home: Home
) -> None:
    path = claude_file(home, "one", project.root)

    (found,) = hindsight("import", "--dry-run", "--json").data["discovered"]

    assert (found["agent"], found["path"], found["new"]) == ("claude-code", str(path), True)
    assert sessions_of(project) == set()


def test_sessions_of_an_agent_or_of_the_last_days_can_be_chosen(
    hindsight: Hindsight, project: Project, home: Home
) -> None:
    old = claude_file(home, "old", project.root)
    long_ago = time.time() - 30 * 86400
    os.utime(old, (long_ago, long_ago))
    claude_file(home, "fresh", project.root)

    def found(*options: str) -> set[str]:
        data = hindsight("import", "--dry-run", "--json", *options).data
        return {Path(f["path"]).stem for f in data["discovered"]}

    assert found() == {"old", "fresh"}
    assert found("--since", "7d") == {"fresh"}
    assert found("--agent", "codex") == set()
    wrong = hindsight("import", "--agent", "nope")
    assert (wrong.code, "claude-code" in wrong.err) == (2, True)
    both = hindsight("import", str(old), "--all-projects")
    assert (both.code, "error[usage]" in both.err) == (2, True)


def test_all_projects_are_imported_when_asked_for(
    hindsight: Hindsight, project: Project, home: Home, tmp_path: Path
) -> None:
    claude_file(home, "elsewhere", tmp_path / "other")

    assert "No sessions" in hindsight("import").out
    hindsight("import", "--all-projects")

    assert sessions_of(project) == {"elsewhere"}


def test_a_folder_named_by_the_hash_of_this_project_is_its_own(
    hindsight: Hindsight, project: Project, home: Home
) -> None:
    """Early versions of Gemini CLI; later ones say whose a folder is in a file."""
    early = hashlib.sha256(str(project.root).encode()).hexdigest()
    chats = {
        early: "",
        "shop": str(project.root),
        "other": "/somewhere/else",
    }
    for name, root in chats.items():
        folder = home / ".gemini" / "tmp" / name
        (folder / "chats").mkdir(parents=True)
        if root:
            (folder / ".project_root").write_text(root)
        (folder / "chats" / f"session-{name[:5]}.json").write_text("{}")

    data = hindsight("import", "--dry-run", "--json").data

    names = sorted(Path(f["path"]).stem for f in data["discovered"])
    assert names == sorted([f"session-{early[:5]}", "session-shop"])


def test_a_file_that_cannot_be_read_stops_no_other(
    hindsight: Hindsight, project: Project, home: Home
) -> None:
    bad = claude_file(home, "bad", project.root)
    bad.write_text(f'{{"cwd": "{project.root}", "type": "half')
    claude_file(home, "good", project.root)

    done = hindsight("import")

    assert (done.code, sessions_of(project)) == (3, {"good"})
    assert str(bad) in done.err


def test_watching_imports_what_is_added_until_it_is_ended(project: Project, home: Home) -> None:
    claude_file(home, "first", project.root)
    watching = subprocess.Popen(
        [sys.executable, "-m", "hindsight_cli", "import", "--watch"],
        cwd=project.root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        deadline = time.monotonic() + 60
        while sessions_of(project) != {"first"} and time.monotonic() < deadline:
            time.sleep(0.2)
        claude_file(home, "second", project.root)
        while sessions_of(project) != {"first", "second"} and time.monotonic() < deadline:
            time.sleep(0.2)
        watching.send_signal(signal.SIGINT)
        _, told = watching.communicate(timeout=30)
    finally:
        watching.kill()
    assert sessions_of(project) == {"first", "second"}
    assert watching.returncode == 0
    assert b"imported: first" in told
    assert b"imported: second" in told


def test_what_was_read_before_a_kill_is_not_read_again(
    hindsight: Hindsight, home: Home, project: Project
) -> None:
    folder = home / ".claude" / "projects" / "shop"
    for n in range(8):
        path = write(folder / f"s-{n}.jsonl", claude_records(f"s-{n}", project.root))
        os.utime(path, (time.time() - 100 + n, time.time() - 100 + n))
    code = (
        "import os, signal, sys, time; from pathlib import Path\n"
        "from hindsight_cli.api.discovering import Wanted, discover, import_found\n"
        "from hindsight_cli.api.importing import How\n"
        "from hindsight_cli.api.project import Project\n"
        "def on_file(file):\n"
        "    time.sleep(0.4)\n"
        "    if file.path.stem == 's-6':\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "project = Project(Path(sys.argv[1]))\n"
        "import_found(project, discover(project, Wanted()), How(), on_file=on_file)\n"
    )
    killed = subprocess.run([sys.executable, "-c", code, str(project.root)], check=False)

    data = hindsight("import", "--json").data

    assert killed.returncode == -signal.SIGKILL
    read = {Path(file["path"]).stem for file in data["files"]}
    assert {"s-6", "s-7"} <= read <= {f"s-{n}" for n in range(3, 8)}
    assert (len(list_traces(project)), data["failed"]) == (8, 0)
