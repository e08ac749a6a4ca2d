"""Commands that may be recommended: whole lines, as they were run and went through. Pure."""

from __future__ import annotations

import re
import unicodedata

from hindsight_cli.records.event import Status
from hindsight_cli.records.trace import Call
from hindsight_cli.text import plain_utf8

MAX_LINE = 260  # characters: longer ones are scripts, and nobody would read them
_REDACTED = "[REDACTED:"
_BACKGROUND = re.compile(r"(?<![&>|])&\s*$")
_MARKS = re.compile(r"`+")


def whole_line(call: Call) -> str:
    """The command line of an accepted call between backticks, "" when it cannot be shown whole.

    It is the line from its first to its last character, with redirections and all that is
    chained: a part of it may do nothing, or something else.
    """
    line = call.command.strip()
    if call.status is not Status.OK or not is_showable(line):
        return ""
    if "`" not in line:
        return f"`{line}`"
    return "" if "``" in line else f"`` {line} ``"


def is_showable(line: str) -> bool:
    """Whether a line survives being quoted in a sentence, every character of it."""
    one_line = line == " ".join(line.split())
    return (
        bool(line)
        and one_line
        and len(line) <= MAX_LINE
        and line.isprintable()
        and unicodedata.is_normalized("NFC", plain_utf8(line))
        and plain_utf8(line) == line
        and _REDACTED not in line
    )


def is_left_running(line: str) -> bool:
    """Whether the line only started something: that it was accepted proves nothing."""
    return _BACKGROUND.search(line) is not None


def quoted_commands(text: str) -> list[str]:
    """What stands between backticks in `text`, in order."""
    found, at = [], 0
    while (start := _MARKS.search(text, at)) is not None:
        marks = start.group()
        end = re.compile(rf"(?<!`){marks}(?!`)").search(text, start.end())
        if end is None:
            at = start.end()
            continue
        found.append(text[start.end() : end.start()].strip())
        at = end.end()
    return found
