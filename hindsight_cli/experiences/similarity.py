"""Near-duplicates, also against experiences whose text was deleted. Pure.

A sketch is 32 minima of hashed word pairs (MinHash): it says how alike two texts are
and holds no text.
"""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Sequence

from hindsight_cli.records.experience import Content

_SIZE = 32
_ALIKE = 0.8
_VALUE = re.compile(r"[\w.@~-]*/[\w./@~+-]+|(?<![a-z_])[\w.-]*\d[\w.:-]*")
_WORD = re.compile(r"[A-Za-z0-9_./-]+|[\u3400-\u9fff]")


def sketch(content: Content, *, bare: bool = False) -> list[int]:
    """32 numbers below 2**32; equal texts give equal sketches.

    `bare` leaves out numbers and paths: a text that differs in nothing else is the same.
    """
    text = f"{content.scenario} {content.recommend} {content.avoid}".lower()
    words = _WORD.findall(_VALUE.sub(" 0 ", text) if bare else text)
    shingles = {" ".join(pair) for pair in itertools.pairwise(words)} or set(words)
    digests = [hashlib.shake_128(s.encode("utf-8", "replace")).digest(4 * _SIZE) for s in shingles]
    return [
        min((int.from_bytes(d[4 * i : 4 * i + 4], "big") for d in digests), default=0)
        for i in range(_SIZE)
    ]


def are_alike(left: Sequence[int], right: Sequence[int]) -> bool:
    """Whether two sketches come from nearly the same words (about 80 % of pairs shared)."""
    if len(left) != _SIZE or len(right) != _SIZE:
        return False
    return sum(a == b for a, b in zip(left, right, strict=True)) >= _ALIKE * _SIZE
