"""How close is close enough: told by texts that surely have no answer in a store.

A cosine means something else with every model and in every store: of unrelated texts the
best match in ninety short experiences about containers may be .15 or .35. So a fixed list
of unrelated texts is asked of each store, and an answer has to beat nine in ten of them.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections.abc import Sequence
from importlib.resources import files

# Set with tests/quality/measure_retrieval.py: a higher share refuses paraphrases sooner than
# it refuses questions about the same tool, which no threshold can tell from answers.
_BEATEN = 0.88
_LEAST = 0.3  # a store of a few experiences is far from everything; that alone is no answer
_FEW = 20  # fewer unrelated texts than this tell nothing
_USUAL = 0.35


def unrelated_texts() -> list[str]:
    """Tasks of other trades and other stacks, one a line of a file of this package."""
    return _lines("unrelated.txt")


def texts_digest() -> str:
    """Changes with the texts that calibration rests on."""
    texts = "\n".join((*_lines("unrelated.txt"), *_lines("chinese_pairs.tsv")))
    return hashlib.sha256(texts.encode()).hexdigest()[:16]


def chinese_pairs() -> list[tuple[str, str]]:
    """The same sentence in English and in Chinese, to see whether a model knows."""
    pairs = (line.split("\t") for line in _lines("chinese_pairs.tsv"))
    return [(english, chinese) for english, chinese in pairs]


def threshold_of(unrelated: Sequence[float]) -> float:
    """The score an answer needs, from the best scores of unrelated texts, ascending."""
    if len(unrelated) < _FEW:
        return _USUAL
    return max(_LEAST, unrelated[min(len(unrelated) - 1, int(_BEATEN * len(unrelated)))])


def percent_beaten(score: float, unrelated: Sequence[float]) -> int:
    """How many in a hundred unrelated texts match less well; at most 99, being a sample."""
    if not unrelated:
        return 0
    return min(99, 100 * bisect_left(unrelated, score) // len(unrelated))


def _lines(name: str) -> list[str]:
    text = (files(__package__) / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line]
