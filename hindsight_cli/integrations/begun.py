"""Transcripts of all directories in one folder: those of a run tell in their first line where."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hindsight_cli.integrations.agent import Place

_MAX_FIRST_LINE = 16 * 1024 * 1024


class BegunIn(Place):
    """The files of a folder whose session began in a directory; with None, in any."""

    __slots__ = ("_began", "_keys")

    def __init__(self, folder: str, pattern: str, began: str | None, keys: Sequence[str]) -> None:
        super().__init__((), folder, pattern)
        self._began = began
        self._keys = keys  # that lead to the directory in the object of the first line

    def holds(self, path: str) -> bool:
        if self._began is None:
            return True
        import json  # only after the run

        try:
            with Path(path).open("rb") as file:
                about = json.loads(file.readline(_MAX_FIRST_LINE))
            for key in self._keys:
                about = about[key]
            return Path(about).resolve() == Path(self._began).resolve()
        except (OSError, ValueError, LookupError, TypeError):
            return True  # it is said on import what is wrong with it
