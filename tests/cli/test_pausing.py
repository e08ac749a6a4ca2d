"""`pause`, `resume` and `exclude`: what a person does not want recorded is not."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from hindsight_cli.api.privacy import is_excluded
from hindsight_cli.api.project import Project
from hindsight_cli.api.traces import list_traces
from tests.conftest import SAMPLES, Hindsight

SAMPLE = SAMPLES / "mysql-container.jsonl"
ANSWER = "print('hello from the command')"


@pytest.mark.parametrize("option", [[], ["--everywhere"]], ids=["here", "everywhere"])
def test_nothing_is_recorded_until_it_is_resumed(
    project: Project, hindsight: Hindsight, option: list[str]
) -> None:
    paused = hindsight("pause", *option, "--json").data
    ran = hindsight("run", "--", sys.executable, "-c", ANSWER)
    imported = hindsight("import", str(SAMPLE), "--json")
    started = hindsight("record", "start", "--task", "x", "--json")

    assert (ran.code, ran.out) == (0, "hello from the command\n")
    assert "not recorded" in ran.err
    assert "resume" in ran.err
    for refused in (imported, started):
        assert refused.code == 1
        assert refused.document["errors"][0]["code"] == "paused"
    assert list_traces(project) == []
    assert paused["paused"] is True

    assert hindsight("resume", *option, "--json").data == {"paused": False, "by": None}
    assert hindsight("import", str(SAMPLE)).code == 0
    assert len(list_traces(project)) == 1


def test_pausing_twice_is_pausing_and_resuming_twice_is_resuming(hindsight: Hindsight) -> None:
    assert [hindsight(c).code for c in ("pause", "pause", "resume", "resume")] == [0] * 4


def test_what_is_paused_everywhere_is_said_when_only_one_project_is_resumed(
    hindsight: Hindsight,
) -> None:
    hindsight("pause")
    hindsight("pause", "--everywhere")

    resumed = hindsight("resume", "--json").data

    assert resumed["paused"] is True
    assert hindsight("record", "start", "--task", "x").code == 1
    hindsight("resume", "--everywhere")
    assert hindsight("record", "start", "--task", "x").code == 0


def test_what_is_approved_is_found_while_paused(hindsight: Hindsight, port_lesson: str) -> None:
    hindsight("pause")

    found = hindsight("search", "Bind for 0.0.0.0:3306 failed: port is already allocated", "--json")

    assert port_lesson in [e["experience_id"] for e in found.data["results"]]


@pytest.mark.parametrize(
    ("pattern", "folder", "excluded"),
    [
        ("private", "private", True),
        ("private", "private/deep/er", True),
        ("private/", "private/deep", True),
        ("private/**", "private/deep", True),
        ("./private", "private", True),
        ("private", "privately", False),
        ("private", "a/private", False),
        ("**/private", "a/private/b", True),
        ("**/private", "private", True),
        ("*/secret", "a/secret/b", True),
        ("customer-*", "customer-7/app", True),
        ("*", ".", True),
        ("private", ".", False),
    ],
)
def test_a_pattern_leaves_out_a_folder_with_all_below_it(
    project: Project, pattern: str, folder: str, *, excluded: bool
) -> None:
    (project.folder / "project.toml").write_text(f"exclude = {json.dumps([pattern])}\n")
    (project.root / folder).mkdir(parents=True, exist_ok=True)

    assert is_excluded(project, str(project.root / folder)) is excluded


def test_a_pattern_may_be_a_whole_path(project: Project, tmp_path: Path) -> None:
    (project.folder / "project.toml").write_text(f'exclude = "{tmp_path}/elsewhere, ~/private"\n')

    assert project.settings.exclude == (f"{tmp_path}/elsewhere", "~/private")
    assert is_excluded(project, f"{tmp_path}/elsewhere/deep")
    assert is_excluded(project, str(Path("~/private/x").expanduser()))
    assert not is_excluded(project, str(project.root))


def test_a_run_in_an_excluded_folder_is_not_recorded(
    project: Project, hindsight: Hindsight
) -> None:
    (project.folder / "project.toml").write_text('exclude = ["private"]\n')
    private = project.root / "private"
    private.mkdir()

    ran = hindsight("run", "--", sys.executable, "-c", ANSWER, cwd=private)
    started = hindsight("record", "start", "--task", "x", "--json", cwd=private)

    assert (ran.code, ran.out) == (0, "hello from the command\n")
    assert "Nothing is recorded" in ran.err
    assert started.document["errors"][0]["code"] == "excluded"
    assert list_traces(project) == []


def test_sessions_of_an_excluded_folder_are_not_imported(
    project: Project, hindsight: Hindsight, tmp_path: Path
) -> None:
    (project.folder / "project.toml").write_text('exclude = ["/home/dev/shop"]\n')
    copy = tmp_path / "session.jsonl"
    shutil.copy(SAMPLE, copy)

    data = hindsight("import", str(copy), "--json").data

    assert (data["imported"], data["skipped"]) == (0, data["found"])
    assert list_traces(project) == []


@pytest.mark.parametrize("text", ["exclude = 7", "exclude = [1]", "exclude = {}"])
def test_a_pattern_that_is_no_text_is_an_error_that_says_so(
    project: Project, hindsight: Hindsight, text: str
) -> None:
    (project.folder / "project.toml").write_text(f"{text}\n")

    done = hindsight("expire", "--json")

    assert done.document["errors"][0]["code"] == "config"
    assert "a list of texts" in done.document["errors"][0]["hint"]


def test_no_project_is_made_by_a_run_while_all_are_paused(
    tmp_path: Path, hindsight: Hindsight
) -> None:
    hindsight("pause", "--everywhere")
    folder = tmp_path / "new"
    folder.mkdir()

    ran = hindsight("run", "--", sys.executable, "-c", ANSWER, cwd=folder)

    assert ran.code == 0
    assert "resume --everywhere" in ran.err
    assert list(folder.iterdir()) == []
