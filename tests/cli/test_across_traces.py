"""One lesson from several traces is one experience, and a rejected one stays away."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import pending
from tests.cli.test_field_reports_capture import a_call, a_record, a_reply, a_result, write
from tests.conftest import Hindsight

OUTPUT = "error: unknown option '--fast' for server 10.0.0.{n}"


def a_session(folder: Path, number: int, task: str, *, name: str = "nightly") -> Path:
    """The same slip in a session of its own."""
    session = f"s-{number}"

    def own(record: dict[str, Any]) -> dict[str, Any]:
        return {**record, "sessionId": session}

    bad, good = f"jobctl run {name} --fast --keep 3", f"jobctl run {name} --keep 3"
    lines = [
        a_record(1, message={"role": "user", "content": task}),
        a_reply(2, a_call("c1", command=bad)),
        a_result(3, "c1", OUTPUT.format(n=number), toolUseResult=f"Error: {number}"),
        a_reply(4, a_call("c2", command="jobctl status")),
        a_result(5, "c2", "idle"),
        a_reply(6, a_call("c3", command=good)),
        a_result(7, "c3", "done"),
        a_reply(8, {"type": "text", "text": "It ran."}),
    ]
    lines[2]["message"]["content"][0]["is_error"] = True
    return write(folder / f"{session}.jsonl", [own(line) for line in lines])


def learned(hindsight: Hindsight, folder: Path, *numbers: int, name: str = "nightly") -> list[Any]:
    """What reflection says of each of the sessions, imported one after the other."""
    told = []
    for number in numbers:
        path = a_session(folder, number, f"Run the job, variant {number}", name=name)
        (trace,) = hindsight("import", str(path), "--json").data["traces"]
        told.append(hindsight("reflect", str(trace["trace_id"]), "--json"))
    return told


def test_the_same_lesson_from_several_traces_is_one_with_the_citations_of_each(
    hindsight: Hindsight, tmp_path: Path
) -> None:
    learned(hindsight, tmp_path / "runs", 1, 2, 3)

    (experience,) = pending(hindsight)
    own = str(experience["experience_id"])
    shown = hindsight("experiences", "show", own, "--json").data["experience"]
    text = hindsight("experiences", "show", own).out

    assert [len(meeting["citations"]) for meeting in shown["met"]] == [3, 3]
    assert len({meeting["trace_id"] for meeting in shown["met"]}) == 2
    assert "met    in 3 traces" in text


def test_reflecting_on_a_trace_again_counts_it_once(hindsight: Hindsight, tmp_path: Path) -> None:
    learned(hindsight, tmp_path / "runs", 1, 2)
    hindsight("reflect", "--all")
    hindsight("reflect", "--all")

    (experience,) = pending(hindsight)
    shown = hindsight("experiences", "show", str(experience["experience_id"]), "--json").data
    assert len(shown["experience"]["met"]) == 1


def test_a_tip_met_for_several_tasks_is_offered_as_a_general_one(
    hindsight: Hindsight, tmp_path: Path
) -> None:
    learned(hindsight, tmp_path / "runs", 1)
    own = str(pending(hindsight)[0]["experience_id"])
    hindsight("experiences", "approve", own)
    second, third = learned(hindsight, tmp_path / "runs", 2, 3)

    offer = f"hindsight experiences promote {own}"
    assert offer not in json.dumps(second.document)
    assert offer in json.dumps(third.document)

    promoted = hindsight("experiences", "promote", own, "--json")
    assert promoted.data["experience"]["layer"] == "general"
    assert promoted.data["experience"]["status"] == "approved"
    assert hindsight("experiences", "promote", own).code == 1
    assert hindsight("experiences", "undo", own, "--json").data["experience"]["layer"] == "specific"


@pytest.mark.parametrize("name", ["nightly", "jobs/nightly-7"])
def test_a_rejected_lesson_does_not_come_back_with_other_numbers_and_paths(
    hindsight: Hindsight, tmp_path: Path, name: str
) -> None:
    learned(hindsight, tmp_path / "runs", 1, name="jobs/nightly-1" if "/" in name else name)
    own = str(pending(hindsight)[0]["experience_id"])
    hindsight("experiences", "reject", own, "--reason", "known")

    (again,) = learned(hindsight, tmp_path / "runs", 2, name=name)

    assert again.data["proposed"] == []
    assert pending(hindsight) == []
