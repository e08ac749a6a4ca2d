"""What an import says, and what it leaves alone: projects not made yet, records never read."""

from __future__ import annotations

import gzip
import json
import os
import pty
import signal
import subprocess
import sys
import tarfile
import time
import zipfile
from pathlib import Path

import pytest

from hindsight_cli import config
from hindsight_cli.api.importing import How, import_paths
from hindsight_cli.api.project import Project
from tests.cli.test_discovery import Home, claude_file, claude_records, home, sessions_of, write
from tests.conftest import MYSQL, SAMPLES, Hindsight, run_hindsight

__all__ = ["home"]
SAMPLE = SAMPLES / "mysql-container.jsonl"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two git repositories in it, and no project anywhere."""
    top = tmp_path / "code"
    for name in ("api", "web"):
        (top / name / ".git").mkdir(parents=True)
    return top


@pytest.mark.parametrize(
    "arguments",
    [["--dry-run"], [], ["--all-projects"], ["--dry-run", str(SAMPLE)], ["{junk}"]],
    ids=["dry run", "nothing found", "nothing anywhere", "dry run of a file", "a file of nothing"],
)
def test_an_import_of_nothing_makes_no_project(
    folder: Path, home: Home, arguments: list[str]
) -> None:
    junk = folder / "junk.jsonl"
    junk.write_text("no transcript\n")
    given = [a.format(junk=junk) for a in arguments]

    run_hindsight(["import", *given], cwd=folder, env={})

    assert not (folder / ".hindsight").exists()


def test_a_dry_run_finds_what_the_import_then_takes(folder: Path, home: Home) -> None:
    claude_file(home, "here", folder / "api")
    claude_file(home, "elsewhere", folder / "web")
    repository = folder / "api"

    listed = run_hindsight(["import", "--dry-run", "--json"], cwd=repository, env={})
    assert [Path(f["path"]).stem for f in listed.data["discovered"]] == ["here"]
    assert not (repository / ".hindsight").exists()

    run_hindsight(["import"], cwd=repository, env={})
    assert sessions_of(Project(repository)) == {"here"}


def test_repositories_never_join_a_folder_s_project_unnoticed(folder: Path, home: Home) -> None:
    claude_file(home, "one", folder / "api")
    above = run_hindsight(["import"], cwd=folder, env={})
    assert "git repositories inside it: api\n" in above.out

    for command in (["import", "--dry-run"], ["status"]):
        inside = run_hindsight(command, cwd=folder / "web", env={})
        assert f"The project is {folder}, above this git repository" in inside.err
        assert "hindsight init" in inside.err


def test_init_gives_a_repository_a_project_of_its_own(folder: Path, home: Home) -> None:
    below = folder / "api" / "src"
    below.mkdir()
    run_hindsight(["init"], cwd=folder, env={})

    made = run_hindsight(["init", "--json"], cwd=below, env={})

    assert made.data == {"project": str(folder / "api"), "created": True}
    again = run_hindsight(["init", "--json"], cwd=below, env={})
    assert (again.data["created"], again.document["messages"]) == (False, [])
    assert config.find_project(folder / "web", {}) == folder


def broken(path: Path, session: str, cwd: Path) -> Path:
    lines = [json.dumps(record) for record in claude_records(session, cwd, calls=2)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([*lines[:3], '{"type": "user", oops', *lines[3:]]) + "\n")
    return path


def test_what_cannot_be_read_is_told_on_stderr_and_again_until_it_is(
    hindsight: Hindsight, project: Project, home: Home
) -> None:
    path = home / ".claude" / "projects" / "shop" / "bad.jsonl"
    broken(path, "bad", project.root)

    first = hindsight("import")
    assert first.code == 3
    assert "line 4: not JSON" in first.err
    assert "1 record could not be read" in first.err
    assert "Expecting" not in first.err + first.out
    assert "line 4" not in first.out

    again = hindsight("import")
    assert (again.code, again.err) == (0, "")  # what is known already is nothing to mail
    assert str(path) in again.out
    assert "line 4" in again.out
    (found,) = hindsight("import", "--json").data["discovered"]
    assert (found["failed"], found["new"]) == (1, False)

    write(path, claude_records("bad", project.root, calls=2))
    hindsight("import")
    assert str(path) not in hindsight("import").out


def test_sessions_deleted_here_are_told_of_with_the_way_back(
    hindsight: Hindsight, project: Project, home: Home
) -> None:
    path = claude_file(home, "one", project.root)
    claude_file(home, "two", project.root)
    hindsight("import")
    hindsight("traces", "delete", "one")

    done = hindsight("import")
    assert "1 session you deleted" in done.out
    assert f"hindsight import {path}" in done.out

    hindsight("import", str(path))
    assert sessions_of(project) == {"one", "two"}
    assert "you deleted" not in hindsight("import").out


def test_state_of_an_earlier_version_is_understood(
    hindsight: Hindsight, project: Project, home: Home
) -> None:
    path = claude_file(home, "one", project.root)
    hindsight("import")
    about = path.stat()
    state = project.folder / "traces" / "imports.json"
    state.write_text(json.dumps({str(path): [about.st_size, about.st_mtime_ns]}))

    assert "Nothing new" in hindsight("import").out


def watch(project: Project, *arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "hindsight_cli", "import", "--watch", *arguments],
        cwd=project.root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def ended(watching: subprocess.Popen[bytes], project: Project, sessions: set[str]) -> list[str]:
    """What it said by the time that the sessions were there and it had looked once more."""
    try:
        deadline = time.monotonic() + 60
        while sessions_of(project) != sessions and time.monotonic() < deadline:
            time.sleep(0.2)
        time.sleep(5)
        watching.send_signal(signal.SIGINT)
        out, err = watching.communicate(timeout=30)
    finally:
        watching.kill()
    assert (sessions_of(project), watching.returncode) == (sessions, 0)
    return [out.decode(), err.decode()]


def test_watching_a_folder_takes_what_an_import_of_it_takes_and_says_each_thing_once(
    project: Project, tmp_path: Path
) -> None:
    place = tmp_path / "place"
    broken(place / "bad.jsonl", "bad", project.root)
    (place / "notes.json").write_text('{"no": "transcript"}')
    (place / "old.jsonl.gz").write_bytes(gzip.compress(b"{}\n"))

    out, err = ended(watch(project, str(place)), project, {"bad"})

    assert out == ""
    assert err.count("notes.json") == err.count("old.jsonl.gz") == 1
    assert err.count("line 4: not JSON") == 1
    assert "Known formats" not in err


def test_watching_prints_a_json_document_for_each_import(project: Project, tmp_path: Path) -> None:
    path = write(tmp_path / "one.jsonl", claude_records("one", project.root))

    out, err = ended(watch(project, str(path), "--json"), project, {"one"})

    (document,) = map(json.loads, out.splitlines())
    assert (document["command"], document["data"]["imported"]) == ("import", 3)
    assert err == ""


def packed(path: Path, kind: str) -> Path:
    if kind == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
            archive.write(SAMPLE)
    elif kind == "tar":
        with tarfile.open(path, "w") as tar:
            tar.add(SAMPLE)
    else:
        start = {"gz": b"\x1f\x8b", "xz": b"\xfd7zXZ\0", "zst": b"\x28\xb5\x2f\xfd", "bz2": b"BZh"}
        path.write_bytes(start[kind] + SAMPLE.read_bytes())
    return path


@pytest.mark.parametrize("kind", ["zip", "tar", "gz", "xz", "zst", "bz2"])
@pytest.mark.parametrize("options", [[], ["--format", "claude-code"]], ids=["told", "forced"])
def test_what_is_packed_is_to_be_unpacked_first_whatever_it_is_called(
    hindsight: Hindsight, project: Project, tmp_path: Path, kind: str, options: list[str]
) -> None:
    path = packed(tmp_path / "run.jsonl", kind)

    done = hindsight("import", str(path), *options)

    assert (done.code, sessions_of(project)) == (1, set())
    assert "unpack it first" in done.err


def test_packed_files_in_a_folder_are_named(hindsight: Hindsight, tmp_path: Path) -> None:
    write(tmp_path / "in" / "one.jsonl", claude_records("one", tmp_path))
    packed(tmp_path / "in" / "two.zip", "zip")

    done = hindsight("import", str(tmp_path / "in"))

    assert done.code == 0
    assert "1 compressed file(s), which are to be unpacked first: two.zip" in done.err


def test_a_file_that_fails_is_told_of_once(hindsight: Hindsight, tmp_path: Path) -> None:
    good = write(tmp_path / "one.jsonl", claude_records("one", tmp_path))
    empty = tmp_path / "empty.jsonl"
    empty.touch()

    done = hindsight("import", str(good), str(empty))

    assert done.code == 3
    assert (done.out + done.err).count("empty.jsonl") == 1


def test_paths_can_be_looked_at_first_and_chosen_from(
    hindsight: Hindsight, project: Project, tmp_path: Path
) -> None:
    old = write(tmp_path / "old.jsonl", claude_records("old", tmp_path))
    os.utime(old, (time.time() - 30 * 86400,) * 2)
    write(tmp_path / "new.jsonl", claude_records("new", tmp_path))

    def found(*options: str) -> set[str]:
        data = hindsight("import", str(tmp_path), "--dry-run", "--json", *options).data
        return {Path(f["path"]).stem for f in data["discovered"] if f["agent"] == "claude-code"}

    assert found() == {"old", "new"}
    assert found("--since", "7d") == found("--agent", "claude", "--since", "1w") == {"new"}
    assert found("--agent", "codex") == set()
    assert sessions_of(project) == set()
    assert hindsight("import", str(tmp_path), "--agent", "codex").code == 0
    hindsight("import", str(tmp_path), "--since", "7d")
    assert sessions_of(project) == {"new"}


@pytest.mark.parametrize("name", ["claude", "gemini", "qwen", "copilot", "codex", "pi", "opencode"])
def test_agents_go_by_short_names_as_agents_and_as_formats(
    hindsight: Hindsight, home: Home, name: str
) -> None:
    assert hindsight("import", "--dry-run", "--agent", name).code == 0
    assert hindsight("import", "--dry-run", "--format", name).code == 0


@pytest.mark.parametrize("name", ["claude-code", "gemini-cli", "qwen-code", "copilot-cli"])
def test_an_agent_s_full_name_is_a_format_too(hindsight: Hindsight, home: Home, name: str) -> None:
    assert hindsight("import", "--dry-run", "--format", name).code == 0


@pytest.mark.parametrize("name", ["o", "", "nonesuch"])
def test_a_name_that_is_short_for_several_or_none_is_refused(
    hindsight: Hindsight, home: Home, name: str
) -> None:
    assert hindsight("import", "--dry-run", "--format", name or " ").code == 2
    assert hindsight("import", "--dry-run", "--agent", name or " ").code == 2


def test_how_far_a_file_is_read_is_told_up_to_its_end(project: Project) -> None:
    told: list[int] = []

    report = import_paths(project, [SAMPLE], How(on_bytes=told.append))

    assert report.total("imported") > 0
    assert told == sorted(told)
    assert told[-1] == SAMPLE.stat().st_size


def a_long_session(path: Path, *, messages: int) -> Path:
    (first,) = claude_records("large", path.parent, calls=0)
    said = ({**first, "uuid": f"u-{n}"} for n in range(messages))
    return write(path, said)


def test_ctrl_c_says_what_is_kept_and_how_to_go_on(
    project: Project, hindsight: Hindsight, tmp_path: Path
) -> None:
    path = a_long_session(tmp_path / "large.jsonl", messages=40_000)
    command = [sys.executable, "-m", "hindsight_cli", "import", str(path)]
    running = subprocess.Popen(command, cwd=project.root, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 60
    while project.traces.find("large") is None and time.monotonic() < deadline:
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    told = running.communicate(timeout=30)[1].decode()

    assert running.returncode == 130
    assert "are kept" in told
    assert "Run it again to go on" in told


@pytest.mark.parametrize("columns", [50, 60, 100])
def test_the_bar_stays_on_one_line(project: Project, tmp_path: Path, columns: int) -> None:
    path = a_long_session(tmp_path / f"{'a-long-name-' * 8}.jsonl", messages=3000)
    main, child = pty.openpty()
    running = subprocess.Popen(
        [sys.executable, "-m", "hindsight_cli", "import", str(path)],
        cwd=project.root,
        stdout=subprocess.DEVNULL,
        stderr=child,
        env={**os.environ, "COLUMNS": str(columns), "TERM": "xterm"},
    )
    os.close(child)
    shown = b""
    try:
        while chunk := os.read(main, 65536):
            shown += chunk
    except OSError:
        pass
    assert running.wait(60) == 0
    assert b"%" in shown
    assert shown.count(b"\x1b[1A") <= 1  # up one line, when it is taken away in the end


def test_one_of_a_thing_is_not_told_as_several(hindsight: Hindsight, tmp_path: Path) -> None:
    told = hindsight("import", str(write(tmp_path / "a.jsonl", claude_records("a", tmp_path))))

    assert "(2 steps, 1 call, 1 failed)" in told.out


def test_errors_that_are_not_listed_are_counted(hindsight: Hindsight, tmp_path: Path) -> None:
    tools = ["make", "ninja", "cargo", "npm", "go", "bazel", "gradle"]
    for session in ("a", "b"):
        records = list(claude_records(session, tmp_path, calls=len(tools)))
        for tool, record in zip(tools, records[2::2], strict=True):
            record["message"]["content"][0]["content"] = f"Exit code 2\n{tool} cannot be found"
        write(tmp_path / f"{session}.jsonl", iter(records))

    told = hindsight("import", str(tmp_path))

    assert "7 errors come back" in told.out
    assert "2 more: hindsight failures --recurring" in told.out
    assert MYSQL not in told.out
