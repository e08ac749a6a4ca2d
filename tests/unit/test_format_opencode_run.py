"""What `opencode run --format json` prints: the parts of an export, as they come."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from hindsight_cli.api.importing import import_paths
from hindsight_cli.api.project import Project
from hindsight_cli.capture.draft import Draft, Problem
from hindsight_cli.capture.formats import detect_format, opencode_run
from hindsight_cli.records.event import EventType, Status
from tests.unit.format_reading import events, reader_of
from tests.unit.test_format_opencode import EXPORT, SESSION, a_shell, a_text, a_tool
from tests.unit.test_format_shapes import assert_sound, bent

STREAM = Path(__file__).parent.parent / "fixtures" / "opencode_run" / "run.jsonl"
RECORDS = [json.loads(line) for line in STREAM.read_text(encoding="utf-8").splitlines()]
TIME_MS = 1_772_617_500_000


read = reader_of(opencode_run)


def write(folder: Path, records: Iterable[Any]) -> Path:
    path = folder / "out.jsonl"
    path.write_text("".join(f"{json.dumps(r)}\n" for r in records), encoding="utf-8")
    return path


def a_line(kind: str, part: Mapping[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    line = {"type": kind, "timestamp": TIME_MS, "sessionID": "ses_1", **more}
    return line if part is None else {**line, "part": {"id": f"prt_{kind}", **part}}


STOP = a_line("step_finish", {"type": "step-finish", "reason": "stop"})


def test_every_line_is_one_record_of_the_session() -> None:
    drafts = read(STREAM)

    assert [draft.line for draft in drafts] == list(range(1, len(RECORDS) + 1))
    assert all(draft.known for draft in drafts)
    assert {draft.session.session_id for draft in drafts} == {SESSION}
    assert drafts[0].session.agent == "opencode"


def test_failures_are_found_behind_completed() -> None:
    results = events(read(STREAM), EventType.TOOL_RESULT)

    assert [result.status for result in results] == [
        *(Status.ERROR, Status.ERROR, Status.OK, Status.ERROR, Status.DENIED),
        *(Status.TIMEOUT, Status.OK, Status.ERROR, Status.OK, Status.OK),
    ]
    assert results[0].exit_code == 1


def test_a_run_and_its_export_are_the_same_events(project: Project) -> None:
    import_paths(project, [EXPORT])

    report = import_paths(project, [STREAM])

    assert report.total("imported") == 0
    assert report.total("duplicate") > 10


def test_an_export_after_a_run_adds_what_the_run_did_not_print(project: Project) -> None:
    import_paths(project, [STREAM])

    report = import_paths(project, [EXPORT])

    (trace,) = report.traces
    assert (trace.task, trace.tool_calls) == ('Make the price tests pass, then say "done".', 10)


@pytest.mark.parametrize(
    ("records", "state"),
    [
        (
            [
                a_line("text", a_text("Done.")),
                a_line("step_finish", {"type": "step-finish", "reason": "stop"}),
            ],
            "completed",
        ),
        ([a_line("tool_use", a_tool())], "unfinished"),
        ([a_line("tool_use", a_tool()), a_line("error", error={"name": "APIError"})], "failed"),
        ([a_line("text", a_text("On it."))], "unfinished"),
    ],
)
def test_a_run_that_was_killed_did_not_end(
    project: Project, tmp_path: Path, records: list[Any], state: str
) -> None:
    (trace,) = import_paths(project, [write(tmp_path, records)]).traces

    assert trace.end_state == state


def test_the_error_of_a_run_says_what_failed(tmp_path: Path) -> None:
    error = {"name": "APIError", "data": {"message": "model not ready", "statusCode": 400}}

    (end,) = events(read(write(tmp_path, [a_line("error", error=error)])))

    assert (end.event_type, end.text, end.error_type) == (EventType.END, "model not ready", "api")
    assert end.extra == {"end_state": "failed", "error": "APIError", "status_code": 400}
    assert end.timestamp == "2026-03-04T09:45:00.000Z"


def test_a_call_told_of_twice_is_one_call(project: Project, tmp_path: Path) -> None:
    running, done = a_tool(status="running"), a_shell("make", "no rule", exit=2)
    path = write(tmp_path, [a_line("tool_use", running), a_line("tool_use", done)])

    (trace,) = import_paths(project, [path]).traces

    assert (trace.tool_calls, trace.failed_tool_calls) == (1, 1)


def test_what_a_step_cost_is_on_its_last_event() -> None:
    drafts = read(STREAM)

    counted = [draft for draft in drafts if draft.usage]
    assert [draft.usage["input"] for draft in counted if draft.usage] == [180, 200, 200, 200, 300]
    assert all(draft.events for draft in counted)


def test_words_of_a_program_between_the_lines_are_told(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    lines = ["INFO service=default starting", *map(json.dumps, RECORDS)]
    path.write_text("\n".join(lines), encoding="utf-8")

    assert detect_format(path) == "opencode-run"
    first, *others = opencode_run.read(path)
    assert isinstance(first, Problem)
    assert len(others) == len(RECORDS)


def test_the_last_line_of_newer_versions_is_known(tmp_path: Path) -> None:
    (draft,) = read(write(tmp_path, [a_line("done", reason="idle", rejected=[])]))

    assert (draft.known, draft.events) == (True, ())


def test_a_line_of_a_new_type_is_kept_and_counted(project: Project, tmp_path: Path) -> None:
    path = write(tmp_path, [a_line("dream"), a_line("text", a_text("Hi"))])

    report = import_paths(project, [path])

    assert report.unknown_records == {"dream": 1}


def test_lines_without_a_part_are_problems(tmp_path: Path) -> None:
    lines = [a_line("text", a_text("Hi")), a_line("text"), {"type": "text", "part": 5}, [], "x"]

    records = list(opencode_run.read(write(tmp_path, lines)))

    assert [type(record) for record in records] == [Draft, *[Problem] * 4]


@pytest.mark.parametrize(
    "line",
    [
        {"type": "text", "text": "x"},
        {"type": "text", "timestamp": 1, "sessionID": "s", "part": "x"},
        {"type": "tool_use", "timestamp": "t", "tool_name": "x", "tool_id": "y"},
        {"type": "error", "sessionID": "s", "timestamp": 1},
    ],
)
def test_lines_of_others_are_not_taken_for_a_run(tmp_path: Path, line: Mapping[str, Any]) -> None:
    assert detect_format(write(tmp_path, [line])) != "opencode-run"


@pytest.mark.parametrize("seed", range(4))
def test_bent_lines_are_all_accounted_for(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(60):
        path = write(tmp_path, [bent(r, chance) for r in chance.sample(RECORDS, 8)])

        detect_format(path)
        records = list(opencode_run.read(path))

        assert [record.line for record in records] == list(range(1, 9))
        for record in records:
            if isinstance(record, Draft):
                assert_sound(record)
