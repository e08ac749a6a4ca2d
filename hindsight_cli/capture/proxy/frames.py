"""The tape read back: whole messages out of frames."""

from __future__ import annotations

from hindsight_cli.capture.command import feed
from hindsight_cli.capture.proxy import tape
from hindsight_cli.capture.proxy.lines import Line

_MESSAGES = (tape.FROM_CLIENT, tape.FROM_SERVER, tape.NOISE)


class Message:
    """What the relay told: a line of one side, or `raw` of another kind."""

    __slots__ = ("at_ns", "connection", "kind", "line")

    def __init__(self, kind: bytes, at_ns: int, connection: int, line: Line) -> None:
        self.kind = kind
        self.at_ns = at_ns
        self.connection = connection
        self.line = line


class Assembler:
    """Joins the parts of long messages."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def add(self, kind: bytes, payload: bytes) -> Message | None:
        """The message a frame completes; None for a part, and for frames that are no message."""
        if kind == tape.PART:
            self._parts.append(payload[tape.STAMP_BYTES :])
            return None
        if kind not in (*_MESSAGES, tape.CUT, tape.GONE, tape.CLOSED):
            return None
        at_ns = int.from_bytes(payload[:8], "big")
        connection = int.from_bytes(payload[8 : tape.STAMP_BYTES], "big")
        rest = payload[tape.STAMP_BYTES :]
        parts, self._parts = self._parts, []
        if kind == tape.CUT:
            kind, rest = rest[:1], rest[1:]
            size, end = int.from_bytes(rest[: tape.SIZE_BYTES], "big"), rest[tape.SIZE_BYTES :]
            return Message(kind, at_ns, connection, Line(b"".join(parts), size, end))
        data = b"".join([*parts, rest])
        return Message(kind, at_ns, connection, Line(data, len(data), b""))


def dropped_bytes(kind: bytes, payload: bytes) -> int:
    return int(payload) if kind == feed.DROPPED else 0
