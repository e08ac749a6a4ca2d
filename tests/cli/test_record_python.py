"""A Python program that records itself: threads, tasks, forks, faults, and never in its way."""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from hindsight_cli.api import privacy, record
from hindsight_cli.api.project import Project
from hindsight_cli.api.traces import list_traces, read_trace
from hindsight_cli.records.event import Event, EventType
from tests.cli.hooks import ERROR, FOR_ERROR, TASK, receipts

WRITERS = 8
EACH = 25
PASSWORD = "hunter2-Xq9"


@pytest.fixture(autouse=True)
def _in_the_project(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project.root)


def a_session(task: str = "build it", **more: Any) -> record.Session:
    return record.session(task, **{"reflect": False, **more})


def events_of(project: Project, session_id: str) -> list[Event]:
    path = project.traces.find(session_id)
    assert path is not None
    events, bad = project.traces.read(path)
    assert bad == []
    return events


def answers(project: Project, session: record.Session) -> list[Event]:
    events = events_of(project, session.session_id)
    return [e for e in events if e.event_type is EventType.TOOL_RESULT]


def traces_on_disk(project: Project) -> list[Path]:
    return list((project.folder / "traces").rglob("*.jsonl"))


def test_a_session_is_a_trace_with_its_steps_and_its_outcome(project: Project) -> None:
    with a_session(agent="shop-bot") as session:
        session.message("I build it.", role="assistant")
        call = {"command": "make"}
        session.tool_call("bash", call, output="make: *** [all] Error 2", exit_code=2)
        with session.tool("bash", call) as second:
            second.result("ok", status="ok")
        session.outcome("success", source="tests")
    kinds = [(e.event_type.value, e.step_index) for e in events_of(project, session.session_id)]
    assert kinds == [
        *(("task", 1), ("message", 2), ("tool_call", 3), ("tool_result", 3)),
        *(("tool_call", 4), ("tool_result", 4), ("outcome", 4), ("end", 4)),
    ]
    (row,) = list_traces(project)
    assert (row.agent, row.task, row.outcome, row.failed_tool_calls) == (
        *("shop-bot", "build it", "success", 1),
    )


@pytest.mark.parametrize(
    ("error", "status", "outcome", "end_state"),
    [
        (RuntimeError("no such table"), "error", "failure", "completed"),
        (TimeoutError("10 s"), "timeout", "failure", "completed"),
        (KeyboardInterrupt(), "cancelled", None, "interrupted"),
        (SystemExit(3), "cancelled", "failure", "completed"),
    ],
)
def test_an_exception_is_the_error_of_its_call_and_goes_on(
    project: Project, error: BaseException, status: str, outcome: str | None, end_state: str
) -> None:
    session = a_session()
    with pytest.raises(type(error)) as raised, session, session.tool("sql", {"q": 1}):
        raise error
    assert raised.value is error
    (answer,) = answers(project, session)
    assert (answer.status, answer.error_type) == (status, type(error).__name__)
    assert str(error) in answer.output_summary
    events = events_of(project, session.session_id)
    told = [e.extra["outcome"] for e in events if e.event_type is EventType.OUTCOME]
    assert (told, events[-1].extra["end_state"]) == ([outcome] if outcome else [], end_state)


def test_a_decorated_function_records_what_it_was_given_and_gave(project: Project) -> None:
    @record.tool
    def add(a: int, b: int = 2) -> dict[str, int]:
        return {"sum": a + b}

    @record.tool(name="shell")
    def run(command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, shell=True, capture_output=True, text=True, check=False)

    assert add(1) == {"sum": 3}  # outside a session it is just called
    with a_session() as session:
        assert (add(1), run("echo no >&2; exit 4").returncode) == ({"sum": 3}, 4)
        with pytest.raises(TypeError):
            add()  # type: ignore[call-arg]
    calls = [e for e in events_of(project, session.session_id) if e.tool_name and e.input]
    assert [(e.tool_name, e.input) for e in calls] == [
        ("add", {"a": 1}),
        ("shell", {"command": "echo no >&2; exit 4"}),
    ]
    found = [(e.output_summary[:3], e.status, e.exit_code) for e in answers(project, session)]
    assert found[0][0] == '{"s'
    assert found[1] == ("no", "error", 4)
    assert found[2][1] == "error"


def test_eight_threads_write_one_session_without_a_gap(project: Project) -> None:
    with a_session() as session:

        @record.tool
        def work(writer: int, n: int) -> str:
            return f"{writer}-{n}"

        def many(writer: int) -> None:
            for n in range(EACH):
                work(writer, n)

        with ThreadPoolExecutor(WRITERS) as pool:
            list(pool.map(session.bind(many), range(WRITERS)))
    events = events_of(project, session.session_id)
    assert [e.seq for e in events] == list(range(1, len(events) + 1))
    calls = {e.call_id: e for e in events if e.event_type is EventType.TOOL_CALL}
    assert len(calls) == len(answers(project, session)) == WRITERS * EACH
    for answer in answers(project, session):
        call = calls[answer.call_id]
        assert answer.step_index == call.step_index
        assert answer.output_summary == f"{call.input['writer']}-{call.input['n']}"


def test_tasks_of_asyncio_find_the_session_they_were_started_in(project: Project) -> None:
    @record.tool
    async def fetch(name: str) -> str:
        await asyncio.sleep(0.01)
        return name

    async def one(name: str) -> str:
        async with a_session(f"task {name}") as session:
            await asyncio.gather(*(fetch(f"{name}{n}") for n in range(5)))
            assert await session.ainject("nothing known") == ""
        return session.session_id

    async def main() -> list[str]:
        return await asyncio.gather(*(one(name) for name in "abcd"))

    for name, session_id in zip("abcd", asyncio.run(main()), strict=True):
        outputs = [
            e.output_summary
            for e in events_of(project, session_id)
            if e.event_type is EventType.TOOL_RESULT
        ]
        assert sorted(outputs) == [f"{name}{n}" for n in range(5)]


def test_a_cancelled_task_leaves_a_cancelled_call_and_an_interrupted_session(
    project: Project,
) -> None:
    session = a_session()

    async def main() -> None:
        async with session, session.tool("wait"):
            await asyncio.sleep(60)

    async def cut_off() -> None:
        task = asyncio.create_task(main())
        await asyncio.sleep(0.5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cut_off())
    assert [a.status for a in answers(project, session)] == ["cancelled"]
    assert events_of(project, session.session_id)[-1].extra["end_state"] == "interrupted"


def test_a_session_inside_another_is_its_child(project: Project) -> None:
    with a_session() as outer, a_session("a part of it") as inner:
        assert record.current() is inner
    assert record.current() is None
    first = events_of(project, inner.session_id)[0]
    assert first.extra["session"]["parent_session_id"] == outer.session_id


def _in_a_child(session: record.Session) -> None:
    session.tool_call("child", {"pid": os.getpid()}, output="done", status="ok")
    session.end()  # not its to end


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_forked_children_write_into_the_session_and_do_not_end_it(project: Project) -> None:
    with a_session() as session:
        session.message("before")
        fork = multiprocessing.get_context("fork")
        children = [fork.Process(target=_in_a_child, args=(session,)) for _ in range(4)]
        for child in children:
            child.start()
        for child in children:
            child.join(30)
        assert [child.exitcode for child in children] == [0] * 4
        session.message("after")
    events = events_of(project, session.session_id)
    assert [e.event_type for e in events].count(EventType.END) == 1
    assert events[-1].event_type is EventType.END
    assert len(answers(project, session)) == 4


def test_an_experience_is_given_for_the_task_and_for_the_error_and_once(
    project: Project, approved: Callable[..., str]
) -> None:
    for_task, for_error = approved(), approved(**FOR_ERROR)
    with a_session(TASK) as session:
        assert receipts(project) == []  # nothing is shown until it is asked for
        block = session.experience
        assert (for_task in block, for_error in block) == (True, False)
        assert session.experience == block
        assert for_error in session.inject(RuntimeError(ERROR))
        assert session.inject(ERROR) == ""
        session.message(f"As I was told: {block}")
    assert {r.experience_id for r in receipts(project)} == {for_task, for_error}
    trace = read_trace(project, session.session_id).trace
    assert not any(for_task in trace.text(event) for event in trace.events)


def test_at_its_end_the_session_is_learned_from(project: Project) -> None:
    with record.session("build it") as session:
        session.tool_call("bash", {"command": "tar -czf b/x.tgz d"}, output=_NO_FOLDER, exit_code=2)
        session.tool_call("bash", {"command": "mkdir -p b"}, output="", exit_code=0)
        session.tool_call("bash", {"command": "tar -czf b/x.tgz d"}, output="", exit_code=0)
        session.outcome("success", source="tests")
    from hindsight_cli.api.experiences import list_experiences

    (state,) = list_experiences(project)
    assert "mkdir -p b" in state.experience.content.recommend


_NO_FOLDER = "tar (child): b/x.tgz: Cannot open: No such file or directory"


def test_secrets_reach_no_file(project: Project) -> None:
    with a_session(f"login with password={PASSWORD}") as session:
        session.tool_call("login", {"user": "a", "password": PASSWORD}, output="ok", status="ok")
        with pytest.raises(ValueError, match="bad"), session.tool("login", [PASSWORD]):
            raise ValueError(f"bad password={PASSWORD}")
    text = b"".join(p.read_bytes() for p in project.folder.rglob("*") if p.is_file())
    assert f"password={PASSWORD}".encode() not in text
    assert f'"password": "{PASSWORD}"'.encode() not in text
    assert f'"password":"{PASSWORD}"'.encode() not in text


class Nasty:
    """An argument that cannot be looked at."""

    def __repr__(self) -> str:
        raise RuntimeError("no repr")


@pytest.mark.parametrize(
    "value",
    [
        *(None, b"\xff\xfe", {1: 2}, {("a", 1): 2}, {"a": {1, 2}}, float("nan"), "\ud800", 10**400),
        *([[[[]]]] * 3, object(), Nasty(), "x" * 300_000),
    ],
    ids=lambda value: type(value).__name__,
)
def test_any_value_can_be_given_to_a_tool_and_come_from_it(project: Project, value: Any) -> None:
    @record.tool
    def echo(value: Any) -> Any:
        return value

    with a_session() as session:
        assert echo(value) is value
    assert len(answers(project, session)) == 1


def test_a_ring_and_a_depth_that_json_cannot_hold_do_not_matter(project: Project) -> None:
    ring: list[Any] = []
    ring.append(ring)
    deep: list[Any] = []
    for _ in range(3000):
        deep = [deep]
    with a_session() as session:
        session.tool_call("echo", ring, output=ring)
        session.tool_call("echo", deep, output=deep)
        session.message("after")
    assert events_of(project, session.session_id)[-2].output_summary == "after"


@pytest.fixture
def read_only(project: Project) -> Project:
    """A project whose folder of traces is a file: nothing can be written, by root neither."""
    (project.folder / "traces").write_text("")
    return project


def test_a_project_that_cannot_be_written_is_told_once_and_the_program_goes_on(
    read_only: Project, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "hindsight_cli.record"), a_session() as session:
        for _ in range(10):
            session.tool_call("bash", {"command": "ls"}, output="a", status="ok")
        assert session.experience == ""
    assert session.session_id == ""
    assert len(caplog.records) == 1
    assert "The program goes on" in caplog.text


def test_a_trace_that_vanishes_in_the_middle_is_told_once_and_counted(
    project: Project, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "hindsight_cli.record"), a_session() as session:
        for path in traces_on_disk(project):
            path.unlink()
        for n in range(5):
            session.message(f"n {n}")
    assert len(caplog.records) == 2
    assert "6 times" in caplog.text


@pytest.mark.parametrize("everywhere", [True, False])
def test_nothing_is_recorded_while_paused(
    project: Project, caplog: pytest.LogCaptureFixture, everywhere: bool
) -> None:
    privacy.pause(None if everywhere else project, project.env)
    with caplog.at_level(logging.WARNING, "hindsight_cli.record"), a_session() as session:
        session.message("secret")
        with session.tool("bash") as call:
            call.result("x")
    assert (traces_on_disk(project), session.session_id, caplog.records) == ([], "", [])


def test_pausing_in_the_middle_of_a_session_holds_at_once(project: Project) -> None:
    with a_session() as session:
        session.message("before")
        privacy.pause(project, project.env)
        session.message("while paused")
    text = "".join(p.read_text() for p in traces_on_disk(project))
    assert "before" in text
    assert "while paused" not in text


def test_without_a_project_one_is_made_but_not_of_the_home_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    home, work = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    work.mkdir()
    monkeypatch.setenv("HOME", str(home))
    with a_session(project=work) as session:
        session.message("x")
    assert Project(work).traces.find(session.session_id) is not None
    monkeypatch.chdir(home)
    with caplog.at_level(logging.WARNING, "hindsight_cli.record"), a_session() as refused:
        refused.message("x")
    assert (refused.session_id, (home / ".hindsight").exists()) == ("", False)
    assert len(caplog.records) == 1


def test_an_agent_that_reflects_for_us_records_nothing(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HINDSIGHT_CLI_REFLECTING", "1")
    with a_session() as session:
        session.message("x")
    assert traces_on_disk(project) == []


@pytest.mark.parametrize(
    ("error", "misuse"),
    [
        (ValueError, lambda: record.session("")),
        (ValueError, lambda: record.session("x", agent="")),
        (RuntimeError, lambda: record.session("x").message("early")),
        (RuntimeError, lambda: record.session("x").tool_call("bash")),
        (TypeError, lambda: record.tool(3)),  # type: ignore[call-overload]
        (TypeError, lambda: record.tool(int)),
    ],
)
def test_plain_misuse_is_raised(error: type[Exception], misuse: Callable[[], object]) -> None:
    with pytest.raises(error):
        misuse()


def test_a_word_that_does_not_exist_is_raised_and_leaves_nothing(project: Project) -> None:
    with a_session() as session:
        for wrong in (
            lambda: session.outcome("great"),
            lambda: session.tool_call("bash", status="good"),
            lambda: session.message("x", role="dog"),
        ):
            with pytest.raises(ValueError, match="is none of"):
                wrong()
        with pytest.raises(RuntimeError):
            session.start()
    assert [e.event_type.value for e in events_of(project, session.session_id)] == ["task", "end"]


def test_inside_a_run_the_session_is_that_of_the_run(project: Project) -> None:
    code = (
        "from hindsight_cli.api import record\n"
        "with record.session('build it', agent='bot') as s:\n"
        "    s.tool_call('bash', {'command': 'make'}, output='no', exit_code=2)\n"
        "    s.outcome('failure', source='tests')\n"
    )
    command = [sys.executable, "-m", "hindsight_cli", "run", "--", sys.executable, "-c", code]
    done = subprocess.run(
        command, cwd=project.root, capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, "1 failed call recorded as run-" in done.stderr) == (0, True)
    (row,) = list_traces(project)
    assert (row.agent, row.task, row.tool_calls, row.outcome) == ("bot", "build it", 1, "failure")
    kinds = [e.event_type.value for e in events_of(project, row.session_id)]
    assert (kinds.count("end"), kinds.count("task")) == (1, 1)


@pytest.mark.parametrize(("flags", "is_given"), [([], True), (["--no-inject"], False)])
def test_inside_a_run_the_experience_is_what_the_run_left_and_once(
    project: Project, approved: Callable[..., str], flags: list[str], is_given: bool
) -> None:
    chosen = approved()
    code = (
        "from hindsight_cli.api import record\n"
        f"with record.session({TASK!r}) as s:\n"
        "    print('given', s.experience)\n"
    )
    command = [sys.executable, "-m", "hindsight_cli", "run", "--task", TASK, *flags, "--"]
    done = subprocess.run(
        [*command, sys.executable, "-c", code],
        cwd=project.root,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert (chosen in done.stdout) == is_given
    assert len(receipts(project)) == is_given


def test_importing_it_does_nothing_and_loads_little() -> None:
    code = (
        "import sys; before = set(sys.modules)\n"
        "from hindsight_cli.api import record\n"
        "print(len([m for m in set(sys.modules) - before if m.startswith('hindsight')]),"
        " 'sqlite3' in sys.modules, 'asyncio' in sys.modules, 'logging' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    count, *heavy = done.stdout.split()
    assert int(count) < 15
    assert heavy[:2] == ["False", "False"]


def test_a_call_costs_little(project: Project) -> None:
    with a_session() as session:
        session.tool_call("bash", {"command": "ls"}, output="a", status="ok")
        began = time.process_time()
        for _ in range(50):
            session.tool_call("bash", {"command": "ls"}, output="a", status="ok")
        took = (time.process_time() - began) / 50
    assert took < 0.02
