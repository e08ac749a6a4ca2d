"""What many tests need: a project of their own, and the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hindsight_cli.api.project import Project
from hindsight_cli.review.decisions import AGENT_VARIABLES

SAMPLES = Path(__file__).parent.parent / "traces"
MYSQL = "283439cd-095e-44ed-ab97-24325a25aff0"


@dataclass(frozen=True)
class Done:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> dict[str, Any]:
        return dict(self.document["data"])

    @property
    def document(self) -> dict[str, Any]:
        return dict(json.loads(self.out))


Hindsight = Callable[..., Done]


@pytest.fixture(autouse=True)
def _own_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """No test sees this user's data, or runs as if inside an agent."""
    monkeypatch.setenv("HINDSIGHT_CLI_DATA_DIR", str(tmp_path_factory.mktemp("user")))
    for variable in (*AGENT_VARIABLES, "HINDSIGHT_CLI_PROJECT", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(variable, raising=False)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = Project(tmp_path / "shop")
    project.root.mkdir()
    project.init()
    return project


@pytest.fixture
def hindsight(project: Project) -> Hindsight:
    """Run a command line in the project as a process of its own, as a user does."""

    def run(*arguments: str, stdin: str | bytes = b"", cwd: Path | None = None, **env: str) -> Done:
        return run_hindsight(arguments, stdin=stdin, cwd=cwd or project.root, env=env)

    return run


def run_hindsight(
    arguments: Sequence[str], *, cwd: Path, stdin: str | bytes = b"", env: dict[str, str]
) -> Done:
    done = subprocess.run(
        [sys.executable, "-m", "hindsight_cli", *arguments],
        cwd=cwd,
        env={**os.environ, **env},
        input=stdin.encode() if isinstance(stdin, str) else stdin,
        capture_output=True,
        check=False,
        timeout=120,
    )
    out, err = (data.decode("utf-8", "replace") for data in (done.stdout, done.stderr))
    return Done(done.returncode, out, err)


@pytest.fixture
def approved(project: Project) -> Callable[..., str]:
    """Add one approved experience of a person's own; gives its id."""
    from hindsight_cli.api.proposing import add_experiences

    def add(**fields: Any) -> str:
        given = {
            "kind": "failure_lesson",
            "scenario": "Deploying MySQL in a container",
            "recommend": "Hand `--env-file .env` to docker run, so that a root password is set.",
            "avoid": "Starting mysql:8.4 without a password option.",
            "tool_tags": ["docker", "mysql"],
            "task_tags": ["deployment"],
            **fields,
        }
        (state,) = add_experiences(project, [given], approve=True)
        return state.experience.experience_id

    return add
