"""Several tasks in a session: split where a person says so, by hand, and joined again."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from hindsight_cli.api.project import Project
from hindsight_cli.api.run_finishing import _traces_of_run
from hindsight_cli.records.event import EventType
from tests.cli.test_run import CLAUDE, a_program, path_with
from tests.conftest import MYSQL, SAMPLES, Hindsight
from tests.factories import an_event

REDIS = "5039b5c4-37d9-4fa9-b312-2e721befa768"
FIRST, SECOND = 19, 9  # steps of the two tasks


def two_tasks(path: Path, heading: str) -> Path:
    """The session of one sample gone on with the task of another."""
    later = (SAMPLES / "port-again.jsonl").read_text().replace(REDIS, MYSQL).splitlines()
    begin = json.loads(later[0])
    begin["message"]["content"] = heading + begin["message"]["content"]
    text = (SAMPLES / "mysql-container.jsonl").read_text()
    path.write_text("\n".join([text.rstrip(), json.dumps(begin), *later[1:]]) + "\n")
    return path


@pytest.fixture
def session(hindsight: Hindsight, tmp_path: Path) -> Path:
    path = two_tasks(tmp_path / "two.jsonl", "New task: ")
    hindsight("import", str(path))
    return path


@pytest.fixture
def unsplit(hindsight: Hindsight, tmp_path: Path) -> Path:
    path = two_tasks(tmp_path / "two.jsonl", "")
    hindsight("import", str(path))
    return path


def traces(hindsight: Hindsight) -> dict[str, dict[str, Any]]:
    rows = hindsight("traces", "list", "--json").data["traces"]
    return {row["trace_id"]: row for row in rows}


def steps(hindsight: Hindsight, trace: str) -> list[int]:
    events = hindsight("traces", "show", trace, "--json").data["events"]
    return sorted({event["step_index"] for event in events})


def stored(project: Project) -> bytes:
    path = project.traces.find(MYSQL)
    assert path is not None
    return path.read_bytes()


def test_an_imported_session_has_a_trace_for_each_task(hindsight: Hindsight, session: Path) -> None:
    found = traces(hindsight)

    assert list(found) == [f"{MYSQL}.2", MYSQL]
    assert [row["steps"] for row in found.values()] == [SECOND, FIRST]
    assert found[MYSQL]["task"].startswith("Deploy a MySQL 8")
    assert found[f"{MYSQL}.2"]["task"].startswith("New task: The shop needs a Redis")
    assert {row["agent"] for row in found.values()} == {"claude-code"}
    shown = hindsight("traces", "show", f"{MYSQL}.2").out
    assert "(claude-code, 2026-11-24" in shown
    assert steps(hindsight, MYSQL[:8]) == list(range(1, FIRST + 1))
    assert steps(hindsight, f"{MYSQL[:8]}.2") == list(range(FIRST + 1, FIRST + SECOND + 1))


def test_importing_a_split_session_again_adds_nothing(
    hindsight: Hindsight, project: Project, session: Path
) -> None:
    before = stored(project)
    assert hindsight("import", str(session), "--json").data["imported"] == 0
    assert stored(project) == before
    assert len(traces(hindsight)) == 2


def test_each_task_is_reflected_on_by_itself(hindsight: Hindsight, session: Path) -> None:
    data = hindsight("reflect", "--all", "--json").data
    cited = {
        (e["trace_id"], c["step_index"] > FIRST) for e in data["proposed"] for c in e["citations"]
    }
    assert cited == {(MYSQL, False), (f"{MYSQL}.2", True)}


def test_a_trace_is_split_by_hand_and_joined_again(
    hindsight: Hindsight, project: Project, unsplit: Path
) -> None:
    assert list(traces(hindsight)) == [MYSQL]
    before = stored(project)

    made = hindsight("traces", "split", MYSQL[:8], "--at", str(FIRST + 1), "--json").data["traces"]

    assert [row["trace_id"] for row in made] == [MYSQL, f"{MYSQL}.2"]
    assert made[1]["task"].startswith("The shop needs a Redis")
    assert stored(project).startswith(before)
    assert steps(hindsight, f"{MYSQL}.2") == list(range(FIRST + 1, FIRST + SECOND + 1))
    joined = hindsight("traces", "join", f"{MYSQL}.2", MYSQL, "--json").data["traces"]
    assert [(row["trace_id"], row["steps"]) for row in joined] == [(MYSQL, FIRST + SECOND)]
    assert list(traces(hindsight)) == [MYSQL]
    assert joined[0]["task"].startswith("Deploy a MySQL 8")
    again = hindsight("traces", "split", MYSQL, "--at", str(FIRST + 1), "--json").data["traces"]
    assert again[1]["trace_id"] == f"{MYSQL}.3"


def test_what_was_joined_and_split_elsewhere_goes_along(
    hindsight: Hindsight, session: Path
) -> None:
    hindsight("traces", "join", MYSQL, f"{MYSQL}.2")
    made = hindsight("traces", "split", MYSQL, "--at", "5", "--json")
    assert [row["steps"] for row in made.data["traces"]] == [4, FIRST + SECOND - 4]
    assert any("no message of the user" in message for message in made.document["messages"])
    hindsight("traces", "split", f"{MYSQL}.3", "--at", "10")
    assert {row["steps"] for row in traces(hindsight).values()} == {4, 5, FIRST + SECOND - 9}
    hindsight("traces", "join", f"{MYSQL}.3", f"{MYSQL}.4")
    assert {row["steps"] for row in traces(hindsight).values()} == {4, FIRST + SECOND - 4}


def test_what_is_imported_later_belongs_to_the_last_task(
    hindsight: Hindsight, unsplit: Path, tmp_path: Path
) -> None:
    lines = unsplit.read_text().splitlines(keepends=True)
    project = Project(tmp_path / "grown")
    project.root.mkdir()
    project.init()
    at = ("--project", str(project.root))
    unsplit.write_text("".join(lines[:36]))
    hindsight("import", str(unsplit), *at)
    hindsight("traces", "split", MYSQL, "--at", str(FIRST + 1), *at)
    hindsight("traces", "split", MYSQL, "--at", "5", *at)
    unsplit.write_text("".join(lines))
    hindsight("import", str(unsplit), *at)

    rows = hindsight("traces", "list", "--json", *at).data["traces"]

    assert {row["trace_id"]: row["steps"] for row in rows} == {
        MYSQL: 4,
        f"{MYSQL}.3": FIRST - 4,
        f"{MYSQL}.2": SECOND,
    }


def test_experiences_find_what_they_cite_whatever_is_split(
    hindsight: Hindsight, unsplit: Path
) -> None:
    hindsight("reflect", MYSQL)
    before = hindsight("validate", "--json").data
    pending = hindsight("experiences", "list", "--status", "pending", "--json").data["experiences"]
    for step in (FIRST + 1, 12, 8):
        assert hindsight("traces", "split", MYSQL, "--at", str(step)).code == 0
    assert pending
    assert hindsight("validate", "--json").data == before
    for experience in pending:
        shown = hindsight("experiences", "show", experience["experience_id"], "--json").data
        assert all(step["tool_name"] for step in shown["experience"]["cited_steps"])
        assert shown["experience"]["cited_steps"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("split", MYSQL, "--at", "99"), "not_a_step"),
        (("split", MYSQL, "--at", "20"), "not_a_step"),  # of the other trace
        (("split", MYSQL, "--at", "1"), "not_a_step"),
        (("split", MYSQL, "--at", "0"), "not_a_step"),
        (("split", "nope", "--at", "2"), "trace_not_found"),
        (("join", MYSQL, "nope"), "trace_not_found"),
        (("join", MYSQL, MYSQL), "not_adjacent"),
        (("join", MYSQL, "47386675"), "not_adjacent"),  # another session
        (("join", MYSQL, f"{MYSQL}.3"), "not_adjacent"),  # one lies between
    ],
)
def test_what_cannot_be_done_says_why_and_writes_nothing(
    hindsight: Hindsight, project: Project, session: Path, arguments: tuple[str, ...], code: str
) -> None:
    hindsight("import", str(SAMPLES / "wrong-table.jsonl"))
    hindsight("traces", "split", f"{MYSQL}.2", "--at", "24")
    before = stored(project)

    done = hindsight("traces", *arguments, "--json")

    assert (done.code, done.document["errors"][0]["code"]) == (1, code)
    assert done.document["errors"][0]["hint"]
    assert stored(project) == before


def test_samples_are_one_trace_each(hindsight: Hindsight) -> None:
    rows = hindsight("import", str(SAMPLES), "--json").data["traces"]
    assert sorted(row["trace_id"] for row in rows) == sorted({row["session_id"] for row in rows})
    assert len(rows) == 3


def test_a_soft_sign_is_offered_when_a_trace_is_shown(hindsight: Hindsight, tmp_path: Path) -> None:
    project = ("record", "start", "--task", "Start mysql for the shop", "--json")
    started = hindsight(*project).data["session_id"]
    for actor, text in (
        *(("agent", "It runs."), ("user", "restart the mysql container"), ("agent", "Done.")),
        *(("user", "Now translate the README to German"), ("agent", "Done.")),
    ):
        event = json.dumps({"event_type": "message", "actor": actor, "output": text})
        hindsight("record", "event", "--session", started, stdin=event)
    shown = hindsight("traces", "show", started)
    assert f"`hindsight traces split {started} --at 5`" in shown.err


def test_a_run_learns_from_the_tasks_that_it_worked_on() -> None:
    begun = time.time_ns()
    now = datetime.now(UTC).isoformat()
    events = [
        an_event(timestamp="2026-01-01T10:00:00Z"),
        an_event(seq=2, event_type=EventType.BOUNDARY, extra={"from_step": 2, "trace_id": "s1.2"}),
        an_event(seq=3, step_index=2, trace_id="s1.2", timestamp=now),
    ]
    assert _traces_of_run(events, begun) == ["s1.2"]
    assert _traces_of_run(events[:2], begun) == ["s1"]


ANOTHER = """
records += [line("user", "\u65b0\u4efb\u52a1\uff1a run the tests of the invoices")]
records += call("pytest tests/billing", "Exit code 4\\nERROR: file not found: tests/billing", True)
records += call("pytest tests/invoices", "12 passed", False)
"""


def test_a_run_with_two_tasks_learns_from_both(
    hindsight: Hindsight, project: Project, tmp_path: Path
) -> None:
    a_program(tmp_path / "bin", "claude", CLAUDE.replace("with open(", ANOTHER + "with open("))
    command = ("run", "--no-inject", "--", "claude", "-p", "deploy mysql in docker")
    env = {"PATH": path_with(tmp_path / "bin"), "CLAUDE_CONFIG_DIR": str(tmp_path / "config")}

    done = hindsight(*command, **env)

    found = traces(hindsight)
    (first,) = (name for name, row in found.items() if name == row["session_id"])
    assert set(found) == {first, f"{first}.2"}
    assert f"7 steps, 2 failed calls recorded as {first}" in done.err
    pending = hindsight("experiences", "list", "--status", "pending", "--json").data["experiences"]
    assert {e["trace_id"] for e in pending} == set(found)


def test_places_are_offered_also_where_the_session_was_split_by_itself(
    hindsight: Hindsight, tmp_path: Path
) -> None:
    path = three_requests(
        tmp_path / "three.jsonl", "New task: ", "Now translate the README to German"
    )
    hindsight("import", str(path))
    assert len(traces(hindsight)) == 2

    shown = hindsight("traces", "show", f"{MYSQL}.2")

    assert "may start another task" in shown.err


def test_what_was_joined_by_hand_is_not_offered_again(hindsight: Hindsight, tmp_path: Path) -> None:
    path = three_requests(tmp_path / "three.jsonl", "", "Now translate the README to German")
    hindsight("import", str(path))
    told = hindsight("traces", "show", MYSQL).err
    step = told.rpartition("--at ")[2].strip(" `\n")
    assert step.isdigit()

    hindsight("traces", "split", MYSQL, "--at", step)
    hindsight("traces", "join", MYSQL, f"{MYSQL}.2")

    assert f"--at {step}" not in hindsight("traces", "show", MYSQL).err


def three_requests(path: Path, heading: str, last: str) -> Path:
    """Two tasks, and a message of the person after them with an answer."""
    two_tasks(path, heading)
    lines = path.read_text().splitlines()
    request = json.loads(lines[0])
    for name, said in (("u-last", last), ("a-last", "Done.")):
        role = "user" if name == "u-last" else "assistant"
        added = {**request, "type": role, "uuid": name, "message": {"role": role, "content": said}}
        lines.append(json.dumps(added))
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_trace_split_at_no_message_says_which_message_is_its_task(
    hindsight: Hindsight, unsplit: Path
) -> None:
    told = hindsight("traces", "split", MYSQL, "--at", "5")

    assert f"its task is the message at step {FIRST + 1}" in told.err
    assert traces(hindsight)[f"{MYSQL}.2"]["task"].startswith("The shop needs a Redis")


def test_a_joined_trace_stays_one_when_it_is_exported_and_imported(
    hindsight: Hindsight, session: Path, tmp_path: Path
) -> None:
    hindsight("traces", "join", MYSQL, f"{MYSQL}.2")
    file = tmp_path / "joined.json"
    hindsight("traces", "export", MYSQL, "-o", str(file))
    other = tmp_path / "other"
    other.mkdir()
    hindsight("init", "--project", str(other))

    hindsight("import", str(file), cwd=other)

    (row,) = hindsight("traces", "list", "--json", cwd=other).data["traces"]
    assert row["steps"] == FIRST + SECOND
