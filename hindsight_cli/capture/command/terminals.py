"""The two terminals of a run: the one we were started on, and the one made for the child."""

from __future__ import annotations

import os
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_INPUT, _OUTPUT, _CONTROL, _LOCAL, _CHARACTERS = 0, 1, 2, 3, 6  # of what tcgetattr gives
_SIZE = b"\0" * 8  # struct winsize: rows, columns, width and height in pixels, each a short


def is_foreground(terminal: int) -> bool:
    """Whether we may read it and set its modes without being stopped for that."""
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:  # not our controlling terminal: no job control
        return True


class UserTerminal:
    """The terminal we were started on: raw while the child has it, then as it was found."""

    __slots__ = ("_found", "fd", "keys")

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self._found: list[Any] | None = None
        try:  # an open file of our own, so that O_NONBLOCK is not set for others
            flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
            self.keys = os.open(f"/proc/self/fd/{fd}", flags)
        except OSError:
            self.keys = fd

    def take(self, child: ChildTerminal) -> bool:
        """Have it as `child` needs it, unless we run in the background; whether it is so.

        Again after a stop.
        """
        import termios

        if not is_foreground(self.fd):
            return False
        try:
            if self._found is None:
                self._found = termios.tcgetattr(self.fd)
            # TCSANOW: what was typed ahead is kept, and no stopped output waited for.
            termios.tcsetattr(self.fd, termios.TCSANOW, child.modes_for_user(self._found))
        except termios.error:  # hung up; reading it tells
            return False
        return True

    def leave(self) -> None:
        """It is another's now, with modes of its own: nothing is to be put back."""
        self._found = None

    def give_back(self) -> None:
        """Put back the modes `take` found; nothing when it took nothing."""
        if self._found is None:
            return
        import termios

        found, self._found = self._found, None
        before = signal.signal(signal.SIGTTOU, signal.SIG_IGN)  # from the background too
        try:
            termios.tcsetattr(self.fd, termios.TCSANOW, found)
        except termios.error:
            pass  # hung up: no modes left to put back
        finally:
            signal.signal(signal.SIGTTOU, before)

    def close(self) -> None:
        self.give_back()
        if self.keys != self.fd:
            os.close(self.keys)


class ChildTerminal:
    """A pseudo-terminal like the user's.

    `output_only`: the child's input is not this terminal and ours is not raw, so that
    ours alone turns line feeds into new lines. We keep the child's end open while it
    runs: a program that closes and reopens its terminal is no end of output.

    Raises:
        OSError: the system has none left, or none like it can be made.
    """

    __slots__ = ("_like", "_output_only", "_size", "master", "slave")

    def __init__(self, like: int, *, output_only: bool) -> None:
        import termios

        self._like = like
        self._output_only = output_only
        self._size = _SIZE
        self.master, self.slave = os.openpty()
        try:
            attributes = termios.tcgetattr(like)
            if output_only:
                attributes[_OUTPUT] &= ~termios.OPOST
                attributes[_LOCAL] &= ~termios.ECHO
            termios.tcsetattr(self.slave, termios.TCSANOW, attributes)
            self.follow_size()
            os.set_blocking(self.master, False)
        except (termios.error, OSError) as error:
            self.close()
            raise OSError(*error.args) from error

    def follow_size(self) -> bool:
        """Be as large as the user's, pixels included; whether that is a change.

        The kernel tells the programs that this terminal controls.
        """
        import fcntl
        import termios

        size = fcntl.ioctl(self._like, termios.TIOCGWINSZ, _SIZE)
        if size == self._size or self.master < 0:
            return False
        self._size = size
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, size)
        return True

    def reads_keys(self) -> bool:
        """Whether what is typed is to come here.

        Also to one made for output, once a program asks it for single keys: a pager or an
        editor whose input is no terminal (`git log | less`) reads them from its output's.
        """
        if not self._output_only:
            return True
        import termios

        return self.slave >= 0 and not termios.tcgetattr(self.slave)[_LOCAL] & termios.ICANON

    def modes_for_user(self, found: list[Any]) -> list[Any]:
        """The modes of the user's terminal, which has `found`, while it is read for this one."""
        if not self._output_only:
            return _raw(found)
        import termios

        # What it controls goes on to be controlled by it: the signals, above all.
        modes = termios.tcgetattr(self.slave)
        modes[_OUTPUT] = found[_OUTPUT]
        modes[_LOCAL] &= ~(termios.ECHO | termios.ECHONL)
        modes[_CHARACTERS][termios.VMIN], modes[_CHARACTERS][termios.VTIME] = 1, 0
        return modes

    def rows_and_columns(self) -> tuple[int, int]:
        rows, columns = self._size[:2], self._size[2:4]
        return int.from_bytes(rows, sys.byteorder), int.from_bytes(columns, sys.byteorder)

    def end_of_file(self) -> bytes:
        """The key that ends input here."""
        import termios

        return bytes(termios.tcgetattr(self.slave)[_CHARACTERS][termios.VEOF])

    def close_slave(self) -> None:
        if self.slave >= 0:
            os.close(self.slave)
            self.slave = -1

    def close(self) -> None:
        """Hangs up on whoever still has it open."""
        self.close_slave()
        if self.master >= 0:
            os.close(self.master)
            self.master = -1


def _raw(found: list[Any]) -> list[Any]:
    """cfmakeraw(3)."""
    import termios as t

    raw = [*found[:_CHARACTERS], list(found[_CHARACTERS])]
    raw[_INPUT] &= ~(
        t.IGNBRK | t.BRKINT | t.PARMRK | t.ISTRIP | t.INLCR | t.IGNCR | t.ICRNL | t.IXON
    )
    raw[_OUTPUT] &= ~t.OPOST
    raw[_LOCAL] &= ~(t.ECHO | t.ECHONL | t.ICANON | t.ISIG | t.IEXTEN)
    raw[_CONTROL] = raw[_CONTROL] & ~(t.CSIZE | t.PARENB) | t.CS8
    raw[_CHARACTERS][t.VMIN] = 1
    raw[_CHARACTERS][t.VTIME] = 0
    return raw
