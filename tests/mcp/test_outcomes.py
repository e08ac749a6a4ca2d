"""`report_outcome`: an agent's word for how its task ended moves the weight of its rule."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hindsight_cli.api.experiences import find_experience
from hindsight_cli.api.project import Project
from hindsight_cli.mcp_server.server import ExperienceTools
from hindsight_cli.records.experience import ExperienceState
from tests.mcp.conftest import Shop, make_shop
from tests.mcp.raw import RawServer, given, receipt_in, text_of

TASK = "deploy mysql in a container"


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return make_shop(tmp_path)


def state(shop: Shop) -> ExperienceState:
    return find_experience(Project(shop.project.root, env=shop.env), shop.mysql)


def say(shop: Shop, session: str, tool: str, arguments: dict[str, Any]) -> tuple[bool, str]:
    """Whether it is an error, and the text."""
    tools = ExperienceTools(
        lambda: Project.find(shop.project.root, env=shop.env), session=session, debug=False
    )
    result = tools.call(tool, arguments)
    result.model_dump_json()  # it can be sent
    return bool(result.is_error), result.content[0].text  # type: ignore[union-attr]


def report(shop: Shop, session: str, outcome: str) -> str:
    """Ask as a session of its own, then report."""
    _, asked = say(shop, session, "get_experience_rules", {"task_description": TASK})
    arguments = {"injection_id": receipt_in(asked), "outcome": outcome}
    error, text = say(shop, session, "report_outcome", arguments)
    assert not error
    return text


def test_a_reported_success_raises_the_weight_once(shop: Shop) -> None:
    with RawServer(shop.project.root, **shop.env) as server:
        own = receipt_in(server.rules(TASK))
        told = server.call("report_outcome", injection_id=own, outcome="success")
        again = server.call("report_outcome", injection_id=own, outcome="success")
    assert text_of(told) == f"Noted success: {shop.mysql} (approved, weight 0.67)."
    assert text_of(again) == "Noted success."
    assert state(shop).weight == pytest.approx(2 / 3, abs=1e-5)


def test_a_rule_that_keeps_failing_is_given_no_more(shop: Shop) -> None:
    assert f"{shop.mysql} (approved, weight 0.20)" in report(shop, "one", "failure")
    assert f"{shop.mysql} (suspended, " in report(shop, "two", "failure")
    with RawServer(shop.project.root, **shop.env) as server:
        assert given(server.rules(TASK)) == []


def test_half_a_success_moves_no_weight(shop: Shop) -> None:
    assert f"the weight of {shop.mysql} stays" in report(shop, "one", "partial")
    assert state(shop).weight == 0.5


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        ({}, "usage", "injection_id is missing"),
        ({"injection_id": 7, "outcome": "success"}, "usage", "injection_id is not a text"),
        ({"injection_id": "inj-000000000000"}, "usage", "success, failure, partial"),
        ({"injection_id": "inj-000000000000", "outcome": "great"}, "usage", "'great' is unknown"),
        (
            {"injection_id": "inj-0\x1b[2J\ud83d", "outcome": "success"},
            "injection_not_found",
            "No injection",
        ),
        (
            {"injection_id": "x" * 1_000_000, "outcome": "success"},
            "injection_not_found",
            "No injection",
        ),
    ],
    ids=["nothing", "number", "no outcome", "other outcome", "unknown and odd", "huge"],
)
def test_a_report_that_cannot_be_taken_says_why(
    shop: Shop, arguments: dict[str, Any], code: str, says: str
) -> None:
    error, text = say(shop, "one", "report_outcome", arguments)
    assert (error, text.startswith(f"error[{code}]: ")) == (True, True)
    assert says in text
    assert len(text) < 500


def test_without_a_project_a_report_is_answered_and_goes_nowhere(tmp_path: Path) -> None:
    tools = ExperienceTools(lambda: Project.find(tmp_path, env={}), session="s", debug=False)
    result = tools.call("report_outcome", {"injection_id": "inj-1", "outcome": "success"})
    assert not result.is_error
    assert list(tmp_path.iterdir()) == []
