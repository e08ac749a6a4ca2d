from __future__ import annotations

from pathlib import Path

import pytest

from hindsight_cli.api.consulting import consult_one
from hindsight_cli.api.injecting import Shape, inject
from hindsight_cli.api.project import Project
from hindsight_cli.api.proposing import add_experiences

LESSONS = (
    ("ex-00000000000a", "The nightly vault backup stops on a full tape.", "Rotate the tape first."),
    ("ex-00000000000b", "A vault backup to tape takes all night.", "Compress before writing."),
)
MORE = " Then look at the log of the drive and note its number in the book." * 4
TASK = "run the vault backup to tape"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = Project(tmp_path / "shop", env={"HINDSIGHT_CLI_DATA_DIR": str(tmp_path / "user")})
    project.root.mkdir()
    project.init()
    given = [
        {"id": own, "kind": "failure_lesson", "scenario": scenario, "recommend": recommend + MORE}
        for own, scenario, recommend in LESSONS
    ]
    add_experiences(project, given, approve=True)
    return project


def whole_in(text: str) -> int:
    return text.count("| Do: ")


def test_the_best_one_is_whole_and_of_the_next_only_its_case_is_named(project: Project) -> None:
    shown = inject(project, TASK)
    assert len(shown.experience_ids) == 2
    assert whole_in(shown.text) == 1
    assert shown.tokens < inject(project, TASK, shape=Shape(whole=True)).tokens


def test_an_agent_that_can_ask_for_nothing_is_given_all_of_them_whole(project: Project) -> None:
    assert whole_in(inject(project, TASK, shape=Shape(whole=True)).text) == 2


def test_one_that_was_only_named_is_given_whole_at_an_error_in_the_same_session(
    project: Project,
) -> None:
    first = inject(project, TASK, session="s-1")
    again = inject(project, TASK, session="s-1")
    at_error = inject(project, f"error: {TASK} failed", session="s-1", error=True)
    assert again.text == ""
    assert at_error.experience_ids == first.experience_ids[1:]
    assert whole_in(at_error.text) == 1


def test_one_is_given_whole_by_its_id_with_a_receipt(project: Project) -> None:
    named = inject(project, TASK, session="s-1").experience_ids[1]
    given = consult_one(project, named, session="s-1")
    assert (whole_in(given.text), given.injection_id[:4]) == (1, "inj-")
    assert consult_one(project, "ex-000000000bad", session="s-1").text == ""
