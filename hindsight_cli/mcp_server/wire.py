"""JSON-RPC over stdio: one message a line, in UTF-8 whatever the locale says.

The SDK's own transport drops a line it cannot read and leaves its sender waiting; this
one answers it.

Source: MCP specification, transports, stdio.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, BinaryIO

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

MAX_LINE_BYTES = 64 * 1024 * 1024
GRACE_S = 1.0  # after the end of stdin, for answers on their way
_POLL_S = 0.01

Incoming = MemoryObjectReceiveStream[SessionMessage | Exception]
Outgoing = MemoryObjectSendStream[SessionMessage]


@dataclass(frozen=True, slots=True)
class Refusal:
    """The answer to a line that is no message."""

    error: JSONRPCError


@dataclass(slots=True)
class Wire:
    """The client's end: what it sends, where it reads, and which requests wait."""

    stdin: BinaryIO
    stdout: int
    waiting: set[RequestId] = field(default_factory=set)


def decode(line: bytes) -> JSONRPCMessage | Refusal:
    """The message on a line, or what to answer instead. Never raises.

    Half a surrogate pair, as clients that cut a text by UTF-16 units send it, becomes
    U+FFFD.
    """
    try:
        message = jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        return _decode_odd(line)
    if isinstance(message, JSONRPCNotification) and b'"id"' in line:
        return _decode_odd(line)  # to the SDK a request with an odd id is a notification
    return message


def _decode_odd(line: bytes) -> JSONRPCMessage | Refusal:
    try:
        data = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return _refusal(PARSE_ERROR, "This line is not JSON in UTF-8.", _lenient_id(line))
    with contextlib.suppress(ValueError, RecursionError):
        text = plain_utf8(json.dumps(data, ensure_ascii=False))
        message = jsonrpc_message_adapter.validate_json(text, by_name=False)
        if not (isinstance(message, JSONRPCNotification) and "id" in data):
            return message
    return _refusal(INVALID_REQUEST, "This line is not a JSON-RPC 2.0 message.", _id_in(data))


def _refusal(code: int, message: str, request_id: RequestId | None) -> Refusal:
    error = ErrorData(code=code, message=message)
    return Refusal(JSONRPCError(jsonrpc="2.0", id=request_id, error=error))


def _lenient_id(line: bytes) -> RequestId | None:
    """The request's id, where nothing but some text in it cannot be decoded."""
    try:
        return _id_in(json.loads(line.decode("utf-8", "replace")))
    except (ValueError, RecursionError):
        return None


def _id_in(data: Any) -> RequestId | None:
    found = data.get("id") if isinstance(data, dict) else None
    plain = isinstance(found, str | int) and not isinstance(found, bool)
    return (plain_utf8(found) if isinstance(found, str) else found) if plain else None


def read_line(stdin: BinaryIO) -> bytes | Refusal:
    """The next line; b"" at the end. One that is too long is read past and refused."""
    line = stdin.readline(MAX_LINE_BYTES + 1)
    if len(line) <= MAX_LINE_BYTES:
        return line
    while line and not line.endswith(b"\n"):
        line = stdin.readline(MAX_LINE_BYTES)
    limit = MAX_LINE_BYTES // 2**20
    return _refusal(INVALID_REQUEST, f"This line is longer than {limit} MiB.", None)


@contextlib.asynccontextmanager
async def stdio_streams(wire: Wire) -> AsyncIterator[tuple[Incoming, Outgoing]]:
    """The streams a server runs on; they close when the client closes stdin or goes away."""
    to_server, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outgoing, to_client = anyio.create_memory_object_stream[SessionMessage](0)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_read, wire, to_server, outgoing.clone())
        tasks.start_soon(_write, wire, to_client, tasks.cancel_scope)
        yield incoming, outgoing


async def _read(
    wire: Wire, to_server: MemoryObjectSendStream[SessionMessage | Exception], replies: Outgoing
) -> None:
    async with to_server, replies:
        while True:
            line = await _in_thread(partial(read_line, wire.stdin))
            if line == b"":
                break
            if isinstance(line, bytes) and not line.strip():
                continue
            message = decode(line) if isinstance(line, bytes) else line
            if isinstance(message, Refusal):
                await replies.send(SessionMessage(message.error))
                continue
            if isinstance(message, JSONRPCRequest):
                wire.waiting.add(message.id)
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
            message = item.message
            line = message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
            try:
                await _in_thread(partial(_write_all, wire.stdout, line))
            except OSError:  # the client is gone: nobody is left to serve
                scope.cancel()
                return
            if isinstance(message, JSONRPCResponse | JSONRPCError) and message.id is not None:
                wire.waiting.discard(message.id)


def _write_all(fd: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(fd, rest) :]


async def _in_thread(action: Any) -> Any:
    # Abandoned on cancel: a read or a write that never ends must not hold up the end.
    return await anyio.to_thread.run_sync(action, abandon_on_cancel=True)
