"""Signals sent to us while a child runs: noticed in the loop, passed on to the child."""

from __future__ import annotations

import os
import signal

from hindsight_cli.capture.command.start import OWN_SESSION, SAME_GROUP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any

    from hindsight_cli.capture.command.leader import Leader
    from hindsight_cli.capture.command.terminals import ChildTerminal

# Asks a run to end: passed on, and told to our caller.
INTERRUPTING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
ENDING = (signal.SIGTERM, signal.SIGHUP)  # asks it of us as well
_PASSED_ON = (*INTERRUPTING, signal.SIGUSR1, signal.SIGUSR2)
# A terminal sends these to every process of its foreground group.
_FROM_TERMINALS = (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP)


class Signals:
    """Signals as numbers to be taken from a pipe; handlers as found again after `close`.

    One we were started ignoring (nohup) stays ignored, as it is by the child. Where the
    child shares our process group, a signal from the terminal reaches it without us
    while one sent to us alone does not: those that may be either are kept blocked and
    fetched with their sender by `take`, which is then to be called now and then.
    """

    __slots__ = (
        "_before",
        "_fetched",
        "_wakeup",
        "_writer",
        "handled",
        "ignored",
        "mask",
        "reader",
    )

    def __init__(self, place: str) -> None:
        self.reader, self._writer = os.pipe()
        os.set_blocking(self.reader, False)
        os.set_blocking(self._writer, False)
        self._before: dict[int, Any] = {}
        self._wakeup = signal.set_wakeup_fd(self._writer, warn_on_full_buffer=False)
        wanted = [*_PASSED_ON, signal.SIGCHLD, signal.SIGCONT, signal.SIGWINCH]
        if place == OWN_SESSION:
            wanted.append(signal.SIGTSTP)
        for number in wanted:
            if number not in _PASSED_ON or signal.getsignal(number) != signal.SIG_IGN:
                self._before[number] = signal.signal(number, _noted)
        self.handled = tuple(self._before)
        self.ignored = tuple(n for n, b in self._before.items() if b == signal.SIG_IGN)
        shared = place == SAME_GROUP and hasattr(signal, "sigtimedwait")
        self._fetched = [n for n in _FROM_TERMINALS if shared and n in self._before]
        self.mask = signal.pthread_sigmask(signal.SIG_BLOCK, self._fetched)

    @property
    def must_poll(self) -> bool:
        """Whether `take` is to be called now and then although `reader` has nothing."""
        return bool(self._fetched)

    def take(self) -> list[tuple[int, bool]]:
        """Signals since the last call, each with whether the child has it already."""
        try:
            taken = [(number, False) for number in os.read(self.reader, 4096)]
        except BlockingIOError:
            taken = []
        while self._fetched and (found := signal.sigtimedwait(self._fetched, 0)) is not None:
            taken.append((found.si_signo, found.si_code > 0))  # > 0: sent by the kernel
        return taken

    def close(self) -> None:
        signal.set_wakeup_fd(self._wakeup)
        for number, before in self._before.items():
            signal.signal(number, signal.SIG_DFL if before is None else before)
        signal.pthread_sigmask(signal.SIG_SETMASK, self.mask)
        os.close(self.reader)
        os.close(self._writer)


class Job:
    """The running child, as what is waited for and what signals are sent to."""

    __slots__ = ("_leader", "_place", "_terminal", "pid")

    def __init__(
        self, pid: int, leader: Leader | None, place: str, terminal: ChildTerminal | None
    ) -> None:
        self.pid = pid
        self._leader = leader
        self._place = place
        self._terminal = terminal

    def wait(self, options: int) -> int | None:
        """Its status as waitpid gives it, when it has changed."""
        waited = self.pid if self._leader is None else self._leader.pid
        pid, status = os.waitpid(waited, os.WNOHANG | options)
        if not pid:
            return None
        if self._leader is None or os.WIFSTOPPED(status):
            return status
        return self._leader.status(status)

    def go_on(self) -> None:
        """Continue what has stopped."""
        if self._leader is not None:
            os.kill(self._leader.pid, signal.SIGCONT)
        self.send(signal.SIGCONT)

    def send(self, number: int) -> None:
        """To the child's process group, and to the foreground group of its terminal.

        In our own group to the child alone: the group has others, ourselves among them.
        """
        try:
            if self._place == SAME_GROUP:
                os.kill(self.pid, number)
                return
            os.killpg(self.pid, number)
            if self._place == OWN_SESSION and self._terminal is not None:
                foreground = os.tcgetpgrp(self._terminal.master)
                if foreground not in (0, self.pid):
                    os.killpg(foreground, number)
        except OSError:
            pass  # it has just ended, or belongs to another user (sudo)


def stop_ourselves() -> None:
    """As Ctrl-Z does, the whole job; returns when continued, at once where no shell could."""
    before = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
    try:
        os.kill(0, signal.SIGTSTP)
    finally:
        signal.signal(signal.SIGTSTP, before)


def _noted(_number: int, _frame: FrameType | None) -> None:
    """The number is in the pipe by now: the interpreter wrote it."""
