"""The store keeps to itself: no glob in an id, no link or pipe out of it, and delete deletes."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from hindsight_cli.api import recording
from hindsight_cli.api.deleting import delete_trace
from hindsight_cli.api.project import Project
from hindsight_cli.api.traces import list_traces, read_trace
from hindsight_cli.errors import SessionNotFoundError, StorageError
from hindsight_cli.traces.plain import read_plain
from tests.conftest import Hindsight

LONG = {"event_type": "message", "output": "long " * 200}


def recorded(project: Project, event: dict[str, str] = LONG) -> tuple[str, Path]:
    session = recording.start(project, "build it").session_id
    recording.record(project, session, [event])
    path = project.traces.find(session)
    assert path is not None
    return session, path


@pytest.mark.parametrize("session", ["?" * 29, "*", "rec-[0-9]*", "..", "a/b", "", "x" * 5000, "é"])
def test_an_id_names_one_session_or_none(project: Project, session: str) -> None:
    _, path = recorded(project)
    before = path.read_bytes()
    assert project.traces.find(session) is None
    with pytest.raises(SessionNotFoundError):
        recording.record(project, session, [LONG])
    with pytest.raises(StorageError), project.traces.open(session, month="2026-01"):
        pass
    assert path.read_bytes() == before


def test_a_pattern_writes_into_nobodys_session(hindsight: Hindsight, project: Project) -> None:
    session, path = recorded(project)
    before = path.read_bytes()
    done = hindsight(
        *("record", "event", "--session", "?" * len(session), "--type", "message"),
        *("--output", "x"),
    )
    assert (done.code, "error[session_not_found]" in done.err) == (1, True)
    assert path.read_bytes() == before


def as_link(path: Path, outside: Path) -> None:
    path.rename(outside / "moved")
    path.symlink_to(outside / "moved")


def as_pipe(path: Path, outside: Path) -> None:
    path.rename(outside / "moved")
    os.mkfifo(path)


def as_device(path: Path, outside: Path) -> None:
    path.rename(outside / "moved")
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize("replace", [as_link, as_pipe, as_device])
@pytest.mark.parametrize("what", ["traces", "month", "file"])
def test_traces_that_lie_elsewhere_are_refused(
    project: Project, tmp_path: Path, what: str, replace: Callable[[Path, Path], None]
) -> None:
    session, path = recorded(project)
    replace({"traces": path.parent.parent, "month": path.parent, "file": path}[what], tmp_path)
    before = outside_of(tmp_path)

    for use in (
        lambda: list_traces(project),
        lambda: read_trace(project, session),
        lambda: recording.record(project, session, [LONG]),
        lambda: delete_trace(project, session),
    ):
        with pytest.raises(StorageError):
            use()
    if what != "file":
        with pytest.raises(StorageError):
            recording.start(project, "another")
    assert outside_of(tmp_path) == before


@pytest.mark.parametrize("replace", [as_link, as_pipe, as_device])
@pytest.mark.parametrize("what", ["outputs", "outputs/aa", "file"])
def test_outputs_that_lie_elsewhere_are_refused(
    project: Project, tmp_path: Path, what: str, replace: Callable[[Path, Path], None]
) -> None:
    session, _ = recorded(project)
    (path,) = [p for p in (project.folder / "outputs").rglob("*") if p.is_file()]
    replace(
        {"outputs": path.parent.parent, "outputs/aa": path.parent, "file": path}[what], tmp_path
    )
    before = outside_of(tmp_path)

    for use in (
        lambda: project.outputs.find(path.name),
        lambda: recording.record(project, session, [LONG]),
        lambda: delete_trace(project, session),
    ):
        with pytest.raises(StorageError):
            use()
    assert outside_of(tmp_path) == before


def outside_of(folder: Path) -> list[tuple[str, int]]:
    moved = folder / "moved"
    files = [moved] if moved.is_file() else sorted(moved.rglob("*"))
    return [(str(path), path.stat().st_size) for path in files]


@pytest.mark.parametrize("ref", ["../../project.toml", "a" * 63, "A" * 64, "é" * 64, "", "x" * 900])
def test_what_is_no_hash_names_no_output(project: Project, ref: str) -> None:
    assert project.outputs.find(ref) is None
    project.outputs.delete(ref)
    assert (project.folder / "project.toml").is_file()


@pytest.mark.parametrize("replace", [as_link, as_pipe, as_device])
def test_a_key_that_lies_elsewhere_is_refused(
    project: Project, tmp_path: Path, replace: Callable[[Path, Path], None]
) -> None:
    assert project.redactor
    replace(project.folder / "redact.key", tmp_path)
    with pytest.raises(StorageError):
        _ = Project(project.root).redactor


def test_no_more_is_read_than_asked_for(tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(b"x" * 1000)
    assert read_plain(tmp_path / "big", 64) == b"x" * 64


def test_deleting_takes_every_file_of_a_session_and_no_other(project: Project) -> None:
    session, path = recorded(project)
    kept, kept_path = recorded(project, {**LONG, "output": "kept " * 200})
    shared = {**LONG, "output": "shared " * 200}
    recording.record(project, session, [shared])
    recording.record(project, kept, [shared])
    torn_ref = project.outputs.put(b"only a torn line knows me")
    torn = path.with_name(path.name + ".torn")
    torn.write_text(f'{{"output_ref":"{torn_ref}","out\n')
    hooks = path.with_name(f"{session}.hooks.jsonl")
    hooks.write_bytes(path.read_bytes())
    elsewhere = path.parent.parent / "1999-01" / f"{session}.proxy-x.jsonl"
    elsewhere.parent.mkdir()
    elsewhere.write_bytes(b"")
    longer = path.with_name(f"{session}-agent-1.jsonl")
    longer.write_bytes(b"")

    deleted = delete_trace(project, session)

    assert deleted.outputs == 2
    assert not any(p.exists() for p in (path, torn, hooks, elsewhere))
    assert kept_path.exists()
    assert longer.exists()
    assert project.outputs.find(torn_ref) is None
    events = read_trace(project, kept).trace.events
    assert [project.outputs.find(e.output_ref) is not None for e in events if e.output_ref] == [
        *(True, True)
    ]
    assert [row.session_id for row in list_traces(project)] == [kept]


@pytest.mark.parametrize("before", [None, b""])
def test_the_key_of_redaction_is_whole_from_the_first(
    project: Project, before: bytes | None
) -> None:
    """An empty one was cut off on a full disk; a second process takes the first one's."""
    key = project.folder / "redact.key"
    if before is not None:
        key.write_bytes(before)

    secret = "token=ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
    marks = {Project(project.root).redactor.text(secret) for _ in range(3)}

    assert len(marks) == 1
    assert len(key.read_bytes()) == 16
    assert not list(project.folder.glob("redact.key.*"))
