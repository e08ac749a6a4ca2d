"""A real Qwen Code: its chat is the trace, and its "success" hides no failed command."""

from __future__ import annotations

import pytest

from hindsight_cli.api.project import Project
from hindsight_cli.api.traces import list_traces, read_trace
from hindsight_cli.records.event import EventType, Status
from tests.agents.conftest import Ran, RunOnTerminal, program
from tests.scripted_model import ScriptedModel, Turn

pytestmark = pytest.mark.realagents

TASK = "Print the labels of the shop"
PRINT = '[ -n "$TRAY" ] || { echo "print.sh: error: no tray" >&2; exit 3; }\necho printed\n'


def shell(command: str) -> Turn:
    arguments = {"command": command, "description": "Print", "is_background": False}
    return {"tool_calls": [{"name": "run_shell_command", "arguments": arguments}]}


def run(project: Project, model: ScriptedModel, run_on_terminal: RunOnTerminal, *words: str) -> Ran:
    (project.root / "print.sh").write_text(PRINT, encoding="utf-8")
    command = [program("qwen"), "--openai-base-url", f"{model.address}/v1", "-m", "scripted"]
    command += ["--auth-type", "openai", "--openai-api-key", "scripted", "-y", *words]
    return run_on_terminal(command, {"QWEN_CODE_NO_RELAUNCH": "1"})


def test_its_chat_is_the_trace_and_a_resumed_one_goes_on(
    project: Project, model: ScriptedModel, run_on_terminal: RunOnTerminal
) -> None:
    model.play(shell("sh print.sh"), shell("TRAY=3 sh print.sh"), {"text": "Printed."})
    first = run(project, model, run_on_terminal, "-p", TASK)
    (row,) = list_traces(project)
    model.play(shell("TRAY= sh print.sh"), {"text": "Not again."})
    second = run(project, model, run_on_terminal, "-c", "-p", "Print them again")
    (resumed,) = list_traces(project)

    assert (first.code, second.code) == (0, 0)
    assert (row.agent, row.task, row.tool_calls, row.failed_tool_calls) == (
        *("qwen-code", TASK, 2, 1),
    )
    assert (resumed.session_id, resumed.tool_calls, resumed.failed_tool_calls) == (
        *(row.session_id, 3, 2),
    )
    results = [
        event
        for event in read_trace(project, resumed.trace_id).trace.events
        if event.event_type is EventType.TOOL_RESULT
    ]
    assert [(e.status, e.exit_code) for e in results] == [
        *((Status.ERROR, 3), (Status.OK, 0), (Status.ERROR, 3)),
    ]
