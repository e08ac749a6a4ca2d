"""Which pairs and triples of characters a pattern cannot match without.

Most texts hold none of those of most rules, so most patterns need not be run. Read from
Python's own parse of the pattern; where that is not to be had, every pattern is run.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from typing import Any

Grams = frozenset[str]
_MIN, _MAX = 2, 3


def grams_of(text: str) -> Grams:
    """Every pair and triple of characters in `text`."""
    pairs = {text[i : i + _MIN] for i in range(len(text) - 1)}
    return frozenset(pairs.union(text[i : i + _MAX] for i in range(len(text) - 2)))


def needed(pattern: str) -> tuple[Grams, ...]:
    """Sets of which a text must hold one each for `pattern` (case kept) to match in it."""
    try:
        parser: Any = importlib.import_module("re._parser")
    except ImportError:
        return ()
    return tuple(sorted(_of_sequence(parser.parse(pattern)), key=len))


def may_match(sets: Iterable[Grams], grams: Grams) -> bool:
    return not any(grams.isdisjoint(one) for one in sets)


def _of_sequence(items: Any) -> list[Grams]:
    found: list[Grams] = []
    run = ""
    for op, value in [*items, (None, None)]:
        if str(op) == "LITERAL":
            run += chr(value)
            continue
        found += _of_run(run)
        run = ""
        if op is not None:
            found += _of_item(str(op), value)
    return found


def _of_run(run: str) -> list[Grams]:
    if len(run) < _MIN:
        return []
    return [frozenset([run[:_MAX]])] + ([frozenset([run[-_MAX:]])] if len(run) > _MAX else [])


def _of_item(op: str, value: Any) -> list[Grams]:
    if op == "SUBPATTERN":
        return _of_sequence(value[-1])
    if op in ("MAX_REPEAT", "MIN_REPEAT"):
        return _of_sequence(value[2]) if value[0] else []
    if op == "BRANCH":
        choices = [_of_sequence(choice) for choice in value[1]]
        if all(choices):
            return [frozenset[str]().union(*(min(sets, key=_weight) for sets in choices))]
    return []


def _weight(grams: Grams) -> tuple[bool, int]:
    """Triples before pairs, few before many."""
    return min(len(gram) for gram in grams) < _MAX and all(g.isascii() for g in grams), len(grams)
