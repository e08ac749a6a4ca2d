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
