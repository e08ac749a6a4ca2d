"""`hindsight mcp serve` as agents meet it: through the official client, in both protocol eras."""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from http.client import HTTPConnection
from typing import Any

import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters

from hindsight_cli.inject.block import estimate_tokens
from tests.mcp.conftest import Shop
from tests.mcp.raw import HELLO, given, receipt_in

SERVE = ["-m", "hindsight_cli", "mcp", "serve"]
ERAS = [("auto", "2026-07-28"), ("legacy", "2025-11-25")]
Talk = Callable[[Client], Awaitable[None]]


def talk(shop: Shop, mode: str, then: Talk) -> None:
    parameters = StdioServerParameters(
        command=sys.executable, args=SERVE, cwd=shop.project.root, env=shop.env
    )

    async def run() -> None:
        async with Client(parameters, mode=mode) as client:
            await then(client)

    asyncio.run(run())


async def call(client: Client, tool: str, **arguments: Any) -> str:
    """What the model gets to read: text alone."""
    result = await client.call_tool(tool, arguments)
    assert (result.is_error, result.structured_content) == (False, None)
    (content,) = result.content
    return str(content.text)  # type: ignore[union-attr]


async def rules(client: Client, **arguments: Any) -> str:
    return await call(client, "get_experience_rules", **arguments)


@pytest.mark.parametrize(("mode", "version"), ERAS, ids=["stateless", "handshake"])
def test_an_agent_asks_before_a_task_and_at_an_error(shop: Shop, mode: str, version: str) -> None:
    async def then(client: Client) -> None:
        assert client.protocol_version == version
        assert "get_experience_rules" in (client.instructions or "")
        text = await rules(client, task_description="deploy mysql in a container")
        assert given(text) == [shop.mysql]
        assert "for reference, not mandatory" in text.splitlines()[1]
        assert "Do: Hand `--env-file .env` to docker run" in text
        own = receipt_in(text)
        assert f'call report_outcome with injection_id "{own}"' in text.splitlines()[-1]

        text = await rules(client, task_description="deploy mysql in a container")
        assert (given(text), "--env-file" in text) == ([], False)
        assert text.startswith(f'Given before in this session: {shop.mysql} (injection_id "{own}")')

        text = await rules(
            client, task_description="start the shop", error="bind: address already in use"
        )
        assert given(text) == [shop.port]

        text = await rules(client, task_description="zqxj wvpk")
        assert re.fullmatch(r"No rule for this: .+\. Go on without\.", text)

        text = await call(client, "report_outcome", injection_id=own, outcome="success")
        assert text.startswith(f"Noted success: {shop.mysql}")

    talk(shop, mode, then)
    receipts = [e for e in shop.project.ledger.read()[0] if e.entry == "injected"]
    assert {e.experience_id for e in receipts} == {shop.mysql, shop.port}


@pytest.mark.parametrize(("mode", "version"), ERAS, ids=["stateless", "handshake"])
def test_the_tools_say_when_to_call_them_and_cost_few_tokens(
    shop: Shop, mode: str, version: str
) -> None:
    async def then(client: Client) -> None:
        tools = (await client.list_tools()).tools
        assert [t.name for t in tools] == ["get_experience_rules", "report_outcome"]
        listed = [t.model_dump(by_alias=True, exclude_none=True) for t in tools]
        assert (
            estimate_tokens(json.dumps(listed)) + estimate_tokens(client.instructions or "") < 600
        )
        asked, reported = (t.description or "" for t in tools)
        assert "before you start a task" in asked
        assert "fails with an error" in asked
        assert "is finished" in reported

    talk(shop, mode, then)


@pytest.fixture
def url(shop: Shop) -> Iterator[str]:
    """Where an HTTP server of this shop is."""
    server = subprocess.Popen(
        [sys.executable, *SERVE, "--http", "0", "--project", str(shop.project.root)],
        env={**os.environ, **shop.env},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert server.stderr
    try:
        yield server.stderr.readline().split()[-1]
    finally:
        server.terminate()
        server.wait(5)
        server.stderr.close()


def test_clients_of_one_http_server_do_not_take_rules_from_each_other(url: str) -> None:
    async def ask(mode: str) -> list[bool]:
        async with Client(url, mode=mode) as client:
            task = "deploy mysql in a container"
            return [bool(given(await rules(client, task_description=task))) for _ in "ab"]

    assert asyncio.run(ask("legacy")) == [True, False]
    assert asyncio.run(ask("legacy")) == [True, False]
    assert asyncio.run(ask("auto")) == [True, True]  # stateless: nothing tells them apart


def test_a_port_that_is_taken_is_named(url: str) -> None:
    port = url.split(":")[2].removesuffix("/mcp")
    taken = subprocess.run(
        [sys.executable, *SERVE, "--http", port], capture_output=True, check=False
    )
    assert (taken.returncode, b"error[usage]: Port" in taken.stderr) == (2, True)


def test_http_is_for_this_machine_and_for_no_web_page(url: str) -> None:
    host, port = re.fullmatch(r"http://([\d.]+):(\d+)/mcp", url).groups()  # type: ignore[union-attr]
    assert host == "127.0.0.1"
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.2", int(port))).close()

    def status(**headers: str) -> int:
        connection = HTTPConnection(host, int(port), timeout=5)
        hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}
        accept = "application/json, text/event-stream"
        sent = {"Content-Type": "application/json", "Accept": accept, **headers}
        connection.request("POST", "/mcp", json.dumps(hello), sent)
        found = connection.getresponse().status
        connection.close()
        return found

    assert status() == 200
    assert status(Origin="http://localhost:3000") == 200
    assert status(Origin="https://evil.example") == 403
    assert status(Host="evil.example") == 421  # a name that resolves to this machine
