"""What `gemini --output-format stream-json` prints: no exit codes, replies in pieces."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from hindsight_cli.api.importing import import_paths
from hindsight_cli.api.project import Project
from hindsight_cli.capture.draft import Draft
from hindsight_cli.capture.formats import detect_format, gemini_stream
from hindsight_cli.records.event import EventType, Status
from tests.unit.format_reading import events, reader_of
from tests.unit.test_format_shapes import assert_sound, bent

RUN = Path(__file__).parent.parent / "fixtures" / "gemini_stream" / "run.jsonl"


read = reader_of(gemini_stream)


def write(folder: Path, *records: Any) -> Path:
    path = folder / "run.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def test_every_line_is_one_record_of_the_run_s_session() -> None:
    drafts = read(RUN)

    assert [draft.line for draft in drafts] == list(range(1, 14))
    assert {draft.session.session_id for draft in drafts} == {
        "57ea0000-1111-4222-8333-0000000000dd"
    }


def test_the_pieces_of_a_reply_are_one_message() -> None:
    said = events(read(RUN), EventType.MESSAGE)

    assert [event.text for event in said] == ["I ask the scale.", "The scale is broken."]


def test_a_success_of_a_command_says_only_that_it_ran() -> None:
    results = events(read(RUN), EventType.TOOL_RESULT)

    assert [(e.native_status, e.status, e.status_rule, e.exit_code) for e in results] == [
        ("success", Status.ERROR, "text_build_summary", None),
        ("error", Status.ERROR, "flag", None),
        ("success", Status.ERROR, "exit_code", 3),
    ]
    assert results[1].text == "File not found: /srv/bakery/tare.txt"


def test_the_end_is_told_with_what_it_cost_and_is_no_outcome() -> None:
    drafts = read(RUN)

    (end,) = events(drafts, EventType.END)
    assert end.extra == {"end_state": "completed"}
    assert drafts[-1].usage is not None
    assert drafts[-1].usage["total_tokens"] == 1200
    assert not events(drafts, EventType.OUTCOME)


def test_a_run_that_failed_says_why(tmp_path: Path) -> None:
    error = {"type": "FatalTurnLimitedError", "message": "Reached max session turns."}
    path = write(tmp_path, {"type": "result", "status": "error", "error": error})

    (end,) = events(read(path), EventType.END)
    assert end.extra == {"end_state": "crashed", "detail": "Reached max session turns."}


def test_a_run_without_a_result_is_unfinished(tmp_path: Path, project: Project) -> None:
    lines = RUN.read_text("utf-8").splitlines(keepends=True)
    path = tmp_path / "killed.jsonl"
    path.write_text("".join(lines[:12]), encoding="utf-8")

    (killed,) = import_paths(project, [path]).traces
    (whole,) = import_paths(project, [RUN]).traces

    assert (killed.end_state, whole.end_state) == ("unfinished", "completed")


def test_a_reply_that_was_cut_off_is_told(tmp_path: Path) -> None:
    piece = {"type": "message", "role": "assistant", "content": "I was ab", "delta": True}

    assert [e.text for e in events(read(write(tmp_path, piece)))] == ["I was ab"]


def test_unknown_records_are_kept_and_named(tmp_path: Path) -> None:
    (draft,) = read(write(tmp_path, {"type": "telepathy", "timestamp": "2026-03-04T10:00:00Z"}))

    assert (draft.native_type, draft.known) == ("telepathy", False)


@pytest.mark.parametrize("seed", range(3))
def test_bent_records_are_read_without_a_crash(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    lines = [json.loads(line) for line in RUN.read_text("utf-8").splitlines()]
    for _ in range(40):
        path = write(tmp_path, *(bent(line, chance) for line in lines))

        detect_format(path)

        for record in gemini_stream.read(path):
            if isinstance(record, Draft):
                assert_sound(record)
