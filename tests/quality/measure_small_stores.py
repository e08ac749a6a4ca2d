"""Measure what stores of one, four and all lessons hand out.

    python -m tests.quality.measure_small_stores [FOLDER] [--wrong]

FOLDER holds lessons.jsonl and queries.jsonl as `measure_retrieval` reads them; the default is
tests/quality/small_store. A young store has no statistics, so every part of the lessons is a
store of its own here: each lesson alone, then four at a time, then all. In each, all queries
are asked; a query whose lesson is elsewhere has no answer there. `--wrong` lists what is handed
out beside the point and what is withheld.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.quality.measure_retrieval import build, read

FOLDER = Path(__file__).with_name("small_store")
SIZES = (1, 4, 20)


@dataclass(frozen=True, slots=True)
class Asked:
    """One query put to one store."""

    query: dict[str, Any]
    right: frozenset[str]  # the store's lessons that answer it
    shown: tuple[str, ...]

    @property
    def kind(self) -> str:
        """What is measured with it: `gold` has an answer here, the others have none."""
        return "gold" if self.right else str(self.query.get("subtype", "elsewhere"))

    @property
    def is_wrong(self) -> bool:
        return not self.right.intersection(self.shown) if self.right else bool(self.shown)


@dataclass(frozen=True, slots=True)
class Figures:
    """Shares, 0..1, of the queries of a kind."""

    found: float  # of those with an answer, shown it
    given: dict[str, float]  # of those without, by kind, shown something
    precision: float  # of all lessons shown, right


def ask(lessons: Sequence[dict[str, Any]], queries: Sequence[dict[str, Any]]) -> Iterator[Asked]:
    index = build(lessons)
    ids = {lesson["id"] for lesson in lessons}
    for query in queries:
        hits = index.search(query["query"]).hits
        shown = tuple(hit.experience_id for hit in hits)
        yield Asked(query, frozenset(ids.intersection(query["gold"])), shown)


def ask_all(
    lessons: Sequence[dict[str, Any]], queries: Sequence[dict[str, Any]], size: int
) -> list[Asked]:
    """Every query put to every store of `size` neighbouring lessons."""
    starts = range(0, len(lessons), size)
    return [one for start in starts for one in ask(lessons[start : start + size], queries)]


def figures(asked: Sequence[Asked]) -> Figures:
    total, wrong = Counter(a.kind for a in asked), Counter(a.kind for a in asked if a.is_wrong)
    shown = sum(len(a.shown) for a in asked)
    right = sum(len(a.right.intersection(a.shown)) for a in asked)
    return Figures(
        found=1 - wrong["gold"] / max(1, total["gold"]),
        given={kind: wrong[kind] / total[kind] for kind in sorted(total) if kind != "gold"},
        precision=right / max(1, shown),
    )


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=FOLDER)
    parser.add_argument("--wrong", action="store_true", help="list the wrong answers")
    options = parser.parse_args(arguments)
    lessons = read(options.folder / "lessons.jsonl")
    queries = read(options.folder / "queries.jsonl")
    for size in SIZES:
        asked = ask_all(lessons, queries, size)
        found = figures(asked)
        given = "  ".join(f"{kind} {share:.3f}" for kind, share in found.given.items())
        print(
            f"{size:3} lessons: found {found.found:.3f}  precision {found.precision:.3f}  {given}"
        )
        for one in asked if options.wrong else ():
            if one.is_wrong:
                print(
                    f"      {one.kind:10} {one.query['query']!r} -> {', '.join(one.shown) or '-'}"
                )


if __name__ == "__main__":
    main()
