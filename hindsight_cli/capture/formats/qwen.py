"""Qwen Code chats: `~/.qwen/projects/<folder>/chats/<session>.jsonl` and subagent files.

One line is one native record: an envelope like Claude Code's round messages like Gemini
CLI's. Source: docs/reference/native-formats.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from hindsight_cli.capture.draft import Draft, Problem
from hindsight_cli.capture.formats.content import type_of
from hindsight_cli.capture.formats.gemini_parts import mapping
from hindsight_cli.capture.formats.jsonlines_reader import (
    no_record,
    parse_json,
    read_json_lines,
)
from hindsight_cli.capture.formats.qwen_records import Reader
from hindsight_cli.capture.formats.qwen_rewinds import abandoned_lines
from hindsight_cli.records.jsonvalue import JsonValue

_MAX_HEAD_LINES = 50
_BEGINNING_BYTES = 2 * 1024
_ENVELOPE = re.compile(rb'"parentUuid"\s*:.{0,200}?"sessionId"\s*:', re.DOTALL)
_PARTS = re.compile(rb'"parts"\s*:\s*\[')
_SIGNS = (b'"parts"', b'"systemPayload"')


def recognizes(path: Path, head: bytes) -> bool:
    """Whether a line is a Qwen Code record: a session's, with parts or a payload."""
    lines = head.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    for line in lines[:_MAX_HEAD_LINES]:
        if not any(sign in line for sign in _SIGNS):
            continue
        try:
            record = parse_json(line.strip())
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict) and _is_own(record):
            return True
    # A line too long to be parsed.
    return len(lines) == 1 and bool(
        _ENVELOPE.search(head[:_BEGINNING_BYTES]) and _PARTS.search(head)
    )


def _is_own(record: dict[str, JsonValue]) -> bool:
    if not isinstance(record.get("sessionId"), str):
        return False
    if type_of(record) == "system":
        return "systemPayload" in record
    return isinstance(mapping(record.get("message")).get("parts"), list)


def read(path: Path) -> Iterator[Draft | Problem]:
    """Every line in file order; memory is bound to one line."""
    reader = Reader(path, abandoned_lines(path))
    for item in read_json_lines(path):
        if isinstance(item, Problem):
            yield item
        elif isinstance(item.value, dict):
            yield reader.draft_of(item.line, item.value)
        else:
            yield no_record(item.line, item.value)
