"""How far an import is, on a terminal."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hindsight_cli.terminal import visible

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn, TaskID

    from hindsight_cli.api.discovering import FoundSession
    from hindsight_cli.integrations.past import PastFile

_NARROW = 76  # columns, below which sizes and names are left out
_BESIDE = 62  # columns that a wide bar takes without the name


class Silent:
    """Nowhere to show it."""

    is_shown = False

    def on_path(self, path: Path) -> None:
        """A file is begun."""

    def on_file(self, file: PastFile) -> None:
        """As `on_path`."""

    def on_bytes(self, size: int) -> None:
        """So much of it is read."""


@dataclass(slots=True)
class _Bar(Silent):
    """A bar over the bytes of all files, or of each where their number is not known."""

    bar: Progress
    task: TaskID
    total: int  # 0: each file by itself
    room: int  # for a name
    before: int = 0  # of the files done
    size: int = 0  # of the one being read
    is_shown = True

    def on_path(self, path: Path) -> None:
        self._begin(path, path.stat().st_size)

    def on_file(self, file: PastFile) -> None:
        self._begin(file.path, file.size_bytes)

    def on_bytes(self, size: int) -> None:
        self.bar.update(self.task, completed=self.before + min(size, self.size))

    def _begin(self, path: Path, size: int) -> None:
        if self.total:
            self.before += self.size
        else:
            self.bar.reset(self.task, total=size)
        self.size = size
        name = visible(path.name)
        if len(name) > self.room:
            name = name[: max(self.room - 1, 0)] + "…" if self.room else ""
        self.bar.update(self.task, completed=self.before, n=name)


@contextlib.contextmanager
def progress(found: Sequence[FoundSession] | None, *, quiet: bool) -> Iterator[Silent]:
    """A bar over what is new in `found`, or over one file at a time; nothing off a terminal."""
    total = sum(f.file.size_bytes for f in found if f.is_new) if found is not None else 0
    if quiet or not sys.stderr.isatty() or (found is not None and not total):
        yield Silent()
        return
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    is_wide = console.width >= _NARROW
    columns = _columns(is_wide=is_wide)
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=total or None, n="")
        yield _Bar(bar, task, total, room=console.width - _BESIDE if is_wide else 0)


def _columns(*, is_wide: bool) -> list[ProgressColumn]:
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    if not is_wide:
        return [BarColumn(bar_width=16), TaskProgressColumn(), TimeRemainingColumn(compact=True)]
    told = TextColumn("{task.fields[n]}", markup=False)
    shown = (TaskProgressColumn(), DownloadColumn(), TimeRemainingColumn(), told)
    return [BarColumn(bar_width=24), *shown]
