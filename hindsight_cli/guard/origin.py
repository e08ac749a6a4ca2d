"""Whose words the advice is made of: the defence that needs no vocabulary.

An experience may rest on what the agent did and the user said. Advice whose words stand
only in what a tool returned (a web page, a README, an MCP reply) is somebody else's: a
human has to confirm it by typing.

Source: docs/explanation/trust.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hindsight_cli.guard.facts import Facts, Haystack, normalized
from hindsight_cli.guard.grounding import is_in
from hindsight_cli.guard.literals import find_literals
from hindsight_cli.guard.stopwords import STOP_WORDS
from hindsight_cli.records.experience import Origin

_WORD = re.compile(r"[a-z0-9_][a-z0-9_./:@-]*[a-z0-9_]|[^\W\d_a-z]{2,}", re.ASCII)
_LETTERS = re.compile(r"[^\W\d_]{3,}")
_CJK = re.compile(r"[\u3400-\u9fff]+")
_FOREIGN_SHARE = 0.4  # of the words that are not our own, found close together in one result
_ADVICE_SHARE = 0.3  # of all content words: a few shared terms are no advice
_MIN_FOREIGN = 3
_MIN_FOREIGN_SHORT = 2  # of advice of few words
_SHORT = 5  # content words
_USER_SHARE = 0.5
_MIN_WORDS = 3
_STEM = 5  # words are compared by their first letters: install, installs, installing


def origin_of(advice: str, facts: Facts) -> Origin:
    """Who said it: the agent by acting, the user, or only a tool's output.

    `advice` is what the experience tells to do. O(words of the advice x outputs).
    """
    words = content_words(advice)
    if is_foreign(words, facts) or _has_foreign_command(advice, facts):
        return Origin.EXTERNAL
    told = [word for word in words if word in facts.user.text]
    acted = [word for word in words if word in facts.own.text]
    if (
        len(words) >= _MIN_WORDS
        and len(told) / len(words) >= _USER_SHARE
        and len(told) >= len(acted)
    ):
        return Origin.USER
    return Origin.AGENT


def is_foreign(words: list[str], facts: Facts) -> bool:
    """Whether most words that are not our own stand close together in one tool result."""
    strange = [word for word in words if not _stands_in(word, facts.own)]
    least = _MIN_FOREIGN if len(words) > _SHORT else _MIN_FOREIGN_SHORT
    if len(strange) < least or len(strange) < _ADVICE_SHARE * len(words):
        return False
    needed = max(least, _FOREIGN_SHARE * len(strange), _ADVICE_SHARE * len(words))
    room = 2 * sum(len(word) + 3 for word in words) + 40
    return any(_densest(strange, output, room) >= needed for output in facts.outputs)


def content_words(text: str) -> list[str]:
    """Stems of the words that carry meaning, each once: Chinese as pairs of characters."""
    folded = normalized(text)
    latin = [
        word[: max(_STEM, len(word) - 3)]
        for word in _LETTERS.findall(_CJK.sub(" ", folded))
        if word not in STOP_WORDS
    ]
    pairs = [run[i : i + 2] for run in _CJK.findall(folded) for i in range(max(1, len(run) - 1))]
    return list(dict.fromkeys([*latin, *pairs]))


def _densest(words: list[str], output: Haystack, room: int) -> int:
    """The most of `words` that one stretch of `room` characters of `output` holds."""
    present = [word for word in words if word in output.text]
    spots = sorted((spot, word) for word in present for spot in _spots(word, output.text))
    best = start = 0
    inside: dict[str, int] = {}
    for spot, word in spots:
        inside[word] = inside.get(word, 0) + 1
        while spot - spots[start][0] > room:
            gone = spots[start][1]
            inside[gone] -= 1
            if not inside[gone]:
                del inside[gone]
            start += 1
        best = max(best, len(inside))
    return best


def _stands_in(word: str, hay: Haystack) -> bool:
    return next(_spots(word, hay.text), None) is not None


def _spots(word: str, text: str) -> Iterator[int]:
    """Where `word` begins a word of `text`; Chinese has no word borders."""
    latin = word[0].isascii()
    start = text.find(word)
    while start >= 0:
        if not latin or start == 0 or not text[start - 1].isalpha():
            yield start
        start = text.find(word, start + 1)


_COMMANDLIKE = re.compile(r"\s-{1,2}\w|://|\b(?:install|add|curl|wget|pull|run|exec)\b|\|")


def _has_foreign_command(advice: str, facts: Facts) -> bool:
    """Whether a command or URL of the advice was read somewhere, and never typed."""
    for literal in find_literals(advice):
        if not _COMMANDLIKE.search(literal.text) or is_in(literal, facts.own):
            continue
        if any(is_in(literal, output) for output in facts.outputs):
            return True
    return False
