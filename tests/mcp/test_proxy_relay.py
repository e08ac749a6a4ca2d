"""What passes through the proxy, how soon, and how it ends: real processes on both sides."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from hindsight_cli.api.project import Project
from tests.mcp.proxied import (
    HELLO,
    PROXY,
    SCRIPTED,
    SERVERS,
    Proxied,
    processes_in,
    text_of,
    wait_for,
)

REFLECTING = [sys.executable, str(SERVERS / "reflecting.py")]


def ends(folder: Path, timeout_s: float = 5.0) -> None:
    """Nothing that was started in a folder is left."""
    wait_for(lambda: not processes_in(folder), timeout_s)


def test_noise_on_the_channel_reaches_stderr_and_not_the_client(project: Project) -> None:
    with Proxied(project.root, [*SCRIPTED, "--banner"]) as client:
        client.hello()
        assert text_of(client.result("noise")) == "quiet"
        assert text_of(client.result("echo", a=1)) == '{"a": 1}'
    assert all(message["jsonrpc"] == "2.0" for message in client.messages)
    said = client.stderr.decode().splitlines()
    for line in ("ready", "loading model...", "[INFO] started", '{"level": "info"}', ""):
        assert f"srv: {line}" in said


def test_a_line_of_any_length_passes_and_what_comes_after_it_too(project: Project) -> None:
    with Proxied(project.root) as client:
        client.hello()
        assert len(text_of(client.result("big", bytes=5_000_000))) == 5_000_000
        assert text_of(client.result("echo", a="z" * 5_000_000)) == json.dumps(
            {"a": "z" * 5_000_000}
        )
        assert text_of(client.result("echo", a=1)) == '{"a": 1}'


def test_a_line_of_80_mb_holds_up_no_other_call(project: Project) -> None:
    with Proxied(project.root) as client:
        client.hello()
        calls = [
            client.call("echo", a=1),
            client.call("big", bytes=80_000_000),
            client.call("echo", a=2),
        ]
        sizes = [len(text_of(client.reply_to(call)["result"])) for call in calls]
        assert sizes == [8, 80_000_000, 8]
        assert client.end() == 0


def test_progress_with_the_clients_token_comes_before_the_result(project: Project) -> None:
    with Proxied(project.root) as client:
        client.hello()
        result = client.reply_to(client.call("progress", meta={"progressToken": "tok-1"}))["result"]
        assert result["structuredContent"] == {"n": 5}
        assert result["_meta"] == {"own": {"deep": [None]}}
        notes = [
            m["params"] for m in client.messages if m.get("method") == "notifications/progress"
        ]
        assert [(n["progressToken"], n["progress"], n["_meta"]) for n in notes] == [
            ("tok-1", number, {"x": number}) for number in range(5)
        ]
        assert "result" in client.messages[-1]


def test_notifications_nobody_knows_pass_untouched(project: Project) -> None:
    with Proxied(project.root) as client:
        client.hello().result("notes")
        assert [m for m in client.messages if "id" not in m] == [
            {"jsonrpc": "2.0", "method": "notifications/x-unknown", "params": {"a": None}},
            {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"},
        ]
        assert client.ask("x/unknown", {"b": [None]})["error"]["data"] == {"x": None}


def test_a_cancellation_and_a_ping_pass_a_call_that_is_open(project: Project) -> None:
    with Proxied(project.root) as client:
        client.hello()
        client.call("slow", "call-ü", seconds=30)
        began = time.monotonic()
        client.notify("notifications/cancelled", {"requestId": "call-ü", "reason": "enough"})
        assert client.ask("ping", {})["result"] == {}
        assert time.monotonic() - began < 0.5
        seen = json.loads(text_of(client.result("seen")))
        assert {"requestId": "call-ü", "reason": "enough"} in [m.get("params") for m in seen]


def test_a_question_of_the_server_in_the_middle_of_a_call_gets_its_answer(project: Project) -> None:
    with Proxied(project.root) as client:
        client.hello()
        call = client.call("sample")
        wait_for(lambda: any(m.get("method") == "sampling/createMessage" for m in client.messages))
        answer = {"jsonrpc": "2.0", "id": "from-server", "result": {"role": "assistant", "x": None}}
        client.write(json.dumps(answer).encode() + b"\n")
        assert json.loads(text_of(client.reply_to(call)["result"])) == answer


def test_the_whole_environment_reaches_the_server_and_env_adds_to_it(project: Project) -> None:
    given: dict[str, Any] = {"FOO": "1", "HTTPS_PROXY": "http://proxy:1"}
    with Proxied(project.root, SCRIPTED, "--env", "A=1", "-e", "B=x=y", **given) as client:
        env = json.loads(text_of(client.hello().result("env")))
    expected = {**os.environ, **given, "A": "1", "B": "x=y"}
    assert {name: env.get(name) for name in expected} == expected


@pytest.mark.parametrize(
    ("tool", "given", "code", "how"),
    [
        ("crash", {}, 7, "ended with exit code 7"),
        ("crash", {"kill": True}, 128 + 9, "was killed by signal 9"),
    ],
)
def test_every_open_call_is_told_when_the_server_dies(
    project: Project, tool: str, given: dict[str, Any], code: int, how: str
) -> None:
    with Proxied(project.root) as client:
        client.hello()
        calls = [client.call("slow", seconds=60), client.call("slow", seconds=60)]
        client.result("echo")
        calls.append(client.call(tool, **given))
        began = time.monotonic()
        for call in calls:
            error = client.reply_to(call)["error"]
            assert how in error["message"]
            assert "Traceback: the database is gone" in error["message"]
            assert error["data"]["stderr"] == ["Traceback: the database is gone"]
        assert time.monotonic() - began < 2
        assert client.process.wait(5) == code


@pytest.mark.parametrize(
    ("server", "code", "words"),
    [
        (["/no/such/cmd"], 127, ["/no/such/cmd", "there is no such file"]),
        (["no-such-cmd"], 127, ["no-such-cmd", "PATH=/usr/bin:/bin"]),
        (["sh", "-c", "echo no licence >&2; exit 3"], 3, ["sh", "exit code 3", "no licence"]),
        (["sh", "-c", "exit 0"], 1, ["sh", "exit code 0"]),
    ],
)
def test_a_server_that_cannot_start_answers_the_first_request(
    project: Project, server: list[str], code: int, words: list[str]
) -> None:
    began = time.monotonic()
    with Proxied(project.root, server, PATH="/usr/bin:/bin") as client:
        error = client.ask("initialize", HELLO)["error"]
        assert time.monotonic() - began < 5
        assert all(word in error["message"] for word in words), error
        assert client.process.wait(5) == code


def test_no_secret_of_a_dead_server_reaches_the_model(project: Project) -> None:
    """A model reads the error; neither the command line nor the words are for it as they are."""
    leak = "echo connecting to postgres://admin:S3cretPass-77@db.test/prod >&2; exit 3"
    server = ["sh", "-c", leak, "--connection-string", "postgres://admin:S3cretPass-77@db.test/x"]
    with Proxied(project.root, server) as client:
        answer = json.dumps(client.ask("initialize", HELLO))
    assert "exit code 3" in answer
    assert "connecting to" in answer
    assert "S3cretPass-77" not in answer
    assert "--connection-string" not in answer


def test_the_end_of_the_input_ends_all_that_was_started(project: Project) -> None:
    client = Proxied(project.root, [*SCRIPTED, "--deaf"]).hello()
    client.result("child")
    began = time.monotonic()
    assert client.end() == 0
    assert time.monotonic() - began < 5
    ends(project.root)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL])
def test_a_signal_ends_all_that_was_started(project: Project, number: signal.Signals) -> None:
    client = Proxied(project.root, [*SCRIPTED, "--deaf"]).hello()
    client.result("child")
    client.process.send_signal(number)
    code = client.process.wait(5)
    assert code == (-number if number is signal.SIGKILL else 128 + number)
    ends(project.root)
    client.end()


def test_the_death_of_who_started_it_ends_all(project: Project) -> None:
    """Also where another process still holds the pipes that it had."""
    reader, writer = os.pipe()
    pid_file = project.root / "pid"
    server = [*SCRIPTED, "--deaf", f"--pid={pid_file}"]
    code = (
        "import subprocess, sys\n"
        f"subprocess.Popen(sys.argv[1:], stdin={reader}, stdout=subprocess.DEVNULL)\n"
        "sys.stdin.readline()"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code, *PROXY, "--", *server],
        cwd=project.root,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        pass_fds=[reader],
    )
    os.close(reader)
    wait_for(lambda: pid_file.is_file() and pid_file.read_text())
    parent.kill()
    parent.communicate()
    try:
        ends(project.root)
    finally:
        os.close(writer)


def test_a_server_without_a_relay_does_not_go_on_outside_a_project(tmp_path: Path) -> None:
    client = Proxied(tmp_path, [*SCRIPTED, "--deaf"]).hello()
    client.process.kill()
    ends(tmp_path)
    client.end()
    assert not list(tmp_path.iterdir())


def test_a_client_that_reads_no_more_costs_no_time(project: Project) -> None:
    reader, writer = os.pipe()
    process = subprocess.Popen(
        [*PROXY, "--", *SCRIPTED], cwd=project.root, stdin=subprocess.PIPE, stdout=writer
    )
    os.close(writer)
    os.close(reader)
    time.sleep(3)
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    used = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    assert process.stdin
    process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
    process.stdin.flush()
    assert process.wait(5) == 0
    process.stdin.close()
    assert used < 0.3
    ends(project.root)


@pytest.mark.parametrize("line", [b"\x90\n", b'{"jsonrpc":"2.0","id":9,\n', b"\n", b"[]\n"])
def test_what_is_no_message_is_for_the_server_to_refuse(project: Project, line: bytes) -> None:
    """It reaches it as it came, and the next request is served."""
    server = [sys.executable, "-c", "import sys; sys.stdout.write(repr(sys.stdin.buffer.read()))"]
    with Proxied(project.root, server) as client:
        client.write(line)
    assert repr(line).encode() in client.stderr
    with Proxied(project.root, REFLECTING) as client:
        client.write(line + b'{"jsonrpc":"2.0","id":1,"result":{}}\n')
        assert client.reply_to(1)["result"] == {}


def test_text_is_utf_8_whatever_the_locale(project: Project) -> None:
    env: dict[str, Any] = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "cp1252"}
    message = '{"jsonrpc":"2.0","id":"号","result":"部署 MySQL"}\n'.encode()
    with Proxied(project.root, REFLECTING, **env) as client:
        client.write(message)
        assert client.reply_to("号")["result"] == "部署 MySQL"
    assert client.raw == [message]


@pytest.mark.parametrize("fault", ["traces", "redaction", "settings", "full", "pipe"])
def test_a_fault_of_ours_costs_the_record_and_never_the_relay(project: Project, fault: str) -> None:
    if fault == "traces":
        (project.folder / "traces").write_text("a file where a folder belongs")
    elif fault == "redaction":
        (project.folder / "redact.key").mkdir()
    elif fault == "settings":
        (project.folder / "project.toml").write_text('exclude = 3\nstale_days = "x"')
    elif fault == "full":
        (project.folder / "traces").symlink_to("/dev/full")
    else:  # a file that nobody reads: whoever opens it waits
        month = project.folder / "traces" / time.strftime("%Y-%m", time.gmtime())
        month.mkdir(parents=True, mode=0o700)
        os.mkfifo(month / "run-1.proxy-srv.jsonl")
    run: dict[str, Any] = {"HINDSIGHT_CLI_SESSION": "run-1"} if fault == "pipe" else {}
    with Proxied(project.root, SCRIPTED, "--env", "A=1", **run) as client:
        client.hello()
        for number in range(3):
            assert text_of(client.result("echo", n=number)) == json.dumps({"n": number})
        wait_for(lambda: b"hindsight: " in client.stderr)
        assert client.end() == 0
    said = [line for line in client.stderr.decode().splitlines() if line.startswith("hindsight:")]
    assert len(said) == 1
    assert "ecorded" in said[0]


def test_a_recorder_that_stands_still_does_not_delay_the_traffic(project: Project) -> None:
    with Proxied(project.root) as client:
        client.hello()
        known = {client.process.pid, *_children(client.process.pid)}
        recorders = processes_in(project.root) - known
        assert len(recorders) == 1
        os.kill(recorders.pop(), signal.SIGSTOP)
        began = time.monotonic()
        for _ in range(20):
            client.result("big", bytes=1_000_000)
        assert time.monotonic() - began < 10
        stopped = processes_in(project.root) - known
        assert client.end() == 0
    for pid in stopped:
        os.kill(pid, signal.SIGCONT)
    ends(project.root)


def _children(pid: int) -> set[int]:
    return {int(n) for n in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()}
