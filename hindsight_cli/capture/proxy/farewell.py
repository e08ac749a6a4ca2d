"""After the server: what still waits for an answer, or is asked late, gets an error.

Source: docs/explanation/proxying.md.
"""

from __future__ import annotations

import os
import select
import time

from hindsight_cli.capture.proxy.envelope import envelopes_of
from hindsight_cli.capture.proxy.lines import Lines
from hindsight_cli.capture.proxy.pending import Pending
from hindsight_cli.capture.proxy.tape import FROM_CLIENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hindsight_cli.capture.command.streams import Flow
    from hindsight_cli.capture.proxy.pending import Gone
    from hindsight_cli.capture.proxy.tape import Tape, Untaped

_FIRST_REQUEST_S = 5.0  # for a client that has yet to ask its first
_NEXT_REQUEST_S = 0.5  # for one that asks again, or asked before it was told
_FLUSH_S = 5.0
_READ_BYTES = 1 << 18


class Farewell:
    """Answers in the place of a server that is gone."""

    def __init__(self, gone: Gone, name: str, out: Flow, tape: Tape | Untaped) -> None:
        self._gone = gone
        self._name = name
        self._out = out
        self._tape = tape
        self._lines = Lines()

    def say(self, pending: Pending, *, was_asked: bool) -> None:
        """Answer what is pending and what comes in the next moment.

        `was_asked`: the client has talked before; else its first request is waited for.
        """
        try:
            self._answer(pending)
            deadline = time.monotonic() + (_NEXT_REQUEST_S if was_asked else _FIRST_REQUEST_S)
            while (left := deadline - time.monotonic()) > 0:
                if not select.select([0], [], [], left)[0]:
                    return
                data = os.read(0, _READ_BYTES)
                if not data:
                    return
                if self._take(data, pending):
                    deadline = time.monotonic() + _NEXT_REQUEST_S
        except OSError:
            return  # nobody reads the answers

    def _take(self, data: bytes, pending: Pending) -> bool:
        for line in self._lines.add(data):
            self._tape.message(FROM_CLIENT, line, time.time_ns())
            pending.asked(envelopes_of(line.data, line.end))
        return self._answer(pending)

    def _answer(self, pending: Pending) -> bool:
        ids = pending.take()
        for own_id in ids:
            self._out.write(self._gone.answer(own_id, self._name))
        self._flush()
        return bool(ids)

    def _flush(self) -> None:
        deadline = time.monotonic() + _FLUSH_S
        poll = select.poll()
        poll.register(self._out.outlet.watched, select.POLLOUT)
        while self._out.is_pending and (left := deadline - time.monotonic()) > 0:
            poll.poll(left * 1000)
            self._out.flush()
