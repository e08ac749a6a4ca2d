"""The official client through the proxy, in both protocol eras: as without it."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters

from hindsight_cli.api.project import Project
from hindsight_cli.records.event import EventType
from tests.mcp.proxied import PROXY, SERVERS, recorded, told

ERAS = [("auto", "2026-07-28"), ("legacy", "2025-11-25")]
SERVER = [sys.executable, str(SERVERS / "official.py")]


async def visit(command: list[str], project: Project, mode: str) -> list[Any]:
    """All that a client gets to see of a server, and its progress notes."""
    parameters = StdioServerParameters(command=command[0], args=command[1:], cwd=project.root)
    heard: list[tuple[float, float | None]] = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, total))

    async with Client(parameters, mode=mode) as client:
        seen: list[Any] = [client.protocol_version, client.instructions]
        seen.append(await client.list_tools())
        seen.append(await client.call_tool("add", {"a": 2, "b": 3}))
        seen.append(await client.call_tool("picture", {}))
        seen.append(await client.call_tool("refuse", {"why": "表不存在"}))
        seen.append(await client.call_tool("count", {"to": 3}, progress_callback=on_progress))
        seen.append(await client.read_resource("note://today"))
        calls = [client.call_tool("add", {"a": n, "b": n}) for n in range(20)]
        seen += await asyncio.gather(*calls)
    return [
        *(s if isinstance(s, str) or s is None else s.model_dump(mode="json") for s in seen),
        heard,
    ]


@pytest.mark.parametrize(("mode", "version"), ERAS, ids=["stateless", "handshake"])
def test_a_client_sees_the_same_with_and_without_the_proxy(
    project: Project, mode: str, version: str
) -> None:
    direct = asyncio.run(visit(SERVER, project, mode))
    proxied = asyncio.run(visit([*PROXY, "--name", "srv", "--", *SERVER], project, mode))
    assert proxied == direct
    assert proxied[0] == version

    events = recorded(project)
    assert events[0].extra["session"]["agent"] == "mcp"
    hello = told(events, "server/discover" if mode == "auto" else "initialize")
    assert len(hello) == 1
    results = {e.step_index: e for e in events if e.event_type is EventType.TOOL_RESULT}
    calls = [e for e in events if e.event_type is EventType.TOOL_CALL]
    assert [e.tool_name for e in calls[:5]] == [
        "add",
        "picture",
        "refuse",
        "count",
        "resources/read",
    ]
    assert len(calls) == len(results) == 25
    for call in calls:
        if call.tool_name == "add":
            assert str(call.input["a"] + call.input["b"]) in results[call.step_index].output_summary
    refused = results[calls[2].step_index]
    assert (refused.status, "表不存在" in refused.output_summary) == ("error", True)
    assert results[calls[1].step_index].extra["blobs"][0]["mime"] == "image/png"
