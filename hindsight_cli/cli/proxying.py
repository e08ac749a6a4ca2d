"""`mcp proxy`, shared by the fast door and the full command line."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Mapping, Sequence

from hindsight_cli.api.proxying import ProxyRequest
from hindsight_cli.errors import UsageError
from hindsight_cli.terminal import visible

TYPE_CHECKING = False  # as typing's, without loading typing on the hot path
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

# Option -> the field it sets.
OPTIONS = {
    "--name": "name",
    "--env": "env",
    "-e": "env",
    "--url": "url",
    "--port": "port",
    "--project": "root",
    "-p": "root",
}


def try_proxy(argv: Sequence[str]) -> int | None:
    """`mcp proxy` of a plain command line, from behind these two words; None for all others."""
    given: dict[str, Any] = {"env": []}
    at = 0
    while at < len(argv) and argv[at].startswith("-") and argv[at] != "--":
        name, is_joined, value = argv[at].partition("=")
        field = OPTIONS.get(name)
        if field is None or (not is_joined and at + 1 >= len(argv)):
            return None
        value = value if is_joined else argv[at + 1]
        at += 1 if is_joined else 2
        if field == "env":
            given["env"].append(value)
        else:
            given[field] = value
    server = list(argv[at + 1 :] if argv[at : at + 1] == ["--"] else argv[at:])
    if bool(server) == bool(given.get("url")) or not str(given.get("port", "0")).isdigit():
        return None
    from hindsight_cli.cli.border import guarded

    def act() -> int:
        root = given.get("root")
        request = ProxyRequest(
            server,
            name=given.get("name"),
            added_env=variables(given["env"]),
            start=_start(root) if root else None,
            url=given.get("url", ""),
        )
        request.port = int(given.get("port", 0))
        return run_proxy(request)

    return guarded("mcp proxy", False, act)


def _start(root: str) -> Path | None:
    from pathlib import Path  # costs as much as all the rest of the way to the server

    from hindsight_cli.cli.start import start_of

    return start_of(Path(root))


def variables(given: Sequence[str]) -> Mapping[str, str]:
    """`NAME=VALUE` words as variables.

    Raises:
        UsageError: one of them is none.
    """
    for word in given:
        name, equals, _ = word.partition("=")
        if not name or not equals:
            raise UsageError(f"{word!r} is no NAME=VALUE.", hint="Write --env NAME=VALUE.")
    return dict(word.split("=", 1) for word in given)


def run_proxy(request: ProxyRequest) -> int:
    """Relay; the exit code. What we say goes to stderr, a line each: stdout is the channel."""
    if request.url:
        from hindsight_cli.api.proxying_http import proxy_http

        return proxy_http(request, os.environ, _say)
    from hindsight_cli.api.proxying import proxy

    return proxy(request, os.environ, _say)


def _say(message: str) -> None:
    with contextlib.suppress(OSError):
        sys.stderr.write(f"hindsight: {visible(message)}\n")
        sys.stderr.flush()
