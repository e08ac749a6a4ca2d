"""The relay without a terminal: as if the command were run directly."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

DRIVER = str(Path(__file__).parent.parent / "relay_driver.py")
EVERY_BYTE = bytes(range(256)) * 2000
PROMPTLY_S = 10  # well below what anything waited for would take; the machine may be busy
LONG_S = 60

IS_OPEN = """
import fcntl
def is_open(number):
    try:
        return fcntl.fcntl(number, fcntl.F_GETFD) >= 0
    except OSError:
        return False
"""
ANSWERING = """
import signal, subprocess, sys
signal.signal(signal.SIGTERM, lambda *_: None)
child = subprocess.Popen(["sleep", "60"])
print("up", flush=True)
print("bye", child.wait())
sys.exit(9)
"""

Start = Callable[..., subprocess.Popen[bytes]]


@pytest.fixture
def report(tmp_path: Path) -> Path:
    return tmp_path / "report.json"


@pytest.fixture
def start(report: Path) -> Iterator[Start]:
    """Start a command through the relay; what is left of it is killed in the end."""
    started: list[subprocess.Popen[bytes]] = []

    def run(*command: str, **options: Any) -> subprocess.Popen[bytes]:
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE}
        options = {**streams, "stderr": subprocess.PIPE, "start_new_session": True, **options}
        process = subprocess.Popen([sys.executable, DRIVER, str(report), *command], **options)
        started.append(process)
        return process

    yield run
    for process in started:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                stream.close()


@pytest.fixture
def run(start: Start) -> Callable[..., tuple[int, bytes, bytes]]:
    """Run a command through the relay: its code, stdout and stderr."""

    def finish(*command: str, given: bytes = b"", **options: Any) -> tuple[int, bytes, bytes]:
        process = start(*command, stdin=subprocess.PIPE, **options)
        out, err = process.communicate(given, timeout=LONG_S)
        return process.returncode, out, err

    return finish


Run = Callable[..., tuple[int, bytes, bytes]]


def told(report: Path) -> dict[str, Any]:
    return dict(json.loads(report.read_text(encoding="utf-8")))


def sh(source: str) -> Sequence[str]:
    return "sh", "-c", source


def python(source: str) -> Sequence[str]:
    return sys.executable, "-c", source


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
def test_the_exit_code_is_the_childs(run: Run, report: Path, source: str, code: int) -> None:
    assert run(*sh(source)) == (code, b"", b"")
    by = code - 128 if 128 < code < 255 else None
    assert (told(report)["exit_code"], told(report)["signal"]) == (code, by)


def test_every_byte_passes_unchanged_in_and_out(run: Run, report: Path) -> None:
    assert run("cat", given=EVERY_BYTE) == (0, EVERY_BYTE, b"")
    assert told(report)["sha256"] == hashlib.sha256(EVERY_BYTE).hexdigest()
    assert told(report)["mode"] == "pipe"


def test_a_hundred_thousand_wide_characters_pass_unchanged(run: Run) -> None:
    _, out, _ = run(*python("print('中' * 100_000)"), env={**os.environ, "PYTHONUTF8": "1"})

    assert hashlib.sha256(out).digest() == hashlib.sha256("中".encode() * 100_000 + b"\n").digest()


def test_colours_pass_unchanged(run: Run) -> None:
    assert run(*sh(r"printf '\033[1;31mred\033[0m'"))[1] == b"\x1b[1;31mred\x1b[0m"


def test_the_command_sees_no_terminal_where_there_is_none(run: Run) -> None:
    see = "import os; print([os.isatty(n) for n in range(3)])"

    assert run(*python(see))[1] == b"[False, False, False]\n"


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_stream_we_were_started_without_the_command_has_neither(
    run: Run, tmp_path: Path, report: Path, closed: str
) -> None:
    seen = tmp_path / "seen"
    child = f"{IS_OPEN}\nfound = [n for n in range(3) if is_open(n)]\n"
    child += f"open({str(seen)!r}, 'w').write(repr(found))"
    # The shell closes them for the relay's own start.
    process = [sys.executable, DRIVER, str(report), *python(child)]
    subprocess.run(["sh", "-c", f'exec "$@" {closed}', "sh", *process], check=True, timeout=LONG_S)

    gone = [n for n, name in enumerate(("<&-", " >&-", "2>&-")) if name in f" {closed}"]
    assert seen.read_text() == repr([n for n in range(3) if n not in gone])


def test_no_descriptor_of_ours_reaches_the_command(run: Run) -> None:
    see = "import os; print([n for n in range(3, 64) if os.path.exists(f'/dev/fd/{n}')])"
    direct = subprocess.run(python(see), stdout=subprocess.PIPE, check=True).stdout

    assert run(*python(see))[1] == direct


def test_a_program_that_is_not_there_is_127(run: Run) -> None:
    code, out, err = run("no-such-command-here")

    assert (code, out) == (127, b"")
    assert b"'no-such-command-here': no such command in PATH" in err


@pytest.mark.parametrize(
    ("text", "mode", "code"),
    [
        ("#!/bin/sh\nexit 5\n", 0o600, 126),
        ("#!/no/such/interpreter\n", 0o700, 127),
        ("exit 5\n", 0o700, 5),  # no first line: a shell's, as a shell has it
        ("#!/bin/sh\nexit 5\n", 0o700, 5),
    ],
)
def test_a_script_is_run_as_a_shell_runs_it(
    run: Run, tmp_path: Path, text: str, mode: int, code: int
) -> None:
    script = tmp_path / "own-script"
    script.write_text(text)
    script.chmod(mode)

    assert run(str(script))[0] == code
    assert (
        run("own-script", env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"})[0] == code
    )


def test_arguments_that_are_no_utf_8_arrive_as_they_are(run: Run) -> None:
    see = "import os, sys; print(os.fsencode(sys.argv[1]))"

    assert run(*python(see), b"\xff\xfe\x00"[:2])[1] == b"b'\\xff\\xfe'\n"


def test_one_file_for_output_and_errors_keeps_their_order(run: Run) -> None:
    source = "for i in $(seq 300); do echo out $i; echo err $i >&2; done"

    _, out, err = run(*sh(source), stderr=subprocess.STDOUT)

    assert out == b"".join(b"out %d\nerr %d\n" % (i, i) for i in range(1, 301))
    assert err is None


def test_output_and_errors_that_go_apart_stay_apart(run: Run, report: Path) -> None:
    assert run(*sh("echo out; echo err >&2")) == (0, b"out\n", b"err\n")
    assert sorted(told(report)["text"].split()) == ["err", "out"]


def test_a_reader_that_leaves_ends_the_command_as_it_would_directly(
    start: Start, report: Path
) -> None:
    process = start("yes")
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()

    assert process.wait(timeout=LONG_S) == 128 + signal.SIGPIPE


def test_a_slow_reader_loses_nothing_of_a_command_long_gone(start: Start, report: Path) -> None:
    size = 900_000
    process = start(*python(f"import sys; sys.stdout.write('x' * {size} + 'END')"))
    time.sleep(2)  # the command may or may not have ended: the reader comes late either way
    out, _ = process.communicate(timeout=LONG_S)

    assert len(out) == size + 3
    assert out.endswith(b"END")


def test_output_to_a_socket_comes_whole(start: Start) -> None:
    """What Node gives its children for pipes; it cannot be opened a second time."""
    ours, theirs = socket.socketpair()
    process = start(*python("import os; os.write(1, b'x' * 500_000)"), stdout=theirs)
    theirs.close()
    with ours:
        seen = b"".join(iter(lambda: ours.recv(1 << 16), b""))

    assert (len(seen), process.wait(timeout=LONG_S)) == (500_000, 0)


def test_a_command_that_closes_its_output_runs_on(run: Run) -> None:
    assert run(*sh("exec >&- 2>&-; sleep 0.3; exit 7"))[0] == 7


def test_input_that_nobody_reads_holds_nobody_up(start: Start) -> None:
    with subprocess.Popen(["yes"], stdout=subprocess.PIPE) as endless:
        assert start("true", stdin=endless.stdout).wait(timeout=LONG_S) == 0
        endless.kill()


@pytest.mark.parametrize(
    "background",
    [
        f"sleep {LONG_S}",
        f"yes | head -c 50 | sleep {LONG_S}",
        "while echo again; do sleep 0.03; done",
        "while head -c 50000 /dev/zero; do :; done",
    ],
)
def test_a_background_process_that_keeps_the_output_open_is_not_waited_for(
    start: Start, background: str
) -> None:
    began = time.monotonic()
    process = start(*sh(f"({background}) & echo the end $!"), stderr=subprocess.DEVNULL)
    out, _ = process.communicate(timeout=LONG_S)
    took = time.monotonic() - began
    with contextlib.suppress(ProcessLookupError):  # it may have died of its closed pipe
        os.kill(int(out.partition(b"the end ")[2].split(maxsplit=1)[0]), signal.SIGKILL)

    assert process.returncode == 0
    assert took < PROMPTLY_S


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT])
def test_a_signal_to_us_is_passed_on(start: Start, report: Path, number: signal.Signals) -> None:
    process = start(*python("print('up', flush=True); import time; time.sleep(60)"))
    assert process.stdout is not None
    process.stdout.readline()
    process.send_signal(number)

    # Python's own KeyboardInterrupt, too, ends by the signal.
    assert process.wait(timeout=LONG_S) == 128 + number
    assert told(report)["interrupted_by"] == number


def test_a_signal_reaches_the_whole_group_and_the_command_may_answer_it(start: Start) -> None:
    process = start(*python(ANSWERING))
    assert process.stdout is not None
    process.stdout.readline()
    process.terminate()
    out, _ = process.communicate(timeout=LONG_S)

    assert (process.returncode, out) == (9, b"bye -15\n")


@pytest.mark.parametrize("name", ["SIGHUP", "SIGCHLD", "SIGCONT", "SIGWINCH"])
def test_a_signal_ignored_before_us_is_ignored_by_the_command(report: Path, name: str) -> None:
    source = f"import signal; print(int(signal.getsignal(signal.{name})))"
    ignoring = f"import os, signal, sys; signal.signal(signal.{name}, signal.SIG_IGN); "
    ignoring += "os.execv(sys.argv[1], sys.argv[1:])"
    command = [sys.executable, "-c", ignoring, sys.executable, DRIVER, str(report)]
    done = subprocess.run([*command, *python(source)], check=True, stdout=subprocess.PIPE)

    assert done.stdout == b"1\n"  # SIG_IGN


def test_the_command_dies_of_a_broken_pipe_of_its_own(run: Run) -> None:
    see = "grep SigIgn /proc/self/status"
    if not Path("/proc/self/status").exists():
        pytest.skip("no /proc")
    ignored = int(run(*sh(see))[1].split()[1], 16)

    assert ignored & 1 << (signal.SIGPIPE - 1) == 0


def test_asked_to_end_we_do_not_wait_for_who_reads_us(start: Start) -> None:
    process = start("yes")  # fills every pipe, for nobody reads
    time.sleep(0.5)
    process.terminate()

    assert process.wait(timeout=PROMPTLY_S) == 128 + signal.SIGTERM


def test_waiting_costs_nothing(start: Start) -> None:
    """For the command, for a reader that does not read, for a process in the background."""
    source = f"import os, sys, time; os.write(1, b'x' * 600_000); time.sleep({LONG_S})"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = start(*python(source))
    time.sleep(1.5)
    process.terminate()
    process.wait(timeout=LONG_S)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)

    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert spent < 1.0
