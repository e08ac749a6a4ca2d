"""What `hindsight init` offers on a terminal, and what `hindsight doctor` finds."""

from __future__ import annotations

import fcntl
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pexpect
import pytest

from hindsight_cli import __version__
from hindsight_cli.api.installing import own_program_path
from hindsight_cli.api.project import Project
from tests.conftest import Done, Hindsight, run_hindsight

Run = Callable[..., Done]
CLAUDE_LINE = {
    "type": "user",
    "uuid": "1",
    "sessionId": "s1",
    "timestamp": "2026-01-01T00:00:00Z",
    "message": {"role": "user", "content": "Deploy it"},
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home in which no agent is, and a PATH on which none is."""
    folder = tmp_path / "home"
    (folder / "bin").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("PATH", f"{folder / 'bin'}:/usr/bin:/bin")
    monkeypatch.setenv("SHELL", "/bin/sh")
    for variable in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "ENV"):
        monkeypatch.delenv(variable, raising=False)
    return folder


@pytest.fixture
def run(project: Project, home: Path) -> Run:
    del home

    def run(*arguments: str, cwd: Path | None = None, **env: str) -> Done:
        return run_hindsight(arguments, cwd=cwd or project.root, env=env)

    return run


def script(home: Path, name: str, text: str = "#!/bin/sh\n") -> Path:
    path = home / "bin" / name
    path.write_text(text)
    path.chmod(0o755)
    return path


def checks(done: Done) -> dict[str, tuple[bool, str, str]]:
    return {c["name"]: (c["ok"], c["detail"], c["fix"]) for c in done.data["checks"]}


def spawn(folder: Path, *arguments: str) -> pexpect.spawn[str]:
    return pexpect.spawn(
        sys.executable,
        ["-m", "hindsight_cli", *arguments],
        cwd=str(folder),
        env={**os.environ, "TERM": "xterm"},
        encoding="utf-8",
        dimensions=(50, 150),
        timeout=30,
    )


def test_init_asks_nothing_without_a_terminal(run: Run, home: Path, tmp_path: Path) -> None:
    (home / ".claude").mkdir()
    (tmp_path / "new").mkdir()
    done = run("init", cwd=tmp_path / "new")
    assert (done.code, done.err) == (0, "")
    assert list((home / ".claude").iterdir()) == []


def test_init_with_no_input_installs_into_the_agents_that_are_named(
    run: Run, home: Path, tmp_path: Path
) -> None:
    (tmp_path / "new").mkdir()
    arguments = ("init", "--agent", "codex", "--agent", "gemini")
    refused = run(*arguments, cwd=tmp_path / "new")
    assert (refused.code, "needs your consent" in refused.err) == (2, True)
    assert list((tmp_path / "new").iterdir()) == []

    done = run(*arguments, "--no-input", "--json", cwd=tmp_path / "new")

    assert done.data["created"] is True
    assert len(done.data["changed"]) == 3
    assert "mcp_servers.hindsight" in (home / ".codex/config.toml").read_text()
    assert run("init", "--agent", "nonesuch", "--no-input").code == 2


def test_on_a_terminal_init_offers_agents_past_sessions_and_a_reflector(
    home: Path, tmp_path: Path
) -> None:
    new = tmp_path / "new"
    new.mkdir()
    (home / ".gemini").mkdir()
    script(home, "claude")
    past = home / ".claude/projects/x/s1.jsonl"
    past.parent.mkdir(parents=True)
    past.write_text(json.dumps({**CLAUDE_LINE, "cwd": str(new)}) + "\n")

    child = spawn(new, "init")
    child.expect_exact("Project ready")
    child.expect_exact("Found claude-code")
    child.sendline("y")
    child.expect_exact("hook claude-code SessionStart")
    child.expect_exact("Write this? [y/N]: ")
    child.sendline("y")
    child.expect_exact("Found gemini-cli")
    child.sendline("n")
    child.expect_exact("Import 1 past session file of this project? [Y/n]: ")
    child.sendline("")
    child.expect_exact("2  claude -p")
    child.expect_exact("Number [1]: ")
    child.sendline("9")
    child.expect_exact("Number [1]: ")
    child.sendline("2")
    child.expect(pexpect.EOF)
    child.close()

    assert child.exitstatus == 0
    assert "hindsight" in (home / ".claude/settings.json").read_text()
    assert not (home / ".gemini/settings.json").exists()
    assert list((new / ".hindsight/traces").rglob("s1.jsonl"))
    settings = Path(os.environ["HINDSIGHT_CLI_DATA_DIR"], "settings.toml").read_text()
    assert settings == 'reflect_command = "claude -p"\nreflect_with = "command"\n'


def test_no_is_taken_for_an_answer(home: Path, tmp_path: Path) -> None:
    new = tmp_path / "new"
    new.mkdir()
    child = spawn(new, "init", "--agent", "codex")
    child.expect_exact("Write this? [y/N]: ")
    child.sendline("n")
    child.expect_exact("codex: left as it is")
    child.expect_exact("Number [1]: ")
    child.sendline("")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    assert not (home / ".codex").exists()


def trust(home: Path) -> None:
    """What Codex writes when a person trusts our hooks."""
    hooks = home / ".codex/hooks.json"
    names = ("session_start", "user_prompt_submit", "post_tool_use", "stop", "session_end")
    with (home / ".codex/config.toml").open("a") as config:
        for name in names:
            config.write(f'\n[hooks.state."{hooks}:{name}:0:0"]\ntrusted_hash = "sha256:0"\n')


def test_hooks_that_codex_does_not_trust_are_no_fault_of_the_install_and_told(
    run: Run, home: Path
) -> None:
    run("install", "codex", "--yes")
    ok, detail, fix = checks(run("doctor", "--json"))["codex"]
    assert (ok, detail.startswith("Codex skips hooks it does not trust: SessionStart, ")) == (
        False,
        True,
    )
    assert "trust them" in fix
    trust(home)
    assert checks(run("doctor", "--json"))["codex"][0]


def test_all_is_in_order_after_an_install(run: Run, home: Path) -> None:
    for agent in ("claude-code", "codex", "opencode"):
        assert run("install", agent, "--yes").code == 0
    trust(home)
    done = run("doctor", "--json")
    assert [name for name, (ok, _, _) in checks(done).items() if not ok] == []
    assert done.code == 0
    for agent in ("claude-code", "codex", "opencode"):
        assert checks(done)[agent][1].startswith("hooks and MCP server lead here")
    text = run("doctor")
    assert text.out.endswith("All is in order.\n")


def test_an_agent_that_is_there_without_us_is_mentioned_and_no_fault(run: Run, home: Path) -> None:
    (home / ".qwen").mkdir()
    found = checks(run("doctor", "--json"))
    assert found["qwen-code"][:2] == (
        True,
        "not installed; `hindsight install qwen-code` adds hooks and server",
    )
    assert "codex" not in found


@pytest.mark.parametrize(
    ("program", "says"),
    [
        ("/gone/hindsight", "/gone/hindsight is not there"),
        ("{other}", "{other} is another program"),
        ("{old}", "{old} is version 0.0.1, this is " + __version__),
        ("hindsight", "hindsight is no full path"),
    ],
)
def test_hooks_that_lead_elsewhere_are_found(
    run: Run, home: Path, tmp_path: Path, program: str, says: str
) -> None:
    places = {"other": tmp_path / "a" / "hindsight", "old": tmp_path / "b" / "hindsight"}
    texts = {"other": "#!/bin/sh\n", "old": "#!/bin/sh\n# hindsight_cli\necho hindsight 0.0.1\n"}
    for name, path in places.items():
        path.parent.mkdir()
        path.write_text(texts[name])
        path.chmod(0o755)
    run("install", "claude-code", "--yes")
    for file in (".claude/settings.json", ".claude.json"):
        text = (home / file).read_text()
        own = " ".join(own_program_path())
        (home / file).write_text(text.replace(own, program.format(**places)))

    done = run("doctor", "--json")

    ok, detail, fix = checks(done)["claude-code"]
    assert (done.code, ok) == (1, False)
    assert says.format(**places) in detail
    assert "hindsight install claude-code" in fix


def test_a_hook_or_a_server_that_is_missing_is_named(run: Run, home: Path) -> None:
    run("install", "claude-code", "--yes")
    settings = home / ".claude/settings.json"
    data = json.loads(settings.read_text())
    del data["hooks"]["Stop"]
    settings.write_text(json.dumps(data))
    (home / ".claude.json").write_text("{}")
    ok, detail, _ = checks(run("doctor", "--json"))["claude-code"]
    assert (ok, "no hook for Stop" in detail, "no MCP server" in detail) == (False, True, True)


@pytest.mark.parametrize(
    ("agent", "settings", "setting"),
    [
        ("claude-code", (".claude/settings.json", '{"disableAllHooks": true}'), "disableAllHooks"),
        (
            "gemini-cli",
            (".gemini/settings.json", '{"hooksConfig": {"enabled": false}}'),
            "hooksConfig.enabled",
        ),
        ("codex", (".codex/config.toml", "[features]\nhooks = false\n"), "features.hooks"),
    ],
)
def test_hooks_that_a_person_switched_off_are_named_with_the_setting(
    run: Run, home: Path, agent: str, settings: tuple[str, str], setting: str
) -> None:
    path = home / settings[0]
    path.parent.mkdir()
    path.write_text(settings[1])
    run("install", agent, "--yes")
    ok, detail, fix = checks(run("doctor", "--json"))[agent]
    assert (ok, f"switched off by `{setting}`" in detail) == (False, True)
    assert "Take that setting out" in fix


def test_a_plugin_that_is_gone_is_found(run: Run) -> None:
    run("install", "opencode", "--yes")
    plugin = Path(os.environ["HINDSIGHT_CLI_DATA_DIR"], "opencode/hindsight.js")
    plugin.unlink()
    assert "is not there" in checks(run("doctor", "--json"))["opencode"][1]


def test_a_broken_configuration_of_an_agent_is_named(run: Run, home: Path) -> None:
    (home / ".gemini").mkdir()
    (home / ".gemini/settings.json").write_text("{\n,}")
    ok, detail, _ = checks(run("doctor", "--json"))["gemini-cli"]
    assert (ok, "line 2" in detail) == (False, True)


def test_another_product_of_our_name_first_on_the_path_is_found_and_not_started(
    run: Run, home: Path
) -> None:
    foreign = script(home, "hindsight", f"#!/bin/sh\ntouch {home}/started\necho hindsight 0.9.0\n")
    ok, detail, fix = checks(run("doctor", "--json"))["path"]
    assert (ok, str(foreign) in detail, "another product" in detail) == (False, True, True)
    assert str(Path(own_program_path()[0]).parent) in fix
    assert not (home / "started").exists()


def test_an_older_hindsight_first_on_the_path_is_found(run: Run, home: Path) -> None:
    script(home, "hindsight", "#!/bin/sh\n# hindsight_cli\necho hindsight 0.0.1\n")
    ok, detail, _ = checks(run("doctor", "--json"))["path"]
    assert (ok, "version 0.0.1" in detail) == (False, True)


def test_a_profile_that_prints_is_found(run: Run, home: Path) -> None:
    """What it prints stands before the answer of a hook, where agents use such a shell."""
    (home / ".profile").write_text("echo Welcome back\n")
    ok, detail, fix = checks(run("doctor", "--json"))["shell"]
    assert (ok, "'Welcome back'" in detail, "[ -t 1 ]" in fix) == (False, True, True)


def test_outside_a_project_it_says_so(run: Run, tmp_path: Path) -> None:
    (tmp_path / "nowhere").mkdir()
    done = run("doctor", "--json", cwd=tmp_path / "nowhere")
    ok, _, fix = checks(done)["project"]
    assert (done.code, ok, "hindsight init" in fix) == (1, False, True)
    assert list((tmp_path / "nowhere").iterdir()) == []


def test_a_lock_that_stays_held_is_found(run: Run, project: Project) -> None:
    project.local_ledger.write_text("")
    with project.local_ledger.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        ok, detail, fix = checks(run("doctor", "--json"))["locks"]
    assert (ok, "local.jsonl" in detail, "fuser" in fix) == (False, True, True)
    assert checks(run("doctor", "--json"))["locks"][0]


def test_an_index_of_a_newer_version_is_found(run: Run, project: Project) -> None:
    import sqlite3

    run("index", "rebuild")
    connection = sqlite3.connect(project.index_path)
    connection.execute("pragma user_version = 999")
    connection.close()
    ok, detail, _ = checks(run("doctor", "--json"))["index"]
    assert (ok, "999" in detail) == (False, True)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="a folder nobody can write to")
def test_a_data_folder_that_cannot_be_written_is_found(run: Run) -> None:
    ok, detail, _ = checks(run("doctor", "--json", HINDSIGHT_CLI_DATA_DIR="/proc/x"))["data folder"]
    assert (ok, detail.startswith("/proc/x: ")) == (False, True)


@pytest.mark.parametrize(
    ("settings", "ok", "says"),
    [
        ({}, True, "rules reflect"),
        ({"REFLECT_WITH": "llm"}, False, "no model is set"),
        ({"REFLECT_WITH": "llm", "LLM_MODEL": "openai/x"}, False, "no key found"),
        (
            {"REFLECT_WITH": "llm", "LLM_MODEL": "openai/x", "LLM_API_KEY": "k" * 9},
            True,
            "openai/x",
        ),
        ({"REFLECT_WITH": "command", "REFLECT_COMMAND": "no-such-x -p"}, False, "no-such-x -p"),
        ({"REFLECT_WITH": "command", "REFLECT_COMMAND": "cat"}, True, "cat"),
        ({"LLM_SAMPLES": "many"}, False, "many"),
    ],
)
def test_the_model_is_looked_at(run: Run, settings: dict[str, str], ok: bool, says: str) -> None:
    done = run("doctor", "--json", **{f"HINDSIGHT_CLI_{k}": v for k, v in settings.items()})
    found = checks(done)["model"]
    assert (found[0], says in found[1]) == (ok, True)
    assert "k" * 9 not in done.out


def test_doctor_starts_nothing_that_a_cloned_repository_names(
    hindsight: Hindsight, project: Project, tmp_path: Path
) -> None:
    mark = tmp_path / "started"
    (project.root / "opencode.json").write_text(
        json.dumps(
            {
                "mcp": {
                    "hindsight": {
                        "type": "local",
                        "command": ["/bin/sh", "-c", f"id > {mark}", "-m", "hindsight_cli", "mcp"],
                    }
                }
            }
        )
    )
    command = f"/bin/sh -c 'id > {mark}' -m hindsight_cli hook gemini-cli AfterAgent"
    (project.root / ".gemini").mkdir()
    (project.root / ".gemini" / "settings.json").write_text(
        json.dumps(
            {"hooks": {"AfterAgent": [{"hooks": [{"type": "command", "command": command}]}]}}
        )
    )

    hindsight("doctor", HOME=str(tmp_path))

    assert not mark.exists()
