"""The loop with a real mini-swe-agent: it fails, recovers, and the next run is told."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hindsight_cli.api.project import Project
from hindsight_cli.api.traces import list_traces, read_trace
from hindsight_cli.records.event import Status
from hindsight_cli.traces.index import TraceRow
from tests.agents.conftest import Ran, RunOnTerminal, program
from tests.conftest import Hindsight
from tests.scripted_model import ScriptedModel, Turn

pytestmark = pytest.mark.realagents

TASK = "Make the shop's check.sh pass"
CHECK = """
[ -n "$SHOP_NAME" ] || { echo "check.sh: error: SHOP_NAME is not set" >&2; exit 3; }
echo "all checks passed for $SHOP_NAME"
"""
SUBMIT = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
GUIDE = Path(__file__).parent.parent.parent / "docs" / "how-to" / "run-your-agent.md"


def wrapper_in_guide() -> str:
    """The script that the guide shows, starting the program under test."""
    _, _, rest = GUIDE.read_text(encoding="utf-8").partition("```sh\n")
    script, _, _ = rest.partition("```")
    installed = '"$HOME/.local/bin/mini"'
    assert installed in script
    return script.replace(installed, shlex.quote(program("mini")))


def bash(text: str, command: str) -> Turn:
    return {"text": text, "tool_calls": [{"name": "bash", "arguments": {"command": command}}]}


def learning() -> list[Turn]:
    return [
        bash("Run the check.", "sh check.sh"),
        bash("It wants a name.", "SHOP_NAME=corner sh check.sh"),
        bash("Done.", SUBMIT),
    ]


@pytest.fixture
def mini(
    project: Project, model: ScriptedModel, home: Path, run_on_terminal: RunOnTerminal
) -> Callable[..., Ran]:
    """Run mini-swe-agent on the task, its model playing a script."""
    executable = program("mini")
    (project.root / "check.sh").write_text(CHECK, encoding="utf-8")
    env = {
        "MSWEA_CONFIGURED": "true",
        "MSWEA_COST_TRACKING": "ignore_errors",
        "MSWEA_SILENT_STARTUP": "1",
        "MSWEA_GLOBAL_CONFIG_DIR": str(home / "mini"),
        "MSWEA_MODEL_RETRY_STOP_AFTER_ATTEMPT": "1",
        "OPENAI_API_KEY": "sk-scripted",
        "OPENAI_API_BASE": f"{model.address}/v1",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    }

    def run(*turns: Turn, executable: str = executable, output: str = "run.traj.json") -> Ran:
        model.play(*turns)
        options = ["-y", "--exit-immediately", "-m", "openai/scripted-model", "-o", output]
        return run_on_terminal([executable, "-t", TASK, *options], env)

    return run


def only_trace(project: Project) -> TraceRow:
    (row,) = list_traces(project)
    return row


def pending(hindsight: Hindsight) -> list[dict[str, Any]]:
    return list(
        hindsight("experiences", "list", "--status", "pending", "--json").data["experiences"]
    )


def test_its_own_trajectory_is_the_trace(project: Project, mini: Callable[..., Ran]) -> None:
    ran = mini(*learning())

    row = only_trace(project)
    assert ran.code == 0
    assert (row.agent, row.task, row.end_state) == ("mini-swe-agent", TASK, "completed")
    trace = read_trace(project, row.trace_id).trace
    assert [(c.tool_name, c.status, c.exit_code) for c in trace.calls] == [
        ("bash", Status.ERROR, 3),
        ("bash", Status.OK, 0),
        ("bash", Status.OK, 0),
    ]
    assert trace.calls[0].output.strip() == "check.sh: error: SHOP_NAME is not set"
    assert f"1 failed call recorded as {row.session_id}" in ran.said[-1]


def test_the_recovery_is_cited_and_an_experience_waits(
    project: Project, hindsight: Hindsight, mini: Callable[..., Ran]
) -> None:
    mini(*learning())

    row = only_trace(project)
    failed, fixed = [c.step_index for c in read_trace(project, row.trace_id).trace.calls][:2]
    (attribution,) = hindsight("reflect", row.trace_id, "--json").data["attributions"]
    recoveries = [(r["failed_step"], r["fixed_by_step"]) for r in attribution["recoveries"]]
    assert recoveries == [(failed, fixed)]
    (experience,) = pending(hindsight)
    assert {c["step_index"] for c in experience["citations"]} >= {failed, fixed}
    assert "SHOP_NAME=corner" in experience["recommend"]


def test_an_exit_code_of_its_own_is_passed_through(
    project: Project, mini: Callable[..., Ran]
) -> None:
    ran = mini({"status": 401, "message": "no such key"})

    row = only_trace(project)
    assert ran.code == 1
    assert (row.agent, row.end_state) == ("mini-swe-agent", "crashed")


def test_the_next_run_finds_the_approved_block_in_a_file(
    hindsight: Hindsight, model: ScriptedModel, mini: Callable[..., Ran]
) -> None:
    mini(*learning())
    (experience,) = pending(hindsight)
    show = bash("Read what is known.", 'cat "$HINDSIGHT_CLI_INJECTION_FILE"')

    mini(show, bash("Done.", SUBMIT), output="unapproved.traj.json")
    assert not [m for m in model.bodies[-1]["messages"] if "<hindsight-" in str(m)]

    assert hindsight("experiences", "approve", experience["experience_id"]).code == 0
    ran = mini(show, bash("Done.", SUBMIT), output="approved.traj.json")

    (answer,) = [m["content"] for m in model.bodies[-1]["messages"] if m["role"] == "tool"]
    seen = json.loads(answer)["output"]
    assert seen.startswith("<hindsight-experience ")
    assert experience["experience_id"] in seen
    assert experience["recommend"] in seen
    assert "$HINDSIGHT_CLI_INJECTION_FILE" in ran.said[0]


def test_the_guides_wrapper_puts_the_block_into_its_system_prompt(
    project: Project,
    hindsight: Hindsight,
    model: ScriptedModel,
    mini: Callable[..., Ran],
    tmp_path: Path,
) -> None:
    mini(*learning())
    (experience,) = pending(hindsight)
    hindsight("experiences", "approve", experience["experience_id"])
    wrapper = tmp_path / "bin" / "mini"
    wrapper.parent.mkdir()
    wrapper.write_text(wrapper_in_guide(), encoding="utf-8")
    wrapper.chmod(0o700)

    ran = mini(*learning()[1:], executable=str(wrapper), output="second.traj.json")

    system = [m["content"] for m in model.bodies[0]["messages"] if m["role"] == "system"]
    assert ran.code == 0
    assert str(model.bodies[0]).count("<hindsight-experience ") == 1
    assert experience["recommend"] in system[0]
    assert {row.agent for row in list_traces(project)} == {"mini-swe-agent"}
    assert len(list_traces(project)) == 2
