"""A real OpenCode: its session is found in its database, and is the same in all it writes."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from hindsight_cli.api.importing import import_paths
from hindsight_cli.api.project import Project
from hindsight_cli.api.traces import list_traces, read_trace
from hindsight_cli.records.event import Status
from tests.agents.conftest import Ran, RunOnTerminal, program
from tests.scripted_model import ScriptedModel, Turn

pytestmark = pytest.mark.realagents

TASK = "Release the shop"
_QUIET = {
    "OPENCODE_DISABLE_AUTOUPDATE": "1",
    "OPENCODE_DISABLE_MODELS_FETCH": "1",
    "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
}


def bash(text: str, command: str) -> Turn:
    arguments = {"command": command, "description": text}
    return {"text": text, "tool_calls": [{"name": "bash", "arguments": arguments}]}


TURNS = (
    bash("Release it.", "make release"),
    bash("Publish it.", "git push"),
    {"text": "It cannot be released."},
)
EXPECTED = [("bash", Status.ERROR, 2), ("bash", Status.DENIED, None)]


@pytest.fixture
def settings(project: Project, model: ScriptedModel) -> None:
    """Settings of OpenCode in the project: the scripted model, and no pushing."""
    (project.root / "Makefile").write_text("release:\n\t@exit 1\n", encoding="utf-8")
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": f"{model.address}/v1", "apiKey": "sk-scripted"},
        "models": {"scripted": {"name": "scripted", "tool_call": True}},
    }
    settings = {
        "provider": {"local": provider},
        "model": "local/scripted",
        "small_model": "local/scripted",
        "permission": {"bash": {"*": "allow", "git push": "deny"}},
    }
    (project.root / "opencode.json").write_text(json.dumps(settings), encoding="utf-8")


@pytest.fixture
def opencode(
    model: ScriptedModel, settings: None, run_on_terminal: RunOnTerminal
) -> Callable[..., Ran]:
    executable = program("opencode")

    def run(*turns: Turn, arguments: Sequence[str] = ("run", TASK)) -> Ran:
        model.play(*turns)
        return run_on_terminal([executable, *arguments], _QUIET)

    return run


def test_the_trace_is_the_session_of_the_run_and_no_earlier_one(
    project: Project, opencode: Callable[..., Ran]
) -> None:
    opencode({"text": "Nothing to do."}, arguments=("run", "Look around"))
    ran = opencode(*TURNS)

    (row, _) = list_traces(project)
    assert (row.agent, row.task, row.end_state) == ("opencode", TASK, "completed")
    trace = read_trace(project, row.trace_id).trace
    assert [(c.tool_name, c.status, c.exit_code) for c in trace.calls] == EXPECTED
    assert f"1 failed call recorded as {row.session_id}" in ran.said[-1]


def test_an_export_and_the_database_hold_what_the_run_gave(
    project: Project, home: Path, tmp_path: Path, opencode: Callable[..., Ran]
) -> None:
    opencode(*TURNS)
    (row,) = list_traces(project)
    exported = subprocess.run(
        [program("opencode"), "export", row.session_id],
        cwd=project.root,
        env={"PATH": os.environ["PATH"], "HOME": str(home), **_QUIET},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
    )
    path = tmp_path / "export.json"
    path.write_bytes(exported.stdout)

    for source in (path, home / ".local" / "share" / "opencode" / "opencode.db"):
        report = import_paths(project, [source])
        assert (report.total("imported"), report.total("failed")) == (0, 0)
        assert report.total("duplicate") >= 7


def test_its_exit_code_is_passed_through(project: Project, opencode: Callable[..., Ran]) -> None:
    ran = opencode({"status": 400, "message": "no"})

    (row,) = list_traces(project)
    assert (ran.code, row.agent, row.end_state) == (1, "opencode", "failed")
