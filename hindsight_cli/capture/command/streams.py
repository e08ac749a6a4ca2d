"""What the child gets as its standard streams, and where what it writes goes on to."""

from __future__ import annotations

import contextlib
import os
from collections import deque

from hindsight_cli.capture.command.outlet import Outlet
from hindsight_cli.capture.command.start import INHERITED, OWN_GROUP, OWN_SESSION, SAME_GROUP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hindsight_cli.capture.command.terminals import ChildTerminal

_PIPE_BYTES = 1 << 18
_TERMINAL_BYTES = 1 << 12
_GATHERED_BYTES = 1 << 13  # about what our own terminal takes in one write
_ENOUGH = 1 << 11  # less in one read: a program talking, not pouring
_MOST_QUEUED = 1 << 18


class Flow:
    """One stream of the child's output on its way to ours.

    What ours has no room for is queued up to a limit, then read no more: who reads us
    slowly slows the child, as without us.
    """

    __slots__ = ("_queue", "_queued", "outlet", "passed_late", "source", "terminal", "waits_for")

    def __init__(self, source: int, to: int, terminal: ChildTerminal | None = None) -> None:
        self.source = source  # -1: ended
        self.outlet = Outlet(to)
        self.terminal = terminal  # whose master `source` is
        self.waits_for = (False, False)  # more to read, room to write: as the loop knows it
        self.passed_late = 0  # bytes that came after the child's end
        self._queue: deque[memoryview] = deque()
        self._queued = 0

    @property
    def is_read(self) -> bool:
        """More may come, and is waited for."""
        return self.source >= 0 and self._queued < _MOST_QUEUED

    @property
    def is_pending(self) -> bool:
        """There is something read and not yet written."""
        return bool(self._queue)

    @property
    def is_over(self) -> bool:
        return self.source < 0 and not self._queue

    def read(self) -> bytes | None:
        """What is there, b"" at the end, None when nothing is there."""
        try:
            if self.terminal is None:
                return os.read(self.source, _PIPE_BYTES)
            data = os.read(self.source, _TERMINAL_BYTES)
        except BlockingIOError:
            return None
        except OSError:  # EIO: the last one closed the terminal (Linux)
            return b""
        return data if len(data) < _ENOUGH else self._gather(data)

    def _gather(self, data: bytes) -> bytes:
        """A terminal hands out at most 4 KiB at a time: take what has come meanwhile."""
        parts, size = [data], len(data)
        try:
            while size < _GATHERED_BYTES and (more := os.read(self.source, _TERMINAL_BYTES)):
                parts.append(more)
                size += len(more)
        except OSError:
            pass  # no more yet, or the end, which the next read meets again
        return b"".join(parts)

    def write(self, data: bytes) -> None:
        """Hand on `data`, or queue what there is no room for.

        Raises:
            OSError: nobody will read it.
        """
        taken = 0 if self._queue else self.outlet.write(data)
        if taken < len(data):
            self._queue.append(memoryview(data)[taken:])
            self._queued += len(data) - taken

    def flush(self) -> None:
        """Hand on what is queued, as much as is taken.

        Raises:
            OSError: nobody will read it.
        """
        while self._queue:
            first = self._queue[0]
            taken = self.outlet.write(first)
            self._queued -= taken
            if taken < len(first):
                self._queue[0] = first[taken:]
                return
            self._queue.popleft()

    def discard(self) -> None:
        self._queue.clear()
        self._queued = 0

    def end(self) -> None:
        """The child can write no more to it: SIGPIPE, or its terminal hung up."""
        if self.terminal is not None:
            self.terminal.close()
        elif self.source >= 0:
            os.close(self.source)
        self.source = -1

    def close(self) -> None:
        self.end()
        self.outlet.close()


class Streams:
    """The child's side of 0, 1 and 2, and the flows from them to ours."""

    __slots__ = ("child", "fallback", "flows", "given", "main", "mode", "place")

    def __init__(self) -> None:
        self.child = [INHERITED, INHERITED, INHERITED]
        self.flows: list[Flow] = []
        self.given: list[int] = []  # pipe ends that are the child's alone
        self.main: ChildTerminal | None = None  # the terminal its output, or all, is on
        self.place = _place_without_session()
        self.mode = "pipe"
        self.fallback = ""

    def close_given(self) -> None:
        for descriptor in self.given:
            os.close(descriptor)
        self.given.clear()

    def close(self) -> None:
        self.close_given()
        for flow in self.flows:
            flow.close()

    def add_pipe(self, *numbers: int) -> None:
        """One pipe for the child's streams `numbers`, to our own first of them."""
        source, given = os.pipe()
        self.given.append(given)
        for number in numbers:
            self.child[number] = given
        os.set_blocking(source, False)
        _widen(source)
        self.flows.append(Flow(source, numbers[0]))

    def add_terminal(self, *numbers: int, like: int) -> ChildTerminal:
        """One terminal for the child's streams `numbers`; its input too if 0 is among them."""
        from hindsight_cli.capture.command.terminals import ChildTerminal

        terminal = ChildTerminal(like, output_only=0 not in numbers)
        for number in numbers:
            self.child[number] = terminal.slave
        self.flows.append(Flow(terminal.master, max(1, numbers[0]), terminal))
        return terminal


def open_streams() -> Streams:
    """Terminals where ours are, pipes elsewhere.

    Output on a terminal with input from elsewhere (`cat notes | hindsight run -- agent`)
    leaves the child in our session: a password it asks for is still typed at our own
    terminal, and Ctrl-C still reaches the whole pipeline.
    """
    _reserve_standard_streams()
    streams = Streams()
    if os.isatty(1):
        try:
            _put_on_terminal(streams)
        except (ImportError, OSError) as error:
            streams.close()
            streams = Streams()
            streams.fallback = str(error)
    if streams.main is None:
        _put_on_pipes(streams)
    return streams


def _put_on_terminal(streams: Streams) -> None:
    numbers = [1]
    if os.isatty(0):
        numbers.insert(0, 0)
        streams.place = OWN_SESSION
    if os.isatty(2) and os.path.sameopenfile(1, 2):
        numbers.append(2)
    streams.main = streams.add_terminal(*numbers, like=numbers[0])
    streams.mode = "pty"
    if 2 not in numbers:  # noqa: PLR2004
        _add_error(streams)


def _put_on_pipes(streams: Streams) -> None:
    present = [_is_present(number) for number in (1, 2)]
    if all(present) and os.path.sameopenfile(1, 2):
        streams.add_pipe(1, 2)  # one, so that their order is kept
        return
    if present[0]:
        streams.add_pipe(1)
    _add_error(streams)


def _add_error(streams: Streams) -> None:
    """Standard error on its own: a terminal stays one, and its bytes as they are."""
    if not os.isatty(2):
        if _is_present(2):
            streams.add_pipe(2)
        return
    with contextlib.suppress(ImportError, OSError):  # else inherited: the sink does not see it
        streams.add_terminal(2, like=2)


def _is_present(number: int) -> bool:
    return os.get_inheritable(number)  # else it only holds the place of a closed one


def _place_without_session() -> str:
    """Where there is job control the child is part of it, as without us."""
    try:
        os.close(os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY))
    except OSError:
        return OWN_GROUP
    return SAME_GROUP


def _reserve_standard_streams() -> None:
    """Nothing of ours may be opened as 0, 1 or 2 where we were started without one.

    The descriptor that takes the place is closed for the child, as it was for us.
    """
    while (descriptor := os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)) <= 2:  # noqa: PLR2004
        pass
    os.close(descriptor)


def _widen(pipe: int) -> None:
    try:
        import fcntl

        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
    except (ImportError, AttributeError, OSError):
        pass  # another system, or the user's limit: as it is, only slower
