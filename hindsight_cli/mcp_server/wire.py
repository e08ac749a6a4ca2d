"""JSON-RPC over stdio: one message a line, in UTF-8 whatever the locale says.

The SDK's own transport drops a line it cannot read, half a surrogate pair included, and
leaves its sender waiting; it also drops calls under way when stdin ends. This one answers.

Source: MCP specification, transports, stdio; docs/how-to/connect-an-mcp-agent.md.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, BinaryIO, TypeVar

import anyio
import anyio.to_thread
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    RequestId,
    jsonrpc_message_adapter,
)

from hindsight_cli.text import plain_utf8

GRACE_S = 1.0  # after the end of stdin, for answers on their way
_POLL_S = 0.01
_CANCELLED = "notifications/cancelled"  # its request gets no answer

Incoming = MemoryObjectReceiveStream[SessionMessage | Exception]
Outgoing = MemoryObjectSendStream[SessionMessage]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Refusal:
    """The answer to a line that is no message."""

    error: JSONRPCError


@dataclass(slots=True)
class Wire:
    """The client's end: what it sends, where it reads, and which requests wait."""

    stdin: BinaryIO
    stdout: int
    waiting: set[RequestId | None] = field(default_factory=set)

    def heard(self, message: JSONRPCMessage) -> None:
        if isinstance(message, JSONRPCRequest):
            self.waiting.add(message.id)
        elif isinstance(message, JSONRPCNotification) and message.method == _CANCELLED:
            self.waiting.discard(_plain_id((message.params or {}).get("requestId")))

    def answered(self, message: JSONRPCMessage) -> None:
        if isinstance(message, JSONRPCResponse | JSONRPCError):
            self.waiting.discard(message.id)


def decode(line: bytes) -> JSONRPCMessage | Refusal:
    """The message on a line, or what to answer instead. Never raises.

    Bytes that are not UTF-8 become U+FFFD, and so does half a surrogate pair, as clients
    that cut a text by UTF-16 units send it.
    """
    with contextlib.suppress(ValueError):
        return jsonrpc_message_adapter.validate_json(line, by_name=False)
    try:
        data = json.loads(line.decode("utf-8", "replace"))
        text = plain_utf8(json.dumps(data, ensure_ascii=False))
    except (ValueError, RecursionError):
        return _refusal(PARSE_ERROR, "This line is not JSON.", None)
    with contextlib.suppress(ValueError):
        return jsonrpc_message_adapter.validate_json(text, by_name=False)
    request_id = _plain_id(data.get("id")) if isinstance(data, dict) else None
    return _refusal(INVALID_REQUEST, "This line is not a JSON-RPC 2.0 message.", request_id)


def _refusal(code: int, message: str, request_id: RequestId | None) -> Refusal:
    error = ErrorData(code=code, message=message)
    return Refusal(JSONRPCError(jsonrpc="2.0", id=request_id, error=error))


def _plain_id(found: Any) -> RequestId | None:
    if isinstance(found, str):
        return plain_utf8(found)
    return found if type(found) is int else None


@contextlib.asynccontextmanager
async def stdio_streams(wire: Wire) -> AsyncIterator[tuple[Incoming, Outgoing]]:
    """The streams a server runs on; they close when the client closes stdin or goes away."""
    to_server, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outgoing, to_client = anyio.create_memory_object_stream[SessionMessage](0)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_read, wire, to_server, outgoing.clone())
        tasks.start_soon(_write, wire, to_client, tasks.cancel_scope)
        yield incoming, outgoing
        # A client that no longer reads keeps a write waiting for ever.
        tasks.cancel_scope.deadline = anyio.current_time() + GRACE_S


async def _read(
    wire: Wire, to_server: MemoryObjectSendStream[SessionMessage | Exception], replies: Outgoing
) -> None:
    async with to_server, replies:
        while line := await _in_thread(wire.stdin.readline):
            if line.isspace():
                continue
            message = decode(line)
            if isinstance(message, Refusal):
                await replies.send(SessionMessage(message.error))
                continue
            wire.heard(message)
            await to_server.send(SessionMessage(message))
        with anyio.move_on_after(GRACE_S):
            while wire.waiting:
                await anyio.sleep(_POLL_S)


async def _write(
    wire: Wire,
    to_client: MemoryObjectReceiveStream[SessionMessage],
    scope: anyio.CancelScope,
) -> None:
    async with to_client:
        async for item in to_client:
            line = item.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
            try:
                await _in_thread(partial(_write_all, wire.stdout, line))
            except OSError:  # the client is gone: nobody is left to serve
                scope.cancel()
                return
            wire.answered(item.message)


def _write_all(fd: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(fd, rest) :]


async def _in_thread(action: Callable[[], T]) -> T:
    # Abandoned on cancel: a read or a write that never ends must not hold up the end.
    return await anyio.to_thread.run_sync(action, abandon_on_cancel=True)
