"""Words and meaning together: one ranking, and whether its first is an answer at all.

Weights were set with tests/quality/measure_retrieval.py. Meaning leads, words add: to give
both the same say loses paraphrases, which share no word with what answers them. An error
text is found by its words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hindsight_cli.retrieve.calibration import percent_beaten, threshold_of
from hindsight_cli.retrieve.result import Hit, Retrieval

MODE = "hybrid"
WORDS = 0.4
_WORDS_OF_ERRORS = 0.8
_SURE_WORDS = 0.5  # lexical score that is an answer whatever the meaning seems to be
_STEP_DOWN = 0.15  # a later hit so far below the first is beside the point
_STRENGTH_BESIDE = 0.8  # of what an answer needs
_FLOOR_SHOWN = 0.4  # what a score that is just enough is shown as, as in lexical search


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What is known of one query before its two rankings are joined."""

    words: Mapping[str, Hit]  # lexical ranking without floor, by experience id
    answers: Retrieval  # what lexical search alone would show
    meaning: Mapping[str, float]  # closeness of every experience that may be found
    unrelated: Sequence[float]  # see calibration
    is_error: bool


@dataclass(frozen=True, slots=True)
class _Scored:
    experience_id: str
    order: float  # decides which comes first
    strength: float  # decides whether it is an answer; on one scale for all queries


def fused_score(closeness: float, words: float) -> float:
    """The strength of a match: the measure that unrelated texts are calibrated on."""
    return closeness + WORDS * words


def ranking(evidence: Evidence, *, limit: int) -> tuple[str, ...]:
    """Experience ids, best first, whether or not they are answers."""
    return tuple(one.experience_id for one in _ranked(evidence)[:limit])


def fuse(evidence: Evidence, *, limit: int) -> Retrieval:
    """The few experiences that answer, best first, or none."""
    ranked = _ranked(evidence)
    best = max((one.strength for one in ranked), default=0.0)
    sure = any(hit.score >= _SURE_WORDS for hit in evidence.answers.hits)
    if not ranked or (best < threshold_of(evidence.unrelated) and not sure):
        return Retrieval(hits=(), abstained=True, reason=_why_none(best, evidence), mode=MODE)
    kept = [one for one in ranked if _is_beside(one, ranked[0], evidence)][: max(0, limit)]
    hits = tuple(_hit(one, evidence) for one in kept)
    reason = "" if hits else "No hits asked for."
    return Retrieval(hits=hits, abstained=not hits, reason=reason, mode=MODE)


def _ranked(evidence: Evidence) -> list[_Scored]:
    weight = _WORDS_OF_ERRORS if evidence.is_error else WORDS
    found = []
    for one, closeness in evidence.meaning.items():
        words = evidence.words[one].score if one in evidence.words else 0.0
        found.append(_Scored(one, closeness + weight * words, fused_score(closeness, words)))
    return sorted(found, key=lambda one: (-one.order, one.experience_id))


def _is_beside(one: _Scored, first: _Scored, evidence: Evidence) -> bool:
    """Whether to show it where `first` comes first; that one included."""
    if one is first:
        return True
    strong = one.strength >= _STRENGTH_BESIDE * threshold_of(evidence.unrelated)
    return strong and one.order >= first.order - _STEP_DOWN


def _hit(one: _Scored, evidence: Evidence) -> Hit:
    words = evidence.words.get(one.experience_id)
    beaten = percent_beaten(one.strength, evidence.unrelated)
    odds = threshold_of(evidence.unrelated) * (1 - _FLOOR_SHOWN) / _FLOOR_SHOWN
    strength = max(0.0, one.strength)
    is_known_error = words is not None and words.score >= 1.0
    return Hit(
        experience_id=one.experience_id,
        score=1.0 if is_known_error else round(min(strength / (strength + odds), 0.99), 4),
        why_matched=(
            f"stronger than {beaten} % of unrelated texts",
            *(words.why_matched if words else ()),
        ),
    )


def _why_none(best: float, evidence: Evidence) -> str:
    if not evidence.meaning:
        return "Nothing here may be found for this."
    beaten = percent_beaten(best, evidence.unrelated)
    needed = percent_beaten(threshold_of(evidence.unrelated), evidence.unrelated)
    return (
        f"The closest experience matches no better than {beaten} % of unrelated texts do"
        f" (an answer beats {needed} %)."
    )
