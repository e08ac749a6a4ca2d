"""Between a program of somebody's own and its trace: nothing of ours gets out as an exception.

Safe from many threads and after a fork: every thread of every process has a project of its
own, and what two of them write at once is kept apart by the lock on the file.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

TYPE_CHECKING = False  # as typing's, without loading typing in a stranger's program
if TYPE_CHECKING:
    from typing import TypeVar

    from hindsight_cli.api.project import Project
    from hindsight_cli.records.jsonvalue import JsonValue

    T = TypeVar("T")

LOGGER = "hindsight_cli.record"
_LOCK_S = 5.0  # nobody is kept waiting for longer by another thread's look-up


class TraceWriter:
    """Writes the events of one session, and says once when it cannot."""

    def __init__(self, folder: Path | None) -> None:
        self.session_id = ""  # "" before the start, and where nothing is recorded
        self.is_of_run = False  # `hindsight run` has the session: it closes it and learns from it
        self._folder = folder
        self._own = threading.local()
        self._locks: dict[int, threading.Lock] = {}
        self._told: dict[int, object] = {}
        self._lost: list[str] = []

    @property
    def project(self) -> Project:
        """This thread's own.

        Raises:
            HindsightError: there is none, and none can be made.
        """
        if getattr(self._own, "pid", None) != os.getpid():
            from hindsight_cli.api.project import Project

            self._own.project = Project.open_or_init(self._folder)
            self._own.pid = os.getpid()
        project: Project = self._own.project
        return project

    def start(self, task: str, agent: str, parent: str) -> None:
        """Begin the session; where nothing is to be recorded it stays without an id."""
        self.attempt("start the session", lambda: self._start(task, agent, parent), None)

    def write(self, event: Mapping[str, JsonValue]) -> None:
        if self.session_id:
            self.attempt(f"save a {event['type']}", lambda: self._write(event), None)

    def end(self, end_state: str) -> None:
        """Close the session; that which `run` began is left for it to close."""
        if self.session_id and not self.is_of_run:
            self.attempt("close the session", lambda: self._end(end_state), None)
        if len(self._lost) > 1:
            self.say(f"{len(self._lost)} times something of {self.session_id} was not saved.")

    def learn(self) -> None:
        """Reflect by rules, and in the background with a model if this user chose one."""
        if self.session_id and not self.is_of_run:
            self.attempt("reflect", self._learn, None)

    def attempt(self, what: str, action: Callable[[], T], otherwise: T) -> T:
        """What `action` gives, `otherwise` where it fails: told once, never raised."""
        from hindsight_cli.errors import ExcludedError, PausedError

        try:
            return action()
        except (PausedError, ExcludedError) as error:
            self._log().info("%s", error)  # as the person wanted it
        except Exception as error:  # the border beside somebody's own program
            self._lost.append(what)
            mark = object()
            if self._told.setdefault(os.getpid(), mark) is mark:
                self.say(f"Could not {what}: {error!r}. The program goes on.")
                self._log().debug("could not %s", what, exc_info=True)
        return otherwise

    def alone(self, action: Callable[[], T]) -> T:
        """One look-up of a session at a time, so that nothing is given twice."""
        lock = self._locks.setdefault(os.getpid(), threading.Lock())  # a fork leaves none held
        held = lock.acquire(timeout=_LOCK_S)
        try:
            return action()
        finally:
            if held:
                lock.release()

    def say(self, message: str) -> None:
        self._log().warning("hindsight: %s", message)

    def _log(self) -> logging.Logger:
        return logging.getLogger(LOGGER)

    def _start(self, task: str, agent: str, parent: str) -> None:
        from hindsight_cli.api import hooking, recording
        from hindsight_cli.capture.numbering import safe_session_id

        project = self.project
        if project.env.get(hooking.REFLECTING_VARIABLE):
            return  # a reflector's own run is never observed
        run_id = project.env.get(hooking.SESSION_VARIABLE, "")
        if run_id and not parent and not project.env.get(hooking.RUN_AGENT_VARIABLE):
            self.is_of_run = project.traces.find_source(safe_session_id(run_id)) is None
        origin = recording.Origin(agent, session_id=run_id if self.is_of_run else "", parent=parent)
        self.session_id = recording.begin(project, task, origin).session_id

    def _write(self, event: Mapping[str, JsonValue]) -> None:
        from hindsight_cli.api import recording

        recording.record(self.project, self.session_id, [event])

    def _end(self, end_state: str) -> None:
        from hindsight_cli.api import recording

        recording.end(self.project, self.session_id, end_state=end_state)

    def _learn(self) -> None:
        from hindsight_cli.api.privacy import check_not_paused
        from hindsight_cli.api.run_finishing import Learning, learn

        check_not_paused(self.project)
        how = Learning(env=self.project.env, since_ns=0)
        for line in learn(self.project, how, self.session_id, self.session_id):
            self._log().info("%s", line)
