"""The messages in an HTTP answer: a document, or a stream of server-sent events.

Source: HTML Living Standard, "Server-sent events".
"""

from __future__ import annotations

from hindsight_cli.capture.proxy.lines import Line, Lines

_DATA = b"data:"


class AnswerLines:
    """Takes a body as it comes; gives each message once it is whole."""

    def __init__(self, content_type: str) -> None:
        self._kind = content_type.partition(";")[0].strip().lower()
        self._lines = Lines()
        self._data: list[Line] = []

    def add(self, data: bytes) -> list[Line]:
        if self._kind != "text/event-stream":
            if self._kind == "application/json":
                self._data += self._lines.add(data)
            return []
        found = (self._event(line) for line in self._lines.add(data))
        return [message for message in found if message is not None]

    def rest(self) -> list[Line]:
        """At the end of the body."""
        if self._kind != "application/json":
            return []
        last = self._lines.rest()
        lines = [*self._data, *([last] if last is not None else [])]
        message = _joined(lines)
        return [message] if message is not None else []

    def _event(self, line: Line) -> Line | None:
        """The message that a line ends; most lines end none."""
        if line.data.startswith(_DATA):
            start = len(_DATA) + (line.data[len(_DATA) : len(_DATA) + 1] == b" ")
            self._data.append(Line(line.data[start:], line.size - start, line.end))
            return None
        if line.data.strip(b"\r"):
            return None
        lines, self._data = self._data, []
        return _joined(lines)


def _joined(lines: list[Line]) -> Line | None:
    if len(lines) == 1:
        return lines[0] if lines[0].size else None
    if not all(line.is_whole for line in lines):
        return next(line for line in lines if not line.is_whole)
    data = b"\n".join(line.data for line in lines)
    return Line(data, len(data), b"") if data.strip() else None
