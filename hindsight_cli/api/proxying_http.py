"""`hindsight mcp proxy --url`: the same relay for a server that speaks Streamable HTTP."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import threading
from collections.abc import Mapping

from hindsight_cli.api.proxying import ProxyRequest, Say, start_recorder
from hindsight_cli.capture.proxy.http_relay import HttpRelay
from hindsight_cli.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

_BY_SIGNAL = 128
_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def proxy_http(request: ProxyRequest, env: Mapping[str, str], say: Say) -> int:
    """Listen on 127.0.0.1 and relay to the server at `request.url` until a signal; the exit code.

    Raises:
        UsageError: that is no address of a server, or the port is taken.
    """
    parent = os.getppid()
    tape = start_recorder(request, env, say)
    try:
        relay = HttpRelay(request.url, request.port, request.name, tape)
    except ValueError as error:
        raise UsageError(
            f"{request.url!r} is no address of a server: {error}.",
            hint="Give the whole address, such as http://127.0.0.1:3001/mcp",
        ) from error
    except OSError as error:
        raise UsageError(
            f"Port {request.port} on 127.0.0.1 cannot be used: {error.strerror}.",
            hint="Choose another with --port, or none for any that is free.",
        ) from error
    said = threading.Thread(target=_pass_on_replies, args=(tape.reply, say), daemon=True)
    said.start()
    ended_by: list[int] = []

    def end(number: int, _frame: FrameType | None) -> None:
        ended_by.append(number)
        relay.stop()

    for number in _ENDING:
        signal.signal(number, end)
    say(f"MCP proxy of {request.name} at {relay.address}")
    try:
        relay.serve(parent)
    finally:
        tape.close(json.dumps({}).encode())
    return _BY_SIGNAL + ended_by[0] if ended_by else 0


def _pass_on_replies(reply: int, say: Say) -> None:
    """What the recorder has to say."""
    if reply < 0:
        return
    with contextlib.suppress(OSError):  # closed at the end
        while data := os.read(reply, 4096):
            for text in data.decode("utf-8", "replace").splitlines():
                say(text)
