"""Lines by terminal cells, not characters: CJK breaks between characters, words between words."""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len, split_graphemes

_NEVER_FIRST = frozenset("。，、；：？！…）」』】》〉”’!?,.;:)]}%")  # may not begin a line
_NEVER_LAST = frozenset("（「『【《〈“‘([{")  # may not end one

_WIDE = 2  # cells of a CJK character


def wrap(text: str, width: int) -> list[tuple[int, int]]:
    """Where each line of `text` begins and ends, every line at most `width` cells.

    Breaks at line feeds, at spaces (which are left out), beside wide characters, and
    inside a word only when it is wider than a line. An empty text gives one empty line.
    """
    spans: list[tuple[int, int]] = []
    start = 0
    for line in text.split("\n"):
        spans += [(start + a, start + b) for a, b in _wrap_line(line, max(width, 2))]
        start += len(line) + 1
    return spans


def wrap_text(text: str, width: int) -> list[str]:
    return [text[a:b] for a, b in wrap(text, width)]


def _wrap_line(line: str, width: int) -> Iterator[tuple[int, int]]:
    if len(line) <= width and line.isascii():
        yield 0, len(line)
        return
    graphemes, _ = split_graphemes(line)
    begin, used, last_break = 0, 0, 0  # `last_break`: where the next line may begin
    indent = len(line) - len(line.lstrip())
    for place, (start, end, cells) in enumerate(graphemes):
        if start > indent and _may_break(line, graphemes, place):
            last_break = start
        if used + cells > width and not line[start:end].isspace():
            cut = last_break if last_break > begin else start
            yield begin, begin + len(line[begin:cut].rstrip())
            begin = cut
            used = cell_len(line[begin:start])
            if used + cells > width:  # what may not be parted is wider than a line
                yield begin, start
                begin, used = start, 0
        used += cells
    yield begin, begin + len(line[begin:].rstrip())


def _may_break(line: str, graphemes: list[tuple[int, int, int]], place: int) -> bool:
    start, _, cells = graphemes[place]
    before_start, _, before_cells = graphemes[place - 1]
    here, before = line[start], line[before_start]
    if here.isspace():
        return False
    if before.isspace():
        return True
    beside_wide = _WIDE in (cells, before_cells)
    return beside_wide and here not in _NEVER_FIRST and before not in _NEVER_LAST
