"""How far experience has borne an experience out: a number from 0 to 1. Pure.

Only what followed an injection counts; being shown or read never does (else popular
entries climb for being popular). Source: docs/explanation/learning-from-outcomes.md.
"""

from __future__ import annotations

_FAILURE_FACTOR = 3.0  # a failure says more than a success
_WRONG_FACTOR = 1e6  # a person's "wrong" outweighs any number of machine successes
_HARMFUL_FAILURES = 2  # one may be chance


def weight_of(success: int, failure: int, wrong: int) -> float:
    """Mean of a Beta(1 + success, 1 + 3 failures + wrong): 0.5 when nothing is known.

    Bounded in (0, 1), with steps that grow smaller.
    """
    good = 1.0 + success
    bad = 1.0 + _FAILURE_FACTOR * failure + _WRONG_FACTOR * wrong
    return round(good / (good + bad), 6)


def harm_of(success: int, failure: int, wrong: int) -> str:
    """Why an experience should no longer be put before agents, or ""."""
    if wrong:
        return "a person called it wrong"
    if failure >= _HARMFUL_FAILURES and failure > success:
        return f"followed {success + failure} times, {failure} of them ended in failure"
    return ""
