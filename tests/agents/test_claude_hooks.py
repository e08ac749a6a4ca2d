"""A real Claude Code with our hooks in its settings, started plainly: the whole loop."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hindsight_cli.api.project import Project
from hindsight_cli.api.traces import list_traces, read_trace
from hindsight_cli.integrations.claude_code import HOOK_EVENTS
from hindsight_cli.records.event import EventType, Status
from tests.agents.conftest import program
from tests.agents.test_claude_code import BREAD, START, TASK, bash
from tests.cli.hooks import hooked, log_of, receipts, wait_until
from tests.scripted_model import ScriptedModel, Turn

pytestmark = pytest.mark.realagents

PASSWORD = "hunter2-Xq9"
ON_ERROR: dict[str, Any] = {
    "scenario": "start.sh: error: no password",
    "recommend": "Set DB_PASSWORD before `sh start.sh`.",
    "avoid": "Starting it again as it is.",
    "tool_tags": ["bash"],
    "task_tags": ["containers"],
}
TURNS = (
    bash("Start it.", "sh start.sh"),
    bash("With the password.", f"DB_PASSWORD={PASSWORD} sh start.sh"),
    {"text": "MySQL runs."},
)


def settings(hindsight: str) -> dict[str, Any]:
    """What an installation writes, in the agent's own form."""
    return {
        "hooks": {
            event: [{"hooks": [_command(f"{hindsight} hook claude-code {event}", seconds)]}]
            for event, seconds in HOOK_EVENTS.items()
        }
    }


def _command(line: str, timeout_s: int) -> dict[str, Any]:
    return {"type": "command", "command": line, "timeout": timeout_s}


@pytest.fixture
def claude(project: Project, model: ScriptedModel, home: Path) -> Callable[..., None]:
    """Run Claude Code on the task without us, its model playing a script."""
    executable = program("claude")
    (project.root / "start.sh").write_text(START, encoding="utf-8")
    hindsight = str(Path(sys.executable).with_name("hindsight"))
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").write_text(json.dumps(settings(hindsight)))
    kept = ("PATH", "LANG", "HINDSIGHT_CLI_DATA_DIR")
    env = {
        **{name: os.environ[name] for name in kept if name in os.environ},
        "HOME": str(home),
        "ANTHROPIC_BASE_URL": model.address,
        "ANTHROPIC_API_KEY": "sk-ant-scripted",
        "CLAUDE_CODE_MAX_RETRIES": "0",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_AUTOUPDATER": "1",
    }
    options = ["--model", "claude-sonnet-4-5", "--allowedTools", "Bash"]

    def run(*turns: Turn, **more: str) -> None:
        model.play(*turns)
        subprocess.run(
            [executable, "-p", TASK, *options],
            cwd=project.root,
            env={**env, **more},
            stdin=subprocess.DEVNULL,
            check=True,
            timeout=180,
        )

    return run


def turns_asked(model: ScriptedModel) -> list[str]:
    """The messages of every request that is a turn of the run."""
    return [json.dumps(body["messages"]) for body in model.bodies if body.get("tools")]


def finished(project: Project) -> bool:
    return "SessionEnd" in log_of(project)


def test_the_experience_stands_in_the_first_request_and_that_for_the_error_after_it(
    project: Project,
    model: ScriptedModel,
    approved: Callable[..., str],
    claude: Callable[..., None],
) -> None:
    for_task, for_error, other = approved(), approved(**ON_ERROR), approved(**BREAD)

    claude(*TURNS)
    wait_until(lambda: finished(project), timeout_s=60)

    first, after_error, last = turns_asked(model)
    assert first.count("<hindsight-experience ") == 1
    assert for_task in first
    assert for_error not in first
    assert for_error in after_error
    assert last.count("<hindsight-experience ") == 2
    assert other not in last
    assert {r.experience_id for r in receipts(project)} == {for_task, for_error}


def test_its_transcript_is_the_trace_without_our_own_words_in_it(
    project: Project, approved: Callable[..., str], claude: Callable[..., None]
) -> None:
    for_task = approved()
    approved(**ON_ERROR)

    claude(*TURNS)
    wait_until(lambda: finished(project), timeout_s=60)

    (row,) = list_traces(project)
    assert (row.agent, row.task) == ("claude-code", TASK)
    trace = read_trace(project, row.trace_id).trace
    assert [(c.tool_name, c.status, c.exit_code) for c in trace.calls] == [
        ("Bash", Status.ERROR, 3),
        ("Bash", Status.OK, None),
    ]
    assert len([e for e in hooked(project, row.session_id) if e.call_id]) == 4
    ours = [e for e in trace.events if for_task in trace.text(e)]
    assert all(e.injected for e in ours)
    steps = {e.event_type for e in trace.events if not e.injected}
    assert {EventType.TASK, EventType.TOOL_CALL, EventType.TOOL_RESULT} <= steps


def test_the_password_is_nowhere_on_disk_but_in_the_agents_own_files(
    project: Project, approved: Callable[..., str], claude: Callable[..., None]
) -> None:
    approved(**ON_ERROR)

    claude(*TURNS)
    wait_until(lambda: finished(project), timeout_s=60)

    folders = (project.folder, Path(os.environ["HINDSIGHT_CLI_DATA_DIR"]))
    files = [p for folder in folders for p in folder.rglob("*") if p.is_file()]
    assert len(files) > 5
    assert [p for p in files if PASSWORD.encode() in p.read_bytes()] == []


def test_an_agent_that_reflects_for_us_is_not_observed(
    project: Project, model: ScriptedModel, claude: Callable[..., None]
) -> None:
    claude(*TURNS, HINDSIGHT_CLI_REFLECTING="1")

    assert "<hindsight-" not in json.dumps(model.bodies)
    assert list_traces(project) == []
