"""Many servers and writers on one project, and one that holds the index for itself."""

from __future__ import annotations

import os
import sqlite3
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from subprocess import PIPE, Popen

import pytest

from hindsight_cli.api.proposing import add_experiences
from hindsight_cli.mcp_server.server import ExperienceTools
from tests.conftest import SAMPLES, run_hindsight
from tests.mcp.conftest import make_shop
from tests.mcp.raw import RawServer, given, text_of

SERVERS, CALLS = 6, 5
# Holds the index's write lock until its stdin ends.
HOLD = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("begin immediate")
print("held", flush=True)
sys.stdin.read()
"""


def test_while_one_call_waits_for_the_index_others_are_answered(tmp_path: Path) -> None:
    shop = make_shop(tmp_path)
    hold = [sys.executable, "-c", HOLD, str(shop.project.index_path)]
    with (
        RawServer(shop.project.root, **shop.env) as server,
        Popen(hold, stdin=PIPE, stdout=PIPE) as holder,
    ):
        assert holder.stdout
        assert holder.stdin
        assert holder.stdout.readline() == b"held\n"
        os.utime(shop.project.shared_ledger)  # the index has to follow, and cannot
        arguments = {"task_description": "deploy mysql in a container"}
        stuck = server.send("tools/call", {"name": "get_experience_rules", "arguments": arguments})
        assert server.ask("ping", {}, timeout_s=1)["result"] == {}
        holder.stdin.close()
        holder.wait()
        assert given(text_of(server.reply_to(stuck)["result"])) == [shop.mysql]


def test_an_index_held_too_long_costs_one_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hindsight_cli.api.index.WRITE_TIMEOUT_S", 0.2)  # else ten seconds
    shop = make_shop(tmp_path)
    tools = ExperienceTools(lambda: shop.project, session="s", debug=False)
    arguments = {"task_description": "deploy mysql in a container"}
    other = sqlite3.connect(shop.project.index_path, isolation_level=None)
    other.execute("begin immediate")
    os.utime(shop.project.shared_ledger)
    result = tools.call("get_experience_rules", arguments)
    text = result.content[0].text  # type: ignore[union-attr]
    assert (result.is_error, text.startswith("error[storage]: ")) == (True, True)
    assert "try again in a moment" in text
    other.close()
    assert not tools.call("get_experience_rules", arguments).is_error


def test_calls_side_by_side_get_a_rule_once(tmp_path: Path) -> None:
    shop = make_shop(tmp_path)
    arguments = {"task_description": "deploy mysql in a container"}
    call = {"name": "get_experience_rules", "arguments": arguments}
    with RawServer(shop.project.root, **shop.env) as server:
        sent = [server.send("tools/call", call) for _ in range(12)]
        told = [text_of(server.reply_to(own)["result"]) for own in sent]
    assert sum(given(text) == [shop.mysql] for text in told) == 1
    assert sum("Given before" in text for text in told) == 11


@pytest.mark.parametrize(("cancelled", "limit_s"), [(False, 2.0), (True, 0.8)])
def test_stdin_ends_a_server_that_waits_for_a_lock(
    tmp_path: Path, cancelled: bool, limit_s: float
) -> None:
    shop = make_shop(tmp_path)
    with RawServer(shop.project.root, **shop.env) as server:
        other = sqlite3.connect(shop.project.index_path, isolation_level=None)
        other.execute("begin immediate")
        os.utime(shop.project.shared_ledger)
        arguments = {"task_description": "deploy mysql in a container"}
        own = server.send("tools/call", {"name": "get_experience_rules", "arguments": arguments})
        time.sleep(0.2)  # so that it waits
        if cancelled:
            server.notify("notifications/cancelled", {"requestId": [{}]})
            server.notify("notifications/cancelled", {"requestId": own})
        began = time.monotonic()
        assert server.end(timeout_s=5)[0] == 0
        assert time.monotonic() - began < limit_s
        other.close()


def test_every_server_answers_while_others_import_and_approve(tmp_path: Path) -> None:
    shop = make_shop(tmp_path)

    def agent(number: int) -> list[float]:
        took = []
        with RawServer(shop.project.root, **shop.env) as server:
            for call in range(CALLS):
                began = time.monotonic()
                text = server.rules(f"deploy mysql in a container, {number} {call}")
                took.append(time.monotonic() - began)
                assert call or given(text) == [shop.mysql]
        return took

    def importer() -> None:
        done = run_hindsight(["import", str(SAMPLES)], cwd=shop.project.root, env=shop.env)
        assert done.code == 0, done.err

    def approver() -> None:
        for n in range(CALLS):
            lesson = {"kind": "key_decision", "scenario": f"Topic {n}", "recommend": f"Use `t{n}`."}
            add_experiences(shop.project, [lesson], approve=True)

    with ThreadPoolExecutor(SERVERS + 2) as pool:
        agents = [pool.submit(agent, n) for n in range(SERVERS)]
        others = [pool.submit(importer), pool.submit(approver)]
        took = sorted(t for a in agents for t in a.result())
        for other in others:
            other.result()

    assert len(took) == SERVERS * CALLS
    assert took[int(len(took) * 0.95) - 1] < 2
    entries, _ = shop.project.ledger.read()
    sessions = [e.data["session"] for e in entries if e.entry == "injected"]
    assert len(set(sessions)) == SERVERS
