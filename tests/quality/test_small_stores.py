"""What a young store may hand out, held by the labelled set in small_store/."""

from __future__ import annotations

import pytest

from tests.quality.measure_retrieval import read
from tests.quality.measure_small_stores import FOLDER, ask_all, figures

LESSONS = read(FOLDER / "lessons.jsonl")
QUERIES = read(FOLDER / "queries.jsonl")


@pytest.mark.parametrize(
    ("lessons", "precision", "same_tool", "off"),
    [(1, 0.5, 0.03, 0.01), (4, 0.5, 0.09, 0.02), (20, 0.65, 0.25, 0.04)],
)
def test_a_store_of_any_size_answers_its_questions_and_few_others(
    lessons: int, precision: float, same_tool: float, off: float
) -> None:
    found = figures(ask_all(LESSONS, QUERIES, lessons))

    assert found.found >= 0.95
    assert found.precision >= precision
    assert found.given["same_tool"] <= same_tool
    assert found.given["off"] <= off


def test_the_set_has_what_it_measures() -> None:
    ids = {lesson["id"] for lesson in LESSONS}
    subtypes = [query.get("subtype") for query in QUERIES]

    assert len(ids) == 20
    assert {gold for query in QUERIES for gold in query["gold"]} == ids
    assert subtypes.count("same_tool") >= 50
    assert subtypes.count("off") >= 30
    assert sum(not query["query"].isascii() for query in QUERIES) >= 40
