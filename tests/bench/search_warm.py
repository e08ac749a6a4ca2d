"""Measure search by words over an open index: p50, p95 and memory at 1,000 and 10,000 experiences.

    python -m tests.bench.search_warm [--sizes 1000 10000]

The texts are made up from a fixed vocabulary, and a query asks for three words of one. Times are
of `LexicalIndex.search`, without opening the index; the index lies in a file. Memory is the peak
of the process that built and searched it.
"""

from __future__ import annotations

import argparse
import random
import resource
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from hindsight_cli.retrieve.document import Document
from hindsight_cli.retrieve.lexical import LexicalIndex

_QUERIES = 200
_VOCABULARY = 8000


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000, 10_000])
    options = parser.parse_args(arguments)
    print(f"{'experiences':>12}{'p50 ms':>9}{'p95 ms':>9}{'build s':>9}{'found':>7}{'MB':>7}")
    for size in options.sizes:
        print(_measured(size))


def _measured(size: int) -> str:
    chance = random.Random(size)
    documents = [_document(number, chance) for number in range(size)]
    with tempfile.TemporaryDirectory() as folder:
        connection = sqlite3.connect(Path(folder) / "index.db")
        index = LexicalIndex(connection)
        begun = time.perf_counter()
        index.rebuild(documents)
        connection.commit()
        built = time.perf_counter() - begun
        times, found = [], 0
        for document in chance.sample(documents, min(_QUERIES, size)):
            query = " ".join(chance.sample(document.scenario.split(), 3))
            begun = time.perf_counter()
            hits = index.search(query).hits
            times.append(1000 * (time.perf_counter() - begun))
            found += document.experience_id in [hit.experience_id for hit in hits]
        connection.close()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    p95 = statistics.quantiles(times, n=20)[-1]
    figures = f"{statistics.median(times):9.2f}{p95:9.2f}{built:9.2f}{found / len(times):7.2f}"
    return f"{size:12}{figures}{peak:7.0f}"


def _document(number: int, chance: random.Random) -> Document:
    def words(count: int) -> str:
        # few words are frequent and most are rare, as in any text
        return " ".join(f"w{int(_VOCABULARY * chance.random() ** 3)}x" for _ in range(count))

    return Document(
        experience_id=f"ex-{number:012x}",
        scenario=words(20),
        recommend=words(30),
        avoid=words(10),
        tool_tags=(f"tool{number % 40}",),
    )


if __name__ == "__main__":
    main()
