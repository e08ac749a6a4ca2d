"""What users of other recorders ran into around a command: no terminal, no modules, no model."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path

import pexpect
import pytest

from hindsight_cli.api.project import Project
from hindsight_cli.api.traces import list_traces
from tests.conftest import Hindsight

HINDSIGHT = (sys.executable, "-m", "hindsight_cli")


@pytest.fixture
def without_terminal_modules(tmp_path: Path) -> dict[str, str]:
    """An environment where Python has none of the modules that know terminals."""
    folder = tmp_path / "blocked"
    folder.mkdir()
    block = "import sys\nfor name in ('termios', 'pty', 'tty'):\n    sys.modules[name] = None\n"
    (folder / "sitecustomize.py").write_text(block)
    return {"PYTHONPATH": str(folder)}


def test_started_by_another_program_without_a_terminal_it_ends_at_once(project: Project) -> None:
    began = time.monotonic()
    done = subprocess.run(
        [*HINDSIGHT, "run", "--", "echo", "ok"],
        cwd=project.root,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        start_new_session=True,
        timeout=20,
    )
    assert (done.returncode, done.stdout) == (0, b"ok\n")
    assert time.monotonic() - began < 5


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["traces", "list"], ["search", "mysql"], ["inject", "mysql"], ["status"]],
    ids=lambda arguments: arguments[0],
)
def test_commands_work_where_python_knows_no_terminals(
    hindsight: Hindsight, without_terminal_modules: dict[str, str], arguments: list[str]
) -> None:
    assert hindsight(*arguments, **without_terminal_modules).code == 0


def on_terminal(project: Project, *arguments: str, **env: str) -> tuple[int, str]:
    child = pexpect.spawn(
        HINDSIGHT[0],
        [*HINDSIGHT[1:], *arguments],
        cwd=str(project.root),
        env={**os.environ, **env},
        timeout=60,
        encoding="utf-8",
    )
    child.expect(pexpect.EOF)
    child.close()
    return child.exitstatus or 0, str(child.before)


def test_a_run_there_uses_pipes_says_so_and_notes_it_in_the_trace(
    project: Project, without_terminal_modules: dict[str, str]
) -> None:
    code, screen = on_terminal(
        project, "run", "--", "sh", "-c", "echo ok; exit 3", **without_terminal_modules
    )
    assert code == 3
    assert screen.count("ok\r\n") == 1
    assert screen.count("Recorded through pipes, not as on a terminal") == 1
    (row,) = list_traces(project)
    path = project.traces.find(row.session_id)
    assert path is not None
    events, _ = project.traces.read(path)
    assert any(e.extra.get("capture_mode") and e.extra.get("fallback") for e in events)


def test_only_a_run_touches_the_terminal(project: Project) -> None:
    """In `hindsight … | less` the pager has set it; our end must leave it so."""
    for arguments in (["traces", "list"], ["--help"], ["search", "mysql"]):
        ours, theirs = os.openpty()
        try:
            chosen = termios.tcgetattr(theirs)
            chosen[3] &= ~(termios.ICANON | termios.ECHO)
            termios.tcsetattr(theirs, termios.TCSANOW, chosen)
            before = termios.tcgetattr(theirs)
            subprocess.run(
                [*HINDSIGHT, *arguments],
                cwd=project.root,
                stdin=theirs,
                stdout=subprocess.DEVNULL,
                stderr=theirs,
                check=True,
                timeout=60,
            )
            after = termios.tcgetattr(theirs)
        finally:
            os.close(ours)
            os.close(theirs)
        assert after == before


@pytest.mark.parametrize(("script", "code"), [("exit 3", 3), ("kill -SEGV $$", 139)])
def test_the_end_of_a_command_on_a_terminal_is_never_lost_or_told_twice(
    project: Project, script: str, code: int
) -> None:
    for _ in range(15):
        ended, screen = on_terminal(
            project, "run", "--no-reflect", "--", "sh", "-c", f"printf END; {script}"
        )
        assert (ended, screen.count("END")) == (code, 1)


def test_without_a_model_all_is_stored_and_words_answer(
    hindsight: Hindsight, project: Project, approved: Callable[..., str], tmp_path: Path
) -> None:
    """A model that cannot be had is no reason to lose the first write, or to wait again."""
    broken = {"HINDSIGHT_CLI_EMBEDDING_MODEL": "nobody/has-this", "HF_HUB_OFFLINE": "1"}
    chosen = approved()
    assert hindsight("run", "--", "true", **broken).code == 0
    assert len(list_traces(project)) == 1
    took = []
    for _ in range(3):
        began = time.monotonic()
        found = hindsight("search", "Deploying MySQL in a container", "--json", **broken)
        took.append(time.monotonic() - began)
        results = json.loads(found.out)["data"]["results"]
        assert [r["experience_id"] for r in results] == [chosen]
    assert max(took[1:]) < 2
