"""What a Codex tool answered: its text without the frame, and whether it failed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from hindsight_cli.capture.draft import Blob
from hindsight_cli.capture.formats.calls import Call
from hindsight_cli.capture.formats.content import blobs_of, take_out_encoded, text_of, type_of
from hindsight_cli.capture.formats.jsonlines_reader import parse_json
from hindsight_cli.capture.status import ToolOutput, Verdict, derive_status
from hindsight_cli.capture.status_phrases import HARNESS
from hindsight_cli.records.jsonvalue import JsonValue

# The lines that Codex puts before what a command printed.
_FRAME = re.compile(
    r"\A(?:(?:Chunk ID|Wall time|Exit code|Original token count|Total output lines"
    r"|Script (?:completed|failed|terminated|error|running)"
    r"|Process (?:exited|running) with)\b[^\n]*\n)+"
    r"(?:(?:Output|Final output):(?:\n|\Z)|\Z|(?=aborted by user))"
)
_EXIT = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d+)\b", re.MULTILINE)
_RUNNING = re.compile(r"^Process running with session ID (\S+)", re.MULTILINE)
_WALL = re.compile(r"^Wall time:? ([\d.]+) seconds", re.MULTILINE)
_SCRIPT = re.compile(r"^Script (failed|terminated|error)", re.MULTILINE)
# A command that was not allowed to start, as Rust prints the reason.
_REFUSED = re.compile(r"\bRejected\(\W*(?P<reason>[^\n]{0,200})|\bSandbox\(Denied\b")
_MAX_REASON_CHARS = 20_000  # the command stands before it
_MAX_JSON_CHARS = 64 * 1024 * 1024
_ITEM_TYPES = frozenset({"text", "image", "resource", "input_text", "input_image"})
_FAILED = frozenset({"failed", "error", "errored", "declined"})
_OK = frozenset({"completed", "success", "ok"})


@dataclass(slots=True, kw_only=True)
class Facts:
    """What Codex recorded of a call beside its answer."""

    exit_code: int | None = None
    duration_ms: int | None = None
    native_status: str | None = None
    flag: bool | None = None  # True: the tool says that it failed
    refusal: str = ""
    text: str = ""
    blobs: tuple[Blob, ...] = ()
    agent_id: str | None = None  # the subagent that the call made


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An output taken apart."""

    text: str
    blobs: tuple[Blob, ...] = ()
    exit_code: int | None = None
    duration_ms: int | None = None
    running: str | None = None  # a process that goes on, by its number
    flag: bool | None = None
    refusal: str = ""


def answer_of(output: JsonValue) -> Answer:
    """An output in any of its shapes: text, framed text, JSON with metadata, content items."""
    told: Mapping[str, JsonValue] = {}
    if isinstance(output, str):
        told = _told(output)
        output = _items_in(told.get("output", output))
    elif isinstance(output, dict) and ("content" in output or "output" in output):
        told = output
        output = output.get("content", output.get("output"))
    text, encoded = take_out_encoded(text_of(output))
    blobs = blobs_of(output) + encoded
    about = told.get("metadata")
    about = about if isinstance(about, dict) else {}
    frame = _FRAME.match(text)
    head = frame.group() if frame else ""
    code, seconds = integer(about.get("exit_code")), number(about.get("duration_seconds"))
    if found := _EXIT.search(head):
        code = int(found[1])
    if wall := _WALL.search(head):
        seconds = number_in(wall[1])
    running = _RUNNING.search(head)
    success = told.get("success")
    flag = not success if isinstance(success, bool) else None
    refusal = ""
    if _SCRIPT.search(head) or (not frame and HARNESS.match(text)):
        flag, refusal = True, _refusal(text)
    body = text[len(head) :]
    if head and not isinstance(output, str):  # the frame is an item of its own
        body = body.removeprefix("\n")
    return Answer(
        text=body,
        blobs=blobs,
        exit_code=code,
        duration_ms=None if seconds is None else round(seconds * 1000),
        running=running[1] if running else None,
        flag=flag,
        refusal=refusal,
    )


def _refusal(text: str) -> str:
    """Who kept a call from running: "user", "permission"; "" when nobody did."""
    found = _REFUSED.search(text[:_MAX_REASON_CHARS])
    if found is None:
        return ""
    return "user" if "by user" in (found["reason"] or "") else "permission"


def _told(text: str) -> Mapping[str, JsonValue]:
    """`{"output": ..., "metadata": ...}` written as text, as versions of 2025 did."""
    if text[:1] != "{" or '"output"' not in text or len(text) > _MAX_JSON_CHARS:
        return {}
    try:
        told = parse_json(text)
    except (ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) and "metadata" in told else {}


def _items_in(output: JsonValue) -> JsonValue:
    """Content items that were written as text, as versions of 2025 did with MCP tools."""
    if not isinstance(output, str) or not output.startswith('[{"') or '"type"' not in output:
        return output
    try:
        items = parse_json(output)
    except (ValueError, RecursionError):
        return output
    are_items = isinstance(items, list) and all(
        isinstance(item, dict) and type_of(item) in _ITEM_TYPES for item in items
    )
    return items if are_items else output


def verdict_of(answer: Answer, call: Call | None, facts: Facts) -> Verdict:
    code = answer.exit_code if answer.exit_code is not None else facts.exit_code
    flag = facts.flag if facts.flag is not None else answer.flag
    return derive_status(
        ToolOutput(
            text=answer.text or facts.text,
            tool_kind=call.kind if call else None,
            command=call.command if call else "",
            # An exit code says more than a flag that was made from it.
            flag=flag if code is None or flag is None else None,
            exit_code=code,
            refusal=facts.refusal or answer.refusal,
        )
    )


def facts_of(told: Mapping[str, JsonValue], *, with_text: bool) -> Facts:
    """What an event at the end of a call tells: of a command, a patch, an MCP or dynamic tool."""
    status = told.get("status")
    status = status if isinstance(status, str) else None
    result, error = told.get("result"), told.get("error")
    if isinstance(result, dict):  # Rust's Result, in versions before items
        error = result.get("Err", error)
        result = result.get("Ok", result)
    code = integer(told.get("exit_code"))
    flag = None if code is not None else _flag(told, status, result, error)
    text, blobs = _text(told, result, error) if with_text else ("", ())
    refused = status == "declined"
    return Facts(
        exit_code=None if refused else code,
        duration_ms=_duration_ms(told.get("duration")),
        native_status=status or ("error" if flag else "ok" if flag is False else None),
        flag=flag,
        refusal="user" if refused else "",
        text=text,
        blobs=blobs,
    )


def _flag(
    told: Mapping[str, JsonValue], status: str | None, result: JsonValue, error: JsonValue
) -> bool | None:
    is_error = result.get("isError", result.get("is_error")) if isinstance(result, dict) else None
    success = told.get("success")
    if error or is_error is True or success is False or status in _FAILED:
        return True
    if is_error is False or success is True or status in _OK:
        return False
    return None


def _text(
    told: Mapping[str, JsonValue], result: JsonValue, error: JsonValue
) -> tuple[str, tuple[Blob, ...]]:
    if isinstance(error, dict):
        error = error.get("message")
    content: JsonValue = error if isinstance(error, str) and error else None
    if content is None and isinstance(result, dict):
        content = result.get("content")
    if content is None:
        content = told.get("content_items", told.get("contentItems"))
    if content is None:
        content = told.get("aggregated_output")
    if content is None:
        parts = (told.get("stdout"), told.get("stderr"))
        content = "\n".join(part for part in parts if isinstance(part, str) and part)
    text, encoded = take_out_encoded(text_of(content))
    return text, blobs_of(content) + encoded


def _duration_ms(value: JsonValue) -> int | None:
    if isinstance(value, dict):
        secs, nanos = number(value.get("secs")), number(value.get("nanos"))
        return None if secs is None else round(secs * 1000 + (nanos or 0) / 1_000_000)
    found = re.fullmatch(r"([\d.]+)(ms|s)", value) if isinstance(value, str) else None
    amount = number_in(found[1]) if found else None
    return (
        None
        if found is None or amount is None
        else round(amount * (1000 if found[2] == "s" else 1))
    )


def integer(value: JsonValue) -> int | None:
    return value if type(value) is int else None


def number(value: JsonValue) -> float | None:
    """A number that can be counted with; not 1e308, nor a bool."""
    return float(value) if type(value) in (int, float) and 0 <= value < 1e12 else None  # noqa: PLR2004


def number_in(text: str) -> float | None:
    try:
        return number(float(text))
    except ValueError:
        return None
