"""Words and meaning in one ranking, and when it is no answer."""

from __future__ import annotations

import pytest

from hindsight_cli.retrieve.calibration import percent_beaten, threshold_of, unrelated_texts
from hindsight_cli.retrieve.fusion import Evidence, fuse, ranking
from hindsight_cli.retrieve.result import Hit, Retrieval

NO_WORDS = Retrieval(hits=(), abstained=True, reason="no shared word")
# The best matches of a hundred unrelated texts: .004, .008 ... .40
UNRELATED = tuple(place / 250 for place in range(1, 101))


def a_hit(experience_id: str, score: float) -> Hit:
    return Hit(experience_id=experience_id, score=score, why_matched=("word",))


def evidence(
    meaning: dict[str, float],
    words: dict[str, float] | None = None,
    *,
    is_error: bool = False,
    answers: Retrieval = NO_WORDS,
) -> Evidence:
    hits = {one: a_hit(one, score) for one, score in (words or {}).items()}
    return Evidence(
        words=hits, answers=answers, meaning=meaning, unrelated=UNRELATED, is_error=is_error
    )


def ids(found: Retrieval) -> list[str]:
    return [hit.experience_id for hit in found.hits]


def test_meaning_leads_and_words_add() -> None:
    close = {"far": 0.30, "near": 0.55, "middle": 0.50}

    assert ranking(evidence(close), limit=3) == ("near", "middle", "far")
    assert ranking(evidence(close, {"middle": 0.5}), limit=3)[0] == "middle"
    assert ranking(evidence(close, {"far": 0.5}), limit=3)[0] == "near"


def test_an_error_text_goes_more_by_its_words() -> None:
    close = {"near": 0.60, "same_error": 0.30}
    words = {"same_error": 0.6}

    assert ranking(evidence(close, words), limit=1) == ("near",)
    assert ranking(evidence(close, words, is_error=True), limit=1) == ("same_error",)


@pytest.mark.parametrize(("closeness", "answers"), [(0.30, False), (0.37, True)])
def test_an_answer_beats_nearly_all_unrelated_texts(closeness: float, answers: bool) -> None:
    found = fuse(evidence({"a": closeness}), limit=3)

    assert found.abstained is not answers
    assert bool(found.reason) is not answers


def test_words_that_are_sure_answer_whatever_the_meaning_seems() -> None:
    sure = Retrieval(hits=(a_hit("a", 0.6),), abstained=False, reason="")

    assert ids(fuse(evidence({"a": 0.05}, {"a": 0.6}, answers=sure), limit=3)) == ["a"]


def test_what_is_far_below_the_first_is_not_shown() -> None:
    found = fuse(evidence({"a": 0.7, "b": 0.6, "c": 0.4}), limit=3)

    assert ids(found) == ["a", "b"]


def test_a_known_error_is_shown_as_certain_and_nothing_else_is() -> None:
    found = fuse(evidence({"a": 0.9, "b": 0.9}, {"a": 1.0}), limit=3)

    scores = {hit.experience_id: hit.score for hit in found.hits}
    assert scores["a"] == 1.0
    assert all(score < 1.0 for one, score in scores.items() if one != "a")


def test_a_score_is_told_as_a_share_of_unrelated_texts() -> None:
    hit = fuse(evidence({"a": 0.37}), limit=1).hits[0]

    assert hit.why_matched[0] == "stronger than 92 % of unrelated texts"
    assert percent_beaten(9.0, UNRELATED) == 99  # they are a sample
    assert percent_beaten(0.5, ()) == 0


def test_in_a_store_far_from_everything_being_less_far_is_no_answer() -> None:
    assert threshold_of([0.01] * 48) == 0.3


def test_nothing_to_compare_with_is_no_answer() -> None:
    assert fuse(evidence({}), limit=3).abstained


def test_the_unrelated_texts_are_many_and_different() -> None:
    texts = unrelated_texts()

    assert len(set(texts)) == len(texts) >= 40
