"""A terminal's output cut into observations: one for what stood between two pauses.

However much is written, memory stays bounded: of a burst the beginning and the end are kept.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from hindsight_cli.capture.screen import Screen

PAUSE_S = 2.0  # silence that ends a segment
MAX_AGE_S = 20.0
_CONTINUATION = bytes(range(0x80, 0xC0))  # of a UTF-8 character cut in two
MIN_AGE_S = 1.0  # one that the user's Enter ends
HEAD_BYTES = 64 * 1024
TAIL_BYTES = 192 * 1024


class Segments:
    """Takes output as it comes, gives text to `emit`. Times are seconds of one clock."""

    def __init__(self, emit: Callable[[str], None]) -> None:
        self._emit = emit
        self._screen = Screen()
        self._burst = _Burst()
        self._began: float | None = None
        self._last = 0.0
        self.bytes = 0
        self.dropped = 0

    def output(self, data: bytes, now: float) -> None:
        self.bytes += len(data)
        if self._began is None:
            self._began = now
        self._last = now
        self._burst.add(data)

    def lost(self, count: int) -> None:
        """So much output was passed on without being seen here."""
        self.bytes += count
        self._burst.left_out += count

    def resized(self, rows: int, columns: int) -> None:
        self._burst.feed(self._screen)
        self._screen.resize(rows, columns)

    def typed(self, now: float) -> None:
        if self._began is not None and now - self._began >= MIN_AGE_S:
            self.close()

    def tick(self, now: float) -> None:
        """End the segment if its time has come."""
        if self._began is None:
            return
        if now - self._last >= PAUSE_S or now - self._began >= MAX_AGE_S:
            self.close()

    def close(self) -> None:
        self._began = None
        self.dropped += self._burst.feed(self._screen)
        text = self._screen.take().strip("\n")
        if text.strip():
            self._emit(text)


class _Burst:
    """Raw output not looked at yet: all of it, or its beginning and its end."""

    def __init__(self) -> None:
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_bytes = 0
        self.left_out = 0

    def add(self, data: bytes) -> None:
        if not self._tail and not self.left_out:
            room = HEAD_BYTES - len(self._head)
            self._head += data[:room]
            data = data[room:]
        if data:
            self._tail.append(data)
            self._tail_bytes += len(data)
        while self._tail and self._tail_bytes - len(self._tail[0]) >= TAIL_BYTES:
            gone = self._tail.popleft()
            self._tail_bytes -= len(gone)
            self.left_out += len(gone)

    def feed(self, screen: Screen) -> int:
        """Show it to `screen`; gives how many bytes of it were left out."""
        left_out = self.left_out
        head, tail = bytes(self._head), b"".join(self._tail)
        is_cut = left_out or len(tail) > TAIL_BYTES
        screen.feed(head.decode("utf-8", "ignore").encode() if is_cut else head)  # no half letter
        if is_cut:
            cut = tail[-TAIL_BYTES:]
            left_out += len(tail) - len(cut)
            _, newline, rest = cut.partition(b"\n")
            cut = rest if newline else cut.lstrip(_CONTINUATION)
            screen.feed(b"\r\n\x1b[0m...[%d bytes not kept]...\r\n" % left_out)
            tail = cut
        screen.feed(tail)
        self._head.clear()
        self._tail.clear()
        self._tail_bytes = self.left_out = 0
        return left_out
