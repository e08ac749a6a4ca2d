"""The records of one Gemini CLI chat as events, in order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from hindsight_cli.capture.draft import Draft, DraftEvent, SessionInfo
from hindsight_cli.capture.formats.content import text_of, type_of
from hindsight_cli.capture.formats.gemini_body import (
    Conversation,
    abandoned,
    api_error_type,
    notice,
    reasoning,
    rewind_event,
)
from hindsight_cli.capture.formats.gemini_parts import Record, mapping, parts_of, string, with_files
from hindsight_cli.capture.formats.gemini_results import Answer
from hindsight_cli.capture.formats.gemini_versions import message_id
from hindsight_cli.records.event import EventType
from hindsight_cli.records.jsonvalue import JsonValue

AGENT = "gemini-cli"
_REPLY = frozenset({"gemini", "qwen"})  # Qwen Code once wrote such chats
_KNOWN = frozenset({"user", "info", "warning", "error"}) | _REPLY
_ENDED = frozenset({"success", "error", "cancelled"})
# The program's own words at the beginning of a session.
_FOLDER = re.compile(
    r"\A\s*(?:<session_context>\s*)?This is the (?:Gemini CLI|Qwen Code)\..{0,2000}?"
    r"(?:working in the directory: |Workspace Directories:\*\*\n  - )([^\n]{1,4000})\n",
    re.DOTALL,
)
_SERVER = re.compile(r"\((.+) MCP Server\)\Z")
_MAX_PATH_BYTES = 4096
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
        self._session = SessionInfo(session_id=path.stem, agent=AGENT, cwd=_project_root(path))
        self._conversation = Conversation()
        self._seen: set[int] = set()  # hashes of ids

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
            if isinstance(one, dict) and hash(message_id(one)) not in self._seen
        ]
        drafts = [self.message_draft(replace(line, value=one)) for one in fresh]
        telling = [draft for draft in drafts if draft.events or not draft.known]
        yield from telling or [self._draft(line, kind, None)]

    def message_draft(self, line: Line) -> Draft:
        """The draft of a record that is a message."""
        known_id = message_id(line.value)
        if known_id:
            self._seen.add(hash(known_id))
        kind = type_of(line.value)
        self._note(line.value, kind)
        if kind not in _KNOWN:
            return self._draft(line, kind or "(no type)", known_id, known=False)
        return self._draft(line, kind, known_id, self._events(line))

    def _note(self, message: Record, kind: str) -> None:
        """Take what a message tells of the session: the model, the folder it works in."""
        model = string(message, "model") or self._session.model
        cwd = self._session.cwd
        if (
            cwd is None
            and kind == "user"
            and (folder := _FOLDER.search(_words(message.get("content"))))
        ):
            cwd = folder[1]
        agent = "qwen-code" if kind == "qwen" else self._session.agent
        self._session = replace(self._session, model=model, cwd=cwd, agent=agent)

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
        elif kind in _REPLY:
            yield from self._reply(message, content, stamp)
        else:
            text = _words(content)
            if text.strip():
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
        shown = _SERVER.search(string(call, "displayName"))
        server = shown[1] if shown else None
        yield self._conversation.call_event(call, call.get("args"), stamp, server=server)
        status = string(call, "status")
        answer = Answer(
            name=string(call, "name"),
            call_id=string(call, "id") or None,
            native_status=status or None,
            display=call.get("resultDisplay"),
            agent_id=string(call, "agentId"),
        )
        ended = string(call, "timestamp") or stamp
        response = _response(call)
        if response is None and status in _ENDED:
            response = {}
        if response is not None:
            yield from self._conversation.response_events(response, ended, answer)


def _project_root(path: Path) -> str | None:
    """The folder a chat is about, from the note that later versions keep above `chats`."""
    for folder in list(path.parents)[1:3]:  # a subagent's file lies one deeper
        try:
            with (folder / ".project_root").open("rb") as file:
                return file.read(_MAX_PATH_BYTES).decode().strip() or None
        except (OSError, ValueError):
            continue
    return None


def _response(call: Record) -> Record | None:
    """The response to a call, where the list has those of the calls beside it too."""
    parts = list(parts_of(call.get("result")))
    found = [mapping(part["functionResponse"]) for part in parts if "functionResponse" in part]
    if not found and (text := _words(call.get("result"))):
        found = [{"response": {"output": text}}]
    call_id = string(call, "id")
    own = [one for one in found if string(one, "id") in {call_id, ""}]
    return with_files(own[0], parts) if own else None


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
