from __future__ import annotations

import pytest

from hindsight_cli.experiences.contradiction import contradicts
from hindsight_cli.records.experience import Content, ExperienceKind


def about(scenario: str, recommend: str, avoid: str = "") -> Content:
    return Content(
        kind=ExperienceKind.KEY_DECISION, scenario=scenario, recommend=recommend, avoid=avoid
    )


WAITING = about(
    "Starting the MySQL container in CI",
    "Poll mysqladmin ping until it answers.",
    "Sleeping for a fixed thirty seconds.",
)


def test_advice_that_another_warns_of_contradicts_it() -> None:
    other = about(
        "The MySQL container in CI is slow", "Sleep, sleeping for a fixed thirty seconds."
    )
    assert contradicts(WAITING, other)
    assert contradicts(other, WAITING)


def test_chinese_advice_is_compared_too() -> None:
    one = about("启动数据库容器时", "轮询直到数据库就绪", "固定等待三十秒")
    assert contradicts(one, about("数据库容器启动慢", "先固定等待三十秒"))


@pytest.mark.parametrize(
    "other",
    [
        about("Starting the MySQL container in CI", "Poll mysqladmin ping until it answers."),
        about("Heating the kiln", "Sleeping for a fixed thirty seconds."),
        about("Starting the MySQL container in CI", "Mount a named volume for the data."),
    ],
)
def test_what_agrees_or_concerns_something_else_does_not(other: Content) -> None:
    assert not contradicts(WAITING, other)
