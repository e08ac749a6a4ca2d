"""What became of a call in an ATIF trajectory, which has no field for it.

Converters put the agent's own flag, its exit code and its refusals wherever there is
room: into `extra` of the result or of the call, or into the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from hindsight_cli.capture.draft import DraftEvent
from hindsight_cli.capture.formats.atif_document import refs_of
from hindsight_cli.capture.formats.calls import Call
from hindsight_cli.capture.formats.codex_results import answer_of, integer, number
from hindsight_cli.capture.formats.content import blobs_of, take_out_encoded, text_of
from hindsight_cli.capture.formats.gemini_shell import read_shell_output, without_wrapper
from hindsight_cli.capture.formats.injected_text import without_trailing_reminders
from hindsight_cli.capture.formats.results import judged_result
from hindsight_cli.capture.status import ToolOutput, Verdict, derive_status
from hindsight_cli.records.event import ToolKind
from hindsight_cli.records.jsonvalue import JsonValue

Members = Mapping[str, JsonValue]
_MAX_DEPTH = 4
_MAX_DICTS = 60
_NOT_OURS = frozenset({"file", "originalFile", "structuredPatch", "arguments", "raw_arguments"})
_EXIT_KEYS = ("exit_code", "exitCode", "exit", "returncode", "return_code", "returnCode")
_ERROR_KEYS = ("is_error", "isError", "tool_result_is_error", "tool_use_is_error")
_SUCCESS_KEYS = ("success", "ok")
_STATUS_KEYS = ("status", "state", "outcome")
_DURATIONS = (("duration_ms", 1), ("durationMs", 1), ("duration_seconds", 1000))
_FAILED = frozenset({"failed", "failure", "error", "errored"})
_FINE = frozenset({"completed", "success", "succeeded", "ok"})
_REFUSED = frozenset({"declined", "rejected", "denied"})
_STOPPED = frozenset({"cancelled", "canceled", "aborted", "interrupted", "skipped"})
# What a converter puts below an output of Claude Code.
_REPORTED = re.compile(r"\s*\[error\] tool reported failure\s*\Z")
_EXIT_LINE = re.compile(r"^\[exit_code\] (-?\d{1,10})$", re.MULTILINE)
_INTERRUPTED_LINE = re.compile(r"^\[interrupted\] True$", re.MULTILINE)
_TAIL_CHARS = 4_000


@dataclass(slots=True)
class _Told:
    """What is told of a result beside its text."""

    exit_code: int | None = None
    flag: bool | None = None  # True: it failed
    vouched: bool = False  # a flag for what came of the call, not for its having run
    native_status: str | None = None
    refusal: str = ""
    interrupted: bool = False
    exit_meaning: str = ""
    duration_ms: int | None = None


def result_event(
    result: Members, call: Call | None, call_extra: JsonValue, *, agent: str, time: str | None
) -> DraftEvent:
    """One observed result as the result of `call`, or, without one, as an answer on its own."""
    extra = result.get("extra")
    told = _told_by(extra, call_extra)
    content = _content(result, extra)
    text, encoded = take_out_encoded(text_of(content))
    text = _unframed(without_trailing_reminders(text), told, call, agent)
    verdict = _verdict(text, told, call)
    return judged_result(
        call,
        verdict,
        timestamp=time,
        text=text,
        native_status=told.native_status,
        duration_ms=told.duration_ms,
        blobs=blobs_of(content) + encoded,
        extra=extra_of(result),
    )


def extra_of(result: Members) -> dict[str, JsonValue]:
    """The subagents that a result is of."""
    kept = [
        {k: v for k in ("trajectory_id", "trajectory_path", "session_id") if (v := ref.get(k))}
        for ref in refs_of(result)
    ]
    if not kept:
        return {}
    name = kept[0].get("trajectory_id") or kept[0].get("session_id")
    told: dict[str, JsonValue] = {"subagents": kept}
    return {"agent_id": name, **told} if isinstance(name, str) else told


def _content(result: Members, extra: JsonValue) -> JsonValue:
    """The output as the model saw it, where the converter kept that beside what it made of it."""
    about = extra.get("tool_result_metadata") if isinstance(extra, dict) else None
    raw = about.get("raw_tool_result") if isinstance(about, dict) else None
    content = raw.get("content") if isinstance(raw, dict) else None
    return content if isinstance(content, str | list) and content else result.get("content")


def _verdict(text: str, told: _Told, call: Call | None) -> Verdict:
    # That a shell tool ran is no word on what its command came to.
    runs_only = told.flag is False and not told.vouched
    vouched = not (runs_only and (call is None or call.kind is ToolKind.SHELL))
    return derive_status(
        ToolOutput(
            text=text,
            tool_kind=call.kind if call else None,
            command=call.command if call else "",
            flag=told.flag if vouched else None,
            exit_code=told.exit_code,
            interrupted=told.interrupted,
            exit_meaning=told.exit_meaning,
            refusal=told.refusal,
        )
    )


def _told_by(*extras: JsonValue) -> _Told:
    told = _Told()
    for about in _dicts(extras):
        _note_flags(told, about)
        if told.exit_code is None:
            told.exit_code = _first(about, _EXIT_KEYS, integer)
        told.interrupted = told.interrupted or about.get("interrupted") is True
        meaning = about.get("returnCodeInterpretation")
        if isinstance(meaning, str):
            told.exit_meaning = told.exit_meaning or meaning
        for key, factor in _DURATIONS:
            value = number(about.get(key))
            if told.duration_ms is None and value is not None:
                told.duration_ms = round(value * factor)
        if told.flag is None and isinstance(about.get("raw_tool_result"), dict):
            # A block of Anthropic's API, which has a flag where a tool failed.
            unsaid = "is_error" not in about["raw_tool_result"]
            told.flag, told.vouched = (False, True) if unsaid else (None, False)
    return told


def _dicts(values: JsonValue) -> Iterator[Members]:
    """Objects inside values, outer ones first, as far as flags are ever put."""
    level = [one for one in values if isinstance(one, dict)]
    seen = 0
    for _ in range(_MAX_DEPTH):
        for one in level:
            seen += 1
            if seen > _MAX_DICTS:
                return
            yield one
        level = [
            inner
            for one in level
            for key, inner in one.items()
            if isinstance(inner, dict) and key not in _NOT_OURS
        ]


def _note_flags(told: _Told, about: Members) -> None:
    status = next((s for k in _STATUS_KEYS if isinstance(s := about.get(k), str)), "").lower()
    if status in _REFUSED:
        told.refusal = told.refusal or "user"
    elif status in _STOPPED:
        told.interrupted = True
    if told.flag:
        return
    is_error = _first(about, _ERROR_KEYS, _boolean)
    success = _first(about, _SUCCESS_KEYS, _boolean)
    error = about.get("error")
    failed = bool(is_error or success is False or status in _FAILED)
    if failed or (isinstance(error, str | dict) and error):
        told.flag, told.native_status = True, status or "error"
    elif told.flag is None and is_error is False:
        told.flag, told.vouched, told.native_status = False, True, "ok"
    elif told.flag is None and (success is True or status in _FINE):
        told.flag, told.native_status = False, status or "success"


def _boolean(value: JsonValue) -> bool | None:
    return value if isinstance(value, bool) else None


def _first(about: Members, keys: tuple[str, ...], read: JsonValue) -> JsonValue:
    return next((found for key in keys if (found := read(about.get(key))) is not None), None)


def _unframed(text: str, told: _Told, call: Call | None, agent: str) -> str:
    """The output without what tools and converters put round it; notes what that tells."""
    if _REPORTED.search(text[-_TAIL_CHARS:]):
        text = text[: text.rindex("[error] tool reported failure")].rstrip()
        told.flag, told.native_status = True, told.native_status or "error"
    tail = text[-_TAIL_CHARS:]
    if told.exit_code is None and (line := _EXIT_LINE.search(tail)):
        told.exit_code = int(line[1])
    told.interrupted = told.interrupted or bool(_INTERRUPTED_LINE.search(tail))
    if "codex" in agent:
        answer = answer_of(text)
        told.exit_code = answer.exit_code if told.exit_code is None else told.exit_code
        told.duration_ms = answer.duration_ms if told.duration_ms is None else told.duration_ms
        told.flag = told.flag or answer.flag
        told.refusal = told.refusal or answer.refusal
        return answer.text
    if call is not None and call.kind is ToolKind.SHELL:
        shell = read_shell_output(without_wrapper(text))
        if shell.framed:
            if told.exit_code is None:
                told.exit_code = shell.exit_code or 0
            return shell.text
    return text
