"""Run a command as if it were run directly, its output seen by a sink on the way through.

On a terminal the child gets a terminal of its own, else pipes; one loop, which waits
for nothing but the kernel, carries bytes, window sizes and signals.
Source: docs/explanation/running.md.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from errno import EIO, EPIPE

from hindsight_cli.capture.command.ended import Ended
from hindsight_cli.capture.command.loop import READABLE, WRITABLE, Loop
from hindsight_cli.capture.command.signals import (
    ENDING,
    INTERRUPTING,
    Job,
    Signals,
    stop_ourselves,
)
from hindsight_cli.capture.command.start import (
    OWN_GROUP,
    OWN_SESSION,
    become,
    close_inherited,
    start,
)
from hindsight_cli.capture.command.streams import open_streams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hindsight_cli.capture.command.ended import Sink
    from hindsight_cli.capture.command.keyboard import Keyboard
    from hindsight_cli.capture.command.streams import Flow, Streams
    from hindsight_cli.capture.command.terminal_modes import TerminalModes
    from hindsight_cli.capture.command.terminals import ChildTerminal

_POLL_S = 0.1  # how late a signal may be noticed where it cannot wake us
_QUIET_S = 0.1  # silence after the child's end that ends its output, whoever has it open
_DRAIN_S = 1.0  # no longer than this for a background process that goes on writing,
_MOST_BUFFERED = 1 << 20  # or until more has come than any pipe can hold of the child's own
_BY_SIGNAL = 128


def run_command(argv: Sequence[str], env: Mapping[str, str], sink: Sink) -> Ended:
    """Run `argv` to its end, `env` its whole environment.

    To be called in the main thread, for it handles signals.

    Raises:
        CannotStartError: there is no such program, or it cannot be executed.
    """
    with contextlib.ExitStack() as stack:
        try:
            streams = open_streams()
            stack.callback(streams.close)
            signals = Signals(streams.place)
            stack.callback(signals.close)
            if streams.main is not None:
                sink.resized(*streams.main.rows_and_columns())
            pid, leader = start(argv, env, streams, signals)
        except OSError:  # no room for a process beside it, or for its descriptors
            stack.close()
            become(argv, env)
        sink.started(pid)
        streams.close_given()
        close_inherited()
        job = Job(pid, leader, streams.place, streams.main)
        return _Relay(streams, signals, sink, job).run()


class _Relay:
    """Carries on what is ready, until the child and its output have ended."""

    def __init__(self, streams: Streams, signals: Signals, sink: Sink, job: Job) -> None:
        self._streams = streams
        self._signals = signals
        self._sink = sink
        self._loop = Loop()
        self._job = job
        self._status: int | None = None  # as waitpid gives it
        self._interrupted_by: int | None = None
        self._unwritten = ""
        self._must_end = False  # even if nobody takes the output that is left
        self._drain_until = self._quiet_since = 0.0
        self._keyboard: Keyboard | None = None
        self._modes: TerminalModes | None = None

    def run(self) -> Ended:
        self._loop.watch(self._signals.reader, READABLE, self._on_signals)
        for flow in self._streams.flows:
            self._await(flow)
        try:
            if self._streams.main is not None:
                self._use_terminal(self._streams.main)
            while not self._is_over():
                is_ready = self._loop.turn(self._timeout_ms())
                if self._keyboard is not None:
                    self._keyboard.follow()
                if self._signals.must_poll:
                    self._on_signals(0)
                if self._status is not None:
                    self._drain(is_ready=is_ready)
        finally:
            if self._keyboard is not None:
                self._keyboard.close()
        return self._ended()

    def _use_terminal(self, main: ChildTerminal) -> None:
        from hindsight_cli.capture.command.keyboard import Keyboard
        from hindsight_cli.capture.command.terminal_modes import TerminalModes

        self._modes = TerminalModes()
        user = 0 if self._streams.place == OWN_SESSION else 1
        self._keyboard = Keyboard(self._loop, main, self._sink.typed, self._on_hang_up, user=user)
        self._keyboard.follow()

    def _await(self, flow: Flow) -> None:
        waits_for = (flow.is_read, flow.is_pending)
        if waits_for == flow.waits_for:
            return
        flow.waits_for = reads, writes = waits_for
        self._loop.forget(flow.source)
        self._loop.forget(flow.outlet.watched)
        if reads:
            self._loop.watch(flow.source, READABLE, lambda _: self._on_output(flow))
        if writes:
            self._loop.watch(flow.outlet.watched, WRITABLE, lambda _: self._on_room(flow))

    def _on_output(self, flow: Flow) -> None:
        data = flow.read()
        if data is None:
            return
        if not data:
            self._finish(flow)
            return
        if self._status is not None:
            flow.passed_late += len(data)
        if self._modes is not None and flow.terminal is self._streams.main:
            self._modes.feed(data)
        self._sink.output(data)  # first: whatever the user has seen is recorded
        self._write(flow, data)

    def _write(self, flow: Flow, data: bytes) -> None:
        try:
            flow.write(data)
        except OSError as error:
            self._give_up(flow, error)
        self._await(flow)

    def _on_room(self, flow: Flow) -> None:
        try:
            flow.flush()
        except OSError as error:
            self._give_up(flow, error)
        self._await(flow)

    def _give_up(self, flow: Flow, error: OSError) -> None:
        """Nobody will read it; or the disk is full, which the command is not told by a pipe."""
        if error.errno not in (EPIPE, EIO):
            self._unwritten = str(error.strerror)
        self._abandon(flow)

    def _finish(self, flow: Flow) -> None:
        """All its output has come; after a crash its terminal is put in order."""
        if self._modes is not None and flow.terminal is self._streams.main and self._status:
            self._write(flow, self._modes.resets())
        self._end(flow)

    def _abandon(self, flow: Flow) -> None:
        flow.discard()
        self._end(flow)

    def _end(self, flow: Flow) -> None:
        self._loop.forget(flow.source)
        if self._keyboard is not None and flow.terminal is self._streams.main:
            self._keyboard.end()
        flow.end()
        self._await(flow)

    def _on_hang_up(self) -> None:
        """The user's terminal is gone, so the child's goes."""
        for flow in self._streams.flows:
            if flow.terminal is self._streams.main:
                self._abandon(flow)

    def _is_over(self) -> bool:
        if self._status is None:
            return False
        if all(flow.is_over for flow in self._streams.flows):
            return True
        return self._must_end and time.monotonic() >= self._drain_until

    def _timeout_ms(self) -> int | None:
        polls = self._signals.must_poll or (self._keyboard is not None and self._keyboard.must_poll)
        waits = [_POLL_S] if polls else []
        if self._status is not None:
            left = self._drain_until - time.monotonic()
            if any(flow.is_read for flow in self._streams.flows):
                waits += [_QUIET_S, left]
            elif self._must_end:
                waits.append(left)
        return max(0, int(1000 * min(waits)) + 1) if waits else None

    def _drain(self, *, is_ready: bool) -> None:
        """The child has ended: a background process that has its output open is not awaited."""
        now = time.monotonic()
        if is_ready:
            self._quiet_since = now
        is_quiet = now - self._quiet_since >= _QUIET_S
        is_late = now >= self._drain_until
        for flow in self._streams.flows:
            is_passed = not is_ready or flow.passed_late >= _MOST_BUFFERED
            if flow.is_read and (is_quiet or (is_late and is_passed)):
                self._finish(flow)

    def _ended(self) -> Ended:
        status = self._status or 0
        by = os.WTERMSIG(status) if os.WIFSIGNALED(status) else None
        ended = Ended(
            exit_code=os.WEXITSTATUS(status) if by is None else _BY_SIGNAL + by,
            mode=self._streams.mode,
            signal=by,
            interrupted_by=self._interrupted_by,
            fallback=self._streams.fallback,
        )
        ended.unwritten = self._unwritten
        ended.is_apart = self._streams.place == OWN_SESSION
        return ended

    def _on_signals(self, _event: int) -> None:
        for number, is_known in self._signals.take():
            if number == signal.SIGCHLD:
                self._reap()
            elif number == signal.SIGWINCH:
                self._resize()
            elif number == signal.SIGCONT:
                self._go_on()
            elif number == signal.SIGTSTP:
                self._job.send(signal.SIGTSTP)  # we follow once it has stopped
            else:
                self._pass_on(number, is_known=is_known)

    def _pass_on(self, number: int, *, is_known: bool) -> None:
        if number in INTERRUPTING:
            self._interrupted_by = number
            self._must_end |= self._status is not None or number in ENDING
        if self._status is None and not is_known:
            self._job.send(number)

    def _reap(self) -> None:
        # Only where there is job control is it ours to stop with the child.
        stops = 0 if self._streams.place == OWN_GROUP else os.WUNTRACED
        if self._status is not None:
            return
        status = self._job.wait(stops)
        if status is None:
            return
        if os.WIFSTOPPED(status):
            self._suspend()
            return
        self._status = status
        self._quiet_since = time.monotonic()
        self._drain_until = self._quiet_since + _DRAIN_S
        for flow in self._streams.flows:
            if flow.terminal is not None:
                flow.terminal.close_slave()

    def _suspend(self) -> None:
        """The child has stopped: give the terminal back, and go on with it when continued."""
        for flow in self._streams.flows:
            if flow.is_read:
                self._on_output(flow)  # the user sees why, before the shell's prompt
        if self._keyboard is not None:
            self._keyboard.give_back()
        stop_ourselves()
        self._go_on()
        self._job.go_on()

    def _go_on(self) -> None:
        """Continued, perhaps in the foreground again, and on a terminal of another size."""
        if self._keyboard is not None:
            self._keyboard.resume()
        self._resize()

    def _resize(self) -> None:
        main = self._streams.main
        terminals = [f.terminal for f in self._streams.flows if f.terminal is not None]
        try:
            changed = [terminal for terminal in terminals if terminal.follow_size()]
        except OSError:  # the user's terminal is gone; reading it tells
            return
        if main is not None and main in changed:
            self._sink.resized(*main.rows_and_columns())
        if changed and self._streams.place != OWN_SESSION:
            self._job.send(signal.SIGWINCH)  # ours came to it before the size did
