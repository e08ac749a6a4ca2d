"""What became of a Codex call: outputs of every shape, scripts, reviews, the person's commands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hindsight_cli.records.event import Actor, EventType, Status, ToolKind
from tests.unit.codex_lines import (
    a_call,
    a_message,
    a_meta,
    an_event,
    an_item,
    an_output,
    events,
    read_records,
    results,
    said,
)


@pytest.mark.parametrize(
    ("output", "status", "rule", "text"),
    [
        ("Exit code: 2\nWall time: 0.1 seconds\nOutput:\nboom\n",
         Status.ERROR, "exit_code", "boom\n"),
        ("Exit code: 0\nWall time: 1 seconds\nTotal output lines: 9\nOutput:\nok\n",
         Status.OK, "no_failure_signal", "ok\n"),
        ({"content": "boom", "success": False}, Status.ERROR, "flag", "boom"),
        ([{"type": "input_text", "text": "Process exited with code 3\nOutput:\nboom"}],
         Status.ERROR, "exit_code", "boom"),
        ([{"type": "input_text", "text": "Script completed\nWall time 0.5 seconds\nOutput:\n"},
          {"type": "input_text", "text": "fine"}], Status.OK, "no_failure_signal", "fine"),
        ({"type": "input_text", "text": "fine"}, Status.OK, "no_failure_signal", "fine"),
        ("failed to parse function arguments: missing field `cmd`", Status.ERROR, "harness", None),
        ("write_stdin failed: Unknown process id 7", Status.ERROR, "harness", None),
        ("patch rejected by user", Status.DENIED, "denied_by_user", None),
        ('exec_command failed for `x`: CreateProcess { message: "Rejected(\\"`x` rejected: '
         'blocked by policy\\")" }', Status.DENIED, "denied_by_policy", None),
        ('exec_command failed for `x`: CreateProcess { message: "Codex(Sandbox(Denied { output: '
         'ExecToolCallOutput { exit_code: 1 } }))" }', Status.DENIED, "denied_by_policy", None),
        ("approval required by policy, but AskForApproval is set to Never",
         Status.DENIED, "denied_by_policy", None),
        ("aborted by user after 5.0s", Status.CANCELLED, "interrupted", None),
        ("Wall time: 5.0 seconds\naborted by user", Status.CANCELLED, "interrupted",
         "aborted by user"),
    ],
)  # fmt: skip
def test_outputs_of_every_shape_are_read(
    tmp_path: Path, output: Any, status: Status, rule: str, text: str | None
) -> None:
    drafts = read_records(tmp_path, [a_meta(), a_call({"cmd": "make"}), an_output(output)])

    (result,) = events(drafts, EventType.TOOL_RESULT)
    assert (result.status, result.status_rule) == (status, rule)
    assert result.text == (output if text is None else text)


def test_words_of_a_command_that_look_like_a_frame_stay_in_its_output(tmp_path: Path) -> None:
    printed = "Exit code: 7 is what the manual says\n"
    framed = f"Process exited with code 0\nOutput:\n{printed}"
    drafts = read_records(tmp_path, [a_meta(), a_call({"cmd": "man x"}), an_output(framed)])

    (result,) = events(drafts, EventType.TOOL_RESULT)
    assert (result.text, result.exit_code, result.status) == (printed, 0, Status.OK)


def test_what_a_process_says_later_is_judged_with_its_command(tmp_path: Path) -> None:
    running = "Wall time: 1.0 seconds\nProcess running with session ID 4\nOutput:\n"
    done = "Wall time: 2.0 seconds\nProcess exited with code 1\nOutput:\n"
    polls = {"session_id": 4, "chars": ""}
    drafts = read_records(
        tmp_path,
        [
            a_meta(),
            a_call({"cmd": "grep -r renew /srv"}),
            an_output(running),
            a_call(polls, "write_stdin", "d"),
            an_output(done, "d"),
        ],
    )

    assert results(drafts) == [
        (Status.OK, "no_failure_signal", None),
        (Status.OK, "exit_one_is_an_answer", 1),
    ]
    assert events(drafts, EventType.TOOL_RESULT)[0].extra == {"running": "4"}


def test_calls_made_inside_a_script_are_calls_of_their_own(tmp_path: Path) -> None:
    script = an_item("custom_tool_call", name="exec", call_id="s", input="await tools.x()")
    ran = {
        "type": "CommandExecution",
        "id": "exec-1",
        "command": ["/bin/bash", "-lc", "make release"],
        "exit_code": 2,
        "status": "failed",
        "aggregated_output": "No rule to make target",
    }
    answer = an_item("custom_tool_call_output", call_id="s", output="Script completed\nOutput:\n")
    drafts = read_records(
        tmp_path, [a_meta(), script, an_event("item_completed", item=ran), answer]
    )

    calls = events(drafts, EventType.TOOL_CALL)
    assert [(c.tool_name, c.tool_kind) for c in calls] == [
        ("exec", ToolKind.OTHER),
        ("exec_command", ToolKind.SHELL),
    ]
    assert [r[0] for r in results(drafts)] == [Status.ERROR, Status.OK]
    assert events(drafts, EventType.TOOL_RESULT)[0].text == "No rule to make target"
    assert drafts[2].native_id == "exec-1-item_completed"


def test_calls_of_a_review_are_told_and_an_end_without_any_call_is_not(tmp_path: Path) -> None:
    ends = [an_event("exec_command_end", call_id=f"r{n}", exit_code=1) for n in range(3)]
    drafts = read_records(
        tmp_path,
        [
            a_meta(),
            a_message("user", "<user_action>review</user_action>"),
            ends[0],
            an_event("entered_review_mode", user_facing_hint="current changes"),
            ends[1],
            an_event("exited_review_mode", review_output=None),
            ends[2],
        ],
    )

    assert [e.call_id for e in events(drafts, EventType.TOOL_CALL)] == ["r1"]
    assert [e.text for e in events(drafts, EventType.TASK)] == ["/review current changes"]


@pytest.mark.parametrize(
    ("output", "status"),
    [
        ("Script failed\nWall time 0.1 seconds\nOutput:\nScript error:\nboom", Status.ERROR),
        ('Script failed\nOutput:\nScript error:\nRejected("This action was rejected.")',
         Status.DENIED),
        ("Script running with cell ID 4\nWall time 9.0 seconds\nOutput:\n", Status.OK),
    ],
)  # fmt: skip
def test_a_script_that_failed_says_so(tmp_path: Path, output: str, status: Status) -> None:
    script = an_item("custom_tool_call", name="exec", call_id="s", input="await tools.x()")
    answer = an_item("custom_tool_call_output", call_id="s", output=output)

    assert [r[0] for r in results(read_records(tmp_path, [a_meta(), script, answer]))] == [status]


def test_what_a_person_ran_in_codex_is_their_call(tmp_path: Path) -> None:
    about: dict[str, Any] = {"call_id": "u", "source": "user_shell", "exit_code": 0}
    ran = {**about, "command": ["bash", "-lc", "ls"]}
    shown = a_message("user", "<user_shell_command>\n<command>ls</command>\n</user_shell_command>")
    drafts = read_records(tmp_path, [a_meta(), an_event("exec_command_end", **ran), shown])

    assert [e.actor for e in events(drafts, EventType.TOOL_CALL)] == [Actor.USER]
    assert not said(drafts)
