"""At an agent's rest or end its transcript is imported and reflected on, behind its back."""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from hindsight_cli.api.project import Project
from hindsight_cli.api.traces import list_traces, read_trace
from hindsight_cli.records.event import Status
from tests.cli.hooks import (
    ERROR,
    FOR_ERROR,
    SESSION,
    TASK,
    TOOL,
    Place,
    context,
    fire,
    hooked,
    log_of,
    wait_until,
)
from tests.conftest import MYSQL, SAMPLES, Hindsight

Approved = Callable[..., str]
CLAUDE = f"""
import json, os, subprocess, sys, uuid
session = sys.argv[sys.argv.index("--session-id") + 1]
folder = os.path.join(os.environ["HOME"], ".claude", "projects",
    "".join(c if c.isalnum() else "-" for c in os.getcwd()))
os.makedirs(folder)
transcript = os.path.join(folder, session + ".jsonl")
common = {{"sessionId": session, "cwd": os.getcwd(), "version": "2.1.197"}}
def line(kind, content, **more):
    with open(transcript, "a") as file:
        message = {{"role": kind, "content": content}}
        record = {{**common, **more, "type": kind, "uuid": str(uuid.uuid4()),
            "timestamp": "2026-12-01T10:00:00.000Z", "message": message}}
        file.write(json.dumps(record) + "\\n")
def hook(event, **fields):
    given = {{"session_id": session, "cwd": os.getcwd(), "transcript_path": transcript, **fields}}
    command = [{sys.executable!r}, "-m", "hindsight_cli", "hook", "claude-code", event]
    done = subprocess.run(command, input=json.dumps(given).encode(), stdout=-1)
    print(event, done.stdout.decode())
command = {{"command": "docker run mysql:8.0"}}
call = {{"tool_name": "Bash", "tool_input": command, "tool_use_id": "t1"}}
hook("UserPromptSubmit", prompt={TASK!r})
line("user", {TASK!r})
line("assistant", [{{"type": "tool_use", "id": "t1", "name": "Bash", "input": command}}])
hook("PostToolUseFailure", **call, error={ERROR!r}, duration_ms=77)
result = {{"type": "tool_result", "tool_use_id": "t1", "is_error": True, "content": {ERROR!r}}}
line("user", [result])
line("assistant", [{{"type": "text", "text": "It cannot be done."}}])
hook("Stop", last_assistant_message="It cannot be done.")
hook("SessionEnd", reason="exit")
"""


@pytest.fixture(autouse=True)
def _told(project: Project) -> None:
    (project.folder / "told").touch()


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    path = tmp_path / "agents" / f"{MYSQL}.jsonl"
    path.parent.mkdir()
    shutil.copy(SAMPLES / "mysql-container.jsonl", path)
    return path


def finished(project: Project) -> int:
    """How often a session was learned from so far."""
    return log_of(project).count(" recorded as ")


def at(project: Project, event: str, transcript: Path, **fields: Any) -> None:
    done = fire(project, event, session_id=MYSQL, transcript_path=str(transcript), **fields)
    assert (done.code, done.out, done.err) == (0, "", "")


def test_the_end_of_a_session_imports_its_transcript_and_proposes_lessons(
    project: Project, transcript: Path, hindsight: Hindsight
) -> None:
    at(project, "SessionEnd", transcript, reason="exit")
    wait_until(lambda: finished(project))

    (row,) = list_traces(project)
    assert (row.session_id, row.agent) == (MYSQL, "claude-code")
    assert row.failed_tool_calls > 0
    proposed = hindsight("experiences", "list", "--status", "pending", "--json").data
    assert proposed["experiences"]


def test_what_subagents_did_is_imported_with_the_session(project: Project, tmp_path: Path) -> None:
    fixtures = Path(__file__).parents[1] / "fixtures/claude_code"
    session = "0f3c9a52-7d1e-4c62-9b1f-2a6d5e8b7c10"
    shutil.copytree(fixtures / session, tmp_path / session)
    main = tmp_path / f"{session}.jsonl"
    own = {"sessionId": session, "cwd": str(project.root), "version": "2.1.197"}
    said = {"type": "user", "uuid": "u1", "timestamp": "2026-11-01T10:00:00Z"}
    message = {"role": "user", "content": TASK}
    main.write_text(json.dumps({**own, **said, "message": message}) + "\n")

    fire(project, "SessionEnd", session_id=session, transcript_path=str(main), reason="exit")
    wait_until(lambda: finished(project))

    rows = {row.session_id: row for row in list_traces(project)}
    assert (len(rows), rows[session].task) == (2, TASK)


def test_a_rest_and_an_end_leave_each_record_once(project: Project, transcript: Path) -> None:
    whole = transcript.read_text().splitlines(keepends=True)
    transcript.write_text("".join(whole[:4]))
    at(project, "Stop", transcript)
    wait_until(lambda: finished(project) == 1)
    part = list_traces(project)[0].events
    transcript.write_text("".join(whole))
    at(project, "Stop", transcript)
    at(project, "SessionEnd", transcript, reason="exit")
    wait_until(lambda: finished(project) == 3)

    (row,) = list_traces(project)
    once = Project(project.root.parent / "other")
    once.root.mkdir()
    once.init()
    at(once, "SessionEnd", transcript, reason="exit")
    wait_until(lambda: finished(once))
    assert part < row.events == list_traces(once)[0].events


def test_what_hooks_and_the_transcript_both_saw_counts_once(
    project: Project, transcript: Path
) -> None:
    records = [json.loads(line) for line in transcript.read_text().splitlines()]
    blocks = [b for r in records for b in _blocks(r) if b.get("type") == "tool_use"]
    for block in blocks:
        call = {
            "tool_name": block["name"],
            "tool_input": block["input"],
            "tool_use_id": block["id"],
        }
        at(project, "PostToolUse", transcript, **call, tool_response={"stdout": ""}, duration_ms=5)
    wait_until(lambda: len(hooked(project, MYSQL)) == 2 * len(blocks))
    live = list_traces(project)
    at(project, "SessionEnd", transcript, reason="exit")
    wait_until(lambda: finished(project))

    assert [row.tool_calls for row in live] == [len(blocks)]  # before: what hooks saw
    (row,) = list_traces(project)
    assert (row.session_id, row.tool_calls) == (MYSQL, len(blocks))
    calls = read_trace(project, row.trace_id).trace.calls
    assert len(calls) == len(blocks)
    assert all(call.result_event.duration_ms == 5 for call in calls if call.result_event)


def _blocks(record: dict[str, Any]) -> list[dict[str, Any]]:
    content = record.get("message", {}).get("content")
    return [b for b in content if isinstance(b, dict)] if isinstance(content, list) else []


def test_a_session_without_a_transcript_is_what_hooks_saw(
    project: Project, hindsight: Hindsight
) -> None:
    fire(project, "UserPromptSubmit", prompt=TASK)
    wait_until(lambda: len(hooked(project)) == 1)
    fire(project, "PostToolUseFailure", **TOOL, tool_use_id="t1", error=ERROR)
    wait_until(lambda: len(hooked(project)) == 3)
    again: dict[str, Any] = {"tool_name": "Bash", "tool_use_id": "t2"}
    command = {"command": "docker run --platform linux/amd64 mysql:8.0"}
    fire(project, "PostToolUse", **again, tool_input=command, tool_response={"stdout": "3f1c0ff"})
    wait_until(lambda: len(hooked(project)) == 5)
    fire(project, "SessionEnd", reason="exit", transcript_path="/nowhere/at/all.jsonl")
    wait_until(lambda: finished(project))

    (row,) = list_traces(project)
    assert (row.session_id, row.task, row.agent) == (SESSION, TASK, "claude-code")
    trace = read_trace(project, row.trace_id).trace
    assert [call.status for call in trace.calls] == [Status.ERROR, Status.OK]
    proposed = hindsight("experiences", "list", "--status", "pending", "--json").data
    assert "--platform linux/amd64" in json.dumps(proposed)


def test_a_transcript_of_nothing_known_is_told_in_the_log(project: Project, tmp_path: Path) -> None:
    odd = tmp_path / "odd.jsonl"
    odd.write_text('{"what": "ever"}\n')

    at(project, "SessionEnd", odd, reason="exit")

    wait_until(lambda: "the transcript could not be read" in log_of(project))


def test_an_experience_that_was_injected_is_credited(
    project: Project, approved: Approved, transcript: Path
) -> None:
    approved()
    later = transcript.read_text().replace("2026-11-12T", "2099-11-12T")
    transcript.write_text(later)
    text = "Deploy a MySQL 8 database in a container"
    done = fire(project, "UserPromptSubmit", prompt=text, session_id=MYSQL)
    assert context(done)
    wait_until(lambda: '"injected"' in project.local_ledger.read_text())
    at(project, "SessionEnd", transcript, reason="exit")
    wait_until(lambda: finished(project))

    assert '"entry":"outcome"' in project.local_ledger.read_text()


def test_under_run_the_run_imports_and_hooks_do_not(
    project: Project, approved: Approved, hindsight: Hindsight, tmp_path: Path
) -> None:
    approved()
    known = approved(**FOR_ERROR)
    program = tmp_path / "bin" / "claude"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}\n{CLAUDE}")
    program.chmod(0o755)
    path = os.pathsep.join([str(program.parent), os.environ["PATH"]])

    ran = hindsight("run", "--", "claude", "-p", TASK, PATH=path, HOME=str(tmp_path))

    assert ran.code == 0, ran.err
    assert "--append-system-prompt" in ran.err
    prompt, failed = ran.out.partition("PostToolUseFailure")[::2]
    assert "<hindsight-experience" not in prompt
    assert known in failed
    time.sleep(1)
    assert finished(project) == 0
    (row,) = list_traces(project)
    assert (row.tool_calls, row.failed_tool_calls) == (1, 1)
    (call,) = read_trace(project, row.trace_id).trace.calls
    assert call.result_event is not None
    assert (call.result_event.duration_ms, call.exit_code) == (77, 125)


def test_what_a_reflecting_command_runs_leaves_no_trace(
    project: Project, transcript: Path, hindsight: Hindsight, tmp_path: Path
) -> None:
    """The reflector is an agent with our hooks: it would observe itself for ever."""
    hook = f"{sys.executable} -m hindsight_cli hook claude-code"
    given = json.dumps({"session_id": "inner", "cwd": str(project.root), "prompt": TASK})
    agent = tmp_path / "reflector"
    agent.write_text(
        "#!/bin/sh\n"
        f"for event in UserPromptSubmit Stop SessionEnd; do echo '{given}' | {hook} $event; done\n"
        f"touch {tmp_path}/ran\n"
        'echo \'{"task_status":"success","key_steps":[],"invalid_steps":[],"experiences":[]}\'\n'
    )
    agent.chmod(0o755)
    place = Place(
        env={
            "HINDSIGHT_CLI_REFLECT_WITH": "command",
            "HINDSIGHT_CLI_REFLECT_COMMAND": str(agent),
            "HINDSIGHT_CLI_LLM_SAMPLES": "1",
        }
    )

    named: dict[str, Any] = {"session_id": MYSQL, "transcript_path": str(transcript)}
    fire(project, "SessionEnd", place=place, reason="exit", **named)
    wait_until((tmp_path / "ran").exists, timeout_s=60)
    wait_until(lambda: (project.folder / "reflect.json").read_text().find('"done"') > 0)

    assert [row.session_id for row in list_traces(project)] == [MYSQL]
    assert not hooked(project, "inner")


def test_a_rest_asks_no_model(project: Project, transcript: Path, tmp_path: Path) -> None:
    agent = tmp_path / "reflector"
    agent.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    agent.chmod(0o755)
    env = {"HINDSIGHT_CLI_REFLECT_WITH": "command", "HINDSIGHT_CLI_REFLECT_COMMAND": str(agent)}

    named: dict[str, Any] = {"session_id": MYSQL, "transcript_path": str(transcript)}
    fire(project, "Stop", place=Place(env=env), **named)
    wait_until(lambda: finished(project))
    time.sleep(1)

    assert not (tmp_path / "ran").exists()
    assert not (project.folder / "reflect.json").exists()


CODEX = f"""
import json, os, subprocess, sys, time, uuid
session = sys.argv[2]
now = "2026-12-01T10:00:00.000Z"
folder = os.path.join(os.environ["HOME"], ".codex", "sessions", "2026", "12", "01")
os.makedirs(folder, exist_ok=True)
transcript = os.path.join(folder, f"rollout-2026-12-01T10-00-00-{{session}}.jsonl")
def line(kind, **payload):
    with open(transcript, "a") as file:
        record = {{"timestamp": now, "type": kind, "payload": payload}}
        file.write(json.dumps(record) + "\\n")
line("session_meta", id=session, cwd=os.getcwd(), cli_version="0.171.0", timestamp=now)
text = [{{"type": "input_text", "text": session}}]
line("response_item", type="message", role="user", content=text)
given = {{"session_id": session, "cwd": os.getcwd(), "prompt": session}}
command = [{sys.executable!r}, "-m", "hindsight_cli", "hook", "codex", "UserPromptSubmit"]
subprocess.run(command, input=json.dumps(given).encode())
while not os.path.exists(sys.argv[3]):
    time.sleep(0.05)
line("response_item", type="message", role="assistant",
    content=[{{"type": "output_text", "text": "done " + session}}])
"""


def test_runs_in_one_folder_at_once_are_told_apart_by_their_hooks(
    project: Project, hindsight: Hindsight, tmp_path: Path
) -> None:
    """Codex takes no session id of ours: which of two transcripts is whose its hook says."""
    program = tmp_path / "bin" / "codex"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}\n{CODEX}")
    program.chmod(0o755)
    path = os.pathsep.join([str(program.parent), os.environ["PATH"]])
    sessions = [f"0199000{n}-aaaa-7bbb-8ccc-ddddeeeeffff" for n in (1, 2)]

    def run(session: str) -> str:
        command = ["run", "--", "codex", "exec", session, str(tmp_path / "go")]
        return hindsight(*command, PATH=path, HOME=str(tmp_path)).err

    with ThreadPoolExecutor(2) as pool:
        running = [pool.submit(run, session) for session in sessions]
        wait_until(lambda: all(hooked(project, session) for session in sessions))
        (tmp_path / "go").touch()
        said = [future.result() for future in running]

    for session, lines in zip(sessions, said, strict=True):
        assert f"recorded as {session}" in lines
    assert sorted(row.session_id for row in list_traces(project)) == sessions


NO_TRANSCRIPT = f"""
import json, os, subprocess, sys
def hook(event, **fields):
    given = {{"session_id": sys.argv[2], "cwd": os.getcwd(), "hook_event_name": event, **fields}}
    command = [{sys.executable!r}, "-m", "hindsight_cli", "hook", "codex", event]
    subprocess.run(command, input=json.dumps(given).encode())
hook("UserPromptSubmit", prompt="Deploy MySQL")
call = {{"tool_name": "Bash", "tool_use_id": "c1", "tool_input": {{"command": "make"}}}}
hook("PreToolUse", **call)
hook("PostToolUse", **call, tool_response="make: *** [all] Error 2")
print("That did not work.")
hook("Stop")
sys.exit(int(sys.argv[3]))
"""


@pytest.mark.parametrize(("code", "outcome"), [(0, "unknown"), (3, "failure")])
def test_a_run_of_which_only_hooks_and_the_terminal_tell_is_one_trace(
    project: Project, hindsight: Hindsight, tmp_path: Path, code: int, outcome: str
) -> None:
    program = tmp_path / "bin" / "codex"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}\n{NO_TRANSCRIPT}")
    program.chmod(0o755)
    path = os.pathsep.join([str(program.parent), os.environ["PATH"]])
    session = "01990003-aaaa-7bbb-8ccc-ddddeeeeffff"

    done = hindsight(
        "run", "--", "codex", "exec", session, str(code), PATH=path, HOME=str(tmp_path)
    )

    assert (done.code, f"recorded as {session}" in done.err) == (code, True), done.err
    wait_until(lambda: len(list_traces(project)) == 1)
    (row,) = list_traces(project)
    assert (row.session_id, row.tool_calls, row.outcome) == (session, 1, outcome)
    assert project.traces.find_source(session, "terminal") is not None
