"""Whether one experience recommends what another, about the same thing, warns of. Pure."""

from __future__ import annotations

import re

from hindsight_cli.records.experience import Content

_WORD = re.compile(r"[a-z0-9_][a-z0-9_./-]*[a-z0-9_]|[\u3400-\u9fff]")
_SAME_ADVICE = 0.7  # of the words of the shorter one
_SAME_MATTER = 0.5
_MIN_WORDS = 3


def contradicts(one: Content, other: Content) -> bool:
    """Whether what `one` recommends is what `other` avoids, or the other way round."""
    if _shared(one.scenario, other.scenario) < _SAME_MATTER:
        return False
    return (
        max(_shared(one.recommend, other.avoid), _shared(other.recommend, one.avoid))
        >= _SAME_ADVICE
    )


def _shared(left: str, right: str) -> float:
    """The share of the words of the shorter text that the longer one has; 0 for tiny ones."""
    words = [set(_WORD.findall(text.casefold())) for text in (left, right)]
    least = min(map(len, words))
    if least < _MIN_WORDS:
        return 0.0
    return len(words[0] & words[1]) / least
