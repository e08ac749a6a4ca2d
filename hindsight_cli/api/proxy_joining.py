"""A run whose agent left no transcript: what MCP proxies saw of it becomes its session.

The task, and how it ended, are what its terminal tells.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from hindsight_cli.api.project import Project
from hindsight_cli.capture.numbering import SessionState
from hindsight_cli.records.event import Event, EventType
from hindsight_cli.traces.files import TERMINAL

_LONGEST_WAIT_S = 5.0
_OF_THE_RUN = (EventType.TASK, EventType.OUTCOME, EventType.END)


def hold_open(project: Project, session_id: str) -> int:
    """Let `wait_for_proxies` wait for this process: until it ends, or closes what it is given.

    Raises:
        OSError: no lock can be had there.
    """
    fd = os.open(
        _lock_file(project, session_id),
        os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC,
        0o600,
    )
    fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    return fd


def wait_for_proxies(project: Project, session_id: str) -> None:
    """Until what proxies saw of the session is written, or for a few seconds."""
    path = _lock_file(project, session_id)
    if not path.is_file():
        return
    with contextlib.suppress(OSError), path.open("rb") as file:
        deadline = time.monotonic() + _LONGEST_WAIT_S
        while time.monotonic() < deadline:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                time.sleep(0.05)
            else:
                break
        path.unlink()


def _lock_file(project: Project, session_id: str) -> Path:
    return project.folder / f"proxies-{session_id}.lock"


def join_proxies(project: Project, session_id: str) -> bool:
    """Write the session's own file from those of its proxies; False when there is none.

    Raises:
        StorageError: it cannot be written.
    """
    paths = project.traces.find_proxies(session_id)
    if not paths or project.traces.find_source(session_id) is not None:
        return False
    seen = [event for path in paths for event in project.traces.read(path)[0]]
    if not any(event.event_type is EventType.TOOL_CALL for event in seen):
        return False
    joined = _joined(session_id, seen, _shown(project, session_id))
    with project.traces.open(session_id, month=paths[0].parent.name) as session:
        if session.size == 0:
            session.append(joined)
    return True


def move_proxies(project: Project, run_id: str, session_id: str) -> None:
    """Put what proxies saw of a run beside its transcript, which has an id of its own."""
    for path in project.traces.find_proxies(run_id):
        source = path.stem.partition(".")[2]
        events = project.traces.read(path)[0]
        with project.traces.open(session_id, month=path.parent.name, source=source) as session:
            moved = _numbered(session_id, [*session.events(), *events])
            session.append(moved[len(moved) - len(events) :])
        path.unlink(missing_ok=True)


def _shown(project: Project, session_id: str) -> list[Event]:
    path = project.traces.find_source(session_id, TERMINAL)
    return project.traces.read(path)[0] if path is not None else []


def _joined(session_id: str, seen: Sequence[Event], shown: Sequence[Event]) -> list[Event]:
    """In the order of time; the run's own task and end in place of those of each connection."""
    own = [event for event in shown if event.event_type in _OF_THE_RUN]
    if own:
        seen = [event for event in seen if event.event_type not in _OF_THE_RUN]
    ordered = sorted([*own, *seen], key=lambda event: event.timestamp or "")
    ordered.sort(key=_rank)
    about = next((e.extra["session"] for e in (*seen, *own) if "session" in e.extra), None)
    events = _numbered(session_id, ordered)
    if events and about is not None:
        told = {**about, "session_id": session_id} if isinstance(about, dict) else about
        events[0] = replace(events[0], extra={**events[0].extra, "session": told})
    return events


def _rank(event: Event) -> int:
    if event.event_type is EventType.TASK:
        return 0
    return 2 if event.event_type in (EventType.OUTCOME, EventType.END) else 1


def _numbered(session_id: str, events: Sequence[Event]) -> list[Event]:
    """The events as those of one session, one after the other."""
    state = SessionState.begin(session_id)
    numbered: list[Event] = []
    for event in events:
        if event.event_type is EventType.TASK and state.has_task:
            event = replace(event, event_type=EventType.OTHER)  # noqa: PLW2901
        place = state.place(event.event_type, event.call_id, event.tool_name)
        event = replace(  # noqa: PLW2901
            event,
            session_id=session_id,
            trace_id=place.trace_id,
            seq=place.seq,
            step_index=place.step_index,
        )
        state.note(event)
        numbered.append(event)
    return numbered
