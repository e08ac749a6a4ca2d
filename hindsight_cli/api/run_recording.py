"""The recorder beside a run: what it shows becomes events, and afterwards lessons.

Runs in a process of its own that nobody waits for longer than two seconds at a time.
Source: docs/explanation/running.md.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import signal
import sys
import time
from pathlib import Path

from hindsight_cli.api.privacy import check_not_paused_everywhere, check_recorded
from hindsight_cli.api.project import Project
from hindsight_cli.api.running import RunPlan
from hindsight_cli.capture.command import feed
from hindsight_cli.capture.command.segments import Segments
from hindsight_cli.capture.draft import Draft, DraftEvent, SessionInfo
from hindsight_cli.capture.numbering import SessionState, safe_session_id
from hindsight_cli.capture.recorder import EventBuilder
from hindsight_cli.errors import HindsightError
from hindsight_cli.records.event import Actor, EventType, Outcome
from hindsight_cli.records.jsonvalue import JsonValue
from hindsight_cli.traces.files import TERMINAL, month_of

TYPE_CHECKING = False  # as typing's, without loading typing on the hot path
if TYPE_CHECKING:
    from hindsight_cli.api.injecting import Prepared

_TICK_S = 1.0
_HANG_UP_S = 2.0  # what a command may take to end by itself
_LONGEST_START_S = 60
_LONGEST_FINISH_S = 600
_IGNORED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


def serve(plan: RunPlan, feed_fd: int, reply_fd: int) -> None:
    """Record one run from its feed until it ends."""
    for number in _IGNORED:
        signal.signal(number, signal.SIG_IGN)
    voice = _Voice(reply_fd)
    signal.alarm(_LONGEST_START_S)  # a file system that does not answer holds no process for ever
    try:
        check_not_paused_everywhere(plan.env)  # before a project is made
        project = Project.open_or_init(plan.start, env=plan.env)
        check_recorded(project, plan.cwd)
        _log_to(project.folder / "logs" / "run.log")
        RunRecorder(project, plan, voice).record(feed.FrameReader(feed_fd))
    except HindsightError as error:
        voice.say(f"This run is not recorded: {error} {error.hint}")
    except Exception:  # the border beside a live agent: whatever it is, the agent goes on
        import traceback

        traceback.print_exc()
        voice.say("This run is not recorded in full: see .hindsight/logs/run.log.")
    voice.send({"done": True})


class _Voice:
    """Lines to the relay, which may be gone."""

    def __init__(self, fd: int) -> None:
        self._fd = fd

    def say(self, message: str) -> None:
        self.send({"say": message.strip()})

    def send(self, answer: dict[str, JsonValue]) -> None:
        with contextlib.suppress(OSError):
            os.write(self._fd, json.dumps(answer).encode() + b"\n")


class RunRecorder:
    """One run: its terminal's text as a trace, then what the agent itself wrote down."""

    def __init__(self, project: Project, plan: RunPlan, voice: _Voice) -> None:
        self._project = project
        self._plan = plan
        self._voice = voice
        self._terminal = TerminalTrace(project, plan)
        self._segments = Segments(self._terminal.observe)
        self._ended: dict[str, JsonValue] | None = None
        self._child: int | None = None

    def record(self, reader: feed.FrameReader) -> None:
        """Take frames until the run ended; then store, reflect and report."""
        prepared = _prepare(self._project, self._plan, self._voice)
        signal.alarm(0)
        try:
            self._terminal.begin()
            while self._ended is None and not reader.at_end:
                for kind, payload in reader.frames(_TICK_S):
                    if kind == feed.DELIVERED and prepared is not None:
                        prepared.deliver()
                    self._take(kind, payload)
                self._segments.tick(time.monotonic())
            if self._ended is None and self._child is not None:
                _hang_up(self._child)
            self._finish()
        finally:
            if prepared is not None:
                prepared.clean_up()

    def _take(self, kind: bytes, payload: bytes) -> None:
        now = time.monotonic()
        if kind == feed.OUTPUT:
            self._segments.output(payload, now)
        elif kind == feed.DROPPED:
            self._segments.lost(int(payload))
        elif kind == feed.RESIZED:
            rows, columns = map(int, payload.split())
            self._segments.resized(rows, columns)
        elif kind == feed.STARTED:
            self._child = int(payload)
        elif kind == feed.TYPED:
            self._segments.typed(now)
        elif kind == feed.ENDED:
            self._ended = json.loads(payload)

    def _finish(self) -> None:
        if self._ended == {}:
            self._terminal.discard()
            return
        signal.alarm(_LONGEST_FINISH_S)
        self._segments.close()
        self._terminal.end(self._ended, self._segments)
        if self._terminal.lost:
            self._voice.say(f"{self._terminal.lost} events are not saved: {self._terminal.problem}")
        from hindsight_cli.api.run_finishing import finish  # only once the agent is done

        for line in finish(self._project, self._plan, self._ended or {}):
            self._voice.say(line)


class TerminalTrace:
    """The events of `<session>.terminal.jsonl`, appended as the run goes on."""

    def __init__(self, project: Project, plan: RunPlan) -> None:
        self._project = project
        self._plan = plan
        self._session_id = safe_session_id(plan.session_id)
        self._builder: EventBuilder | None = None
        self._month = month_of(project.now(), project.now())
        self.lost = 0
        self.problem = ""

    def begin(self) -> None:
        command = shlex.join(self._plan.argv)
        self._append(
            DraftEvent(
                event_type=EventType.TASK,
                actor=Actor.USER,
                text=self._plan.task or command,
                extra={"command": command, "source": TERMINAL},
            )
        )

    def observe(self, text: str) -> None:
        self._append(DraftEvent(event_type=EventType.OBSERVATION, actor=Actor.TOOL, text=text))

    def end(self, ended: dict[str, JsonValue] | None, segments: Segments) -> None:
        """`ended` as the relay told it; None when the relay was killed."""
        told = ended or {}
        interrupted = told.get("interrupted_by") is not None
        state = "killed" if ended is None else "interrupted" if interrupted else "completed"
        if told.get("exit_code") and not interrupted and told.get("signal") != signal.SIGINT:
            outcome = {"outcome": Outcome.FAILURE.value, "source": "exit_code"}
            self._append(
                DraftEvent(event_type=EventType.OUTCOME, actor=Actor.SYSTEM, extra=outcome)
            )
        extra = {
            "end_state": state,
            "exit_code": told.get("exit_code"),
            "signal": told.get("signal"),
            "capture_mode": told.get("mode"),
            "fallback": told.get("fallback"),
            "output_bytes": segments.bytes,
            "not_kept_bytes": segments.dropped,
        }
        kept = {key: value for key, value in extra.items() if value not in (None, "", 0)}
        self._append(DraftEvent(event_type=EventType.END, actor=Actor.SYSTEM, extra=kept))

    def discard(self) -> None:
        """There was no run: the command could not be started."""
        path = self._project.traces.find_source(self._session_id, TERMINAL)
        if path is not None:
            path.unlink(missing_ok=True)

    def _append(self, event: DraftEvent) -> None:
        """Append one event; what cannot be saved is counted, the run goes on."""
        session_id = self._session_id
        traces = self._project.traces
        try:
            with traces.open(session_id, month=self._month, source=TERMINAL) as session:
                if self._builder is None:
                    state = SessionState.of(session_id, session.events())
                    redactor, outputs = self._project.redactor, self._project.outputs
                    self._builder = EventBuilder(state, redactor, outputs.put)
                draft = self._draft(event)
                session.append([self._builder.build_one(draft, os.urandom(10).hex())])
        except HindsightError as error:
            self.lost += 1
            self.problem = str(error)
            self._builder = None  # its numbers may be ahead of the file

    def _draft(self, event: DraftEvent) -> Draft:
        from dataclasses import replace

        agent = self._plan.agent.name if self._plan.agent else Path(self._plan.argv[0]).name
        info = SessionInfo(
            session_id=self._plan.session_id,
            agent=agent,
            cwd=self._plan.cwd,
            parent_session_id=self._plan.env.get("HINDSIGHT_CLI_SESSION"),
        )
        event = replace(event, timestamp=self._project.now())
        return Draft(session=info, line=0, native_type=TERMINAL, events=(event,))


class _Block:
    """The block for the run's task, in a file when no flag can carry it."""

    def __init__(self, project: Project, prepared: Prepared, path: Path | None) -> None:
        self._project = project
        self._prepared = prepared
        self._path = path

    def deliver(self) -> None:
        from hindsight_cli.api.injecting import deliver

        with contextlib.suppress(HindsightError):
            deliver(self._project, self._prepared)

    def clean_up(self) -> None:
        if self._path is not None:
            self._path.unlink(missing_ok=True)


def _prepare(project: Project, plan: RunPlan, voice: _Voice) -> _Block | None:
    """Look up what earlier runs have to say; tell the relay, which waits for it."""
    if not plan.inject:
        return None
    found: dict[str, JsonValue] = {}
    block = None
    try:
        from hindsight_cli.api.injecting import prepare

        prepared = prepare(project, plan.task or "", session=plan.session_id)
        injection = prepared.injection
        if injection.text:
            path = None if plan.block_by_flag else _write_block(project, plan, injection.text)
            block = _Block(project, prepared, path)
            noun = "experience" if len(injection.experience_ids) == 1 else "experiences"
            found = {
                "block": injection.text,
                "path": None if path is None else str(path),
                "count": f"{len(injection.experience_ids)} {noun}",
                "receipt": injection.injection_id,
            }
    except (HindsightError, OSError) as error:
        voice.say(f"Nothing could be injected: {error}")
    voice.send({"prepared": found})
    return block


def _write_block(project: Project, plan: RunPlan, text: str) -> Path:
    folder = project.folder / "injections"
    folder.mkdir(mode=0o700, exist_ok=True)
    path = folder / f"{safe_session_id(plan.session_id)}.md"
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    with os.fdopen(fd, "w", encoding="utf-8") as file:
        file.write(text + "\n")
    return path


def _hang_up(pid: int) -> None:
    """The relay was killed, with it goes the command: whoever killed it meant that.

    A terminal that goes with the relay tells the command; a pipe does not. One that the
    relay saw to its end is not there any more.
    """
    for number in (signal.SIGHUP, signal.SIGKILL):
        deadline = time.monotonic() + _HANG_UP_S
        with contextlib.suppress(OSError):  # it is gone
            (os.killpg if os.getpgid(pid) == pid else os.kill)(pid, number)
            while number == signal.SIGHUP and os.getpgid(pid) and time.monotonic() < deadline:
                time.sleep(0.05)


def _log_to(path: Path) -> None:
    """Send what Python prints of an unexpected error to a file of the project."""
    path.parent.mkdir(mode=0o700, exist_ok=True)
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
    os.dup2(fd, 2)
    os.close(fd)
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)
