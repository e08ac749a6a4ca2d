"""A real Claude Code: the approved block is in its system prompt, its transcript is the trace."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hindsight_cli.api.project import Project
from hindsight_cli.api.traces import list_traces, read_trace
from hindsight_cli.records.event import Status
from tests.agents.conftest import Ran, RunOnTerminal, program
from tests.scripted_model import ScriptedModel, Turn

pytestmark = pytest.mark.realagents

TASK = "Deploy MySQL in a container for the shop"


def bash(text: str, command: str) -> Turn:
    arguments = {"command": command, "description": text}
    return {"text": text, "tool_calls": [{"name": "Bash", "arguments": arguments}]}


BREAD: dict[str, Any] = {
    "scenario": "Baking bread",
    "recommend": "Use rye flour.",
    "avoid": "Baking it cold.",
    "tool_tags": ["oven"],
    "task_tags": ["baking"],
}
TURNS = (
    bash("Start it.", "sh start.sh"),
    bash("With the password.", "DB_PASSWORD=x sh start.sh"),
    {"text": "MySQL runs."},
)
START = '[ -n "$DB_PASSWORD" ] || { echo "start.sh: error: no password" >&2; exit 3; }\necho up\n'


@pytest.fixture
def claude(
    project: Project, model: ScriptedModel, home: Path, run_on_terminal: RunOnTerminal
) -> Callable[..., Ran]:
    """Run Claude Code on the task, its model playing a script."""
    executable = program("claude")
    (project.root / "start.sh").write_text(START, encoding="utf-8")
    env = {
        "ANTHROPIC_BASE_URL": model.address,
        "ANTHROPIC_API_KEY": "sk-ant-scripted",
        "CLAUDE_CODE_MAX_RETRIES": "0",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_AUTOUPDATER": "1",
    }
    options = ["--model", "claude-sonnet-4-5", "--allowedTools", "Bash"]

    def run(*turns: Turn, options: list[str] = options) -> Ran:
        model.play(*turns)
        return run_on_terminal([executable, "-p", TASK, *options], {**env, "HOME": str(home)})

    return run


def system_prompts(model: ScriptedModel) -> list[str]:
    """The system prompt of every request that is a turn of the run."""
    bodies = [body for body in model.bodies if body.get("tools")]
    return [json.dumps(body["system"], ensure_ascii=False) for body in bodies]


def sessions_asked_for(model: ScriptedModel) -> set[Any]:
    found = {r.headers.get("x-claude-code-session-id") for r in model.requests}
    return found - {None}


def test_the_approved_block_stands_once_in_its_system_prompt(
    model: ScriptedModel, approved: Callable[..., str], claude: Callable[..., Ran]
) -> None:
    first = approved()
    other = approved(**BREAD)

    ran = claude(*TURNS)

    prompts = system_prompts(model)
    assert ran.code == 0
    assert len(prompts) == 3
    for prompt in prompts:
        assert prompt.count("<hindsight-experience ") == 1
        assert first in prompt
        assert "Hand `--env-file .env` to docker run" in prompt
        assert other not in prompt
    assert "--append-system-prompt" in ran.said[0]


def test_nothing_is_in_its_prompt_when_nothing_matches(
    model: ScriptedModel, approved: Callable[..., str], claude: Callable[..., Ran]
) -> None:
    approved(**BREAD)

    claude(*TURNS)

    assert not [body for body in model.bodies if "<hindsight-" in json.dumps(body)]


def test_the_trace_is_its_transcript_found_by_the_id_we_gave(
    project: Project, model: ScriptedModel, claude: Callable[..., Ran], home: Path
) -> None:
    ran = claude(*TURNS)

    (row,) = list_traces(project)
    assert (row.agent, row.task) == ("claude-code", TASK)
    assert sessions_asked_for(model) == {row.session_id}
    assert list((home / ".claude" / "projects").rglob(f"{row.session_id}.jsonl"))
    trace = read_trace(project, row.trace_id).trace
    assert [(c.tool_name, c.status, c.exit_code) for c in trace.calls] == [
        ("Bash", Status.ERROR, 3),
        ("Bash", Status.OK, None),
    ]
    assert f"1 failed call recorded as {row.session_id}, 1 experience proposed" in ran.said[-1]


def test_its_exit_code_is_passed_through(project: Project, claude: Callable[..., Ran]) -> None:
    ran = claude({"status": 400, "message": "no"})

    (row,) = list_traces(project)
    assert (ran.code, row.agent) == (1, "claude-code")
