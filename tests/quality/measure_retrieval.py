"""Measure lexical retrieval on a set of lessons and queries.

    python -m tests.quality.measure_retrieval LESSONS QUERIES [--family NAME ...]
        [--results FILE] [--score SCORE.py]

LESSONS and QUERIES are JSON Lines: {id, scenario, recommend, avoid, tool_tags, task_tags, context?,
errors?} and
{id, query, type, gold: [ids], subtype?, family?}. Ids and families are never indexed.
Prints recall of the ranking and of what is shown after abstention; `--score` hands the
results to a scorer that takes --lessons, --queries and --results.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hindsight_cli.fingerprint import error_fingerprint
from hindsight_cli.retrieve.document import Document
from hindsight_cli.retrieve.lexical import LexicalIndex

_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Answer:
    """One query with the ranking before, and the hits after, abstention."""

    query: dict[str, Any]
    ranked: list[str]
    shown: list[str]

    @property
    def gold(self) -> set[str]:
        return set(self.query["gold"])

    def recall(self, found: Sequence[str], at: int) -> float:
        return len(self.gold.intersection(found[:at])) / min(at, len(self.gold))


def main(arguments: Sequence[str] | None = None) -> None:
    options = _options(arguments)
    lessons, queries = read(options.lessons), read(options.queries)
    index = build(lessons)
    answers = [answer(index, query) for query in queries]
    chosen = [
        one for one in answers if not options.family or one.query.get("family") in options.family
    ]
    print(report(chosen))
    with tempfile.TemporaryDirectory() as folder:
        results = options.results or Path(folder) / "results.jsonl"
        if options.results or options.score:
            results.write_text("".join(map(_result_line, answers)), encoding="utf-8")
        if options.score:
            command = [sys.executable, str(options.score), "--lessons", str(options.lessons)]
            command += ["--queries", str(options.queries), "--results", str(results)]
            subprocess.run(command, check=True)


def build(lessons: Iterable[dict[str, Any]]) -> LexicalIndex:
    """An index in memory over the lessons' text and tags."""
    index = LexicalIndex(sqlite3.connect(":memory:"))
    index.rebuild(
        Document(
            experience_id=lesson["id"],
            scenario=lesson["scenario"],
            recommend=lesson["recommend"],
            avoid=lesson.get("avoid", ""),
            tool_tags=tuple(lesson.get("tool_tags", ())),
            task_tags=tuple(lesson.get("task_tags", ())),
            context=lesson.get("context", ""),
            error_fingerprints=_fingerprints(lesson),
        )
        for lesson in lessons
    )
    return index


def _fingerprints(lesson: dict[str, Any]) -> tuple[str, ...]:
    seen = [error_fingerprint("Bash", error) for error in lesson.get("errors", ())]
    return (*lesson.get("error_fingerprints", ()), *filter(None, seen))


def answer(index: LexicalIndex, query: dict[str, Any]) -> Answer:
    text = query["query"]
    ranked = [hit.experience_id for hit in index.candidates(text, limit=10)]
    shown = [hit.experience_id for hit in index.search(text, limit=_SHOWN).hits]
    return Answer(query, ranked, shown)


def report(answers: Sequence[Answer]) -> str:
    """The table: recall@1/@3 by type, then what is injected where no lesson answers."""
    lines = [f"{'type':12}{'n':>5}{'rank@1':>9}{'rank@3':>9}{'shown@3':>9}"]
    by_type: dict[str, list[Answer]] = defaultdict(list)
    without: dict[str, list[Answer]] = defaultdict(list)
    for one in answers:
        kind = one.query["type"]
        subtype = one.query.get("subtype", "")
        if one.gold:
            by_type[f"{kind}/{subtype}" if subtype else kind].append(one)
            by_type["all"].append(one)
        else:
            without[subtype or kind].append(one)
    for kind, group in sorted(by_type.items(), key=lambda item: (item[0] == "all", item[0])):
        figures = (
            _mean(one.recall(one.ranked, 1) for one in group),
            _mean(one.recall(one.ranked, _SHOWN) for one in group),
            _mean(one.recall(one.shown, _SHOWN) for one in group),
        )
        lines.append(f"{kind:12}{len(group):5}" + "".join(f"{figure:9.3f}" for figure in figures))
    for subtype, group in sorted(without.items()):
        injected = _mean(bool(one.shown) for one in group)
        lines.append(f"injected on no-answer queries, {subtype} ({len(group)}): {injected:.3f}")
    found = [one for one in by_type["all"] if one.gold.intersection(one.ranked[:_SHOWN])]
    kept = _mean(bool(one.gold.intersection(one.shown)) for one in found)
    shown = sum(len(one.shown) for one in answers)
    beside = sum(len(set(one.shown) - one.gold) for one in answers)
    lines.append(f"right answers kept: {kept:.3f}   shown a query: {shown / len(answers):.2f}")
    lines.append(f"shown beside the point: {beside / max(1, shown):.3f}")
    return "\n".join(lines)


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed) if listed else 0.0


def _result_line(one: Answer) -> str:
    result = {"id": one.query["id"], "results": one.shown, "abstained": not one.shown}
    return json.dumps(result) + "\n"


def read(path: Path) -> list[dict[str, Any]]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("lessons", type=Path)
    parser.add_argument("queries", type=Path)
    parser.add_argument("--family", action="append", default=[], help="report these only")
    parser.add_argument("--results", type=Path, help="write what is shown, for a scorer")
    parser.add_argument("--score", type=Path, help="scorer to run on the results")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()
