"""Runs inside files of chat messages: arrays, JSON Lines, benchmark results.

A run is a list of messages with, perhaps, fields about it beside them.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from hindsight_cli.capture.draft import Problem
from hindsight_cli.capture.formats.content import type_of
from hindsight_cli.capture.formats.jsonlines_reader import (
    Record,
    excerpt_of,
    parse_json,
    parse_json_at,
    read_json_lines,
    why_not_read,
)
from hindsight_cli.records.jsonvalue import JsonValue

MESSAGE_LISTS = ("messages", "traj", "trajectory", "conversations")
_RUN_LISTS = ("simulations", "runs", "results")
_ITEM_TYPES = frozenset(
    {"message", "function_call", "function_call_output", "reasoning", "custom_tool_call"}
    | {"custom_tool_call_output", "local_shell_call", "local_shell_call_output"}
)
_CHUNK_BYTES = 1024 * 1024
_BETWEEN = re.compile(r"[\s,]*")


@dataclass(frozen=True, slots=True)
class Run:
    """One run; `about` holds what its file says of it beside the messages."""

    messages: Iterator[JsonValue | Problem]
    about: Mapping[str, JsonValue] = field(default_factory=dict)


def is_message(value: JsonValue) -> bool:
    """Whether a value is a chat message or an item of the Responses API."""
    if not isinstance(value, dict):
        return False
    return isinstance(value.get("role", value.get("from")), str) or type_of(value) in _ITEM_TYPES


def message_list(value: JsonValue) -> list[JsonValue] | None:
    """The messages of a run object, which may hold them as a JSON string."""
    if not isinstance(value, dict):
        return None
    for key in MESSAGE_LISTS:
        found = value.get(key)
        if isinstance(found, str):
            try:
                found = parse_json(found)
            except (ValueError, RecursionError):
                continue
        if isinstance(found, list) and (not found or any(map(is_message, found))):
            return found
    return None


def read_runs(path: Path) -> Iterator[Run | Problem]:
    """Every run of a file, in order. Lists of messages at the top level are streamed."""
    with path.open("rb") as file:
        head = file.read(_CHUNK_BYTES).removeprefix(codecs.BOM_UTF8).lstrip()
    if head.startswith(b"["):
        yield from _runs_among(read_json_array(path))
    elif _is_one_document(head):
        yield from _runs_among(_document(path))
    else:
        yield from _runs_among(
            item.value if isinstance(item, Record) else item for item in read_json_lines(path)
        )


def _is_one_document(head: bytes) -> bool:
    """Whether an object is spread over lines, as pretty-printers do."""
    first = head.split(b"\n", 1)[0].strip()
    try:
        parse_json(first)
    except (ValueError, RecursionError):
        return len(first) < len(head.strip())
    return False


def _document(path: Path) -> Iterator[JsonValue | Problem]:
    raw = path.read_bytes().removeprefix(codecs.BOM_UTF8)
    try:
        yield parse_json(raw)
    except (ValueError, RecursionError) as error:
        yield Problem(line=1, reason=why_not_read(error), excerpt=excerpt_of(raw))


def _runs_among(values: Iterator[JsonValue | Problem]) -> Iterator[Run | Problem]:
    """Group what stands at the top level: runs as they are, bare messages as one run."""
    for value in values:
        if isinstance(value, Problem):
            yield value
        elif is_message(value):
            yield Run(_chain(value, values))
            return
        else:
            yield from _runs_of(value)


def _chain(first: JsonValue, rest: Iterator[JsonValue | Problem]) -> Iterator[JsonValue | Problem]:
    yield first
    yield from rest


def _runs_of(value: JsonValue) -> Iterator[Run | Problem]:
    if isinstance(value, list) and value and all(map(is_message, value)):
        yield Run(iter(value))
        return
    messages = message_list(value)
    if messages is not None:
        yield Run(iter(messages), {k: v for k, v in value.items() if k not in MESSAGE_LISTS})
        return
    if isinstance(value, dict):
        for key in _RUN_LISTS:
            inner = value.get(key)
            if isinstance(inner, list):
                for run in inner:
                    yield from _runs_of(run)
                return
    kind = "object without messages" if isinstance(value, dict) else type(value).__name__
    yield Problem(line=1, reason=f"a JSON {kind} where a run was expected")


def read_json_array(path: Path) -> Iterator[JsonValue | Problem]:
    """The elements of a JSON array, one in memory at a time.

    A break in the middle ends the reading with a Problem: behind it no element can
    be told from the inside of another.
    """
    decode = codecs.getincrementaldecoder("utf-8-sig")("replace").decode
    with path.open("rb") as file:
        text, ended = decode(file.read(_CHUNK_BYTES)), False
        at, count = text.index("[") + 1, 0
        while True:
            at = _next_element(text, at)
            if text[at : at + 1] == "]":
                return
            try:
                value, end = parse_json_at(text, at)
                if end == len(text) and not ended:
                    raise ValueError("perhaps cut")
            except RecursionError:
                yield Problem(
                    line=count + 1, reason="nested too deeply", excerpt=text[at : at + 80]
                )
                return
            except ValueError as error:
                if ended:
                    reason = why_not_read(error)
                    yield Problem(line=count + 1, reason=reason, excerpt=text[at : at + 80])
                    return
                # Twice as much each time, so that a huge element costs linear time.
                more = file.read(max(_CHUNK_BYTES, len(text) - at))
                ended = not more
                text, at = text[at:] + decode(more, final=ended), 0
                continue
            count += 1
            yield value
            at = end


def _next_element(text: str, at: int) -> int:
    match = _BETWEEN.match(text, at)
    return match.end() if match else at
