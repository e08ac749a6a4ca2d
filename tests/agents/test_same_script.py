"""Five real agents play one script, plainly and under `hindsight run`: one and the same trace.

Needs, besides the agents (conftest.py), a model server that speaks every agent's protocol:
HINDSIGHT_TEST_MODEL_SERVER names a program that takes `--script FILE --log FOLDER --port 0
--port-file FILE`. A script is {"scripts": {name: [turns]}}; a prompt chooses with
`[[script:NAME]]`; a turn has a text and calls, a call's `shell` is put into the client's own tool.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hindsight_cli.api.project import Project
from hindsight_cli.api.reflecting import reflect
from hindsight_cli.api.traces import list_traces, read_trace
from hindsight_cli.records.event import EventType, Outcome, Status
from hindsight_cli.traces.index import TraceRow
from tests.agents.conftest import program
from tests.agents.test_installed import CODEX_CONFIG
from tests.cli.hooks import FOR_ERROR, wait_until
from tests.conftest import run_hindsight

pytestmark = pytest.mark.realagents

PASSWORD = "Xq9-hunter2-Lm7"
TASK = "Deploy MySQL in a container for the shop"
RUN = f"docker run -d --name db -e MYSQL_ROOT_PASSWORD={PASSWORD} mysql:8.0"
AMD64 = RUN.replace("-d ", "-d --platform linux/amd64 ")
SCRIPTS: dict[str, list[dict[str, Any]]] = {
    "default": [
        {"text": "Starting MySQL.", "calls": [{"shell": RUN}]},
        {"text": "The image has no manifest for arm64.", "calls": [{"shell": AMD64}]},
        {"text": "Checking.", "calls": [{"shell": "docker ps"}]},
        {"text": "MySQL 8.0 runs."},
    ],
    "giveup": [
        {"text": "Trying.", "calls": [{"shell": "docker run -d mysql:8.0"}]},
        {"text": "I could not start MySQL; giving up."},
    ],
}
DOCKER = """\
#!/bin/sh
case "$*" in
  *"--platform linux/amd64"*mysql:8.0*) echo 3f1c0ffee0ddba11; exit 0;;
  *mysql:8.0*) echo "Unable to find image 'mysql:8.0' locally" >&2
     echo "docker: no matching manifest for linux/arm64/v8 in the manifest list entries." >&2
     exit 125;;
  ps*) echo "3f1c0ffee0dd   mysql:8.0   Up 2 seconds"; exit 0;;
esac
exit 1
"""
PATHS = {
    "claude-code": "home/.claude/settings.json",
    "codex": "home/.codex/config.toml",
    "gemini-cli": "home/.gemini/settings.json",
    "qwen-code": "home/.qwen/settings.json",
    "opencode": "shop/opencode.json",
}
AGENTS = list(PATHS)
_WAIT_S = 240


@dataclass(frozen=True)
class Bench:
    """One agent in one project, its hooks installed, its model playing SCRIPTS."""

    agent: str
    project: Project
    home: Path
    env: dict[str, str]
    log: Path
    address: str

    @property
    def config(self) -> Path:
        return self.home.parent / PATHS[self.agent]

    def argv(self, prompt: str) -> list[str]:
        if self.agent == "claude-code":
            flags = ["--model", "claude-sonnet-4-5", "--allowedTools", "Bash"]
            return [program("claude"), "-p", prompt, *flags]
        if self.agent == "codex":
            flags = ["--dangerously-bypass-hook-trust", "--skip-git-repo-check"]
            return [program("codex"), "exec", *flags, prompt]
        if self.agent == "gemini-cli":
            return [program("gemini"), "-p", prompt, "-m", "gemini-2.5-pro", "-y"]
        if self.agent == "qwen-code":
            auth = ["--openai-base-url", f"{self.address}/v1", "--openai-api-key", "scripted"]
            model = ["-m", "scripted", "--auth-type", "openai"]
            return [program("qwen"), *auth, *model, "-y", "-p", prompt]
        return [program("opencode"), "run", prompt]

    def play(
        self, *before: str, script: str = "default", flags: Sequence[str] = ()
    ) -> subprocess.CompletedProcess[str]:
        """Run the agent on the task, `before` it what starts it, `flags` before its prompt."""
        argv = self.argv(f"{TASK} [[script:{script}]]")
        return subprocess.run(
            [*before, *argv[:-1], *flags, argv[-1]],
            cwd=self.project.root,
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=_WAIT_S,
        )

    def hindsight(self, verb: str) -> None:
        scope = ["--scope", "project"] if self.agent == "opencode" else []
        done = run_hindsight(
            (verb, self.agent, *scope, "--yes"), cwd=self.project.root, env={"HOME": str(self.home)}
        )
        assert done.code == 0, done.err

    def wait(self, count: int = 1) -> list[TraceRow]:
        """The traces, once the agent's last hook has finished its work."""

        def is_done() -> bool:
            rows = list_traces(self.project)
            return len(rows) >= count and all(row.tool_calls for row in rows) and self._is_quiet()

        wait_until(is_done, timeout_s=60)
        return list_traces(self.project)

    def _is_quiet(self) -> bool:
        files = [p for p in self.project.folder.rglob("*") if p.suffix in (".jsonl", ".log")]
        return time.time() - max(p.stat().st_mtime for p in files) > 3

    def bodies(self) -> list[str]:
        """What the model was asked, in order; requests that offer no tool left out."""
        texts = [p.read_text() for p in sorted(self.log.glob("[0-9]*.json"))]
        return [text for text in texts if TASK in text and '"tools"' in text]


def _configure(agent: str, home: Path, root: Path, address: str) -> dict[str, str]:
    """Write the agent's own settings; gives the variables it needs."""
    if agent == "codex":
        (home / ".codex").mkdir()
        (home / ".codex/config.toml").write_text(CODEX_CONFIG.format(address=address))
    elif agent == "claude-code":
        (home / ".claude").mkdir()
        (home / ".claude/settings.json").write_text('{"includeCoAuthoredBy":  false}\n')
    elif agent in ("gemini-cli", "qwen-code"):
        folder = home / (".gemini" if agent == "gemini-cli" else ".qwen")
        folder.mkdir()
        kind = "gemini-api-key" if agent == "gemini-cli" else "openai"
        auth = {"security": {"auth": {"selectedType": kind}}}
        version = {"$version": 4} if agent == "qwen-code" else {}
        (folder / "settings.json").write_text(json.dumps({**auth, **version}, indent=2))
    else:
        provider = {
            "npm": "@ai-sdk/openai-compatible",
            "options": {"baseURL": f"{address}/v1", "apiKey": "sk-scripted"},
            "models": {"scripted": {"name": "scripted", "tool_call": True}},
        }
        config = {
            "$schema": "https://opencode.ai/config.json",
            "provider": {"local": provider},
            "model": "local/scripted",
            "small_model": "local/scripted",
        }
        (root / "opencode.json").write_text(json.dumps(config))
    return {
        "ANTHROPIC_BASE_URL": address,
        "ANTHROPIC_API_KEY": "sk-ant-scripted",
        "CLAUDE_CODE_MAX_RETRIES": "0",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_AUTOUPDATER": "1",
        "SCRIPTED_KEY": "k-3f9d2c71",
        "GEMINI_API_KEY": "k-8b1e77a0",
        "GOOGLE_GEMINI_BASE_URL": address,
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
        "QWEN_CODE_NO_RELAUNCH": "1",
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
    }


@pytest.fixture(params=AGENTS)
def bench(request: pytest.FixtureRequest, project: Project, home: Path) -> Iterator[Bench]:
    server = os.environ.get("HINDSIGHT_TEST_MODEL_SERVER")
    if not server:
        pytest.skip("no model server: name one in HINDSIGHT_TEST_MODEL_SERVER")
    folder = home.parent
    (folder / "script.json").write_text(json.dumps({"scripts": SCRIPTS}))
    (folder / "bin").mkdir()
    (folder / "bin/docker").write_text(DOCKER)
    (folder / "bin/docker").chmod(0o755)
    # Codex starts a login shell, which sets the path anew.
    (home / ".bash_profile").write_text(f"export PATH={folder}/bin:$PATH\n")
    port, log = folder / "port", folder / "log"
    command = [sys.executable, server, "--script", str(folder / "script.json")]
    command += ["--log", str(log), "--port", "0", "--port-file", str(port)]
    with (folder / "server.txt").open("w") as told:
        served = subprocess.Popen(command, stdout=told, stderr=told)
    try:
        wait_until(lambda: port.exists() and bool(port.read_text().strip()), timeout_s=20)
        address = f"http://127.0.0.1:{port.read_text().strip()}"
        env = {
            "PATH": f"{folder}/bin:{os.environ['PATH']}",
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            "HOME": str(home),
            "HINDSIGHT_CLI_DATA_DIR": os.environ["HINDSIGHT_CLI_DATA_DIR"],
            **_configure(request.param, home, project.root, address),
        }
        yield Bench(request.param, project, home, env, log, address)
    finally:
        served.terminate()
        served.wait(10)


HINDSIGHT_RUN = (sys.executable, "-m", "hindsight_cli", "run", "--")
EXPECTED = [
    ("shell", RUN.replace(PASSWORD, ""), Status.ERROR, 125),
    ("shell", AMD64.replace(PASSWORD, ""), Status.OK, 0),
    ("shell", "docker ps", Status.OK, 0),
]


def normalised(project: Project, row: TraceRow) -> list[tuple[str, str, Any, int]]:
    """The calls as every agent's trace must have them; what hides a password left out."""
    calls = []
    for call in read_trace(project, row.trace_id).trace.calls:
        command = call.command
        start, _, rest = command.partition("MYSQL_ROOT_PASSWORD=")
        plain = f"{start}MYSQL_ROOT_PASSWORD= {rest.partition(' ')[2]}" if rest else command
        code = call.exit_code or (0 if call.status is Status.OK else -1)
        calls.append((call.tool_kind.value, plain, call.status, code))
    return calls


def unhidden(project: Project) -> list[Path]:
    """Files of ours with the password in them."""
    folders = (project.folder, Path(os.environ["HINDSIGHT_CLI_DATA_DIR"]))
    files = [p for folder in folders for p in folder.rglob("*") if p.is_file()]
    assert files
    return [p for p in files if PASSWORD.encode() in p.read_bytes()]


def test_plainly_started_it_is_told_before_the_task_and_after_the_error_and_recorded(
    bench: Bench, approved: Any
) -> None:
    for_task, for_error = approved(), approved(**FOR_ERROR)
    before = bench.config.read_bytes()
    bench.hindsight("install")

    ran = bench.play()

    assert ran.returncode == 0, ran.stderr
    (row,) = bench.wait()
    assert normalised(bench.project, row) == EXPECTED
    first, second, *_, last = bench.bodies()
    assert (for_task in first, for_error in first) == (True, False)
    assert for_error in second
    assert last.count(f'experience_id=\\"{for_task}') <= 1
    trace = read_trace(bench.project, row.trace_id).trace
    assert all(e.injected for e in trace.events if for_task in trace.text(e))
    (task,) = [e for e in trace.events if e.event_type is EventType.TASK]
    assert (TASK in trace.text(task), task.injected) == (True, False)
    assert unhidden(bench.project) == []
    bench.hindsight("uninstall")
    assert bench.config.read_bytes() == before


def test_under_run_with_hooks_too_it_is_one_trace_with_the_same_calls(
    bench: Bench, approved: Any
) -> None:
    for_task, for_error = approved(), approved(**FOR_ERROR)
    bench.hindsight("install")

    ran = bench.play(*HINDSIGHT_RUN)

    assert ran.returncode == 0, ran.stderr
    (row,) = bench.wait()
    assert normalised(bench.project, row) == EXPECTED
    first, second, *_ = bench.bodies()
    assert (for_task in first, for_error in second) == (True, True)
    assert first.count(f"{for_task}") <= 2  # one block, with its id in the receipt at most
    assert unhidden(bench.project) == []


def test_an_agent_that_gives_up_has_failed_though_it_ends_with_zero(bench: Bench) -> None:
    ran = bench.play(*HINDSIGHT_RUN, script="giveup")
    assert ran.returncode == 0, ran.stderr
    (row,) = bench.wait()
    (found,) = reflect(bench.project, [row.trace_id]).attributions
    assert found.outcome is Outcome.FAILURE


def test_two_at_once_in_one_folder_are_two_traces(bench: Bench) -> None:
    bench.hindsight("install")
    with ThreadPoolExecutor(2) as pool:
        ran = list(pool.map(lambda s: bench.play(*HINDSIGHT_RUN, script=s), ("default", "giveup")))
    assert [r.returncode for r in ran] == [0, 0], [r.stderr for r in ran]
    rows = bench.wait(2)
    assert sorted(row.tool_calls for row in rows) == [1, 3]
    (long,) = [row for row in rows if row.tool_calls == 3]
    assert normalised(bench.project, long) == EXPECTED


@pytest.mark.parametrize("bench", ["codex"], indirect=True)
def test_codex_that_keeps_no_session_file_is_one_trace_from_its_hooks(bench: Bench) -> None:
    bench.hindsight("install")
    ran = bench.play(*HINDSIGHT_RUN, flags=("--ephemeral",))
    assert ran.returncode == 0, ran.stderr
    (row,) = bench.wait()
    commands = [command for _, command, *_ in normalised(bench.project, row)]
    assert commands == [command for _, command, *_ in EXPECTED]
    assert unhidden(bench.project) == []
