"""`hindsight failures`: which errors come back, and where; tables in small terminals."""

from __future__ import annotations

import sys

import pytest

from hindsight_cli.api.project import Project
from hindsight_cli.api.traces import resolve_trace
from hindsight_cli.cli.render import short_ids, table
from tests.conftest import MYSQL, SAMPLES, Hindsight

REDIS = "5039b5c4-37d9-4fa9-b312-2e721befa768"
PORT = "bind for <host> failed"


@pytest.fixture
def imported(hindsight: Hindsight) -> Hindsight:
    hindsight("import", str(SAMPLES))
    return hindsight


def test_every_error_says_at_which_steps_it_came_up_the_newest_first(imported: Hindsight) -> None:
    found = imported("failures", "--json").data["failures"]
    (port,) = (f for f in found if f["fingerprint"].startswith(PORT))

    assert [at["trace_id"] for at in port["at"]] == [REDIS, MYSQL]
    for failure in found:
        assert len(failure["at"]) == failure["count"]
        for at in failure["at"]:
            step = str(at["step_index"])
            shown = imported("traces", "show", at["trace_id"], "--steps", step, "--json").data
            assert any(e["status"] == "error" for e in shown["events"])


@pytest.mark.parametrize("given", ["Bind for", "port is already"])
def test_an_error_named_by_some_of_its_words_leads_to_its_steps(
    imported: Hindsight, given: str
) -> None:
    lines = [line.split("\t") for line in imported("failures", given).out.splitlines()]

    assert [line[0] for line in lines] == [REDIS, MYSQL]
    assert all(line[1].isdigit() and line[-1].startswith(PORT) for line in lines)


def test_an_error_nobody_made_is_no_mistake_to_ask_for(imported: Hindsight) -> None:
    done = imported("failures", "no such words")
    assert (done.code, done.out) == (0, "")
    assert "no such words" in done.err


def test_nothing_is_cut_in_a_pipe(hindsight: Hindsight) -> None:
    session = hindsight("record", "start", "--task", "many", "--json").data["session_id"]
    words = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron"
    lines = [
        f'{{"session_id": "{session}", "event_type": "{kind}", "tool_name": "Bash",'
        f' "call_id": "c{n}{m}", "status": "error", "output": "Error: {a} {b} broke"}}'
        for n, a in enumerate(words.split()[:5])
        for m, b in enumerate(words.split()[5:10])
        for kind in ("tool_call", "tool_result")
    ]
    told = hindsight("record", "event", stdin="\n".join(lines) + "\n")
    assert told.code == 0, told.err

    done = hindsight("failures")

    assert len(done.out.splitlines()) == 25
    assert done.err == ""


IDS = [
    "0ccf1a04-9ad2-4b11-8d24-0d5c84b0f9b1",
    "0ccf1a04-9ad2-4b11-8d24-0d5c84b0f9b1-agent-a5bdbc1",
    "0ccf1a04-9ad2-4b11-8d24-0d5c84b0f9b1-agent-b5bdbc1",
    "run-7",
]


def test_ids_cut_in_the_middle_stay_apart_and_short_ones_whole() -> None:
    short = short_ids(IDS)

    assert len(set(short)) == len(IDS)
    assert max(map(len, short)) <= 20
    assert short[-1] == "run-7"


def test_an_id_as_a_table_shows_it_names_the_trace(imported: Hindsight, project: Project) -> None:
    for full, short in zip([MYSQL, REDIS], short_ids([MYSQL, REDIS]), strict=True):
        assert "…" in short
        assert resolve_trace(project, short).trace_id == full


@pytest.mark.parametrize("columns", [40, 60, 80, 200])
def test_a_table_fits_its_terminal_and_keeps_its_last_column(
    monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", str(columns))
    rows = [[i, "2026-11-24T16:40", "claude-code", "12", "deploy the shop database"] for i in IDS]
    headers = ["trace", "started", "agent", "steps", "task"]

    lines = table(headers, rows, ids="trace", drop=("agent", "started", "steps")).splitlines()

    assert max(map(len, lines)) <= columns
    assert all("deploy the" in line for line in lines[1:])
    assert ("claude-code" in lines[1]) == (columns >= 80)
    assert (IDS[0] in lines[1]) == (columns == 200)
