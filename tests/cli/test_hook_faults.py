"""Whatever is wrong, an agent's hook says nothing, exits 0 and does not keep it waiting."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hindsight_cli.api.project import Project
from tests.cli.hooks import (
    ERROR,
    FOR_ERROR,
    SESSION,
    TASK,
    TOOL,
    Place,
    context,
    fire,
    hooked,
    log_of,
    payload,
    receipts,
    wait_until,
)

Approved = Callable[..., str]
EVENTS: dict[str, dict[str, Any]] = {
    "SessionStart": {"source": "startup"},
    "UserPromptSubmit": {"prompt": TASK},
    "PostToolUse": {**TOOL, "tool_use_id": "t1", "tool_response": {"stdout": "fine"}},
    "PostToolUseFailure": {**TOOL, "tool_use_id": "t2", "error": ERROR},
    "Stop": {"last_assistant_message": "It runs."},
    "SessionEnd": {"reason": "exit"},
}
PATIENT_S, DEADLINE_S = 2.0, 0.9
SLACK_S = 3.0  # a loaded machine starts Python slowly


@pytest.fixture(autouse=True)
def _told(project: Project) -> None:
    (project.folder / "told").touch()


def silent(project: Project, **how: Any) -> float:
    """Fire every event; each is silent and exits 0. The longest took so many seconds."""
    longest = 0.0
    for event, fields in EVENTS.items():
        began = time.monotonic()
        done = fire(project, event, **how, **fields)
        longest = max(longest, time.monotonic() - began)
        assert (event, done.code, done.out, done.err) == (event, 0, "", "")
    return longest


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\n",
        b"not JSON",
        b'{"session_id": "s", ',
        b"\xff\xfe\x00\x01" * 100,
        b"\x00" * 1000,
        b"[]",
        b"null",
        b'"text"',
        b"NaN",
        b"{}",
        b'{"session_id": null, "cwd": null}',
        b'{"session_id": "s", "cwd": 7}',
        b'{"session_id": "s", "cwd": "relative/path"}',
        b'{"session_id": "\\ud800", "cwd": "/nowhere"}',
        b'{"session_id": "s", "cwd": "a\\u0000b"}',
        b'{"a":' * 100_000,
        b"[" * 100_000 + b"]" * 100_000,
        b'{"n": ' + b"9" * 10_000 + b"}",
    ],
    ids=range(19),
)
def test_a_payload_that_is_none_is_passed_over(project: Project, raw: bytes) -> None:
    for event in EVENTS:
        done = fire(project, event, raw)
        assert (done.code, done.out, done.err) == (0, "", "")


def test_a_lone_surrogate_and_a_null_are_recorded_like_any_text(project: Project) -> None:
    raw = payload(project, "PostToolUse", **TOOL, tool_response={"stdout": "a\x00b\ud800c"})

    assert fire(project, "PostToolUse", raw).code == 0
    wait_until(lambda: len(hooked(project)) == 2)


def test_fifty_megabytes_are_taken_and_left(project: Project, approved: Approved) -> None:
    known = approved()
    raw = payload(project, "PostToolUse", **TOOL, tool_response={"stdout": "x" * 50_000_000})

    began = time.monotonic()
    done = fire(project, "PostToolUse", raw)

    assert (done.code, done.out, done.err) == (0, "", "")
    assert time.monotonic() - began < DEADLINE_S + SLACK_S
    assert hooked(project) == []
    assert known in context(fire(project, "UserPromptSubmit", prompt=TASK))


def test_a_large_answer_is_recorded_without_keeping_the_agent(project: Project) -> None:
    lines = "\n".join(f"line {n} of the build" for n in range(100_000))
    raw = payload(project, "PostToolUse", **TOOL, tool_response={"stdout": lines})

    began = time.monotonic()
    assert fire(project, "PostToolUse", raw).code == 0

    assert time.monotonic() - began < DEADLINE_S + SLACK_S
    wait_until(lambda: len(hooked(project)) == 2)
    assert hooked(project)[1].output_bytes == len(lines)


@pytest.fixture
def open_pipe() -> Iterator[Callable[[list[str], Path], subprocess.Popen[bytes]]]:
    running: list[subprocess.Popen[bytes]] = []

    def start(arguments: list[str], cwd: Path) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-m", "hindsight_cli", "hook", *arguments],
            cwd=cwd,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        running.append(process)
        return process

    yield start
    for process in running:
        process.kill()
        process.communicate()


Start = Callable[[list[str], Path], subprocess.Popen[bytes]]


def test_a_payload_is_read_though_stdin_is_never_closed(
    project: Project, approved: Approved, open_pipe: Start
) -> None:
    known = approved()
    process = open_pipe(["claude-code", "UserPromptSubmit"], project.root)
    assert process.stdin is not None
    assert process.stdout is not None

    process.stdin.write(payload(project, "UserPromptSubmit", prompt=TASK))
    process.stdin.flush()

    assert process.wait(PATIENT_S + SLACK_S) == 0
    assert known.encode() in process.stdout.read()


@pytest.mark.parametrize("part", [b"", b'{"session_id": "s"', b'{"a": {"b": 1}'])
def test_a_payload_that_never_ends_is_not_waited_for(
    project: Project, open_pipe: Start, part: bytes
) -> None:
    process = open_pipe(["claude-code", "PostToolUse"], project.root)
    assert process.stdin is not None
    assert process.stdout is not None

    process.stdin.write(part)
    process.stdin.flush()

    assert process.wait(DEADLINE_S + SLACK_S) == 0
    assert process.stdout.read() == b""


def test_a_payload_that_comes_in_pieces_is_one(
    project: Project, approved: Approved, open_pipe: Start
) -> None:
    known = approved()
    process = open_pipe(["claude-code", "UserPromptSubmit"], project.root)
    raw = payload(project, "UserPromptSubmit", tool_input={"a": {"b": 1}}, prompt=TASK)
    middle = raw.index(b"}}") + 1  # looks like an end
    assert process.stdin is not None

    process.stdin.write(raw[:middle])
    process.stdin.flush()
    time.sleep(0.4)
    out, _ = process.communicate(raw[middle:], timeout=30)

    assert (process.returncode, known.encode() in out) == (0, True)


def test_closed_streams_are_no_trouble(project: Project) -> None:
    command = f"{sys.executable} -m hindsight_cli hook claude-code UserPromptSubmit"
    for closed in ("<&-", "<&- >&-", "</dev/null >&- 2>&-", ">/dev/full </dev/null"):
        shell = ["sh", "-c", f"{command} {closed}"]
        assert subprocess.run(shell, cwd=project.root, check=False).returncode == 0


def test_nobody_who_reads_the_answer_leaves_no_receipt(
    project: Project, approved: Approved, tmp_path: Path
) -> None:
    approved()
    given = tmp_path / "payload.json"
    given.write_bytes(payload(project, "UserPromptSubmit", prompt=TASK))
    command = f"{sys.executable} -m hindsight_cli hook claude-code UserPromptSubmit"

    shell = ["sh", "-c", f"{command} < {given} > /dev/full"]
    full = subprocess.run(shell, cwd=project.root, check=False)

    assert full.returncode == 0
    wait_until(lambda: "inject too late" in log_of(project))
    assert receipts(project) == []


def test_a_locked_index_costs_the_agent_the_deadline_and_no_event(
    project: Project, approved: Approved
) -> None:
    approved(**FOR_ERROR)
    fire(project, "UserPromptSubmit", prompt="Good morning")  # makes the index
    wait_until(lambda: hooked(project))
    with project.shared_ledger.open("a") as ledger:
        ledger.write("\n")  # the index is to be brought up to date
    holder = sqlite3.connect(project.index_path, isolation_level=None)
    holder.execute("begin exclusive")

    longest = 0.0
    for number in range(4):
        began = time.monotonic()
        call = {**TOOL, "tool_use_id": f"t{number}", "error": ERROR}
        assert fire(project, "PostToolUseFailure", **call).code == 0
        longest = max(longest, time.monotonic() - began)
    assert longest < DEADLINE_S + SLACK_S
    holder.close()

    wait_until(lambda: len(hooked(project)) == 9, timeout_s=90)


def test_a_lock_that_another_holds_is_not_waited_for(project: Project, approved: Approved) -> None:
    approved()
    lock = os.open(project.folder / "hook.lock", os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)

    began = time.monotonic()
    done = fire(project, "UserPromptSubmit", prompt=TASK)
    took = time.monotonic() - began
    os.close(lock)

    assert (done.code, done.out) == (0, "")
    assert took < PATIENT_S + SLACK_S
    wait_until(lambda: "inject too late" in log_of(project))
    assert receipts(project) == []


def _garbage(project: Project) -> None:
    project.index_path.write_bytes(b"no database " * 1000)


def _bad_settings(project: Project) -> None:
    (project.folder / "project.toml").write_text('stale_days = "many"\n')


def _no_toml(project: Project) -> None:
    (project.folder / "project.toml").write_text("[[[\n")


def _bad_exclude(project: Project) -> None:
    (project.folder / "project.toml").write_text("exclude = [1, 2]\n")


def _bad_ledger(project: Project) -> None:
    project.shared_ledger.write_bytes(b'\x00\xff{"v": \n' * 50)


def _link_out(project: Project) -> None:
    (project.folder / "traces").symlink_to("/nowhere")


def _file_in_place(project: Project) -> None:
    (project.folder / "traces").write_text("a file")


def _folder_in_place(project: Project) -> None:
    (project.folder / "hook.lock").mkdir()
    (project.folder / "logs").write_text("a file")


def _pipe_in_place(project: Project) -> None:
    os.mkfifo(project.folder / "local.jsonl")


@pytest.mark.parametrize(
    "spoil",
    [
        *(_garbage, _bad_settings, _no_toml, _bad_exclude, _bad_ledger),
        *(_link_out, _file_in_place, _folder_in_place, _pipe_in_place),
    ],
)
def test_a_broken_store_is_no_trouble_of_the_agent(
    project: Project, spoil: Callable[[Project], None]
) -> None:
    spoil(project)

    assert silent(project) < PATIENT_S + SLACK_S


def test_a_broken_index_still_gives_the_experience(project: Project, approved: Approved) -> None:
    known = approved()
    _garbage(project)

    assert known in context(fire(project, "UserPromptSubmit", prompt=TASK))


def without_privilege() -> list[str]:
    """What takes from root the right to write everywhere; for anybody else nothing is needed."""
    if os.getuid() != 0:
        return []
    program = shutil.which("setpriv")
    if program is None:
        pytest.skip("root writes everywhere, and there is no setpriv")
    return [program, "--bounding-set=-dac_override,-dac_read_search,-fowner"]


def test_a_project_that_cannot_be_written_is_no_trouble(project: Project) -> None:
    (project.folder / "told").unlink()
    command = [*without_privilege(), sys.executable, "-m", "hindsight_cli", "hook", "claude-code"]
    project.folder.chmod(0o555)
    try:
        for event, fields in EVENTS.items():
            done = subprocess.run(
                [*command, event],
                cwd=project.root,
                input=payload(project, event, **fields),
                capture_output=True,
                check=False,
            )
            assert (event, done.returncode, done.stdout, done.stderr) == (event, 0, b"", b"")
        time.sleep(0.5)
    finally:
        project.folder.chmod(0o755)
    assert not hooked(project)


def test_a_disk_that_is_full_is_no_trouble(project: Project) -> None:
    """A limit on the size of files stands for it: a write beyond is refused."""
    command = f"ulimit -f 0; exec {sys.executable} -m hindsight_cli hook claude-code"
    for event, fields in EVENTS.items():
        done = subprocess.run(
            ["sh", "-c", f"trap '' XFSZ; {command} {event}"],
            cwd=project.root,
            input=payload(project, event, **fields),
            capture_output=True,
            check=False,
        )
        assert (event, done.returncode, done.stdout, done.stderr) == (event, 0, b"", b"")
    time.sleep(0.5)
    path = project.traces.find_source(SESSION, "hooks")
    assert path is None or path.read_bytes() == b""


def test_a_user_folder_that_cannot_be_made_is_no_trouble(project: Project, tmp_path: Path) -> None:
    place = Place(env={"HINDSIGHT_CLI_DATA_DIR": str(tmp_path / "file" / "user")})
    (tmp_path / "file").write_text("in the way")

    assert silent(project, place=place) < PATIENT_S + SLACK_S


def test_a_folder_that_is_gone_is_no_trouble(project: Project, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    command = f"cd {gone} && rmdir {gone} && exec {sys.executable} -m hindsight_cli hook"
    raw = json.dumps({"session_id": SESSION, "cwd": str(gone), "prompt": TASK})

    done = subprocess.run(
        ["sh", "-c", f"{command} claude-code UserPromptSubmit"],
        input=raw.encode(),
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        check=False,
    )

    assert (done.returncode, done.stdout) == (0, b"")


@pytest.mark.parametrize("words", [[], ["claude-code"], ["claude-code", "Stop", "more"], ["--x"]])
def test_a_command_that_is_none_fails_with_one_line_and_never_blocks(
    project: Project, words: list[str]
) -> None:
    """2 is what agents take for "do not let it happen"."""
    done = subprocess.run(
        [sys.executable, "-m", "hindsight_cli", "hook", *words],
        cwd=project.root,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        text=True,
    )

    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)


def test_what_went_wrong_is_in_the_log(project: Project) -> None:
    _link_out(project)

    fire(project, "PostToolUse", **EVENTS["PostToolUse"])

    wait_until(lambda: "not recorded" in log_of(project))


def test_the_agent_does_not_wait_for_what_is_stored(project: Project) -> None:
    """Nothing of ours holds its pipes: it sees their end as soon as the answer is there."""
    sessions = os.open(project.folder / "hook-finish.lock", os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(sessions, fcntl.LOCK_EX)
    try:
        began = time.monotonic()
        done = fire(project, "SessionEnd", reason="exit")
        took = time.monotonic() - began
    finally:
        os.close(sessions)

    assert (done.code, done.out, done.err) == (0, "", "")
    assert took < DEADLINE_S + SLACK_S
