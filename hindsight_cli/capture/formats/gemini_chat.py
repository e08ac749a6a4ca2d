"""The records of one Gemini CLI chat as events, in order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from hindsight_cli.capture.draft import Draft, DraftEvent, SessionInfo
from hindsight_cli.capture.formats.content import text_of, type_of
from hindsight_cli.capture.formats.gemini_body import (
    Answer,
    Conversation,
    Record,
    abandoned,
    api_error_type,
    mapping,
    notice,
    parts_of,
    reasoning,
    rewind_event,
    string,
)
from hindsight_cli.capture.formats.gemini_versions import message_id
from hindsight_cli.records.event import EventType
from hindsight_cli.records.jsonvalue import JsonValue

AGENT = "gemini-cli"
_KNOWN = frozenset({"user", "gemini", "info", "warning", "error"})
_TOKENS = ("input", "output", "cached", "thoughts", "tool", "total")


@dataclass(frozen=True, slots=True)
class Line:
    """A record and where it stands; abandoned when the person took it back."""

    number: int
    value: Record
    is_abandoned: bool = False


class Chat:
    """One session. `path` names it where no record does, and tells whose subagent it is."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._session = SessionInfo(session_id=path.stem, agent=AGENT)
        self._conversation = Conversation()
        self._seen: set[str] = set()

    def describe(self, header: Record) -> None:
        """Take what a header or a patch says of the session."""
        session_id = string(header, "sessionId")
        if session_id:
            self._session = replace(self._session, session_id=session_id)
        if string(header, "kind") == "subagent":
            parent = self._path.parent.name
            own = self._session.session_id
            if parent != "chats" and self._session.parent_session_id is None:
                self._session = replace(
                    self._session,
                    session_id=own if own != parent else f"{parent}-agent-{self._path.stem}",
                    parent_session_id=parent,
                )
        folders = header.get("directories")
        if isinstance(folders, list) and folders and isinstance(folders[0], str):
            self._session = replace(self._session, cwd=folders[0])

    def superseded(self, number: int) -> Draft:
        """A line whose message a later line has in full."""
        return self._draft(Line(number, {}), "message", None)

    def drafts_of(self, line: Line) -> Iterator[Draft]:
        """One draft a record; of a patch with messages, one for each that is not known yet."""
        value = line.value
        if "$rewindTo" in value:
            yield self._draft(
                line, "$rewindTo", None, (rewind_event(string(value, "$rewindTo"), None),)
            )
        elif isinstance(value.get("$set"), dict):
            yield from self._patch(line, mapping(value["$set"]), "$set")
        elif message_id(value):
            yield self.message_draft(line)
        elif string(value, "sessionId"):
            yield from self._patch(line, value, "header")
        else:
            yield self._draft(line, type_of(value) or "(no type)", None, known=False)

    def _patch(self, line: Line, patch: Record, kind: str) -> Iterator[Draft]:
        self.describe(patch)
        messages = patch.get("messages")
        fresh = [
            one
            for one in (messages if isinstance(messages, list) else [])
            if isinstance(one, dict) and message_id(one) not in self._seen
        ]
        drafts = [self.message_draft(replace(line, value=one)) for one in fresh]
        telling = [draft for draft in drafts if draft.events or not draft.known]
        yield from telling or [self._draft(line, kind, None)]

    def message_draft(self, line: Line) -> Draft:
        """The draft of a record that is a message."""
        known_id = message_id(line.value)
        if known_id:
            self._seen.add(known_id)
        kind = type_of(line.value)
        if model := string(line.value, "model"):
            self._session = replace(self._session, model=model)
        if kind not in _KNOWN:
            return self._draft(line, kind or "(no type)", known_id, known=False)
        return self._draft(line, kind, known_id, self._events(line))

    def _draft(
        self,
        line: Line,
        kind: str,
        native_id: str | None,
        events: tuple[DraftEvent, ...] = (),
        *,
        known: bool = True,
    ) -> Draft:
        return Draft(
            session=self._session,
            line=line.number,
            native_type=kind,
            native_id=native_id,
            events=events,
            usage=_usage(line.value),
            known=known,
        )

    def _events(self, line: Line) -> tuple[DraftEvent, ...]:
        said_before = self._conversation.has_task
        # What was taken back is no task: what the person said instead is.
        self._conversation.has_task = said_before or line.is_abandoned
        events = tuple(self._events_of(line.value))
        if line.is_abandoned:
            self._conversation.has_task = said_before
            events = abandoned(events)
        return events

    def _events_of(self, message: Record) -> Iterator[DraftEvent]:
        kind, stamp = type_of(message), string(message, "timestamp") or None
        content = message.get("content")
        if kind == "user":
            display = message.get("displayContent")
            yield from self._conversation.user_events(content, stamp, display=display)
        elif kind == "gemini":
            yield from self._reply(message, content, stamp)
        else:
            text = _words(content)
            yield notice(text, stamp, api_error_type(text) if kind == "error" else None)

    def _reply(
        self, message: Record, content: JsonValue, stamp: str | None
    ) -> Iterator[DraftEvent]:
        thoughts = message.get("thoughts")
        listed = thoughts if isinstance(thoughts, list) and thoughts else None
        for thought in listed or ():
            if text := _thought(thought):
                own_stamp = string(mapping(thought), "timestamp")
                yield reasoning(text, own_stamp or stamp)
        calls = message.get("toolCalls")
        calls = [one for one in calls if isinstance(one, dict)] if isinstance(calls, list) else []
        listed_ids = {string(call, "id") for call in calls}
        for event in self._conversation.model_events(content, stamp, with_thoughts=listed is None):
            if event.event_type is not EventType.TOOL_CALL or event.call_id not in listed_ids:
                yield event
        for call in calls:
            yield from self._call(call, stamp)

    def _call(self, call: Record, stamp: str | None) -> Iterator[DraftEvent]:
        """A call and, when it came to an end, its result: they are one object."""
        yield self._conversation.call_event(call, call.get("args"), stamp)
        status = string(call, "status")
        display = call.get("resultDisplay")
        answer = Answer(
            name=string(call, "name"),
            call_id=string(call, "id") or None,
            native_status=status or None,
            display=display if isinstance(display, str) else "",
            agent_id=string(call, "agentId"),
        )
        ended = string(call, "timestamp") or stamp
        responses = _responses(call)
        if not responses and status in {"success", "error", "cancelled"}:
            responses = [{}]
        for response in responses[:1]:
            yield from self._conversation.response_events(response, ended, answer)


def _responses(call: Record) -> list[Record]:
    """The responses of a call: its own, where the list holds those of calls beside it too."""
    found: list[Record] = [
        response
        for part in parts_of(call.get("result"))
        if isinstance(response := part.get("functionResponse"), dict)
    ]
    own = [response for response in found if string(response, "id") == string(call, "id")]
    return own or [one for one in found if not string(one, "id")]


def _thought(thought: JsonValue) -> str:
    if isinstance(thought, str):
        return thought.strip()
    told = mapping(thought)
    return "\n".join(text for key in ("subject", "description") if (text := string(told, key)))


def _words(content: JsonValue) -> str:
    return "".join(string(part, "text") for part in parts_of(content)) or text_of(content)


def _usage(message: Record) -> Record | None:
    tokens = mapping(message.get("tokens"))
    kept = {key: tokens[key] for key in _TOKENS if type(tokens.get(key)) in (int, float)}
    return kept or None
