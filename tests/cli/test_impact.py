from __future__ import annotations

from collections.abc import Callable

import pytest

from hindsight_cli.api.impact import wilson
from tests.conftest import Hindsight


def test_impact_counts_what_was_shown_followed_and_how_it_ended(
    hindsight: Hindsight, approved: Callable[..., str]
) -> None:
    experience_id = approved()
    shown = hindsight("inject", "deploy mysql in a container", "--json").data
    hindsight("feedback", shown["injection_id"], "--outcome", "success")
    data = hindsight("impact", "--json").data
    assert [data[k] for k in ("injections", "followed", "success", "failure")] == [1, 1, 1, 0]
    (one,) = data["by_experience"]
    assert one["experience_id"] == experience_id
    assert (round(one["low"], 2), one["high"]) == (0.21, 1.0)
    assert "Too few followed outcomes" in hindsight("impact").out


@pytest.mark.parametrize(
    ("hits", "total", "expected"), [(0, 0, (0, 1)), (5, 10, (0.24, 0.76)), (0, 10, (0, 0.28))]
)
def test_the_interval_is_wilsons(hits: int, total: int, expected: tuple[float, float]) -> None:
    assert tuple(round(x, 2) for x in wilson(hits, total)) == expected
