"""What the user types, on its way to the terminal that the child leads."""

from __future__ import annotations

import os

from hindsight_cli.capture.command.loop import HUNG_UP, READABLE, WRITABLE
from hindsight_cli.capture.command.terminals import UserTerminal, is_foreground

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hindsight_cli.capture.command.loop import Loop
    from hindsight_cli.capture.command.terminals import ChildTerminal

_READ_BYTES = 1 << 16
_ENTER = (b"\r", b"\n")


class Keyboard:
    """Bytes are passed on as they are: a terminal that the child leads makes Ctrl-C a signal.

    A program that reads slowly makes a long paste wait, not us: nothing more is read
    from the user until it has taken what was. `hung_up` is called once our terminal is
    gone.
    """

    def __init__(
        self,
        loop: Loop,
        terminal: ChildTerminal,
        typed: Callable[[], None],
        hung_up: Callable[[], None],
        *,
        user: int,
    ) -> None:
        self._loop = loop
        self._terminal = terminal
        self._typed = typed
        self._hung_up = hung_up
        self._user = UserTerminal(user)
        self._is_taken = False
        self._to = os.dup(terminal.master)  # polled for writing, as the master is for reading
        self._pending = memoryview(b"")

    def take(self) -> None:
        """Have what is typed from here on, unless we run in the background."""
        self._is_taken = self._to >= 0 and self._user.take(self._terminal)
        if self._is_taken:
            self._await()
        else:
            self._loop.forget(self._user.keys)

    @property
    def must_poll(self) -> bool:
        """Whether `follow` is to be called now and then: nothing tells when it is our turn.

        A shell brings a job into the foreground without a signal when it was running.
        """
        return not self._is_taken and self._to >= 0

    def follow(self) -> None:
        """Take, or give back, what has become ours or the user's."""
        if self._to < 0 or self._is_taken == self._terminal.reads_keys():
            return
        if self._is_taken:
            self.give_back()
        elif is_foreground(self._user.fd):
            self.take()

    def resume(self) -> None:
        """After a stop, which may have come without a word: a shell has set its own modes since."""
        self._is_taken = False
        self._loop.forget(self._user.keys)
        if is_foreground(self._user.fd):
            self.follow()
        else:
            self._user.leave()

    def give_back(self) -> None:
        self._is_taken = False
        self._loop.forget(self._user.keys)
        self._user.give_back()

    def end(self) -> None:
        """The child's terminal is to be closed: what is typed goes nowhere."""
        if self._to >= 0:
            self._loop.forget(self._user.keys)
            self._loop.forget(self._to)
            os.close(self._to)
            self._to = -1

    def close(self) -> None:
        """The last: output may end up on the user's terminal until here, raw as it was made."""
        self.end()
        self._user.close()

    def _await(self) -> None:
        if self._pending:
            self._loop.forget(self._user.keys)
            self._loop.watch(self._to, WRITABLE, self._on_room)
        else:
            self._loop.forget(self._to)
            self._loop.watch(self._user.keys, READABLE, self._on_keys)

    def _on_keys(self, event: int) -> None:
        try:
            data = os.read(self._user.keys, _READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data, event = b"", HUNG_UP
        if not data:
            if event & HUNG_UP:
                self._hung_up()
                return
            data = self._terminal.end_of_file()  # someone made our terminal less than raw
        if any(key in data for key in _ENTER):
            self._typed()
        self._pending = memoryview(data)
        self._on_room(WRITABLE)

    def _on_room(self, _event: int) -> None:
        try:
            self._pending = self._pending[os.write(self._to, self._pending) :]
        except BlockingIOError:
            pass
        except OSError:  # nobody is left to read it
            self._pending = memoryview(b"")
        self._await()
