"""What a relay tells its recorder: frames over a pipe that never hold up the relay.

A frame is one byte of kind, four of length (big endian), then its payload. When the
recorder is slow, output is dropped and counted, never waited for.
"""

from __future__ import annotations

import os
import select
import time
from collections import deque

OUTPUT, DROPPED, RESIZED, TYPED, DELIVERED, ENDED = b"O", b"D", b"R", b"T", b"I", b"E"
STARTED = b"S"
HEADER_BYTES = 5
MAX_FRAME_BYTES = 4 * 1024 * 1024  # of a payload; more is dropped, or was never ours
_MAX_PENDING = 4 * 1024 * 1024
_PIPE_BYTES = 1024 * 1024
_MAX_FDS = 4096
_SET_PIPE_SIZE = 1031  # F_SETPIPE_SZ; Linux only


def frame(kind: bytes, payload: bytes = b"") -> bytes:
    return kind + len(payload).to_bytes(4, "big") + payload


class Feed:
    """The writing end: a `Sink` for the relay."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._pending: deque[bytes] = deque()
        self._pending_bytes = 0
        self._written = 0  # of the first one pending
        self._dropped = 0
        self._broken = False
        os.set_blocking(fd, False)
        _enlarge(fd)

    def output(self, data: bytes) -> None:
        if self._pending_bytes > _MAX_PENDING or len(data) > MAX_FRAME_BYTES:
            self._dropped += len(data)
            self._flush()
            return
        self._put(OUTPUT, data)

    def resized(self, rows: int, columns: int) -> None:
        self._put(RESIZED, b"%d %d" % (rows, columns))

    def started(self, pid: int) -> None:
        self._put(STARTED, b"%d" % pid)

    def typed(self) -> None:
        self._put(TYPED)

    def delivered(self, how: str) -> None:
        """The block that the recorder prepared was put before the agent."""
        self._put(DELIVERED, how.encode())

    def ended(self, payload: bytes, *, timeout_s: float) -> None:
        """The last frame; waits until the recorder has taken everything, or for the timeout."""
        self._put(ENDED, payload)
        self._drain(timeout_s)
        self._give_up()
        os.close(self._fd)

    def _drain(self, timeout_s: float) -> None:
        deadline = time.monotonic() + timeout_s
        poll = select.poll()
        poll.register(self._fd, select.POLLOUT)
        while self._pending and (left := deadline - time.monotonic()) > 0:
            poll.poll(left * 1000)
            self._flush()

    def _leave_behind(self, timeout_s: float) -> None:
        """Have a child hand on what waits: nobody waits for it, and it ends by itself."""
        if not self._pending:
            return
        try:
            child = os.fork()
        except OSError:
            return
        if child:
            return
        try:
            os.setsid()  # not ended with the group of this process
            nowhere = os.open(os.devnull, os.O_RDWR)
            for standard in (0, 1, 2):  # whoever reads ours waits for their end
                os.dup2(nowhere, standard)
            os.closerange(3, self._fd)
            os.closerange(self._fd + 1, _MAX_FDS)
            self._drain(timeout_s)
        finally:
            os._exit(0)

    def _put(self, kind: bytes, payload: bytes = b"") -> None:
        if self._broken:
            return
        data = frame(kind, payload)
        if self._dropped:
            data = frame(DROPPED, str(self._dropped).encode()) + data
            self._dropped = 0
        self._pending.append(data)
        self._pending_bytes += len(data)
        self._flush()

    def _flush(self) -> None:
        try:
            while self._pending:
                first = self._pending[0]
                self._written += os.write(self._fd, memoryview(first)[self._written :])
                if self._written == len(first):
                    self._pending.popleft()
                    self._pending_bytes -= len(first)
                    self._written = 0
        except BlockingIOError:
            pass
        except OSError:  # the recorder is gone; the run goes on without it
            self._give_up()

    def _give_up(self) -> None:
        self._broken = True
        self._pending.clear()
        self._pending_bytes = 0


class FrameReader:
    """The reading end: whole frames out of what arrives."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._buffer = bytearray()
        self._poll = select.poll()
        self._poll.register(fd, select.POLLIN)
        self.at_end = False

    def frames(self, timeout_s: float) -> list[tuple[bytes, bytes]]:
        """The frames, kind and payload, that are complete after waiting for more at most so long.

        What is no frame of ours ends the feed, as its end does.
        """
        if not self.at_end and self._poll.poll(timeout_s * 1000):
            data = os.read(self._fd, _PIPE_BYTES)
            self.at_end = not data
            self._buffer += data
        found = []
        at = 0
        while (start := at + HEADER_BYTES) <= len(self._buffer):
            size = int.from_bytes(self._buffer[at + 1 : start], "big")
            if size > MAX_FRAME_BYTES:
                self.at_end = True
                self._buffer.clear()
                break
            if start + size > len(self._buffer):
                break
            kind = bytes(self._buffer[at : at + 1])
            found.append((kind, bytes(self._buffer[start : start + size])))
            at = start + size
        del self._buffer[:at]
        return found


def _enlarge(fd: int) -> None:
    try:
        import fcntl

        fcntl.fcntl(fd, _SET_PIPE_SIZE, _PIPE_BYTES)
    except (ImportError, OSError):
        pass  # elsewhere pipes have the size they have
