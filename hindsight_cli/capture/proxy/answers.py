"""What a server's answer to a call says: its text, its binaries, what became of the call. Pure.

A tool fails on two channels: a JSON-RPC error, or a result with `isError`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from hindsight_cli.capture.draft import Blob
from hindsight_cli.capture.formats.content import (
    blobs_of,
    decoded_blob,
    take_out_encoded,
    text_of,
)
from hindsight_cli.capture.proxy.lines import Line
from hindsight_cli.capture.status import ToolOutput, derive_status
from hindsight_cli.records.event import Status, ToolKind
from hindsight_cli.records.jsonvalue import JsonValue
from hindsight_cli.text import head_of_words

# JSON-RPC 2.0, section 5.1.
_TYPES_BY_CODE = {-32602: "invalid_args", -32601: "unknown_tool", -32603: "tool_error"}
_INPUT_REQUIRED = "input_required"  # since 2026-07-28: the same is asked again with the input
_MAX_CUT_CHARS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The result of a call, before it is an event."""

    text: str
    status: Status
    rule: str
    native: str | None = None
    exit_code: int | None = None
    error_type: str | None = None
    blobs: tuple[Blob, ...] = ()
    extra: Mapping[str, JsonValue] = field(default_factory=dict)


def answer_of(message: Mapping[str, JsonValue]) -> Answer:
    """What a response says."""
    if "error" in message:
        return _of_error(message["error"])
    result = message.get("result")
    if isinstance(result, dict) and result.get("resultType") == _INPUT_REQUIRED:
        text = json.dumps(result, ensure_ascii=False)
        return Answer(
            text=text, status=Status.UNKNOWN, rule=_INPUT_REQUIRED, native=_INPUT_REQUIRED
        )
    text, blobs = _content(result)
    is_error = isinstance(result, dict) and result.get("isError") is True
    verdict = derive_status(ToolOutput(text=text, tool_kind=ToolKind.MCP, flag=is_error))
    return Answer(
        text=text,
        status=verdict.status,
        rule=verdict.rule,
        native="isError" if is_error else "ok",
        exit_code=verdict.exit_code,
        error_type=verdict.error_type,
        blobs=blobs,
    )


def cut_answer(line: Line) -> Answer:
    """Of an answer too long to be kept: its beginning, as it came."""
    text = line.data[: _MAX_CUT_CHARS + 1].decode("utf-8", "replace")
    text = head_of_words(text, _MAX_CUT_CHARS)
    extra: dict[str, JsonValue] = {"cut_bytes": line.size}
    return Answer(text=text, status=Status.UNKNOWN, rule="too_long_to_keep", extra=extra)


def _of_error(error: JsonValue) -> Answer:
    told = error if isinstance(error, dict) else {"message": error}
    code, data = told.get("code"), told.get("data")
    text = str(told.get("message") or "")
    if data not in (None, {}, []):
        text += f"\n{data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)}"
    verdict = derive_status(ToolOutput(text=text, tool_kind=ToolKind.MCP, flag=True))
    known = _TYPES_BY_CODE.get(code) if isinstance(code, int) else None
    is_error = verdict.status is Status.ERROR
    return Answer(
        text=text,
        status=verdict.status,
        rule=verdict.rule,
        native="error",
        exit_code=verdict.exit_code,
        error_type=known or verdict.error_type if is_error else verdict.error_type,
        extra={"jsonrpc_code": code} if isinstance(code, int) else {},
    )


def _content(result: JsonValue) -> tuple[str, tuple[Blob, ...]]:
    """The text for a model, structured content only where there is none, and the binaries."""
    if not isinstance(result, dict):
        return ("" if result is None else json.dumps(result, ensure_ascii=False)), ()
    content = next((result[k] for k in ("content", "contents", "messages") if k in result), None)
    text = text_of(content)
    if not text:
        told = result.get("structuredContent")
        if told is None and content is None:
            told = {k: v for k, v in result.items() if k != "_meta"} or None
        text = "" if told is None else json.dumps(told, ensure_ascii=False)
    text, encoded = take_out_encoded(text)
    return text, (*blobs_of(content), *_resources(content), *encoded)


def _resources(content: JsonValue) -> Iterator[Blob]:
    for item in content if isinstance(content, list) else []:
        resource = item.get("resource", item) if isinstance(item, dict) else None
        if isinstance(resource, dict) and isinstance(resource.get("blob"), str):
            mime = resource.get("mimeType")
            found = decoded_blob(
                mime if isinstance(mime, str) else "application/octet-stream", resource["blob"]
            )
            if found is not None:
                yield found
