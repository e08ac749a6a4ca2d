"""A session seen from two sides: its transcript, and what its agent told our hooks.

The transcript is what is read; hooks only fill what it left empty, call by call. Nothing
is counted twice, and what cannot be told apart stays as it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from hindsight_cli.api.project import Project
from hindsight_cli.errors import StorageError
from hindsight_cli.records.event import Event, EventType
from hindsight_cli.traces.files import HOOKS, BadLine

_CALLS = (EventType.TOOL_CALL, EventType.TOOL_RESULT)
_ALWAYS = ("timestamp", "duration_ms")
_IF_AGREED = ("exit_code", "error_type")  # of the same status: else the two saw different things


def read_merged(project: Project, path: Path) -> tuple[list[Event], list[BadLine]]:
    """The events of the file that a session is read from, what hooks know filled in.

    Raises:
        StorageError: the file cannot be read.
    """
    events, bad = project.traces.read(path)
    if not events or "." in path.stem:  # a file of another source is not completed
        return events, bad
    try:
        beside = project.traces.find_source(events[0].session_id, HOOKS)
        told = project.traces.read(beside)[0] if beside is not None else []
    except StorageError:  # a link in its place: the session itself can be read
        told = []
    return filled(events, told), bad


def filled(events: Sequence[Event], told: Sequence[Event]) -> list[Event]:
    """`events` with their empty fields taken from the events of `told` for the same call.

    By call id and type, where that names one event on each side: ids repeat. Pure.
    """
    ours = Counter(_key(event) for event in events)
    theirs = Counter(_key(event) for event in told)
    by_call = {_key(e): e for e in told if e.call_id and theirs[_key(e)] == 1}
    return [
        _filled(event, by_call[key]) if ours[key := _key(event)] == 1 and key in by_call else event
        for event in events
    ]


def _filled(event: Event, other: Event) -> Event:
    names = _ALWAYS + (_IF_AGREED if event.status == other.status else ())
    new = {
        name: value
        for name in names
        if getattr(event, name) is None and (value := getattr(other, name)) is not None
    }
    return replace(event, **new) if new else event


def _key(event: Event) -> tuple[EventType, str | None]:
    is_call = event.event_type in _CALLS and bool(event.call_id)
    return (event.event_type, event.call_id if is_call else None)
