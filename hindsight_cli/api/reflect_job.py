"""Reflection in the background: one at a time in a project, with a log and a state to look at.

`reflect.lock` is held while a model reflects, `reflect.json` says what the last one did,
`logs/reflect.log` holds what the detached ones printed.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path

from hindsight_cli.api.private_file import open_log, write_private
from hindsight_cli.api.project import Project
from hindsight_cli.errors import HindsightError, ReflectionRunningError, StorageError
from hindsight_cli.traces.plain import check_folders, read_plain

STATE_FILE = "reflect.json"
LOCK_FILE = "reflect.lock"
LOG_FILE = Path("logs", "reflect.log")
_POLL_S = 0.1
_ENDING = (signal.SIGTERM, signal.SIGHUP)
_SIGNALLED = 128  # and the signal: the exit code a shell gives
_MAX_STATE_BYTES = 1024 * 1024


class JobState(StrEnum):
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    DIED = "died"  # it says running, and nobody is: never written, only read


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """The last reflection with a model or command in this project."""

    pid: int  # 0: its process is being started
    trace_ids: tuple[str, ...]
    started_at: str
    state: JobState
    finished_at: str | None = None
    proposed: int = 0
    message: str = ""


class RunningJob:
    """A job that holds the project's lock."""

    def __init__(self, project: Project, trace_ids: Sequence[str], *, pid: int) -> None:
        self._project = project
        self._job = Job(
            pid=pid,
            trace_ids=tuple(trace_ids),
            started_at=project.now(),
            state=JobState.RUNNING,
        )
        self._write()

    def finish(self, state: JobState, *, proposed: int, message: str) -> None:
        self._job = replace(
            self._job,
            state=state,
            finished_at=self._project.now(),
            proposed=proposed,
            message=message,
        )
        self._write()

    @property
    def is_running(self) -> bool:
        return self._job.state is JobState.RUNNING

    def _write(self) -> None:
        text = json.dumps(asdict(self._job), ensure_ascii=False)
        write_private(self._project.folder / STATE_FILE, text + "\n")


@contextlib.contextmanager
def running_job(
    project: Project, trace_ids: Sequence[str], *, wait_s: float, say: Callable[[str], None]
) -> Iterator[RunningJob]:
    """Wait for the project's lock, hold it, and leave a state behind whatever happens.

    Asked to end by a signal it does so in order; `say` hears when there is to wait.

    Raises:
        ReflectionRunningError: another one held it all the time.
    """
    with _ending_in_order(), _locked(project, wait_s, say):
        job = RunningJob(project, trace_ids, pid=os.getpid())
        try:
            yield job
        except BaseException as error:
            if job.is_running:
                told = str(error) if isinstance(error, HindsightError) else _interrupted(error)
                job.finish(JobState.FAILED, proposed=0, message=told)
            raise


def last_job(project: Project) -> Job | None:
    """What `reflect.json` says, put right when the process that wrote it is gone."""
    try:
        raw = json.loads(read_plain(project.folder / STATE_FILE, _MAX_STATE_BYTES))
        job = Job(
            pid=int(raw["pid"]),
            trace_ids=tuple(map(str, raw["trace_ids"])),
            started_at=str(raw["started_at"]),
            state=JobState(raw["state"]),
            finished_at=None if raw["finished_at"] is None else str(raw["finished_at"]),
            proposed=int(raw["proposed"]),
            message=str(raw["message"]),
        )
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    if job.state is JobState.RUNNING and not _is_held(project):
        return replace(job, state=JobState.DIED)
    return job


def spawn(project: Project, trace_ids: Sequence[str], arguments: Sequence[str]) -> None:
    """Run this program detached, its output in the log.

    It outlives us and our terminal, and holds nothing of ours open. If no other job runs, the
    lock is ours to hand over (as its stdin), so that from here on it is seen to run.

    Raises:
        StorageError: the log cannot be written, or no process made.
    """
    path = project.folder / LOG_FILE
    check_folders(project.folder, path.parent)
    lock = _open_lock(project)
    try:
        job = RunningJob(project, trace_ids, pid=0) if _take(lock) else None
        try:
            with open_log(path) as log:
                os.write(log, f"\n== {project.now()} {' '.join(arguments)}\n".encode())
                _start(project, arguments, subprocess.DEVNULL if job is None else lock, log)
        except OSError as error:
            if job is not None:
                job.finish(JobState.FAILED, proposed=0, message="It could not be started.")
            raise StorageError(str(path), error.strerror or str(error)) from error
    finally:
        os.close(lock)


def _start(project: Project, arguments: Sequence[str], stdin: int, log: int) -> None:
    # -P: the project's folder is no place to import from.
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "hindsight_cli", *arguments],
        cwd=project.root,
        env={**project.env, "PYTHONSAFEPATH": "1"},
        stdin=stdin,
        stdout=log,
        stderr=log,
        start_new_session=True,
    )
    process.returncode = 0  # it is not ours to wait for, and no cause for a warning


@contextlib.contextmanager
def _ending_in_order() -> Iterator[None]:
    """SIGTERM and SIGHUP end the block as Ctrl-C does, so that commands do not stay behind."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, frame: object) -> None:
        raise SystemExit(_SIGNALLED + number)

    heard = (n for n in _ENDING if signal.getsignal(n) is signal.SIG_DFL)  # nohup stays nohup
    before = {number: signal.signal(number, end) for number in heard}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _interrupted(error: BaseException) -> str:
    if isinstance(error, KeyboardInterrupt | SystemExit):
        return "It was interrupted."
    return f"It failed: {type(error).__name__}."


@contextlib.contextmanager
def _locked(project: Project, wait_s: float, say: Callable[[str], None]) -> Iterator[None]:
    began = time.monotonic()
    fd = _handed_over(project) or _open_lock(project)
    told = False
    try:
        while not _take(fd):
            if not told:
                say("Another reflection runs here: waiting for its end.")
                told = True
            if time.monotonic() - began >= wait_s:
                raise ReflectionRunningError(int(wait_s))
            time.sleep(_POLL_S)
        yield
    finally:
        os.close(fd)  # releases the lock


def _open_lock(project: Project) -> int:
    path = project.folder / LOCK_FILE
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise StorageError(str(path), error.strerror or str(error)) from error


def _handed_over(project: Project) -> int | None:
    """The lock, when `spawn` gave it to us as our stdin; kept from what we run in turn."""
    try:
        ours, lock = os.fstat(0), (project.folder / LOCK_FILE).lstat()
        if not os.path.samestat(ours, lock):
            return None
        fd = fcntl.fcntl(0, fcntl.F_DUPFD_CLOEXEC, 3)
        nowhere = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nowhere, 0)
        os.close(nowhere)
    except OSError:
        return None
    return fd


def _take(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_held(project: Project) -> bool:
    """Whether some process holds the lock: surer than its id, which may be another's by now."""
    try:
        fd = os.open(project.folder / LOCK_FILE, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return not _take(fd)
    finally:
        os.close(fd)
