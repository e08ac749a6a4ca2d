"""Real agents, run as a person runs them: on a terminal, under `hindsight run`.

Deselected by default. They need the agents' programs and no network:

    pip install mini-swe-agent            # in an environment of its own
    npm install @anthropic-ai/claude-code opencode-ai
    HINDSIGHT_TEST_MINI=…/bin/mini HINDSIGHT_TEST_CLAUDE=…/.bin/claude pytest -m realagents

OpenCode is `HINDSIGHT_TEST_OPENCODE=…/opencode-<system>/bin/opencode`.
A program that is neither on the PATH nor named by its variable is skipped.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pexpect
import pytest

from hindsight_cli.api.project import Project
from tests.scripted_model import ScriptedModel, serving

RunOnTerminal = Callable[..., "Ran"]
_KEPT = ("PATH", "LANG", "HINDSIGHT_CLI_DATA_DIR")
_TIMEOUT_S = 180


@dataclass(frozen=True)
class Ran:
    """What a run left on the terminal, our own lines apart."""

    code: int
    screen: str

    @property
    def said(self) -> list[str]:
        """Our lines; before one may stand what an agent tells the terminal at its end."""
        return re.findall(r"hindsight: [^\r\n]+", self.screen)


def program(name: str) -> str:
    """The agent's program, as its variable or the PATH has it; skips the test without one."""
    variable = f"HINDSIGHT_TEST_{name.upper()}"
    found = os.environ.get(variable) or shutil.which(name)
    if not found or not os.access(found, os.X_OK):
        pytest.skip(f"no {name}: install it and put it on the PATH, or name it in {variable}")
    return found


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with serving({"text": "Nothing to do."}, aside="A title") as model:
        yield model


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home folder without anybody's settings."""
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def run_on_terminal(project: Project, home: Path) -> RunOnTerminal:
    """Run a command under `hindsight run` in the project, with a bare environment."""

    def run(command: Sequence[str], env: Mapping[str, str]) -> Ran:
        kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
        child = pexpect.spawn(
            sys.executable,
            ["-m", "hindsight_cli", "run", "--", *command],
            cwd=str(project.root),
            env={**kept, "HOME": str(home), "TERM": "xterm-256color", **env},
            dimensions=(40, 200),
            timeout=_TIMEOUT_S,
            encoding="utf-8",
            codec_errors="replace",
        )
        child.expect(pexpect.EOF)
        screen = str(child.before)
        child.close()
        return Ran(child.exitstatus if child.exitstatus is not None else -1, screen)

    return run
