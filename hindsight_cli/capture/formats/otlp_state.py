"""Whose signal it is, and what the events of one session depend on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from hindsight_cli.capture.draft import Draft, DraftEvent, SessionInfo
from hindsight_cli.capture.formats.calls import Call, call_of
from hindsight_cli.capture.formats.injected_text import split_injected
from hindsight_cli.capture.formats.message_events import Chat
from hindsight_cli.capture.formats.otlp_signals import Signal
from hindsight_cli.records.event import Actor, EventType, ToolKind
from hindsight_cli.records.jsonvalue import JsonValue

_MAX_KNOWN = 20_000
_SESSION_KEYS = ("session.id", "gen_ai.conversation.id", "conversation.id")
_HIDDEN = frozenset({"<REDACTED>", "[REDACTED]"})


@dataclass(slots=True)
class Conversation:
    """What has been told of one session so far."""

    session: SessionInfo
    has_task: bool = False
    chat: Chat = field(default_factory=Chat)
    usage: Mapping[str, JsonValue] | None = None  # of a reply that is not told yet
    said: dict[str, None] = field(default_factory=dict)  # digests of messages
    called: dict[str, None] = field(default_factory=dict)  # ids of calls told
    answered: dict[str, None] = field(default_factory=dict)

    def is_new(self, message: JsonValue) -> bool:
        """Whether a message has not been told; every request repeats those before it."""
        digest = digest_of(message)
        fresh = digest not in self.said
        remember(self.said, digest)
        return fresh

    def take_usage(self) -> Mapping[str, JsonValue] | None:
        usage, self.usage = self.usage, None
        return usage


def remember(known: dict[str, None], key: str) -> None:
    """Add a key; the oldest is forgotten where there are very many."""
    known[key] = None
    if len(known) > _MAX_KNOWN:
        del known[next(iter(known))]


def digest_of(value: JsonValue) -> str:
    told = json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256(told.encode("utf-8", "replace")).hexdigest()[:16]


class Conversations:
    """The sessions of a file by their ids; of spans and logs apart, both tell the same."""

    def __init__(self, suffix: str) -> None:
        self._suffix = suffix
        self._known: dict[str, Conversation] = {}
        self._of_trace: dict[str, str] = {}

    def note(self, signal: Signal) -> None:
        """Take a session's id from a signal for all of its trace; few of them name it."""
        if (name := _name_of(signal)) and signal.trace_id:
            self._of_trace.setdefault(signal.trace_id, name)

    def of(self, signal: Signal) -> Conversation:
        name = _name_of(signal) or self._of_trace.get(signal.trace_id) or signal.trace_id
        return self._get(f"{name or 'unnamed'}{self._suffix}", signal)

    def inside(
        self, outer: Conversation, agent_id: str, call_id: str, signal: Signal
    ) -> Conversation:
        """The session of a subagent."""
        session_id = f"{outer.session.session_id}-agent-{agent_id}"
        found = self._get(session_id, signal)
        if found.session.parent_session_id is None:
            found.session = replace(
                found.session,
                parent_session_id=outer.session.session_id,
                parent_call_id=call_id or None,
            )
        return found

    def _get(self, session_id: str, signal: Signal) -> Conversation:
        found = self._known.get(session_id)
        if found is None:
            agent = signal.text("gen_ai.agent.name") or _text(signal.resource, "service.name")
            session = SessionInfo(session_id=session_id, agent=agent or "otlp")
            found = self._known[session_id] = Conversation(session)
        model = signal.text("gen_ai.response.model", "gen_ai.request.model", "model")
        version = _text(signal.resource, "service.version")
        told = (
            found.session.model or model or None,
            found.session.agent_version or version or None,
        )
        if told != (found.session.model, found.session.agent_version):
            found.session = replace(found.session, model=told[0], agent_version=told[1])
        return found


def _name_of(signal: Signal) -> str:
    """The session's id, as the signal or its resource tells it; "" where neither does."""
    about = {**signal.resource, **signal.attributes}
    return next((v for k in _SESSION_KEYS if isinstance(v := about.get(k), str) and v), "")


def _text(holder: Mapping[str, JsonValue], key: str) -> str:
    value = holder.get(key)
    return value if isinstance(value, str) else ""


def draft_of(
    signal: Signal, conversation: Conversation, native_id: str, *events: DraftEvent
) -> Draft:
    return Draft(
        session=conversation.session,
        line=signal.line,
        native_type=f"{signal.kind}/{signal.name}",
        native_id=native_id,
        events=events,
        usage=conversation.take_usage() if events else None,
    )


def spoken(text: str, time: str | None, conversation: Conversation) -> list[DraftEvent]:
    """What a person said, apart from what a harness put round it; [] where it was left out."""
    if text in _HIDDEN:
        return []
    events = []
    for part, injected in split_injected(text):
        kind, actor = EventType.MESSAGE, Actor.SYSTEM if injected else Actor.USER
        if not injected and not conversation.has_task:
            kind, conversation.has_task = EventType.TASK, True
        event = DraftEvent(
            event_type=kind, actor=actor, timestamp=time, text=part, injected=injected
        )
        events.append(event)
    return events


def call_event(
    name: str, arguments: JsonValue, call_id: str, time: str | None, server: str | None = None
) -> tuple[DraftEvent, Call]:
    call = call_of(name, arguments)
    if server and not call.server:
        call = Call(call.name, ToolKind.MCP, server, call.command)
    event = DraftEvent(
        event_type=EventType.TOOL_CALL,
        actor=Actor.AGENT,
        timestamp=time,
        tool_name=call.name,
        tool_kind=call.kind,
        server=call.server,
        call_id=call_id or None,
        input=arguments,
    )
    return event, call
