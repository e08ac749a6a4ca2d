"""What the relay tells its recorder: each message once it was passed on, never waiting.

A frame's payload begins with eight bytes of time (nanoseconds since 1970) and two of the
connection it was on; then comes a message or what the kind says.
"""

from __future__ import annotations

import os
import sys
import time

from hindsight_cli.capture.command.feed import ENDED, Feed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hindsight_cli.capture.proxy.lines import Line

FROM_CLIENT, FROM_SERVER, NOISE = b"c", b"s", b"n"
PART = b"p"  # the beginning of the next message
CUT = b"x"  # the end of a message whose middle was not kept: 8 bytes of its size first
GONE = b"g"  # the server ended by itself: JSON
CLOSED = b"q"  # the client ended the session of this connection
STAMP_BYTES = 10
SIZE_BYTES = 8
_PART_BYTES = 1024 * 1024
_ENOUGH = 256 * 1024  # then it is handed on at once
_WAIT_S = 2.0  # the client may wait for our end
_LOOK_S = 0.01
_PATIENCE_S = 120.0
_MAX_WAITING = 64 * 1024 * 1024


class Tape(Feed):
    """The writing end. A recorder that cannot follow costs the record, never the traffic."""

    def __init__(self, fd: int, reply: int) -> None:
        super().__init__(fd)
        self.fd = fd
        self.reply = reply  # lines from the recorder, for the person; it ends with it
        self.is_watched = False
        self.is_awaited = False  # whether a run waits for what is recorded
        self._is_held = True

    @property
    def has_waiting(self) -> bool:
        return bool(self._pending)

    def message(self, kind: bytes, line: Line, at_ns: int, connection: int = 0) -> None:
        """One message, or one line of noise."""
        if self._broken:
            return
        if self._pending_bytes > _MAX_WAITING:
            self._dropped += line.size
            self._flush()
            return
        stamp = at_ns.to_bytes(8, "big") + connection.to_bytes(2, "big")
        data = line.data
        while len(data) > _PART_BYTES or (not line.is_whole and data):
            self._put(PART, stamp + data[:_PART_BYTES])
            data = data[_PART_BYTES:]
        if line.is_whole:
            self._put(kind, stamp + data)
        else:
            self._put(CUT, stamp + kind + line.size.to_bytes(SIZE_BYTES, "big") + line.end)

    def gone(self, payload: bytes, connection: int = 0) -> None:
        stamp = time.time_ns().to_bytes(8, "big") + connection.to_bytes(2, "big")
        self._put(GONE, stamp + payload)

    def started(self, pid: int) -> None:
        super().started(pid)
        self.flush()  # known from the first moment on: it is ended should we be killed

    def closed(self, connection: int) -> None:
        self._put(CLOSED, time.time_ns().to_bytes(8, "big") + connection.to_bytes(2, "big"))

    def flush(self) -> None:
        """Hand on what waits, as much as is taken: to be called when there is nothing else to do.

        A recorder that was woken with every message would take its time from the traffic.
        """
        super()._flush()

    def _flush(self) -> None:
        if self._pending_bytes >= _ENOUGH or not self._is_held:
            super()._flush()

    def close(self, payload: bytes) -> None:
        """The last frame, with how it ended. A recorder that is behind is not waited for."""
        self._is_held = False
        self._put(ENDED, payload)
        self._drain(_WAIT_S)
        if self.is_awaited:
            self._until_read()
        self._leave_behind(_PATIENCE_S)
        self._give_up()
        os.close(self._fd)
        os.close(self.reply)

    def _until_read(self) -> None:
        """Until the recorder has begun: from then on whoever waits for the record knows of it."""
        try:
            import fcntl
            import termios

            deadline = time.monotonic() + _WAIT_S
            while time.monotonic() < deadline:
                left = fcntl.ioctl(self._fd, termios.FIONREAD, bytes(4))
                if not int.from_bytes(left, sys.byteorder):
                    return
                time.sleep(_LOOK_S)
        except (ImportError, OSError):
            return  # a recorder that is gone, or a system that does not tell


class Untaped:
    """Nobody records."""

    fd = reply = -1
    has_waiting = False
    is_watched = False

    def message(self, kind: bytes, line: Line, at_ns: int, connection: int = 0) -> None:
        pass

    def gone(self, payload: bytes, connection: int = 0) -> None:
        pass

    def closed(self, connection: int) -> None:
        pass

    def started(self, pid: int) -> None:
        pass

    def flush(self) -> None:
        pass

    def close(self, payload: bytes) -> None:
        pass
