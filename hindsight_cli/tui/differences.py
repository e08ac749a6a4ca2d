"""Two texts, or a patch, as removed, added and unchanged lines. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from hindsight_cli.tui.window import Gap, Line, Mark, Row, safe_line

IS_PATCH = re.compile(
    r"^(?:@@ |@@$|\*\*\* (?:Begin|Update|Add|Delete) |diff --git |(?:---|\+\+\+) \S"
    r"|[-<]{5,} ?SEARCH)",
    re.MULTILINE,
)
_BLOCK = re.compile(
    r"^[-<]{5,} ?SEARCH>?[^\n]*\n(.*?)^={5,}[^\n]*\n(.*?)^[+>]{5,} ?REPLACE",
    re.DOTALL | re.MULTILINE,
)
_PATCH_PATH = re.compile(r"^(?:\*\*\* (?:Update|Add|Delete) File: |\+\+\+ (?:b/)?)(?=\S)")
_PATCH_NOISE = re.compile(r"^(?:\*\*\* |diff --git |index |Index: |=====|--- )")

_MAX_COMPARED = 250_000  # pairs of lines
_AROUND = 2  # unchanged lines shown on each side of a change


def of_pair(old: str, new: str) -> Iterator[Row]:
    """What turns `old` into `new`, with a little of what stays around it."""
    before, after = safe_lines(old), safe_lines(new)
    head = common(before, after)
    tail = common(before[head:][::-1], after[head:][::-1])
    yield from _context(before[:head], first=True)
    middle = before[head : len(before) - tail], after[head : len(after) - tail]
    if len(middle[0]) * len(middle[1]) > _MAX_COMPARED:
        yield from _replaced(*middle)
    else:
        yield from _compared(*middle)
    yield from _context(before[len(before) - tail :], last=True)


def _compared(before: Sequence[str], after: Sequence[str]) -> Iterator[Row]:
    for tag, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            yield from _context(before[a:b])
        else:
            yield from _replaced(before[a:b], after[c:d])


def _replaced(before: Sequence[str], after: Sequence[str]) -> Iterator[Row]:
    """Lines taken away, then lines put there; each pair is looked at where it begins to differ."""
    starts = [common(old, new) for old, new in zip(before, after, strict=False)]
    yield from signed(Mark.REMOVED, before, starts)
    yield from signed(Mark.ADDED, after, starts)


def signed(mark: Mark, lines: Sequence[str], starts: Sequence[int] = ()) -> Iterator[Row]:
    for number, line in enumerate(lines):
        yield Line(line, mark, starts[number] if number < len(starts) else 0)


def _context(lines: Sequence[str], *, first: bool = False, last: bool = False) -> Iterator[Row]:
    """Unchanged lines next to a change."""
    above = 0 if first else _AROUND
    below = 0 if last else _AROUND
    left_out = len(lines) - above - below
    if left_out < 2:  # noqa: PLR2004  # a gap takes a row too
        yield from (Line(line, Mark.CONTEXT) for line in lines)
        return
    yield from (Line(line, Mark.CONTEXT) for line in lines[:above])
    yield Gap(left_out)
    yield from (Line(line, Mark.CONTEXT) for line in lines[len(lines) - below :])


def of_patch(text: str) -> Iterator[Row]:
    """A unified diff, the format of apply_patch, or blocks of SEARCH and REPLACE."""
    blocks = _BLOCK.findall(text)
    for old, new in blocks:
        yield from of_pair(old, new)
    for line in () if blocks else safe_lines(text):
        if path := _PATCH_PATH.match(line):
            yield Line(line[path.end() :], Mark.PATH)
        elif _PATCH_NOISE.match(line):
            continue
        elif line.startswith(("+", "-")):
            yield Line(line[1:], Mark.ADDED if line[0] == "+" else Mark.REMOVED)
        else:
            yield Line(line[line.startswith(" ") :], Mark.CONTEXT)


def safe_lines(text: str) -> list[str]:
    text = text.replace("\r\n", "\n").removesuffix("\n")
    return [safe_line(line, ()) for line in text.split("\n")] if text else []


def common(before: Sequence[str], after: Sequence[str]) -> int:
    """How many lines, or characters, the two begin with in common."""
    pairs = zip(before, after, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(before), len(after)))
