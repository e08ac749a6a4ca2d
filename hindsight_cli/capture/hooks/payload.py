"""A hook's payload, read with suspicion: any field may be missing or of any type. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from hindsight_cli.capture.formats.content import text_of
from hindsight_cli.records.jsonvalue import JsonValue

_TEXT_KEYS = ("content", "output", "result", "text", "error", "message")
_STREAMS = ("stdout", "stderr")


class HookKind(StrEnum):
    START = "start"  # of a session
    PROMPT = "prompt"  # the person said something
    TOOL = "tool"  # a call was answered
    STOP = "stop"  # the agent came to rest: it may be asked for more
    END = "end"  # of a session


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUse:
    """A call with its answer, as far as a hook was told."""

    name: str
    arguments: JsonValue = None
    text: str = ""
    call_id: str | None = None
    flag: bool | None = None  # the agent's own: True failed, False fine, None not told
    exit_code: int | None = None
    interrupted: bool = False
    exit_meaning: str = ""  # the agent's reading of a non-zero exit it takes as fine
    duration_ms: int | None = None


def string(payload: Mapping[str, JsonValue], *names: str) -> str:
    """The first of the fields that holds a text; "" where none does."""
    for name in names:
        value = payload.get(name)
        if isinstance(value, str) and value:
            return value
    return ""


def integer(value: JsonValue) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def mapping(value: JsonValue) -> Mapping[str, JsonValue]:
    return value if isinstance(value, dict) else {}


def answer_text(response: JsonValue) -> str:
    """The text in a tool's answer, whatever shape the tool gave it."""
    if not isinstance(response, dict):
        return text_of(response)
    if any(isinstance(response.get(name), str) for name in _STREAMS):
        return "\n".join(text for name in _STREAMS if (text := string(response, name)))
    for name in _TEXT_KEYS:
        value = response.get(name)
        if isinstance(value, str | list) and value:
            return text_of(value)
    inner = response.get("file")
    if isinstance(inner, dict) and isinstance(inner.get("content"), str):
        return str(inner["content"])
    return json.dumps(response, ensure_ascii=False) if response else ""


def common_document(event: str, *, context: str, notice: str) -> dict[str, JsonValue]:
    """The answer that Claude Code began with and others took over."""
    document: dict[str, JsonValue] = {}
    if notice:
        document["systemMessage"] = notice
    if context:
        document["hookSpecificOutput"] = {"hookEventName": event, "additionalContext": context}
    return document
