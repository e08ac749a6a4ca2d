"""What many tests of the command line need: a lesson reflected from a sample and approved."""

from __future__ import annotations

import pytest

from tests.conftest import MYSQL, SAMPLES, Hindsight


def pending(hindsight: Hindsight) -> list[dict[str, object]]:
    data = hindsight("experiences", "list", "--status", "pending", "--json").data
    return list(data["experiences"])


@pytest.fixture
def port_lesson(hindsight: Hindsight) -> str:
    """The experience about the taken port, reflected by rules and approved."""
    hindsight("import", str(SAMPLES / "mysql-container.jsonl"))
    hindsight("reflect", MYSQL)
    about = [e for e in pending(hindsight) if "3307" in str(e["recommend"])]
    chosen = str(about[0]["experience_id"])
    assert hindsight("experiences", "approve", chosen).code == 0
    return chosen
