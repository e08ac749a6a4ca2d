"""Any program that reads a prompt on stdin and prints the answer, held to a deadline."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import IO

from hindsight_cli.errors import ModelFailedError
from hindsight_cli.providers.answering import Answer, timed_out
from hindsight_cli.records.jsonvalue import JsonValue

GUARD_VARIABLE = "HINDSIGHT_CLI_REFLECTING"  # what is run for us is not recorded or reflected on
_SESSION_VARIABLE = "HINDSIGHT_CLI_SESSION"
_POLL_S = 0.02
_TERMINATION_S = 0.5  # between asking it to end and ending it
_MAX_REPLY_BYTES = 4 * 1024 * 1024
_TOLD_CHARS = 200
_NOT_FOUND = 127


class CommandModel:
    """A command line, run without a shell. `before_call` may refuse a run by raising.

    Every run has an empty folder of its own to work in, the guard variable in its
    environment, and a process group that ends with it.
    """

    def __init__(
        self,
        command_line: str,
        env: Mapping[str, str],
        *,
        before_call: Callable[[], None] = lambda: None,
    ) -> None:
        self.name = command_line
        self._argv = shlex.split(command_line)
        self._env = {k: v for k, v in env.items() if k != _SESSION_VARIABLE} | {GUARD_VARIABLE: "1"}
        self._before_call = before_call
        self._running: set[int] = set()
        self._lock = threading.Lock()
        self._closed = False

    def prepare(self) -> None:
        """Nothing to load."""

    def answer(self, prompt: str, *, schema: Mapping[str, JsonValue], timeout_s: float) -> Answer:
        """What the command printed. The schema is in the prompt; nothing enforces it.

        Raises:
            ModelFailedError: it cannot be run, failed, printed too much, or took too long.
        """
        del schema
        deadline = time.monotonic() + timeout_s
        self._before_call()
        with (
            tempfile.TemporaryDirectory(
                prefix="hindsight-reflect-", ignore_cleanup_errors=True
            ) as folder,
            tempfile.TemporaryFile() as given,
            tempfile.TemporaryFile() as printed,
            tempfile.TemporaryFile() as told,
        ):
            given.write(prompt.encode("utf-8", "replace"))
            given.seek(0)
            process = self._start(folder, given, printed, told)
            try:
                self._wait(process, deadline, timeout_s, (printed, told))
            finally:
                self._end(process)
            if process.returncode:
                problem = f"it ended with {_code(process.returncode)}"
                raise self._failed(problem, _tail(told) or _tail(printed), is_final=False)
            printed.seek(0)
            return Answer(printed.read(_MAX_REPLY_BYTES).decode("utf-8", "replace"))

    def close(self) -> None:
        """End every run, with all that it started."""
        with self._lock:
            self._closed = True
            for group in self._running:
                _signal(group, signal.SIGKILL)

    def _start(
        self, folder: str, given: IO[bytes], printed: IO[bytes], told: IO[bytes]
    ) -> subprocess.Popen[bytes]:
        with self._lock:  # a run that begins while `close` ends the others would be forgotten
            if self._closed:
                raise self._failed("it was ended")
            try:
                process = subprocess.Popen(
                    self._argv,
                    cwd=folder,
                    env=self._env,
                    stdin=given,
                    stdout=printed,
                    stderr=told,
                    start_new_session=True,
                )
            except OSError as error:
                why = error.strerror or str(error)
                raise self._failed(f"it cannot be run: {why}") from error
            self._running.add(process.pid)
            return process

    def _wait(
        self,
        process: subprocess.Popen[bytes],
        deadline: float,
        timeout_s: float,
        outputs: Sequence[IO[bytes]],
    ) -> None:
        while process.poll() is None:
            if time.monotonic() >= deadline:
                raise timed_out(self.name, timeout_s)
            if any(os.fstat(file.fileno()).st_size > _MAX_REPLY_BYTES for file in outputs):
                raise self._failed(f"it printed more than {_MAX_REPLY_BYTES:,} bytes")
            time.sleep(_POLL_S)

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        """Nothing of its group is left behind, also when the command itself ended well."""
        if process.poll() is None:
            _signal(process.pid, signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_TERMINATION_S)
        with self._lock:
            _signal(process.pid, signal.SIGKILL)
            self._running.discard(process.pid)
        process.wait()

    def _failed(self, problem: str, told: str = "", *, is_final: bool = True) -> ModelFailedError:
        return ModelFailedError(
            self.name,
            f"{problem}: {told}" if told else problem,
            remedy="Try it by hand: `hindsight reflect --prompt-only | COMMAND`.",
            is_final=is_final,
        )


def _signal(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _code(returncode: int) -> str:
    if returncode < 0:
        with contextlib.suppress(ValueError):
            return signal.Signals(-returncode).name
    return f"exit code {returncode}" + (" (not found)" if returncode == _NOT_FOUND else "")


def _tail(told: IO[bytes]) -> str:
    """The last line it wrote."""
    size = told.seek(0, os.SEEK_END)
    told.seek(max(size - 4096, 0))
    lines: Sequence[str] = told.read().decode("utf-8", "replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "")[:_TOLD_CHARS]
