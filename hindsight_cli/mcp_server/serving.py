"""Run the server: on stdio for one agent, or over HTTP for agents on this machine."""

from __future__ import annotations

import fcntl
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NoReturn

from hindsight_cli import config
from hindsight_cli.errors import UsageError

if TYPE_CHECKING:
    from hindsight_cli.mcp_server.server import ExperienceTools

SESSION_VARIABLE = "HINDSIGHT_CLI_SESSION"
DEBUG_VARIABLE = "HINDSIGHT_CLI_DEBUG"
HOST = "127.0.0.1"
_BUFFER_BYTES = 64 * 1024


def serve_stdio(root: Path | None) -> NoReturn:
    """Serve until stdin ends; ends the process.

    stdout carries nothing but messages, whoever prints. A call that waits for a lock when
    stdin ends is not waited for.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a read that blocks would swallow Ctrl-C
    stdin, stdout = claim_stdio()  # before the imports below, which might print

    import anyio

    from hindsight_cli.mcp_server.server import make_server
    from hindsight_cli.mcp_server.wire import Wire, stdio_streams

    async def serve() -> None:
        server = make_server(_tools(root))
        async with stdio_streams(Wire(stdin, stdout)) as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    anyio.run(serve)
    sys.stderr.flush()
    os._exit(0)  # threads may still wait for a lock, or for a client that no longer reads


def claim_stdio() -> tuple[BinaryIO, int]:
    """Take stdin and stdout away from everything else in this process.

    What any library prints from here on goes to stderr, and a child process reads nothing.
    """
    stdin = _moved(0, os.open(os.devnull, os.O_RDONLY))
    try:
        instead = os.dup(2)
    except OSError:
        instead = os.open(os.devnull, os.O_WRONLY)
    stdout = _moved(1, instead)
    return os.fdopen(stdin, "rb", buffering=_BUFFER_BYTES), stdout


def _moved(fd: int, instead: int) -> int:
    """The file behind `fd` on a number of its own; `fd` is what `instead` was."""
    own = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 3)
    os.dup2(instead, fd)
    os.close(instead)
    return own


def serve_http(root: Path | None, port: int, ready: Callable[[str], None]) -> None:
    """Serve streamable HTTP on this machine's own address until a signal ends it.

    `ready` is told the URL; port 0 takes any that is free.

    Raises:
        UsageError: the port cannot be used.
    """
    import socket

    import uvicorn

    from hindsight_cli.mcp_server.server import make_server

    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((HOST, port))
        except (OSError, OverflowError) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise UsageError(
                f"Port {port} cannot be used: {why}.", hint="Choose another: --http 0 takes any."
            ) from error
        listening.listen()
        ready(f"http://{HOST}:{listening.getsockname()[1]}/mcp")
        app = make_server(_tools(root)).streamable_http_app(host=HOST)
        settings = uvicorn.Config(
            app, log_level="warning", access_log=False, timeout_graceful_shutdown=1
        )
        uvicorn.Server(settings).run(sockets=[listening])


def _tools(root: Path | None) -> ExperienceTools:
    """The project is looked for on every call: it may be made while the server runs."""
    from hindsight_cli.api.project import Project
    from hindsight_cli.mcp_server.server import ExperienceTools

    env = config.environment()
    root = None if root is None else root.absolute()
    return ExperienceTools(
        lambda: Project.find(root, env=env),
        session=env.get(SESSION_VARIABLE) or f"mcp-{os.urandom(6).hex()}",
        debug=bool(env.get(DEBUG_VARIABLE)),
    )
