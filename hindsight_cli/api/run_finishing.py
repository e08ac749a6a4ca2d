"""After a run: the agent's own transcript found, reflected on, its outcome credited."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from hindsight_cli.api.project import Project
from hindsight_cli.api.proxy_joining import join_proxies, move_proxies, wait_for_proxies
from hindsight_cli.api.running import RunPlan
from hindsight_cli.capture.numbering import safe_session_id
from hindsight_cli.config import read_user_settings
from hindsight_cli.errors import HindsightError
from hindsight_cli.integrations import Place
from hindsight_cli.records.event import RUN, Event, EventType, Outcome
from hindsight_cli.records.jsonvalue import JsonValue
from hindsight_cli.traces.aside import first_event
from hindsight_cli.traces.files import HOOKS, TERMINAL

if TYPE_CHECKING:
    from hindsight_cli.api.importing import ImportReport

EXIT_CODE = "exit_code"  # as the source of an outcome
_NO_LESSONS = " Rules learn from calls and their results: see `hindsight run --help`."
_CLOCK_SLACK_NS = 2_000_000_000  # file systems that keep whole seconds, or two


@dataclass(frozen=True, slots=True, kw_only=True)
class Learning:
    """How to learn from a session that came to an end, or to rest."""

    env: Mapping[str, str]
    since_ns: int  # of several tasks, those worked on since then
    reflect: bool = True
    model: bool = True  # also with a model, if this user chose one


def finish(project: Project, plan: RunPlan, ended: Mapping[str, JsonValue]) -> Iterator[str]:
    """Settle the files of a run and learn from it; gives lines for the person who ran it."""
    run_id = safe_session_id(plan.session_id)
    wait_for_proxies(project, run_id)
    session_id, problems = _session_of(project, plan, run_id)
    yield from problems
    hooked = _hooked_session(project, plan) if session_id is None else None
    if hooked is not None:  # its hooks alone tell of its calls
        session_id = hooked
        _move_terminal(project, run_id, session_id)
        move_proxies(project, run_id, session_id)
        if _has_failed(ended):
            _note_failed_hooks(project, session_id)
    elif session_id is None:
        if project.traces.find_source(run_id) is not None:
            _close_recorded(project, run_id, ended)
        elif not join_proxies(project, run_id):
            project.traces.promote(run_id, TERMINAL)
        session_id = run_id
    else:
        if session_id != run_id:
            _move_terminal(project, run_id, session_id)
            move_proxies(project, run_id, session_id)
        _note_exit(project, session_id, ended)
    how = Learning(env=plan.env, since_ns=plan.started_ns, reflect=plan.reflect)
    yield from learn(project, how, session_id, run_id)


def _session_of(project: Project, plan: RunPlan, run_id: str) -> tuple[str | None, list[str]]:
    """The session that the agent's own transcript of this run was imported as, if any."""
    place = plan.agent.transcripts(plan.argv, plan.env, plan.cwd) if plan.agent else None
    paths = _written_since(place, plan.started_ns) if place is not None else []
    if place is None or not paths:
        return None, []
    try:
        report = import_place(project, place, paths, plan.started_ns)
    except HindsightError as error:
        return None, [f"The agent's transcript could not be read: {error}"]
    problems = [str(error) for error in report.failed_files]
    if run_id in report.sessions:
        return run_id, problems
    mains = {row.session_id for row in report.traces if row.session_id in report.sessions}
    if not mains:
        return None, problems
    if len(mains) > 1:
        mains = {session_id for session_id in mains if not _is_subagent(project, session_id)}
    runs = {session_id: _run_told(project, session_id) for session_id in mains}
    own = [session_id for session_id, run in runs.items() if run == plan.session_id]
    own = own or [session_id for session_id, run in runs.items() if run is None]
    if len(own) == 1:
        return own[0], problems
    count = max(len(paths), len(mains)) if own else 0  # 0: all are other runs', as hooks told
    several = f"{count} transcripts changed during this run: all imported, none taken as its own."
    return None, [*problems, several] if count else problems


def _is_subagent(project: Project, session_id: str) -> bool:
    path = project.traces.find(session_id)
    events = project.traces.read(path)[0] if path is not None else []
    about = events[0].extra.get("session") if events else None
    return isinstance(about, Mapping) and bool(about.get("parent_session_id"))


def _run_told(project: Project, session_id: str) -> str | None:
    """The run that an agent's hooks said a session is of; None when they said nothing."""
    path = project.traces.find_source(session_id, HOOKS)
    event = first_event(path) if path is not None else None
    run = event.extra.get(RUN) if event is not None else None
    return run if isinstance(run, str) else None


def _hooked_session(project: Project, plan: RunPlan) -> str | None:
    """The one session that hooks recorded of this run, of an agent that wrote no transcript."""
    if plan.agent is None:
        return None
    found = (project.folder / "traces").glob(f"*/*.{HOOKS}.jsonl")
    recent = [path for path in found if _is_newer(path, plan.started_ns)]
    sessions = {path.name.removesuffix(f".{HOOKS}.jsonl") for path in recent}
    own = [
        session_id
        for session_id in sessions
        if _run_told(project, session_id) == plan.session_id
        and project.traces.find_source(session_id) is None
    ]
    return own[0] if len(own) == 1 else None


def _note_failed_hooks(project: Project, session_id: str) -> None:
    from hindsight_cli.api import recording

    recording.note_outcome(project, session_id, Outcome.FAILURE, source=EXIT_CODE, kept_in=HOOKS)


def import_place(
    project: Project, place: Place, paths: Sequence[Path], started_ns: int
) -> ImportReport:
    """Import transcripts; of a file with the sessions of other runs, what is this run's.

    Raises:
        HindsightError: as `import_paths`.
    """
    from hindsight_cli.api.importing import import_paths
    from hindsight_cli.capture.draft import Selection, StoreFormat
    from hindsight_cli.capture.formats import detect_format, load_format

    if place.cwd is None:
        return import_paths(project, [*paths, *_subagents_of(paths)])
    selection = Selection(folders=(place.cwd,), since_ms=started_ns // 1_000_000)
    with TemporaryDirectory(prefix="hindsight-") as folder:
        own = list(paths)
        for index, path in enumerate(paths):
            reader = load_format(name) if (name := detect_format(path)) else None
            if isinstance(reader, StoreFormat):
                own[index] = Path(folder) / f"{index}-{path.name}"
                reader.extract(path, own[index], selection)
        return import_paths(project, own)


def _subagents_of(paths: Sequence[Path]) -> list[Path]:
    """Transcripts of subagents, which Claude Code keeps in a folder named after the session."""
    folders = [path.with_suffix("") / "subagents" for path in paths]
    found = [path for folder in folders for path in sorted(folder.glob("*.jsonl"))]
    return [path for path in found if path not in paths]


def _written_since(place: Place, started_ns: int) -> list[Path]:
    if place.cwd is not None:  # the log beside a database is written to, not the file
        return [p for p in map(Path, place.files) if p.is_file()]
    exact = [p for p in map(Path, place.files) if _is_newer(p, started_ns)]
    if exact or place.folder is None:
        return exact
    found = sorted(Path(place.folder).glob(place.pattern))
    return [p for p in found if _is_newer(p, started_ns) and place.holds(str(p))]


def _is_newer(path: Path, started_ns: int) -> bool:
    try:
        return path.stat().st_mtime_ns >= started_ns - _CLOCK_SLACK_NS
    except OSError:
        return False


def _close_recorded(project: Project, session_id: str, ended: Mapping[str, JsonValue]) -> None:
    """A program that recorded its own events and left the session open: close it."""
    from hindsight_cli.api import recording

    path = project.traces.find_source(session_id)
    events = project.traces.read(path)[0] if path is not None else []
    if events and events[-1].event_type is EventType.END:
        return
    if ended.get("interrupted_by") is not None or not ended:
        recording.end(project, session_id, end_state="interrupted" if ended else "killed")
        return
    is_known = any(e.event_type is EventType.OUTCOME for e in events)
    outcome = Outcome.FAILURE if _has_failed(ended) and not is_known else None
    recording.end(project, session_id, outcome=outcome, source=EXIT_CODE)


def _note_exit(project: Project, session_id: str, ended: Mapping[str, JsonValue]) -> None:
    """What the agent's transcript does not say: that its program failed.

    A session that is gone on with, and then ends well, has failed no more.
    """
    from hindsight_cli.api import recording

    path = project.traces.find_source(session_id)
    events = project.traces.read(path)[0] if path is not None else []
    noted = [e.extra for e in events if e.event_type is EventType.OUTCOME]
    if noted and noted[-1].get("source") != EXIT_CODE:
        return
    failed = _has_failed(ended)
    was_failed = bool(noted) and noted[-1].get("outcome") == Outcome.FAILURE.value
    if failed != was_failed:
        outcome = Outcome.FAILURE if failed else Outcome.UNKNOWN
        recording.note_outcome(project, session_id, outcome, source=EXIT_CODE)


def _has_failed(ended: Mapping[str, JsonValue]) -> bool:
    interrupted = ended.get("interrupted_by") is not None or ended.get("signal") == signal.SIGINT
    return bool(ended.get("exit_code")) and not interrupted


def _move_terminal(project: Project, run_id: str, session_id: str) -> None:
    """Put what the terminal showed beside the transcript, under the transcript's id."""
    path = project.traces.find_source(run_id, TERMINAL)
    if path is None:
        return
    events = project.traces.read(path)[0]
    moved = [replace(e, session_id=session_id, trace_id=session_id) for e in events]
    with project.traces.open(session_id, month=path.parent.name, source=TERMINAL) as session:
        session.append(moved)
    path.unlink()


def learn(project: Project, how: Learning, session_id: str, run_id: str) -> Iterator[str]:
    """Reflect on a session and credit what it was shown; gives lines for a person.

    `run_id` is the session that its receipts name.
    """
    path = project.traces.find(session_id)
    if path is None:
        return
    read, _ = project.traces.read(path)
    events = [e for e in read if e.event_type is not EventType.BOUNDARY]
    own = _traces_of_run(read, how.since_ns) if len(events) < len(read) else [session_id]
    if not any(e.event_type is EventType.TOOL_CALL for e in events):
        started = list(_start_model(project, how, own)) if how.reflect else []
        yield f"{_without_calls(session_id, events)}{'' if started else _NO_LESSONS}"
        yield from started
        return
    from hindsight_cli.api.traces import trace_of  # loads SQLite: a brief run ends without

    trace = trace_of(project, session_id, events)
    failed = sum(call.failed for call in trace.calls)
    summary = f"{_steps(events)}, {_count(failed, 'failed call')} recorded as {session_id}"
    if not how.reflect:
        yield f"{summary}."
        return
    try:
        proposed, told = _reflect(project, own, run_id)
    except HindsightError as error:
        yield f"{summary}. Not reflected: {error}"
        return
    pending = _pending(project)
    waiting = f"; {_count(pending, 'experience')} for review: `hindsight tui`" if pending else ""
    yield f"{summary}, {_count(proposed, 'experience')} proposed{waiting}."
    yield from told
    yield from _start_model(project, how, own)


def _without_calls(session_id: str, events: Sequence[Event]) -> str:
    is_terminal = any(e.extra.get("source") == TERMINAL for e in events[:1])
    what = " of terminal text" if is_terminal else ", no call"
    return f"{_steps(events)}{what} recorded as {session_id}."


def _traces_of_run(events: Sequence[Event], started_ns: int) -> list[str]:
    """Of a session with several tasks, those worked on since then; all where no time tells."""
    from datetime import UTC, datetime

    from hindsight_cli.records.trace import split_traces

    traces = split_traces(events)
    since = datetime.fromtimestamp((started_ns - _CLOCK_SLACK_NS) / 1e9, UTC)
    begun = since.strftime("%Y-%m-%dT%H:%M:%S")  # of UTC, as agents write their times
    recent = [i for i, own in traces.items() if any((e.timestamp or "") >= begun for e in own)]
    return recent or list(traces)


def _reflect(project: Project, trace_ids: Sequence[str], run_id: str) -> tuple[int, list[str]]:
    """Reflect by rules, credit what was injected: how many proposals, and what else to say."""
    from hindsight_cli.api.feedback import credit_run
    from hindsight_cli.api.reflecting import reflect
    from hindsight_cli.api.traces import read_trace

    report = reflect(project, trace_ids)
    told = list(report.messages)
    for found in report.attributions:
        trace = read_trace(project, found.trace_id).trace
        if run_id == trace.session_id:  # else the receipts have the id that the run began with
            continue
        credited = credit_run(project, run_id, trace, found.outcome, source=found.outcome_source)
        told += credited.suspensions
    return len(report.proposed), told


def _start_model(project: Project, how: Learning, trace_ids: Sequence[str]) -> Iterator[str]:
    """Let a model reflect in the background, if this user chose one."""
    try:
        if not how.model or read_user_settings(how.env).reflect_with == "rules":
            return
        from hindsight_cli.api.model_reflecting import start_detached

        if start_detached(project, trace_ids):
            yield "A model reflects in the background: see `hindsight status`."
    except HindsightError as error:
        yield f"No model reflects: {error} {error.hint}"


def _pending(project: Project) -> int:
    from hindsight_cli.api.experiences import list_experiences
    from hindsight_cli.records.experience import ReviewStatus

    return len(list_experiences(project, [ReviewStatus.PENDING]))


def _steps(events: Sequence[Event]) -> str:
    return _count(max((e.step_index for e in events), default=0), "step")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
