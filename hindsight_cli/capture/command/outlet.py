"""Our own output, written to without ever waiting for who reads it."""

from __future__ import annotations

import os
import select
import stat

_PIECE = 4096  # POLLOUT promises room for this much (PIPE_BUF)


class Outlet:
    """One of our standard streams.

    O_NONBLOCK belongs to the open file, which the terminal's other users share, so it
    is set on an open file of our own where the system gives one (Linux: by /proc);
    elsewhere each write is as small as the poll before it allows.
    """

    __slots__ = ("_fd", "_poll", "watched")

    def __init__(self, fd: int) -> None:
        self._poll: select.poll | None = None
        self._fd = fd
        self.watched = fd  # to be polled for POLLOUT when a write came short
        if stat.S_ISREG(os.fstat(fd).st_mode):
            return
        try:
            flags = os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
            self._fd = self.watched = os.open(f"/proc/self/fd/{fd}", flags)
        except OSError:  # a socket; no /proc
            # A duplicate: two streams may be one descriptor's file, polled apart.
            self._fd = self.watched = os.dup(fd)
            self._poll = select.poll()
            self._poll.register(self._fd, select.POLLOUT)

    def write(self, data: bytes | memoryview) -> int:
        """How much of `data` was taken, 0 when there is no room.

        Raises:
            OSError: nobody will read it: a closed pipe, a terminal hung up, a full disk.
        """
        if self._poll is not None:
            if not self._poll.poll(0):
                return 0
            data = data[:_PIECE]
        try:
            return os.write(self._fd, data)
        except BlockingIOError:
            return 0

    def close(self) -> None:
        if self._fd > 2:  # noqa: PLR2004 -- a standard stream stays open for our own messages
            os.close(self._fd)
            self._fd = -1
