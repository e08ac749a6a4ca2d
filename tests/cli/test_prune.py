"""`hindsight prune`: what is old goes, what a lesson rests on and what is needed stays."""

from __future__ import annotations

import json
import os
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hindsight_cli.api.project import Project
from hindsight_cli.api.traces import list_traces
from tests.conftest import MYSQL, Hindsight

LONG = "a long output that no summary holds, " * 20


def a_session(session: str, *, days_old: float, text: str = "") -> list[str]:
    when = (datetime.now(UTC) - timedelta(days=days_old)).isoformat().replace("+00:00", "Z")
    about = {"sessionId": session, "version": "2.1.0", "timestamp": when}
    call = {"type": "tool_use", "id": "c1", "name": "Bash", "input": {"command": "make"}}
    result = {"type": "tool_result", "tool_use_id": "c1", "content": text or LONG + session}
    bodies = [
        ("user", {"role": "user", "content": "build it"}),
        ("assistant", {"role": "assistant", "id": "m1", "content": [call]}),
        ("user", {"role": "user", "content": [result]}),
    ]
    return [
        json.dumps({**about, "type": kind, "uuid": f"{session}-{n}", "message": body})
        for n, (kind, body) in enumerate(bodies)
    ]


def import_sessions(hindsight: Hindsight, folder: Path, **sessions: list[str]) -> None:
    folder.mkdir(exist_ok=True)
    for name, lines in sessions.items():
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
    assert hindsight("import", str(folder)).code == 0


def sessions_of(project: Project) -> set[str]:
    return {row.session_id for row in list_traces(project)}


def outputs_of(project: Project) -> list[Path]:
    return [p for p in (project.folder / "outputs").rglob("*") if p.is_file()]


def make_old(path: Path, *, hours: float) -> None:
    then = time.time() - 3600 * hours
    os.utime(path, (then, then))


def test_a_dry_run_says_what_the_real_one_then_deletes(
    hindsight: Hindsight, project: Project, tmp_path: Path
) -> None:
    old = {f"old{n}": a_session(f"old{n}", days_old=40 + n) for n in range(12)}
    new = {f"new{n}": a_session(f"new{n}", days_old=n) for n in range(5)}
    import_sessions(hindsight, tmp_path / "logs", **old, **new)
    before = {p: p.read_bytes() for p in project.folder.rglob("*") if p.is_file()}

    dry = hindsight("prune", "--dry-run", "--json").data
    after_dry = {p for p in project.folder.rglob("*") if p.is_file()}
    real = hindsight("prune", "--json").data

    assert set(before) <= after_dry
    assert {one["session_id"] for one in real["pruned"]} == set(old)
    assert (dry.pop("dry_run"), real.pop("dry_run")) == (True, False)
    assert dry == real
    assert (real["kept"], real["outputs"], real["cited"]) == (5, 12, [])
    assert sessions_of(project) == set(new)
    assert len(outputs_of(project)) == 5
    assert hindsight("prune", "--json").data["pruned"] == []


def test_what_an_approved_experience_rests_on_stays_unless_asked(
    hindsight: Hindsight, project: Project, port_lesson: str
) -> None:
    kept = hindsight("prune", "--days", "0", "--json").data
    assert [one["session_id"] for one in kept["cited"]] == [MYSQL]
    assert port_lesson in kept["cited"][0]["experience_ids"]
    assert MYSQL in sessions_of(project)

    gone = hindsight("prune", "--days", "0", "--cited", "--json").data

    assert MYSQL in {one["session_id"] for one in gone["pruned"]}
    assert sessions_of(project) == set()
    shown = hindsight("experiences", "show", port_lesson, "--json").data["experience"]
    assert shown["evidence"]
    assert all(e["output"] or e["input"] for e in shown["evidence"])


def test_a_session_whose_every_lesson_was_rejected_is_not_kept_for_it(
    hindsight: Hindsight, project: Project, port_lesson: str
) -> None:
    listed = hindsight("experiences", "list", "--json").data["experiences"]
    for experience in listed:
        hindsight("experiences", "reject", experience["experience_id"])

    done = hindsight("prune", "--days", "0", "--json").data

    assert MYSQL in {one["session_id"] for one in done["pruned"]}


def test_files_beside_a_session_go_with_it(
    hindsight: Hindsight, project: Project, tmp_path: Path
) -> None:
    import_sessions(hindsight, tmp_path / "logs", old=a_session("old", days_old=60))
    own = project.traces.find("old")
    assert own is not None
    line = own.read_text().splitlines()[0] + "\n"
    for name in ("old.hooks.jsonl", "old.proxy-files.jsonl", "old.jsonl.torn"):
        own.with_name(name).write_text(line)
    own.with_name("alone.proxy-files.jsonl").write_text(line)

    hindsight("prune", "--json")

    assert project.traces.all_files() == []


def test_what_hooks_told_lately_keeps_an_old_session(
    hindsight: Hindsight, project: Project, tmp_path: Path
) -> None:
    import_sessions(hindsight, tmp_path / "logs", old=a_session("old", days_old=60))
    own = project.traces.find("old")
    assert own is not None
    event = json.loads(own.read_text().splitlines()[0])
    event["timestamp"] = datetime.now(UTC).isoformat()
    own.with_name("old.hooks.jsonl").write_text(json.dumps(event) + "\n")

    assert hindsight("prune", "--json").data["pruned"] == []
    assert "old" in sessions_of(project)


def test_an_output_that_a_kept_session_shares_stays(
    hindsight: Hindsight, project: Project, tmp_path: Path
) -> None:
    shared = "the same long output of both sessions " * 30
    import_sessions(
        hindsight,
        tmp_path / "logs",
        old=a_session("old", days_old=60, text=shared),
        new=a_session("new", days_old=1, text=shared),
    )

    done = hindsight("prune", "--json").data

    assert (len(done["pruned"]), done["outputs"]) == (1, 0)
    assert len(outputs_of(project)) == 1


@pytest.mark.parametrize(("hours", "left"), [(2.0, 0), (0.0, 1)], ids=["settled", "just stored"])
def test_outputs_without_a_trace_go_once_no_event_can_be_on_its_way(
    hindsight: Hindsight, project: Project, hours: float, left: int
) -> None:
    project.outputs.put(b"stored by a writer that was killed, or is about to write its event")
    make_old(outputs_of(project)[0], hours=hours)

    done = hindsight("prune", "--json").data

    assert (done["outputs"], len(outputs_of(project))) == (1 - left, left)


def test_storing_an_output_again_makes_it_young(project: Project) -> None:
    ref = project.outputs.put(b"wanted again")
    make_old(outputs_of(project)[0], hours=5)
    project.outputs.put(b"wanted again")

    assert project.outputs.prune(ref, time.time() - 3600) is None
    assert project.outputs.find(ref) == b"wanted again"


def test_a_session_that_tells_no_time_is_as_old_as_its_file(
    hindsight: Hindsight, project: Project, tmp_path: Path
) -> None:
    lines = [
        json.dumps({**json.loads(line), "timestamp": None}) for line in a_session("x", days_old=0)
    ]
    import_sessions(hindsight, tmp_path / "logs", x=lines)
    own = project.traces.find("x")
    assert own is not None

    assert hindsight("prune", "--json").data["pruned"] == []
    make_old(own, hours=24 * 31)
    assert len(hindsight("prune", "--json").data["pruned"]) == 1


def test_a_torn_end_stops_no_deletion(
    hindsight: Hindsight, project: Project, tmp_path: Path
) -> None:
    import_sessions(hindsight, tmp_path / "logs", old=a_session("old", days_old=60))
    own = project.traces.find("old")
    assert own is not None
    with own.open("a") as file:
        file.write('{"torn": ')

    hindsight("prune")

    assert project.traces.all_files() == []


def test_the_text_says_how_much_went_and_why_something_stayed(
    hindsight: Hindsight, project: Project, port_lesson: str
) -> None:
    done = hindsight("prune", "--days", "0", "--dry-run")
    assert "Would delete" in done.out
    assert "experiences rest on them" in done.out
    assert done.code == 0
