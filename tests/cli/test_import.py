"""`hindsight import`: true counts, idempotent, one session at a time."""

from __future__ import annotations

import json
import multiprocessing
from pathlib import Path
from typing import Any

import pytest

from hindsight_cli.api.importing import import_paths
from hindsight_cli.api.project import Project
from tests.conftest import MYSQL, SAMPLES, Hindsight

LINES = (SAMPLES / "mysql-container.jsonl").read_text().splitlines(keepends=True)


def write(path: Path, lines: list[str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(lines))
    return path


def stored(project: Project, session: str = MYSQL) -> bytes:
    path = project.traces.find(session)
    assert path is not None
    return path.read_bytes()


def test_counts_add_up_and_importing_again_adds_nothing(
    hindsight: Hindsight, project: Project
) -> None:
    first = hindsight("import", str(SAMPLES), "--json").data
    assert first["found"] == 72
    assert first["found"] == sum(first[k] for k in ("imported", "duplicate", "skipped", "failed"))
    before = stored(project)
    again = hindsight("import", str(SAMPLES), "--json").data
    assert (again["imported"], again["duplicate"]) == (0, first["imported"])
    assert stored(project) == before


def test_a_growing_session_keeps_its_steps_and_gets_the_new_ones(
    project: Project, tmp_path: Path
) -> None:
    path = tmp_path / "live.jsonl"
    for length in range(5, len(LINES) + 1, 5):
        before = stored(project) if length > 5 else b""
        import_paths(project, [write(path, LINES[:length])])
        assert stored(project).startswith(before)
    whole = Project(tmp_path / "other")
    whole.root.mkdir()
    whole.init()
    import_paths(whole, [write(path, LINES)])
    assert numbering(project) == numbering(whole)


def numbering(project: Project) -> list[tuple[Any, ...]]:
    path = project.traces.find(MYSQL)
    assert path is not None
    return [(e.seq, e.step_index, e.event_id, e.attempt) for e in project.traces.read(path)[0]]


def test_a_source_that_lost_its_content_takes_nothing_from_us(
    project: Project, tmp_path: Path
) -> None:
    import_paths(project, [SAMPLES / "mysql-container.jsonl"])
    before = stored(project)
    emptied = []
    for line in LINES:
        data = json.loads(line)
        if isinstance(data.get("message"), dict):
            data["message"]["content"] = ""
        emptied.append(json.dumps(data) + "\n")
    import_paths(project, [write(tmp_path / "emptied.jsonl", emptied)])
    assert stored(project).startswith(before)


def test_two_imports_at_once_leave_every_record_once(project: Project, tmp_path: Path) -> None:
    with multiprocessing.get_context("fork").Pool(4) as pool:
        pool.map(_import, [project.root] * 4)
    alone = Project(tmp_path / "alone")
    alone.root.mkdir()
    alone.init()
    _import(alone.root)
    assert numbering(project) == numbering(alone)


def _import(root: Path) -> None:
    import_paths(Project(root), [SAMPLES])


def test_subagents_are_sessions_of_their_own(hindsight: Hindsight, tmp_path: Path) -> None:
    child = []
    for line in LINES[:6]:
        data = json.loads(line)
        data.update(isSidechain=True, agentId="a5bdbc1", uuid=f"child-{data['uuid']}")
        child.append(json.dumps(data) + "\n")
    write(tmp_path / f"{MYSQL}.jsonl", LINES)
    write(tmp_path / MYSQL / "subagents/agent-a5bdbc1.jsonl", child)
    data = hindsight("import", str(tmp_path), "--json").data
    sessions = {t["session_id"] for t in data["traces"]}
    assert MYSQL in sessions
    assert len(sessions) == 2


def test_pictures_lie_aside_once_and_never_in_an_event(
    hindsight: Hindsight, project: Project, tmp_path: Path
) -> None:
    import base64

    picture = base64.b64encode(bytes(range(256)) * 4000).decode()
    source = {"type": "base64", "media_type": "image/png", "data": picture}
    lines = LINES[:2]
    for n in range(3):
        call = json.loads(LINES[2])
        block = {"type": "tool_use", "id": f"toolu_p{n}", "name": "Read", "input": {"f": n}}
        call.update(uuid=f"call{n}", message={**call["message"], "content": [block]})
        answer = json.loads(LINES[3])
        content = [{"type": "text", "text": "a picture"}, {"type": "image", "source": source}]
        result = {"type": "tool_result", "tool_use_id": f"toolu_p{n}", "content": content}
        answer.update(uuid=f"answer{n}", toolUseResult=content)
        answer["message"] = {"role": "user", "content": [result]}
        lines += [json.dumps(call) + "\n", json.dumps(answer) + "\n"]
    hindsight("import", str(write(tmp_path / "p.jsonl", lines)))
    assert all(len(line) < 4096 for line in stored(project).splitlines())
    large = [p for p in (project.folder / "outputs").rglob("*") if p.is_file()]
    assert sum(p.stat().st_size > 500_000 for p in large) == 1


@pytest.mark.parametrize(
    "line",
    [
        '{"a": ' * 5000,
        '{"type": "user", "n": ' + "9" * 6000 + "}",
        '{"type": "user", "message": {"role": "user", "content": "\\ud800 lone"}, "uuid": "x1",'
        f' "sessionId": "{MYSQL}"}}',
        '{"type": "user", "message": {"role": "user", "content": "a\\u0000b"}, "uuid": "x2",'
        f' "sessionId": "{MYSQL}"}}',
        '{"type": "user", "message": {"role": "user", "content": "a\u2028b"}, "uuid": "x3",'
        f' "sessionId": "{MYSQL}", "n": NaN}}',
        '{"type": "assistant", "message": {"role": "assistant", "content": [42, null, "bare",'
        f' {{"type": "novel"}}]}}, "uuid": "x4", "sessionId": "{MYSQL}"}}',
    ],
    ids=["depth", "digits", "surrogate", "nul", "line separator and NaN", "odd blocks"],
)
def test_odd_lines_cost_at_most_themselves(hindsight: Hindsight, tmp_path: Path, line: str) -> None:
    path = write(tmp_path / "odd.jsonl", [*LINES[:6], line + "\n", *LINES[6:]])
    done = hindsight("import", str(path), "--json")
    data = done.data
    assert done.code == (3 if data["failed"] else 0)
    assert data["found"] == len(LINES) + 1
    assert data["imported"] >= len(LINES)
    assert data["imported"] + data["failed"] + data["skipped"] == data["found"]
    for command in (
        ["traces", "list"],
        ["traces", "show", MYSQL],
        ["reflect", MYSQL],
        ["failures"],
    ):
        done = hindsight(*command, "--json")
        assert (done.code, done.err) == (0, "")


def a_record(number: int, **fields: Any) -> str:
    """A line of a Claude Code transcript, a person's unless told otherwise."""
    message = {"role": "user", "content": f"words {number}"}
    envelope = {"uuid": f"u{number}", "sessionId": "s-1", "parentUuid": None, "version": "2.0"}
    when = {"timestamp": "2026-01-01T00:00:00Z"}
    return json.dumps({**envelope, **when, "type": "user", "message": message, **fields}) + "\n"


LOG = "2026-01-01 12:00:00 INFO a line of a log\\n" * 8_000
SNAPSHOT = json.dumps({"type": "file-history-snapshot", "snapshot": {"files": LOG}}) + "\n"
PASTED = a_record(1, message={"role": "user", "content": LOG})


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("claude-code", [PASTED, a_record(2)]),
        ("claude-code", [PASTED.strip()]),
        ("claude-code", [SNAPSHOT, PASTED, a_record(2)]),
        ("claude-code", ["\n", PASTED]),
        ("messages", [json.dumps({"messages": [{"content": LOG, "role": "user"}]})]),
        ("messages", [json.dumps([{"content": LOG, "role": "user"}])]),
        ("messages", [json.dumps([{"info": LOG, "traj": [{"role": "user", "content": "x"}]}])]),
    ],
    ids=["log", "only a log", "snapshot", "blank", "run", "list", "list of runs"],
)
def test_files_that_begin_with_a_long_line_are_imported(
    project: Project, tmp_path: Path, name: str, lines: list[str]
) -> None:
    assert len(max(lines, key=len)) > 64 * 1024
    report = import_paths(project, [write(tmp_path / "long.jsonl", lines).parent])
    (file,) = report.files
    assert (file.format, file.failed) == (name, 0)
    assert file.imported >= 1


def test_a_version_that_renamed_every_record_is_told_of(
    hindsight: Hindsight, tmp_path: Path
) -> None:
    lines = [a_record(n, type=("person", "model")[n % 2]) for n in range(9)]
    done = hindsight("import", str(write(tmp_path / "new.jsonl", lines)), "--json")
    (error,) = done.document["errors"]
    assert (done.code, error["code"]) == (1, "nothing_read")
    assert "5 x person, 4 x model" in error["message"]


def test_large_records_are_held_a_few_at_a_time(project: Project, tmp_path: Path) -> None:
    import tracemalloc

    text = "some words of a file " * 50_000
    with (tmp_path / "large.jsonl").open("w") as file:
        for n in range(0, 60, 2):
            use = {"type": "tool_use", "id": f"c{n}", "name": "Write", "input": {"text": text}}
            said = {"role": "assistant", "usage": {"input_tokens": 1}, "content": [use]}
            file.write(a_record(n, type="assistant", message=said))
            answer = {"type": "tool_result", "tool_use_id": f"c{n}", "content": text}
            file.write(a_record(n + 1, message={"role": "user", "content": [answer]}))
    tracemalloc.start()
    report = import_paths(project, [tmp_path / "large.jsonl"])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert report.total("imported") == 60
    assert peak < 25_000_000 < 60 * len(text)


def test_two_files_of_one_session_are_told_of(project: Project, tmp_path: Path) -> None:
    first = write(tmp_path / "a.jsonl", [a_record(1), a_record(2)])
    second = write(tmp_path / "b.jsonl", [a_record(3)])
    grown = write(tmp_path / "grown.jsonl", [a_record(1), a_record(2), a_record(4)])

    assert import_paths(project, [first]).messages == []
    assert import_paths(project, [grown]).messages == []
    (message,) = import_paths(project, [second]).messages
    assert "Session s-1 now holds records of two files" in message
    assert import_paths(project, [first, second]).messages == []
    third, fourth = (write(tmp_path / f"{n}.jsonl", [a_record(n)]) for n in (8, 9))
    messages = import_paths(project, [third, fourth]).messages
    assert "8.jsonl" in messages[-1]
    assert "9.jsonl" in messages[-1]


def test_secrets_are_gone_from_types_session_ids_and_counts(
    hindsight: Hindsight, project: Project, tmp_path: Path
) -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 3 + "F6g7h8"
    usage = {"input_tokens": 1, "service_tier": f"tier {secret}"}
    said = {"role": "assistant", "content": "done", "usage": usage}
    named = {"sessionId": f"s {secret}", "timestamp": f"at {secret}", "version": secret}
    lines = [
        a_record(1, **named),
        a_record(2, **named, uuid=f"u {secret}", type="assistant", message=said),
        a_record(3, **named, type=f"novel {secret}"),
    ]
    done = hindsight("import", str(write(tmp_path / "s.jsonl", lines)), "--json")
    assert (done.code, done.data["imported"]) == (0, 3)
    assert secret not in done.out + done.err
    for path in project.folder.rglob("*"):
        assert secret not in path.name
        assert not path.is_file() or secret.encode() not in path.read_bytes()


@pytest.mark.parametrize("depth", range(780, 1000, 20))
def test_arguments_of_any_depth_are_stored_so_that_they_are_read(
    project: Project, tmp_path: Path, depth: int
) -> None:
    deep = "[" * depth + "]" * depth
    content = '{"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "T",'
    line = a_record(1, type="assistant", message="BODY")
    line = line.replace('"BODY"', f'{content} "input": {deep}}}]}}')
    report = import_paths(project, [write(tmp_path / "deep.jsonl", [line, a_record(2)])])
    assert report.total("imported") + report.total("failed") == 2
    (session,) = project.traces.sessions()
    assert project.traces.read(session.path)[1] == []
