"""Published servers behind the proxy, and the MCP Inspector before it: `pytest -m realagents`."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters

from hindsight_cli.api.project import Project
from tests.mcp.proxied import PROXY, recorded

EVERYTHING = ["npx", "-y", "@modelcontextprotocol/server-everything", "stdio"]
FILES = ["npx", "-y", "@modelcontextprotocol/server-filesystem", "."]
INSPECTOR = ["npx", "-y", "@modelcontextprotocol/inspector@0.15.0", "--cli"]
PROXIED = [*PROXY, "--name", "srv", "--"]
TIMEOUT_S = 180  # npx may fetch it
INSPECTED: list[tuple[list[str], list[str]]] = [
    (EVERYTHING, ["--method", "tools/list"]),
    (EVERYTHING, ["--method", "resources/list"]),
    (EVERYTHING, ["--method", "prompts/list"]),
    (EVERYTHING, ["--method", "tools/call", "--tool-name", "echo", "--tool-arg", "message=hi"]),
    (EVERYTHING, ["--method", "tools/call", "--tool-name", "no-such-tool"]),
    (FILES, ["--method", "tools/list"]),
    (FILES, ["--method", "tools/call", "--tool-name", "list_directory", "--tool-arg", "path=."]),
    (FILES, ["--method", "tools/call", "--tool-name", "read_text_file", "--tool-arg", "path=/no"]),
]
CALLS: list[tuple[list[str], list[tuple[str, dict[str, Any]]]]] = [
    (EVERYTHING, [("echo", {"message": "早安"}), ("get-sum", {"a": 2, "b": 3}), ("get-sum", {})]),
    (FILES, [("list_directory", {"path": "."}), ("read_text_file", {"path": "/no"})]),
]

pytestmark = [
    pytest.mark.realagents,
    pytest.mark.skipif(shutil.which("npx") is None, reason="there is no npx"),
]


def inspect(command: list[str], folder: Path) -> Any:
    done = subprocess.run(
        [*INSPECTOR, *command], cwd=folder, capture_output=True, check=False, timeout=TIMEOUT_S
    )
    return done.returncode, json.loads(done.stdout or b"null")


@pytest.mark.parametrize(("server", "question"), INSPECTED)
def test_the_inspector_sees_the_same_with_and_without_the_proxy(
    project: Project, server: list[str], question: list[str]
) -> None:
    # What follows `--` in its own command line would be the Inspector's, so a script hides it.
    script = project.root / "proxied.sh"
    script.write_text(f"#!/bin/sh\nexec {' '.join(PROXIED)} {' '.join(server)}\n")
    script.chmod(0o755)
    direct = inspect([*server, *question], project.root)
    assert inspect([str(script), *question], project.root) == direct
    assert direct[1] is not None


@pytest.mark.parametrize(("server", "calls"), CALLS, ids=["everything", "filesystem"])
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_official_client_sees_the_same_with_and_without_the_proxy(
    project: Project, server: list[str], calls: list[tuple[str, dict[str, Any]]], mode: str
) -> None:
    async def visit(command: list[str]) -> list[Any]:
        parameters = StdioServerParameters(command=command[0], args=command[1:], cwd=project.root)
        async with Client(parameters, mode=mode) as client:
            seen: list[Any] = [await client.list_tools()]
            seen += [await client.call_tool(tool, given) for tool, given in calls]
            return [client.protocol_version, *(s.model_dump(mode="json") for s in seen)]

    assert asyncio.run(visit([*PROXIED, *server])) == asyncio.run(visit(server))
    events = recorded(project)
    assert len([e for e in events if e.event_type == "tool_result"]) == len(calls)
