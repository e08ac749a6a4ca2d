"""A decision is stored the moment it is made: the real program, on a real terminal, killed."""

from __future__ import annotations

import contextlib
import os
import pty
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest

from tests.tui.projects import Review, an_experience

PATIENCE_S = 60.0
FIRST, SECOND, THIRD = (an_experience(n).experience_id for n in (1, 2, 3))


@dataclass
class Terminal:
    """The program's side of a terminal: what it wrote, and keys for it."""

    process: subprocess.Popen[bytes]
    fd: int
    written: bytearray = field(default_factory=bytearray)

    def until(self, condition: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE_S
        while not condition():
            assert time.monotonic() < end, bytes(self.written[-2000:])
            self.read()

    def read(self) -> None:
        os.set_blocking(self.fd, False)
        with contextlib.suppress(BlockingIOError, OSError):
            self.written += os.read(self.fd, 1 << 16)
        time.sleep(0.02)

    def press(self, key: str) -> None:
        os.write(self.fd, key.encode())

    def shows(self, text: str) -> bool:
        return text.encode() in self.written


@contextlib.contextmanager
def running(review: Review) -> Iterator[Terminal]:
    """`hindsight tui` on a terminal of 36 lines of 120 columns."""
    outer, inner = pty.openpty()
    termios.tcsetwinsize(inner, (36, 120))
    env = {**review.env, "PATH": os.environ["PATH"], "TERM": "xterm-256color", "LANG": "C.UTF-8"}
    process = subprocess.Popen(
        [sys.executable, "-m", "hindsight_cli", "tui"],
        stdin=inner,
        stdout=inner,
        stderr=inner,
        cwd=review.root,
        env=env,
        start_new_session=True,
    )
    os.close(inner)
    try:
        yield Terminal(process, outer)
    finally:
        process.kill()
        process.wait()
        os.close(outer)


@pytest.fixture
def three(review: Review) -> Review:
    session = review.record_session(output="\x1b]52;c;aGk=\x07 port is already allocated")
    review.propose(*(an_experience(n, session_id=session) for n in (1, 2, 3)))
    return review


def test_killed_after_two_decisions_both_are_kept(three: Review) -> None:
    with running(three) as terminal:
        terminal.until(lambda: terminal.shows("exit 125"))
        terminal.press("a")
        terminal.until(lambda: three.status(FIRST) == "approved")
        terminal.until(lambda: terminal.shows("1 of 2"))
        time.sleep(0.5)  # the next one is read
        terminal.press("a")
        terminal.until(lambda: three.status(SECOND) == "approved")
        os.kill(terminal.process.pid, signal.SIGKILL)
        terminal.process.wait()

    assert [three.status(i) for i in (FIRST, SECOND, THIRD)] == ["approved", "approved", "pending"]


def test_leaving_gives_the_terminal_back_and_recorded_text_never_commanded_it(
    three: Review,
) -> None:
    with running(three) as terminal:
        terminal.until(lambda: terminal.shows("exit 125"))
        terminal.press("q")
        terminal.until(lambda: terminal.process.poll() is not None)
        terminal.read()

        assert terminal.process.returncode == 0
        assert terminal.shows("<U+001B>]52;c;aGk=")
        assert not terminal.shows("\x1b]52")
        assert terminal.shows("\x1b[?1049l")
