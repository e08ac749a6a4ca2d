"""The server's two tools: read the arguments, call one api verb, answer.

The low-level `Server` of the SDK and not `MCPServer`: that one runs only on the SDK's own
stdio, and takes an `error` text that happens to be JSON for an object and refuses it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from threading import Lock
from typing import Any

import anyio
import anyio.to_thread
from mcp.server import Server, ServerRequestContext
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
)

from hindsight_cli import __version__
from hindsight_cli.api.project import Project
from hindsight_cli.errors import HindsightError, StorageError, UsageError
from hindsight_cli.mcp_server.answers import (
    NO_PROJECT,
    error_text,
    outcome_answer,
    rules_answer,
    unexpected_text,
)
from hindsight_cli.mcp_server.tools import (
    GET_RULES,
    INSTRUCTIONS,
    OUTCOMES,
    REPORT_OUTCOME,
    tools,
)
from hindsight_cli.records.event import Outcome

_THREADS = 8  # so that calls that wait for a lock leave threads for reading and writing
FindProject = Callable[[], Project | None]
Arguments = Mapping[str, Any]


class ExperienceTools:
    """The tools of one server process."""

    def __init__(self, find: FindProject, *, session: str, debug: bool) -> None:
        self._find = find
        self._session = session
        self._debug = debug
        self._giving = Lock()  # calls side by side would give one rule twice
        self._calls: dict[str, Callable[[Arguments, str | None], str]] = {
            GET_RULES: self._get_rules,
            REPORT_OUTCOME: self._report_outcome,
        }

    def call(self, name: str, arguments: Arguments, client: str | None = "") -> CallToolResult:
        """The answer of a tool, or an error that the model can read. Never raises.

        `client` tells the clients of one server apart: "" when there is only one, None
        when the protocol does not say.
        """
        try:
            if name not in self._calls:
                raise UsageError(f"No tool {name!r}.", hint=f"One of {_list(self._calls)}.")
            session = None if client is None else self._session + client
            answer = self._calls[name](arguments, session)
        except HindsightError as error:
            return self._failed(error_text(error))
        except OSError as error:
            where = str(error.filename or "a file")
            return self._failed(error_text(StorageError(where, error.strerror or str(error))))
        except Exception as error:  # the server outlives any one call
            return self._failed(unexpected_text(name, error))
        return CallToolResult(content=[TextContent(type="text", text=answer)])

    def _failed(self, text: str) -> CallToolResult:
        """For use inside an except clause."""
        if self._debug:
            import traceback

            traceback.print_exc(file=sys.stderr)
        return CallToolResult(content=[TextContent(type="text", text=text)], is_error=True)

    def _get_rules(self, arguments: Arguments, session: str | None) -> str:
        from hindsight_cli.api.consulting import consult, consult_one

        task, error = _text(arguments, "task_description"), _text(arguments, "error")
        own = _text(arguments, "experience_id").strip()
        if not (task + error + own).strip():
            raise UsageError(
                "task_description is missing.", hint="Say in a sentence what is to be done."
            )
        project = self._find()
        if project is None:
            return NO_PROJECT
        with self._giving:
            if own:
                found = consult_one(project, own, session=session)
            else:
                found = consult(project, task, error=error, session=session)
        return rules_answer(found)

    def _report_outcome(self, arguments: Arguments, session: str | None) -> str:
        from hindsight_cli.api.feedback import give_feedback

        injection_id = _text(arguments, "injection_id").strip()
        given = _text(arguments, "outcome")
        if not injection_id:
            raise UsageError("injection_id is missing.", hint=f"{GET_RULES} gives it with rules.")
        if given not in OUTCOMES:
            raise UsageError(f"Outcome {given!r} is unknown.", hint=f"One of {_list(OUTCOMES)}.")
        project = self._find()
        if project is None:
            return NO_PROJECT
        report = give_feedback(project, injection_id, Outcome(given), by="agent")
        return outcome_answer(given, report)


def _list(names: Iterable[str]) -> str:
    return ", ".join(names)


def _text(arguments: Arguments, name: str) -> str:
    value = arguments.get(name)
    if value is not None and not isinstance(value, str):
        raise UsageError(f"{name} is not a text.", hint=f"Give {name} as a string.")
    return value or ""


def make_server(calls: ExperienceTools) -> Server[Any]:
    """The MCP server, on whatever streams it is run."""
    limiter = anyio.CapacityLimiter(_THREADS)

    async def list_tools(
        context: ServerRequestContext[Any], params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        return ListToolsResult(tools=tools())

    async def call_tool(
        context: ServerRequestContext[Any], params: CallToolRequestParams
    ) -> CallToolResult:
        call = partial(calls.call, params.name, params.arguments or {}, _client_of(context))
        return await anyio.to_thread.run_sync(call, abandon_on_cancel=True, limiter=limiter)

    return Server(
        "hindsight",
        version=__version__,
        title="Hindsight",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _client_of(context: ServerRequestContext[Any]) -> str | None:
    """Over stdio there is one client; over HTTP the handshake protocols name theirs."""
    if context.request is None:
        return ""
    named = context.request.headers.get("mcp-session-id")
    return f"-{named}" if named else None
