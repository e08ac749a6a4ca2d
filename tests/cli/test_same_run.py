"""A run that several files tell of is one session, whichever of them is imported first."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from hindsight_cli.api.deleting import delete_trace
from hindsight_cli.api.importing import ImportReport, import_paths
from hindsight_cli.api.project import Project
from hindsight_cli.api.recording import note_outcome
from hindsight_cli.api.traces import list_traces
from hindsight_cli.records.event import EventType, Outcome
from hindsight_cli.records.experience import Citation
from hindsight_cli.records.ledger import EntryKind
from tests.conftest import Hindsight
from tests.factories import an_entry, an_experience
from tests.unit.test_format_opencode_db import a_database

FIXTURES = Path(__file__).parent.parent / "fixtures"
CLAUDE = "claude_code/0f3c9a52-7d1e-4c62-9b1f-2a6d5e8b7c10.jsonl"
CODEX = "codex/rollout-2026-09-14T08-29-59-019f0a10-2b3c-7d4e-8f50-617283940a1b.jsonl"
GEMINI = "gemini/session-2026-03-04T10-15-5b0c9f0e.jsonl"
QWEN = "qwen/9e000000-1111-4222-8333-0000000000ee.jsonl"
CLAUDE_ID = "0f3c9a52-7d1e-4c62-9b1f-2a6d5e8b7c10"
CODEX_ID = "019f0a10-2b3c-7d4e-8f50-617283940a1b"
GEMINI_ID = "5b0c9f0e-1111-4222-8333-0000000000aa"
PI_ID = "0199a1b2-0001-7000-8000-00000000aaaa"
COPILOT_ID = "5f0a1c2e-0001-4000-8000-00000000aaaa"
QWEN_ID = "9e000000-1111-4222-8333-0000000000ee"
OPENCODE_ID = "ses_34dd0a8b1ffe7QpTzVbN2kLmYc"

# Transcript, another file that tells of a run, and what to write otherwise in that one, so
# that it is the same run.
PAIRS = {
    "codex, its stream": (CODEX, "codex_exec/exec.jsonl", {}),
    "gemini, its stream": (
        GEMINI,
        "gemini_stream/run.jsonl",
        {"57ea0000-1111-4222-8333-0000000000dd": GEMINI_ID},
    ),
    "pi, its stream": (
        "pi/session.jsonl",
        "pi/stream.jsonl",
        {"0199a1b2-0004-7000-8000-00000000dddd": PI_ID},
    ),
    "claude, telemetry": (CLAUDE, "otlp/claude_logs.jsonl", {"0b0c-2": CLAUDE_ID}),
    "claude, spans": (CLAUDE, "otlp/claude_spans.jsonl", {"0b0c-1": CLAUDE_ID}),
    "gemini, telemetry": (GEMINI, "otlp/gemini_logs.json", {"gem-1": GEMINI_ID}),
    "stream, trajectory": (
        "pi/stream.jsonl",
        "atif/bakery.json",
        {
            "5f0c7b1e-2222-4a00-9c00-0000000000aa": "0199a1b2-0004-7000-8000-00000000dddd",
            "oven-agent": "pi",
        },
    ),
    **{
        f"{agent}, trajectory": (
            transcript,
            "atif/bakery.json",
            {"5f0c7b1e-2222-4a00-9c00-0000000000aa": session_id, "oven-agent": agent},
        )
        for agent, transcript, session_id in (
            ("claude-code", CLAUDE, CLAUDE_ID),
            ("codex", CODEX, CODEX_ID),
            ("gemini-cli", GEMINI, GEMINI_ID),
            ("pi", "pi/session.jsonl", PI_ID),
            ("copilot-cli", "copilot/events.jsonl", COPILOT_ID),
            ("qwen-code", QWEN, QWEN_ID),
            ("opencode", "opencode/export.json", OPENCODE_ID),
        )
    },
}
Pair = tuple[Path, Path]  # the richer, the poorer


@pytest.fixture
def pair(request: pytest.FixtureRequest, tmp_path: Path) -> Pair:
    richer, poorer, changes = PAIRS[request.param]
    return FIXTURES / richer, changed(tmp_path, poorer, changes)


def changed(folder: Path, fixture: str, changes: dict[str, str]) -> Path:
    text = (FIXTURES / fixture).read_text(encoding="utf-8")
    for old, new in changes.items():
        text = text.replace(old, new)
    path = folder / Path(fixture).name
    path.write_text(text, encoding="utf-8")
    return path


def told(project: Project) -> list[tuple[str, int, int]]:
    return sorted((t.session_id, t.events, t.tool_calls) for t in list_traces(project))


def alone(folder: Path, path: Path) -> list[tuple[str, int, int]]:
    """What there is after an import of this file only."""
    project = Project(folder / "alone")
    project.root.mkdir()
    project.init()
    import_paths(project, [path])
    return told(project)


def assert_adds_up(report: ImportReport) -> None:
    for file in report.files:
        assert file.found == file.imported + file.duplicate + file.skipped + file.failed


@pytest.mark.parametrize("pair", PAIRS, indirect=True)
def test_the_poorer_file_adds_nothing_and_says_so(
    project: Project, tmp_path: Path, pair: Pair
) -> None:
    richer, poorer = pair
    import_paths(project, [richer])
    report = import_paths(project, [poorer])

    assert told(project) == alone(tmp_path, richer)
    assert (report.total("imported"), report.total("duplicate") > 0) == (0, True)
    assert_adds_up(report)
    (message,) = (m for m in report.messages if "same run" in m)
    held = [t.session_id for t in report.traces]
    assert held
    assert held[0] in message


@pytest.mark.parametrize("pair", PAIRS, indirect=True)
@pytest.mark.parametrize("together", [True, False])
def test_the_richer_file_takes_the_place_of_the_poorer(
    project: Project, tmp_path: Path, pair: Pair, *, together: bool
) -> None:
    richer, poorer = pair
    if together:
        report = import_paths(project, [poorer, richer])
    else:
        import_paths(project, [poorer])
        report = import_paths(project, [richer])

    assert told(project) == alone(tmp_path, richer)
    assert_adds_up(report)
    assert any("gives way" in message for message in report.messages)
    assert {t.session_id for t in report.traces} == {name for name, *_ in told(project)}
    before = contents(project)
    again = import_paths(project, [poorer, richer])
    assert again.total("imported") == 0
    assert contents(project) == before


def contents(project: Project) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in project.traces.all_files()}


@pytest.mark.parametrize("pair", ["gemini, its stream", "codex, its stream"], indirect=True)
def test_what_gave_way_is_kept_unchanged_and_deleted_with_the_session(
    project: Project, pair: Pair
) -> None:
    richer, poorer = pair
    import_paths(project, [poorer])
    (before,) = contents(project).values()
    import_paths(project, [richer])
    assert before in contents(project).values()

    delete_trace(project, list_traces(project)[0].session_id)
    assert contents(project) == {}


@pytest.mark.parametrize("pair", ["gemini, its stream", "codex, its stream"], indirect=True)
@pytest.mark.parametrize("by", ["a citation", "an outcome"])
def test_a_session_in_use_keeps_its_source(project: Project, pair: Pair, by: str) -> None:
    richer, poorer = pair
    import_paths(project, [poorer])
    ((session_id, *_),) = told(project)
    if by == "a citation":
        cited = an_experience(citations=(Citation(session_id=session_id, step_index=1),))
        project.ledger.append([an_entry(EntryKind.PROPOSED, cited)])
    else:
        note_outcome(project, session_id, Outcome.SUCCESS, source="human")
    before = contents(project)

    report = import_paths(project, [richer])

    assert contents(project) == before
    assert (report.total("imported"), report.total("duplicate") > 0) == (0, True)
    assert_adds_up(report)
    assert any(session_id in message for message in report.messages)


def test_spans_and_logs_of_one_run_count_once(project: Project, tmp_path: Path) -> None:
    logs = changed(tmp_path, "otlp/claude_logs.jsonl", {"0b0c-2": "run-5"})
    spans = changed(tmp_path, "otlp/claude_spans.jsonl", {"0b0c-1": "run-5"})
    both = tmp_path / "both.jsonl"
    both.write_text(logs.read_text() + spans.read_text())
    for paths in ([logs, spans], [both]):
        assert_adds_up(import_paths(project, paths))
        assert len(told(project)) == 1
        delete_trace(project, told(project)[0][0])


def test_runs_of_other_agents_are_left_apart(project: Project, tmp_path: Path) -> None:
    changes = {"5f0c7b1e-2222-4a00-9c00-0000000000aa": CODEX_ID}
    trajectory = changed(tmp_path, "atif/bakery.json", changes)
    report = import_paths(project, [FIXTURES / CODEX, trajectory])
    assert {t.session_id for t in report.traces} >= {CODEX_ID, f"{CODEX_ID}-atif"}


def test_a_session_that_was_exported_is_not_read_back_beside_itself(
    hindsight: Hindsight, project: Project, tmp_path: Path
) -> None:
    import_paths(project, [FIXTURES / CODEX])
    before = told(project)
    exported = tmp_path / "run.json"
    exported.write_text(hindsight("traces", "export", CODEX_ID).out, encoding="utf-8")
    report = import_paths(project, [exported])
    assert (told(project), report.total("imported")) == (before, 0)


def stream_of(transcript: Path) -> Iterator[dict[str, object]]:
    """What the program prints of the run that a transcript tells of."""
    yield {
        "type": "system",
        "subtype": "init",
        "session_id": CLAUDE_ID,
        "tools": ["Bash"],
        "uuid": "init-1",
    }
    for line in transcript.read_text(encoding="utf-8").splitlines():
        record = json.loads(line) if line.startswith("{") else {}
        if record.get("type") == "assistant" and not record.get("isSidechain"):
            kept = {key: record[key] for key in ("type", "message", "uuid")}
            yield {**kept, "parent_tool_use_id": None, "session_id": CLAUDE_ID}
    yield {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "num_turns": 2,
        "duration_ms": 9,
        "session_id": CLAUDE_ID,
        "uuid": "result-1",
    }


def opencode_files(folder: Path) -> list[Path]:
    export = FIXTURES / "opencode/export.json"
    database = a_database(folder / "opencode.db", json.loads(export.read_text()), log=False)
    return [export, database, FIXTURES / "opencode_run/run.jsonl"]


def claude_files(folder: Path) -> list[Path]:
    stream = folder / "stream.jsonl"
    records = stream_of(FIXTURES / CLAUDE)
    stream.write_text("".join(json.dumps(record) + "\n" for record in records))
    return [FIXTURES / CLAUDE, stream]


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 1, 0], [1, 2, 0]])
def test_files_of_opencode_complete_each_other(
    project: Project, tmp_path: Path, order: Sequence[int]
) -> None:
    files = opencode_files(tmp_path)
    expected = alone(tmp_path, files[0])
    assert_adds_up(import_paths(project, [files[index] for index in order]))
    assert [(name, calls) for name, _, calls in told(project)] == [
        (name, calls) for name, _, calls in expected
    ]


def ends(project: Project, session_id: str) -> int:
    path = project.traces.find(session_id)
    assert path is not None
    events = project.traces.read(path)[0]
    return sum(event.event_type is EventType.END for event in events)


@pytest.mark.parametrize("order", [[0, 1], [1, 0], [1, 0, 1]])
def test_a_stream_of_claude_adds_the_end_to_its_transcript(
    project: Project, tmp_path: Path, order: Sequence[int]
) -> None:
    files = claude_files(tmp_path)
    ((name, events, calls),) = alone(tmp_path, files[0])
    for index in order:
        assert_adds_up(import_paths(project, [files[index]]))
    assert told(project) == [(name, events + 1, calls)]
    assert ends(project, name) == 1
    assert steps(project, name)[:-1] == steps(alone_at(tmp_path), name)
    before = contents(project)
    import_paths(project, files)
    assert contents(project) == before


def steps(project: Project, session_id: str) -> list[tuple[int, int, str]]:
    path = project.traces.find(session_id)
    assert path is not None
    return [(e.seq, e.step_index, e.event_id) for e in project.traces.read(path)[0]]


def alone_at(folder: Path) -> Project:
    return Project(folder / "alone")


def test_a_stream_of_claude_that_is_cited_is_added_to(project: Project, tmp_path: Path) -> None:
    transcript, stream = claude_files(tmp_path)
    import_paths(project, [stream])
    cited = an_experience(citations=(Citation(session_id=CLAUDE_ID, step_index=1),))
    project.ledger.append([an_entry(EntryKind.PROPOSED, cited)])
    before = contents(project)

    import_paths(project, [transcript])

    ((path, after),) = contents(project).items()
    assert after.startswith(before[path])
    assert len(after) > len(before[path])


def test_of_a_folder_the_richest_files_are_read_first(project: Project, tmp_path: Path) -> None:
    transcript, stream = claude_files(tmp_path)
    folder = tmp_path / "all"
    folder.mkdir()
    (folder / "b.jsonl").write_bytes(transcript.read_bytes())
    (folder / "a.jsonl").write_bytes(stream.read_bytes())

    report = import_paths(project, [folder])

    assert [file.format for file in report.files] == ["claude-code", "claude-stream"]
    assert not any("gives way" in message for message in report.messages)
    assert ends(project, CLAUDE_ID) == 1


def test_a_subagent_s_file_alone_takes_no_place(project: Project, tmp_path: Path) -> None:
    changes = {"5f0c7b1e-2222-4a00-9c00-0000000000aa": CLAUDE_ID, "oven-agent": "claude-code"}
    import_paths(project, [changed(tmp_path, "atif/bakery.json", changes)])
    before = told(project)

    (subagent,) = (FIXTURES / "claude_code").rglob("agent-*.jsonl")
    import_paths(project, [subagent])

    assert set(before) < set(told(project))
    import_paths(project, [FIXTURES / CLAUDE])
    assert {name.removesuffix("-agent-a1b2c3d") for name, *_ in told(project)} == {CLAUDE_ID}
