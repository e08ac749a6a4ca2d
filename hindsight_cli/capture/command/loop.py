"""Descriptors, and what is done once they are ready."""

from __future__ import annotations

import select

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

READABLE = select.POLLIN
WRITABLE = select.POLLOUT
HUNG_UP = select.POLLHUP | select.POLLERR | select.POLLNVAL


class Loop:
    """Waits in the kernel for any of the descriptors watched."""

    __slots__ = ("_actions", "_poll")

    def __init__(self) -> None:
        self._poll = select.poll()
        self._actions: dict[int, Callable[[int], None]] = {}

    def watch(self, descriptor: int, events: int, act: Callable[[int], None]) -> None:
        """Call `act` with the events met, whenever one of `events` is, or a hang-up."""
        self._poll.register(descriptor, events)
        self._actions[descriptor] = act

    def forget(self, descriptor: int) -> None:
        """Also for one not watched; to be called before it is closed."""
        if self._actions.pop(descriptor, None) is not None:
            self._poll.unregister(descriptor)

    def turn(self, timeout_ms: int | None) -> bool:
        """Wait, and act on what is ready; whether anything was."""
        found = self._poll.poll(timeout_ms)
        for descriptor, event in found:
            act = self._actions.get(descriptor)  # forgotten by an act before it in this turn?
            if act is not None:
                act(event)
        return bool(found)
