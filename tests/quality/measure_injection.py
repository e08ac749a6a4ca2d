"""Compare ways to put before an agent what was found, on a set of lessons and queries.

    python -m tests.quality.measure_injection LESSONS QUERIES

LESSONS and QUERIES are as in measure_retrieval. Each query is one task start (or one error).
`tokens` is the mean length of a block; `irrelevant` the share, in tokens, of what is said of
experiences that do not answer, in blocks of queries that have an answer; `whole` and `named` the
shares of those queries whose answer was given whole, or only its case; `for nothing` the mean
tokens spent on a query without an answer. How an agent gets at what was only named is not
measured.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hindsight_cli.api.injecting import little_by_little, rules_of
from hindsight_cli.api.meaning import embed_index
from hindsight_cli.api.project import Project
from hindsight_cli.api.searching import Found, SearchOptions, search_many
from hindsight_cli.inject.block import Rule, estimate_tokens, render_block
from tests.quality.measure_modes import _stored as stored
from tests.quality.measure_retrieval import read

Arm = Callable[[Project, Sequence[Found]], list[Rule]]
_CAP = 600


@dataclass(frozen=True, slots=True)
class Shown:
    """One block: what it cost, and what of it was to the point."""

    has_answer: bool
    tokens: int
    said: int  # tokens about experiences
    beside: int  # of them, about such that do not answer
    is_whole: bool
    is_named: bool


def three_whole(project: Project, found: Sequence[Found]) -> list[Rule]:
    return rules_of(project, found)


def one_whole(project: Project, found: Sequence[Found]) -> list[Rule]:
    return rules_of(project, found[:1])


def cases_only(project: Project, found: Sequence[Found]) -> list[Rule]:
    close = [one for n, one in enumerate(found) if n < 2 or one.score >= 0.9 * found[0].score]
    return [replace(rule, whole=False) for rule in rules_of(project, close)]


ARMS: dict[str, Arm] = {
    "three whole": three_whole,
    "cases only": cases_only,
    "first whole, cases": little_by_little,
    "first whole": one_whole,
}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lessons", type=Path)
    parser.add_argument("queries", type=Path)
    options = parser.parse_args(arguments)
    lessons, queries = read(options.lessons), read(options.queries)
    with tempfile.TemporaryDirectory() as folder:
        project = stored(Path(folder), lessons)
        embed_index(project, download=False, progress=lambda done, total: None)
        found = _found(project, queries)
        print(f"{'':20}{'tokens':>9}{'irrelev.':>9}{'whole':>9}{'named':>9}{'nothing':>9}")
        for name, arm in ARMS.items():
            shown = [_shown(project, arm, q, f) for q, f in zip(queries, found, strict=True)]
            print(f"{name:20}{_figures(shown)}")


def _found(project: Project, queries: Sequence[dict[str, Any]]) -> list[Sequence[Found]]:
    found: list[Sequence[Found]] = []
    for query in queries:
        is_error = query["type"] == "error"
        options = SearchOptions(error=is_error, can_wait=not is_error)
        found.append(search_many(project, [query["query"]], options)[0].found)
    return found


def _shown(project: Project, arm: Arm, query: dict[str, Any], found: Sequence[Found]) -> Shown:
    rules = arm(project, found) if found else []
    text, ids = render_block(rules, "inj-000000000000", max_tokens=_CAP)
    gold = set(query["gold"])
    lines = {own: line for own in ids for line in text.split("\n") if f"[{own}, " in line}
    whole = {rule.experience_id for rule in rules if rule.whole}
    return Shown(
        has_answer=bool(gold),
        tokens=estimate_tokens(text),
        said=sum(map(estimate_tokens, lines.values())),
        beside=sum(estimate_tokens(line) for own, line in lines.items() if own not in gold),
        is_whole=bool(gold & whole.intersection(ids)),
        is_named=bool(gold.intersection(ids) - whole),
    )


def _figures(shown: Sequence[Shown]) -> str:
    answerable = [one for one in shown if one.has_answer]
    others = [one for one in shown if not one.has_answer]
    said = sum(one.said for one in answerable)
    figures = (
        sum(one.tokens for one in answerable) / len(answerable),
        sum(one.beside for one in answerable) / max(1, said),
        sum(one.is_whole for one in answerable) / len(answerable),
        sum(one.is_named and not one.is_whole for one in answerable) / len(answerable),
        sum(one.tokens for one in others) / max(1, len(others)),
    )
    return "".join(f"{one:9.2f}" for one in figures)


if __name__ == "__main__":
    main()
