"""Calls that wait for an answer, and what they are told when the server is gone."""

from __future__ import annotations

import json
from collections import deque

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hindsight_cli.capture.proxy.envelope import Envelope
    from hindsight_cli.records.jsonvalue import JsonValue

SERVER_GONE = -32000  # of the range that JSON-RPC leaves to implementations
_LAST_LINES = 20
_MAX_LINE_CHARS = 500
_MAX_OPEN_BYTES = 1 << 13  # of a line that is kept until its end is shown


class Pending:
    """Requests of the client without a response, by id."""

    __slots__ = ("_ids",)

    def __init__(self) -> None:
        self._ids: dict[str, JsonValue] = {}

    def __len__(self) -> int:
        return len(self._ids)

    def asked(self, envelopes: Sequence[Envelope]) -> None:
        """The client sent these."""
        for envelope in envelopes:
            if envelope.is_request:
                self._ids[envelope.key] = envelope.id

    def answered(self, envelopes: Sequence[Envelope]) -> None:
        """The server sent these."""
        for envelope in envelopes:
            if envelope.is_response:
                self._ids.pop(envelope.key, None)

    def take(self) -> list[JsonValue]:
        """Their ids, oldest first; none is left."""
        ids = list(self._ids.values())
        self._ids.clear()
        return ids


class LastLines:
    """The end of what a server wrote to its standard error."""

    __slots__ = ("_lines", "_open")

    def __init__(self) -> None:
        self._lines: deque[bytes] = deque(maxlen=_LAST_LINES)
        self._open = b""

    def add(self, data: bytes) -> None:
        *lines, last = (self._open + data).split(b"\n")
        self._open = last[-_MAX_OPEN_BYTES:]
        self._lines.extend(line[-_MAX_OPEN_BYTES:] for line in lines[-_LAST_LINES:])

    def texts(self) -> list[str]:
        """The last of them, each its end where it is long."""
        from hindsight_cli.text import tail_of_words  # loads re: only once a server is gone

        raw = [*self._lines, *([self._open] if self._open else [])]
        found = [line.decode("utf-8", "replace").rstrip() for line in raw if line.strip()]
        return [tail_of_words(line, _MAX_LINE_CHARS) for line in found]


class Gone:
    """Why a server answers no more."""

    __slots__ = ("command", "exit_code", "reason", "signal", "stderr")

    def __init__(
        self,
        command: str,
        *,
        reason: str = "",
        exit_code: int | None = None,
        signal: int | None = None,
        stderr: Sequence[str] = (),
    ) -> None:
        self.command = command
        self.reason = reason  # why it could not even be started
        self.exit_code = exit_code
        self.signal = signal
        self.stderr = list(stderr)

    def message(self, name: str) -> str:
        """For whoever called it: the server by name, what happened, its last words."""
        if self.reason:
            return f"MCP server {name!r} could not be started. {self.reason}"
        how = f"was killed by signal {self.signal}" if self.signal else ""
        how = how or f"ended with exit code {self.exit_code}"
        program = self.command.split(" ", 1)[0].strip("'").rpartition("/")[2]
        told = f"MCP server {name!r} ({program}) {how}."
        return "\n".join([told, "Its last words on stderr:", *self.stderr]) if self.stderr else told

    def fields(self) -> dict[str, JsonValue]:
        names = ("command", "exit_code", "signal", "stderr")
        kept = {key: getattr(self, key) for key in names}
        return {key: value for key, value in kept.items() if value not in (None, [])}

    def answer(self, own_id: JsonValue, name: str) -> bytes:
        """The response to one request, a line.

        A model reads it: it has no command line, which may hold a password, and no secret
        that the server printed.
        """
        from hindsight_cli.redact import Redactor  # only once a server is gone

        redactor = Redactor()
        data = {key: value for key, value in self.fields().items() if key != "command"}
        if self.stderr:
            data["stderr"] = [redactor.text(line) for line in self.stderr]
        message = redactor.text(self.message(name))
        error = {"code": SERVER_GONE, "message": message, "data": data}
        return json.dumps({"jsonrpc": "2.0", "id": own_id, "error": error}).encode() + b"\n"
