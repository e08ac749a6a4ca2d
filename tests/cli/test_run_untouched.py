"""`hindsight run` in places where little works: the command runs, and sees what it would see."""

from __future__ import annotations

import os
import select
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pexpect
import pytest

from hindsight_cli.api.project import Project
from tests.conftest import Hindsight

RUN = shlex.join([sys.executable, "-m", "hindsight_cli", "run", "--"])


def by_shell(project: Project, source: str, **env: str) -> subprocess.CompletedProcess[str]:
    """What a shell does with `source`, where $RUN is `hindsight run --`."""
    return subprocess.run(
        ["sh", "-c", source.replace("$RUN", RUN)],
        cwd=project.root,
        env={**os.environ, **env},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def is_running(pid: int) -> bool:
    """Not so of one that has ended and that nobody has asked after."""
    told = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, check=False)
    return told.stdout.strip()[:1] not in (b"", b"Z")


def test_the_command_runs_where_the_folder_is_gone(project: Project, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    source = f"cd {shlex.quote(str(gone))} && rmdir {shlex.quote(str(gone))} && "
    # An installed command finds its package without the current folder, as here.
    path = str(Path(__file__).parents[2])

    done = by_shell(project, source + "$RUN sh -c 'echo ran; exit 3'", PYTHONPATH=path)

    assert (done.returncode, done.stdout) == (3, "ran\n")


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts descriptors by /proc")
@pytest.mark.parametrize("room", [8, 10, 12, 14])
def test_the_command_runs_where_there_is_no_room_for_a_recorder(
    project: Project, room: int
) -> None:
    done = by_shell(project, f"ulimit -n {room}; exec $RUN sh -c 'echo ran; exit 3'")

    assert (done.returncode, done.stdout) == (3, "ran\n")


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="the system does not tell")
@pytest.mark.parametrize("given", ["LANG=C", "LANG=C LC_CTYPE=C", "LC_CTYPE=C.UTF-8", ""])
def test_the_command_has_the_locale_that_was_given(project: Project, given: str) -> None:
    show = "env -u LC_ALL -u LANG -u LC_CTYPE " + given
    see = "sh -c 'env | grep -e ^LC_CTYPE -e ^LANG || :'"

    assert (
        by_shell(project, f"{show} $RUN {see}").stdout == by_shell(project, f"{show} {see}").stdout
    )


def test_a_command_without_a_name_is_not_found(hindsight: Hindsight) -> None:
    assert hindsight("run", "--", "").code == 127


def test_a_descriptor_that_the_command_closes_is_closed(project: Project) -> None:
    """A lock or a pipe beyond the standard streams is the command's alone."""
    ours, theirs = os.pipe()
    command = f"import os, time; os.close({theirs}); time.sleep(30)"
    run = subprocess.Popen(
        [sys.executable, "-m", "hindsight_cli", "run", "--", sys.executable, "-c", command],
        cwd=project.root,
        pass_fds=[theirs],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(theirs)
    ended = select.select([ours], [], [], 20)[0]
    run.terminate()
    run.wait(timeout=20)
    os.close(ours)

    assert ended == [ours]


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("for i in 1 2; do $RUN sh -c 'echo u``p; exec sleep 30'; done", id="loop"),
        pytest.param("bash ./script", id="script"),
    ],
)
def test_ctrl_c_ends_what_runs_the_command_too(project: Project, source: str) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash")
    script = project.root / "script"
    script.write_text(f"{RUN} sh -c 'echo up; exec sleep 30'\necho next\n")
    shell: Any = pexpect.spawn(
        bash,
        ["--norc", "--noprofile", "--noediting"],
        cwd=str(project.root),
        env={**os.environ, "PS1": "ready> "},
        timeout=30,
    )
    shell.expect_exact("ready> ")
    shell.sendline(source.replace("$RUN", RUN))
    shell.expect_exact("up\r\n")
    shell.sendintr()
    shell.expect_exact("ready> ")
    seen = shell.before
    shell.sendline("echo code $?")
    shell.expect_exact("code 130\r\n")
    shell.close(force=True)

    assert b"next" not in seen
    assert b"up" not in seen


@pytest.mark.parametrize("answer", ["exec sleep 60", "trap '' HUP; while :; do sleep 0.1; done"])
def test_a_run_that_is_killed_leaves_no_command_behind(project: Project, answer: str) -> None:
    """As `timeout -s KILL` and CI systems end what takes too long."""
    run = subprocess.Popen(
        [sys.executable, "-m", "hindsight_cli", "run", "--", "sh", "-c", f"echo $$; {answer}"],
        cwd=project.root,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert run.stdout is not None
    pid = int(run.stdout.readline())
    run.kill()
    run.wait(timeout=20)
    run.stdout.close()
    deadline = time.monotonic() + 20
    while is_running(pid) and time.monotonic() < deadline:
        time.sleep(0.1)

    assert not is_running(pid)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full disk to write to")
def test_a_full_disk_is_told(project: Project) -> None:
    done = by_shell(project, "$RUN sh -c 'echo text; sleep 0.3; echo text' > /dev/full")

    assert "No space left on device" in done.stderr
