"""A terminal's output cut into observations: one for what stood between two pauses.

However much is written, memory stays bounded: of a burst the beginning and the end are kept.
"""

from __future__ import annotations

import re
from collections import deque

from hindsight_cli.capture.screen import Screen

TYPE_CHECKING = False  # as typing's, without loading typing beside a running program
if TYPE_CHECKING:
    from collections.abc import Callable

PAUSE_S = 2.0  # silence that ends a segment
MAX_AGE_S = 20.0
MIN_AGE_S = 1.0  # one that the user's Enter ends
HEAD_BYTES = 64 * 1024
TAIL_BYTES = 192 * 1024
_MAX_CHARS = HEAD_BYTES + TAIL_BYTES  # a few bytes can fill a screen
_PIPE_COLUMNS = 500  # a pipe has no width: a line that is written over is one row
# What of the output behind a gap goes with it: to the line's end, or up to an escape sequence.
_RESUMED = re.compile(rb"[^\n]{0,4096}\n|[^\x1b]{0,4096}(?=\x1b)|[\x80-\xbf]{0,3}")


class Segments:
    """Takes output as it comes, gives text to `emit`. Times are seconds of one clock."""

    def __init__(self, emit: Callable[[str], None]) -> None:
        self._emit = emit
        self._screen = Screen(_PIPE_COLUMNS)
        self._burst = _Burst()
        self._began: float | None = None
        self._last = 0.0
        self.bytes = 0
        self.dropped = 0

    def output(self, data: bytes, now: float) -> None:
        self.tick(now)
        self.bytes += len(data)
        if self._began is None:
            self._began = now
        self._last = now
        self._burst.add(data)

    def lost(self, count: int) -> None:
        """So much output was passed on without being seen here."""
        self.bytes += count
        self._burst.lose(count)

    def resized(self, rows: int, columns: int) -> None:
        self._show()
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
        self._show()
        text = self._screen.take().strip("\n")
        if len(text) > _MAX_CHARS:
            left_out = len(text) - _MAX_CHARS
            text = f"{text[:HEAD_BYTES]}\n{_gap(left_out, 'characters')}\n{text[-TAIL_BYTES:]}"
        if text.strip():
            self._emit(text)

    def _show(self) -> None:
        self.dropped += self._burst.show(self._screen)
        self._burst = _Burst()


class _Burst:
    """Raw output not looked at yet: all of it, or its beginning and its end."""

    def __init__(self) -> None:
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_bytes = 0
        self.left_out = 0  # between the two

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

    def lose(self, count: int) -> None:
        """So much more is missing: one gap for all, for each costs as much as what is shown."""
        self.left_out += count + self._tail_bytes
        self._tail.clear()
        self._tail_bytes = 0

    def show(self, screen: Screen) -> int:
        """Feed it to `screen`; gives how many bytes of it were left out."""
        screen.feed(bytes(self._head))
        tail = b"".join(self._tail)
        start = max(0, len(tail) - TAIL_BYTES)
        if not start and not self.left_out:
            screen.feed(tail)
            return 0
        resumed = _RESUMED.match(tail, start)
        start = resumed.end() if resumed else start
        left_out = self.left_out + start
        screen.note_gap(_gap(left_out, "bytes"))
        screen.feed(tail[start:])
        return left_out


def _gap(size: int, unit: str) -> str:
    return f"...[{size} {unit} not kept]..."
