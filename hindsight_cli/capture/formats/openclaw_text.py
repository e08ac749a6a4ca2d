"""What OpenClaw puts round the words of a person, who may write from a chat program."""

from __future__ import annotations

import re
from collections.abc import Iterator

# A block of context has a header that says so, and is JSON or goes on to a blank line.
_CONTEXT = re.compile(
    r"^(?:[^\n]{1,200} ⟦openclaw:ctx⟧|[^\n]{1,120} \(untrusted[^)\n]*\):)[ \t]*\n"
    r"(?:```json\n.*?(?:^```[ \t]*$|\Z)|.*?(?:\n[ \t]*(?=\n)|\Z))\n*",
    re.DOTALL | re.MULTILINE,
)
# What stands behind this header is context to the end.
_TO_THE_END = re.compile(
    r"^(?:Context: ⟦openclaw:ctx⟧|Untrusted context \([^)\n]*\):)[ \t]*$.*\Z",
    re.DOTALL | re.MULTILINE,
)
# Whence and when a message came: `[Telegram Ada id:7 2026-02-26 14:29 UTC] `.
_ENVELOPE = re.compile(
    r"\A\[(?=[A-Z][A-Za-z]+ )[^\]\n]{0,200}\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}[^\]\n]{0,40}\] *"
)
_NEWS = re.compile(r"\A(?:System(?: \([^)\n]*\))?: \[[^\n]*(?:\n|\Z))+\s*")
_MESSAGE_ID = re.compile(r"\s*^\[message_id: [^\]\n]*\][ \t]*\Z", re.MULTILINE)
_SUBAGENT = re.compile(r"\A.*?\[Subagent Context\].*?^\[Subagent Task\]:?\s*", re.DOTALL | re.M)
_CONTEXT_SIGNS = ("untrusted", "Untrusted", "⟦openclaw:ctx⟧")
_EDGE_CHARS = 400
_WHOLE = re.compile(
    r"\s*(?:A new session was started via /new or /reset\b"
    r"|(?:Read HEARTBEAT\.md|Follow the heartbeat monitor)\b"
    r"|Pre-compaction memory flush\b"
    r"|An? (?:approved )?async command\b"
    r"|\[Inter-session message\])"
)


def split_context(text: str) -> Iterator[tuple[str, bool]]:
    """The parts of a user message in order, each with whether OpenClaw wrote it."""
    if _WHOLE.match(text):
        yield text.strip(), True
        return
    for leading in (_NEWS, _ENVELOPE, _SUBAGENT):
        if leading is _SUBAGENT and "[Subagent Task]" not in text:
            continue
        if found := leading.match(text):
            yield found.group().strip(), True
            text = text[found.end() :]
    if any(sign in text for sign in _CONTEXT_SIGNS):
        yield from _between_contexts(text)
    else:
        yield from _said(text)


def _between_contexts(text: str) -> Iterator[tuple[str, bool]]:
    end = _TO_THE_END.search(text)
    body, at = (text[: end.start()] if end else text), 0
    for found in _CONTEXT.finditer(body):
        yield from _said(body[at : found.start()])
        yield found.group().strip(), True
        at = found.end()
    yield from _said(body[at:])
    if end:
        yield end.group().strip(), True


def _said(text: str) -> Iterator[tuple[str, bool]]:
    """What a person said, apart from the stamps at its edges."""
    if found := _ENVELOPE.match(text):
        yield found.group().strip(), True
        text = text[found.end() :]
    tail = _MESSAGE_ID.search(text, max(len(text) - _EDGE_CHARS, 0))
    if said := (text[: tail.start()] if tail else text).strip():
        yield said, False
    if tail:
        yield tail.group().strip(), True
