"""Texts without terminal colours, which part a name from its value. Pure."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

from hindsight_cli.redact.patterns import compiled
from hindsight_cli.redact.spans import Hit

_COLOUR = r"(?:\x1b|\\{1,3}(?:u001b|x1b|033|e))\[[\d;]{0,12}[mK]"


class Uncoloured:
    """A text without its colours, and where its places were."""

    def __init__(self, text: str) -> None:
        colours = [found.span() for found in compiled(_COLOUR).finditer(text)]
        starts = [0, *(end for _, end in colours)]
        ends = [*(start for start, _ in colours), len(text)]
        self.text = "".join(text[a:b] for a, b in zip(starts, ends, strict=True))
        self._originals = starts
        lengths = [b - a for a, b in zip(starts, ends, strict=True)]
        self._places = [0, *accumulate(lengths[:-1])]

    def restored(self, hit: Hit) -> Hit:
        """The hit in the coloured text; colours within a secret go with it."""
        return hit._replace(start=self._original(hit.start), end=self._original(hit.end - 1) + 1)

    def _original(self, place: int) -> int:
        piece = bisect_right(self._places, place) - 1
        return self._originals[piece] + place - self._places[piece]


def has_colours(text: str) -> bool:
    """Whether the text holds escape sequences for colours, raw or as a string literal has them."""
    if "\x1b" in text and "\x1b[" in text:
        return True
    return "\\" in text and ("1b[" in text or "\\033[" in text)
