"""The telling part of a command line: program, subcommand, the flags that matter.

Every part is a contiguous piece of the line, so that a guard finds it in the trace. Pure.
"""

from __future__ import annotations

import re
from functools import lru_cache

from hindsight_cli.reflect import shell
from hindsight_cli.reflect.programs import FILTERS, LOOKERS, SHOWING, WEAK
from hindsight_cli.reflect.shell_syntax import HEREDOC, MAX_CHARS

SHORT = 70  # characters: read at a glance
LONG = 130  # of a command that is to be run again as it stands
_QUOTED = r"'[^']*'|\"(?:\\.|[^\"\\])*\""
_SEPARATOR = re.compile(rf"({_QUOTED}|\\.)|(&&|\|\||\|&|;|\||\n)", re.DOTALL)
_TOKEN = re.compile(rf"(?:{_QUOTED}|\\.|[^\s'\"\\]|['\"])+", re.DOTALL)
_REDIRECT = re.compile(r"(?:\d|&)?>{1,2}(?:&\d|\S+)?")
_FLAG_ENDS = re.compile(r"[\s=]")


@lru_cache(maxsize=1024)
def segments(command: str) -> tuple[str, ...]:
    """The simple commands of a line as they were written, in order."""
    found, start = [], 0
    text = HEREDOC.sub("\n", command[:MAX_CHARS])
    for match in _SEPARATOR.finditer(text):
        if match.group(2):
            found.append(text[start : match.start()])
            start = match.end()
    found.append(text[start:])
    return tuple(part for part in (piece.strip().strip("()").strip() for piece in found) if part)


def main_segment(command: str, wanted: frozenset[str] = frozenset()) -> str:
    """The part of a line it is for: one of `wanted` intents, else a check, else what acts."""
    parts = [part for part in segments(command) if shell.invocations(part)]

    def rank(part: str) -> tuple[bool, bool, bool, bool]:
        asked = shell.intents(part)
        return (
            bool(asked & wanted),
            bool(shell.checks(part)),
            not asked <= WEAK | SHOWING,
            not any(one.program in LOOKERS | FILTERS for one in shell.invocations(part)),
        )

    return max(reversed(parts), key=rank, default=segments(command)[0] if command.strip() else "")


def shortened(segment: str, max_chars: int = SHORT) -> str:
    """The first whole words of a simple command; redirections at its end left out."""
    end, cut = 0, False
    for match in _TOKEN.finditer(segment):
        word = match.group()
        if _REDIRECT.fullmatch(word):
            break
        cut = match.end() > max_chars or (word[-1] in "'\"" and len(word) == 1)
        if cut:
            break
        end = match.end()
    if not end:
        return segment[:max_chars].rpartition(" ")[0] or segment[:max_chars]
    return _without_loose_flag(segment[:end], cut=cut)


def short_command(
    command: str, wanted: frozenset[str] = frozenset(), max_chars: int = SHORT
) -> str:
    return shortened(main_segment(command, wanted), max_chars)


def fresh_part(bad: str, good: str, max_chars: int = LONG) -> str:
    """The accepted command so far that it shows how it differs from the refused one.

    Gives "" when the first difference lies too far behind to be shown with the program.
    """
    known = set(_TOKEN.findall(bad))
    end = 0
    for match in _TOKEN.finditer(good):
        if match.group() not in known:
            end = match.end()
            break
    return shortened(good, max_chars) if end <= max_chars else ""


def dropped_flags(bad: str, good: str, named_in: str) -> list[str]:
    """Options of the refused command that the accepted one is without and an error names."""
    kept = set(_TOKEN.findall(good))
    return [
        word
        for word in _TOKEN.findall(bad)
        if word.startswith("-")
        and word not in kept
        and len(name := _FLAG_ENDS.split(word)[0]) > 1
        and re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", named_in)
    ]


def program_and_verb(command: str, wanted: frozenset[str] = frozenset()) -> str:
    """`git cherry-pick` of a line with arguments of one task; a piece of the line."""
    segment = main_segment(command, wanted)
    for one in shell.invocations(segment):
        if one.intent in segment:
            return one.intent
    return shortened(segment)


def _without_loose_flag(text: str, *, cut: bool) -> str:
    """A flag whose value was cut off says nothing."""
    head, _, last = text.rpartition(" ")
    return head if cut and head and re.fullmatch(r"--?[A-Za-z][\w-]*", last) else text
