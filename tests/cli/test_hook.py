"""`hindsight hook`: the right experience before the agent, once, and nothing else of us."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from hindsight_cli.api.project import Project
from hindsight_cli.records.event import EventType, Status
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
    payload,
    receipts,
    wait_until,
)
from tests.conftest import Hindsight

Approved = Callable[..., str]


@pytest.fixture(autouse=True)
def _told(project: Project) -> None:
    (project.folder / "told").touch()  # what is recorded was said before


def test_the_first_prompt_is_the_task_and_gets_its_experience_once(
    project: Project, approved: Approved
) -> None:
    known = approved()

    start = fire(project, "SessionStart", source="startup")
    first = fire(project, "UserPromptSubmit", prompt=TASK)
    wait_until(lambda: receipts(project))
    again = fire(project, "UserPromptSubmit", prompt=TASK)
    other = fire(project, "UserPromptSubmit", prompt="Now deploy another MySQL container")

    assert context(start) == ""
    assert known in context(first)
    assert context(first).count("<hindsight-experience ") == 1
    assert (context(again), context(other)) == ("", "")
    (receipt,) = receipts(project)
    assert receipt.data["session"] == SESSION
    assert receipt.data["injection_id"] in context(first)


def test_a_prompt_without_an_answer_does_not_use_up_the_chance(
    project: Project, approved: Approved
) -> None:
    known = approved()

    assert context(fire(project, "UserPromptSubmit", prompt="Good morning")) == ""
    assert known in context(fire(project, "UserPromptSubmit", prompt=TASK))


def test_a_failed_call_gets_the_experience_for_its_error_once(
    project: Project, approved: Approved
) -> None:
    known = approved(**FOR_ERROR)

    first = fire(project, "PostToolUseFailure", **TOOL, tool_use_id="t1", error=ERROR)
    wait_until(lambda: receipts(project))
    again = fire(project, "PostToolUseFailure", **TOOL, tool_use_id="t2", error=ERROR)

    assert known in context(first)
    assert context(again) == ""


def test_an_error_before_the_first_prompt_does_not_use_up_its_chance(
    project: Project, approved: Approved
) -> None:
    approved(**FOR_ERROR)
    other = approved(scenario="Writing release notes", recommend="Name the ticket in each line.")

    assert context(fire(project, "PostToolUseFailure", **TOOL, error=ERROR))
    wait_until(lambda: receipts(project))

    assert other in context(fire(project, "UserPromptSubmit", prompt="Write the release notes"))


@pytest.mark.parametrize(
    ("event", "fields"),
    [
        ("UserPromptSubmit", {"prompt": f"<task-notification>{TASK}</task-notification>"}),
        ("UserPromptSubmit", {"prompt": f"<system-reminder>{TASK}</system-reminder>"}),
        ("UserPromptSubmit", {"prompt": f"/deploy {TASK}"}),
        ("UserPromptSubmit", {"prompt": "/clear"}),
        ("PostToolUse", {**TOOL, "tool_response": {"stdout": ERROR, "stderr": ""}}),
        ("PostToolUseFailure", {**TOOL, "error": ERROR, "is_interrupt": True}),
        ("Notification", {"message": TASK}),
        ("PreToolUse", TOOL),
        ("NoSuchEvent", {"prompt": TASK}),
    ],
)
def test_nothing_is_injected_where_no_person_asked_and_nothing_failed(
    project: Project, approved: Approved, event: str, fields: dict[str, Any]
) -> None:
    approved()
    approved(**FOR_ERROR)

    assert context(fire(project, event, **fields)) == ""
    assert receipts(project) == []


def test_two_hooks_at_once_give_an_experience_once(project: Project, approved: Approved) -> None:
    approved()

    with ThreadPoolExecutor(6) as pool:
        prompts = range(6)
        done = list(pool.map(lambda _: fire(project, "UserPromptSubmit", prompt=TASK), prompts))

    assert sum(bool(context(one)) for one in done) == 1
    assert len(receipts(project)) == 1


def test_calls_are_written_down_with_their_results_and_no_secret(project: Project) -> None:
    call: dict[str, Any] = {
        "tool_name": "Bash",
        "tool_input": {"command": "docker run -e MYSQL_ROOT_PASSWORD=s3cret-Pa55 mysql:8.0"},
        "tool_use_id": "t1",
    }
    fire(project, "UserPromptSubmit", prompt="Start mysql")
    wait_until(lambda: hooked(project))
    said = "MYSQL_ROOT_PASSWORD=s3cret-Pa55"
    fire(project, "PostToolUse", **call, tool_response={"stdout": said}, duration_ms=31)
    wait_until(lambda: len(hooked(project)) == 3)

    task, called, result = hooked(project)
    assert (task.event_type, task.step_index) == (EventType.TASK, 1)
    assert (called.event_type, called.tool_name, called.call_id) == (
        EventType.TOOL_CALL,
        "Bash",
        "t1",
    )
    assert (result.status, result.duration_ms) == (Status.OK, 31)
    assert (called.step_index, result.step_index) == (2, 2)
    assert "REDACTED" in result.output_summary
    events = project.traces.find_source(SESSION, "hooks")
    assert events is not None
    assert "s3cret-Pa55" not in events.read_text()


def test_a_planted_password_is_nowhere_on_disk(project: Project, approved: Approved) -> None:
    approved(**FOR_ERROR)
    command = {"command": "docker login -u shop -p hunter2-Xq9 registry.example.com"}
    call: dict[str, Any] = {"tool_name": "Bash", "tool_input": command}

    fire(project, "PostToolUseFailure", **call, error=f"{ERROR}\nPGPASSWORD=hunter2-Xq9 psql")
    wait_until(lambda: hooked(project))

    for path in (
        *project.folder.rglob("*"),
        *Path(os.environ["HINDSIGHT_CLI_DATA_DIR"]).rglob("*"),
    ):
        if path.is_file():
            assert b"hunter2-Xq9" not in path.read_bytes(), path


def test_many_calls_at_once_lose_nothing_and_count_on(project: Project) -> None:
    def use(number: int) -> None:
        answer = {"stdout": f"line {number}"}
        done = fire(project, "PostToolUse", **TOOL, tool_use_id=f"t{number}", tool_response=answer)
        assert (done.code, done.out) == (0, "")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(use, range(24)))
    wait_until(lambda: len(hooked(project)) == 48)

    events = hooked(project)
    assert [e.seq for e in events] == list(range(1, 49))
    assert [e.step_index for e in events] == [n for n in range(1, 25) for _ in (1, 2)]
    assert {e.call_id for e in events} == {f"t{n}" for n in range(24)}


def test_outside_a_project_nothing_happens(tmp_path: Path, project: Project) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()

    done = fire(project, "UserPromptSubmit", prompt=TASK, place=Place(cwd=elsewhere))
    outside = json.dumps({"session_id": SESSION, "cwd": str(elsewhere), "prompt": TASK})
    there = fire(project, "UserPromptSubmit", outside.encode(), place=Place(cwd=elsewhere))

    wait_until(lambda: hooked(project))  # the payload's folder counts, not that of the process
    assert (done.code, there.code, there.out, there.err) == (0, 0, "", "")
    assert list(elsewhere.iterdir()) == []
    assert [e.event_type for e in hooked(project)] == [EventType.TASK]


def test_the_folder_the_agent_was_started_in_is_the_project(
    tmp_path: Path, project: Project
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    wandered = json.dumps({"session_id": SESSION, "cwd": str(elsewhere), "prompt": TASK}).encode()

    fire(
        project,
        "UserPromptSubmit",
        wandered,
        place=Place(env={"CLAUDE_PROJECT_DIR": str(project.root)}),
    )

    wait_until(lambda: hooked(project))


def test_a_subfolder_is_of_the_project(project: Project) -> None:
    below = project.root / "a" / "b"
    below.mkdir(parents=True)
    raw = json.dumps({"session_id": SESSION, "cwd": str(below), "prompt": TASK}).encode()

    fire(project, "UserPromptSubmit", raw, place=Place(cwd=below))

    wait_until(lambda: hooked(project))


def test_a_reflectors_own_agent_is_not_observed(project: Project, approved: Approved) -> None:
    approved()
    inside = Place(env={"HINDSIGHT_CLI_REFLECTING": "1"})

    prompt = fire(project, "UserPromptSubmit", prompt=TASK, place=inside)
    failed = fire(project, "PostToolUseFailure", **TOOL, error=ERROR, place=inside)
    end = fire(project, "SessionEnd", reason="exit", place=inside)

    assert [context(done) for done in (prompt, failed, end)] == ["", "", ""]
    assert not hooked(project)
    assert project.traces.sessions() == []


@pytest.mark.parametrize("where", ["project", "everywhere"])
def test_nothing_is_recorded_or_injected_while_paused(
    project: Project, approved: Approved, hindsight: Hindsight, where: str
) -> None:
    approved()
    option = ["--everywhere"] if where == "everywhere" else []
    assert hindsight("pause", *option).code == 0

    paused = context(fire(project, "UserPromptSubmit", prompt=TASK))
    fire(project, "PostToolUse", **TOOL, tool_response={"stdout": "x"})
    assert (paused, hooked(project)) == ("", [])

    assert hindsight("resume", *option).code == 0
    assert context(fire(project, "UserPromptSubmit", prompt=TASK))


def test_nothing_is_recorded_in_an_excluded_folder(project: Project, approved: Approved) -> None:
    approved()
    marker = project.folder / "project.toml"
    marker.write_text('exclude = ["private", "vendor/*"]\n')
    private = project.root / "private" / "deep"
    private.mkdir(parents=True)
    raw = json.dumps({"session_id": SESSION, "cwd": str(private), "prompt": TASK}).encode()

    assert context(fire(project, "UserPromptSubmit", raw)) == ""
    assert context(fire(project, "UserPromptSubmit", prompt=TASK))
    wait_until(lambda: hooked(project))
    assert len(hooked(project)) == 1


def test_what_is_recorded_is_said_once(project: Project, approved: Approved) -> None:
    approved()
    (project.folder / "told").unlink()

    first = fire(project, "SessionStart", source="startup")
    wait_until((project.folder / "told").exists)
    second = fire(project, "SessionStart", source="startup")

    message = json.loads(first.out)["systemMessage"]
    assert str(project.folder) in message
    assert "hindsight pause" in message
    assert second.out == ""


def test_each_try_to_inject_is_told_in_the_log(project: Project, approved: Approved) -> None:
    approved()

    fire(project, "UserPromptSubmit", prompt="Good morning")
    fire(project, "UserPromptSubmit", prompt=TASK)
    wait_until(lambda: log_of(project).count("inject") == 2)

    nothing, found = log_of(project).splitlines()
    assert "inject nothing" in nothing
    assert f"{SESSION} inject ok" in found
    assert TASK not in log_of(project)


def test_the_status_shows_what_hooks_did_last_and_that_recording_is_paused(
    project: Project, approved: Approved, hindsight: Hindsight
) -> None:
    approved()
    fire(project, "UserPromptSubmit", prompt=TASK)
    wait_until(lambda: "inject ok" in log_of(project))
    hindsight("pause")

    data = hindsight("status", "--json").data
    shown = hindsight("status").out

    assert data["paused_by"] == str(project.folder / "paused")
    assert [line.split()[1:3] for line in data["hooks"]] == [["claude-code", "UserPromptSubmit"]]
    assert "inject ok" in shown
    assert "hindsight resume" in shown


def test_under_run_the_task_is_left_to_the_run_and_errors_are_not(
    project: Project, approved: Approved
) -> None:
    approved()
    known = approved(**FOR_ERROR)
    run = {"HINDSIGHT_CLI_SESSION": "run-1", "HINDSIGHT_CLI_RUN_AGENT": "claude-code"}
    run["HINDSIGHT_CLI_INJECT"] = "errors"

    assert context(fire(project, "UserPromptSubmit", prompt=TASK, place=Place(env=run))) == ""
    assert known in context(
        fire(project, "PostToolUseFailure", **TOOL, error=ERROR, place=Place(env=run))
    )
    wait_until(lambda: receipts(project))
    assert [r.data["session"] for r in receipts(project)] == ["run-1"]


def test_under_run_without_injection_nothing_is(project: Project, approved: Approved) -> None:
    approved()
    approved(**FOR_ERROR)
    run = {"HINDSIGHT_CLI_SESSION": "run-1", "HINDSIGHT_CLI_INJECT": "nothing"}

    assert context(fire(project, "UserPromptSubmit", prompt=TASK, place=Place(env=run))) == ""
    assert (
        context(fire(project, "PostToolUseFailure", **TOOL, error=ERROR, place=Place(env=run)))
        == ""
    )


def test_the_block_that_a_run_left_in_a_file_is_handed_over_once(project: Project) -> None:
    folder = project.folder / "injections"
    folder.mkdir()
    block = folder / "run-1.md"
    block.write_text('<hindsight-experience receipt="inj-1">\nDo it.\n</hindsight-experience>\n')
    run = {"HINDSIGHT_CLI_SESSION": "run-1", "HINDSIGHT_CLI_INJECT": "errors"}
    run["HINDSIGHT_CLI_INJECTION_FILE"] = str(block)

    first = fire(project, "UserPromptSubmit", prompt=TASK, place=Place(env=run))
    again = fire(project, "UserPromptSubmit", prompt=TASK, place=Place(env=run))

    assert "Do it." in context(first)
    assert context(again) == ""
    assert list(folder.iterdir()) == []


def test_no_other_file_is_handed_over_in_its_place(project: Project, tmp_path: Path) -> None:
    other = tmp_path / "notes.md"
    other.write_text('<hindsight-experience receipt="inj-1">\nDo it.\n</hindsight-experience>\n')
    run = {"HINDSIGHT_CLI_SESSION": "run-1", "HINDSIGHT_CLI_INJECT": "errors"}
    run["HINDSIGHT_CLI_INJECTION_FILE"] = str(other)

    assert context(fire(project, "UserPromptSubmit", prompt=TASK, place=Place(env=run))) == ""
    assert other.exists()


@pytest.mark.parametrize(
    ("agent", "event", "fields"),
    [
        ("codex", "UserPromptSubmit", {"prompt": TASK}),
        ("gemini-cli", "BeforeAgent", {"prompt": TASK}),
        ("gemini", "BeforeAgent", {"prompt": TASK}),
        ("qwen-code", "UserPromptSubmit", {"prompt": TASK}),
    ],
)
def test_other_agents_get_it_in_their_own_words(
    project: Project, approved: Approved, agent: str, event: str, fields: dict[str, Any]
) -> None:
    known = approved()

    done = fire(project, event, place=Place(agent=agent), **fields)

    document = json.loads(done.out)["hookSpecificOutput"]
    assert document["hookEventName"] == event
    assert known in document["additionalContext"]


def test_opencode_gets_it_as_text(project: Project, approved: Approved) -> None:
    known = approved()
    given = {
        "directory": str(project.root),
        "input": {"sessionID": "ses_1"},
        "output": {"parts": [{"type": "text", "text": TASK}]},
    }

    done = fire(project, "chat.message", json.dumps(given).encode(), place=Place(agent="opencode"))

    assert known in json.loads(done.out)["context"]


def test_an_agent_that_is_not_known_is_left_alone(project: Project) -> None:
    done = fire(project, "UserPromptSubmit", place=Place(agent="some-agent"), prompt=TASK)

    assert (done.code, done.out, done.err) == (0, "", "")


def test_a_session_id_that_is_no_file_name_stays_in_the_store(project: Project) -> None:
    raw = json.dumps({"session_id": "../../x", "cwd": str(project.root), "prompt": TASK}).encode()

    fire(project, "UserPromptSubmit", raw)

    wait_until(project.traces.sessions)
    (session,) = project.traces.sessions()
    assert session.path.is_relative_to(project.folder / "traces")


PROBE = """
import json, os, sys
from hindsight_cli.api.hooking import answer_hook
payload = {payload!r}
answered = []
answer_hook("claude-code", {event!r}, payload, os.environ, lambda found: not answered.append(found))
heavy = ("sqlite_utils", "numpy", "typer", "rich", "pydantic", "litellm", "asyncio", "mcp",
    "subprocess", "tempfile", "logging", "importlib.metadata", "email", "hindsight_cli.reflect")
print(len(answered), *[name for name in heavy if name in sys.modules])
"""


@pytest.mark.parametrize(
    ("event", "fields"),
    [
        ("PostToolUse", {**TOOL, "tool_response": {"stdout": "x" * 300}}),
        ("PostToolUseFailure", {**TOOL, "error": ERROR}),
        ("UserPromptSubmit", {"prompt": TASK}),
    ],
)
def test_a_hook_loads_no_library_that_an_agent_would_have_to_wait_for(
    project: Project, approved: Approved, event: str, fields: dict[str, Any]
) -> None:
    approved()
    approved(**FOR_ERROR)
    fire(project, "UserPromptSubmit", prompt="Good morning")  # makes the index
    wait_until(lambda: hooked(project))

    code = PROBE.format(payload=payload(project, event, **fields), event=event)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["1"]
