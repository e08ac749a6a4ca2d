"""Outcomes move weights: the whole way, each step a process of its own."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hindsight_cli.api.experiences import find_experience
from hindsight_cli.api.feedback import credit_run
from hindsight_cli.api.project import Project
from hindsight_cli.api.traces import list_traces, read_trace
from hindsight_cli.records.event import Outcome
from hindsight_cli.records.experience import ExperienceState
from hindsight_cli.records.ledger import EntryKind
from tests.conftest import Hindsight

TASK = "deploy mysql in a container"
Approved = Callable[..., str]


def injected(hindsight: Hindsight, *, session: str = "", task: str = TASK) -> dict[str, Any]:
    """A block shown to a session of its own."""
    more = ("--session", session) if session else ()
    return hindsight("inject", task, "--json", *more).data


def told(hindsight: Hindsight, *arguments: str, **env: str) -> list[dict[str, Any]]:
    """What `feedback` updated on one new injection."""
    receipt = injected(hindsight)["injection_id"]
    return list(hindsight("feedback", receipt, *arguments, "--json", **env).data["updated"])


def state(project: Project, experience_id: str) -> ExperienceState:
    return find_experience(Project(project.root), experience_id)


def test_a_success_raises_the_weight_once_and_says_so(
    hindsight: Hindsight, project: Project, approved: Approved
) -> None:
    own = approved()
    receipt = injected(hindsight)["injection_id"]
    done = hindsight("feedback", receipt, "--outcome", "success", "--json")
    (updated,) = done.data["updated"]
    assert (updated["experience_id"], updated["weight"]) == (own, pytest.approx(2 / 3, abs=1e-5))
    assert (updated["shown"], updated["followed"], updated["success"]) == (1, 1, 1)
    ledger = project.local_ledger.read_bytes()
    again = hindsight("feedback", receipt, "--outcome", "success")
    assert (again.out, project.local_ledger.read_bytes()) == ("No weight changed.\n", ledger)


def test_a_later_word_replaces_an_earlier_one(
    hindsight: Hindsight, project: Project, approved: Approved
) -> None:
    own = approved()
    receipt = injected(hindsight)["injection_id"]
    hindsight("feedback", receipt, "--outcome", "success")
    hindsight("feedback", receipt, "--outcome", "failure")
    now = state(project, own)
    assert (now.success, now.failure, now.weight) == (0, 1, 0.2)


def test_nothing_but_the_local_file_is_written(
    hindsight: Hindsight, project: Project, approved: Approved
) -> None:
    approved()
    shared = project.shared_ledger.read_bytes()
    for arguments in (("--outcome", "failure"), ("--outcome", "failure")):
        told(hindsight, *arguments)
    assert project.shared_ledger.read_bytes() == shared


def test_two_failures_suspend_and_an_approval_brings_it_back(
    hindsight: Hindsight, project: Project, approved: Approved
) -> None:
    own = approved()
    assert told(hindsight, "--outcome", "failure")[0]["status"] == "approved"
    assert told(hindsight, "--outcome", "failure")[0]["status"] == "suspended"
    assert injected(hindsight)["experiences"] == []
    assert hindsight("search", TASK, "--json").data["results"] == []
    shown = hindsight("experiences", "show", own).out
    assert "suspended (followed 2 times, 2 of them ended in failure)" in shown
    assert "weight 0.12; shown 2 times, followed 2: 0 success, 2 failure" in shown
    assert hindsight("experiences", "list", "--status", "suspended", "--json").data["experiences"]
    assert hindsight("experiences", "approve", own).code == 0
    assert injected(hindsight)["experiences"] == [own]
    assert state(project, own).weight == 0.5


def test_what_a_person_calls_wrong_is_suspended_at_once(
    hindsight: Hindsight, project: Project, approved: Approved
) -> None:
    own = approved()
    for _ in range(3):
        told(hindsight, "--outcome", "success")
    receipt = injected(hindsight)["injection_id"]
    done = hindsight("feedback", receipt, "--outcome", "success", "--wrong", own[:8])
    assert f"{own} is suspended: a person called it wrong." in done.err
    now = state(project, own)
    assert (now.status, now.success, now.weight < 0.001) == ("suspended", 3, True)
    assert injected(hindsight)["experiences"] == []


def test_naming_the_wrong_one_leaves_the_others_alone(
    hindsight: Hindsight, project: Project, approved: Approved
) -> None:
    good = approved()
    bad = approved(scenario="Deploying MySQL in a container on a server", recommend="Use 5.5.")
    given = injected(hindsight)
    assert set(given["experiences"]) == {good, bad}
    hindsight("feedback", given["injection_id"], "--outcome", "failure", "--wrong", bad)
    assert (state(project, bad).status, state(project, good).status) == ("suspended", "approved")
    assert state(project, good).weight == 0.5


def test_of_two_equal_ones_that_which_failed_comes_second(
    hindsight: Hindsight, approved: Approved
) -> None:
    own = [approved(recommend=f"Hand `--env-file {n}.env` to docker run.") for n in ("a", "b")]
    first, second = _ranked(hindsight)
    assert {first, second} == set(own)
    hindsight("experiences", "reject", second, "--reason", "for now")
    assert told(hindsight, "--outcome", "failure")[0]["experience_id"] == first
    hindsight("experiences", "approve", second)
    assert _ranked(hindsight) == [second, first]


def _ranked(hindsight: Hindsight) -> list[str]:
    results = hindsight("search", TASK, "--json").data["results"]
    return [r["experience_id"] for r in results]


def test_inside_an_agent_it_is_the_agents_word(
    hindsight: Hindsight, project: Project, approved: Approved
) -> None:
    own = approved()
    receipt = injected(hindsight)["injection_id"]
    done = hindsight("feedback", receipt, "--wrong", own, CLAUDECODE="1")
    assert "an agent's word, not a person's, because CLAUDECODE is set" in done.err
    now = state(project, own)
    assert (now.status, now.failure) == ("approved", 1)
    hindsight("feedback", receipt, "--outcome", "success")
    assert (state(project, own).success, state(project, own).failure) == (1, 0)
    hindsight("feedback", receipt, "--outcome", "failure", CLAUDECODE="1")
    assert state(project, own).failure == 0  # a person's word stands


def test_an_agent_does_not_say_which_of_several_it_followed(
    hindsight: Hindsight, approved: Approved
) -> None:
    approved()
    approved(scenario="Deploying MySQL in a container on a server", recommend="Use 5.5.")
    receipt = injected(hindsight)["injection_id"]
    done = hindsight("feedback", receipt, "--outcome", "failure", "--json", GEMINI_CLI="1")
    assert done.data["updated"] == []
    assert sum("Nothing shows whether" in m for m in done.document["messages"]) == 2


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["inj-000000000000", "--outcome", "success"], "error[injection_not_found]"),
        (["RECEIPT"], "--outcome success"),
        (["RECEIPT", "--outcome", "great"], "'success', 'failure'"),
        (["RECEIPT", "--outcome", "failure", "--wrong", "ex-nothing"], "It showed: ex-"),
        (["RECEIPT", "--outcome", "failure", "--wrong", ""], "It showed: ex-"),
    ],
)
def test_what_cannot_be_taken_is_said_and_changes_nothing(
    hindsight: Hindsight, project: Project, approved: Approved, arguments: list[str], says: str
) -> None:
    approved()
    receipt = injected(hindsight)["injection_id"]
    before = project.local_ledger.read_bytes()
    done = hindsight("feedback", *(receipt if a == "RECEIPT" else a for a in arguments))
    code = 1 if "injection_not_found" in says else 2
    assert (done.code, done.out, says in done.err) == (code, "", True), done.err
    assert project.local_ledger.read_bytes() == before


def test_inject_knows_its_session_from_the_environment(
    hindsight: Hindsight, approved: Approved
) -> None:
    own = approved()
    first = hindsight("inject", TASK, "--json", HINDSIGHT_CLI_SESSION="s1").data
    again = hindsight("inject", TASK, "--json", HINDSIGHT_CLI_SESSION="s1").data
    other = hindsight("inject", TASK, "--session", "s2", "--json", HINDSIGHT_CLI_SESSION="s1").data
    assert [d["experiences"] for d in (first, again, other)] == [[own], [], [own]]


def steps(*commands: tuple[str, int]) -> str:
    """JSON Lines for `record event`: shell calls with their exit codes."""
    return "\n".join(
        json.dumps(
            {
                "event_type": "tool_call",
                "tool_name": "bash",
                "input": {"command": command},
                "output": "ok" if code == 0 else "error",
                "exit_code": code,
            }
        )
        for command, code in commands
    )


def a_run(hindsight: Hindsight, tmp_path: Path, outcome: str, *commands: tuple[str, int]) -> str:
    """`hindsight run` of a program that records its own steps; what it said on stderr."""
    path = tmp_path / "steps.jsonl"
    path.write_text(steps(*commands))
    own = shlex.join([sys.executable, "-m", "hindsight_cli", "record"])
    script = f"{own} event < {shlex.quote(str(path))} && {own} end --outcome {outcome}"
    return hindsight("run", "--task", TASK, "--", "sh", "-c", script).err


Case = tuple[str, list[tuple[str, int]], tuple[int, int, int]]
FOLLOWED = ("docker run -d --env-file .env mysql:8.4", 0)
IGNORED = ("docker run -d mysql:8.4", 1)


@pytest.mark.parametrize(
    "case",
    [
        ("success", [IGNORED, FOLLOWED], (1, 1, 0)),
        ("failure", [FOLLOWED], (1, 0, 1)),
        ("partial", [FOLLOWED], (1, 0, 0)),
        ("success", [IGNORED], (0, 0, 0)),
        ("failure", [IGNORED], (0, 0, 0)),
    ],
)
def test_a_run_credits_only_what_it_followed(
    hindsight: Hindsight, project: Project, approved: Approved, tmp_path: Path, case: Case
) -> None:
    outcome, commands, expected = case
    own = approved()
    assert "receipt inj-" in a_run(hindsight, tmp_path, outcome, *commands)
    now = state(project, own)
    assert (now.followed, now.success, now.failure, now.shown) == (*expected, 1)
    assert (now.weight != 0.5) == (now.success + now.failure > 0)


def test_crediting_a_run_again_changes_nothing(
    hindsight: Hindsight, project: Project, approved: Approved, tmp_path: Path
) -> None:
    own = approved()
    a_run(hindsight, tmp_path, "success", FOLLOWED)
    (row,) = list_traces(project)
    before = project.local_ledger.read_bytes()
    trace = read_trace(project, row.trace_id).trace
    outcome, source = trace.outcome
    report = credit_run(Project(project.root), row.session_id, trace, outcome, source=source)
    assert (report.updated, project.local_ledger.read_bytes()) == ((), before)
    other = credit_run(Project(project.root), row.session_id, trace, Outcome.FAILURE, source="x")
    assert [s.failure for s in other.updated] == [1]
    assert state(project, own).success == 0


def test_a_success_that_the_trace_shows_verifies(
    hindsight: Hindsight, project: Project, approved: Approved
) -> None:
    own = approved()
    receipt = injected(hindsight, session="s1")["injection_id"]
    before = state(project, own).last_verified_at
    started = hindsight("record", "start", "--task", TASK, "--json")
    session = str(started.data["session_id"])
    hindsight("record", "event", "--session", session, stdin=steps(FOLLOWED))
    (row,) = list_traces(project)
    trace = read_trace(project, row.trace_id).trace
    own_project = Project(project.root)
    credit_run(own_project, "s1", trace, Outcome.SUCCESS, source="test")
    after = state(project, own).last_verified_at
    assert str(after) > str(before)
    (entry,) = [e for e in project.ledger.read()[0] if e.entry is EntryKind.VERIFIED]
    assert (entry.by, entry.data["injection_id"]) == ("outcome", receipt)
    # Somebody's word alone raises the weight and verifies nothing.
    told(hindsight, "--outcome", "success")
    assert (state(project, own).success, state(project, own).last_verified_at) == (2, after)


def test_a_persons_word_counts_only_for_what_the_run_followed(
    hindsight: Hindsight, project: Project, approved: Approved, tmp_path: Path
) -> None:
    own = approved()
    a_run(hindsight, tmp_path, "success", IGNORED)
    (receipt,) = [e for e in project.ledger.read()[0] if e.entry is EntryKind.INJECTED]
    done = hindsight("feedback", str(receipt.data["injection_id"]), "--outcome", "failure")
    assert f"{own} was not followed in that run: its weight stays." in done.err
    assert state(project, own).weight == 0.5


def test_reflecting_credits_a_recorded_run_and_new_words_begin_anew(
    hindsight: Hindsight, project: Project, approved: Approved
) -> None:
    own = approved()
    session = str(hindsight("record", "start", "--task", TASK, "--json").data["session_id"])
    receipt = injected(hindsight, session=session)["injection_id"]
    hindsight("record", "event", "--session", session, stdin=steps(FOLLOWED))
    hindsight("record", "end", "--session", session, "--outcome", "success")
    hindsight("reflect", session)
    assert (state(project, own).success, state(project, own).weight > 0.6) == (1, True)
    edited = hindsight("experiences", "edit", own, "--avoid", "Nothing.")
    assert edited.code == 0, edited.err
    hindsight("reflect", session)
    done = hindsight("feedback", receipt, "--outcome", "success")
    assert f"A person decided on {own} since it was shown: not counted." in done.err
    assert (state(project, own).success, state(project, own).weight) == (0, 0.5)


def test_reflecting_says_what_it_suspended(hindsight: Hindsight, approved: Approved) -> None:
    own = approved()
    for _ in range(2):
        session = str(hindsight("record", "start", "--task", TASK, "--json").data["session_id"])
        injected(hindsight, session=session)
        hindsight("record", "event", "--session", session, stdin=steps(FOLLOWED))
        hindsight("record", "end", "--session", session, "--outcome", "failure")
        done = hindsight("reflect", session)
    assert f"{own} is suspended: followed 2 times, 2 of them ended in failure." in done.err
