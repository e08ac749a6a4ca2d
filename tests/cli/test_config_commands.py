"""`hindsight config`: what this user sets, where it comes from, and what is refused."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hindsight_cli.api.configuring import USER_SETTINGS, set_setting, unset_setting
from hindsight_cli.api.project import Project
from hindsight_cli.errors import ConfigError
from tests.conftest import Hindsight, run_hindsight

KEY = "ghp_" + "a1B2c3D4e5F6" * 3  # nobody's


@pytest.fixture
def file() -> Path:
    return Path(os.environ["HINDSIGHT_CLI_DATA_DIR"], "settings.toml")


def shown(hindsight: Hindsight, **env: str) -> dict[str, tuple[object, str]]:
    settings = hindsight("config", "show", "--json", **env).data["settings"]
    return {s["key"]: (s["value"], s["source"]) for s in settings}


def test_every_setting_is_shown_with_its_value_and_where_that_is_from(
    hindsight: Hindsight, project: Project, file: Path
) -> None:
    assert hindsight("config", "set", "llm_model", "anthropic/claude-sonnet-4-5").code == 0
    (project.folder / "project.toml").write_text("stale_days = 7\n")
    settings = shown(hindsight, HINDSIGHT_CLI_LLM_SAMPLES="5")
    assert settings["llm_model"] == ("anthropic/claude-sonnet-4-5", "settings.toml")
    assert settings["llm_samples"] == (5, "$HINDSIGHT_CLI_LLM_SAMPLES")
    assert settings["llm_daily_calls"] == (60, "default")
    assert settings["stale_days"] == (7, ".hindsight/project.toml")
    assert settings["inject_max_tokens"] == (600, "default")
    text = hindsight("config", "show").out
    assert str(file) in text
    assert "llm_timeout_s\t120\tdefault" in text


def test_it_needs_no_project(tmp_path: Path) -> None:
    (tmp_path / "nowhere").mkdir()
    for arguments in (["config", "set", "llm_samples", "1"], ["config", "show"]):
        assert run_hindsight(arguments, cwd=tmp_path / "nowhere", env={}).code == 0
    assert list((tmp_path / "nowhere").iterdir()) == []


def test_a_setting_holds_until_it_is_taken_back(hindsight: Hindsight, file: Path) -> None:
    assert hindsight("config", "set", "llm_timeout_s", "30", "--json").data == {
        "key": "llm_timeout_s",
        "value": 30,
        "default": 120,
        "source": "settings.toml",
    }
    assert file.stat().st_mode & 0o077 == 0
    assert hindsight("config", "unset", "llm_timeout_s").out == "llm_timeout_s = 120\n"
    assert hindsight("config", "unset", "llm_timeout_s").code == 0
    assert shown(hindsight)["llm_timeout_s"] == (120, "default")


def test_a_key_is_shown_by_the_name_of_its_variable_alone(hindsight: Hindsight) -> None:
    env = {"HINDSIGHT_CLI_LLM_MODEL": "anthropic/claude-sonnet-4-5", "ANTHROPIC_API_KEY": KEY}
    done = hindsight("config", "show", **env)
    assert "$ANTHROPIC_API_KEY" in done.out
    assert KEY not in done.out + done.err
    assert "ANTHROPIC_API_KEY" in hindsight("config", "show", "--json", **env).data["key_variables"]


@pytest.mark.parametrize(
    ("key", "value", "code"),
    [
        ("llm_samples", "0", "config"),
        ("llm_samples", "10", "config"),
        ("llm_samples", "three", "config"),
        ("llm_samples", "3.5", "config"),
        ("llm_timeout_s", "0", "config"),
        ("llm_daily_calls", "9" * 40, "config"),
        ("reflect_with", "magic", "config"),
        ("llm_api_base", "ftp://host", "config"),
        ("llm_api_base", "http://two words", "config"),
        ("llm_api_base", "https://user:hunter2hunter2@host/v1", "config"),
        ("reflect_command", "claude -p 'open", "config"),
        ("reflect_command", "two\nlines", "config"),
        ("reflect_command", f"curl -H 'X-Api-Key: {KEY}'", "config"),
        ("llm_api_key", KEY, "unknown_setting"),
        ("stale_days", "9", "unknown_setting"),
        ("nonesuch", "1", "unknown_setting"),
    ],
)
def test_a_value_that_is_not_allowed_is_refused_and_changes_nothing(
    hindsight: Hindsight, file: Path, key: str, value: str, code: str
) -> None:
    hindsight("config", "set", "llm_model", "openai/x")
    before = file.read_bytes()
    done = hindsight("config", "set", key, value)
    assert done.code == (1 if code == "config" else 2)
    assert f"error[{code}]: " in done.err
    assert "  hint: " in done.err
    assert file.read_bytes() == before
    for secret in ("hunter2hunter2", KEY):
        assert secret not in done.err


def test_an_agent_sets_nothing(hindsight: Hindsight, file: Path) -> None:
    for variable in ("CLAUDECODE", "HINDSIGHT_CLI_SESSION"):
        done = hindsight("config", "set", "llm_api_base", "https://evil.test", **{variable: "1"})
        assert (done.code, "error[agent_settings]" in done.err) == (1, True)
        assert hindsight("config", "unset", "llm_model", **{variable: "1"}).code == 1
    assert not file.exists()
    allowed = {"CLAUDECODE": "1", "HINDSIGHT_CLI_ALLOW_AGENT_REVIEW": "1"}
    assert hindsight("config", "set", "llm_samples", "1", **allowed).code == 0


def test_an_environment_variable_that_goes_before_the_file_is_mentioned(
    hindsight: Hindsight,
) -> None:
    done = hindsight("config", "set", "llm_model", "openai/x", HINDSIGHT_CLI_LLM_MODEL="openai/y")
    assert done.out == "llm_model = openai/y\n"
    assert "$HINDSIGHT_CLI_LLM_MODEL is set and goes before the file." in done.err


def test_a_bad_variable_is_named_with_what_is_allowed(hindsight: Hindsight) -> None:
    done = hindsight("config", "show", HINDSIGHT_CLI_LLM_SAMPLES="many")
    assert done.code == 1
    assert "HINDSIGHT_CLI_LLM_SAMPLES: llm_samples = 'many' is not allowed" in done.err
    assert "a whole number from 1 to 9" in done.err


def test_settings_of_the_user_in_a_repository_are_ignored_and_said(
    hindsight: Hindsight, project: Project
) -> None:
    (project.folder / "project.toml").write_text('llm_api_base = "https://evil.test"\n')
    done = hindsight("config", "show")
    assert (done.code, "evil.test" in done.out) == (0, False)
    assert "a repository does not choose where traces are sent" in done.err


COMMENTED = """\
# mine
llm_model = "openai/old"  # fast
unknown = [1,
  2]

[later]
llm_model = "not this one"
"""


def test_the_rest_of_the_file_is_left_as_it_is(file: Path) -> None:
    file.write_text(COMMENTED)
    set_setting("llm_model", "openai/new", os.environ)
    assert file.read_text() == COMMENTED.replace('"openai/old"  # fast', '"openai/new"')
    set_setting("llm_samples", "1", os.environ)
    assert file.read_text().index("llm_samples = 1") < file.read_text().index("[later]")
    unset_setting("llm_model", os.environ)
    unset_setting("llm_samples", os.environ)
    assert file.read_text() == COMMENTED.replace('llm_model = "openai/old"  # fast\n', "")


@pytest.mark.parametrize(
    "text", ['"llm_model" = "quoted"\n', 'text = """\nllm_model = 1\n"""\n', "llm_model = [\n1]\n"]
)
def test_a_file_in_a_form_that_is_not_understood_is_not_touched(file: Path, text: str) -> None:
    file.write_text(text)
    with pytest.raises(ConfigError):
        set_setting("llm_model", "openai/new", os.environ)
    assert file.read_text() == text


@pytest.mark.parametrize("value", ['say "hi" \\ $HOME', "模型 --语言 zh", "'single' #hash"])
def test_any_text_comes_back_as_it_was_given(file: Path, value: str) -> None:
    assert set_setting("reflect_command", value, os.environ).value == value


def test_a_file_kept_elsewhere_stays_a_link(file: Path, tmp_path: Path) -> None:
    own = tmp_path / "dotfiles.toml"
    own.write_text("")
    file.symlink_to(own)
    set_setting("llm_samples", "1", os.environ)
    assert (file.is_symlink(), own.read_text()) == (True, "llm_samples = 1\n")


def test_many_that_set_something_at_once_do_not_undo_each_other(file: Path) -> None:
    values = dict(
        zip(
            USER_SETTINGS,
            ("llm", "openai/x", "http://127.0.0.1/v1", "1", "2", "3", "cat", "none", "/models/own"),
            strict=True,
        )
    )
    for _ in range(5):
        with ThreadPoolExecutor(len(values)) as pool:
            done = list(pool.map(set_setting, values, values.values(), [os.environ] * len(values)))
        assert [str(s.value) for s in done] == list(values.values())
        assert len(file.read_text().splitlines()) == len(values)
        file.unlink()
