"""Many servers and writers on one project, and one that holds the index for itself."""

from __future__ import annotations

import os
import sqlite3
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from subprocess import PIPE, Popen

from hindsight_cli.api.proposing import add_experiences
from tests.conftest import SAMPLES, run_hindsight
from tests.mcp.conftest import make_shop
from tests.mcp.raw import RawServer, given, text_of

SERVERS, CALLS = 8, 5
# Holds the index's write lock until its stdin ends.
HOLD = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("begin immediate")
print("held", flush=True)
sys.stdin.read()
"""


def test_an_index_held_by_another_process_costs_one_error_not_the_server(tmp_path: Path) -> None:
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
        began = time.monotonic()
        assert server.ask("ping", {}, timeout_s=1)["result"] == {}
        assert time.monotonic() - began < 1
        result = server.reply_to(stuck, timeout_s=20)["result"]
        assert (result["isError"], "locked" in text_of(result)) == (True, True)

        stuck = server.send("tools/call", {"name": "get_experience_rules", "arguments": arguments})
        holder.stdin.close()
        holder.wait()
        assert given(server.reply_to(stuck)["result"]) == [shop.mysql]


def test_stdin_ends_a_server_that_waits_for_a_lock(tmp_path: Path) -> None:
    shop = make_shop(tmp_path)
    with RawServer(shop.project.root, **shop.env) as server:
        other = sqlite3.connect(shop.project.index_path, isolation_level=None)
        other.execute("begin immediate")
        os.utime(shop.project.shared_ledger)
        arguments = {"task_description": "deploy mysql in a container"}
        server.send("tools/call", {"name": "get_experience_rules", "arguments": arguments})
        time.sleep(0.2)  # so that it waits
        began = time.monotonic()
        assert server.end(timeout_s=5)[0] == 0
        assert time.monotonic() - began < 2
        other.close()


def test_every_server_answers_while_others_import_and_approve(tmp_path: Path) -> None:
    shop = make_shop(tmp_path)

    def agent(number: int) -> list[float]:
        took = []
        with RawServer(shop.project.root, **shop.env) as server:
            for call in range(CALLS):
                began = time.monotonic()
                result = server.rules(f"deploy mysql in a container, {number} {call}")
                took.append(time.monotonic() - began)
                assert "isError" not in result or not result["isError"], text_of(result)
                assert call or given(result) == [shop.mysql]
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
