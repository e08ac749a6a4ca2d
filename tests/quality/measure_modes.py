"""Compare the modes of `hindsight search` on a set of lessons and queries, through the real store.

    python -m tests.quality.measure_modes LESSONS QUERIES [--results FOLDER]

LESSONS and QUERIES are as in measure_retrieval. Beside the modes stand BM25 (SQLite's own, porter
stemming) and plain reciprocal rank fusion (1:1, k = 60) of it with the vectors. `rank@3` is recall
of the ranking, whether or not it was an answer; `kept` the share of right answers that are shown;
`off` and `hard` the shares of queries without answer, about something else and about the same
tool, that are shown something; `beside` the share of what is shown that is no answer.
"""

from __future__ import annotations

import argparse
import json
import re
import sqlite3
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hindsight_cli.api.index import fresh_connection
from hindsight_cli.api.meaning import embed_index, open_meaning
from hindsight_cli.api.project import Project
from hindsight_cli.api.proposing import add_experiences
from hindsight_cli.api.searching import SearchOptions, search_many
from tests.quality.measure_retrieval import read

_MODES = ("lexical", "vector", "hybrid")
_SHOWN = 3
_TYPES = ("task", "paraphrase", "identifier", "error", "zh")


@dataclass(frozen=True, slots=True)
class Answer:
    ranked: tuple[str, ...]
    abstained: bool
    shown: tuple[str, ...]


def main(arguments: Sequence[str] | None = None) -> None:
    options = _options(arguments)
    lessons, queries = read(options.lessons), read(options.queries)
    with tempfile.TemporaryDirectory() as folder:
        project = _stored(Path(folder), lessons)
        embed_index(project, download=False, progress=lambda done, total: None)
        texts = [query["query"] for query in queries]
        arms = {mode: _by_mode(project, texts, mode) for mode in _MODES}
        bm25 = _bm25(lessons, texts)
        arms["BM25"] = bm25
        arms["RRF 1:1"] = _fused(bm25, _by_vectors(project, texts))
    print(_table(arms, queries))
    if options.results:
        options.results.mkdir(parents=True, exist_ok=True)
        for name, answers in arms.items():
            _write(options.results / f"{name.replace(' ', '-')}.jsonl", answers, queries)


def _stored(folder: Path, lessons: Sequence[dict[str, Any]]) -> Project:
    project = Project(folder / "store", env={"HINDSIGHT_CLI_DATA_DIR": str(folder / "user")})
    project.root.mkdir()
    project.init()
    kept = ("id", "kind", "scenario", "recommend", "avoid", "tool_tags", "task_tags")
    given = [{"kind": "failure_lesson"} | {k: o[k] for k in kept if k in o} for o in lessons]
    add_experiences(project, given, approve=True)
    return project


def _by_mode(project: Project, queries: Sequence[str], mode: str) -> list[Answer]:
    found = search_many(project, queries, SearchOptions(mode=mode, ranks_all=True))
    answers = []
    for one in found:
        shown = tuple(hit.state.experience.experience_id for hit in one.found)
        answers.append(Answer(one.ranked if one.abstained else shown, one.abstained, shown))
    return answers


def _by_vectors(project: Project, queries: Sequence[str]) -> list[list[str]]:
    connection = fresh_connection(project)
    meaning = open_meaning(project, connection)
    rankings = []
    for query in queries:
        close = meaning.vectors.closest(meaning.of(query))
        rankings.append(sorted(close, key=lambda one: -close[one]))
    connection.close()
    return rankings


def _bm25(lessons: Sequence[dict[str, Any]], queries: Sequence[str]) -> list[Answer]:
    db = sqlite3.connect(":memory:")
    db.execute("create virtual table t using fts5(id unindexed, body, tokenize='porter unicode61')")
    fields = ("scenario", "recommend", "avoid")
    for one in lessons:
        tags = " ".join((*one.get("tool_tags", ()), *one.get("task_tags", ())))
        body = " ".join((*(one.get(f, "") for f in fields), tags))
        db.execute("insert into t values (?, ?)", (one["id"], _spaced(body)))
    answers = []
    for query in queries:
        words = re.findall(r"\w+", _spaced(query))
        wanted = " OR ".join(f'"{word}"' for word in words) or '""'
        rows = db.execute("select id from t where t match ? order by rank limit 50", (wanted,))
        ranked = tuple(identity for (identity,) in rows)
        answers.append(Answer(ranked, not ranked, ranked[:_SHOWN]))
    return answers


def _spaced(text: str) -> str:
    """Every Chinese character a word of its own."""
    return re.sub(r"([\u4e00-\u9fff])", r" \1 ", text)


def _fused(words: Sequence[Answer], meaning: Sequence[list[str]]) -> list[Answer]:
    answers = []
    for one, close in zip(words, meaning, strict=True):
        scores: dict[str, float] = {}
        for ranking in (one.ranked, close):
            for place, identity in enumerate(ranking, 1):
                scores[identity] = scores.get(identity, 0.0) + 1 / (60 + place)
        ranked = tuple(sorted(scores, key=lambda identity: -scores[identity]))
        answers.append(Answer(ranked, abstained=False, shown=ranked[:_SHOWN]))
    return answers


def _table(arms: dict[str, list[Answer]], queries: Sequence[dict[str, Any]]) -> str:
    heads = (*(f"{t[:6]}@3" for t in _TYPES), "all@3", "all@1", "kept", "off", "hard", "beside")
    lines = [f"{'mode':10}" + "".join(f"{head:>10}" for head in heads)]
    for name, answers in arms.items():
        pairs = list(zip(queries, answers, strict=True))
        with_gold = [(q, a) for q, a in pairs if q["gold"]]
        by_type = [_recall([(q, a) for q, a in with_gold if q["type"] == t], 3) for t in _TYPES]
        right = [(q, a) for q, a in with_gold if set(q["gold"]) & set(a.ranked[:_SHOWN])]
        shown = sum(len(a.shown) for _, a in pairs)
        figures = [
            *by_type,
            _recall(with_gold, 3),
            _recall(with_gold, 1),
            _mean([bool(set(q["gold"]) & set(a.shown)) for q, a in right]),
            *(
                _mean(
                    [bool(a.shown) for q, a in pairs if q.get("subtype") == kind and not q["gold"]]
                )
                for kind in ("off", "hard")
            ),
            sum(len(set(a.shown) - set(q["gold"])) for q, a in pairs) / max(1, shown),
        ]
        lines.append(f"{name:10}" + "".join(f"{figure:10.3f}" for figure in figures))
    return "\n".join(lines)


def _recall(pairs: Sequence[tuple[dict[str, Any], Answer]], at: int) -> float:
    return _mean(
        [len(set(q["gold"]) & set(a.ranked[:at])) / min(at, len(q["gold"])) for q, a in pairs]
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _write(path: Path, answers: Sequence[Answer], queries: Sequence[dict[str, Any]]) -> None:
    lines = [
        json.dumps({"id": q["id"], "results": list(a.ranked), "abstained": a.abstained})
        for q, a in zip(queries, answers, strict=True)
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("lessons", type=Path)
    parser.add_argument("queries", type=Path)
    parser.add_argument("--results", type=Path, help="folder for what each arm answered")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()
