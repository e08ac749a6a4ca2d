"""At an agent's rest or end: its transcript imported, the session reflected on.

In the hook's own process, which nobody waits for any more. One at a time in a project.
"""

from __future__ import annotations

import contextlib
import fcntl
import gc
import os
import signal
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from hindsight_cli.api.project import Project
from hindsight_cli.api.run_finishing import Learning, import_place, learn
from hindsight_cli.capture.hooks.payload import HookKind
from hindsight_cli.capture.hooks.told import Told
from hindsight_cli.errors import HindsightError
from hindsight_cli.experiences.freshness import parse_time
from hindsight_cli.integrations import Place, find_agent
from hindsight_cli.records.event import Actor, EventType
from hindsight_cli.traces.files import HOOKS

LOCK_FILE = "hook-finish.lock"
_LONGEST_S = 600
_SETTLED_S = 0.4  # a transcript that did not grow for so long is written
_MOST_WAIT_S = 5.0
_ACTIVE_S = 60  # of a database of sessions: those worked on since then
_NO_END = frozenset({"opencode", "qwen-code"})  # may never tell of an end: each rest is one


def finish(project: Project, told: Told, session_id: str) -> Iterator[str]:
    """Import and reflect; gives lines for the log."""
    gc.enable()  # off in a hook
    signal.alarm(_LONGEST_S)
    with _locked(project.folder / LOCK_FILE):
        found = session_id
        is_end = told.kind is HookKind.END or told.agent in _NO_END
        try:
            imported = _import(project, told, session_id)
        except HindsightError as error:
            yield f"the transcript could not be read: {error}"
            imported = None
        if imported is not None:
            found = imported
        elif not is_end:
            return  # without a transcript there is no telling what is yet to come
        has_calls = _has_calls(project, found)
        how = Learning(
            env=project.env,
            since_ns=0 if told.kind is HookKind.END else _last_prompt_ns(project, session_id),
            model=is_end and has_calls,
        )
        if project.traces.find(found) is not None:
            yield from learn(project, how, found, found)


def _import(project: Project, told: Told, session_id: str) -> str | None:
    """Import what the agent wrote down of the session; the id it has here, None for nothing."""
    place, paths = _place_of(project, told)
    if place is None or not paths:
        return None
    _settle(paths)
    since_ns = time.time_ns() - _ACTIVE_S * 1_000_000_000
    report = import_place(project, place, paths, since_ns)
    if session_id in report.sessions:
        return session_id
    mains = [found for found in report.sessions if found not in report.parents]
    return mains[0] if len(mains) == 1 else None


def _place_of(project: Project, told: Told) -> tuple[Place | None, list[Path]]:
    """Where the transcript is: as the payload names it, else where the agent keeps sessions."""
    if told.transcript:
        path = Path(told.transcript).expanduser()
        return Place([str(path)]), [path] if path.is_file() else []
    agent = find_agent([told.agent, "run", "x"])
    if agent is None:
        return None, []
    cwd = told.cwd or str(project.root)
    place = agent.transcripts([told.agent, "run", "x"], project.env, cwd)
    if place is None or place.cwd is None:
        return None, []
    return place, [path for path in map(Path, place.files) if path.is_file()]


def _settle(paths: Sequence[Path]) -> None:
    """Wait until the agent, which writes behind its hooks, wrote what it has to say."""
    deadline = time.monotonic() + _MOST_WAIT_S
    before = _sizes(paths)
    while time.monotonic() < deadline:
        time.sleep(_SETTLED_S)
        now = _sizes(paths)
        if now == before:
            return
        before = now


def _sizes(paths: Sequence[Path]) -> list[tuple[int, int]]:
    sizes = []
    for path in paths:
        with contextlib.suppress(OSError):
            stat = path.stat()
            sizes.append((stat.st_size, stat.st_mtime_ns))
    return sizes


def _last_prompt_ns(project: Project, session_id: str) -> int:
    """When the person last said something, as our hooks saw it; 0 where they did not."""
    path = project.traces.find_source(session_id, HOOKS)
    events = project.traces.read(path)[0] if path is not None else []
    told = [parse_time(e.timestamp) for e in events if e.actor is Actor.USER]
    return max((int(at.timestamp() * 1e9) for at in told if at is not None), default=0)


def _has_calls(project: Project, session_id: str) -> bool:
    path = project.traces.find(session_id)
    events = project.traces.read(path)[0] if path is not None else []
    return any(e.event_type is EventType.TOOL_CALL for e in events)


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)
