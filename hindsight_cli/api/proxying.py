"""`hindsight mcp proxy`: relay an MCP server, a recorder beside it. A hot path: few imports.

The recorder is a forked process of its own; whatever happens to it, the relay goes on. Where
there is no project it records nothing, and only sees to it that the server does not outlive
us. Source: docs/explanation/proxying.md.
"""

from __future__ import annotations

import contextlib
import os
import select
import time
from collections.abc import Callable, Mapping, Sequence

from hindsight_cli.errors import CannotStartError

TYPE_CHECKING = False  # as typing's, without loading typing on the hot path
if TYPE_CHECKING:
    from pathlib import Path

    from hindsight_cli.capture.proxy.pending import Gone
    from hindsight_cli.capture.proxy.tape import Tape, Untaped

REFLECTING_VARIABLE = "HINDSIGHT_CLI_REFLECTING"  # set for what a reflector runs: not observed
SESSION_VARIABLE = "HINDSIGHT_CLI_SESSION"
_NOT_FOUND = 127
_LET_START_S = 0.3  # the recorder has more to load than the relay, and nobody waits for it
_LAUNCHERS = frozenset({"npx", "uvx", "node", "python", "python3", "deno", "bun", "bunx", "docker"})

Say = Callable[[str], None]


class ProxyRequest:
    """What a client's configuration asks for: a server by its command, or by its address."""

    __slots__ = ("added_env", "argv", "name", "port", "start", "url")

    def __init__(
        self,
        argv: Sequence[str],
        *,
        name: str | None = None,
        added_env: Mapping[str, str] | None = None,
        start: Path | None = None,
        url: str = "",
    ) -> None:
        self.argv = list(argv)
        self.name = name or _name_of(self.argv, url)
        self.added_env = dict(added_env or {})
        self.start = start  # where the search for the project begins
        self.url = url
        self.port = 0  # for `url`: where we listen; 0 for any that is free


def proxy(request: ProxyRequest, env: Mapping[str, str], say: Say) -> int:
    """Relay between our standard streams and the server until one of them ends; the exit code."""
    parent = os.getppid()
    tape = start_recorder(request, env, say)
    from hindsight_cli.capture.proxy.server import Server

    try:
        server = Server(request.argv, {**env, **request.added_env})
    except (CannotStartError, OSError) as error:
        return _not_started(request, error, {**env, **request.added_env}, tape)
    tape.started(server.pid)
    # Loaded while the server, which has more to load, is at it on another core.
    from hindsight_cli.capture.proxy.relay import Relay

    relay = Relay(server, tape, request.name, say)
    relay.parent = parent
    try:
        gone = relay.run()
        if gone is not None:
            from hindsight_cli.capture.proxy.farewell import Farewell

            _tell(tape, gone, request.name)
            farewell = Farewell(gone, request.name, server.out, tape)
            farewell.say(relay.pending, was_asked=relay.was_asked)
    finally:
        server.close()
        tape.close(b"{}")
    return relay.exit_code


def _not_started(
    request: ProxyRequest,
    error: CannotStartError | OSError,
    env: Mapping[str, str],
    tape: Tape | Untaped,
) -> int:
    """Say so to the client, who waits for an answer on the channel and may not show our stderr."""
    import shlex

    from hindsight_cli.capture.command.streams import Flow
    from hindsight_cli.capture.proxy.farewell import Farewell
    from hindsight_cli.capture.proxy.pending import Gone, Pending

    reason, code = str(error), getattr(error, "exit_code", 1)
    if code == _NOT_FOUND and "/" not in request.argv[0]:
        reason += f" It was looked for in PATH={env.get('PATH', os.defpath)}"
    gone = Gone(shlex.join(request.argv), reason=reason, exit_code=code)
    with contextlib.suppress(OSError):
        os.write(2, f"hindsight: {gone.message(request.name)}\n".encode())
    _tell(tape, gone, request.name)
    Farewell(gone, request.name, Flow(-1, 1), tape).say(Pending(), was_asked=False)
    tape.close(b"{}")
    return int(code)


def _tell(tape: Tape | Untaped, gone: Gone, name: str) -> None:
    import json

    tape.gone(json.dumps({"message": gone.message(name), **gone.fields()}).encode())


def start_recorder(request: ProxyRequest, env: Mapping[str, str], say: Say) -> Tape | Untaped:
    """A recorder in a process of its own, and the tape it is told by.

    It is nobody's child, so that no zombie is left of it.
    """
    from hindsight_cli.capture.proxy.tape import Tape, Untaped

    if env.get(REFLECTING_VARIABLE):
        return Untaped()
    try:
        told, tell = os.pipe()
        reply_read, reply_write = os.pipe()
        child = os.fork()
        if child == 0:
            if os.fork() == 0:
                _record(request, env, (told, reply_write))
            os._exit(0)
        os.waitpid(child, 0)
        os.close(told)
        os.close(reply_write)
    except OSError as error:  # no room for another process or a pipe
        say(f"Nothing is recorded: {error.strerror}.")
        return Untaped()
    tape = Tape(tell, reply_read)
    tape.is_awaited = bool(env.get(SESSION_VARIABLE))
    return tape


def _record(request: ProxyRequest, env: Mapping[str, str], kept: tuple[int, int]) -> None:
    """The recorder's process; never returns."""
    told, reply = kept
    try:
        os.setsid()
        nowhere = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(nowhere, number)
        for name in os.listdir("/dev/fd"):  # noqa: PTH208 -- pathlib's answer costs more
            if int(name) > 2 and int(name) not in kept:  # noqa: PLR2004
                with contextlib.suppress(OSError):  # the listing's own is closed by now
                    os.close(int(name))
        os.nice(5)  # the traffic comes first, and the server's start before that
        if not env.get(SESSION_VARIABLE):  # else the run waits for us, once we are known
            select.select([told], [], [])
            time.sleep(_LET_START_S)
        from hindsight_cli.api.proxy_recording import serve

        serve(request, env, told, reply)
    except BaseException as error:  # the border beside a live agent: told, never raised
        with contextlib.suppress(OSError):
            os.write(reply, f"Nothing is recorded: {error!r}.\n".encode())
    finally:
        os._exit(0)


def _name_of(argv: Sequence[str], url: str) -> str:
    """A name for a server that was given none: what its command or its address says."""
    if url:
        return url.split("://", 1)[-1].split("/", 1)[0].rpartition("@")[2].replace(":", "-")
    words = [word.rpartition("/")[2] for word in argv if not word.startswith("-")] or ["server"]
    word = words[1] if words[0] in _LAUNCHERS and len(words) > 1 else words[0]
    return word.partition(".")[0] or word
