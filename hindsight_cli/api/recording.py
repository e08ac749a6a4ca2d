"""Record any program's own events, one process a call, atomic from many at once."""

from __future__ import annotations

import secrets
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hindsight_cli.api.privacy import check_not_paused, check_recorded
from hindsight_cli.api.project import Project
from hindsight_cli.api.session_tail import tail_state
from hindsight_cli.api.traces import trace_of
from hindsight_cli.capture.draft import Draft, DraftEvent, SessionInfo
from hindsight_cli.capture.names import Names
from hindsight_cli.capture.native_event import drafts_from_json, with_status
from hindsight_cli.capture.numbering import safe_session_id
from hindsight_cli.capture.recorder import EventBuilder
from hindsight_cli.errors import SessionNotFoundError
from hindsight_cli.records.event import Actor, Event, EventType, Outcome
from hindsight_cli.records.jsonvalue import JsonValue
from hindsight_cli.traces.files import TERMINAL, OpenSession, month_of


@dataclass(frozen=True, slots=True)
class Recorded:
    session_id: str
    trace_id: str
    step_index: int


@dataclass(frozen=True, slots=True)
class Origin:
    """Whose session it is: `session_id` "" for one of its own, `parent` "" for none."""

    agent: str
    session_id: str = ""  # of the run that it is the record of
    parent: str = ""


def start(project: Project, task: str, *, agent: str = "record") -> Recorded:
    """Begin a session with its task as the first step.

    Raises:
        PausedError, ExcludedError: nothing is to be recorded here.
    """
    return begin(project, task, Origin(agent))


def begin(project: Project, task: str, origin: Origin) -> Recorded:
    """As `start`, in a run's session or as the child of another one.

    Raises:
        PausedError, ExcludedError: nothing is to be recorded here.
    """
    check_recorded(project, str(Path.cwd()))
    now = project.now()
    own = f"rec-{now[:19].replace(':', '').replace('-', '')}-{secrets.token_hex(3)}"
    session_id = safe_session_id(origin.session_id) if origin.session_id else own
    event = DraftEvent(event_type=EventType.TASK, actor=Actor.USER, text=task, timestamp=now)
    info = SessionInfo(
        session_id=session_id,
        agent=origin.agent,
        cwd=str(project.root),
        parent_session_id=origin.parent or None,
    )
    with project.traces.open(session_id, month=month_of(now, now)) as session:
        return _append(project, session, info, [(event, None)])


def record(
    project: Project, session_id: str, objects: Sequence[Mapping[str, JsonValue]]
) -> Recorded:
    """Append events given as JSON objects to a session that was started.

    Raises:
        InvalidEventError: an object is no event; nothing was written.
        SessionNotFoundError: the session was not started here.
        PausedError: nothing is to be recorded here.
    """
    check_not_paused(project)
    now = project.now()
    drafts = [d for n, o in enumerate(objects, 1) for d in drafts_from_json(o, n, now=now)]
    return _append_to(project, session_id, drafts)


def end(
    project: Project,
    session_id: str,
    *,
    outcome: Outcome | None = None,
    source: str = "human",
    end_state: str = "completed",
) -> Recorded:
    """Close a session, with the outcome its caller knows and who says so."""
    now = project.now()
    drafts: list[tuple[DraftEvent, str | None]] = []
    if outcome is not None:
        extra = {"outcome": outcome.value, "source": source}
        drafts.append((_system(EventType.OUTCOME, now, extra), None))
    drafts.append((_system(EventType.END, now, {"end_state": end_state}), None))
    return _append_to(project, session_id, drafts)


def note_outcome(
    project: Project, session_id: str, outcome: Outcome, *, source: str, kept_in: str = ""
) -> Recorded:
    """Say how a session ended without closing it: its own transcript may yet go on.

    `kept_in` names the source whose file takes it, of a session without a transcript.

    Raises:
        SessionNotFoundError, StorageError.
    """
    extra = {"outcome": outcome.value, "source": source}
    drafts: list[tuple[DraftEvent, str | None]] = [
        (_system(EventType.OUTCOME, project.now(), extra), None)
    ]
    path = project.traces.find_source(session_id, kept_in) if kept_in else None
    if path is None:
        return _append_to(project, session_id, drafts)
    info = SessionInfo(session_id=session_id, agent="record")
    with project.traces.open(session_id, month=path.parent.name, source=kept_in) as session:
        return _append(project, session, info, drafts)


def _append_to(
    project: Project, session_id: str, drafts: list[tuple[DraftEvent, str | None]]
) -> Recorded:
    path = project.traces.find(session_id)
    if path is None:
        raise SessionNotFoundError(session_id)
    info = SessionInfo(session_id=session_id, agent="record")
    is_new = project.traces.find_source(session_id) is None
    if is_new:  # inside `hindsight run`: what it was asked to do is known from the terminal
        shown = project.traces.find_source(session_id, TERMINAL)
        info, begun = _begun_by_run(project, shown or path, info)
        drafts = [*begun, *drafts]
    with project.traces.open(session_id, month=path.parent.name) as session:
        return _append(project, session, info, drafts)


def _begun_by_run(
    project: Project, path: Path, info: SessionInfo
) -> tuple[SessionInfo, list[tuple[DraftEvent, str | None]]]:
    """Whose session it is and its task, under an id that two first writers share."""
    events, _ = project.traces.read(path)
    task = next((e for e in events if e.event_type is EventType.TASK), None)
    if task is None:
        return info, []
    about: JsonValue = task.extra.get("session") or {}
    info = replace(info, agent=str(about.get("agent") or "record"), cwd=about.get("cwd"))
    text = trace_of(project, task.trace_id, events).task
    draft = DraftEvent(
        event_type=EventType.TASK, actor=Actor.USER, text=text, timestamp=task.timestamp
    )
    return info, [(draft, task.event_id)]


def _append(
    project: Project,
    session: OpenSession,
    info: SessionInfo,
    drafts: list[tuple[DraftEvent, str | None]],
) -> Recorded:
    names = Names(project.redactor)
    drafts = [(names.of(draft), chosen_id) for draft, chosen_id in drafts]
    state = tail_state(session, info.session_id, [draft for draft, _ in drafts])
    builder = EventBuilder(state, project.redactor, project.outputs.put)
    events: list[Event] = []
    for draft, chosen_id in drafts:
        event_id = names.event_id(info.session_id, chosen_id) or uuid.uuid4().hex[:20]
        if event_id in state.event_ids:
            continue
        place = state.place(draft.event_type, draft.call_id, draft.tool_name)
        judged = with_status(draft, place.answers)
        native = Draft(session=info, line=state.seq + 1, native_type="record", events=(judged,))
        events.append(builder.build_one(native, event_id))
    session.append(events)
    return Recorded(info.session_id, state.trace_id, state.step_index)


def _system(event_type: EventType, now: str, extra: Mapping[str, JsonValue]) -> DraftEvent:
    return DraftEvent(event_type=event_type, actor=Actor.SYSTEM, timestamp=now, extra=extra)
