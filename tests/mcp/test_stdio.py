"""The wire of `hindsight mcp serve`, in an environment whose locale is not UTF-8."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from subprocess import PIPE, Popen

import pytest

from tests.mcp.conftest import Shop
from tests.mcp.raw import HELLO, RawServer, given

NOT_UTF8 = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "cp1252"}
# Prints from a thread, from C and from a child, as soon as the server's libraries are there.
NOISE = """
import os, subprocess, sys, threading, time
def noise():
    while "mcp.server" not in sys.modules:
        time.sleep(0.01)
    while True:
        print("noise", flush=True)
        os.write(1, b"noise\\n")
        subprocess.run(["echo", "noise"])
        time.sleep(0.05)
threading.Thread(target=noise, daemon=True).start()
"""


@pytest.fixture(scope="module")
def server(shop: Shop, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RawServer]:
    folder = tmp_path_factory.mktemp("noise")
    (folder / "sitecustomize.py").write_text(NOISE)
    env = {**shop.env, **NOT_UTF8, "PYTHONPATH": str(folder)}
    with RawServer(shop.project.root, **env) as running:
        yield running
        code, err = running.end()
    assert (code, err.count("noise") > 5) == (0, True)
    for line in running.raw:
        assert json.loads(line)["jsonrpc"] == "2.0"


def refused(server: RawServer, line: bytes, request_id: object = None) -> int:
    """The code of the error that a line is answered with."""
    server.write(line + b"\n")
    return int(server.reply_to(request_id)["error"]["code"])


def test_a_chinese_task_finds_its_rule_whatever_the_locale(server: RawServer, shop: Shop) -> None:
    text = server.rules("统计上个月退款的订单数")
    assert given(text) == [shop.report]
    assert "refunded_at" in text


@pytest.mark.parametrize(
    ("line", "request_id", "code"),
    [
        (b"\x90", None, -32700),
        (b'{"jsonrpc":"2.0","id":9,', None, -32700),
        (b"[" * 100_000, None, -32700),
        (b'{"jsonrpc":"2.0","id":' + b"9" * 5000 + b"}", None, -32700),
        (b'{"jsonrpc":"2.0","id":"b"}', "b", -32600),
        (b'{"jsonrpc":"1.0","id":"c","method":"ping"}', "c", -32600),
        (b'[{"jsonrpc":"2.0","id":"d","method":"ping"}]', None, -32600),
        (b"null", None, -32600),
    ],
    ids=[
        *("byte", "half", "deep", "huge number", "no method", "version", "batch", "null"),
    ],
)
def test_a_bad_line_gets_one_error_and_the_next_request_is_served(
    server: RawServer, line: bytes, request_id: object, code: int
) -> None:
    assert refused(server, line, request_id) == code
    before = len(server.raw)
    began = time.monotonic()
    assert server.ask("ping", {})["result"] == {}
    assert time.monotonic() - began < 1
    assert len(server.raw) == before + 1


def test_empty_lines_get_no_answer(server: RawServer) -> None:
    before = len(server.raw)
    server.write(b"\n \r\n\n")
    server.ask("ping", {})
    assert len(server.raw) == before + 1


@pytest.mark.parametrize(
    "odd",
    [b"\\ud83d", b"\\ud83d\\ud83d", b"\x90", b"\xed\xa0\xbd", b"\\u0000\\u001b[2J"],
    ids=["half a pair", "halves", "byte", "half a pair in UTF-8", "control"],
)
def test_an_odd_character_does_not_lose_the_request(server: RawServer, odd: bytes) -> None:
    """Clients that cut an error text by UTF-16 units or by bytes send such."""
    arguments = b'{"task_description":"serve","error":"address already in use ' + odd + b'"}'
    params = b'{"name":"get_experience_rules","arguments":' + arguments + b"}"
    line = b'{"jsonrpc":"2.0","id":"odd","method":"tools/call","params":' + params + b"}\n"
    server.write(line)
    assert not server.reply_to("odd")["result"]["isError"]


def test_a_message_of_several_megabytes_passes(server: RawServer) -> None:
    began = time.monotonic()
    server.rules("deploy " + "x" * 5_000_000)
    assert server.ask("ping", {})["result"] == {}
    assert time.monotonic() - began < 5


def test_an_error_text_that_is_json_is_a_text(server: RawServer, shop: Shop) -> None:
    text = server.rules("serve", error='{"error": "bind: address already in use"}')
    assert given(text) == [shop.port]


def test_a_request_without_an_answer_yet_is_answered_before_the_end(shop: Shop) -> None:
    with RawServer(shop.project.root, **shop.env) as server:
        own = server.send("tools/list", {})
        began = time.monotonic()
        assert server.end(timeout_s=2)[0] == 0
        assert time.monotonic() - began < 2
        assert "result" in server.reply_to(own)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_server_at_once(shop: Shop, number: signal.Signals) -> None:
    with RawServer(shop.project.root, **shop.env) as server:
        server.process.send_signal(number)
        assert server.process.wait(2) == -number


def bare_server(shop: Shop) -> Popen[bytes]:
    """Past the handshake, with nobody to read what it writes."""
    server = Popen(
        [sys.executable, "-m", "hindsight_cli", "mcp", "serve"],
        cwd=shop.project.root,
        env={**os.environ, **shop.env},
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
    )
    assert server.stdin
    assert server.stdout
    hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": HELLO}
    server.stdin.write(json.dumps(hello).encode() + b"\n")
    server.stdin.flush()
    server.stdout.readline()
    return server


def requests(method: str, count: int) -> bytes:
    lines = [{"jsonrpc": "2.0", "id": n, "method": method} for n in range(1, count + 1)]
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


def test_a_client_that_is_gone_ends_the_server_without_a_word(shop: Shop) -> None:
    with bare_server(shop) as server:
        assert server.stdin
        assert server.stdout
        assert server.stderr
        server.stdout.close()
        server.stdin.write(requests("ping", 1))
        server.stdin.flush()
        assert (server.wait(2), server.stderr.read()) == (0, b"")


def test_a_client_that_no_longer_reads_leaves_no_server_behind(shop: Shop) -> None:
    with bare_server(shop) as server:
        assert server.stdin
        assert server.stderr
        server.stdin.write(requests("tools/list", 100))  # their answers overfill a pipe
        server.stdin.close()
        assert (server.wait(4), server.stderr.read()) == (0, b"")


def test_without_stdin_the_server_ends(tmp_path: Path) -> None:
    server = RawServer(tmp_path)
    assert server.end() == (0, "")
    assert server.raw == []
