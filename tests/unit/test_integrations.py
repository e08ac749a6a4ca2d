"""What a command line says: which agent, which task, which session, and what may be added."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path

import pytest

from hindsight_cli.integrations import Agent, find_agent
from hindsight_cli.integrations.command_line import MANY, NONE, ONE, OPTIONAL

CLAUDE = "claude"
NPX_CLAUDE = ["npx", "-y", "@anthropic-ai/claude-code@latest"]
SESSION = "0b6f2f3e-9d0f-4c7e-8a51-3f6d1b2c4e5a"
BLOCK = "--- for reference ---"
HOME = {"HOME": "/home/ada"}


def the_agent(argv: Sequence[str]) -> Agent:
    agent = find_agent(argv)
    assert agent is not None, argv
    return agent


def claude(*arguments: str) -> list[str]:
    return [CLAUDE, *arguments]


@pytest.mark.parametrize(
    ("argv", "name"),
    [
        (["claude"], "claude-code"),
        (["/home/ada/.claude/local/claude", "-c"], "claude-code"),
        (["codex", "exec", "x"], "codex"),
        (["gemini"], "gemini-cli"),
        (["qwen"], "qwen-code"),
        (["opencode"], "opencode"),
        (["/usr/lib/node_modules/opencode-ai/bin/opencode.exe", "run", "x"], "opencode"),
        (["pi", "fix it"], "pi"),
        (["copilot"], "copilot-cli"),
        (["npx", "@mariozechner/pi-coding-agent@0.73.1", "-p", "x"], "pi"),
        (["npx", "-y", "@github/copilot", "-p", "x"], "copilot-cli"),
        (["mini"], "mini-swe-agent"),
        (["mini-swe-agent"], "mini-swe-agent"),
        (["aider"], "aider"),
        (["npx", "@anthropic-ai/claude-code"], "claude-code"),
        (["npx", "--yes", "--", "@openai/codex@0.171.0", "exec"], "codex"),
        (["npx", "-y", "-p", "@google/gemini-cli", "gemini"], "gemini-cli"),
        (["npx", "--package=@qwen-code/qwen-code@1", "qwen"], "qwen-code"),
        (["bunx", "--bun", "opencode-ai"], "opencode"),
        (["bun", "x", "@openai/codex"], "codex"),
        (["pnpm", "dlx", "@anthropic-ai/claude-code"], "claude-code"),
        (["uvx", "mini-swe-agent", "-t", "x"], "mini-swe-agent"),
        (["uvx", "--from", "mini-swe-agent[full]==2.4", "mini"], "mini-swe-agent"),
        (["uvx", "--python", "3.12", "--from=aider-chat", "aider"], "aider"),
        (["uv", "tool", "run", "mini-swe-agent@2.4"], "mini-swe-agent"),
        (["pipx", "run", "--spec", "aider-chat", "aider"], "aider"),
        (["uv", "run", "--with", "mini-swe-agent", "mini"], "mini-swe-agent"),
        (["python3.12", "-u", "-m", "minisweagent"], "mini-swe-agent"),
        (["/venv/bin/python", "-m", "aider"], "aider"),
        (["env", "A=1", "B_2=x=y", "claude"], "claude-code"),
        (["env", "A=1", "npx", "@openai/codex"], "codex"),
        (["timeout", "-k", "5", "--signal=INT", "600", "claude", "-p", "x"], "claude-code"),
        (["nice", "-n", "5", "nohup", "claude"], "claude-code"),
        (["node", "/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js"], "claude-code"),
        (["/opt/node_modules/opencode-ai/bin/run.mjs"], "opencode"),
    ],
)
def test_an_agent_is_recognised_behind_what_starts_it(argv: Sequence[str], name: str) -> None:
    assert the_agent(argv).name == name


@pytest.mark.parametrize(
    "argv",
    [
        [],
        [""],
        ["make", "claude"],
        ["echo", "claude", "-p", "x"],
        ["sh", "-c", "claude -p x"],
        ["sudo", "claude"],
        ["docker", "run", "-it", "box", "claude"],
        ["ssh", "host", "claude"],
        ["claude-monitor"],
        ["mini-extra", "swebench"],
        ["env"],
        ["env", "-i", "claude"],
        ["env", "-S", "claude -p x"],
        ["timeout", "--odd", "600", "claude"],
        ["timeout", "600"],
        ["npx"],
        ["npx", "-y"],
        ["npx", "claude"],
        ["npx", "-c", "claude -p x"],
        ["npx", "-p", "left-pad", "claude"],
        ["npx", "-p", "@openai/codex", "claude"],
        ["npx", "@evil/claude-code"],
        ["uvx", "--from", "somebody", "aider"],
        ["uv", "run", "--directory", "elsewhere", "mini"],
        ["python3", "claude"],
        ["python3", "-m", "http.server"],
        ["python3", "-c", "print(1)", "-m", "aider"],
        ["node", "cli.js"],
        ["node", "--inspect", "/x/node_modules/@openai/codex/bin/codex.js"],
        ["node", "/x/node_modules/left-pad/index.js"],
        ["/x/node_modules/@openai/codex/README.md"],
        ["./claude/"],
    ],
)
def test_what_is_not_certainly_an_agent_is_none(argv: Sequence[str]) -> None:
    assert find_agent(argv) is None


@pytest.mark.parametrize(
    ("argv", "prompt"),
    [
        (claude("-p", "fix it"), "fix it"),
        (claude("fix it"), "fix it"),
        (claude("--print", "--output-format", "json", "fix it"), "fix it"),
        (claude("-p", "--output-format=stream-json", "--verbose", "fix it"), "fix it"),
        (claude("fix it", "--model", "opus"), "fix it"),
        (claude("--model", "opus", "-p", "fix it"), "fix it"),
        (claude("-p", "fix it", "--allowedTools", "Bash(git *)", "Edit"), "fix it"),
        (claude("--allowed-tools", "Bash", "-p", "fix it"), "fix it"),
        (claude("--allowedTools=Bash", "fix it"), "fix it"),
        (claude("--mcp-config", "a.json", "b.json", "--", "fix it"), "fix it"),
        (claude("--add-dir", "../a", "../b", "-p", "fix it"), "fix it"),
        (claude("-pc", "fix it"), "fix it"),
        (claude("-r", "abc", "fix it"), "fix it"),
        (claude("-rabc", "fix it"), "fix it"),
        (claude("-n", "name", "fix it"), "fix it"),
        (claude("-nname", "fix it"), "fix it"),
        (claude("-d2e", "fix it"), "fix it"),
        (claude("-p", "--", "-fix it"), "-fix it"),
        (claude("--system-prompt", "--print", "fix it"), "fix it"),
        (claude("-p", "fix", "it"), "fix"),
        (claude("-p", "doctor"), "doctor"),
        (claude("/init"), "/init"),
        (claude("数据库端口被占用"), "数据库端口被占用"),
        (claude("--new-option=x", "fix it"), "fix it"),
        (claude("--new-option", "x", "-p", "fix it"), "fix it"),
        ([*NPX_CLAUDE, "-p", "fix it"], "fix it"),
        (["codex", "fix it"], "fix it"),
        (["codex", "exec", "fix it"], "fix it"),
        (["codex", "e", "--json", "--skip-git-repo-check", "fix it"], "fix it"),
        (["codex", "-c", 'model="o3"', "exec", "-m", "o3", "fix it"], "fix it"),
        (["codex", "exec", "-c", "a=b", "-C", "dir", "-s=read-only", "--", "fix it"], "fix it"),
        (["codex", "fix it", "-i", "a.png", "b.png"], "fix it"),
        (["codex", "exec", "resume", "--last", "fix it"], "fix it"),
        (["codex", "exec", "resume", SESSION, "fix it"], "fix it"),
        (["codex", "resume", "--last", SESSION, "fix it"], "fix it"),
        (["codex", "exec", "review", "look at the locks"], "look at the locks"),
        (["gemini", "-p", "fix it"], "fix it"),
        (["gemini", "--prompt=fix it", "-y"], "fix it"),
        (["gemini", "-p=fix it"], "fix it"),
        (["gemini", "-yp", "fix it"], "fix it"),
        (["gemini", "-i", "fix it"], "fix it"),
        (["gemini", "-m", "pro", "fix", "it"], "fix it"),
        (["gemini", "-e", "none", "fix it"], "fix it"),
        (["gemini", "--allowed-tools", "a", "fix it"], "fix it"),
        (["qwen", "--auth-type", "openai", "-y", "fix it"], "fix it"),
        (["qwen", "-p", "fix it", "--output-format", "stream-json"], "fix it"),
        (["opencode", "run", "fix", "it"], "fix it"),
        (["opencode", "run", "-m", "a/b", "--format", "json", "fix it"], "fix it"),
        (["opencode", "run", "fix it", "-f", "a.txt", "b.txt"], "fix it"),
        (["opencode", "run", "--", "--fix", "it"], "--fix it"),
        (["opencode", "--prompt", "fix it", "folder"], "fix it"),
        (["pi", "fix it"], "fix it"),
        (["pi", "-p", "fix it", "then tell me"], "fix it"),
        (["pi", "@notes.md", "--model", "a/b:high", "fix it", "-nt"], "fix it"),
        (["pi", "--append-system-prompt", "be brief", "-c", "fix it"], "fix it"),
        (["pi", "--mode", "json", "list all files"], "list all files"),
        (["copilot", "-p", "fix it", "--allow-all-tools"], "fix it"),
        (["copilot", "--allow-tool", "shell(git)", "write", "-p", "fix it"], "fix it"),
        (["copilot", "-sC", "sub", "--prompt=fix it"], "fix it"),
        (["copilot", "--resume", "-i", "fix it"], "fix it"),
        (["mini", "-t", "fix it", "-y", "-m", "openai/x"], "fix it"),
        (["mini", "--task=fix it"], "fix it"),
        (["mini", "-t", "-fix it"], "-fix it"),
        (["mini", "-ytfix it"], "fix it"),
        (["aider", "-m", "fix it", "a.py"], "fix it"),
        (["aider", "--model", "m", "--yes-always", "a.py", "--message", "fix it"], "fix it"),
        (["aider", "--msg=fix it"], "fix it"),
        (["timeout", "600", "aider", "--message", "fix it"], "fix it"),
    ],
)
def test_the_task_is_found_in_the_arguments(argv: Sequence[str], prompt: str) -> None:
    assert the_agent(argv).prompt_in(argv) == prompt


@pytest.mark.parametrize(
    "argv",
    [
        claude(),
        claude("-p"),
        claude("-p", ""),
        claude("-p", "  "),
        claude("-c"),
        claude("--model", "fix it"),
        claude("-p", "--allowedTools", "Bash", "fix it"),
        claude("--allowedTools", "-p", "fix it"),
        claude("-d", "api"),
        claude("--resume", SESSION),
        claude("--new-option", "fix it"),
        claude("--new-option", "a", "fix it"),
        claude("-Z", "fix it"),
        claude("mcp", "add", "x"),
        claude("--debug", "--", "mcp"),
        claude("--new-option", "x", "doctor"),
        claude("-p", "fix it", "--help"),
        claude("-ph", "fix it"),
        claude("--version"),
        ["codex"],
        ["codex", "exec", "-"],
        ["codex", "exec", "--image", "a.png", "fix it"],
        ["codex", "resume"],
        ["codex", "resume", SESSION],
        ["codex", "exec", "resume", "--last"],
        ["codex", "exec", "help"],
        ["codex", "--new-option", "exec", "fix it"],
        ["codex", "login"],
        ["codex", "mcp", "add", "x"],
        ["codex", "exec", "fix it", "-V"],
        ["gemini", "-p", "-y"],
        ["gemini", "--", "fix it"],
        ["gemini", "-mpro", "fix it"],
        ["gemini", "mcp", "list"],
        ["gemini", "--list-sessions"],
        ["qwen", "extensions", "list"],
        ["qwen", "--allowed-tools", "a", "fix it"],
        ["qwen", "--include-directories=a", "fix it"],
        ["qwen", "--system-prompt", "be brief"],
        ["opencode"],
        ["opencode", "folder"],
        ["opencode", "serve"],
        ["opencode", "run", "--command", "review", "fix it"],
        ["opencode", "--new-option", "run", "fix it"],
        ["pi"],
        ["pi", "@notes.md"],
        ["pi", "-p"],
        ["pi", "list"],
        ["pi", "install", "npm:x"],
        ["pi", "--new-option", "fix it"],
        ["pi", "--export", "a.jsonl", "b.html"],
        ["pi", "--list-models", "gpt"],
        ["pi", "-p", "fix it", "-v"],
        ["copilot"],
        ["copilot", "fix it"],
        ["copilot", "-n", "-p"],
        ["copilot", "login"],
        ["copilot", "-p", "fix it", "--help"],
        ["mini"],
        ["mini", "fix it"],
        ["mini", "-o", "-t"],
        ["mini", "-t", "fix it", "--help"],
        ["aider", "fix.py"],
        ["aider", "-f", "message.txt"],
        ["aider", "--test-cmd", "-m fix it"],
        ["aider", "--list-models", "gpt", "-m", "fix it"],
    ],
)
def test_where_no_task_is_certain_there_is_none(argv: Sequence[str]) -> None:
    assert the_agent(argv).prompt_in(argv) is None


@pytest.mark.parametrize(
    ("argv", "start"),
    [
        (claude(), 1),
        (claude("-p", "fix it"), 1),
        (claude("fix it"), 1),
        (claude("/init"), 1),
        (claude("部署"), 1),
        (claude("-p", "mcp"), 1),
        (claude("-p", "--allowedTools", "Bash", "Edit"), 1),
        (claude("--", "fix it"), 1),
        (claude("-w", "--model", "opus"), 1),
        (claude("--ide", "--add-dir", ".."), 1),
        (["/usr/bin/claude", "-p", "fix it"], 1),
        ([*NPX_CLAUDE, "-p", "fix it"], 3),
        (["env", "A=1", "timeout", "9", "claude", "-p", "x"], 5),
        (["npx", "-p", "@anthropic-ai/claude-code", "claude", "-p", "x"], 4),
    ],
)
def test_what_is_added_stands_before_all_other_arguments(argv: list[str], start: int) -> None:
    agent = the_agent(argv)
    before, after = argv[:start], argv[start:]

    with_session = agent.with_session(argv, SESSION)
    assert with_session == [*before, "--session-id", SESSION, *after]
    with_both = agent.with_block(with_session, BLOCK)
    assert with_both == [
        *(*before, "--append-system-prompt", BLOCK, "--session-id", SESSION, *after)
    ]
    assert agent.given_session(with_both) == SESSION
    assert agent.prompt_in(with_both) == agent.prompt_in(argv)


@pytest.mark.parametrize(
    "arguments",
    [
        ["-c"],
        ["--continue", "-p", "x"],
        ["-pc", "go on"],
        ["-r"],
        ["-r", SESSION],
        [f"--resume={SESSION}", "-p", "x"],
        ["--resume", SESSION, "--fork-session"],
        ["--from-pr", "12"],
        ["--teleport"],
        ["--bg", "fix it"],
        ["--cloud", "fix it"],
        ["-w", "--tmux"],
        ["mcp", "list"],
        ["--verbose", "doctor"],
        ["rm", "abc"],
        ["unheard-of", "argument"],
        ["--help"],
        ["-v"],
        ["--new-option", "fix it"],
        ["-p", "fix it", "--new-option=1"],
        ["-xZ"],
    ],
)
def test_nothing_is_added_when_a_session_goes_on_or_anything_is_in_doubt(
    arguments: Sequence[str],
) -> None:
    argv = claude(*arguments)
    agent = the_agent(argv)

    assert (agent.with_block(argv, BLOCK), agent.with_session(argv, SESSION)) == (None, None)
    assert agent.given_session(argv) is None


@pytest.mark.parametrize(
    "given",
    [
        ["--append-system-prompt", "x"],
        ["--append-system-prompt=x"],
        ["--append-system-prompt-file", "x.md"],
        ["--system-prompt", "x"],
        ["--system-prompt-file=x.md"],
        ["--safe-mode"],
    ],
)
def test_a_system_prompt_of_the_user_s_own_is_left_alone(given: Sequence[str]) -> None:
    argv = claude("-p", "fix it", *given)

    assert the_agent(argv).with_block(argv, BLOCK) is None
    assert the_agent(argv).with_session(argv, SESSION) is not None


@pytest.mark.parametrize("given", [["--session-id", SESSION], ["--no-session-persistence"]])
def test_a_session_of_the_user_s_own_is_left_alone(given: Sequence[str]) -> None:
    argv = claude("-p", "fix it", *given)

    assert the_agent(argv).with_session(argv, "another") is None
    assert the_agent(argv).with_block(argv, BLOCK) is not None


@pytest.mark.parametrize(
    ("arguments", "session"),
    [
        (["--session-id", SESSION], SESSION),
        ([f"--session-id={SESSION.upper()}", "-p", "x"], SESSION.upper()),
        (["--resume", "name", "--fork-session", "--session-id", SESSION], SESSION),
        (["--session-id", "../../elsewhere"], None),
        (["--session-id"], None),
        (["--resume", SESSION], None),
        (["--session-id", SESSION, "--no-session-persistence"], None),
        (["-p", "--", "--session-id", SESSION], None),
        ([], None),
    ],
)
def test_only_the_id_of_a_session_that_begins_is_given(
    arguments: Sequence[str], session: str | None
) -> None:
    argv = claude(*arguments)

    assert the_agent(argv).given_session(argv) == session


@pytest.mark.parametrize(
    "argv",
    [
        ["codex", "exec", "fix it"],
        ["gemini", "-p", "fix it"],
        ["qwen", "-p", "fix it"],
        ["opencode", "run", "fix it"],
        ["pi", "-p", "fix it"],
        ["copilot", "-p", "fix it"],
        ["mini", "-t", "fix it"],
        ["aider", "-m", "fix it"],
    ],
)
def test_agents_without_a_flag_known_to_all_versions_get_none(argv: Sequence[str]) -> None:
    agent = the_agent(argv)

    assert agent.with_block(argv, BLOCK) is None
    assert agent.with_session(argv, SESSION) is None
    assert agent.given_session(argv) is None


@pytest.mark.parametrize(
    ("argv", "env", "files", "below"),
    [
        (
            claude("--session-id", SESSION),
            HOME,
            [f"/home/ada/.claude/projects/-srv-my-shop/{SESSION}.jsonl"],
            ("/home/ada/.claude/projects", f"*/{SESSION}.jsonl"),
        ),
        (
            claude("-p", "x"),
            {**HOME, "CLAUDE_CONFIG_DIR": "/etc/claude"},
            [],
            ("/etc/claude/projects/-srv-my-shop", "*.jsonl"),
        ),
        (
            claude("--resume", SESSION),
            {"CLAUDE_CONFIG_DIR": "conf"},
            [f"/srv/my.shop/conf/projects/-srv-my-shop/{SESSION}.jsonl"],
            ("/srv/my.shop/conf/projects/-srv-my-shop", "*.jsonl"),
        ),
        (
            claude("--resume", SESSION, "--fork-session"),
            HOME,
            [],
            ("/home/ada/.claude/projects/-srv-my-shop", "*.jsonl"),
        ),
        (
            claude("--resume", "../../etc/*"),
            HOME,
            [],
            ("/home/ada/.claude/projects/-srv-my-shop", "*.jsonl"),
        ),
        (
            ["env", "CLAUDE_CONFIG_DIR=/mine", "claude", "-c"],
            {**HOME, "CLAUDE_CONFIG_DIR": "/other"},
            [],
            ("/mine/projects/-srv-my-shop", "*.jsonl"),
        ),
        (
            ["codex", "exec", "fix it"],
            HOME,
            [],
            ("/home/ada/.codex/sessions", "*/*/*/rollout-*.jsonl"),
        ),
        (
            ["codex", "exec", "resume", "--last", "go on"],
            {**HOME, "CODEX_HOME": "conf"},
            [],
            ("/srv/my.shop/conf/sessions", "*/*/*/rollout-*.jsonl"),
        ),
        (
            ["codex", "resume", SESSION, "go on"],
            {"CODEX_HOME": "/conf"},
            [],
            ("/conf/sessions", f"*/*/*/rollout-*-{SESSION}.jsonl"),
        ),
        (
            ["codex", "resume", "../*"],
            {"CODEX_HOME": "/conf"},
            [],
            ("/conf/sessions", "*/*/*/rollout-*.jsonl"),
        ),
        (
            ["codex", "fork", SESSION],
            {"CODEX_HOME": "/conf"},
            [],
            ("/conf/sessions", "*/*/*/rollout-*.jsonl"),
        ),
        (
            ["gemini", "-p", "x"],
            HOME,
            [],
            (
                "/home/ada/.gemini/tmp/"
                "44162ff0af47d79c206b97b33168c55518b80bdf051f207f3075df2a26921417/chats",
                "**/*.json*",
            ),
        ),
        (
            ["gemini", "-w", "fix", "-p", "x"],
            {**HOME, "GEMINI_CLI_HOME": "/mine"},
            [],
            ("/mine/.gemini/tmp", "*/chats/**/*.json*"),
        ),
        (
            ["qwen", "-p", "x"],
            HOME,
            [],
            ("/home/ada/.qwen/projects/-srv-my-shop", "*/**/*.jsonl"),
        ),
        (
            ["qwen", "-c", "-p", "x"],
            {**HOME, "QWEN_HOME": "/q", "QWEN_RUNTIME_DIR": "~/r"},
            [],
            ("/home/ada/r/projects/-srv-my-shop", "*/**/*.jsonl"),
        ),
        (
            ["qwen", "--worktree", "fix", "-p", "x"],
            {**HOME, "QWEN_HOME": "/q"},
            [],
            ("/q/projects", "*/*/**/*.jsonl"),
        ),
        (
            ["pi", "-p", "x"],
            HOME,
            [],
            ("/home/ada/.pi/agent/sessions/--srv-my.shop--", "*.jsonl"),
        ),
        (
            ["pi", "-c", "--fork", "0199a1b2"],
            {**HOME, "PI_CODING_AGENT_DIR": "~/p"},
            [],
            ("/home/ada/p/sessions/--srv-my.shop--", "*.jsonl"),
        ),
        (["pi", "-r"], HOME, [], ("/home/ada/.pi/agent/sessions", "*/*.jsonl")),
        (
            ["pi", "--session", "0199a1b2"],
            HOME,
            [],
            ("/home/ada/.pi/agent/sessions", "*/*_0199a1b2*.jsonl"),
        ),
        (["pi", "--session", "*"], HOME, [], ("/home/ada/.pi/agent/sessions", "*/*.jsonl")),
        (["pi", "--session", "a/b.jsonl"], {}, ["/srv/my.shop/a/b.jsonl"], (None, "")),
        (["pi", "--session-dir", "s", "x"], {}, [], ("/srv/my.shop/s", "*.jsonl")),
        (
            ["env", "PI_CODING_AGENT_SESSION_DIR=~/s", "pi", "x"],
            HOME,
            [],
            ("/home/ada/s", "*.jsonl"),
        ),
        (
            ["copilot", "-p", "x"],
            HOME,
            [],
            ("/home/ada/.copilot/session-state", "*/events.jsonl"),
        ),
        (
            ["copilot", f"--resume={SESSION}"],
            {"COPILOT_HOME": "conf"},
            [f"/srv/my.shop/conf/session-state/{SESSION}/events.jsonl"],
            (None, ""),
        ),
        (
            ["copilot", "--session-id", SESSION.upper(), "-p", "x"],
            HOME,
            [f"/home/ada/.copilot/session-state/{SESSION}/events.jsonl"],
            (None, ""),
        ),
        (
            ["copilot", "--resume", "../x"],
            {"COPILOT_HOME": "/c"},
            [],
            ("/c/session-state", "*/events.jsonl"),
        ),
        (["mini", "-o", "out.traj.json"], HOME, ["/srv/my.shop/out.traj.json"], (None, "")),
        (["mini", "--output=/tmp/o.json"], HOME, ["/tmp/o.json"], (None, "")),
        (
            ["mini"],
            {**HOME, "MSWEA_GLOBAL_CONFIG_DIR": "/conf"},
            ["/conf/last_mini_run.traj.json"],
            (None, ""),
        ),
    ],
)
def test_the_transcript_is_looked_for_where_the_agent_writes_it(
    argv: Sequence[str],
    env: dict[str, str],
    files: Sequence[str],
    below: tuple[str | None, str],
) -> None:
    place = the_agent(argv).transcripts(argv, env, "/srv/my.shop")

    assert place is not None
    assert (list(place.files), (place.folder, place.pattern)) == (files, below)


@pytest.mark.parametrize(
    ("argv", "env", "file", "began"),
    [
        (["opencode"], HOME, "/home/ada/.local/share/opencode/opencode.db", "/srv/shop"),
        (
            ["opencode", "run", "fix", "it"],
            {"XDG_DATA_HOME": "/x"},
            "/x/opencode/opencode.db",
            "/srv/shop",
        ),
        (["opencode", "../a b"], HOME, None, "/srv/shop/../a b"),
        (["opencode", "--prompt", "fix it", "/srv/other"], HOME, None, "/srv/other"),
        (["opencode", "run", "--dir", "sub", "fix"], HOME, None, "/srv/shop/sub"),
        (
            ["env", "XDG_DATA_HOME=y", "opencode"],
            HOME,
            "/srv/shop/y/opencode/opencode.db",
            "/srv/shop",
        ),
        (
            ["opencode"],
            {**HOME, "OPENCODE_DB": "b.db"},
            "/home/ada/.local/share/opencode/b.db",
            "/srv/shop",
        ),
        (["opencode"], {"OPENCODE_DB": "/b.db"}, "/b.db", "/srv/shop"),
    ],
)
def test_opencode_s_sessions_are_in_one_file_and_the_run_s_began_in_its_directory(
    argv: Sequence[str], env: dict[str, str], file: str | None, began: str
) -> None:
    place = the_agent(argv).transcripts(argv, env, "/srv/shop")

    assert place is not None
    assert list(place.files) == [file or "/home/ada/.local/share/opencode/opencode.db"]
    assert (place.cwd, place.folder) == (began, None)


def test_qwen_s_subagents_are_found_beside_its_chats(tmp_path: Path) -> None:
    project = tmp_path / ".qwen" / "projects" / "-srv"
    names = ("chats/a.jsonl", "subagents/a/agent-b.jsonl", "memory/c.jsonl", "d.jsonl")
    for name in names:
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).touch()

    argv = ["qwen", "-p", "x"]
    place = the_agent(argv).transcripts(argv, {"HOME": str(tmp_path)}, "/srv")

    assert place is not None
    assert place.folder is not None
    found = [path for path in Path(place.folder).glob(place.pattern) if place.holds(str(path))]
    assert sorted(found) == [project / "chats/a.jsonl", project / "subagents/a/agent-b.jsonl"]


def test_gemini_s_folder_says_whose_it_is(tmp_path: Path) -> None:
    """As Gemini CLI 0.61 named them: a short name, with the path in a file."""
    projects = tmp_path / ".gemini" / "tmp"
    for name, root in (("shop", "/srv/other/shop"), ("shop-1", "/srv/my.shop"), ("bin", None)):
        (projects / name).mkdir(parents=True)
        if root is not None:
            (projects / name / ".project_root").write_text(root, encoding="utf-8")

    argv = ["gemini", "-p", "x"]
    place = the_agent(argv).transcripts(argv, {"HOME": str(tmp_path)}, "/srv/my.shop")

    assert place is not None
    assert place.folder == str(projects / "shop-1" / "chats")


@pytest.mark.skipif(sys.platform == "darwin", reason="macOS has other folders")
@pytest.mark.parametrize(
    ("env", "folder"),
    [(HOME, "/home/ada/.config"), ({**HOME, "XDG_CONFIG_HOME": "/xdg"}, "/xdg")],
)
def test_mini_s_last_run_is_in_the_user_s_configuration(env: dict[str, str], folder: str) -> None:
    place = the_agent(["mini"]).transcripts(["mini"], env, "/srv")

    assert place is not None
    assert list(place.files) == [f"{folder}/mini-swe-agent/last_mini_run.traj.json"]


@pytest.mark.parametrize(
    ("argv", "env"),
    [
        (claude("-p", "x", "--no-session-persistence"), HOME),
        (claude("--bg", "fix it"), HOME),
        (claude("mcp", "list"), HOME),
        (claude("--help"), HOME),
        (claude("-p", "x"), {}),
        (["mini", "--help"], HOME),
        (["mini", "-o", ""], HOME),
        (["mini"], {}),
        (["codex", "exec", "--ephemeral", "fix it"], HOME),
        (["codex", "login"], HOME),
        (["codex"], {}),
        (["gemini", "-p", "x"], {}),
        (["gemini", "mcp", "list"], HOME),
        (["qwen", "-p", "x"], {}),
        (["qwen", "-p", "x", "--no-chat-recording"], HOME),
        (["opencode", "run", "x"], {}),
        (["opencode", "run", "x"], {**HOME, "OPENCODE_DB": ":memory:"}),
        (["opencode", "run", "--attach", "http://127.0.0.1:4096", "x"], HOME),
        (["opencode", "serve"], HOME),
        (["pi", "--no-session", "x"], HOME),
        (["pi", "update"], HOME),
        (["pi", "x"], {}),
        (["copilot", "--connect"], HOME),
        (["copilot", "help", "environment"], HOME),
        (["copilot", "-p", "x"], {}),
        (["aider", "-m", "x"], HOME),
    ],
)
def test_where_there_is_no_transcript_to_read_there_is_no_place(
    argv: Sequence[str], env: dict[str, str]
) -> None:
    assert the_agent(argv).transcripts(argv, env, "/srv") is None


@pytest.mark.parametrize(
    ("argv", "began", "held"),
    [
        (["codex"], "/srv/shop", True),
        (["codex"], "/srv/other", False),
        (["codex", "-C", "../other", "fix it"], "/srv/other", True),
        (["codex", "--cd=/srv/other", "fix it"], "/srv/shop", False),
        (["codex", "resume", SESSION], "/srv/other", True),
        (["codex", "resume", "--all"], "/srv/other", True),
        (["codex", "--worktree", "fix it"], "/srv/other", True),
        (["codex"], None, True),
    ],
)
def test_of_codex_s_sessions_only_those_of_this_directory_are_a_run_s(
    tmp_path: Path, argv: Sequence[str], began: str | None, held: bool
) -> None:
    rollout = tmp_path / "rollout.jsonl"
    payload = {"cwd": began} if began else "broken"
    rollout.write_text(json.dumps({"type": "session_meta", "payload": payload}) + "\n")

    place = the_agent(argv).transcripts(argv, HOME, "/srv/shop")

    assert place is not None
    assert place.holds(str(rollout)) is held


@pytest.mark.parametrize(
    ("argv", "began", "held"),
    [
        (["pi", "--session-dir", "/s", "x"], "/srv/shop", True),
        (["pi", "--session-dir", "/s", "x"], "/srv/other", False),
        (["pi", "--session-dir", "/s", "-r"], "/srv/other", True),
        (["copilot", "-p", "x"], "/srv/shop", True),
        (["copilot", "-p", "x"], "/srv/other", False),
        (["copilot", "-C", "../other", "-p", "x"], "/srv/other", True),
        (["copilot", "--continue"], "/srv/other", True),
        (["copilot", "--worktree", "-p", "x"], "/srv/other", True),
        (["copilot", "-p", "x"], None, True),
    ],
)
def test_where_all_directories_share_a_folder_a_session_says_where_it_began(
    tmp_path: Path, argv: Sequence[str], began: str | None, held: bool
) -> None:
    first = tmp_path / "first.jsonl"
    context = {"cwd": began} if began else "broken"
    first.write_text(json.dumps({"data": {"context": context}, "cwd": began}) + "\n")

    place = the_agent(argv).transcripts(argv, HOME, "/srv/shop")

    assert place is not None
    assert place.holds(str(first)) is held


@pytest.mark.parametrize(
    ("cwd", "folder"),
    [
        ("/srv/a b.c_d", "-srv-a-b-c-d"),
        ("/srv/数据库", "-srv----"),
        ("/srv/emo😀ji", "-srv-emo--ji"),
        ("/srv/cafe\u0301", "-srv-cafe-"),
    ],
)
def test_claude_s_folder_of_a_directory(cwd: str, folder: str) -> None:
    """As Claude Code 2.1.197 named them."""
    place = the_agent([CLAUDE]).transcripts([CLAUDE], HOME, cwd)

    assert place is not None
    assert place.folder == f"/home/ada/.claude/projects/{folder}"


def test_the_folder_of_a_very_long_directory_is_found_by_its_beginning(tmp_path: Path) -> None:
    cwd = "/srv/" + "long" * 60
    folder = tmp_path / "projects" / (f"-srv-{'long' * 60}"[:200] + "-ad4p6n")
    folder.mkdir(parents=True)
    (folder / "a.jsonl").touch()

    place = the_agent([CLAUDE]).transcripts([CLAUDE], {"CLAUDE_CONFIG_DIR": str(tmp_path)}, cwd)

    assert place is not None
    assert place.folder is not None
    assert list(Path(place.folder).glob(place.pattern)) == [folder / "a.jsonl"]


def test_an_agent_is_found_without_loading_the_others() -> None:
    code = (
        "import sys, pathlib; before = set(sys.modules)\n"
        "from hindsight_cli.integrations import find_agent\n"
        "find_agent(['make'])\n"
        "agent = find_agent(['claude', '-p', 'x'])\n"
        "agent.with_block(['claude', '-p', 'x'], 'b')\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        check=True,
    )

    loaded = set(done.stdout.split())
    agents = {name.rpartition(".")[2] for name in loaded if "integrations." in name}
    assert agents == {"agent", "claude_code", "command_line", "programs"}
    assert loaded.isdisjoint({"typing", "argparse", "shlex", "dataclasses", "enum", "uuid"})


HELP = [
    "claude --help",
    "codex --help",
    "codex exec --help",
    "codex resume --help",
    "codex review --help",
    "gemini --help",
    "qwen --help",
    "opencode --help",
    "opencode run --help",
    "pi --help",
    "copilot --help",
    "mini --help",
]


def option_in_help(line: str) -> tuple[list[str], int | None]:
    """The names of the option that a line of a help text is about, and how many values it takes.

    [] when it is about none; no number when the line does not say.
    """
    words = line.strip(" │").replace(",", " ").split()
    names = list(takewhile(lambda word: re.fullmatch(r"--?[A-Za-z][\w-]*", word), words))
    rest = " ".join(words[len(names) :])
    if kind := re.search(r"\[(boolean|string|number|array)\]", rest):  # of yargs, at the end
        return names, {"boolean": NONE, "array": None}.get(kind[1], ONE)
    if re.match("<bool>", rest):  # of typer
        return names, NONE
    if kind := re.match(r"[<\[](?!default)[^>\]]+[>\]](\.\.\.)?", rest):
        return names, MANY if "..." in kind[0] else ONE if rest[0] == "<" else OPTIONAL
    return names, None


@pytest.mark.realagents
@pytest.mark.parametrize("command", HELP)
def test_every_option_that_an_agent_documents_is_known(command: str, tmp_path: Path) -> None:
    program, *arguments = command.split()
    executable = shutil.which(program)
    if executable is None:
        pytest.skip(f"{program} is not installed")
    done = subprocess.run(
        [executable, *arguments],
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "COLUMNS": "300"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    grammar = the_agent([program]).grammar
    documented = list(map(option_in_help, (done.stdout + done.stderr).splitlines()))
    assert sum(bool(names) for names, _ in documented) >= 10

    known = [
        (name, grammar.arity.get(grammar.name_of.get(name, "")), arity)
        for names, arity in documented
        for name in names
    ]
    assert [it for it in known if it[1] is None or it[2] not in (None, it[1])] == []
