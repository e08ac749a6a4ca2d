"""What agents tell their hooks becomes the same events, whatever the dialect."""

from __future__ import annotations

import json
import os
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from hindsight_cli.capture.hooks import find_dialect
from hindsight_cli.capture.hooks.payload import HookKind
from hindsight_cli.capture.hooks.told import Told, events_of, task_in, told_of
from hindsight_cli.records.event import EventType, Status

NOW = "2026-12-01T10:00:00.000000Z"
COMMAND = "docker run mysql:8.0"
FAILED = "docker: no matching manifest for linux/arm64/v8 in the manifest list entries."
FRAMED = f"Command: {COMMAND}\nDirectory: (root)\nOutput: {FAILED}\nError: (none)\nExit Code: 125"
FINE = f"Command: {COMMAND}\nDirectory: (root)\nOutput: 3f1c0ffee0dd\nError: (none)\nExit Code: 0"
BASH = {"tool_name": "Bash", "tool_input": {"command": COMMAND}, "tool_use_id": "call-1"}
SHELL = {"tool_name": "run_shell_command", "tool_input": {"command": COMMAND}}


def opencode(tool: str, output: str, code: int | None) -> dict[str, Any]:
    given = {"tool": tool, "sessionID": "s", "callID": "call-1", "args": {"command": COMMAND}}
    answer = {"title": "x", "output": output, "metadata": {"exit": code, "output": output}}
    return {"directory": "/srv/shop", "input": given, "output": answer}


FAILURES: list[tuple[str, str, dict[str, Any], int | None]] = [
    ("claude-code", "PostToolUseFailure", {**BASH, "error": f"Exit code 125\n{FAILED}"}, 125),
    (
        "codex",
        "PostToolUse",
        {**BASH, "tool_response": f"Chunk ID: 1\nProcess exited with code 125\nOutput:\n{FAILED}"},
        125,
    ),
    ("gemini-cli", "AfterTool", {**SHELL, "tool_response": {"llmContent": FRAMED}}, 125),
    (
        "gemini-cli",
        "AfterTool",
        {**SHELL, "tool_response": {"llmContent": [{"text": FRAMED}], "returnDisplay": "no"}},
        125,
    ),
    ("qwen-code", "PostToolUse", {**SHELL, "tool_response": {"llmContent": FRAMED}}, 125),
    ("qwen-code", "PostToolUseFailure", {**SHELL, "error": FAILED}, None),
    ("opencode", "tool.execute.after", opencode("bash", FAILED, 125), 125),
]
SUCCESSES: list[tuple[str, str, dict[str, Any]]] = [
    (
        "claude-code",
        "PostToolUse",
        {**BASH, "tool_response": {"stdout": "3f1c0ffee0dd", "stderr": "", "interrupted": False}},
    ),
    ("codex", "PostToolUse", {**BASH, "tool_response": "3f1c0ffee0dd"}),
    ("gemini-cli", "AfterTool", {**SHELL, "tool_response": {"llmContent": FINE}}),
    ("qwen-code", "PostToolUse", {**SHELL, "tool_response": {"llmContent": FINE}}),
    ("opencode", "tool.execute.after", opencode("bash", "3f1c0ffee0dd", 0)),
]


def told(agent: str, event: str, payload: Any) -> Told | None:
    dialect = find_dialect(agent)
    assert dialect is not None
    return told_of(dialect, event, payload)


def told_here(agent: str, event: str, payload: dict[str, Any]) -> Told:
    found = told(agent, event, {"session_id": "s", "cwd": "/srv/shop", **payload})
    assert found is not None
    return found


@pytest.mark.parametrize(("agent", "event", "payload", "exit_code"), FAILURES)
def test_a_failed_command_is_an_error_in_every_dialect(
    agent: str, event: str, payload: dict[str, Any], exit_code: int | None
) -> None:
    found = told_here(agent, event, payload)

    call, result = events_of(found, NOW)
    assert found.failed
    assert (found.session_id, found.cwd) == ("s", "/srv/shop")
    assert (call.event_type, call.input) == (EventType.TOOL_CALL, {"command": COMMAND})
    assert (result.event_type, result.status) == (EventType.TOOL_RESULT, Status.ERROR)
    assert result.exit_code == exit_code
    assert result.text.endswith(FAILED)
    assert call.call_id == result.call_id


@pytest.mark.parametrize(("agent", "event", "payload"), SUCCESSES)
def test_a_command_that_succeeded_is_none_in_any(
    agent: str, event: str, payload: dict[str, Any]
) -> None:
    found = told_here(agent, event, payload)

    _, result = events_of(found, NOW)
    assert not found.failed
    assert (result.status, result.text) == (Status.OK, "3f1c0ffee0dd")


@pytest.mark.parametrize(
    ("about", "status"),
    [
        ({"exit_code": 125, "status": "failed"}, Status.ERROR),
        ({"exit_code": 0, "status": "completed"}, Status.OK),
        ({"status": "failed"}, Status.ERROR),
    ],
)
def test_the_exit_code_that_codex_keeps_to_itself_is_in_its_session_file(
    tmp_path: Path, about: dict[str, Any], status: Status
) -> None:
    lines = [
        {"type": "event_msg", "payload": {"type": "item_completed", "item": item}}
        for item in ({"id": "call-0", "exit_code": 1}, {"id": "call-1", **about})
    ]
    transcript = tmp_path / "rollout.jsonl"
    transcript.write_text("not JSON call-1 item_completed\n" + "\n".join(map(json.dumps, lines)))
    payload = {**BASH, "tool_response": FAILED, "transcript_path": str(transcript)}

    _, result = events_of(told_here("codex", "PostToolUse", payload), NOW)

    assert (result.status, result.exit_code) == (status, about.get("exit_code"))


@pytest.mark.parametrize("kind", ["missing", "folder", "pipe", "not a path"])
def test_a_session_file_that_is_none_tells_nothing(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "it"
    if kind == "folder":
        path.mkdir()
    if kind == "pipe":
        os.mkfifo(path)
    name = "a\0b" if kind == "not a path" else str(path)
    payload = {**BASH, "tool_response": FAILED, "transcript_path": name}

    assert not told_here("codex", "PostToolUse", payload).failed


def test_a_person_who_interrupts_is_no_error() -> None:
    payload = {**BASH, "error": "Request interrupted by user", "is_interrupt": True}

    assert not told_here("claude-code", "PostToolUseFailure", payload).failed


def test_a_picture_is_no_text_of_an_event() -> None:
    picture = {"type": "image", "file": {"base64": "iVBORw0KGgo" * 500, "type": "image/png"}}
    payload = {"tool_name": "Read", "tool_input": {"file_path": "a.png"}, "tool_response": picture}

    _, result = events_of(told_here("claude-code", "PostToolUse", payload), NOW)

    assert len(result.text) < 200


@pytest.mark.parametrize(
    ("agent", "event", "payload"),
    [
        ("claude-code", "UserPromptSubmit", {"prompt": "Deploy it"}),
        ("codex", "UserPromptSubmit", {"prompt": "Deploy it"}),
        ("gemini-cli", "BeforeAgent", {"prompt": "Deploy it"}),
        ("qwen-code", "UserPromptSubmit", {"prompt": "Deploy it"}),
        (
            "opencode",
            "chat.message",
            {
                "directory": "/srv/shop",
                "input": {"sessionID": "s"},
                "output": {"parts": [{"type": "text", "text": "Deploy it"}, {"type": "file"}]},
            },
        ),
    ],
)
def test_a_prompt_is_the_task(agent: str, event: str, payload: dict[str, Any]) -> None:
    (task,) = events_of(told_here(agent, event, payload), NOW)

    assert (task.event_type, task.text) == (EventType.TASK, "Deploy it")


@pytest.mark.parametrize(
    "prompt",
    [
        "",
        "  \n",
        "/clear",
        "/compact keep the plan",
        "/deploy prod",
        "/plugin:do it",
        "!ls -la",
        "# remember this",
        "<task-notification>\n<status>completed</status>\n</task-notification>",
        "<system-reminder>The file changed.</system-reminder>",
        "<local-command-stdout>done</local-command-stdout>",
        "[Request interrupted by user]",
        "This session is being continued from a previous conversation that ran out of context.",
    ],
)
def test_what_no_person_asked_for_is_no_task(prompt: str) -> None:
    assert task_in(prompt) == ""
    assert events_of(told_here("claude-code", "UserPromptSubmit", {"prompt": prompt}), NOW) == []


@pytest.mark.parametrize(
    ("prompt", "task"),
    [
        ("Deploy it", "Deploy it"),
        ("/srv/app/main.py fails, mend it", "/srv/app/main.py fails, mend it"),
        ("<system-reminder>x</system-reminder>Deploy it", "Deploy it"),
        ("部署 mysql", "部署 mysql"),
    ],
)
def test_what_a_person_asks_for_is_the_task(prompt: str, task: str) -> None:
    assert task_in(prompt) == task


def test_the_last_words_of_the_agent_and_the_end_are_events() -> None:
    stop = events_of(told_here("claude-code", "Stop", {"last_assistant_message": "It runs."}), NOW)
    rest = events_of(told_here("gemini-cli", "AfterAgent", {"prompt_response": "It runs."}), NOW)
    end = events_of(told_here("claude-code", "SessionEnd", {"reason": "exit"}), NOW)

    assert [e.text for e in (*stop, *rest)] == ["It runs.", "It runs."]
    assert [e.event_type for e in end] == [EventType.END]


@pytest.mark.parametrize(
    "payload",
    [
        None,
        [],
        "text",
        1,
        {},
        {"session_id": None},
        {"session_id": 7},
        {"session_id": "s"},
        {"session_id": "s", "tool_name": ["Bash"]},
    ],
)
@pytest.mark.parametrize("agent", ["claude-code", "codex", "gemini-cli", "qwen-code", "opencode"])
def test_what_is_no_payload_tells_nothing(agent: str, payload: Any) -> None:
    dialect = find_dialect(agent)
    assert dialect is not None
    tools = [event for event, kind in dialect.KINDS.items() if kind is HookKind.TOOL]

    assert [told(agent, event, payload) for event in tools] == [None] * len(tools)


@pytest.mark.parametrize("value", [None, 1, True, [], [1], {}, {"a": [None]}, "x", 1e400])
@pytest.mark.parametrize("agent", ["claude-code", "codex", "gemini-cli", "qwen-code", "opencode"])
def test_a_field_of_any_type_breaks_nothing(agent: str, value: Any) -> None:
    dialect = find_dialect(agent)
    assert dialect is not None
    names = (
        *("tool_input", "tool_response", "tool_use_id", "error", "prompt", "cwd", "duration_ms"),
        *("transcript_path", "reason", "is_interrupt", "last_assistant_message"),
    )
    payload = {**dict.fromkeys(names, value), "session_id": "s", "tool_name": "Bash"}
    inner = {"tool": "bash", "sessionID": "s", "callID": value, "args": value}
    payload |= {"input": inner, "output": {"output": value, "parts": value, "metadata": value}}

    for event in dialect.KINDS:
        found = told_of(dialect, event, payload)
        assert found is not None
        events_of(found, NOW)


def test_a_payload_nested_too_deep_tells_nothing() -> None:
    deep: Any = "x"
    for _ in range(300):
        deep = [deep]

    payload = {"session_id": "s", "tool_name": "Bash", "tool_input": deep}

    assert told("claude-code", "PostToolUse", payload) is None


@pytest.mark.parametrize(
    ("module", "agent"),
    [
        ("claude_code", "claude-code"),
        ("codex", "codex"),
        ("gemini", "gemini-cli"),
        ("qwen", "qwen-code"),
        ("opencode", "opencode"),
    ],
)
def test_every_event_that_hooks_are_registered_for_is_understood(module: str, agent: str) -> None:
    registered = import_module(f"hindsight_cli.integrations.{module}").HOOK_EVENTS
    dialect = find_dialect(agent)

    assert dialect is not None
    assert agent == dialect.AGENT
    assert set(registered) == set(dialect.KINDS)
    assert all(1 <= seconds <= 10 for seconds in registered.values())


@pytest.mark.parametrize("agent", ["claude-code", "codex", "gemini-cli", "qwen-code"])
def test_the_answer_is_what_the_agent_reads_its_context_from(agent: str) -> None:
    dialect = find_dialect(agent)
    assert dialect is not None
    event = next(iter(dialect.KINDS))

    document = dialect.document(event, context="Use X.", notice="Recorded.")

    assert json.loads(json.dumps(document)) == {
        "systemMessage": "Recorded.",
        "hookSpecificOutput": {"hookEventName": event, "additionalContext": "Use X."},
    }
    assert dialect.document(event, context="", notice="") == {}
