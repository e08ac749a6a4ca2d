"""The server as a process: started in a group of its own, ended with all it started."""

from __future__ import annotations

import contextlib
import os
import signal

from hindsight_cli.capture.command.signals import Job, Signals
from hindsight_cli.capture.command.start import OWN_GROUP, close_inherited, start
from hindsight_cli.capture.command.streams import Flow, Streams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_INPUT_BYTES = 1 << 18


class Server:
    """A server that runs; `to`, `out` and `err` carry its three streams."""

    __slots__ = ("_job", "command", "err", "out", "pid", "signals", "status", "to")

    def __init__(self, argv: Sequence[str], env: Mapping[str, str]) -> None:
        """Start `argv`, `env` its whole environment.

        Raises:
            CannotStartError: there is no such program, or it cannot be executed.
        """
        self.command = " ".join(argv)
        streams = Streams()
        streams.place = OWN_GROUP
        streams.add_pipe(1)
        streams.add_pipe(2)
        reader, writer = os.pipe()
        streams.child[0] = reader
        streams.given.append(reader)
        self.signals = Signals(OWN_GROUP)
        try:
            self.pid, _ = start(argv, env, streams, self.signals)
        except BaseException:
            streams.close()
            os.close(writer)
            self.signals.close()
            raise
        streams.close_given()
        close_inherited()
        _widen(writer)
        self.to = Flow(0, writer)
        os.close(writer)  # the flow writes to an open file of its own
        self.out, self.err = streams.flows
        self.status: int | None = None  # as waitpid gives it, once it ended
        self._job = Job(self.pid, None, OWN_GROUP, None)

    def has_ended(self) -> bool:
        if self.status is None:
            with contextlib.suppress(ChildProcessError):
                self.status = self._job.wait(0)
        return self.status is not None

    @property
    def exit_code(self) -> int | None:
        """As it gave it; None when a signal ended it, or it runs."""
        ended = self.status is not None and os.WIFEXITED(self.status)
        return os.WEXITSTATUS(self.status or 0) if ended else None

    @property
    def signal(self) -> int | None:
        ended = self.status is not None and os.WIFSIGNALED(self.status)
        return os.WTERMSIG(self.status or 0) if ended else None

    def send(self, number: int) -> None:
        """To it and to what it started, also when it has ended itself."""
        with contextlib.suppress(OSError):
            os.killpg(self.pid, number)

    def close_input(self) -> None:
        self.to.outlet.close()

    def close(self) -> None:
        """End what is left of its group."""
        self.send(signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            if self.status is None:
                _, self.status = os.waitpid(self.pid, 0)
        for flow in (self.out, self.err):
            flow.close()
        self.to.outlet.close()
        self.signals.close()


def _widen(pipe: int) -> None:
    try:
        import fcntl

        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _INPUT_BYTES)
    except (ImportError, AttributeError, OSError):
        pass  # another system, or the user's limit: as it is, only slower
