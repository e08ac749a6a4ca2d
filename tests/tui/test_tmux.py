"""The real program in a real tmux, from the first key to the ledger."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hindsight_cli.api.experiences import show_experience
from hindsight_cli.records.ledger import HUMAN, EntryKind
from tests.tui.projects import Review, an_experience

PATIENCE_S = 60.0
FIRST, SECOND, THIRD = (an_experience(n).experience_id for n in (1, 2, 3))
needs_tmux = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")


class Tmux:
    """A server of the test's own, with one window of 120 x 36."""

    def __init__(self, folder: Path, review: Review) -> None:
        self._socket = str(folder / "tmux.sock")
        env = {
            "NO_COLOR": "1",
            **review.env,
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            "TERM": "screen",
        }
        program = [sys.executable, "-m", "hindsight_cli", "tui", "--no-mouse"]
        command = [*program, "--project", str(review.root)]
        self._env = env
        self("-f", "/dev/null", "new-session", "-d", "-x", "120", "-y", "36", *command)

    def __call__(self, *arguments: str) -> str:
        command = ["tmux", "-S", self._socket, *arguments]
        done = subprocess.run(command, env=self._env, capture_output=True, text=True, check=False)
        return done.stdout

    def screen(self) -> str:
        return self("capture-pane", "-p")

    def press(self, *keys: str) -> None:
        self("send-keys", *keys)

    def until(self, condition: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE_S
        while not condition():
            assert time.monotonic() < end, self.screen()
            time.sleep(0.1)

    def until_text(self, text: str) -> None:
        self.until(lambda: text in self.screen())


@pytest.fixture
def three(review: Review) -> Review:
    session = review.record_session()
    review.propose(*(an_experience(n, session_id=session) for n in (1, 2, 3)))
    return review


@pytest.fixture
def tmux(tmp_path_factory: pytest.TempPathFactory, three: Review) -> Iterator[Tmux]:
    server = Tmux(tmp_path_factory.mktemp("t"), three)
    yield server
    server("kill-server")


@needs_tmux
def test_a_sitting_from_the_first_key_to_the_ledger(tmux: Tmux, three: Review) -> None:
    tmux.until_text("failed, exit 125")
    tmux.press("a")
    tmux.until(lambda: three.status(FIRST) == "approved")
    tmux.until_text("1 of 2")
    tmux.press("Enter")
    tmux.until_text("● cited")
    tmux("resize-window", "-x", "80", "-y", "24")
    tmux.until_text("● cited")
    tmux.press("q")
    tmux.until_text("1 pending 2")
    tmux.press("r")
    tmux.until_text("reason (optional)")
    tmux.press("v", "a", "g", "u", "e", "Enter")
    tmux.until(lambda: three.status(SECOND) == "rejected")
    tmux.press("u")
    tmux.until(lambda: three.status(SECOND) == "pending")
    tmux.press("q")
    tmux.until(lambda: not tmux("list-sessions"))

    history = {i: show_experience(three.project, i).history for i in (FIRST, SECOND, THIRD)}
    assert [e.entry for e in history[FIRST]] == [EntryKind.PROPOSED, EntryKind.APPROVED]
    assert [e.entry for e in history[SECOND]] == [
        EntryKind.PROPOSED,
        EntryKind.REJECTED,
        EntryKind.UNDONE,
    ]
    assert history[SECOND][1].data["reason"] == "vague"
    assert [e.entry for e in history[THIRD]] == [EntryKind.PROPOSED]
    assert {e.by for own in history.values() for e in own[1:]} == {HUMAN}
