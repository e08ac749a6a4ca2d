"""The tool loop of the how-to page, run as it is printed there."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hindsight_cli.api.experiences import list_experiences
from hindsight_cli.api.project import Project
from hindsight_cli.api.traces import list_traces
from tests.cli.hooks import FOR_ERROR, TASK

PAGE = Path(__file__).parents[2] / "docs/how-to/record-your-own-agent.md"
FAILS = (
    "echo 'docker: no matching manifest for linux/arm64/v8 in the manifest list entries.' >&2;"
    " exit 125"
)


class ScriptedClient:
    """What the loop needs of a client: plays its turns, keeps what it was asked."""

    def __init__(self, *turns: str) -> None:
        self._turns = list(turns)
        self.asked: list[str] = []
        self.chat = SimpleNamespace(completions=SimpleNamespace(create=self._create))

    def _create(self, *, messages: list[Any], **_: Any) -> SimpleNamespace:
        self.asked.append(str(messages))
        turn = self._turns.pop(0)
        function = SimpleNamespace(name="bash", arguments=json.dumps({"command": turn}))
        calls = [SimpleNamespace(id=f"c{len(self.asked)}", function=function)]
        is_last = not self._turns
        message = SimpleNamespace(content=turn, tool_calls=None if is_last else calls)
        return SimpleNamespace(choices=[SimpleNamespace(message=message)])


@pytest.fixture
def run_agent(project: Project, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    monkeypatch.chdir(project.root)
    found = re.search(r"```python\n(# loop\.py\n.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    assert found
    names: dict[str, Any] = {"__name__": "loop"}
    exec(compile(found[1], "loop.py", "exec"), names)
    run: Callable[..., str] = names["run_agent"]
    return run


def test_the_loop_is_recorded_told_what_is_known_and_learned_from(
    project: Project, approved: Callable[..., str], run_agent: Callable[..., str]
) -> None:
    for_task, for_error = approved(), approved(**FOR_ERROR)
    client = ScriptedClient(FAILS, "mkdir -p data", "echo up", "MySQL runs.")

    assert run_agent(client, TASK) == "MySQL runs."

    first, second, *_ = client.asked
    assert (for_task in first, for_error in first, for_error in second) == (True, False, True)
    (row,) = list_traces(project)
    assert (row.agent, row.task, row.tool_calls, row.failed_tool_calls) == ("ops-bot", TASK, 3, 1)
    assert len(list_experiences(project)) >= 2


def test_a_loop_that_never_ends_has_failed(project: Project, run_agent: Callable[..., str]) -> None:
    client = ScriptedClient(*["true"] * 5)
    assert run_agent(client, TASK, max_turns=2) == ""
    (row,) = list_traces(project)
    assert (row.outcome, row.tool_calls) == ("failure", 2)
