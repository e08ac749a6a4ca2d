"""The leader of a command's own session: what a shell is to a job, and nothing more.

Job control needs one. A process group whose session has nobody outside it to continue it
is never stopped by its terminal: Ctrl-Z, and `kill(0, SIGTSTP)` of an editor, would do
nothing. The leader waits for the command, stops and continues with it, and passes on a
hang-up. Source: setpgid(2), "orphaned process groups"; wait(2).
"""

from __future__ import annotations

import contextlib
import os
import signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

_WORD = 4  # bytes of a number told


class Leader:
    """The leader as the relay sees it: the process to wait for in the command's place."""

    __slots__ = ("_told", "command", "pid")

    def __init__(self, pid: int, told: int) -> None:
        self.pid = pid
        self._told = told
        self.command = self._next(pid)  # the command's process id, and its group's

    def status(self, own: int) -> int:
        """The command's status as waitpid gives it; the leader's `own` when it was killed."""
        status = self._next(own)
        os.close(self._told)
        return status

    def _next(self, otherwise: int) -> int:
        word = os.read(self._told, _WORD)
        return int.from_bytes(word, "big") if len(word) == _WORD else otherwise


def lead_session(terminal: int, tell: int, handled: Collection[int]) -> None:
    """Make the caller, all signals blocked, the leader; returns in the command, a child of it.

    `terminal` becomes the session's, the command's group its foreground.
    """
    import fcntl
    import termios

    os.setsid()
    fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
    pid = os.fork()
    if pid == 0:
        os.setpgid(0, 0)
        os.tcsetpgrp(terminal, os.getpid())
        return
    try:
        _lead(pid, terminal, tell, handled)
    finally:
        os._exit(0)


def _lead(pid: int, terminal: int, tell: int, handled: Collection[int]) -> None:
    os.write(tell, pid.to_bytes(_WORD, "big"))
    signal.set_wakeup_fd(-1)
    for number in handled:
        signal.signal(number, signal.SIG_DFL)
    if signal.SIGHUP in handled:
        signal.signal(signal.SIGHUP, lambda _number, _frame: _hang_up(pid))
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    _close_all_but(terminal, tell)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    while os.WIFSTOPPED(status := os.waitpid(pid, os.WUNTRACED)[1]):
        os.kill(os.getpid(), signal.SIGSTOP)  # our parent sees it, and continues us
    # A leader's end hangs up on the foreground: not on what the command left behind.
    with contextlib.suppress(OSError):
        os.tcsetpgrp(terminal, os.getpid())
    os.write(tell, status.to_bytes(_WORD, "big"))


def _hang_up(pid: int) -> None:
    """As a shell does to its jobs when its terminal goes."""
    with contextlib.suppress(OSError):
        os.killpg(pid, signal.SIGHUP)
        os.killpg(pid, signal.SIGCONT)


def _close_all_but(*kept: int) -> None:
    """The leader holds nothing: neither the user's streams nor our pipes."""
    for number in map(int, os.listdir("/dev/fd")):  # noqa: PTH208 -- pathlib's answer costs more
        if number not in kept:
            with contextlib.suppress(OSError):  # the listing's own is closed by now
                os.close(number)
