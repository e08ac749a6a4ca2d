from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from hindsight_cli import config
from hindsight_cli.errors import ConfigError, ProjectRefusedError


def mark(folder: Path, text: str = "") -> Path:
    (folder / ".hindsight").mkdir(parents=True)
    (folder / ".hindsight/project.toml").write_text(text)
    return folder


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(
        ["git", "-c", "user.name=t", "-c", "user.email=t@t.test", *arguments],
        cwd=folder,
        check=True,
        capture_output=True,
    )


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    main = tmp_path / "main"
    main.mkdir()
    git(main, "init", "-q")
    git(main, "commit", "-q", "--allow-empty", "-m", "first")
    return main


def test_a_project_is_found_from_any_folder_in_it(tmp_path: Path) -> None:
    root = mark(tmp_path / "p")
    deep = root / "a/b"
    deep.mkdir(parents=True)
    assert config.find_project(deep, {}) == root
    assert config.find_project(tmp_path, {}) is None


def test_the_nearest_marker_wins(tmp_path: Path) -> None:
    outer = mark(tmp_path / "p")
    inner = mark(outer / "packages/one")
    assert config.find_project(inner / "src", {}) == inner


def test_another_products_folder_is_not_a_project(tmp_path: Path) -> None:
    (tmp_path / ".hindsight").mkdir()
    assert config.find_project(tmp_path, {}) is None


def test_the_variable_names_the_project_unless_one_is_named_outright(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = mark(tmp_path / "p")
    other = mark(tmp_path / "q")
    monkeypatch.chdir(root)
    env = {"HINDSIGHT_CLI_PROJECT": str(other)}
    assert config.find_project(None, {}) == root
    assert config.find_project(None, env) == other
    assert config.find_project(root, env) == root
    assert config.find_project(None, {"HINDSIGHT_CLI_PROJECT": str(tmp_path)}) is None


def test_linked_worktrees_share_the_main_checkouts_store(checkout: Path, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    git(checkout, "worktree", "add", "-q", str(linked))
    (linked / "src").mkdir()
    assert config.find_project(linked / "src", {}) is None
    assert config.new_project_root(linked / "src", {}) == checkout
    mark(checkout)
    assert config.find_project(linked / "src", {}) == checkout
    mark(linked)  # as when the marker is committed
    assert config.find_project(linked / "src", {}) == checkout


def test_a_worktree_may_keep_a_store_of_its_own(checkout: Path, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    git(checkout, "worktree", "add", "-q", str(linked))
    mark(checkout)
    mark(linked, 'worktree = "own"\n')
    assert config.find_project(linked, {}) == linked


def test_a_project_deep_in_a_worktree_is_that_of_the_main_checkout(
    checkout: Path, tmp_path: Path
) -> None:
    linked = tmp_path / "linked"
    git(checkout, "worktree", "add", "-q", str(linked))
    mark(checkout / "packages/one")
    mark(linked / "packages/one")
    assert config.find_project(linked / "packages/one", {}) == checkout / "packages/one"


def test_a_new_project_lies_at_the_git_top(checkout: Path, tmp_path: Path) -> None:
    (checkout / "src").mkdir()
    assert config.new_project_root(checkout / "src", {}) == checkout
    assert config.new_project_root(checkout / "src", {}, exact=True) == checkout / "src"
    plain = tmp_path / "plain"
    plain.mkdir()
    assert config.new_project_root(plain, {}) == plain


@pytest.mark.parametrize("exact", [False, True])
def test_home_and_root_are_refused(tmp_path: Path, exact: bool) -> None:
    for root in (tmp_path, Path("/")):
        with pytest.raises(ProjectRefusedError):
            config.new_project_root(root, {"HOME": str(tmp_path)}, exact=exact)


@pytest.mark.parametrize(
    ("text", "telling"),
    [
        ("stale_days = ", "project.toml"),
        ('stale_days = "many"', "stale_days"),
        ("stale_days = true", "stale_days"),
        ("worktree = 3", "worktree"),
    ],
)
def test_bad_settings_name_what_is_wrong(tmp_path: Path, text: str, telling: str) -> None:
    with pytest.raises(ConfigError, match=telling) as caught:
        config.read_settings(mark(tmp_path / "p", text))
    assert caught.value.hint


def test_settings_are_read_and_unknown_ones_passed_over(tmp_path: Path) -> None:
    root = mark(tmp_path / "p", "# note\nstale_days = 7\nnovel = 1\n")
    assert config.read_settings(root) == config.Settings(stale_days=7)
    assert config.read_settings(tmp_path) == config.Settings()


@pytest.mark.parametrize(
    ("env", "expected"),
    [
        ({"HINDSIGHT_CLI_DATA_DIR": "/data/x", "HOME": "/h"}, "/data/x"),
        ({"XDG_DATA_HOME": "/xdg", "HOME": "/h"}, "/xdg/hindsight-cli"),
        ({"HOME": "/h"}, "/h/.local/share/hindsight-cli"),
        ({"XDG_DATA_HOME": "relative", "HOME": "/h"}, "/h/.local/share/hindsight-cli"),
    ],
)
@pytest.mark.skipif("sys.platform != 'linux'")
def test_user_data_lies_where_the_platform_has_it(env: dict[str, str], expected: str) -> None:
    assert config.user_data_folder(env) == Path(expected)
