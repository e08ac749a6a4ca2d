"""The MCP Inspector, an official client in another language: `pytest -m realagents`."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import Any

import pytest

from tests.mcp.conftest import Shop
from tests.mcp.raw import given, receipt_in, text_of

INSPECTOR = ["npx", "-y", "@modelcontextprotocol/inspector@0.15.0", "--cli"]
TIMEOUT_S = 180  # npx may fetch it

pytestmark = [
    pytest.mark.realagents,
    pytest.mark.skipif(shutil.which("npx") is None, reason="there is no npx"),
]


def inspect(shop: Shop, *arguments: str) -> Any:
    """What it prints: the result. Its exit code is 0 whatever the result says."""
    done = subprocess.run(
        [*INSPECTOR, sys.executable, "-m", "hindsight_cli", "mcp", "serve", *arguments],
        cwd=shop.project.root,
        # It hands its own environment on to the server.
        env={**os.environ, **shop.env},
        capture_output=True,
        check=False,
        timeout=TIMEOUT_S,
    )
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


def call(shop: Shop, tool: str, **arguments: str) -> Any:
    named = [part for n, v in arguments.items() for part in ("--tool-arg", f"{n}={v}")]
    return inspect(shop, "--method", "tools/call", "--tool-name", tool, *named)


def test_the_inspector_lists_both_tools(shop: Shop) -> None:
    tools = inspect(shop, "--method", "tools/list")["tools"]
    assert [t["name"] for t in tools] == ["get_experience_rules", "report_outcome"]
    assert all(t["inputSchema"]["type"] == "object" for t in tools)


def test_the_inspector_asks_and_reports(shop: Shop) -> None:
    asked = call(shop, "get_experience_rules", task_description="deploy mysql in a container")
    assert not asked["isError"]
    text = text_of(asked)
    assert given(text) == [shop.mysql]

    told = call(shop, "report_outcome", injection_id=receipt_in(text), outcome="success")
    assert not told["isError"]
    assert shop.mysql in text_of(told)


def test_the_inspector_shows_an_error_of_ours(shop: Shop) -> None:
    told = call(shop, "report_outcome", injection_id="inj-000000000000", outcome="success")
    assert told["isError"]
    assert text_of(told).startswith("error[injection_not_found]")
