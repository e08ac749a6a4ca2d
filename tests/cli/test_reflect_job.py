"""A reflection as a process: in the background, killed, interrupted, or one of two at once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from hindsight_cli.api.project import Project
from hindsight_cli.api.reflect_job import JobState, last_job, running_job
from hindsight_cli.errors import ReflectionRunningError
from tests.answers import an_answer
from tests.conftest import Hindsight
from tests.models import WAIT_S, ended, is_alive, job_of, recorded, script, until

BACKGROUND = ("reflect", "--with", "command")
FOREGROUND = (*BACKGROUND, "--wait")


class Reflecting:
    """A command that reflects when it is told to, and says which processes it was."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._calls, self._go = folder / "calls", folder / "go"
        self._calls.touch()
        (folder / "answer.json").write_text(an_answer())
        wait = f"until [ -e {self._go} ]; do sleep 0.05; done"
        text = f"echo $$ >> {self._calls}\n{wait}\ncat {folder}/answer.json"
        self.command = script(folder / "reflecting", text)

    def go(self) -> None:
        self._go.touch()

    def pids(self) -> list[int]:
        return [int(line) for line in self._calls.read_text().split()]


@pytest.fixture
def reflecting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reflecting:
    reflecting = Reflecting(tmp_path / "reflecting")
    monkeypatch.setenv("HINDSIGHT_CLI_REFLECT_COMMAND", reflecting.command)
    monkeypatch.setenv("HINDSIGHT_CLI_LLM_TIMEOUT_S", str(int(WAIT_S)))
    return reflecting


@pytest.fixture
def trace_id(project: Project) -> str:
    return recorded(project)


def started_in_foreground(project: Project) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "hindsight_cli", *FOREGROUND],
        cwd=project.root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def test_it_outlives_who_started_it_and_status_shows_it(
    hindsight: Hindsight, reflecting: Reflecting, project: Project, trace_id: str
) -> None:
    done = hindsight(*BACKGROUND, "--json")  # it would not end, if a pipe of ours were held open
    assert (done.code, done.data["proposed"]) == (0, [])
    assert done.data["started"]["trace_ids"] == [trace_id]
    shown = hindsight("status", "--json").data["reflection"]
    assert (shown["state"], shown["trace_ids"]) == ("running", [trace_id])
    assert "reflection   running since" in hindsight("status").out
    reflecting.go()
    assert (ended(project).state, ended(project).proposed) == (JobState.DONE, 1)
    assert ", 1 proposed" in hindsight("status").out
    log = (project.folder / "logs/reflect.log").read_text()
    assert ("1 proposed" in log, trace_id in log) == (True, True)
    assert len(hindsight("experiences", "list", "--json").data["experiences"]) == 1


def test_it_outlives_its_terminal(reflecting: Reflecting, project: Project, trace_id: str) -> None:
    import pexpect

    terminal = pexpect.spawn(
        sys.executable,
        ["-m", "hindsight_cli", *BACKGROUND],
        cwd=str(project.root),
        encoding="utf-8",
    )
    terminal.expect("in the background")
    terminal.expect(pexpect.EOF)
    terminal.close(force=True)  # SIGHUP to all that belongs to it
    reflecting.go()
    assert (ended(project).state, ended(project).proposed) == (JobState.DONE, 1)


def test_one_that_was_killed_reads_as_died_and_does_not_block_the_next(
    hindsight: Hindsight, reflecting: Reflecting, project: Project, trace_id: str
) -> None:
    hindsight(*BACKGROUND)
    until(lambda: len(reflecting.pids()) == 3)
    os.kill(job_of(project).pid, signal.SIGKILL)
    reflecting.go()
    assert ended(project).state is JobState.DIED
    assert "reflection   died" in hindsight("status").out
    assert hindsight("status", "--json").data["reflection"]["state"] == "died"
    assert hindsight(*FOREGROUND).code == 0
    assert "reflection   done" in hindsight("status").out


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_one_that_is_asked_to_end_takes_its_commands_along_and_says_so(
    reflecting: Reflecting, project: Project, trace_id: str, number: signal.Signals, code: int
) -> None:
    with started_in_foreground(project) as process:
        until(lambda: len(reflecting.pids()) == 3)
        process.send_signal(number)
        _, err = process.communicate(timeout=WAIT_S)
    assert (process.returncode, b"Traceback" in err) == (code, False)
    assert (job_of(project).state, job_of(project).message) == (
        JobState.FAILED,
        "It was interrupted.",
    )
    until(lambda: not any(map(is_alive, reflecting.pids())))


def test_of_two_at_once_one_waits(
    hindsight: Hindsight, reflecting: Reflecting, project: Project, trace_id: str
) -> None:
    assert hindsight(*BACKGROUND).code == 0
    with started_in_foreground(project) as second:
        assert second.stderr is not None
        assert second.stderr.readline() == b"Another reflection runs here: waiting for its end.\n"
        assert len(reflecting.pids()) <= 3
        reflecting.go()
        out, _ = second.communicate(timeout=WAIT_S)
    assert second.returncode == 0
    assert b"[already_proposed]" in out
    assert len(reflecting.pids()) == 6


def test_many_at_once_are_all_served_one_after_the_other(
    hindsight: Hindsight, reflecting: Reflecting, project: Project, trace_id: str
) -> None:
    reflecting.go()
    processes = [started_in_foreground(project) for _ in range(4)]
    outs = [p.communicate(timeout=WAIT_S)[0] for p in processes]
    assert [p.returncode for p in processes] == [0] * 4
    assert sorted(b"1 proposed" in out for out in outs) == [False, False, False, True]
    assert len(reflecting.pids()) == 12


def test_one_that_waited_long_enough_gives_up(project: Project) -> None:
    heard: list[str] = []
    with (
        running_job(project, ["a"], wait_s=0, say=heard.append),
        pytest.raises(ReflectionRunningError),
        running_job(project, ["b"], wait_s=0.3, say=heard.append),
    ):
        pass
    assert (len(heard), job_of(project).trace_ids) == (1, ("a",))


@pytest.mark.parametrize("text", ["", "{", "[]", '{"pid": "x"}', '{"state": "odd"}', "[" * 9999])
def test_a_state_that_cannot_be_read_is_no_state(
    hindsight: Hindsight, project: Project, text: str
) -> None:
    (project.folder / "reflect.json").write_text(text)
    assert last_job(project) is None


@pytest.mark.parametrize("name", ["reflect.json", "reflect.lock", "logs", "logs/reflect.log"])
def test_a_link_in_a_stores_place_leads_nowhere(
    hindsight: Hindsight, reflecting: Reflecting, project: Project, tmp_path: Path, name: str
) -> None:
    recorded(project)
    reflecting.go()
    kept = tmp_path / "kept"
    if name == "logs":
        kept.mkdir()
    else:
        kept.write_text("kept")
    (project.folder / name).parent.mkdir(exist_ok=True)
    (project.folder / name).symlink_to(kept)
    assert hindsight("status").code == 0
    done = hindsight(*BACKGROUND)
    if done.code == 0:  # the state alone is replaced, not refused
        assert name == "reflect.json"
        ended(project)
    else:
        assert "error[storage]" in done.err
    assert list(kept.iterdir()) == [] if name == "logs" else kept.read_text() == "kept"
