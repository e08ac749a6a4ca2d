"""Carry the messages of one client and one server, both ways, and tell a tape of them.

One loop that waits for nothing but the kernel. What arrives is passed on before it is
looked at; only a server's output is held back until a line is known to be a message.
Source: docs/explanation/proxying.md.
"""

from __future__ import annotations

import os
import signal
import time

from hindsight_cli.capture.command.loop import READABLE, WRITABLE, Loop
from hindsight_cli.capture.command.signals import INTERRUPTING
from hindsight_cli.capture.proxy.envelope import envelopes_of
from hindsight_cli.capture.proxy.lines import Line, Lines, Sieve
from hindsight_cli.capture.proxy.pending import Gone, LastLines, Pending
from hindsight_cli.capture.proxy.tape import FROM_CLIENT, FROM_SERVER, NOISE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hindsight_cli.capture.command.streams import Flow
    from hindsight_cli.capture.proxy.server import Server
    from hindsight_cli.capture.proxy.tape import Tape, Untaped

_IDLE_MS = 20  # without a message: time for the record
_MOST_TODO_BYTES = 256 * 1024
_LONGEST_TODO_NS = 100_000_000
_TICK_MS = 1000  # how late it may be noticed that whoever started us is gone
_END_BY_ITSELF_S = 2.0  # a server has, once its input ended
_END_ON_TERM_S = 1.0
_LAST_WORDS_S = 1.0  # for output that is still to come once the server itself has ended
_QUIET_S = 0.1
_REPLY_BYTES = 64 * 1024
_BY_SIGNAL = 128


class Relay:
    """A server's life, from its start to the end of its group."""

    def __init__(
        self, server: Server, tape: Tape | Untaped, name: str, say: Callable[[str], None]
    ) -> None:
        self._server = server
        self._tape = tape
        self._name = name
        self._say = say
        self._loop = Loop()
        self.pending = Pending()
        self._last = LastLines()
        self._sieve = Sieve()
        self._from_client, self._from_server, self._noise = Lines(), Lines(), Lines()
        self.was_asked = False
        self._todo: list[tuple[bytes, bytes, int]] = []  # kind, bytes, time
        self._todo_bytes = 0
        self.parent = os.getppid()  # goes on as long as it does
        self._end_by: float | None = None  # when what comes next in ending is due
        self._asked_to_end = 0  # the signal that asked; 0: the client closed its end
        self._is_ending = False
        self._must_watch = True  # something may be read or written that could not, or no more
        self._must_look = False  # there was a signal, or the end has begun
        self._is_input_closed = False
        self._sent_term = False
        self._quiet_since = 0.0
        self._died_at = 0.0
        self._waits: dict[int, tuple[bool, bool]] = {}

    def run(self) -> Gone | None:
        """Relay until one side ends; why the server was gone first, None when it was not.

        Its group has ended then.
        """
        server, loop = self._server, self._loop
        loop.watch(server.signals.reader, READABLE, self._on_signals)
        loop.watch(0, READABLE, self._on_client)
        loop.watch(server.out.source, READABLE, self._on_output)
        loop.watch(server.err.source, READABLE, self._on_error)
        if self._tape.reply >= 0:
            loop.watch(self._tape.reply, READABLE, self._on_reply)
        while not self._is_over():
            is_ready = loop.turn(self._timeout_ms())
            if self._must_watch or not is_ready:
                self._watch()
            self._watch_tape(is_idle=not is_ready)
            if is_ready and not self._must_look:
                continue
            now = time.monotonic()
            self._quiet_since = now if is_ready else self._quiet_since
            if os.getppid() != self.parent:
                self._end(signal.SIGHUP)
            self._go_on_ending(now)
        self._take_rest()
        return None if self._is_ending else self._gone()

    @property
    def exit_code(self) -> int:
        """What ours is to be."""
        if self._asked_to_end:
            return _BY_SIGNAL + self._asked_to_end
        code = self._server.exit_code
        if code is not None:
            return code if code or self._is_ending else 1
        return 0 if self._is_ending else _BY_SIGNAL + (self._server.signal or 0)

    def _on_client(self, _events: int) -> None:
        data = self._read(self._server.to)
        if data is None:
            return
        if not data:
            self._loop.forget(0)
            self._server.to.source = -1
            self._end(0)
            return
        self._pass_on(self._server.to, data)
        self._later(FROM_CLIENT, data)

    def _later(self, kind: bytes, data: bytes) -> None:
        """Look at what was passed on when there is nothing else to do, but not too late."""
        now = time.time_ns()
        self._todo.append((kind, data, now))
        self._todo_bytes += len(data)
        if self._todo_bytes >= _MOST_TODO_BYTES or now - self._todo[0][2] > _LONGEST_TODO_NS:
            self._catch_up()
            self._tape.flush()

    def _catch_up(self) -> None:
        """Tell the tape what was passed on, and see which calls are open."""
        todo, self._todo, self._todo_bytes = self._todo, [], 0
        for kind, data, at_ns in todo:
            is_asked = kind == FROM_CLIENT
            for line in (self._from_client if is_asked else self._from_server).add(data):
                self._tape.message(kind, line, at_ns)
                envelopes = envelopes_of(line.data, line.end)
                if is_asked:
                    self.was_asked = True
                    self.pending.asked(envelopes)
                else:
                    self.pending.answered(envelopes)

    def _on_output(self, _events: int) -> None:
        data = self._read(self._server.out)
        if data is None:
            return
        if not data:
            self._loop.forget(self._server.out.source)
            self._server.out.end()
            self._must_look = True
            return
        passed, noise = self._sieve.take(data)
        self._take_output(passed, noise)

    def _take_output(self, passed: bytes, noise: bytes) -> None:
        if passed:
            self._pass_on(self._server.out, passed)
            self._later(FROM_SERVER, passed)
        if noise:
            self._catch_up()
            for line in self._noise.add(noise):
                self._take_noise(line)

    def _take_noise(self, line: Line) -> None:
        text = line.data.rstrip(b"\r")
        self._pass_on(self._server.err, b"%s: %s\n" % (self._name.encode(), text))
        self._last.add(text + b"\n")
        self._tape.message(NOISE, line, time.time_ns())

    def _on_error(self, _events: int) -> None:
        data = self._read(self._server.err)
        if data is None:
            return
        if not data:
            self._loop.forget(self._server.err.source)
            self._server.err.end()
            return
        self._pass_on(self._server.err, data)
        self._last.add(data)

    def _read(self, flow: Flow) -> bytes | None:
        try:
            return flow.read()
        except OSError:
            return b""

    def _pass_on(self, flow: Flow, data: bytes) -> None:
        try:
            flow.write(data)
        except OSError:  # nobody reads it any more
            self._broken(flow)
        self._must_watch = self._must_watch or flow.is_pending

    def _flush(self, flow: Flow) -> None:
        self._must_watch = True
        try:
            flow.flush()
        except OSError:
            self._broken(flow)

    def _flusher(self, flow: Flow) -> Callable[[int], None]:
        return lambda _events: self._flush(flow)

    def _broken(self, flow: Flow) -> None:
        """A client that does not read ends us; a server that does not, or a lost stderr, no one."""
        self._must_watch = True
        flow.discard()
        if flow is self._server.out:
            self._loop.forget(flow.outlet.watched)
            self._end(0)

    def _watch(self) -> None:
        """Read only what there is room for, and wait for room where there is none."""
        self._must_watch = False
        server = self._server
        for flow, act in (
            (server.to, self._on_client),
            (server.out, self._on_output),
            (server.err, self._on_error),
        ):
            wanted = (flow.source >= 0 and flow.is_read, flow.is_pending)
            if self._waits.get(id(flow)) == wanted:
                continue
            self._waits[id(flow)] = wanted
            if flow.source >= 0:
                if wanted[0]:
                    self._loop.watch(flow.source, READABLE, act)
                else:
                    self._loop.forget(flow.source)
            if wanted[1]:
                self._loop.watch(flow.outlet.watched, WRITABLE, self._flusher(flow))
            else:
                self._loop.forget(flow.outlet.watched)

    def _watch_tape(self, *, is_idle: bool) -> None:
        """Hand the recorder what waits for it, when there is nothing else to do."""
        tape = self._tape
        if is_idle:
            self._catch_up()
        if is_idle and tape.has_waiting:
            tape.flush()
            if tape.has_waiting and not tape.is_watched:  # it cannot follow
                tape.is_watched = True
                self._loop.watch(tape.fd, WRITABLE, lambda _events: tape.flush())
        if tape.is_watched and not tape.has_waiting:
            tape.is_watched = False
            self._loop.forget(tape.fd)

    def _on_reply(self, _events: int) -> None:
        """The recorder has something to say, or is done."""
        data = os.read(self._tape.reply, _REPLY_BYTES)
        if not data:
            self._loop.forget(self._tape.reply)
        for text in data.decode("utf-8", "replace").splitlines():
            self._say(text)

    def _on_signals(self, _events: int) -> None:
        self._must_look = True
        for number, _ in self._server.signals.take():
            if number in INTERRUPTING:
                self._end(number)
            elif number in (signal.SIGUSR1, signal.SIGUSR2):
                self._server.send(number)

    def _end(self, asked_by: int) -> None:
        """Begin to end the server: its input ends first, unless we are told to hurry."""
        if self._is_ending or self._died_at:
            self._asked_to_end = self._asked_to_end or asked_by
            return
        self._is_ending = self._must_look = True
        self._asked_to_end = asked_by
        self._end_by = time.monotonic() + (0.0 if asked_by else _END_BY_ITSELF_S)
        self._loop.forget(0)
        self._server.to.source = -1

    def _go_on_ending(self, now: float) -> None:
        if self._is_ending and not self._is_input_closed and not self._server.to.is_pending:
            self._is_input_closed = True
            self._loop.forget(self._server.to.outlet.watched)
            self._server.close_input()
        if self._end_by is not None and now >= self._end_by:
            if self._sent_term:
                self._server.send(signal.SIGKILL)
            else:
                self._server.send(signal.SIGTERM)
                self._sent_term = True
            self._end_by = now + _END_ON_TERM_S
        if not self._died_at and self._server.has_ended():
            self._died_at = self._quiet_since = now
            self._end_by = None

    def _is_over(self) -> bool:
        if not self._died_at:
            return False
        flows = (self._server.out, self._server.err)
        if all(flow.is_over for flow in flows):
            return True
        now = time.monotonic()
        is_quiet = now - self._quiet_since >= _QUIET_S and not any(f.is_pending for f in flows)
        return is_quiet or now - self._died_at >= _LAST_WORDS_S

    def _timeout_ms(self) -> int:
        if self._died_at:
            return int(_QUIET_S * 1000)
        if self._todo or (self._tape.has_waiting and not self._tape.is_watched):
            return _IDLE_MS
        if self._end_by is None:
            return _TICK_MS
        left = self._end_by - time.monotonic()
        return min(_TICK_MS, max(1, int(left * 1000)))

    def _take_rest(self) -> None:
        """What the server left without an end of line."""
        is_inside = self._sieve.is_inside
        passed, noise = self._sieve.rest()
        passed += b"\n" if passed or is_inside else b""
        self._take_output(passed, noise + b"\n" if noise else b"")
        self._catch_up()

    def _gone(self) -> Gone:
        return Gone(
            self._server.command,
            exit_code=self._server.exit_code,
            signal=self._server.signal,
            stderr=self._last.texts(),
        )
