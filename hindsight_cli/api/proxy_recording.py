"""The recorder beside an MCP proxy: messages become events of the session they belong to.

Runs in a process of its own, which nobody waits for. Source: docs/explanation/proxying.md.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from hindsight_cli.api.privacy import is_excluded, paused_by
from hindsight_cli.api.private_file import open_log
from hindsight_cli.api.project import Project
from hindsight_cli.api.proxy_joining import hold_open
from hindsight_cli.api.proxy_session import SESSION_VARIABLE, ProxySession
from hindsight_cli.capture.command import feed
from hindsight_cli.capture.numbering import safe_session_id
from hindsight_cli.capture.proxy import tape
from hindsight_cli.capture.proxy.frames import Assembler, Message
from hindsight_cli.errors import HindsightError

TYPE_CHECKING = False  # as typing's, without loading typing on the hot path
if TYPE_CHECKING:
    from hindsight_cli.api.proxying import ProxyRequest

LOG_FILE = Path("logs", "proxy.log")
_TICK_S = 1.0
_HANG_UP_S = 2.0  # what a server may take to end by itself once its relay is gone
_LONGEST_FINISH_S = 600
_IGNORED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


def serve(request: ProxyRequest, env: Mapping[str, str], told: int, reply: int) -> None:
    """Record what the tape tells until it ends; then end what is left of the server."""
    for number in _IGNORED:
        signal.signal(number, signal.SIG_IGN)
    reader, guard = feed.FrameReader(told), _Guard()
    recorder = _find_recorder(request, env, _say_once(reply))
    while not reader.at_end:
        for kind, payload in reader.frames(_TICK_S):
            guard.take(kind, payload)
            if recorder is not None:
                recorder.take(kind, payload)
        if guard.has_ended:
            break
    if not guard.has_ended:
        guard.hang_up()
    if recorder is not None:
        signal.alarm(_LONGEST_FINISH_S)
        recorder.finish()


class _Guard:
    """Sees to it that the server does not outlive a relay that was killed."""

    def __init__(self) -> None:
        self._server: int | None = None
        self.has_ended = False

    def take(self, kind: bytes, payload: bytes) -> None:
        if kind == feed.STARTED:
            self._server = int(payload)
        elif kind == feed.ENDED:
            self.has_ended = True

    def hang_up(self) -> None:
        """End the server's process group: its input has ended, so it may be at it already."""
        if self._server is None:
            return
        with contextlib.suppress(OSError):  # it is gone
            for number in (0, signal.SIGTERM, signal.SIGKILL):
                deadline = time.monotonic() + _HANG_UP_S / 2
                os.killpg(self._server, number)
                while time.monotonic() < deadline and number != signal.SIGKILL:
                    os.killpg(self._server, 0)
                    time.sleep(0.05)


def _say_once(reply: int) -> Callable[[str], None]:
    said: list[str] = []

    def say(message: str) -> None:
        if not said:
            said.append(message)
            with contextlib.suppress(OSError):
                os.write(reply, f"{' '.join(message.split())}\n".encode("utf-8", "replace"))

    return say


def _find_recorder(
    request: ProxyRequest, env: Mapping[str, str], say: Callable[[str], None]
) -> Recorder | None:
    """None where nothing is to be recorded: no project here, paused, excluded, or broken."""
    try:
        # What the server alone gets of the environment may be secret as well.
        project = Project.find(request.start, env={**request.added_env, **env})
        if project is None or paused_by(project, env) is not None:
            return None
        cwd = os.getcwd()  # noqa: PTH109 -- as text
        if is_excluded(project, cwd):
            return None
        if env.get(SESSION_VARIABLE):
            hold_open(project, safe_session_id(env[SESSION_VARIABLE]))
        return Recorder(project, request.name, cwd, say)
    except (HindsightError, OSError) as error:
        say(f"Nothing is recorded: {error}")
        return None


class Recorder:
    """The connections of one proxy, each with the session it belongs to."""

    def __init__(self, project: Project, name: str, cwd: str, say: Callable[[str], None]) -> None:
        self._project = project
        self._name = name
        self._cwd = cwd
        self._say = say
        self._assembler = Assembler()
        self._sessions: dict[int, ProxySession] = {}
        self._lost = 0

    def take(self, kind: bytes, payload: bytes) -> None:
        """One frame; a fault costs the record at most, never the relay."""
        if kind == feed.DROPPED:
            self._note_fault(f"{int(payload)} bytes came too fast to be recorded.")
            return
        message = self._assembler.add(kind, payload)
        if message is not None:
            self._guarded(lambda: self._take(message))

    def finish(self) -> None:
        """Close the sessions; learn from those that are nobody else's."""
        for connection in list(self._sessions):
            self._guarded(lambda: self._close(connection))  # noqa: B023 -- called at once

    def _take(self, message: Message) -> None:
        if message.kind == tape.CLOSED:
            self._close(message.connection)
            return
        session = self._sessions.get(message.connection)
        if session is None:
            session = ProxySession(self._project, self._name, self._cwd)
            self._sessions[message.connection] = session
        if message.kind == tape.FROM_CLIENT:
            session.from_client(message.line, message.at_ns)
        elif message.kind == tape.FROM_SERVER:
            session.from_server(message.line, message.at_ns)
        elif message.kind == tape.NOISE:
            session.noise(message.line, message.at_ns)
        elif message.kind == tape.GONE:
            session.gone(json.loads(message.line.data), message.at_ns)

    def _close(self, connection: int) -> None:
        session = self._sessions.pop(connection, None)
        if session is None:
            return
        session.end()
        if session.is_own and session.has_calls:
            from hindsight_cli.api.run_finishing import Learning, learn  # loads SQLite

            how = Learning(env=self._project.env, since_ns=0)
            for line in learn(self._project, how, session.session_id, session.session_id):
                self._log(line)

    def _guarded(self, act: Callable[[], None]) -> None:
        try:
            act()
        except (HindsightError, OSError) as error:
            self._note_fault(str(error))
        except Exception:  # the border beside a live agent: whatever it is, the relay goes on
            import traceback

            self._note_fault("see .hindsight/logs/proxy.log", traceback.format_exc())

    def _note_fault(self, why: str, details: str = "") -> None:
        self._lost += 1
        self._say(f"Not recorded in full: {why}")
        self._log(details or why)

    def _log(self, text: str) -> None:
        with contextlib.suppress(Exception), open_log(self._project.folder / LOG_FILE) as log:
            line = self._project.redactor.text(f"{self._project.now()} {self._name} {text}")
            os.write(log, f"{line}\n".encode("utf-8", "replace"))
