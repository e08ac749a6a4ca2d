"""The relay on a terminal: the command has one of its own, the user's is left as it was."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shlex
import shutil
import signal
import sys
import termios
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pexpect
import pytest

DRIVER = str(Path(__file__).parent.parent / "relay_driver.py")
PROMPTLY_S = 10  # well below what anything waited for would take; the machine may be busy
LONG_S = 60
PROMPT = "ready> "
RAW_READER = """
import hashlib, sys, termios, time, tty
tty.setraw(0)
print("raw", flush=True)
time.sleep(0.5)
left, seen = int(sys.argv[1]), hashlib.sha256()
while left:
    data = sys.stdin.buffer.raw.read(min(left, 65536))
    left -= len(data)
    seen.update(data)
print(seen.hexdigest(), flush=True)
"""

Run = Callable[..., "pexpect.spawn[bytes]"]


@pytest.fixture
def report(tmp_path: Path) -> Path:
    return tmp_path / "report.json"


@pytest.fixture
def spawn() -> Iterator[Run]:
    """Start a program on a terminal of 40 rows and 100 columns."""
    started: list[pexpect.spawn[bytes]] = []

    def start(*command: str, **env: str) -> pexpect.spawn[bytes]:
        child: pexpect.spawn[bytes] = pexpect.spawn(
            command[0],
            list(command[1:]),
            dimensions=(40, 100),
            timeout=LONG_S,
            env={**os.environ, **env},
        )
        child.delaybeforesend = None
        started.append(child)
        return child

    yield start
    for child in started:
        child.close(force=True)


@pytest.fixture
def run(spawn: Run, report: Path) -> Run:
    """Run a command through the relay on a terminal."""
    return lambda *command, **env: spawn(sys.executable, DRIVER, str(report), *command, **env)


@pytest.fixture
def shell(spawn: Run) -> pexpect.spawn[bytes]:
    """An interactive shell, with job control."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash")
    child = spawn(bash, "--norc", "--noprofile", "--noediting", PS1=PROMPT)
    child.expect_exact(PROMPT)
    return child


def through(report: Path, *command: str) -> str:
    return shlex.join([sys.executable, DRIVER, str(report), *command])


def told(report: Path) -> dict[str, Any]:
    return dict(json.loads(report.read_text(encoding="utf-8")))


def rest(child: pexpect.spawn[bytes]) -> bytes:
    """What it wrote until its end."""
    child.expect(pexpect.EOF)
    child.close()
    assert isinstance(child.before, bytes)
    return child.before


def test_the_command_is_on_a_terminal_of_the_users_size(run: Run, report: Path) -> None:
    see = "import os; print([os.isatty(n) for n in range(3)], os.get_terminal_size(1))"

    seen = rest(run(sys.executable, "-c", see))

    assert b"[True, True, True] os.terminal_size(columns=100, lines=40)" in seen
    assert (told(report)["mode"], told(report)["sizes"]) == ("pty", [[40, 100]])


def test_a_resize_is_seen_by_the_command(run: Run, report: Path) -> None:
    child = run("sh", "-c", "trap 'stty size' WINCH; echo up; while :; do sleep 0.1; done")
    child.expect_exact("up\r\n")
    child.setwinsize(30, 80)
    child.expect_exact("30 80\r\n")
    child.sendintr()
    rest(child)

    assert told(report)["sizes"] == [[40, 100], [30, 80]]


def test_colours_pass_unchanged(run: Run) -> None:
    assert rest(run("printf", r"\033[1;31mred\033[0m")) == b"\x1b[1;31mred\x1b[0m"


def test_a_hundred_thousand_wide_characters_pass_unchanged(run: Run, report: Path) -> None:
    text = "中".encode() * 100_000

    out = rest(run(sys.executable, "-c", "print('中' * 100_000)", PYTHONUTF8="1"))

    expected = hashlib.sha256(text + b"\r\n").hexdigest()
    assert hashlib.sha256(out).hexdigest() == expected
    assert told(report)["sha256"] == expected


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("exit 0", 0),
        ("exit 3", 3),
        ("exit 255", 255),
        ("kill -SEGV $$", 128 + signal.SIGSEGV),
        ("kill -KILL $$", 128 + signal.SIGKILL),
    ],
)
def test_all_output_comes_once_and_the_exit_code_is_the_childs(
    run: Run, source: str, code: int
) -> None:
    for _ in range(3):
        child = run("sh", "-c", f"printf END; {source}")

        assert rest(child) == b"END"
        assert child.exitstatus == code


def test_what_is_typed_reaches_the_command_and_enter_is_noticed(run: Run, report: Path) -> None:
    child = run("sh", "-c", "echo up; read answer; echo got $answer")
    child.expect_exact("up\r\n")
    child.sendline("yes")

    assert b"got yes" in rest(child)
    assert told(report)["typed"] == 1


def test_the_end_of_input_is_typed_as_ever(run: Run) -> None:
    child = run("sh", "-c", "echo up; cat; echo end")
    child.expect_exact("up\r\n")
    child.sendeof()

    assert b"end\r\n" in rest(child)
    assert child.exitstatus == 0


@pytest.mark.parametrize(("key", "number"), [("c", signal.SIGINT), ("\\", signal.SIGQUIT)])
def test_a_key_that_interrupts_interrupts_the_command(
    run: Run, report: Path, key: str, number: int
) -> None:
    child = run("sh", "-c", "echo up; exec sleep 60")
    child.expect_exact("up\r\n")
    child.sendcontrol(key)
    rest(child)

    assert child.exitstatus == 128 + number
    assert told(report)["interrupted_by"] is None  # nothing was sent to us


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_to_us_is_passed_on(run: Run, report: Path, number: int) -> None:
    child = run("sh", "-c", "echo up; exec sleep 60")
    child.expect_exact("up\r\n")
    child.kill(number)
    rest(child)

    assert child.exitstatus == 128 + number
    assert told(report)["interrupted_by"] == number


def test_a_signal_reaches_a_job_of_a_shell_in_the_run(run: Run) -> None:
    """A shell with job control puts it in a process group that is not the command's."""
    child = run("sh", "-c", "set -m; trap 'exit 9' TERM; (echo up; exec sleep 60); exit 8")
    child.expect_exact("up\r\n")
    child.kill(signal.SIGTERM)
    began = time.monotonic()
    rest(child)

    assert child.exitstatus in (8, 9)
    assert time.monotonic() - began < PROMPTLY_S


@pytest.mark.parametrize(
    "background",
    [
        f"exec sleep {LONG_S}",
        f"trap '' HUP; exec sleep {LONG_S}",
        "trap '' HUP; while echo again; do sleep 0.03; done",
        "trap '' HUP; exec yes",
    ],
)
def test_a_background_process_that_keeps_the_terminal_is_not_waited_for(
    run: Run, background: str
) -> None:
    began = time.monotonic()
    child = run("sh", "-c", f"({background}) & sleep 0.1; echo the end $!")
    out = rest(child)
    took = time.monotonic() - began
    with contextlib.suppress(ProcessLookupError):
        os.kill(int(out.partition(b"the end ")[2].split(maxsplit=1)[0]), signal.SIGKILL)

    assert child.exitstatus == 0
    assert took < PROMPTLY_S


def test_a_big_paste_reaches_a_program_that_reads_late(run: Run) -> None:
    text = os.urandom(100_000).hex().encode()
    child = run(sys.executable, "-c", RAW_READER, str(len(text)))
    child.expect_exact("raw")
    child.send(text)

    assert hashlib.sha256(text).hexdigest().encode() in rest(child)


def test_a_big_paste_that_is_echoed_does_not_lock_up(run: Run, tmp_path: Path) -> None:
    text = b"".join(b"%06d %s\n" % (n, b"x" * 90) for n in range(1000))
    child = run("tee", str(tmp_path / "copy"))
    child.send("up\n")
    child.expect_exact("up\r\nup\r\n")
    paste = threading.Thread(target=child.send, args=(text + b"\x04",))
    paste.start()
    rest(child)
    paste.join()

    assert (tmp_path / "copy").read_bytes() == b"up\n" + text
    assert child.exitstatus == 0


CRASH = r"printf '\033[?1049h\033[?1000;1006h\033[?25l\033[?2004h\033[>1u'; stty raw -echo; "


@pytest.mark.parametrize("end", ["kill -SEGV $$", "exit 3"])
def test_after_a_crash_the_terminal_is_put_in_order(run: Run, end: str) -> None:
    out = rest(run("sh", "-c", CRASH + end))

    _, _, after = out.partition(b"\x1b[>1u")
    for reset in (b"[?1000l", b"[?1006l", b"[?2004l", b"[?1049l", b"[?25h", b"[<1u"):
        assert after.count(b"\x1b" + reset) == 1
    assert b"[?1002l" not in after


def test_a_program_that_ends_well_has_the_last_word(run: Run) -> None:
    assert rest(run("printf", r"\033[?25l\033[?2004h")) == b"\x1b[?25l\x1b[?2004h"


@pytest.mark.parametrize(
    ("source", "number"),
    [
        ("echo up", None),
        (f"{CRASH} echo up; kill -KILL $$", None),
        ("echo up; exec sleep 60", signal.SIGTERM),
        ("echo up; exec sleep 60", signal.SIGHUP),
    ],
)
def test_the_users_terminal_is_left_as_it_was_found(
    run: Run, source: str, number: int | None
) -> None:
    child = run("sh", "-c", f"sleep 0.2; {source}")
    found = termios.tcgetattr(child.child_fd)
    child.expect_exact("up")
    if number is not None:
        assert termios.tcgetattr(child.child_fd) != found  # raw: it was taken
        child.kill(number)
    rest_of(child)

    assert termios.tcgetattr(child.child_fd) == found


def rest_of(child: pexpect.spawn[bytes]) -> None:
    """Wait for its end; its terminal stays open."""
    child.expect(pexpect.EOF)
    child.wait()


def test_output_on_a_terminal_with_input_from_elsewhere(run: Run, shell: Any, report: Path) -> None:
    see = "import os, sys; print([os.isatty(n) for n in range(3)], sys.stdin.read())"
    shell.sendline(f"echo notes | {through(report, sys.executable, '-c', see)}")
    shell.expect_exact("[False, True, True] notes\r\n")
    shell.expect_exact(PROMPT)

    assert told(report)["mode"] == "pty"


def test_a_password_is_asked_for_on_the_terminal_itself(shell: Any, report: Path) -> None:
    ask = "printf 'pass''word: ' > /dev/tty; read answer < /dev/tty; echo got $answer"
    shell.sendline(f"echo notes | {through(report, 'sh', '-c', ask)}")
    shell.expect_exact("password: ")
    shell.sendline("secret")
    shell.expect_exact("got secret\r\n")


def test_an_interrupt_reaches_a_command_in_a_pipeline_once(shell: Any, report: Path) -> None:
    count = "trap 'echo in''terrupted' INT; echo u''p; sleep 1; sleep 0.2; echo do''ne"
    shell.sendline(f"{through(report, 'sh', '-c', count)} | (trap '' INT; cat)")
    shell.expect_exact("up\r\n")
    shell.sendintr()
    shell.expect_exact("done\r\n")

    assert shell.before.count(b"interrupted") == 1
    shell.expect_exact(PROMPT)
    assert (told(report)["mode"], told(report)["interrupted_by"]) == ("pipe", signal.SIGINT)


def test_an_interrupt_sent_to_us_alone_in_a_pipeline_is_passed_on(shell: Any, report: Path) -> None:
    wait = "trap 'echo in''terrupted; exit' INT; echo u''p $PPID; while :; do sleep 0.1; done"
    shell.sendline(f"{through(report, 'sh', '-c', wait)} | cat")
    shell.expect(rb"up (\d+)\r\n")
    os.kill(int(shell.match[1]), signal.SIGINT)
    shell.expect_exact("interrupted\r\n")


def test_a_command_that_suspends_itself_suspends_the_run(shell: Any, report: Path) -> None:
    stop = "stty raw -echo; echo u''p; kill -STOP $$; echo agai''n; exit 4"
    shell.sendline(through(report, "sh", "-c", stop))
    shell.expect_exact("up")
    shell.expect_exact("Stopped")
    shell.expect_exact(PROMPT)
    shell.sendline("stty -a | grep -o ' -*icanon'; fg")
    shell.expect_exact("\r\n icanon")
    shell.expect_exact("again")
    shell.expect_exact(PROMPT)
    shell.sendline("echo code $?")
    shell.expect_exact("code 4\r\n")


def test_a_pipeline_is_suspended_as_one(shell: Any, report: Path) -> None:
    shell.sendline(f"{through(report, 'sh', '-c', 'echo u``p; sleep 1; echo agai``n')} | cat")
    shell.expect_exact("up\r\n")
    shell.sendcontrol("z")
    shell.expect_exact("Stopped")
    shell.expect_exact(PROMPT)
    shell.sendline("fg")
    shell.expect_exact("again\r\n")
    shell.expect_exact(PROMPT)


def test_a_suspended_command_that_no_shell_could_continue_goes_on(run: Run) -> None:
    assert b"again" in rest(run("sh", "-c", "kill -STOP $$; echo again"))


def test_in_the_background_a_run_takes_no_keys(shell: Any, report: Path) -> None:
    shell.sendline(f"{through(report, 'sh', '-c', 'sleep 1; echo do``ne')} &")
    shell.expect_exact(PROMPT)
    shell.sendline("echo my''self")
    shell.expect_exact("myself\r\n")
    shell.expect_exact("done")


def test_a_terminal_that_goes_away_takes_the_command_with_it(run: Run, tmp_path: Path) -> None:
    child: Any = run(
        "sh",
        "-c",
        f"trap 'echo hup > {tmp_path}/hup; exit' HUP; echo up; while :; do sleep 0.1; done",
    )
    child.expect_exact("up\r\n")
    child.ptyproc.fileobj.close()
    deadline = time.monotonic() + LONG_S
    while not (tmp_path / "hup").exists() and time.monotonic() < deadline:
        time.sleep(0.05)

    assert (tmp_path / "hup").exists()
    child.wait()


@pytest.mark.parametrize("module", ["termios", "fcntl"])
def test_where_no_terminal_can_be_made_pipes_do_and_it_is_said(
    run: Run, report: Path, module: str
) -> None:
    child = run("sh", "-c", "echo up; read answer; echo got $answer", RELAY_WITHOUT=module)
    child.expect_exact("up\r\n")
    child.sendline("yes")

    assert b"got yes" in rest(child)
    assert told(report)["mode"] == "pipe"
    assert module in told(report)["fallback"]
