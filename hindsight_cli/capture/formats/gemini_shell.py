"""What the tools of Gemini CLI and Qwen Code write round the output of a command."""

from __future__ import annotations

import re
import signal
from dataclasses import dataclass

_TAIL_CHARS = 4_000
_HEAD_CHARS = 2_000
_OPENING = re.compile(r"^<untrusted_context\b[^>\n]*>\n?", re.MULTILINE)
_CLOSING = re.compile(r"\n?</untrusted_context>\s*\Z")
# The lines below an output, in their order; those that say nothing are left out of the text.
_FRAME_LINE = re.compile(
    r"(Stderr|Error|Exit Code|Signal|Background PIDs|Process Group PGID): ?(.*)", re.DOTALL
)
_LAST_LINES = ("Process Group PGID", "Signal", "Exit Code")
_SAYS_NOTHING = frozenset({"(none)", "(empty)", ""})
_HEADING = re.compile(
    r"\A(?:Command: .{0,20000}?\nDirectory: [^\n]*\n)?(?:Output|Stdout): (?:\(empty\)(?:\n|\Z))?",
    re.DOTALL,
)
# What a person is shown of a command without output.
_SHOWN = re.compile(
    r"Command (?:exited with code: (?P<code>-?\d{1,10})|terminated by signal: (?P<signal>\w+))"
)
_SIGNAL_BASE = 128


@dataclass(frozen=True, slots=True)
class ShellOutput:
    """A command's output without its frame.

    `framed` says whether the frame was there: it tells every exit code but 0, and 0 by silence.
    """

    text: str
    exit_code: int | None  # 128 and more: ended by a signal
    framed: bool


def without_wrapper(text: str) -> str:
    """A tool's output without the element that marks it as not to be trusted."""
    closing = _CLOSING.search(text, max(len(text) - 100, 0))
    opening = _OPENING.search(text[:_HEAD_CHARS]) if closing else None
    if closing is None or opening is None:
        return text
    return text[: opening.start()] + text[opening.end() : closing.start()]


def read_shell_output(text: str) -> ShellOutput:
    """Take the exit code out of the lines that the tool put below an output.

    What a command prints may look like such lines: the last that do are the tool's.
    """
    tail_at = max(len(text) - _TAIL_CHARS, 0)
    lines = text[tail_at:].split("\n")
    matches = [_FRAME_LINE.fullmatch(line) for line in lines]
    last = next((i for i in reversed(range(len(lines))) if _key(matches[i]) in _LAST_LINES), None)
    if last is None:
        shown = _SHOWN.fullmatch(text.strip())
        told = {"Exit Code": shown["code"] or "", "Signal": shown["signal"] or ""} if shown else {}
        return ShellOutput(text, _exit_code(told), framed=False)
    first, found = last, dict[str, str]()
    while first >= 0 and (match := matches[first]) and match[1] not in found:
        found[match[1]] = match[2].strip()
        first -= 1
    kept = [
        lines[i]
        for i in range(first + 1, last + 1)
        if _key(matches[i]) in {"Stderr", "Error", "Background PIDs"}
        and found[_key(matches[i])] not in _SAYS_NOTHING
    ]
    body = text[:tail_at] + "\n".join(lines[: first + 1] + kept + lines[last + 1 :])
    heading = _HEADING.match(body)
    return ShellOutput(body[heading.end() :] if heading else body, _exit_code(found), framed=True)


def _key(match: re.Match[str] | None) -> str:
    return match[1] if match else ""


def _exit_code(found: dict[str, str]) -> int | None:
    code = found.get("Exit Code", "")
    if re.fullmatch(r"-?\d{1,10}", code):
        return int(code)
    name = found.get("Signal", "")
    if name.isdecimal() and 0 < int(name) < _SIGNAL_BASE:
        return _SIGNAL_BASE + int(name)
    known = signal.Signals.__members__.get(name)
    return _SIGNAL_BASE + known if known else None
