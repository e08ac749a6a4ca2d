"""Lines out of what arrives, of any length; and of a server's output, those that are messages.

Source: Model Context Protocol, "Transports": messages are JSON-RPC, one a line, UTF-8.
"""

from __future__ import annotations

import json
import re

from hindsight_cli.capture.proxy.envelope import WHOLE_BYTES

MAX_KEPT_BYTES = (
    16 * 1024 * 1024
)  # of one message for the record; it is passed on whatever its size
END_BYTES = 4096
_DECIDE_BYTES = 64 * 1024  # a longer line is judged by its beginning, and not held back
# How a message begins, whatever order its members have; one of a batch, too.
_BEGINS = re.compile(rb'\s*(?:\[\s*)?\{\s*"(?:jsonrpc|id|method|params|result|error)"\s*:')


class Line:
    """One line, without what ends it; of one too long its beginning and its end."""

    __slots__ = ("data", "end", "size")

    def __init__(self, data: bytes, size: int, end: bytes) -> None:
        self.data = data
        self.size = size
        self.end = end  # the last bytes; b"" where `data` is all of it

    @property
    def is_whole(self) -> bool:
        return self.size == len(self.data)


class Lines:
    """Puts together what arrives in pieces."""

    __slots__ = ("_end", "_kept", "_parts", "_size")

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = self._kept = 0
        self._end = b""

    def add(self, data: bytes) -> list[Line]:
        """The lines that `data` completes, in order."""
        first, *others = data.split(b"\n")
        self._take(first)
        if not others:
            return []
        last = others.pop()
        found = [self._complete(), *(Line(one, len(one), b"") for one in others)]
        self._take(last)
        return found

    def rest(self) -> Line | None:
        """At the end of all: what came without an end of line."""
        return self._complete() if self._size else None

    def _take(self, part: bytes) -> None:
        self._size += len(part)
        room = MAX_KEPT_BYTES - self._kept
        if len(part) > room:
            self._end = (self._end + part[-END_BYTES:])[-END_BYTES:]
            part = part[:room]
        if part:
            self._parts.append(part)
            self._kept += len(part)

    def _complete(self) -> Line:
        line = Line(b"".join(self._parts), self._size, self._end)
        self._parts, self._size, self._kept, self._end = [], 0, 0, b""
        return line


class Sieve:
    """A server's standard output: what belongs on the channel, and what is noise."""

    __slots__ = ("_held", "_held_bytes", "_passing")

    def __init__(self) -> None:
        self._held: list[bytes] = []
        self._held_bytes = 0
        self._passing: bool | None = None  # how the line that is open was judged; None: not yet

    def take(self, data: bytes) -> tuple[bytes, bytes]:
        """The bytes to pass on, whole lines or the next of a long one; and those to keep off."""
        passed: list[bytes] = []
        noise: list[bytes] = []
        at = 0
        while at < len(data):
            end = data.find(b"\n", at) + 1
            part = data[at : end or len(data)] if at or end not in (0, len(data)) else data
            at += len(part)
            self._take(part, passed, noise, is_end=bool(end))
        return b"".join(passed), b"".join(noise)

    def rest(self) -> tuple[bytes, bytes]:
        """At the end of all, as `take`: the line that nothing ends."""
        line, self._held, self._held_bytes = b"".join(self._held), [], 0
        return (line, b"") if is_message(line) else (b"", line)

    @property
    def is_inside(self) -> bool:
        """Whether part of a line was passed on, and its end was not."""
        return self._passing is True

    def _take(self, part: bytes, passed: list[bytes], noise: list[bytes], *, is_end: bool) -> None:
        if self._passing is None:
            self._held.append(part)
            self._held_bytes += len(part)
            if not is_end and self._held_bytes < _DECIDE_BYTES:
                return
            part = part if len(self._held) == 1 else b"".join(self._held)
            if is_end:
                self._passing = is_message(part)
            elif _BEGINS.match(part):
                self._passing = True
            elif part.lstrip()[:1] not in (b"{", b"["):
                self._passing = False
            else:  # it may be one, with a member of its own first: only the end can tell
                return
            self._held, self._held_bytes = [], 0
        (passed if self._passing else noise).append(part)
        if is_end:
            self._passing = None


def is_message(line: bytes) -> bool:
    """Whether a line is meant as JSON-RPC; a flaw in one is for its reader to find."""
    text = line.strip()
    if text[:1] == b"[":
        if text[-1:] != b"]" or text[1:].lstrip()[:1] != b"{":
            return False
    elif text[:1] != b"{" or text[-1:] != b"}":
        return False
    if b'"jsonrpc"' not in text:
        return False
    if len(text) > WHOLE_BYTES:
        return True
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return True
    items = value if isinstance(value, list) else [value]
    return any(isinstance(item, dict) and "jsonrpc" in item for item in items)
