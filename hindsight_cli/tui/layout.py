"""Labelled, wrapped and marked lines as Textual content. Recorded text never meets markup."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from rich.cells import cell_len
from textual.content import Content

from hindsight_cli.tui.wrapping import wrap

MARK = "$accent"  # words of the advice that can be looked up in a step
DIM = "$faint"


def marked(text: str, pattern: re.Pattern[str] | None, style: str = "") -> Content:
    """`text`, already made visible, with what `pattern` finds in it marked."""
    content = Content.styled(text, style)
    for found in pattern.finditer(text) if pattern else ():
        content = content.stylize(MARK, *found.span())
    return content


def wrapped(content: Content, width: int) -> list[Content]:
    return [content[a:b] for a, b in wrap(content.plain, width)]


def hanging(first: Content, rest: Content, content: Content, width: int) -> Iterator[Content]:
    """`content` in lines of `width` cells, the first begun by `first`, the others by `rest`."""
    room = width - max(first.cell_length, rest.cell_length)
    for number, line in enumerate(wrapped(content, room)):
        yield (rest if number else first) + line


def spread(left: Content, right: Content, width: int) -> Content:
    """`left` and `right` at the two ends of one line; `left` gives way."""
    room = width - right.cell_length - 1
    if room < 1:
        return left.truncate(width, ellipsis=True)
    return left.truncate(room, ellipsis=True, pad=True) + " " + right


def stacked(lines: Iterable[Content]) -> Content:
    return Content("\n").join(lines)


def tail(text: str, width: int) -> str:
    """The end of a path, at most `width` cells."""
    if cell_len(text) <= width:
        return text
    start = max(len(text) - max(width - 1, 0), 0)
    while cell_len(text[start:]) >= width and start < len(text):
        start += 1
    return "…" + text[start:]
