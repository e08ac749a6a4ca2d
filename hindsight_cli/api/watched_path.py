"""A path whose file tells how far it is read."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

Tell = Callable[[int], None]  # takes the number of bytes from the beginning


class WatchedPath(type(Path())):  # type: ignore[misc]  # a path's class differs by system
    """Opened for reading in binary, as readers of formats do, it tells of every block read."""

    _tell: Tell | None = None  # not that of a path made from this one

    def __new__(cls, path: Path, tell: Tell) -> WatchedPath:
        made: WatchedPath = super().__new__(cls, str(path))
        made._tell = tell
        return made

    def open(self, mode: str = "r", buffering: int = -1, *args: Any, **kwargs: Any) -> Any:
        if self._tell is None or mode != "rb" or buffering == 0:
            return super().open(mode, buffering, *args, **kwargs)
        size = buffering if buffering > 1 else io.DEFAULT_BUFFER_SIZE
        return io.BufferedReader(_Watched(str(self), self._tell), size)


class _Watched(io.FileIO):
    def __init__(self, path: str, tell: Tell) -> None:
        super().__init__(path)
        self._told = tell

    def readinto(self, buffer: Any, /) -> int | None:
        size = super().readinto(buffer)
        self._told(self.tell())
        return size

    def readall(self) -> bytes:
        data = super().readall()
        self._told(self.tell())
        return data
