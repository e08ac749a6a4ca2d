"""One connection of an MCP proxy and its session: `<session>.proxy-<name>.jsonl`."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence

from hindsight_cli.api.project import Project
from hindsight_cli.api.session_tail import tail_state
from hindsight_cli.capture.boundaries import next_trace_id
from hindsight_cli.capture.draft import Draft, DraftEvent, SessionInfo
from hindsight_cli.capture.names import Names
from hindsight_cli.capture.numbering import SessionState, safe_session_id
from hindsight_cli.capture.proxy.conversation import Conversation
from hindsight_cli.capture.proxy.lines import Line
from hindsight_cli.capture.recorder import EventBuilder
from hindsight_cli.experiences.freshness import parse_time
from hindsight_cli.records.event import Actor, Event, EventType
from hindsight_cli.records.jsonvalue import JsonValue
from hindsight_cli.traces.files import proxy_source

SESSION_VARIABLE = "HINDSIGHT_CLI_SESSION"
NATIVE_TYPE = "mcp"
_REST_S = 30 * 60  # between two calls: what comes after it is another task
_WINDOW_BYTES = 64 * 1024
_MOST_HELD = 100  # events from before the client gave its name


class ProxySession:
    """Appends what is said on a connection.

    Inside `hindsight run` to the run's session; else to one of its own, named by the time
    and the client, which is known from its first message on.
    """

    def __init__(self, project: Project, name: str, cwd: str) -> None:
        self._project = project
        self._cwd = cwd
        self._run_id = project.env.get(SESSION_VARIABLE, "")
        self._name = Names(project.redactor).clean(name)
        self._source = proxy_source(safe_session_id(self._name)[:60])
        self._conversation = Conversation(server=self._name, key=os.urandom(3).hex())
        self._began = time.gmtime()
        self._held: list[DraftEvent] = []
        self._builder: EventBuilder | None = None
        self._last_call: str | None = None
        self._size = -1  # of the file as we left it: another proxy may write to it
        self.session_id = ""

    @property
    def is_own(self) -> bool:
        """Nobody else tells of this session."""
        return not self._run_id

    @property
    def has_calls(self) -> bool:
        return self._conversation.has_calls

    def from_client(self, line: Line, at_ns: int) -> None:
        self._append(self._conversation.from_client(line, at_ns))

    def from_server(self, line: Line, at_ns: int) -> None:
        self._append(self._conversation.from_server(line, at_ns))

    def noise(self, line: Line, at_ns: int) -> None:
        self._append(self._conversation.noise(line, at_ns))

    def gone(self, told: Mapping[str, JsonValue], at_ns: int) -> None:
        self._append(self._conversation.gone(told, at_ns))

    def end(self) -> None:
        """The connection is closed."""
        self._append([], is_last=True)
        if not self.session_id:
            return
        state = "server_crashed" if self._conversation.is_gone else "completed"
        extra: dict[str, JsonValue] = {"end_state": state, "server": self._name}
        left_out = self._conversation.left_out()
        if left_out:
            extra["left_out"] = left_out
        event = DraftEvent(
            event_type=EventType.END,
            actor=Actor.SYSTEM,
            timestamp=self._project.now(),
            extra=extra,
        )
        self._append([event], is_last=True)

    def _append(self, events: Sequence[DraftEvent], *, is_last: bool = False) -> None:
        """Append, as soon as it is known to which session.

        Raises:
            StorageError: it cannot be written.
        """
        self._held.extend(events[: max(0, _MOST_HELD - len(self._held))] if not is_last else events)
        is_known = bool(self._run_id or self._conversation.client or is_last)
        if not self._held or not (is_known or self._conversation.has_calls):
            return
        drafts, self._held = self._held, []
        if not self.session_id:
            self.session_id = self._chosen_id()
        elif self._was_moved():
            return  # the run has ended, and its files were put beside its transcript
        month = time.strftime("%Y-%m", self._began)
        with self._project.traces.open(
            self.session_id, month=month, source=self._source
        ) as session:
            if self._builder is None or session.size != self._size:
                state = tail_state(session, self.session_id, drafts, window=_WINDOW_BYTES)
                self._builder = EventBuilder(
                    state, self._project.redactor, self._project.outputs.put
                )
            try:
                session.append([e for d in drafts for e in self._built(self._builder, d)])
                self._size = session.size
            except BaseException:
                self._builder = None  # its numbers may be ahead of the file
                raise

    def _was_moved(self) -> bool:
        traces = self._project.traces
        return self._size > 0 and traces.find_source(self.session_id, self._source) is None

    def _chosen_id(self) -> str:
        if self._run_id:
            return safe_session_id(self._run_id)
        client = Names(self._project.redactor).clean(self._conversation.client)
        stamp = time.strftime("%Y%m%dT%H%M%S", self._began)
        short = safe_session_id(client)[:40] if client else "client"
        return f"mcp-{stamp}-{short}-{os.urandom(3).hex()}"

    def _built(self, builder: EventBuilder, draft: DraftEvent) -> list[Event]:
        """The event; before it the session's task, or where another one begins."""
        before: list[Event] = []
        state = builder.state
        if not state.has_task:
            before.append(self._event(builder, self._task(draft)))
        elif self._is_later_task(state, draft):
            boundary = state.boundary(
                from_step=state.step_index + 1,
                trace_id=next_trace_id(state.session_id, state.trace_ids),
                timestamp=draft.timestamp,
            )
            state.note(boundary)
            before.append(boundary)
        if draft.event_type is EventType.TOOL_CALL:
            self._last_call = draft.timestamp
        return [*before, self._event(builder, draft)]

    def _event(self, builder: EventBuilder, draft: DraftEvent) -> Event:
        info = SessionInfo(
            session_id=self.session_id,
            agent=self._conversation.client or "mcp-client",
            agent_version=self._conversation.client_version or None,
            cwd=self._cwd,
            closes=True,
        )
        native = Draft(
            session=info, line=builder.state.seq + 1, native_type=NATIVE_TYPE, events=(draft,)
        )
        return builder.build_one(native, os.urandom(10).hex())

    def _task(self, first: DraftEvent) -> DraftEvent:
        """What was to be done is not said on this channel: only who works with which server."""
        client = self._conversation.client or "an MCP client"
        return DraftEvent(
            event_type=EventType.TASK,
            actor=Actor.SYSTEM,
            timestamp=first.timestamp,
            text=f"{client} works with the MCP server {self._name}",
            extra={"source": self._source},
        )

    def _is_later_task(self, state: SessionState, draft: DraftEvent) -> bool:
        """After a long rest a client that stays connected is at something else."""
        if self._run_id or draft.event_type is not EventType.TOOL_CALL or state.open_calls:
            return False
        last, this = parse_time(self._last_call), parse_time(draft.timestamp)
        return last is not None and this is not None and (this - last).total_seconds() > _REST_S
