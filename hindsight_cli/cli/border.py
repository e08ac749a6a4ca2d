"""Where errors end: an expected one becomes a message and an exit code, on every door."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable

from hindsight_cli.cli.render import print_error, print_json
from hindsight_cli.errors import HindsightError, StorageError

_PIPE_CLOSED = 141  # 128 + SIGPIPE, as a shell reports it
_INTERRUPTED = 130
DEBUG_VARIABLE = "HINDSIGHT_CLI_DEBUG"


def guarded(command: str, as_json: bool, action: Callable[[], int]) -> int:
    """Run `action`; its exit code, or that of the error it met.

    With HINDSIGHT_CLI_DEBUG=1 errors keep their traceback.
    """
    if sys.stdout is None:  # the caller closed it
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115, PTH123
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # no output ever fails on encoding
    try:
        code = _guarded(command, as_json, action)
        sys.stdout.flush()
    except BrokenPipeError:
        _give_up_stdout()
        return _PIPE_CLOSED
    except OSError as error:  # stdout is full or closed: there is nowhere left to say it but here
        _give_up_stdout()
        print_error(StorageError("stdout", error.strerror or str(error)))
        return 1
    return code


def _give_up_stdout() -> None:
    """Python flushes stdout once more at exit: give it somewhere to go."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _guarded(command: str, as_json: bool, action: Callable[[], int]) -> int:
    try:
        return action()
    except BrokenPipeError:
        raise
    except KeyboardInterrupt:
        return _INTERRUPTED
    except HindsightError as error:
        return _report(command, as_json, error)
    except OSError as error:
        if os.environ.get(DEBUG_VARIABLE):
            raise
        where = str(error.filename or command)
        return _report(command, as_json, StorageError(where, error.strerror or str(error)))


def _report(command: str, as_json: bool, error: HindsightError) -> int:
    if os.environ.get(DEBUG_VARIABLE):
        raise error
    if as_json:
        print_json(command, {}, "error", errors=[error])
    else:
        print_error(error)
    return error.exit_code
