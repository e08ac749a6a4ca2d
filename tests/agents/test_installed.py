"""Real agents read what `hindsight install` wrote: the server answers, the hooks run."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from hindsight_cli.api.project import Project
from tests.agents.conftest import program
from tests.agents.test_claude_code import START
from tests.agents.test_claude_hooks import ON_ERROR
from tests.conftest import Done, run_hindsight
from tests.scripted_model import ScriptedModel

pytestmark = pytest.mark.realagents

TASK = "Deploy MySQL in a container for the shop"
CODEX_CONFIG = """\
model = "scripted-model"  # ours
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.scripted]
name = "scripted"
base_url = "{address}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
"""
Command = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def env(home: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    return {
        **kept,
        "HOME": str(home),
        "HINDSIGHT_CLI_DATA_DIR": os.environ["HINDSIGHT_CLI_DATA_DIR"],
        "TERM": "xterm-256color",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CODE_MAX_RETRIES": "0",
        "ANTHROPIC_API_KEY": "sk-ant-scripted",
        "GEMINI_API_KEY": "scripted",
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
        "OPENAI_API_KEY": "scripted",
        "SCRIPTED_KEY": "scripted",
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
    }


@pytest.fixture
def hindsight_at(project: Project, home: Path) -> Callable[..., Done]:
    def run(*arguments: str) -> Done:
        return run_hindsight(arguments, cwd=project.root, env={"HOME": str(home)})

    return run


@pytest.fixture
def command(project: Project, env: dict[str, str]) -> Command:
    def run(argv: Sequence[str], **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            argv,
            cwd=project.root,
            env={**env, **more},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=180,
        )

    return run


@pytest.mark.parametrize(
    ("agent", "executable", "says"),
    [
        ("claude-code", "claude", "✔ Connected"),
        ("codex", "codex", "enabled"),
        ("gemini-cli", "gemini", "- Connected"),
        ("opencode", "opencode", "connected"),
        ("qwen-code", "qwen", "- Connected"),
    ],
)
def test_the_agent_knows_the_server(
    hindsight_at: Callable[..., Done], command: Command, agent: str, executable: str, says: str
) -> None:
    found = program(executable)
    assert hindsight_at("install", agent, "--yes").code == 0
    listed = command([found, "mcp", "list"])
    lines = [row for row in (listed.stdout + listed.stderr).splitlines() if "hindsight" in row]
    assert lines
    assert says in lines[0]
    assert hindsight_at("uninstall", agent, "--yes").code == 0
    assert "hindsight" not in command([found, "mcp", "list"]).stdout


def test_claude_runs_the_hooks_and_is_left_as_it_was(
    hindsight_at: Callable[..., Done],
    command: Command,
    model: ScriptedModel,
    home: Path,
    approved: Callable[..., str],
) -> None:
    chosen = approved()
    claude = program("claude")
    (home / ".claude").mkdir()
    before = b'{"hooks":   {"Stop": [] },\n"includeCoAuthoredBy":false}'
    (home / ".claude/settings.json").write_bytes(before)
    assert hindsight_at("install", "claude-code", "--yes").code == 0
    model.play({"text": "Done."})

    ran = command(
        [claude, "-p", TASK, "--model", "claude-sonnet-4-5"], ANTHROPIC_BASE_URL=model.address
    )

    assert ran.returncode == 0
    assert chosen in json.dumps(model.bodies)
    assert hindsight_at("doctor").code == 0
    assert hindsight_at("uninstall", "claude-code", "--yes").code == 0
    assert (home / ".claude/settings.json").read_bytes() == before
    assert "mcpServers" not in json.loads((home / ".claude.json").read_text())


@pytest.fixture
def codex_exec(command: Command, home: Path, model: ScriptedModel) -> Callable[..., str]:
    """Run Codex on the task; gives what its model was asked."""
    codex = program("codex")
    config = home / ".codex/config.toml"
    config.parent.mkdir()
    config.write_text(CODEX_CONFIG.format(address=model.address))

    def run(*flags: str) -> str:
        model.play({"status": 400, "message": "enough"})
        command([codex, "exec", *flags, "--skip-git-repo-check", TASK])
        return json.dumps(model.bodies)

    return run


def test_codex_runs_the_hooks_only_when_they_are_trusted_and_is_left_as_it_was(
    hindsight_at: Callable[..., Done],
    home: Path,
    approved: Callable[..., str],
    codex_exec: Callable[..., str],
) -> None:
    chosen = approved()
    config = home / ".codex/config.toml"
    before = config.read_bytes()
    assert "trust" in hindsight_at("install", "codex", "--yes").out
    assert "Codex skips hooks it does not trust" in hindsight_at("doctor").out

    untrusted = codex_exec()
    trusted = codex_exec("--dangerously-bypass-hook-trust")

    assert (TASK in untrusted, chosen in untrusted) == (True, False)
    assert (TASK in trusted, chosen in trusted) == (True, True)
    assert hindsight_at("uninstall", "codex", "--yes").code == 0
    assert config.read_bytes() == before
    assert not (home / ".codex/hooks.json").exists()


def test_opencode_runs_the_plugin_and_is_left_as_it_was(
    hindsight_at: Callable[..., Done],
    command: Command,
    model: ScriptedModel,
    project: Project,
    approved: Callable[..., str],
) -> None:
    for_task, for_error = approved(), approved(**ON_ERROR)
    opencode = program("opencode")
    (project.root / "start.sh").write_text(START)
    config = project.root / "opencode.json"
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": f"{model.address}/v1", "apiKey": "sk-scripted"},
        "models": {"scripted": {"name": "scripted", "tool_call": True}},
    }
    config.write_text(
        json.dumps(
            {
                "$schema": "https://opencode.ai/config.json",  # added by OpenCode where missing
                "provider": {"local": provider},
                "model": "local/scripted",
                "small_model": "local/scripted",
            }
        )
    )
    before = config.read_bytes()
    assert hindsight_at("install", "opencode", "--scope", "project", "--yes").code == 0
    call = {"name": "bash", "arguments": {"command": "sh start.sh", "description": "Start"}}
    model.play({"tool_calls": [call]}, {"text": "It needs a password."})

    ran = command([opencode, "run", TASK])

    assert ran.returncode == 0
    first, second = [json.dumps(b["messages"]) for b in model.bodies if b.get("tools")]
    assert (for_task in first, for_error in first) == (True, False)
    assert (for_task in second, for_error in second) == (True, True)
    assert list((project.folder / "traces").rglob("*.hooks.jsonl"))
    assert hindsight_at("uninstall", "opencode", "--scope", "project", "--yes").code == 0
    assert config.read_bytes() == before


def test_qwen_runs_the_hooks_and_is_left_as_it_was(
    hindsight_at: Callable[..., Done],
    command: Command,
    model: ScriptedModel,
    home: Path,
    approved: Callable[..., str],
) -> None:
    chosen = approved()
    argv = [program("qwen"), "--openai-base-url", f"{model.address}/v1", "-m", "scripted"]
    argv += ["--auth-type", "openai", "--openai-api-key", "scripted", "-y", "-p", TASK]
    assert hindsight_at("install", "qwen-code", "--yes").code == 0
    model.play({"text": "Done."})

    ran = command(argv, QWEN_CODE_NO_RELAUNCH="1")

    assert ran.returncode == 0
    assert chosen in json.dumps(model.bodies)
    assert hindsight_at("uninstall", "qwen-code", "--yes").code == 0
    left = home / ".qwen/settings.json"
    assert not left.exists() or "hindsight" not in left.read_text()
