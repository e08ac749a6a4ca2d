"""What `claude -p` prints: the transcript's records and ids, with an end that may be missing."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from hindsight_cli.api.importing import import_paths
from hindsight_cli.api.project import Project
from hindsight_cli.capture.draft import Draft, Problem
from hindsight_cli.capture.formats import claude_stream, detect_format
from hindsight_cli.records.event import EventType, Status
from tests.unit.format_reading import events, reader_of
from tests.unit.test_format_shapes import assert_sound, bent

RUN = Path(__file__).parent.parent / "fixtures" / "claude_stream" / "run.jsonl"
SESSION = "5c1d7e90-3b2a-4f48-9c6e-0d1f2a3b4c5d"
HELPER = f"{SESSION}-agent-a7c3f01"
RECORDS: list[dict[str, Any]] = [json.loads(line) for line in RUN.read_text("utf-8").splitlines()]


read = reader_of(claude_stream)


def write(folder: Path, *records: Any, name: str = "run.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def as_transcripts(folder: Path) -> list[Path]:
    """The same run as Claude Code keeps it: the session, and its subagent in a file of its own."""
    lines: dict[str, list[dict[str, Any]]] = {SESSION: [], "agent-a7c3f01": []}
    for record in RECORDS:
        if record["type"] not in {"user", "assistant"}:
            continue
        kept = {k: v for k, v in record.items() if k in {"type", "message", "uuid", "timestamp"}}
        kept |= {"sessionId": SESSION, "parentUuid": None, "cwd": "/srv/bakery"}
        if record["parent_tool_use_id"]:
            lines["agent-a7c3f01"].append(kept | {"isSidechain": True, "agentId": "a7c3f01"})
        else:
            facts = record.get("tool_use_result")
            lines[SESSION].append(kept | ({"toolUseResult": facts} if facts else {}))
    return [write(folder, *found, name=f"{stem}.jsonl") for stem, found in lines.items()]


def test_every_line_is_one_record_of_the_run_or_of_its_subagent() -> None:
    drafts = read(RUN)

    assert detect_format(RUN) == "claude-stream"
    assert [draft.line for draft in drafts] == list(range(1, 15))
    assert {draft.session.session_id for draft in drafts} == {SESSION, HELPER}
    assert (drafts[0].session.cwd, drafts[0].session.model) == (
        "/srv/bakery",
        "claude-sonnet-4-5[1m]",
    )


def test_a_subagent_is_linked_to_the_call_that_began_it() -> None:
    helper = [draft for draft in read(RUN) if draft.session.session_id == HELPER]

    assert {(d.session.parent_session_id, d.session.parent_call_id) for d in helper} == {
        (SESSION, "toolu_helper")
    }
    assert [e.event_type for e in events(helper)] == ["task", "tool_call", "tool_result"]


def test_the_statuses_are_what_happened() -> None:
    results = events(read(RUN), EventType.TOOL_RESULT)

    assert [(e.native_status, e.status, e.status_rule, e.exit_code) for e in results] == [
        ("error", Status.ERROR, "exit_code", 2),
        ("error", Status.DENIED, "denied_by_policy", None),  # told by the result, in no words
        (None, Status.OK, "flag", None),
        (None, Status.OK, "flag", None),
    ]


def test_a_refusal_told_beside_the_call_is_one(tmp_path: Path) -> None:
    told = {"type": "system", "subtype": "permission_denied", "tool_use_id": "toolu_oven"}
    path = write(tmp_path, *RECORDS[:6], told, RECORDS[6])

    (*_, last) = events(read(path), EventType.TOOL_RESULT)

    assert last.status is Status.DENIED


def test_the_end_of_the_loop_is_no_outcome() -> None:
    drafts = read(RUN)

    (end,) = events(drafts, EventType.END)
    assert (end.extra["end_state"], end.extra["permission_denials"]) == ("completed", 1)
    assert not events(drafts, EventType.OUTCOME)
    assert not any("detail" in event.extra for event in events(drafts))


@pytest.mark.parametrize(
    ("result", "detail"),
    [
        ({"subtype": "error_max_turns", "is_error": False, "errors": ["Too many turns"]}, True),
        ({"subtype": "error_during_execution", "is_error": True}, False),
        ({"subtype": "success", "is_error": True, "result": "API Error: 500"}, True),
    ],
)
def test_a_run_that_was_stopped_says_why(
    tmp_path: Path, result: dict[str, Any], detail: bool
) -> None:
    path = write(tmp_path, *RECORDS[:4], {**RECORDS[-1], "result": None, **result})

    (end,) = events(read(path), EventType.END)

    assert end.extra["end_state"] == "crashed"
    assert ("detail" in end.extra) == detail


def test_a_run_without_a_result_is_unfinished(tmp_path: Path, project: Project) -> None:
    path = write(tmp_path, *RECORDS[:2])
    (killed,) = import_paths(project, [path]).traces
    assert killed.end_state == "unfinished"

    import_paths(project, [RUN])
    whole = {row.session_id: row for row in import_paths(project, [RUN]).traces}

    assert whole[SESSION].end_state == "completed"


def test_retries_are_told_with_their_kind(tmp_path: Path) -> None:
    unanswered = {**RECORDS[1], "error_status": None, "error": "unknown"}

    retries = events(read(write(tmp_path, RECORDS[1], unanswered)))

    assert [(e.text, e.error_type, e.extra["retryAttempt"]) for e in retries] == [
        ("overloaded 529", "api", 1),
        ("unknown", "network", 1),
    ]


def test_tokens_of_a_reply_count_once_and_those_of_the_run_not_again() -> None:
    usages = [draft.usage for draft in read(RUN) if draft.usage]

    assert [usage["input_tokens"] for usage in usages] == [40] * 5


@pytest.mark.parametrize("transcript_first", [True, False])
def test_a_run_kept_and_printed_is_counted_once(
    tmp_path: Path, project: Project, transcript_first: bool
) -> None:
    kept = as_transcripts(tmp_path)
    order = [*kept, RUN] if transcript_first else [RUN, *kept]
    for path in order:
        report = import_paths(project, [path])

    rows = {row.session_id: row for row in import_paths(project, order).traces}
    assert {name: row.tool_calls for name, row in rows.items()} == {SESSION: 3, HELPER: 1}
    assert report.total("imported") == (2 if transcript_first else 0)  # the retry, the end


@pytest.mark.parametrize("indent", [None, 2])
def test_the_list_that_json_verbose_prints_reads_the_same(
    tmp_path: Path, indent: int | None
) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps(RECORDS, indent=indent), encoding="utf-8")

    assert detect_format(path) == "claude-stream"
    assert events(read(path)) == events(read(RUN))


def test_a_list_that_was_cut_off_gives_what_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps(RECORDS)[:-40], encoding="utf-8")

    *drafts, problem = claude_stream.read(path)

    assert len(drafts) == 13
    assert isinstance(problem, Problem)
    assert (problem.line, problem.reason[:8]) == (14, "not JSON")


@pytest.mark.parametrize(
    ("record", "known"),
    [
        ({"type": "stream_event", "event": {"type": "message_stop"}}, True),
        ({"type": "rate_limit_event"}, True),
        ({"type": "telepathy"}, False),
    ],
)
def test_unknown_records_are_kept_and_named(
    tmp_path: Path, record: dict[str, Any], known: bool
) -> None:
    _, draft = read(write(tmp_path, RECORDS[0], {**record, "session_id": SESSION}))

    assert (draft.native_type, draft.known) == (record["type"], known)
    assert draft.events == ()


def test_words_that_the_program_put_in_are_injected(tmp_path: Path) -> None:
    record = {**RECORDS[8], "parent_tool_use_id": None}
    later = {**record, "isSynthetic": True}

    first, second = events(read(write(tmp_path, later, record)))

    assert (first.injected, first.event_type) == (True, EventType.MESSAGE)
    assert (second.injected, second.event_type) == (False, EventType.TASK)


def test_a_program_that_prints_alike_is_not_taken_for_claude_code(tmp_path: Path) -> None:
    alike = {k: v for k, v in RECORDS[0].items() if k != "claude_code_version"}
    path = write(tmp_path, {**alike, "qwen_code_version": "0.15.1"}, *RECORDS[2:])

    assert detect_format(path) != "claude-stream"


def test_a_record_without_a_body_is_told_and_the_rest_read(tmp_path: Path) -> None:
    broken = {**RECORDS[2], "message": None}

    first, problem, last = claude_stream.read(write(tmp_path, RECORDS[1], broken, RECORDS[-1]))

    assert isinstance(problem, Problem)
    assert (problem.line, problem.reason) == (2, "assistant record without a message")
    assert isinstance(first, Draft)
    assert isinstance(last, Draft)


@pytest.mark.parametrize("seed", range(3))
def test_bent_records_are_read_without_a_crash(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(40):
        path = write(tmp_path, *(bent(record, chance) for record in RECORDS))

        detect_format(path)

        for record in claude_stream.read(path):
            if isinstance(record, Draft):
                assert_sound(record)
