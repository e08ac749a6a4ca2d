"""How a child that was run ended, and what sees its output. No imports: the hot path of `run`."""

from __future__ import annotations

TYPE_CHECKING = False  # as typing's, without loading typing on the hot path
if TYPE_CHECKING:
    from typing import Protocol

    class Sink(Protocol):
        """What is told about a running child. Nothing here may block or raise."""

        def output(self, data: bytes) -> None:
            """What the child wrote, in order, about to be passed on to the user."""
            ...

        def resized(self, rows: int, columns: int) -> None:
            """The size of the child's terminal, once before it starts and after each change."""
            ...

        def started(self, pid: int) -> None:
            """The child runs."""
            ...

        def typed(self) -> None:
            """The user pressed Enter."""
            ...


class Ended:
    """How a child ended."""

    __slots__ = (
        "exit_code",
        "fallback",
        "interrupted_by",
        "is_apart",
        "mode",
        "signal",
        "unwritten",
    )

    def __init__(
        self,
        *,
        exit_code: int,
        mode: str,
        signal: int | None = None,
        interrupted_by: int | None = None,
        fallback: str = "",
    ) -> None:
        self.exit_code = exit_code  # the child's; 128 + n when a signal ended it
        self.mode = mode  # "pty", "pipe", or "none": it could not be started
        self.signal = signal  # the signal that ended the child
        self.interrupted_by = interrupted_by  # the signal we were sent and passed on
        self.unwritten = ""  # why ours took no more of its output; "": it did, or its reader left
        self.is_apart = False  # what its terminal sent it, our process group did not hear
        self.fallback = fallback  # why pipes although on a terminal; "" otherwise
