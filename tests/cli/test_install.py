"""`hindsight install` and `uninstall` on whole configurations of every agent."""

from __future__ import annotations

import json
import os
import stat
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pexpect
import pytest

from hindsight_cli.api.installing import (
    carry_out,
    own_program_path,
    plan_install,
    plan_uninstall,
    where_of,
)
from hindsight_cli.api.project import Project
from hindsight_cli.errors import ConfigChangedError
from hindsight_cli.integrations.places import AGENTS, Scope, find_registered
from hindsight_cli.integrations.registration import own_program
from tests.conftest import Done, run_hindsight

NAMES = [agent.name for agent in AGENTS]
Run = Callable[..., Done]

CLAUDE_SETTINGS = """\
{
    // mine
    "model": "opus",   
    "hooks": {
        "PostToolUse": [
            {"matcher": "Edit|Write", "hooks": [{"type": "command", "command": "prettier"}]}
        ],
        "Stop": []
    },
    "permissions": {"allow": ["Bash(npm test)"]}, /* last */
}
"""
CLAUDE_STATE = '{"numStartups":7,"mcpServers":{},"projects":{"/x":{"allowedTools":[]}}}'
CODEX_HOOKS = (
    '{\n\t"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "x"}]}]}\n}'
)
CODEX_CONFIG = """\
model = "gpt-5"  # mine
notify = [
  "notify-send", # [not a table]
]

[mcp_servers.docs]
command = "npx"
args = ["-y", "docs"]

[projects."/home/u/shop"]
trust_level = "trusted\""""
GEMINI = '{\n  "mcpServers": {\n    "docs": {"command": "npx"}\n  },\n  "ui": {"theme": "x"}\n}\n'
OPENCODE = '{\n  "$schema": "https://opencode.ai/config.json",\n  "plugin": ["x"], // one\n}\n'
FILES = {
    "claude-code": {".claude/settings.json": CLAUDE_SETTINGS, ".claude.json": CLAUDE_STATE},
    "codex": {".codex/hooks.json": CODEX_HOOKS, ".codex/config.toml": CODEX_CONFIG},
    "gemini-cli": {".gemini/settings.json": GEMINI},
    "opencode": {".config/opencode/opencode.jsonc": OPENCODE},
    "qwen-code": {".qwen/settings.json": GEMINI},
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    for variable in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(variable, raising=False)
    return folder


@pytest.fixture
def run(project: Project, home: Path) -> Run:
    del home

    def run(*arguments: str, **env: str) -> Done:
        return run_hindsight(arguments, cwd=project.root, env=env)

    return run


def tree(folder: Path) -> dict[str, bytes | str]:
    """Every file with its bytes, every folder and link."""
    return {
        str(p.relative_to(folder)): (
            f"link to {p.readlink()}" if p.is_symlink() else "" if p.is_dir() else p.read_bytes()
        )
        for p in sorted(folder.rglob("*"))
    }


def install(agent: str, scope: Scope = Scope.USER) -> int:
    """The number of files changed."""
    plan = plan_install(agent, scope, where_of(None, os.environ))
    carry_out(plan)
    return len(plan.changes)


def uninstall(agent: str, scope: Scope = Scope.USER) -> int:
    plan = plan_uninstall(agent, scope, where_of(None, os.environ))
    carry_out(plan)
    return len(plan.changes)


def write(home: Path, agent: str, change: Callable[[bytes], bytes] = bytes) -> None:
    for name, text in FILES[agent].items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(change(text.encode()))


def hook_entries(path: Path) -> dict[str, list[dict[str, object]]]:
    data = json.loads(path.read_text())
    found: dict[str, list[dict[str, object]]] = {}
    for event, groups in data["hooks"].items():
        for group in groups:
            for hook in group["hooks"]:
                if own_program(str(hook.get("command"))) is not None:
                    found.setdefault(event, []).append(hook)
    return found


@pytest.mark.parametrize("agent", NAMES)
def test_where_nothing_was_nothing_is_left(run: Run, home: Path, agent: str) -> None:
    assert run("install", agent, "--yes").code == 0
    assert tree(home)
    assert "Nothing to change" in run("install", agent).out
    assert run("uninstall", agent, "--yes").code == 0
    assert tree(home) == {}
    assert "Nothing to change" in run("uninstall", agent).out


@pytest.mark.parametrize("agent", NAMES)
@pytest.mark.parametrize(
    "change",
    [
        bytes,
        lambda data: data.replace(b"\n", b"\r\n"),
        lambda data: b"\xef\xbb\xbf" + data,
        lambda data: data.rstrip() + b"  \n\n \t",
        lambda data: b"",
        lambda data: b"\n",
    ],
    ids=["as it is", "CRLF", "byte order mark", "trailing space", "empty", "one line end"],
)
def test_a_configuration_is_byte_for_byte_as_it_was(
    home: Path, agent: str, change: Callable[[bytes], bytes]
) -> None:
    write(home, agent, change)
    before = tree(home)

    assert install(agent) > 0
    once = tree(home)
    assert once != before
    assert install(agent) == 0
    assert tree(home) == once

    assert uninstall(agent) > 0
    assert tree(home) == before
    assert uninstall(agent) == 0
    left = [p for p in Path(os.environ["HINDSIGHT_CLI_DATA_DIR"]).rglob("*") if p.is_file()]
    assert [p.name for p in left] == ["installed.json"]


@pytest.mark.parametrize("agent", NAMES)
def test_both_scopes_go_in_and_out_in_any_order(
    home: Path, project: Project, agent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project.root)
    write(home, agent)
    before, here = tree(home), tree(project.root)
    assert [install(agent, scope) > 0 for scope in Scope] == [True, True]
    both = plan_install(agent, Scope.PROJECT, where_of(None, os.environ))
    assert "one is enough" in both.messages[0]
    assert [uninstall(agent, scope) > 0 for scope in Scope] == [True, True]
    assert (tree(home), tree(project.root)) == (before, here)


def test_a_link_stays_a_link_and_a_mode_is_kept(run: Run, home: Path, tmp_path: Path) -> None:
    dotfiles = tmp_path / "dotfiles" / "claude.json"
    dotfiles.parent.mkdir()
    dotfiles.write_text(CLAUDE_SETTINGS)
    dotfiles.chmod(0o640)
    (home / ".claude").mkdir()
    (home / ".claude/settings.json").symlink_to(dotfiles)

    run("install", "claude-code", "--yes")
    assert (home / ".claude/settings.json").is_symlink()
    assert "hook claude-code Stop" in dotfiles.read_text()
    assert stat.S_IMODE(dotfiles.stat().st_mode) == 0o640
    run("uninstall", "claude-code", "--yes")
    assert (home / ".claude/settings.json").readlink() == dotfiles
    assert dotfiles.read_text() == CLAUDE_SETTINGS
    assert stat.S_IMODE(dotfiles.stat().st_mode) == 0o640
    assert [p.name for p in dotfiles.parent.iterdir()] == ["claude.json"]


def test_hooks_have_full_paths_the_agents_unit_of_time_and_no_shell(home: Path) -> None:
    """At most ten seconds each, in the unit that each agent reads."""
    for agent, file, unit in (
        ("claude-code", ".claude/settings.json", 1),
        ("codex", ".codex/hooks.json", 1),
        ("gemini-cli", ".gemini/settings.json", 1000),
        ("qwen-code", ".qwen/settings.json", 1000),
    ):
        install(agent)
        registered = find_registered(agent)
        assert registered is not None
        hooks = hook_entries(home / file)
        assert set(hooks) == set(registered.events())
        for event, entries in hooks.items():
            (hook,) = entries
            assert 1 <= float(str(hook["timeout"])) / unit <= 10
            program = own_program(str(hook["command"]))
            assert program is not None
            assert Path(program[0]).is_absolute()
            assert str(hook["command"]).endswith(f" hook {agent} {event}")


def test_the_servers_are_what_each_agent_reads(home: Path) -> None:
    for agent in NAMES:
        install(agent)
    program = own_program_path()
    argv = [*program, "mcp", "serve"]
    for file in (".claude.json", ".gemini/settings.json", ".qwen/settings.json"):
        entry = json.loads((home / file).read_text())["mcpServers"]["hindsight"]
        assert [entry["command"], *entry["args"]] == argv
    entry = tomllib.loads((home / ".codex/config.toml").read_text())["mcp_servers"]["hindsight"]
    assert [entry["command"], *entry["args"]] == argv
    opencode = json.loads((home / ".config/opencode/opencode.json").read_text())
    assert opencode["mcp"]["hindsight"] == {"type": "local", "command": argv}
    (url,) = opencode["plugin"]
    plugin = Path(url.removeprefix("file://")).read_text()
    assert json.dumps(list(program)) in plugin
    assert '"session.idle": 5000' in plugin


def test_an_agents_own_variable_moves_its_configuration(run: Run, home: Path) -> None:
    elsewhere = {"CLAUDE_CONFIG_DIR": str(home / "c"), "CODEX_HOME": str(home / "x")}
    for agent in ("claude-code", "codex"):
        run("install", agent, "--yes", **elsewhere)
    files = {name for name, data in tree(home).items() if data}
    assert files == {"c/settings.json", "c/.claude.json", "x/hooks.json", "x/config.toml"}


def test_an_upgrade_replaces_ours_and_nothing_else(run: Run, home: Path) -> None:
    write(home, "claude-code")
    run("install", "claude-code", "--yes")
    now = tree(home)
    for name in FILES["claude-code"]:
        path = home / name
        old = path.read_text().replace(own_program_path()[0], "/old/bin/hindsight")
        path.write_text(old.replace('"timeout": 5', '"timeout": 5000'))

    done = run("install", "claude-code", "--yes", "--json")

    assert len(done.data["changed"]) == 2
    assert tree(home) == now
    run("uninstall", "claude-code", "--yes")
    assert (home / ".claude/settings.json").read_text() == CLAUDE_SETTINGS


def test_what_a_person_changed_in_between_stays(run: Run, home: Path) -> None:
    write(home, "claude-code")
    write(home, "codex")
    for agent in ("claude-code", "codex"):
        run("install", agent, "--yes")
    settings, config = home / ".claude/settings.json", home / ".codex/config.toml"
    settings.write_text(settings.read_text().replace('"opus"', '"sonnet"'))
    config.write_text(config.read_text().replace("gpt-5", "gpt-6") + "\n[tui]\nx = 1\n")
    for agent in ("claude-code", "codex"):
        run("uninstall", agent, "--yes")
    assert settings.read_text() == CLAUDE_SETTINGS.replace('"opus"', '"sonnet"')
    left = config.read_text()
    assert left == CODEX_CONFIG.replace("gpt-5", "gpt-6") + "\n[tui]\nx = 1\n"


def test_a_file_we_made_stays_when_something_else_came_into_it(run: Run, home: Path) -> None:
    run("install", "gemini-cli", "--yes")
    path = home / ".gemini/settings.json"
    data = json.loads(path.read_text())
    path.write_text(json.dumps({**data, "ui": {}}, indent=2))
    run("uninstall", "gemini-cli", "--yes")
    assert json.loads(path.read_text()) == {"ui": {}}


def test_without_our_record_ours_is_taken_out_too(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Settings that were carried to another machine."""
    for agent in NAMES:
        write(home, agent)
        install(agent)
    monkeypatch.setenv("HINDSIGHT_CLI_DATA_DIR", str(tmp_path / "other"))
    for agent in NAMES:
        uninstall(agent)
    left = "".join(p.read_text() for p in home.rglob("*") if p.is_file())
    assert "hindsight" not in left
    assert (home / ".gemini/settings.json").read_text() == GEMINI
    assert (home / ".codex/hooks.json").read_text() == CODEX_HOOKS


@pytest.mark.parametrize(
    ("file", "text", "says"),
    [
        (".claude/settings.json", '{\n  "a": 1\n  "b": 2\n}', "line 3"),
        (".claude.json", '{"mcpServers": {', "line 1"),
        (".claude/settings.json", '{\n"hooks": []}', "line 2: `hooks` is no object"),
        (
            ".claude/settings.json",
            '{"hooks": {"Stop": {}}}',
            "`hooks.Stop` is no list",
        ),
        (".claude/settings.json", "[]", "the file is no object"),
        (".gemini/settings.json", '{"mcpServers": 1}', "`mcpServers` is no object"),
        (".codex/config.toml", "a = 1\n[broken\n", "line 2"),
        (".codex/config.toml", "mcp_servers = {}\n", "a form not changed here"),
        (".codex/hooks.json", "{", "line 1"),
        (".config/opencode/opencode.jsonc", "{{", "line 1"),
    ],
)
def test_a_broken_configuration_is_named_with_its_line_and_not_touched(
    run: Run, home: Path, file: str, text: str, says: str
) -> None:
    agent = next(a for a, files in FILES.items() if Path(file).parts[0] in str(list(files)))
    write(home, agent)
    (home / file).write_text(text)
    before = tree(home)

    done = run("install", agent, "--yes")

    assert done.code == 1
    assert done.err.startswith("error[agent_config]: ")
    assert says in done.err
    assert file in done.err
    assert "The file was not touched" in done.err
    assert tree(home) == before


def test_text_that_is_not_utf8_is_not_touched(run: Run, home: Path) -> None:
    (home / ".gemini").mkdir()
    (home / ".gemini/settings.json").write_bytes(b'{\n"a": "\xff"}')
    done = run("install", "gemini-cli", "--yes")
    assert (done.code, "line 2: it is not UTF-8" in done.err) == (1, True)


def test_a_server_of_another_product_under_our_name_is_left_alone(run: Run, home: Path) -> None:
    path = home / ".claude.json"
    path.write_text('{"mcpServers": {"hindsight": {"command": "hindsight-embed"}}}')
    done = run("install", "claude-code", "--yes")
    assert done.code == 0
    assert "of another program (hindsight-embed) is left alone" in done.err
    assert path.read_text() == '{"mcpServers": {"hindsight": {"command": "hindsight-embed"}}}'
    run("uninstall", "claude-code", "--yes")
    assert "hindsight-embed" in path.read_text()


def test_nothing_is_written_without_consent(run: Run, home: Path) -> None:
    done = run("install", "claude-code")
    assert (done.code, tree(home)) == (2, {})
    assert "needs your consent" in done.err
    assert "+++ " in done.out
    dry = run("install", "claude-code", "--dry-run", "--json")
    assert (dry.code, tree(home)) == (0, {})
    paths = [change["path"] for change in dry.data["changed"]]
    assert paths == [str(home / ".claude/settings.json"), str(home / ".claude.json")]
    assert set(dry.data["changed"][0]) == {"path", "diff"}
    assert run("install", "nonesuch", "--yes").code == 2
    assert run("install", "codex", "--scope", "world").code == 2


@pytest.mark.parametrize(("answer", "installs"), [("n", False), ("", False), ("y", True)])
def test_on_a_terminal_it_shows_the_difference_and_asks(
    project: Project, home: Path, answer: str, installs: bool
) -> None:
    child = pexpect.spawn(
        sys.executable,
        ["-m", "hindsight_cli", "install", "codex"],
        cwd=str(project.root),
        env={**os.environ, "TERM": "xterm"},
        encoding="utf-8",
        timeout=30,
    )
    child.expect("mcp_servers.hindsight")
    child.expect_exact("Write this? [y/N]: ")
    child.sendline(answer)
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == (0 if installs else 1)
    assert (home / ".codex/config.toml").exists() is installs


def test_secrets_beside_the_change_are_not_shown(run: Run, home: Path) -> None:
    key = "ghp_" + "a1B2c3D4e5F6" * 3
    (home / ".claude.json").write_text(json.dumps({"token": key, "mcpServers": {}}, indent=2))
    done = run("install", "claude-code", "--yes")
    assert (done.code, key in done.out + done.err) == (0, False)
    assert key in (home / ".claude.json").read_text()


def test_a_file_that_changed_since_it_was_shown_is_not_overwritten(
    project: Project, home: Path
) -> None:
    where = where_of(project.root, os.environ)
    plan = plan_install("gemini-cli", Scope.USER, where)
    (home / ".gemini").mkdir()
    (home / ".gemini/settings.json").write_text('{"new": 1}')
    with pytest.raises(ConfigChangedError):
        carry_out(plan)
    assert (home / ".gemini/settings.json").read_text() == '{"new": 1}'


def test_a_folder_that_cannot_be_written_leaves_all_as_it_was(home: Path, run: Run) -> None:
    if os.geteuid() == 0:
        (home / ".gemini").write_text("no folder")  # root writes anywhere
    else:
        (home / ".gemini").mkdir(mode=0o500)
    done = run("install", "gemini-cli", "--yes")
    assert done.code == 1
    assert done.err.startswith("error[")
    assert not list(home.rglob("*.hindsight-*"))


def test_what_codex_still_needs_is_said(run: Run) -> None:
    done = run("install", "codex", "--yes")
    assert "Codex runs hooks only once you trust them" in done.out
    assert "/hooks" in done.out


def test_the_program_is_the_one_that_was_started(tmp_path: Path) -> None:
    """As pip, pip --user, pipx and uv place it, and `python -m`."""
    own = own_program_path("/x/hindsight_cli/__main__.py")
    assert Path(own[0]).is_absolute()
    assert os.access(own[0], os.X_OK)
    script = tmp_path / "hindsight"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    assert own_program_path(str(script)) == (str(script),)
    if own[1:]:
        assert own == (sys.executable, "-m", "hindsight_cli")
    else:
        link = tmp_path / "bin" / "hindsight"
        link.parent.mkdir()
        link.symlink_to(own[0])
        assert own_program_path(str(link)) == own


def test_another_product_of_our_name_is_neither_read_nor_written(
    run: Run, home: Path, project: Project
) -> None:
    """It has a folder and variables of a like name, and may stand in the same settings."""
    theirs = home / ".hindsight" / "project.toml"
    theirs.parent.mkdir()
    theirs.write_text("not = [ours")
    theirs.with_name("config").write_text("api_key = x\n")
    (home / ".claude").mkdir()
    hook = {"type": "command", "command": "hindsight hook SessionStart", "timeout": 9000}
    settings = {"hooks": {"SessionStart": [{"hooks": [hook]}]}}
    (home / ".claude/settings.json").write_text(json.dumps(settings))
    before = tree(home)
    variables = {"HINDSIGHT_TIMEOUT": "abc", "HINDSIGHT_API_KEY": "x", "HINDSIGHT_HOME": "/nowhere"}

    for command in (["install", "claude-code", "--yes"], ["status"], ["search", "mysql"]):
        with_theirs, without = run(*command, **variables), run(*command)
        assert (with_theirs.code, with_theirs.err) == (0, without.err)
    assert (
        hook
        in json.loads((home / ".claude/settings.json").read_text())["hooks"]["SessionStart"][0][
            "hooks"
        ]
    )
    run("uninstall", "claude-code", "--yes", **variables)

    assert tree(home) == before
    assert (project.folder / "project.toml").exists()


def test_the_guide_names_the_events_and_the_time_they_have() -> None:
    page = (Path(__file__).parents[2] / "docs/how-to/install-hooks.md").read_text("utf-8")
    for agent in AGENTS:
        names = ", ".join(f"`{event}`" for event in agent.events())
        assert f"| `{agent.name}` | {names} |" in page
        assert max(agent.events().values()) == 5
    assert "a timeout of five seconds or less" in page
