"""Faults that users of other tools reported, played again on ours: importing and recording.

Which report each test answers stands in tests/faults/field_reports.py.
"""

from __future__ import annotations

import base64
import json
import multiprocessing
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hindsight_cli import appendlog
from hindsight_cli.api.importing import import_paths
from hindsight_cli.api.project import Project
from hindsight_cli.api.traces import list_traces, read_trace
from hindsight_cli.records.event import Event, EventType
from tests.conftest import MYSQL, SAMPLES, Hindsight

SECRET = "ghp_" + "a1B2c3D4e5" * 3 + "F6g7h8"


def a_record(number: int, **fields: Any) -> dict[str, Any]:
    """A line of a Claude Code transcript, a person's unless told otherwise."""
    message = {"role": "user", "content": f"words {number}"}
    envelope = {"uuid": f"u{number}", "sessionId": "s-1", "version": "2.1.0", "type": "user"}
    parent = f"u{number - 1}" if number > 1 else None
    when = f"2026-11-01T10:{number // 60 % 60:02d}:{number % 60:02d}Z"
    return {**envelope, "parentUuid": parent, "timestamp": when, "message": message, **fields}


def a_reply(number: int, *blocks: dict[str, Any], **fields: Any) -> dict[str, Any]:
    message = {"role": "assistant", "id": f"m{number}", "content": list(blocks)}
    return a_record(number, type="assistant", message=message, **fields)


def a_result(number: int, call_id: str, content: Any, **fields: Any) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": call_id, "content": content}
    return a_record(number, message={"role": "user", "content": [block]}, **fields)


def a_call(call_id: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": "Bash", "input": arguments}


def write(path: Path, records: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def events_of(project: Project, session: str = "s-1") -> list[Event]:
    path = project.traces.find(session)
    assert path is not None
    events, bad = project.traces.read(path)
    assert bad == []
    return events


def bytes_of(project: Project) -> int:
    folders = (project.folder / "traces", project.folder / "outputs")
    return sum(p.stat().st_size for f in folders for p in f.rglob("*") if p.is_file())


@pytest.mark.parametrize("without", [None, "requestId", "uuid"])
def test_a_reply_of_three_lines_is_three_events_and_one_count_of_tokens(
    project: Project, tmp_path: Path, without: str | None
) -> None:
    blocks = [
        {"type": "thinking", "thinking": "look first"},
        {"type": "text", "text": "I look."},
        a_call("c1", command="ls"),
    ]
    lines = [a_record(1)]
    for number, block in enumerate(blocks, 2):
        line = a_reply(number, block, requestId="r1")
        line["message"] |= {"id": "m1", "usage": {"input_tokens": 1000, "output_tokens": 70}}
        lines.append({key: value for key, value in line.items() if key != without})

    import_paths(project, [write(tmp_path / "s.jsonl", lines)])

    events = events_of(project)
    assert [e.event_type for e in events[1:]] == [
        *(EventType.REASONING, EventType.MESSAGE, EventType.TOOL_CALL)
    ]
    usages = [e.native.usage for e in events if e.native.usage]
    assert usages == [{"input_tokens": 1000, "output_tokens": 70}]


def test_a_line_that_comes_again_is_one_duplicate_and_costs_nothing_else(
    hindsight: Hindsight, project: Project, tmp_path: Path
) -> None:
    lines = [a_record(n) for n in range(1, 10)]
    path = write(tmp_path / "s.jsonl", [*lines, lines[2]])

    data = hindsight("import", str(path), "--json").data

    assert (data["found"], data["imported"], data["duplicate"]) == (10, 9, 1)
    assert [e.output_summary for e in events_of(project)] == [f"words {n}" for n in range(1, 10)]


def test_a_parent_that_was_never_written_hides_nothing(project: Project, tmp_path: Path) -> None:
    lines = [a_record(n) for n in range(1, 7)]
    lines[3]["parentUuid"] = "never-written"

    report = import_paths(project, [write(tmp_path / "s.jsonl", lines)])

    assert (report.total("found"), report.total("imported")) == (6, 6)
    assert len(events_of(project)) == 6


def gaps_of(project: Project, session: str = "s-1") -> dict[int, str]:
    """The missing parents by the line that points to them."""
    marked = [e for e in events_of(project, session) if "gap" in e.extra]
    return {e.native.line or 0: e.extra["gap"]["missing_parent"] for e in marked}


def test_a_missing_parent_leaves_a_mark_and_is_told_of(
    hindsight: Hindsight, project: Project, tmp_path: Path
) -> None:
    lines = [a_record(n) for n in range(1, 7)]
    lines[3]["parentUuid"] = "never-written"
    path = write(tmp_path / "s.jsonl", lines)

    (message,) = hindsight("import", str(path), "--json").document["messages"]

    assert message.startswith(f"{path} has 1 gap:")
    assert gaps_of(project) == {4: "never-written"}
    shown = hindsight("traces", "show", "s-1").out
    assert shown.index("words 3") < shown.index("(gap: ") < shown.index("words 4")
    assert hindsight("import", str(path), "--json").document["messages"] == []


def test_a_gap_at_a_record_that_holds_nothing_is_marked_at_the_next(
    project: Project, tmp_path: Path
) -> None:
    lines = [a_record(1), a_record(2, type="progress", parentUuid="never-written"), a_record(3)]

    import_paths(project, [write(tmp_path / "s.jsonl", lines)])

    assert gaps_of(project) == {3: "never-written"}


def without_a_gap(case: str) -> list[dict[str, Any]]:
    outside = a_record(1, parentUuid="of-another-file")
    side = {"isSidechain": True, "agentId": "x"}
    compact = {"subtype": "compact_boundary", "content": "Conversation compacted"}
    return {
        "resumed": [outside, a_record(2), a_record(3)],
        "resumed, with what a hook said first": [
            *(a_record(9, type="attachment", parentUuid=None), outside, a_record(2))
        ],
        "two that go on from the same elsewhere": [
            *(outside, a_record(2), a_record(3, parentUuid="of-another-file"))
        ],
        "a subagent between": [
            *(a_record(1), a_record(50, parentUuid="of-another-file", **side)),
            *(a_record(51, parentUuid="u50", **side), a_record(2)),
        ],
        "a branch": [*(a_record(n) for n in range(1, 5)), a_record(9, parentUuid="u2")],
        "a compaction": [
            *(a_record(1), a_record(2)),
            a_record(3, type="system", parentUuid=None, logicalParentUuid="gone", **compact),
            a_record(4),
        ],
        "silent records between": [a_record(1), a_record(2, type="progress"), a_record(3)],
        "records without ids": [{**a_record(n), "uuid": None} for n in range(1, 5)],
        "a parent that cannot be used": [
            *(a_record(1), a_record(2, message="words"), a_record(3)),
        ],
        "another session in the same file": [
            *(a_record(1), a_record(2), a_record(3, sessionId="s-2", parentUuid="far"))
        ],
    }[case]


@pytest.mark.parametrize(
    "case",
    [
        *("resumed", "resumed, with what a hook said first", "a subagent between", "a branch"),
        *("two that go on from the same elsewhere", "a compaction", "silent records between"),
        *("a parent that cannot be used", "another session in the same file"),
        "records without ids",
    ],
)
def test_what_rightly_points_out_of_a_file_is_no_gap(
    project: Project, tmp_path: Path, case: str
) -> None:
    report = import_paths(project, [write(tmp_path / "s.jsonl", without_a_gap(case))])

    for row in list_traces(project):
        assert gaps_of(project, row.session_id) == {}
    assert not [message for message in report.messages if "gap" in message]


def test_a_source_whose_content_was_blanked_is_told_of_and_takes_nothing(
    hindsight: Hindsight, project: Project, tmp_path: Path
) -> None:
    lines = [
        *(a_record(1), a_reply(2, a_call("c1", command="ls"))),
        *(a_result(3, "c1", "setup.py"), a_reply(4, {"type": "text", "text": "done"})),
    ]
    path = write(tmp_path / "s.jsonl", lines)
    hindsight("import", str(path))
    stored = project.traces.find("s-1")
    assert stored is not None
    before = stored.read_bytes()
    for line in lines[1:]:
        line["message"]["content"] = ""
    write(path, lines)

    done = hindsight("import", str(path), "--json")

    assert stored.read_bytes() == before
    (message,) = done.document["messages"]
    assert f"{path} lost the content of 3 record(s) of session s-1" in message
    assert done.code == 0


def test_records_that_never_held_anything_are_not_called_lost(
    project: Project, tmp_path: Path
) -> None:
    lines = [a_record(1), a_record(2, type="mode"), a_record(3)]
    path = write(tmp_path / "s.jsonl", lines)

    assert [import_paths(project, [path]).messages for _ in range(2)] == [[], []]


def test_a_subagent_without_its_parent_is_imported_and_the_parent_called_missing(
    hindsight: Hindsight, project: Project, tmp_path: Path
) -> None:
    logs = tmp_path / "logs"
    child = [a_record(n, isSidechain=True, agentId="1") for n in range(1, 3)]
    write(logs / "s-1" / "subagents" / "agent-1.jsonl", child)

    alone = hindsight("import", str(logs / "s-1"), "--json")

    assert alone.code == 0
    assert [t["session_id"] for t in alone.data["traces"]] == ["s-1-agent-1"]
    (message,) = alone.document["messages"]
    assert message.startswith("Parent missing: 1 subagent session(s) of s-1")
    assert [row.session_id for row in list_traces(project)] == ["s-1-agent-1"]

    main = [a_record(n, uuid=f"main-{n}", parentUuid=f"main-{n - 1}") for n in range(1, 4)]
    write(logs / "s-1.jsonl", main)
    both = hindsight("import", str(logs), "--json")
    assert both.document["messages"] == []
    (logs / "s-1.jsonl").unlink()
    again = hindsight("import", str(logs), "--json")
    assert again.document["messages"] == []
    assert len(events_of(project, "s-1")) == 3


def test_a_summary_at_the_end_is_a_boundary_and_no_step(project: Project, tmp_path: Path) -> None:
    lines = [a_record(1), a_reply(2, a_call("c1", command="ls")), a_result(3, "c1", "setup.py")]
    whole = [*lines, {"type": "summary", "summary": "All tests pass.", "leafUuid": "u3"}]
    compact = {"subtype": "compact_boundary", "content": "Conversation compacted"}
    whole.append({**a_record(4, type="system"), **compact})

    import_paths(project, [write(tmp_path / "s.jsonl", whole)])

    events = events_of(project)
    assert [e.event_type for e in events[3:]] == [EventType.COMPACTION, EventType.COMPACTION]
    assert all(e.injected for e in events[3:])
    assert max(e.step_index for e in events) == 2


def test_a_summary_cannot_be_cited(hindsight: Hindsight, tmp_path: Path) -> None:
    lines = [a_record(1), a_reply(2, a_call("c1", command="ls")), a_result(3, "c1", "setup.py")]
    whole = [*lines, {"type": "summary", "summary": "All tests pass.", "leafUuid": "u3"}]
    hindsight("import", str(write(tmp_path / "s.jsonl", whole)))
    claimed = {
        "kind": "success_pattern",
        "scenario": "Listing the files of this project before a change",
        "recommend": "Run `ls` first to see `setup.py`.",
        "avoid": "",
        "why": "It shows the files.",
        "cites": [{"step": 3, "tool": "Bash"}],
        "workaround": False,
        "layer": "specific",
        "scope": {},
        "tool_tags": ["bash"],
        "task_tags": ["listing"],
    }
    answer = {"task_status": "success", "key_steps": [], "invalid_steps": [], "verdicts": []}
    reply = tmp_path / "reply.json"
    reply.write_text(json.dumps({**answer, "experiences": [claimed]}))

    data = hindsight("reflect", "s-1", "--reply", str(reply), "--json").data

    assert data["proposed"] == []
    assert [d["code"] for d in data["dropped"]] == ["step_not_in_trace"]


def test_a_rollout_of_another_version_is_an_error_that_names_it(
    hindsight: Hindsight, project: Project, tmp_path: Path
) -> None:
    when = {"timestamp": "2026-11-01T10:00:00.000Z"}
    about = {"id": "0f", "timestamp": when["timestamp"], "cwd": "/x", "cli_version": "0.999.1"}
    lines = [{**when, "type": "session_meta", "payload": about}]
    for n in range(200):
        kind = ("chat_item", "turn_note")[n % 2]
        lines.append({**when, "type": kind, "payload": {"type": "message", "text": f"words {n}"}})

    done = hindsight("import", str(write(tmp_path / "rollout.jsonl", lines)), "--json")

    (error,) = done.document["errors"]
    assert (done.code, error["code"]) == (1, "nothing_read")
    assert "100 x chat_item, 100 x turn_note" in error["message"]
    assert "codex 0.999.1" in error["message"]
    assert list_traces(project) == []


def test_one_odd_record_among_a_hundred_files_costs_at_most_itself(
    hindsight: Hindsight, project: Project, tmp_path: Path
) -> None:
    folder = tmp_path / "many"
    for n in range(100):
        lines = [a_record(m, sessionId=f"s-{n}") for m in range(1, 4)]
        if n == 41:
            lines.insert(1, a_record(9, sessionId=f"s-{n}", type="hologram"))
        write(folder / f"{n}.jsonl", lines)

    done = hindsight("import", str(folder), "--json")

    assert len(list_traces(project)) == 100
    assert (done.code, done.data["failed"]) == (0, 0)
    assert done.data["unknown_records"] == {"hologram": 1}
    assert done.data["found"] == done.data["imported"] == 301


def test_a_cut_line_in_the_middle_is_named_with_its_number_and_no_secret(
    hindsight: Hindsight, project: Project, tmp_path: Path
) -> None:
    path = write(tmp_path / "s.jsonl", [a_record(n) for n in range(1, 2759)])
    lines = path.read_text().splitlines(keepends=True)
    lines[182] = f'{{"token": "{SECRET}", "type": "user", "mess\n'
    path.write_text("".join(lines))

    done = hindsight("import", str(path), "--json")

    assert (done.code, done.data["found"], done.data["imported"]) == (3, 2758, 2757)
    ((where, line, reason),) = [(p["path"], p["line"], p["reason"]) for p in done.data["problems"]]
    assert (where, line) == (str(path), 183)
    assert '{"token": ' in reason
    assert SECRET not in done.out + done.err
    assert "183" in hindsight("import", str(path)).err + hindsight("import", str(path)).out


def test_lines_that_could_not_be_read_are_shown_where_they_stood(
    hindsight: Hindsight, project: Project, tmp_path: Path
) -> None:
    path = write(tmp_path / "s.jsonl", [a_record(n) for n in range(1, 7)])
    lines = path.read_text().splitlines(keepends=True)
    lines[3] = f'{{"token": "{SECRET}", "mess\n'
    path.write_text("".join(lines))
    hindsight("import", str(path))

    told = hindsight("traces", "show", "s-1")
    (unread,) = hindsight("traces", "show", "s-1", "--json").data["unread"]

    assert told.out.index("words 3") < told.out.index("(line 4 could") < told.out.index("words 5")
    assert (unread["path"], unread["line"], unread["after_step"]) == (str(path), 4, 3)
    assert '{"token": ' in unread["reason"]
    assert SECRET not in told.out + "".join(
        p.read_text() for p in project.folder.rglob("*.jsonl*") if p.is_file()
    )
    assert hindsight("traces", "delete", "s-1").code == 0
    assert project.traces.all_files() == []


def test_a_line_that_was_half_written_is_unread_only_until_it_is_whole(
    hindsight: Hindsight, tmp_path: Path
) -> None:
    path = write(tmp_path / "s.jsonl", [a_record(n) for n in range(1, 4)])
    whole = path.read_text()
    path.write_text(whole[:-20])
    counts = []
    for text in (whole[:-20], whole[:-20], whole):
        path.write_text(text)
        hindsight("import", str(path))
        counts.append(len(hindsight("traces", "show", "s-1", "--json").data["unread"]))

    assert counts == [1, 1, 0]


def test_strict_writes_nothing_of_a_file_with_one_bad_line(
    hindsight: Hindsight, project: Project, tmp_path: Path
) -> None:
    path = write(tmp_path / "s.jsonl", [a_record(n) for n in range(1, 11)])
    with path.open("a") as file:
        file.write('{"half": \n')

    assert hindsight("import", str(path), "--strict").code != 0
    assert project.traces.sessions() == []
    counts = hindsight("import", str(path), "--json").data
    names = ("found", "imported", "duplicate", "skipped", "failed")
    assert [counts[name] for name in names] == [11, 10, 0, 0, 1]


def test_traces_of_an_earlier_and_of_a_later_version_are_read_by_all(
    hindsight: Hindsight, project: Project, tmp_path: Path
) -> None:
    hindsight("import", str(SAMPLES / "mysql-container.jsonl"))
    path = project.traces.find(MYSQL)
    assert path is not None
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    later = ("status_rule", "attempt", "importance", "duration_ms", "injected")
    for n, line in enumerate(lines):
        if n % 2:
            line["novel_field"] = {"of": "a later version"}
        for name in later if n % 3 == 0 else ():
            line.pop(name, None)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    before = path.read_bytes()

    assert hindsight("index", "rebuild").code == 0
    (row,) = hindsight("traces", "list", "--json").data["traces"]
    shown = hindsight("traces", "show", MYSQL, "--json").data

    assert row["events"] == len(shown["events"]) == len(lines)
    assert hindsight("reflect", MYSQL).code == 0
    assert path.read_bytes() == before


def test_the_main_file_of_a_session_is_its_trace_and_goes_on_growing(
    project: Project, tmp_path: Path
) -> None:
    main = [a_record(n) for n in range(1, 61)]
    child = [a_record(n, uuid=f"c{n}", isSidechain=True, agentId="x") for n in range(1, 3)]
    write(tmp_path / "s-1" / "subagents" / "agent-x.jsonl", child)
    counts = []
    for length in (50, 60):
        write(tmp_path / "s-1.jsonl", main[:length])
        import_paths(project, [tmp_path])
        counts.append({row.session_id: row.events for row in list_traces(project)})

    assert counts == [{"s-1": 50, "s-1-agent-x": 2}, {"s-1": 60, "s-1-agent-x": 2}]


def test_equal_session_ids_in_two_folders_lose_no_record(project: Project, tmp_path: Path) -> None:
    for folder, first in (("a", 1), ("b", 11)):
        lines = [a_record(n) for n in range(first, first + 3)]
        write(tmp_path / folder / "s-1.jsonl", lines)

    report = import_paths(project, [tmp_path])

    assert (report.total("imported"), len(events_of(project))) == (6, 6)
    assert any("records of two files" in message for message in report.messages)


def test_an_import_that_was_killed_goes_on_and_doubles_nothing(
    project: Project, tmp_path: Path
) -> None:
    lines = [a_record(n, message={"role": "user", "content": "x" * 150}) for n in range(9000)]
    path = write(tmp_path / "s.jsonl", lines)
    killed = subprocess.Popen(
        [sys.executable, "-m", "hindsight_cli", "import", str(path)],
        cwd=project.root,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 60
    while bytes_of(project) == 0 and time.monotonic() < deadline:
        time.sleep(0.005)
    os.kill(killed.pid, signal.SIGKILL)
    killed.wait()
    kept = project.traces.find("s-1")
    assert kept is not None
    finished = [line for line in kept.read_bytes().split(b"\n")[:-1] if line]

    report = import_paths(project, [path])

    events = events_of(project)
    assert 0 < len(finished) < 9000
    assert [e.seq for e in events] == list(range(1, 9001))
    assert len({e.event_id for e in events}) == 9000
    assert kept.read_bytes().split(b"\n")[: len(finished)] == finished
    assert report.total("duplicate") == len(finished)


def test_memory_is_bound_whatever_the_size_of_the_file(project: Project, tmp_path: Path) -> None:
    """Twice and eight times as much: the peak of a process of its own stays where it was."""
    code = (
        "import resource, sys; from pathlib import Path\n"
        "from hindsight_cli.api.importing import import_paths\n"
        "from hindsight_cli.api.project import Project\n"
        "import_paths(Project(Path(sys.argv[1])), [Path(sys.argv[2])])\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\n"
    )
    peaks = []
    for lines in (5, 40):
        path = tmp_path / f"{lines}.jsonl"
        with path.open("w") as file:
            for n in range(lines):
                text = f"words of file {n} " * 60_000
                file.write(json.dumps(a_result(n, f"c{n}", text, sessionId=f"s{lines}")) + "\n")
        command = [sys.executable, "-c", code, str(project.root), str(path)]
        peaks.append(1024 * int(subprocess.run(command, capture_output=True, check=True).stdout))

    assert max(peaks) < 400_000_000
    assert peaks[1] - peaks[0] < 30_000_000


def test_a_file_that_could_not_be_read_is_named_and_taken_as_soon_as_it_can_be(
    hindsight: Hindsight, project: Project, tmp_path: Path
) -> None:
    """A cut document, as permissions stop no root; nothing remembers it as done or as bad."""
    folder = tmp_path / "many"
    write(folder / "good.jsonl", [a_record(1)])
    document = json.dumps([{"role": "user", "content": "fix it"}])
    (folder / "bad.json").write_text(document[:-4])
    first = hindsight("import", str(folder), "--json")
    assert first.code == 3
    assert "bad.json" in first.document["errors"][0]["message"]

    (folder / "bad.json").write_text(document)
    second = hindsight("import", str(folder), "--json")

    assert (second.code, second.data["imported"]) == (0, 1)
    assert len(list_traces(project)) == 2


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_without_permission_is_taken_once_it_has_it(
    hindsight: Hindsight, project: Project, tmp_path: Path
) -> None:
    path = write(tmp_path / "s.jsonl", [a_record(1)])
    path.chmod(0)
    assert hindsight("import", str(path)).code == 1
    path.chmod(0o600)
    assert hindsight("import", str(path)).code == 0
    assert len(list_traces(project)) == 1


PICTURE = base64.b64encode(bytes(range(256)) * 8000).decode()
SOURCE = {"type": "base64", "media_type": "image/png", "data": PICTURE}
URI = f"data:image/png;base64,{PICTURE}"


@pytest.mark.parametrize(
    "content",
    [
        f"saved as {URI} in full",
        [{"type": "text", "text": "a picture"}, {"type": "image", "source": SOURCE}],
        [{"type": "text", "text": URI}],
        [{"type": "tool_result", "content": [{"type": "image", "source": SOURCE}]}],
        [{"type": "image_url", "image_url": {"url": URI}}],
        [{"type": "image", "data": PICTURE, "mimeType": "image/png"}],
    ],
    ids=["uri", "image", "uri in a block", "image in a list in a list", "url", "mcp"],
)
def test_binaries_lie_aside_once_however_they_are_nested(
    project: Project, tmp_path: Path, content: Any
) -> None:
    lines = [a_record(1)]
    for n in range(5):
        lines.append(a_reply(10 + 2 * n, a_call(f"c{n}", command=f"shot {n}")))
        lines.append(a_result(11 + 2 * n, f"c{n}", content, toolUseResult=content))

    report = import_paths(project, [write(tmp_path / "s.jsonl", lines)])

    path = project.traces.find("s-1")
    assert path is not None
    stored = path.read_text()
    assert report.total("imported") == 11
    assert all(len(line) < 4096 for line in stored.splitlines())
    assert not re.search("[A-Za-z0-9+/]{201}", stored)
    large = [p for p in (project.folder / "outputs").rglob("*") if p.is_file()]
    assert sum(p.stat().st_size > 1_000_000 for p in large) == 1
    assert all(PICTURE[:200].encode() not in p.read_bytes() for p in large)


def test_what_is_stored_is_weighed_and_a_rule_outlives_its_trace(
    hindsight: Hindsight, project: Project, port_lesson: str
) -> None:
    before = hindsight("status", "--json").data["bytes_on_disk"]
    assert before >= bytes_of(project) > 0

    assert hindsight("traces", "delete", MYSQL).code == 0

    assert hindsight("status", "--json").data["bytes_on_disk"] < before
    shown = hindsight("experiences", "show", port_lesson, "--json").data["experience"]
    assert shown["evidence"]
    assert all(e["output"] or e["input"] for e in shown["evidence"])


def test_importing_a_growing_session_again_and_again_takes_no_more_room(
    project: Project, tmp_path: Path
) -> None:
    lines = [a_record(1)]
    for n in range(40):
        lines.append(a_reply(10 + 2 * n, a_call(f"c{n}", command=f"make {n}")))
        lines.append(a_result(11 + 2 * n, f"c{n}", f"output {n} " * 300))
    path = tmp_path / "s.jsonl"
    for round_ in range(1, 21):
        import_paths(project, [write(path, lines[: 1 + 4 * round_])])
    once = Project(tmp_path / "once")
    once.root.mkdir()
    once.init()
    import_paths(once, [path])

    assert bytes_of(project) <= 1.05 * bytes_of(once)


def test_five_more_lines_of_a_live_session_are_five_more_events(
    project: Project, tmp_path: Path
) -> None:
    lines = [a_record(1)]
    for n in range(2, 16, 2):
        lines.append(a_reply(n, a_call(f"c{n}", command=f"make {n}")))
        lines.append(a_result(n + 1, f"c{n}", "made"))
    path = write(tmp_path / "s.jsonl", lines[:10])
    import_paths(project, [path])
    (first,) = list_traces(project)
    before = [(e.seq, e.step_index, e.event_id) for e in events_of(project)]
    write(path, lines)

    report = import_paths(project, [path])

    (row,) = list_traces(project)
    assert (first.end_state, report.total("imported")) == ("unfinished", 5)
    assert (row.trace_id, row.events) == (first.trace_id, 15)
    assert [(e.seq, e.step_index, e.event_id) for e in events_of(project)][:10] == before


def as_garbage(path: Path) -> None:
    for file in path.parent.glob("index.db*"):
        file.unlink()
    path.write_bytes(b"garbage" * 999)


def as_missing(path: Path) -> None:
    for file in path.parent.glob("index.db*"):
        file.unlink()


def as_locked(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("begin exclusive")
    return connection


@pytest.mark.parametrize("broken", [as_garbage, as_missing, as_locked])
def test_capture_does_not_need_the_index(
    hindsight: Hindsight, project: Project, tmp_path: Path, broken: Callable[[Path], object]
) -> None:
    hindsight("import", str(SAMPLES / "mysql-container.jsonl"))
    holding = broken(project.index_path)

    ran = hindsight("run", "--no-reflect", "--", "sh", "-c", "echo seen; exit 4")
    imported = import_paths(project, [write(tmp_path / "s.jsonl", [a_record(1), a_record(2)])])
    if isinstance(holding, sqlite3.Connection):
        holding.close()

    assert (ran.code, ran.out) == (4, "seen\n")
    assert imported.total("imported") == 2
    assert hindsight("index", "rebuild").code == 0
    rows = list_traces(project)
    assert len(rows) == 3
    (own,) = [row for row in rows if row.session_id not in (MYSQL, "s-1")]
    kinds = [e.event_type for e in read_trace(project, own.trace_id).trace.events]
    assert kinds == [EventType.TASK, EventType.OBSERVATION, EventType.OUTCOME, EventType.END]


def test_eight_writers_of_large_records_weld_no_two_together(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    with multiprocessing.get_context("fork").Pool(8) as pool:
        pool.map(_append_large, [(path, writer) for writer in range(8)])

    read = Counter(str((line.data or {}).get("n")) for line in appendlog.read_lines(path))
    assert read == Counter(str([w, i]) for w in range(8) for i in range(25))


def _append_large(job: tuple[Path, int]) -> None:
    path, writer = job
    for i in range(25):
        appendlog.append(path, [{"n": [writer, i], "text": "x" * 200_000}])


def test_events_that_cannot_be_saved_are_counted_and_the_command_goes_on(
    hindsight: Hindsight, project: Project
) -> None:
    """What lies in the place of the traces stops root too."""
    traces = project.folder / "traces"
    swap = f"mv {traces} {traces}.away; echo in the way > {traces}"
    command = f"echo first; sleep 0.8; {swap}; echo second; sleep 0.8; echo third; exit 5"

    done = hindsight("run", "--no-reflect", "--", "sh", "-c", command)

    assert (done.code, done.out) == (5, "first\nsecond\nthird\n")
    assert re.search(r"[1-9]\d* events are not saved", done.err)
    assert "Traceback" not in done.err


def test_every_reader_passes_over_the_same_bad_line(hindsight: Hindsight, project: Project) -> None:
    hindsight("import", str(SAMPLES / "mysql-container.jsonl"))
    path = project.traces.find(MYSQL)
    assert path is not None
    lines = path.read_bytes().splitlines(keepends=True)
    lines.insert(4, b'{"garbage": \xff\n')
    path.write_bytes(b"".join(lines))

    assert hindsight("index", "rebuild").code == 0
    (row,) = hindsight("traces", "list", "--json").data["traces"]
    shown = hindsight("traces", "show", MYSQL, "--json").data
    assert row["events"] == len(shown["events"]) == len(lines) - 1
    for command in (["reflect", MYSQL], ["failures"], ["traces", "export", MYSQL], ["validate"]):
        done = hindsight(*command)
        assert (done.code, "Traceback" in done.err) == (0, False), command
