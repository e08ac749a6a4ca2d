"""`hindsight run`: the command is untouched, the run is recorded, the lesson is delivered."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pexpect
import pytest

from hindsight_cli.api.project import Project
from hindsight_cli.api.traces import list_traces, read_trace
from hindsight_cli.records.event import Event, EventType
from tests.conftest import Hindsight

PYTHON = sys.executable
SPINNER = r"""
import sys, time
for i in range(500):
    sys.stdout.write('\r\x1b[2K\x1b[36m' + '|/-\\'[i % 4] + '\x1b[0m thinking')
sys.stdout.write('\r\x1b[2Kdone\n')
"""


def events_of(project: Project) -> list[Event]:
    (row,) = list_traces(project)
    return list(read_trace(project, row.trace_id).trace.events)


def texts_of(project: Project, kind: EventType) -> list[str]:
    (row,) = list_traces(project)
    trace = read_trace(project, row.trace_id).trace
    return [trace.text(e) for e in trace.events if e.event_type is kind]


def on_a_terminal(project: Project, *arguments: str, timeout: float = 60) -> pexpect.spawn[bytes]:
    return pexpect.spawn(
        PYTHON,
        ["-m", "hindsight_cli", "run", *arguments],
        cwd=str(project.root),
        env=dict(os.environ),
        dimensions=(24, 100),
        timeout=timeout,
    )


def a_program(folder: Path, name: str, source: str) -> Path:
    """An executable Python script."""
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!{PYTHON}\n{source}", encoding="utf-8")
    path.chmod(0o700)
    return path


def path_with(folder: Path) -> str:
    return os.pathsep.join([str(folder), os.environ["PATH"]])


def test_the_arguments_reach_the_command_word_for_word(hindsight: Hindsight) -> None:
    show = "import sys; print(sys.argv[1:])"

    done = hindsight("run", "--", PYTHON, "-c", show, "--help", "", "a b", "-v", "--", "--json")

    assert done.out == "['--help', '', 'a b', '-v', '--', '--json']\n"


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (["sh", "-c", "exit 3"], 3),
        (["sh", "-c", "kill -SEGV $$"], 139),
        (["no-such-command-here"], 127),
        (["/"], 126),
    ],
)
def test_the_exit_code_is_that_of_the_command(
    hindsight: Hindsight, command: Sequence[str], code: int
) -> None:
    assert hindsight("run", "--", *command).code == code


def test_a_command_that_is_not_there_leaves_an_error_and_no_trace(
    hindsight: Hindsight, project: Project
) -> None:
    done = hindsight("run", "--", "no-such-command-here")

    assert "no-such-command-here" in done.err
    assert list_traces(project) == []


def test_stdin_and_its_end_reach_the_command(hindsight: Hindsight) -> None:
    assert hindsight("run", "--", "wc", "-l", stdin="a\nb\n").out.strip() == "2"


def test_what_was_seen_becomes_the_observation(hindsight: Hindsight, project: Project) -> None:
    command = [PYTHON, "-c", SPINNER]

    done = hindsight("run", "--task", "wait for it", "--", *command)

    assert done.out.count("thinking") == 500
    assert texts_of(project, EventType.OBSERVATION) == ["done"]
    assert texts_of(project, EventType.TASK) == ["wait for it"]
    end = events_of(project)[-1]
    assert (end.event_type, end.extra["end_state"]) == (EventType.END, "completed")
    assert "2 steps of terminal text recorded" in done.err


def test_a_spinner_on_a_real_terminal_is_one_line(project: Project) -> None:
    child = on_a_terminal(project, "--", PYTHON, "-c", SPINNER)
    child.expect(pexpect.EOF)
    child.close()

    assert child.exitstatus == 0
    (seen,) = texts_of(project, EventType.OBSERVATION)
    assert seen.splitlines()[-1] == "done"
    assert len(seen.splitlines()) <= 3
    assert "\x1b" not in seen


def test_a_hundred_thousand_wide_characters_come_out_unchanged(
    hindsight: Hindsight, project: Project
) -> None:
    text = "数据库端口已被占用请换一个再试" * 7000

    done = hindsight("run", "--", PYTHON, "-c", "print('数据库端口已被占用请换一个再试' * 7000)")

    assert (
        hashlib.sha256(done.out.encode()).digest() == hashlib.sha256(f"{text}\n".encode()).digest()
    )
    assert "\ufffd" not in "".join(texts_of(project, EventType.OBSERVATION))


def test_no_secret_of_the_terminal_or_the_command_line_reaches_the_disk(
    hindsight: Hindsight, project: Project
) -> None:
    secret = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"

    done = hindsight("run", "--", "echo", f"token={secret}")

    assert secret in done.out
    files = [p for p in project.folder.rglob("*") if p.is_file()]
    assert files
    assert [p for p in files if secret.encode() in p.read_bytes()] == []


def test_inside_a_run_a_program_records_its_own_steps(
    hindsight: Hindsight, project: Project
) -> None:
    record = shlex.join([PYTHON, "-m", "hindsight_cli", "record", "event"])
    call = f'{record} --type tool_call --tool bash --input \'{{"command": "make"}}\' --exit-code 2'

    done = hindsight("run", "--task", "build it", "--", "sh", "-c", f"echo hello; {call}; exit 2")

    kinds = [e.event_type for e in events_of(project)]
    assert kinds == ["task", "tool_call", "tool_result", "outcome", "end"]
    assert texts_of(project, EventType.TASK) == ["build it"]
    (row,) = list_traces(project)
    beside = project.traces.find_source(row.session_id, "terminal")
    assert beside is not None
    assert b"hello" in beside.read_bytes()
    assert "1 failed call" in done.err


def test_a_lesson_reaches_the_agent_in_a_file_with_a_receipt(
    hindsight: Hindsight, project: Project, approved: Callable[..., str]
) -> None:
    experience = approved()
    show = "import os; print(open(os.environ['HINDSIGHT_CLI_INJECTION_FILE']).read())"

    done = hindsight("run", "--task", "deploy mysql in docker", "--", PYTHON, "-c", show)

    assert "--env-file .env" in done.out
    assert experience in done.out
    assert "receipt inj-" in done.err
    assert b'"injected"' in project.local_ledger.read_bytes()
    assert list((project.folder / "injections").iterdir()) == []


def test_a_block_that_an_agent_prints_is_no_evidence(
    hindsight: Hindsight, project: Project, approved: Callable[..., str]
) -> None:
    approved()
    command = 'echo before; cat "$HINDSIGHT_CLI_INJECTION_FILE"; echo after'

    done = hindsight("run", "--task", "deploy mysql in docker", "--", "sh", "-c", command)

    assert "--env-file .env" in done.out
    (seen,) = texts_of(project, EventType.OBSERVATION)
    assert [seen.splitlines()[0], seen.splitlines()[-1]] == ["before", "after"]
    assert "receipt=" in seen
    assert "--env-file" not in seen


@pytest.mark.parametrize(
    "arguments",
    [
        ["--no-inject", "--task", "deploy mysql in docker"],
        ["--task", "translate the onboarding page into French"],
        [],
    ],
)
def test_nothing_is_put_before_an_agent_unasked(
    hindsight: Hindsight,
    project: Project,
    approved: Callable[..., str],
    arguments: Sequence[str],
) -> None:
    approved()
    show = "import os; print(os.environ.get('HINDSIGHT_CLI_INJECTION_FILE'))"

    done = hindsight("run", *arguments, "--", PYTHON, "-c", show)

    assert done.out == "None\n"
    assert b'"injected"' not in project.local_ledger.read_bytes()


def test_the_transcript_of_a_known_agent_is_found_and_learned_from(
    hindsight: Hindsight, project: Project, tmp_path: Path, approved: Callable[..., str]
) -> None:
    """A program named `claude` that takes the documented flags and writes the native transcript."""
    approved()
    a_program(tmp_path / "bin", "claude", CLAUDE)
    config = tmp_path / "config"

    done = hindsight(
        *("run", "--", "claude", "-p", "deploy mysql in docker"),
        PATH=path_with(tmp_path / "bin"),
        CLAUDE_CONFIG_DIR=str(config),
    )

    told = json.loads(done.out)
    assert "--env-file .env" in told["system"]
    assert "with --append-system-prompt" in done.err
    (row,) = list_traces(project)
    assert (row.session_id, row.agent) == (told["session"], "claude-code")
    assert (row.tool_calls, row.failed_tool_calls) == (3, 1)
    assert "1 failed call" in done.err
    assert "experience proposed" in done.err
    assert project.traces.find_source(row.session_id, "terminal") is not None


def test_the_user_s_own_flags_are_left_alone(
    hindsight: Hindsight, project: Project, tmp_path: Path, approved: Callable[..., str]
) -> None:
    approved()
    a_program(tmp_path / "bin", "claude", "import json, sys; print(json.dumps(sys.argv[1:]))")
    given = ["-p", "deploy mysql in docker", "--append-system-prompt", "x", "--resume", "abc"]

    done = hindsight("run", "--", "claude", *given, PATH=path_with(tmp_path / "bin"))

    assert json.loads(done.out) == given


def test_what_only_asks_an_agent_s_program_is_no_run(
    hindsight: Hindsight, project: Project, tmp_path: Path
) -> None:
    a_program(tmp_path / "bin", "claude", "import sys; print(sys.argv[1:]); sys.exit(4)")

    done = hindsight("run", "--", "claude", "--version", PATH=path_with(tmp_path / "bin"))

    assert (done.code, done.out, done.err) == (4, "['--version']\n", "")
    assert list_traces(project) == []


def test_an_agent_that_failed_to_start_its_work_is_a_failure(
    hindsight: Hindsight, project: Project, tmp_path: Path
) -> None:
    """Its transcript tells of no error, its exit code does."""
    source = CLAUDE.replace("records += call", "call") + "sys.exit(1)\n"
    a_program(tmp_path / "bin", "claude", source)
    command = ("run", "--no-inject", "--", "claude", "-p", "deploy mysql in docker")
    env = {"PATH": path_with(tmp_path / "bin"), "CLAUDE_CONFIG_DIR": str(tmp_path / "config")}

    done = hindsight(*command, **env)

    (row,) = list_traces(project)
    assert (done.code, row.agent, row.outcome) == (1, "claude-code", "failure")
    assert "1 step, no call recorded" in done.err
    assert "Rules learn from calls" in done.err


def test_a_signal_to_us_ends_the_command_and_the_trace_says_so(project: Project) -> None:
    run = subprocess.Popen(
        [PYTHON, "-m", "hindsight_cli", "run", "--", "sh", "-c", "echo up; exec sleep 60"],
        cwd=project.root,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert run.stdout is not None
    run.stdout.readline()
    run.send_signal(signal.SIGTERM)
    run.communicate(timeout=30)

    assert run.returncode == 128 + signal.SIGTERM
    end = events_of(project)[-1]
    assert end.extra["end_state"] == "interrupted"


def test_a_killed_wrapper_leaves_a_closed_trace(project: Project) -> None:
    run = subprocess.Popen(
        [PYTHON, "-m", "hindsight_cli", "run", "--", "sh", "-c", "echo up; exec sleep 5"],
        cwd=project.root,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert run.stdout is not None
    run.stdout.readline()
    run.kill()
    run.wait(timeout=30)
    run.stdout.close()
    assert run.stderr is not None
    run.stderr.close()

    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        rows = list_traces(project)
        if rows and events_of(project)[-1].event_type is EventType.END:
            break
        time.sleep(0.2)
    assert events_of(project)[-1].extra["end_state"] == "killed"
    assert "up" in "".join(texts_of(project, EventType.OBSERVATION))


@pytest.mark.parametrize("broken", ["traces", "logs", "outputs", "index.db"])
def test_a_fault_of_ours_never_harms_the_run(
    hindsight: Hindsight, project: Project, broken: str
) -> None:
    """A file lies where a folder should be, or the other way round."""
    place = project.folder / broken
    if broken == "index.db":
        place.mkdir()
    else:
        place.write_text("in the way")

    done = hindsight(
        *("run", "--task", "anything", "--", "sh", "-c", "yes some text | head -c 5000; exit 4"),
    )

    assert done.code == 4
    assert len(done.out) == 5000
    assert done.err.count("Traceback") == 0


def test_where_no_project_may_be_the_command_runs_unrecorded(hindsight: Hindsight) -> None:
    done = hindsight("run", "--", "echo", "hi", cwd=Path("/"))

    assert (done.code, done.out) == (0, "hi\n")
    assert "not recorded" in done.err


def test_what_a_reflector_runs_is_not_observed(hindsight: Hindsight, project: Project) -> None:
    done = hindsight("run", "--", "echo", "hi", HINDSIGHT_CLI_REFLECTING="1")

    assert done.out == "hi\n"
    assert list_traces(project) == []


def test_two_runs_at_once_do_not_mix(project: Project) -> None:
    command = [PYTHON, "-m", "hindsight_cli", "run", "--", "sh", "-c"]
    runs = [
        subprocess.Popen(
            [*command, f"for i in 1 2 3 4; do echo run{n}; sleep 0.1; done"],
            cwd=project.root,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for n in (1, 2)
    ]
    assert [run.wait(timeout=60) for run in runs] == [0, 0]

    seen = []
    for row in list_traces(project):
        trace = read_trace(project, row.trace_id).trace
        seen.append({line for e in trace.events for line in trace.text(e).split() if "run" in line})
    assert sorted(map(sorted, (s & {"run1", "run2"} for s in seen))) == [["run1"], ["run2"]]


CLAUDE = r"""
import json, os, sys
argv = sys.argv[1:]
session = argv[argv.index("--session-id") + 1]
system = "".join(b for a, b in zip(argv, argv[1:]) if a == "--append-system-prompt")
cwd = os.getcwd()
slug = "".join(c if c.isalnum() else "-" for c in cwd)
folder = os.path.join(os.environ["CLAUDE_CONFIG_DIR"], "projects", slug)
os.makedirs(folder)
n = 0

def line(kind, content):
    global n
    n += 1
    return {"type": kind, "uuid": f"u{n}", "parentUuid": None, "sessionId": session, "cwd": cwd,
            "version": "2.1.197", "timestamp": f"2026-11-30T10:00:{n:02d}.000Z",
            "message": {"role": kind, "id": f"m{n}", "content": content}}

def call(command, output, failed):
    global n
    use = {"type": "tool_use", "id": f"toolu_{n}", "name": "Bash", "input": {"command": command}}
    yield line("assistant", [use])
    result = {"type": "tool_result", "tool_use_id": use["id"], "is_error": failed}
    yield line("user", [{**result, "content": output}])

records = [line("user", "deploy mysql in docker")]
taken = "Exit code 125\ndocker: Bind for 0.0.0.0:3306 failed: port is already allocated"
records += call("docker run -d -p 3306:3306 mysql:8.4", taken, True)
records += call("docker ps --filter publish=3306", "legacy-db 0.0.0.0:3306->3306/tcp", False)
records += call("docker run -d -p 3307:3306 mysql:8.4", "9d41c0ffee0ddba1", False)
with open(os.path.join(folder, session + ".jsonl"), "w") as file:
    for record in records:
        file.write(json.dumps(record) + "\n")
print(json.dumps({"session": session, "system": system}))
"""
