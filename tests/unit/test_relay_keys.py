"""Whose keys they are, and what they do: the command's, the shell's, a pager's behind a pipe."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pexpect
import pytest

DRIVER = str(Path(__file__).parent.parent / "relay_driver.py")
PROMPT = "ready> "
PAGER = """
import os, sys, termios, tty
found = termios.tcgetattr(2)
tty.setcbreak(2)
print("keys", len(sys.stdin.read()), flush=True)
keys = os.read(2, 1) + os.read(2, 1)
termios.tcsetattr(2, termios.TCSANOW, found)
print("got", keys, flush=True)
"""


@pytest.fixture
def shell() -> Iterator[Any]:
    """An interactive shell, with job control."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash")
    options = ["--norc", "--noprofile", "--noediting"]
    child: Any = pexpect.spawn(bash, options, timeout=60, env={**os.environ, "PS1": PROMPT})
    child.delaybeforesend = None
    child.expect_exact(PROMPT)
    yield child
    child.close(force=True)


@pytest.fixture
def through(tmp_path: Path) -> str:
    """What goes before a command to run it through the relay."""
    return shlex.join([sys.executable, DRIVER, str(tmp_path / "report.json")])


def modes(shell: Any) -> list[Any]:
    return termios.tcgetattr(shell.child_fd)


def test_a_pager_whose_input_is_a_pipe_has_the_keys(shell: Any, through: str) -> None:
    before = modes(shell)
    shell.sendline(f"echo text | {through} {shlex.join([sys.executable, '-c', PAGER])}")
    shell.expect_exact("keys 5\r\n")
    time.sleep(0.3)
    shell.send("qG")
    shell.expect_exact("got b'qG'\r\n")
    shell.expect_exact(PROMPT)

    assert modes(shell) == before


def test_an_interrupt_reaches_a_pager_and_all_its_pipeline(shell: Any, through: str) -> None:
    source = f"trap 'echo prod''ucer >&2' INT; sleep 60; {through}"
    shell.sendline(
        f"sh -c {shlex.quote(source)} | {through} {sys.executable} -c 'import tty; "
        'tty.setcbreak(2); print("u" "p", flush=True); import time; time.sleep(60)\''
    )
    shell.expect_exact("up\r\n")
    time.sleep(0.3)
    shell.sendintr()
    shell.expect_exact(PROMPT)

    assert b"producer" in shell.before
    assert b"KeyboardInterrupt" in shell.before


def test_a_question_on_the_users_terminal_is_answered_there(shell: Any, through: str) -> None:
    ask = "echo a''sk; read answer < /dev/tty; echo got $answer"
    shell.sendline(f"echo text | {through} sh -c {shlex.quote(ask)}")
    shell.expect_exact("ask\r\n")
    shell.sendline("yes")
    shell.expect_exact("got yes\r\n")


def test_brought_into_the_foreground_a_run_takes_the_keys(shell: Any, through: str) -> None:
    """No signal tells of it: it was never stopped."""
    shell.sendline(f"{through} sh -c 'echo a``sk; read answer; echo got $answer' &")
    shell.expect(rb"ask\r+\n")
    shell.sendline("fg")
    time.sleep(0.5)
    shell.sendline("yes")
    shell.expect_exact("got yes\r\n")


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds the relay by /proc")
def test_stopped_and_continued_in_the_background_it_leaves_the_terminal_alone(
    shell: Any, through: str
) -> None:
    shell.sendline(f"{through} sh -c 'echo u``p $PPID; sleep 1; echo do``ne'")
    shell.expect(rb"up \d+\r\n")
    (relay,) = Path(f"/proc/{shell.pid}/task/{shell.pid}/children").read_text().split()
    os.kill(int(relay), signal.SIGSTOP)
    shell.expect_exact(PROMPT)
    shell.sendline("stty -echo; bg")
    shell.expect_exact("done")
    time.sleep(0.5)

    assert not modes(shell)[3] & termios.ECHO


@pytest.mark.parametrize(
    "stopped_by",
    [
        pytest.param("read key", id="by the key, as any program"),
        pytest.param("kill -TSTP 0", id="by itself, as an editor"),
    ],
)
def test_a_program_that_is_stopped_stops_the_run(shell: Any, through: str, stopped_by: str) -> None:
    source = f"echo u''p; {stopped_by}; echo agai''n $key; exit 4"
    shell.sendline(f"{through} sh -c {shlex.quote(source)}")
    shell.expect_exact("up\r\n")
    if "key" in stopped_by:
        shell.sendcontrol("z")
    shell.expect_exact("Stopped")
    shell.expect_exact(PROMPT)
    shell.sendline("fg")
    time.sleep(0.5)
    shell.sendline("")
    shell.expect_exact("again\r\n")
    shell.expect_exact(PROMPT)
    shell.sendline("echo code $?")
    shell.expect_exact("code 4\r\n")


def test_a_shell_inside_has_job_control_of_its_own(shell: Any, through: str) -> None:
    shell.sendline(f"{through} bash --norc --noprofile --noediting")
    shell.expect_exact(PROMPT)
    shell.sendline("sleep 60")
    time.sleep(0.5)
    shell.sendcontrol("z")
    shell.expect_exact("Stopped")
    shell.expect_exact(PROMPT)
    shell.sendline("fg")
    time.sleep(0.5)
    shell.sendintr()
    shell.expect_exact(PROMPT)
    shell.sendline("exit 5")
    shell.expect_exact("\r\nexit\r\n")
    shell.expect_exact(PROMPT)
    shell.sendline("echo code $?")
    shell.expect_exact("code 5\r\n")


def test_what_the_command_leaves_in_the_background_lives_on(
    shell: Any, through: str, tmp_path: Path
) -> None:
    alive = tmp_path / "alive"
    source = f"(sleep 1; echo yes > {shlex.quote(str(alive))}) & echo le``ft"
    shell.sendline(f"{through} sh -c {shlex.quote(source)}")
    shell.expect_exact(PROMPT)
    deadline = time.monotonic() + 20
    while not alive.exists() and time.monotonic() < deadline:
        time.sleep(0.1)

    assert alive.exists()


def test_the_command_is_a_job_of_a_session_not_its_leader(shell: Any, through: str) -> None:
    """As a shell's is: what it starts in its turn may start a session."""
    see = "import os; me = os.getpid(); print(os.getpgrp() == me, os.getsid(0) == me, "
    see += "os.tcgetpgrp(0) == me)"
    shell.sendline(f"{through} {shlex.join([sys.executable, '-c', see])}")
    shell.expect_exact("\nTrue False True\r\n")
