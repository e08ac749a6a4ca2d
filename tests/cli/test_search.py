"""`hindsight search` and `inject`, as a script or a hook uses them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from hindsight_cli.api.project import Project
from tests.conftest import Hindsight

Add = Callable[..., str]
HELM = {
    "scenario": "Rolling back a failed release in Kubernetes",
    "recommend": "Use `helm rollback shop 3`.",
    "avoid": "Deleting the pods.",
    "tool_tags": ["helm"],
    "task_tags": ["deployment"],
}


def test_filters_hold_hard(hindsight: Hindsight, approved: Add) -> None:
    mysql, helm = approved(), approved(**HELM)
    both = hindsight("search", "deploy release container helm mysql", "--json").data["results"]
    assert {r["experience_id"] for r in both} <= {mysql, helm}
    only = hindsight("search", "deploy mysql container", "--tool", "helm", "--json").data["results"]
    assert mysql not in {r["experience_id"] for r in only}
    none = hindsight("search", "deploy mysql", "--tag", "testing", "--json").data
    assert (none["results"], none["abstained"]) == ([], True)


def test_a_file_of_queries_is_answered_in_order(
    hindsight: Hindsight, approved: Add, tmp_path: Path
) -> None:
    mysql, helm = approved(), approved(**HELM)
    queries = [
        {"id": "q1", "query": "deploy mysql", "type": "task"},
        {"id": 2, "query": "helm rollback"},
        {"id": "q3", "query": "zqxj wvpk"},
    ]
    path = tmp_path / "queries.jsonl"
    path.write_text("\n".join(map(json.dumps, queries)))
    answers = hindsight("search", "--queries", str(path), "--json").data["answers"]
    assert answers[:2] == [
        {"id": "q1", "results": [mysql], "abstained": False},
        {"id": 2, "results": [helm], "abstained": False},
    ]
    assert (answers[2]["id"], answers[2]["abstained"]) == ("q3", True)
    path.write_text('{"id": "q1"}')
    assert hindsight("search", "--queries", str(path)).code == 2


@pytest.mark.parametrize(
    "query",
    [
        '"',
        "a AND NOT (b",
        "NEAR(x, 2)",
        "col:on",
        "*",
        "-x",
        "%_",
        "x" * 50_000,
        "端口 'x'",
        "\u202e",
    ],
    ids=["quote", "boolean", "near", "column", "star", "minus", "like", "long", "mixed", "bidi"],
)
def test_any_text_is_a_query(hindsight: Hindsight, approved: Add, query: str) -> None:
    approved()
    for command in ("search", "inject"):
        done = hindsight(command, *(["--"] if query.startswith("-") else []), query)
        assert (done.code, "Traceback" in done.err) == (0, False)


def test_an_experience_is_put_before_a_session_once(hindsight: Hindsight, approved: Add) -> None:
    own = approved()
    task = ["inject", "deploy mysql in a container", "--json"]
    first = hindsight(*task, "--session", "s1").data
    assert first["experiences"] == [own]
    assert first["injection_id"].startswith("inj-")
    assert 0 < first["tokens"] <= 600
    again = hindsight(*task, "--session", "s1").data
    assert (again["experiences"], again["text"], again["injection_id"]) == ([], "", "")
    assert hindsight(*task, "--session", "s2").data["experiences"] == [own]
    assert hindsight(*task).data["experiences"] == [own]


def test_every_injection_leaves_a_receipt_that_changes_no_weight(
    hindsight: Hindsight, approved: Add, project: Project
) -> None:
    own = approved()
    shown = hindsight("inject", "deploy mysql in a container", "--json").data
    entries, _ = project.ledger.read()
    assert [e.data["injection_id"] for e in entries if e.entry == "injected"] == [
        shown["injection_id"]
    ]
    detail = hindsight("experiences", "show", own, "--json").data["experience"]
    assert (detail["shown"], detail["weight"]) == (1, 0.5)


def test_nothing_in_the_shared_ledger_changes_by_using_it(
    hindsight: Hindsight, approved: Add, project: Project
) -> None:
    approved()
    before = project.shared_ledger.read_bytes()
    hindsight("search", "deploy mysql")
    hindsight("inject", "deploy mysql in a container")
    hindsight("expire", "--days", "0")
    assert project.shared_ledger.read_bytes() == before


def test_what_waits_for_review_is_said_on_stderr_only(
    hindsight: Hindsight, approved: Add, tmp_path: Path
) -> None:
    approved()
    pending = {"kind": "key_decision", "scenario": "Another", "recommend": "Use `x --y`."}
    (tmp_path / "own.jsonl").write_text(json.dumps(pending))
    hindsight("experiences", "add", "--from", str(tmp_path / "own.jsonl"))
    done = hindsight("search", "deploy mysql")
    assert "1 experience waits for review" in done.err
    assert "waits" not in done.out
    assert hindsight("search", "deploy mysql", "--json").err == ""


def test_recorded_text_reaches_no_terminal_raw(hindsight: Hindsight, approved: Add) -> None:
    hostile = "Deploy mysql \x1b]52;c;aGk=\x07 \x9b31m \u202e [/] [bold]"
    own = approved(scenario=hostile)
    for arguments in (
        ["search", "deploy mysql", "--explain"],
        ["experiences", "list"],
        ["experiences", "show", own],
        ["inject", "deploy mysql"],
    ):
        out = hindsight(*arguments).out
        assert not set(out) & {"\x1b", "\x07", "\x9b", "\u202e"}


@pytest.mark.parametrize("encoding", ["ascii", "gbk", "cp1252"])
def test_no_terminal_encoding_stops_an_answer(
    hindsight: Hindsight, approved: Add, encoding: str
) -> None:
    approved(scenario="Deploy mysql 端口 📦 café")
    environment = {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    done = hindsight("search", "deploy mysql", "--json", **environment)
    assert json.loads(done.out)["data"]["results"]
    assert hindsight("search", "deploy mysql", **environment).code == 0


def test_adding_what_is_there_changes_nothing(
    hindsight: Hindsight, approved: Add, project: Project, tmp_path: Path
) -> None:
    own = {"id": "mine", "kind": "key_decision", "scenario": "S", "recommend": "Use `x --y`."}
    path = tmp_path / "own.jsonl"
    path.write_text(json.dumps(own))
    hindsight("experiences", "add", "--from", str(path), "--approve")
    before = project.shared_ledger.read_bytes(), project.local_ledger.read_bytes()
    assert "Already approved mine" in hindsight("experiences", "add", "--from", str(path)).out
    hindsight("experiences", "add", "--from", str(path), "--approve")
    assert before == (project.shared_ledger.read_bytes(), project.local_ledger.read_bytes())
    path.write_text(json.dumps({**own, "recommend": "Use `z` instead."}))
    done = hindsight("experiences", "add", "--from", str(path))
    assert (done.code, "approved already" in done.err) == (1, True)
