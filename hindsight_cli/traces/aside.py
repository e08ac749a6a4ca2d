"""A session's file that gives way to a better one stays, as another source of that session."""

from __future__ import annotations

import os
import re
from pathlib import Path

from hindsight_cli import appendlog
from hindsight_cli.errors import StorageError
from hindsight_cli.records.event import Event
from hindsight_cli.traces.files import event_of

_NAME = re.compile(r"[A-Za-z0-9_-]{1,200}")


def set_aside(path: Path, session_id: str, source: str) -> Path:
    """Keep a file as `<session_id>.<source>.jsonl`, numbered where there is one; not rewritten.

    As such it is no session of its own, and is deleted with the one it is named after.

    Raises:
        StorageError: it cannot be moved, or a name is no file name.
    """
    for name in (session_id, source):
        if not _NAME.fullmatch(name):
            raise StorageError(name, "it is no file name")
    place, number = path.with_name(f"{session_id}.{source}.jsonl"), 1
    while os.path.lexists(place):
        number += 1
        place = path.with_name(f"{session_id}.{source}-{number}.jsonl")
    torn = path.with_name(f"{path.name}.torn")
    try:
        path.rename(place)
        if torn.is_file():
            torn.rename(place.with_name(f"{place.name}.torn"))
    except OSError as error:
        raise StorageError(str(path), error.strerror or str(error)) from error
    return place


def first_event(path: Path) -> Event | None:
    """What a session's file begins with; None when that is no event."""
    line = next(iter(appendlog.read_lines(path)), None)
    return event_of(line) if line is not None else None
