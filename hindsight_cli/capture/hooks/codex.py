"""Codex's hooks. Source: payloads of version 0.171.

A command that failed comes as any other: its answer is a text, without an exit code. Its
session file, named in the payload, has the code by then.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Mapping

from hindsight_cli.capture.hooks.payload import (
    HookKind,
    ToolUse,
    answer_text,
    common_document,
    integer,
    mapping,
    string,
)
from hindsight_cli.records.jsonvalue import JsonValue

AGENT = "codex"
KINDS = {
    "SessionStart": HookKind.START,
    "UserPromptSubmit": HookKind.PROMPT,
    "PostToolUse": HookKind.TOOL,
    "Stop": HookKind.STOP,
    "SessionEnd": HookKind.END,
}
_FRAME = re.compile(
    r"(?:[^\n]{0,200}\n){0,6}?(?:Process exited with code|Exit code:) (-?\d{1,10})\n"
)
_TAIL_BYTES = 1024 * 1024  # of the session file, where what happened last stands
_OUTPUT = re.compile(r"(?:[^\n]{0,200}\n){0,3}?Output:\n")
document = common_document


def unpacked(payload: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    return payload


def tool_use_of(event: str, payload: Mapping[str, JsonValue]) -> ToolUse:
    """What the frame round an output tells, where there is one, else the session file."""
    del event
    response, call_id = payload.get("tool_response"), string(payload, "tool_use_id")
    text, facts = answer_text(response), mapping(response)
    if frame := _FRAME.match(text):
        rest = _OUTPUT.match(text, frame.end())
        text = text[rest.end() if rest else frame.end() :]
        facts = {"exit_code": int(frame[1])}
    if not facts and call_id:
        facts = _item(string(payload, "transcript_path"), call_id)
    success = facts.get("success")
    flag = not success if isinstance(success, bool) else None
    if facts.get("status") in ("failed", "declined"):
        flag = True
    return ToolUse(
        name=string(payload, "tool_name"),
        arguments=payload.get("tool_input"),
        text=text,
        call_id=call_id or None,
        flag=flag,
        exit_code=integer(facts.get("exit_code")),
        duration_ms=integer(payload.get("duration_ms")),
    )


def _item(path: str, call_id: str) -> Mapping[str, JsonValue]:
    """What the end of a session file says of a call that is done; {} when nothing."""
    for line in _tail(path).split(b"\n"):
        if b'"item_completed"' not in line or call_id.encode("utf-8", "replace") not in line:
            continue
        try:
            item = mapping(mapping(json.loads(line)).get("payload")).get("item")
        except (ValueError, RecursionError):
            continue
        if mapping(item).get("id") == call_id:
            return mapping(item)
    return {}


def _tail(path: str) -> bytes:
    """The last part of a plain file; nothing of any other, and opening never waits."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return b""
    try:
        about = os.fstat(fd)
        if not stat.S_ISREG(about.st_mode):
            return b""
        return os.pread(fd, _TAIL_BYTES, max(about.st_size - _TAIL_BYTES, 0))
    except OSError:
        return b""
    finally:
        os.close(fd)
