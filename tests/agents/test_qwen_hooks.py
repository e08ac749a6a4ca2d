"""A real Qwen Code with our hooks: told of a prompt before every round, and given it once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hindsight_cli.api.project import Project
from hindsight_cli.api.traces import list_traces, read_trace
from hindsight_cli.integrations.qwen import HOOK_EVENTS
from hindsight_cli.records.event import EventType, Status
from tests.agents.conftest import program
from tests.agents.test_qwen_code import PRINT, TASK, shell
from tests.cli.hooks import log_of, wait_until
from tests.scripted_model import ScriptedModel

pytestmark = pytest.mark.realagents

FOR_TASK = {
    "scenario": "Printing the labels of the shop",
    "recommend": "Switch the printer on before.",
    "avoid": "Printing twice.",
    "tool_tags": ["printer"],
    "task_tags": ["printing"],
}
ON_ERROR = {
    "scenario": "print.sh: error: no tray",
    "recommend": "Set TRAY=3 before `sh print.sh`.",
    "avoid": "Printing again as it is.",
    "tool_tags": ["bash"],
    "task_tags": ["printing"],
}


def test_the_experience_stands_in_its_requests_once_and_never_in_the_trace_as_evidence(
    project: Project, model: ScriptedModel, home: Path, approved: Callable[..., str]
) -> None:
    for_task, for_error = approved(**FOR_TASK), approved(**ON_ERROR)
    (project.root / "print.sh").write_text(PRINT, encoding="utf-8")
    ours = f"{Path(sys.executable).with_name('hindsight')} hook qwen-code"
    hooks = {
        event: [{"hooks": [{"type": "command", "command": f"{ours} {event}", "timeout": 1000 * s}]}]
        for event, s in HOOK_EVENTS.items()
    }
    (home / ".qwen").mkdir()
    (home / ".qwen" / "settings.json").write_text(json.dumps({"hooks": hooks}))
    model.play(shell("sh print.sh"), shell("TRAY=3 sh print.sh"), {"text": "Printed."})
    kept = ("PATH", "LANG", "HINDSIGHT_CLI_DATA_DIR")
    command = [program("qwen"), "--openai-base-url", f"{model.address}/v1", "-m", "scripted"]
    command += ["--auth-type", "openai", "--openai-api-key", "scripted", "-y", "-p", TASK]

    subprocess.run(
        command,
        cwd=project.root,
        env={**{n: os.environ[n] for n in kept if n in os.environ}, "HOME": str(home)},
        stdin=subprocess.DEVNULL,
        check=True,
        timeout=180,
    )
    wait_until(lambda: " recorded as " in log_of(project), timeout_s=60)

    asked = [json.dumps(body["messages"]) for body in model.bodies if body.get("tools")]
    assert for_task in asked[0]
    assert for_error not in asked[0]
    assert asked[-1].count(for_task) == asked[-1].count(for_error) == 1
    (row,) = list_traces(project)
    trace = read_trace(project, row.trace_id).trace
    results = [e for e in trace.events if e.event_type is EventType.TOOL_RESULT]
    assert [e.status for e in results] == [Status.ERROR, Status.OK]
    said = [trace.text(e) for e in trace.events if not e.injected]
    assert not [text for text in said if "Set TRAY=3" in text or "Switch the printer" in text]
