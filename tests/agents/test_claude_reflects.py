"""A real Claude Code as the command that reflects: prompt on its stdin, answer on its stdout."""

from __future__ import annotations

from pathlib import Path

import pytest

from hindsight_cli.api.project import Project
from tests.agents.conftest import program
from tests.answers import an_answer
from tests.conftest import Hindsight
from tests.models import recorded
from tests.scripted_model import ScriptedModel

pytestmark = pytest.mark.realagents


def test_claude_code_reflects_and_its_answer_is_proposed(
    hindsight: Hindsight, project: Project, model: ScriptedModel, home: Path
) -> None:
    trace_id = recorded(project)
    model.aside = None
    model.play({"text": f"Here is what I found:\n```json\n{an_answer()}\n```"})
    env = {
        "HOME": str(home),
        "ANTHROPIC_BASE_URL": model.address,
        "ANTHROPIC_API_KEY": "sk-ant-scripted",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_AUTOUPDATER": "1",
        "HINDSIGHT_CLI_REFLECT_COMMAND": f"{program('claude')} -p --model claude-sonnet-4-5",
    }
    done = hindsight("reflect", trace_id, "--with", "command", "--wait", "--json", **env)

    assert (done.code, done.document["errors"]) == (0, []), done.err
    (proposed,) = done.data["proposed"]
    assert proposed["source"] == {"reflector": "command", "votes": 3, "model": "claude"}
    asked = [b for b in model.bodies if "mysqladmin" in str(b["messages"])]
    assert len(asked) == 3
    assert all("## Example 1" in str(body["messages"]) for body in asked)
