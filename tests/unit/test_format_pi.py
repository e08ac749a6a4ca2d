"""Sessions of pi and OpenClaw: branches, forks, flags that tell little, and pi's stream."""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from hindsight_cli.capture.draft import Draft, Format, Problem
from hindsight_cli.capture.formats import detect_format, pi, pi_stream
from hindsight_cli.capture.formats.openclaw_text import split_context
from hindsight_cli.records.event import Actor, EventType, Status, ToolKind
from tests.unit.format_reading import events
from tests.unit.test_format_shapes import assert_sound, bent

FOLDER = Path(__file__).parent.parent / "fixtures" / "pi"
SESSION, TREE, OPENCLAW = (FOLDER / f"{n}.jsonl" for n in ("session", "tree", "openclaw"))
STREAM = FOLDER / "stream.jsonl"
HEADER: dict[str, Any] = {
    "type": "session",
    "version": 3,
    "id": "0199a1b2-0009-7000-8000-00000000ffff",
    "timestamp": "2026-09-20T08:00:00.000Z",
    "cwd": "/srv/bakery",
}
Entry = dict[str, Any]
REFUSED_ARGUMENTS = (
    'Validation failed for tool "bash":\n  - command: must have required properties command'
    '\n\nReceived arguments:\n{\n  "timeout": 1\n}'
)
STAND_IN = "[openclaw] missing tool result in session history; inserted synthetic error result"


def read(path: Path, reader: Format = pi) -> list[Draft]:
    records = list(reader.read(path))
    assert not [record for record in records if isinstance(record, Problem)]
    return [record for record in records if isinstance(record, Draft)]


def entries_of(path: Path) -> list[Entry]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def written(path: Path, entries: Iterable[Entry]) -> Path:
    path.write_text("\n".join(json.dumps(entry) for entry in entries), encoding="utf-8")
    return path


def message(number: int, role: str, content: Any, **more: Any) -> Entry:
    """An entry that follows the one numbered before it."""
    return {
        "type": "message",
        "id": f"e{number}",
        "parentId": f"e{number - 1}" if number > 1 else None,
        "timestamp": f"2026-09-20T08:00:{number:02}.000Z",
        "message": {"role": role, "content": content, **more},
    }


def a_result(text: str, *, name: str = "bash", flag: bool = True, **details: Any) -> list[Entry]:
    """A session with one call and its result."""
    call = {"type": "toolCall", "id": "c1", "name": name, "arguments": {"command": "make cake"}}
    about = {"toolCallId": "c1", "toolName": name, "isError": flag, "details": details}
    result = message(3, "toolResult", [{"type": "text", "text": text}], **about)
    return [HEADER, message(1, "user", "Go."), message(2, "assistant", [call]), result]


def test_every_line_is_one_record_and_state_is_skipped() -> None:
    drafts = read(SESSION)

    assert [draft.line for draft in drafts] == list(range(1, 13))
    assert [d.native_type for d in drafts if not d.events] == [
        *("session", "model_change", "thinking_level_change", "label")
    ]
    assert drafts[4].native_id == "a0000004"


def test_the_session_is_described_by_its_header_and_model() -> None:
    (session,) = {draft.session for draft in read(SESSION)[1:]}

    assert session.session_id == "0199a1b2-0001-7000-8000-00000000aaaa"
    assert (session.agent, session.model, session.cwd) == ("pi", "acme-large", "/srv/bakery")


def test_a_reply_is_thought_words_and_calls() -> None:
    thought, words, first, second = read(SESSION)[4].events

    assert (thought.event_type, thought.text) == (EventType.REASONING, "Run the test first.")
    assert (words.event_type, words.actor) == (EventType.MESSAGE, Actor.AGENT)
    assert (first.tool_name, first.tool_kind) == ("bash", ToolKind.SHELL)
    assert (first.call_id, first.input) == ("call_1", {"command": "pytest tests/test_timer.py"})
    assert second.tool_kind is ToolKind.READ


def test_tokens_are_kept_with_the_cost_of_the_reply() -> None:
    counted = {"input": 900, "output": 60, "cacheRead": 10, "cacheWrite": 0, "totalTokens": 970}
    assert read(SESSION)[4].usage == counted | {"cost": 0.003}


def test_the_exit_code_is_read_from_the_last_line_which_is_no_output() -> None:
    failed, missing, edited = events(read(SESSION), EventType.TOOL_RESULT)

    assert (failed.status, failed.status_rule, failed.exit_code) == (Status.ERROR, "exit_code", 1)
    assert failed.text == "E   assert 59 == 60\n1 failed in 0.12s"
    assert (missing.status, missing.error_type) == (Status.ERROR, "not_found")
    assert (edited.status, edited.native_status) == (Status.OK, "ok")


@pytest.mark.parametrize(
    ("told", "judged"),
    [
        (("begun\n\n\nCommand aborted", "bash", True, {}), ("cancelled", "interrupted")),
        (("Operation aborted", "edit", True, {}), ("cancelled", "interrupted")),
        (("Command timed out after 5 seconds", "bash", True, {}), ("timeout", "timeout")),
        (("Tool bake not found", "bake", True, {}), ("error", "unknown_tool")),
        ((REFUSED_ARGUMENTS, "bash", True, {}), ("error", "invalid_args")),
        (("Tool execution was blocked", "bash", True, {}), ("denied", "denied_by_policy")),
        (("Blocked by user", "bash", True, {}), ("denied", "denied_by_user")),
        (("2 passed", "bash", False, {}), ("ok", None)),
        (("", "exec", False, {"status": "completed", "exitCode": 0}), ("ok", None)),
        (("x", "exec", False, {"status": "completed", "exitCode": 3}), ("error", "nonzero_exit")),
        (("x", "exec", False, {"status": "failed"}), ("error", "tool_error")),
        (("x", "exec", False, {"status": "failed", "timedOut": True}), ("timeout", "timeout")),
        (("x", "exec", False, {"status": "killed"}), ("cancelled", "interrupted")),
        ((STAND_IN, "exec", True, {"reason": "missing_tool_result"}), ("missing", None)),
        (("x", "exec", False, {"exitCode": True, "status": ["failed"]}), ("ok", None)),
    ],
)
def test_a_result_is_judged_by_all_that_is_told(
    tmp_path: Path, told: tuple[str, str, bool, Entry], judged: tuple[str, str | None]
) -> None:
    text, name, flag, details = told
    path = written(tmp_path / "s.jsonl", a_result(text, name=name, flag=flag, **details))

    (result,) = events(read(path), EventType.TOOL_RESULT)

    assert (result.status, result.error_type) == judged
    assert result.native_status == ("error" if flag else "ok")


@pytest.mark.parametrize("command", ["grep flour pantry.txt", "diff old.txt new.txt"])
def test_an_exit_code_that_answers_is_no_failure(tmp_path: Path, command: str) -> None:
    entries = a_result("(no output)\n\n\nCommand exited with code 1")
    entries[2]["message"]["content"][0]["arguments"] = {"command": command}

    (result,) = events(read(written(tmp_path / "s.jsonl", entries)), EventType.TOOL_RESULT)

    assert (result.status, result.exit_code) == (Status.OK, 1)


def test_what_the_person_left_by_going_back_is_marked_and_kept() -> None:
    drafts = read(TREE)

    left = [e.text for e in events(drafts) if e.extra.get("branch") == "abandoned"]
    assert left == ["Without.", "", "it is flat"]
    assert [e.text for e in events(drafts, EventType.TASK)] == ["Bake a loaf."]
    (summary,) = events(drafts, EventType.COMPACTION)
    assert (summary.injected, summary.extra["fromId"]) == (True, "b0000005")


def test_of_a_first_message_that_was_taken_back_the_next_is_the_task(tmp_path: Path) -> None:
    entries = [HEADER, message(1, "user", "Bake."), message(2, "assistant", "Yes?")]
    again = message(3, "user", "Bake bread.") | {"parentId": None}

    drafts = read(written(tmp_path / "s.jsonl", [*entries, again]))

    assert [e.text for e in events(drafts, EventType.TASK)] == ["Bake bread."]
    assert [e.extra.get("branch") for e in events(drafts)] == ["abandoned", "abandoned", None]


@pytest.mark.parametrize(
    "change",
    [
        {"parentId": "nowhere"},  # a link to an entry that was never written
        {"parentId": HEADER["id"]},
        {"parentId": "e4"},  # to itself
        {"parentId": 7},
        {"id": "e1", "parentId": None},  # a line written twice
        {"id": None},
        {"id": 5},
    ],
)
def test_a_broken_link_hides_nothing(tmp_path: Path, change: Entry) -> None:
    entries = [message(number, "user", f"Say {number}.") for number in range(1, 7)]
    entries[3] |= change

    drafts = read(written(tmp_path / "s.jsonl", [HEADER, *entries]))

    assert [e.text for e in events(drafts)] == [f"Say {number}." for number in range(1, 7)]
    left = [e.text for e in events(drafts) if e.extra]
    assert left in ([], ["Say 4."])  # at most the copy itself


def test_links_are_found_whatever_the_order_of_keys(tmp_path: Path) -> None:
    entries = [dict(sorted(entry.items())) for entry in entries_of(TREE)]
    entries[4]["message"]["note"] = {"id": "x", "parentId": "y"}

    again = read(written(tmp_path / "s.jsonl", entries))

    assert [e.extra for e in events(again)] == [e.extra for e in events(read(TREE))]


def a_fork(folder: Path, *, parent: str | None = None, name: str = "fork") -> Path:
    """The tree's first entries copied into a session of its own, which then goes on."""
    header = HEADER | {"parentSession": parent or str(TREE)}
    own = message(9, "user", "Now a cake.") | {"id": "f1", "parentId": "b0000002"}
    return written(folder / f"{name}.jsonl", [header, *entries_of(TREE)[1:3], own])


def test_a_fork_counts_what_it_copied_to_the_session_it_came_from(tmp_path: Path) -> None:
    drafts = read(a_fork(tmp_path))

    by_session: dict[str, list[str]] = {}
    for draft in drafts:
        by_session.setdefault(draft.session.session_id, []).extend(e.text for e in draft.events)
    assert by_session == {
        "0199a1b2-0002-7000-8000-00000000bbbb": ["Bake a loaf.", "With yeast?"],
        HEADER["id"]: ["Now a cake."],
    }
    originals = {draft.native_id: draft.events for draft in read(TREE)}
    assert all(originals[d.native_id] == d.events for d in drafts[1:3])


def test_the_parent_of_a_fork_is_known_by_its_name_when_it_is_gone(tmp_path: Path) -> None:
    gone = "/gone/2026-09-15T09-00-00-000Z_0199a1b2-0002-7000-8000-00000000bbbb.jsonl"

    drafts = read(a_fork(tmp_path, parent=gone))

    assert drafts[1].session.session_id == "0199a1b2-0002-7000-8000-00000000bbbb"
    assert drafts[3].session.session_id == HEADER["id"]


def test_a_fork_of_a_fork_finds_the_first_session_beside_it(tmp_path: Path) -> None:
    a_fork(tmp_path)
    header = HEADER | {"id": "second", "timestamp": "2026-09-21T08:00:00.000Z"}
    header["parentSession"] = "/moved/away/fork.jsonl"
    own = message(9, "user", "A pie.") | {"timestamp": "2026-09-21T08:00:09.000Z"}
    fork = entries_of(tmp_path / "fork.jsonl")

    drafts = read(written(tmp_path / "again.jsonl", [header, *fork[1:], own]))

    assert [draft.session.session_id for draft in drafts[1:]] == [
        *("0199a1b2-0002-7000-8000-00000000bbbb",) * 2,
        *(HEADER["id"], "second"),
    ]


def test_a_session_that_names_itself_as_its_parent_is_read(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    written(path, [HEADER | {"parentSession": str(path)}, message(1, "user", "Hi.")])

    assert {draft.session.session_id for draft in read(path)} == {HEADER["id"]}


def test_version_one_has_no_ids_and_is_read_in_order(tmp_path: Path) -> None:
    entries = [HEADER, message(1, "user", "Bake."), message(2, "hookMessage", "The oven is hot.")]
    old = [{k: v for k, v in e.items() if k not in ("parentId", "version")} for e in entries]
    for entry in old[1:]:
        del entry["id"]

    drafts = read(written(tmp_path / "old.jsonl", old))

    assert detect_format(tmp_path / "old.jsonl") == "pi"
    assert [(e.text, e.injected) for e in events(drafts)] == [
        *(("Bake.", False), ("The oven is hot.", True))
    ]
    assert drafts[1].native_id is None


@pytest.mark.parametrize(
    ("reply", "state", "error_type"),
    [
        ({"stopReason": "error", "errorMessage": "500 overloaded"}, "failed", "api"),
        ({"stopReason": "error", "errorMessage": "connect ECONNREFUSED"}, "failed", "network"),
        ({"stopReason": "aborted", "errorMessage": "Request was aborted."}, "aborted", None),
        ({"stopReason": "length"}, "limits exceeded", None),
    ],
)
def test_a_reply_that_broke_off_ends_the_turn(
    tmp_path: Path, reply: Entry, state: str, error_type: str | None
) -> None:
    entries = [HEADER, message(1, "user", "Go."), message(2, "assistant", [], **reply)]

    (end,) = events(read(written(tmp_path / "s.jsonl", entries)), EventType.END)

    assert (end.extra["end_state"], end.error_type) == (state, error_type)
    assert end.text == reply.get("errorMessage", "")


def test_a_command_the_person_typed_is_their_call(tmp_path: Path) -> None:
    about = {"command": "make loaf", "output": "no flour", "exitCode": 2, "cancelled": False}
    entries = [HEADER, message(1, "bashExecution", None, **about)]

    call, result = events(read(written(tmp_path / "s.jsonl", entries)))

    assert (call.actor, call.tool_name, call.input) == (
        *(Actor.USER, "bash", {"command": "make loaf"}),
    )
    assert (result.status, result.exit_code, result.text) == (Status.ERROR, 2, "no flour")


def test_skills_and_files_before_the_words_are_injected(tmp_path: Path) -> None:
    skill = '<skill name="bake" location="/s/SKILL.md">\nHow to bake.\n</skill>'
    note = '<file name="/srv/bakery/notes.txt">\nold notes\n</file>'
    entries = [HEADER, message(1, "user", f"{skill}\n\n{note}\nBake with these.")]

    first, second, task = events(read(written(tmp_path / "s.jsonl", entries)))

    assert [e.injected for e in (first, second, task)] == [True, True, False]
    assert (task.event_type, task.text) == (EventType.TASK, "Bake with these.")


def test_pictures_leave_the_event(tmp_path: Path) -> None:
    picture = b"\x89PNG" + bytes(range(256)) * 8
    block = {"type": "image", "mimeType": "image/png", "data": base64.b64encode(picture).decode()}
    entries = [HEADER, message(1, "user", [{"type": "text", "text": "See:"}, block])]

    _, seen = events(read(written(tmp_path / "s.jsonl", entries)))

    assert (seen.text, [blob.data for blob in seen.blobs]) == ("[image]", [picture])


def test_openclaw_is_told_by_what_it_writes_and_its_notices_are_injected() -> None:
    drafts = read(OPENCLAW)

    assert {draft.session.agent for draft in drafts} == {"openclaw"}
    assert drafts[3].session.model == "acme-large"
    spoken = [e for e in events(drafts) if not e.injected and e.actor is not Actor.TOOL]
    assert [e.text for e in spoken if e.text] == ["Good morning.", "List the recipes."]
    assert [e.text for e in events(drafts, EventType.TASK)] == ["List the recipes."]
    assert not drafts[1].usage


def test_openclaw_says_in_the_details_what_a_command_came_to() -> None:
    listed, menu, begun, polled = events(read(OPENCLAW), EventType.TOOL_RESULT)

    assert (listed.status, listed.exit_code, listed.duration_ms) == (Status.ERROR, 2, 18)
    assert listed.text == "ls: cannot access 'recipes/': No such file or directory"
    assert (menu.status, menu.error_type, menu.native_status) == (Status.ERROR, "not_found", "ok")
    assert (begun.status, begun.extra) == (Status.OK, {"running": "calm-reef"})
    assert (polled.status, polled.exit_code) == (Status.ERROR, 1)


def test_a_subagent_of_openclaw_finds_its_parent_in_the_list_of_sessions(tmp_path: Path) -> None:
    said = "[Subagent Context] You are a subagent.\n\n[Subagent Task]: Count the loaves."
    entries = [HEADER, message(1, "user", said)]
    entries.append({"type": "custom", "customType": "model-snapshot", "id": "m", "parentId": "e1"})
    listed = {
        "agent:main:main": {"sessionId": "the-parent"},
        "agent:main:subagent:1": {"sessionId": HEADER["id"], "spawnedBy": "agent:main:main"},
    }
    (tmp_path / "sessions.json").write_text(json.dumps(listed), encoding="utf-8")

    drafts = read(written(tmp_path / "s.jsonl", entries))

    assert drafts[0].session.parent_session_id == "the-parent"
    assert [e.text for e in events(drafts, EventType.TASK)] == ["Count the loaves."]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Plain words.", ["Plain words."]),
        ("[2026-01-01 10:00] a line of a log", ["[2026-01-01 10:00] a line of a log"]),
        ("[Thu 2026-02-26 14:29 UTC] Hello.", ["Hello."]),
        ("System: [2026-02-26 14:29:11] Exec completed (x)\n\nGo on.", ["Go on."]),
        (
            "Chat history since last reply (untrusted, for context):\n- a\n- b\n\nTwo\n\nparts",
            ["Two\n\nparts"],
        ),
        ("Conversation info: ⟦openclaw:ctx⟧\n```json\n{}\n```\nHey.", ["Hey."]),
        ("Hi.\n\nContext: ⟦openclaw:ctx⟧\nmuch\n\nmore", ["Hi."]),
        ("Read HEARTBEAT.md if it exists. Reply HEARTBEAT_OK.", []),
        ("", []),
    ],
)
def test_what_openclaw_puts_round_a_message_is_told_apart(text: str, said: list[str]) -> None:
    parts = list(split_context(text))

    assert [part for part, injected in parts if not injected] == said
    assert all(part in text for part, _ in parts)


def test_a_stream_counts_each_message_once() -> None:
    drafts = read(STREAM, pi_stream)

    assert detect_format(STREAM) == "pi-stream"
    assert [e.event_type for e in events(drafts)] == [
        *(EventType.TASK, EventType.MESSAGE, EventType.TOOL_CALL, EventType.TOOL_RESULT),
        *(EventType.MESSAGE, EventType.END),
    ]
    (result,) = events(drafts, EventType.TOOL_RESULT)
    assert (result.status, result.exit_code) == (Status.ERROR, 2)
    session = drafts[-1].session
    assert session.session_id == "0199a1b2-0004-7000-8000-00000000dddd-json"
    assert (session.model, session.closes) == ("acme-large", True)
    ids = [draft.native_id for draft in drafts if draft.native_id]
    assert len(ids) == len(set(ids)) == 4


@pytest.mark.parametrize("source", [SESSION, TREE, OPENCLAW])
def test_sessions_are_recognised_without_their_header(tmp_path: Path, source: Path) -> None:
    entries = entries_of(source)[1:]
    path = written(tmp_path / "0199a1b2-0007-7000-8000-00000000abcd.jsonl", entries)

    assert detect_format(source) == detect_format(path) == "pi"
    assert {d.session.session_id for d in read(path)} == {path.stem}


@pytest.mark.parametrize(
    "line",
    [
        {"type": "session_start", "id": "x", "cwd": "/srv", "version": "0.81.0"},
        {"type": "session", "id": 7, "cwd": "/srv"},
        {"type": "message", "id": "m1", "parentId": "x", "message": {"role": "user"}},
        {"type": "message", "parentId": None, "message": {"role": ["user"], "content": []}},
    ],
)
def test_other_agents_records_are_not_taken_for_pi(tmp_path: Path, line: Entry) -> None:
    assert not pi.recognizes(tmp_path, json.dumps(line).encode())


def test_unknown_entries_and_roles_are_noticed(tmp_path: Path) -> None:
    mood: Entry = {"type": "mood", "id": "e1", "parentId": None}
    entries = [HEADER, mood, message(2, "oracle", "hm")]

    drafts = read(written(tmp_path / "s.jsonl", entries))

    assert [(d.native_type, d.known) for d in drafts[1:]] == [
        *(("mood", False), ("message/oracle", True))
    ]
    assert [(e.event_type, e.injected) for e in events(drafts)] == [(EventType.OTHER, True)]


@pytest.mark.parametrize("source", [SESSION, TREE, OPENCLAW, STREAM])
@pytest.mark.parametrize("seed", range(3))
def test_bent_sessions_are_all_accounted_for(tmp_path: Path, source: Path, seed: int) -> None:
    chance = random.Random(f"{source.name}{seed}")
    entries = entries_of(source)
    reader: Format = pi_stream if source == STREAM else pi
    for _ in range(30):
        chosen = [bent(entry, chance) for entry in chance.sample(entries, 6)]
        path = written(tmp_path / "bent.jsonl", chosen)

        detect_format(path)
        records = list(reader.read(path))

        assert [record.line for record in records] == [1, 2, 3, 4, 5, 6]
        for record in records:
            if isinstance(record, Draft):
                assert_sound(record)
