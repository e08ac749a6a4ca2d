"""Start a program as the child: found in PATH and run exactly as a shell would."""

from __future__ import annotations

import contextlib
import os
import signal
from errno import EACCES, EINVAL, ENOENT, ENOEXEC, ENOTDIR

from hindsight_cli.errors import CannotStartError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import NoReturn

    from hindsight_cli.capture.command.leader import Leader
    from hindsight_cli.capture.command.signals import Signals
    from hindsight_cli.capture.command.streams import Streams

NOT_FOUND = 127
NOT_RUNNABLE = 126
INHERITED = -1
_STANDARD_ERROR = 2
_PYTHONS = (signal.SIGPIPE, signal.SIGXFSZ)  # ignored by Python for its own sake

# What the child is to our process group and terminal.
OWN_SESSION = "own session"  # its standard input becomes its controlling terminal
OWN_GROUP = "own group"
SAME_GROUP = "same group"


def start(
    argv: Sequence[str], env: Mapping[str, str], streams: Streams, signals: Signals
) -> tuple[int, Leader | None]:
    """The process id of `argv`, running, and the leader of its session where it has its own.

    Signals we have handlers for are default in it; those we were started ignoring
    (nohup) stay ignored.

    Raises:
        CannotStartError: it could not be executed; nothing runs.
        OSError: the system has no room for another process.
    """
    told, tell = os.pipe() if streams.place == OWN_SESSION else (-1, -1)
    report, reported = os.pipe()
    # No signal may meet our handlers in the child: they write to a pipe it shares.
    unblocked = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        pid = os.fork()
        if pid == 0:
            _become(argv, env, streams, signals, (reported, tell))
        os.close(reported)
        reported = -1
        failure = os.read(report, 16)  # nothing: closed by a successful exec
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, unblocked)
        os.close(report)
        for descriptor in (reported, tell):
            if descriptor >= 0:
                os.close(descriptor)
    if failure:
        os.waitpid(pid, 0)
        raise _cannot_start(argv[0], int(failure))
    if told < 0:
        return pid, None
    from hindsight_cli.capture.command.leader import Leader

    leader = Leader(pid, told)
    return leader.command, leader


def become(argv: Sequence[str], env: Mapping[str, str]) -> NoReturn:
    """Be the command ourselves: where there is no room for two, it comes first.

    Raises:
        CannotStartError: it could not be executed.
    """
    for signum in _PYTHONS:
        signal.signal(signum, signal.SIG_DFL)
    try:
        failure = _execute(list(argv), env)
    except OSError as error:
        failure = error.errno or EINVAL
    raise _cannot_start(argv[0], failure)


def close_inherited() -> None:
    """Close what our caller gave us beyond the standard streams: it is the command's.

    A pipe or a lock that the command lets go of is then let go of. Ours are told from
    them by not being inheritable.
    """
    try:
        names = os.listdir("/dev/fd")  # noqa: PTH208 -- pathlib's answer costs more
    except OSError:
        return
    for number in map(int, names):
        with contextlib.suppress(OSError):  # the listing's own is closed by now
            if number > _STANDARD_ERROR and os.get_inheritable(number):
                os.close(number)


def _cannot_start(program: str, number: int) -> CannotStartError:
    """Why, for the user; with the exit code that a shell has for it."""
    if number not in (ENOENT, ENOTDIR):
        return CannotStartError(program, os.strerror(number), exit_code=NOT_RUNNABLE)
    reason = "there is no such file" if "/" in program else "no such command in PATH"
    if "/" in program and os.path.exists(program):  # noqa: PTH110 -- pathlib's answer costs more
        reason = "the interpreter that its first line names is not there"
    return CannotStartError(program, reason, exit_code=NOT_FOUND)


def _become(
    argv: Sequence[str],
    env: Mapping[str, str],
    streams: Streams,
    signals: Signals,
    to_us: tuple[int, int],
) -> None:
    """The child's side: never returns. `to_us`: the pipe for a failure, and the leader's."""
    report, tell = to_us
    try:
        if streams.place == OWN_SESSION:
            from hindsight_cli.capture.command.leader import lead_session

            lead_session(streams.child[0], tell, signals.handled)
        elif streams.place == OWN_GROUP:
            os.setpgid(0, 0)
        for number, descriptor in enumerate(streams.child):
            if descriptor != INHERITED:
                os.dup2(descriptor, number)
        for signum in (*_PYTHONS, *signals.handled):
            signal.signal(signum, signal.SIG_DFL)
        for signum in signals.ignored:
            signal.signal(signum, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_SETMASK, signals.mask)
        failure = _execute(list(argv), env)
    except OSError as error:
        failure = error.errno or EINVAL
    except BaseException:
        failure = EINVAL
    os.write(report, b"%d" % failure)
    os._exit(NOT_FOUND)


def _execute(argv: list[str], env: Mapping[str, str]) -> int:
    """Become the first candidate that can be executed; else the errno that tells why not."""
    failure = ENOENT
    if not argv[0]:
        return failure
    for path in _candidates(argv[0], env):
        try:
            os.execve(path, argv, env)
        except OSError as error:
            if error.errno == ENOEXEC:  # a script without `#!`: a shell's, as execvp has it
                os.execve("/bin/sh", ["/bin/sh", path, *argv[1:]], env)
            if error.errno == EACCES:
                failure = EACCES
            elif error.errno not in (ENOENT, ENOTDIR):
                return error.errno or EINVAL
    return failure


def _candidates(name: str, env: Mapping[str, str]) -> list[str]:
    if "/" in name:
        return [name]
    folders = env.get("PATH", os.defpath).split(":")
    return [f"{folder}/{name}" if folder else f"./{name}" for folder in folders]
