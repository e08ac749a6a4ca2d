"""The messages that Gemini CLI and Qwen Code share: parts with texts, calls and responses.

Source: `Content` and `Part` of the Gemini API; docs/reference/native-formats.md.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import replace

from hindsight_cli.capture import status_phrases as phrases
from hindsight_cli.capture.draft import Blob, DraftEvent
from hindsight_cli.capture.formats.calls import CallMemory, call_of
from hindsight_cli.capture.formats.gemini_parts import Record, blob_of, parts_of, string, with_files
from hindsight_cli.capture.formats.gemini_results import Answer, result_event
from hindsight_cli.capture.formats.injected_text import (
    split_injected,
)
from hindsight_cli.records.event import Actor, EventType, ToolKind
from hindsight_cli.records.jsonvalue import JsonValue

_MAX_ANSWERED = 50_000
_FILES_BEGIN = "--- Content from referenced files ---"
_FILES_END = "--- End of content ---"
_SUMMARY = re.compile(r"\s*<(?:state_snapshot|compressed_chat)\b")
_COMMAND = re.compile(r"\s*[/?]([a-z][a-z-]*)\b(?!/)")
# Commands of the programs themselves; any other slash command asks for work.
_SESSION_COMMANDS = frozenset(
    {"about", "agents", "approval-mode", "auth", "bug", "chat", "clear", "compress", "config"}
    | {"context", "copy", "corgi", "directory", "dir", "docs", "editor", "exit", "export"}
    | {"extensions", "footer", "help", "history", "hooks", "ide", "language", "logout", "lsp"}
    | {"mcp", "memory", "model", "permissions", "policies", "privacy", "quit", "rename"}
    | {"restore", "resume", "rewind", "settings", "setup-github", "shells", "shortcuts"}
    | {"skills", "stats", "status", "statusline", "tasks", "terminal-setup", "theme", "tools"}
    | {"trust", "upgrade", "usage", "vim"}
)


class Conversation:
    """One session: which calls it made, which were answered, whether its task was said."""

    def __init__(self) -> None:
        self._calls = CallMemory()
        self._answered: OrderedDict[str, None] = OrderedDict()
        self.has_task = False

    # what a person says, and what comes with it

    def user_events(
        self, content: JsonValue, timestamp: str | None, *, display: JsonValue = None
    ) -> Iterator[DraftEvent]:
        """The events of a user message, in order; `display` is what was typed, if recorded."""
        typed = "".join(string(part, "text") for part in parts_of(display)).strip()
        if typed:
            yield from self._spoken(typed, timestamp)
        parts = list(parts_of(content))
        # Beside a tool's response nobody speaks: it is the tool, or the program about it.
        is_added = bool(typed) or any("functionResponse" in part for part in parts)
        added: list[str] = []
        is_file = False
        for part in parts:
            text = string(part, "text").strip()
            response = part.get("functionResponse")
            if isinstance(response, dict):
                yield from self.response_events(with_files(response, parts), timestamp)
            elif text and text != typed:
                is_file = is_file or text.startswith(_FILES_BEGIN)
                if is_added or is_file:
                    added.append(text)
                else:
                    yield from self._spoken(text, timestamp)
                is_file = is_file and not text.endswith(_FILES_END)
            elif (blob := blob_of(part)) and not is_added:
                yield _blob_event(blob, timestamp, Actor.USER)
        if added:
            text = "\n".join(added)
            yield _event(EventType.MESSAGE, Actor.SYSTEM, text, timestamp, injected=True)

    def _spoken(self, text: str, timestamp: str | None) -> Iterator[DraftEvent]:
        if _SUMMARY.match(text):
            yield _event(EventType.COMPACTION, Actor.SYSTEM, text, timestamp, injected=True)
            return
        command = _COMMAND.match(text)
        if command and command[1] in _SESSION_COMMANDS and "\n" not in text.strip():
            yield _event(EventType.MESSAGE, Actor.SYSTEM, text, timestamp, injected=True)
            return
        for part, injected in split_injected(text):
            if injected:
                yield _event(EventType.MESSAGE, Actor.SYSTEM, part, timestamp, injected=True)
            else:
                kind = EventType.MESSAGE if self.has_task else EventType.TASK
                self.has_task = True
                yield _event(kind, Actor.USER, part, timestamp)

    # what the model says and asks for

    def model_events(
        self, content: JsonValue, timestamp: str | None, *, with_thoughts: bool = True
    ) -> Iterator[DraftEvent]:
        """The events of a reply: thoughts, then words, then calls."""
        parts = list(parts_of(content))
        thoughts = [string(part, "text") for part in parts if part.get("thought") is True]
        if with_thoughts:
            yield from (reasoning(text, timestamp) for text in thoughts if text.strip())
        words = [string(part, "text") for part in parts if part.get("thought") is not True]
        if text := "".join(words).strip():
            yield _event(EventType.MESSAGE, Actor.AGENT, text, timestamp)
        for part in parts:
            call = part.get("functionCall")
            if isinstance(call, dict):
                yield self.call_event(call, call.get("args"), timestamp)
            elif blob := blob_of(part):
                yield _blob_event(blob, timestamp, Actor.AGENT)

    def call_event(
        self,
        call: Record,
        arguments: JsonValue,
        timestamp: str | None,
        *,
        server: str | None = None,
    ) -> DraftEvent:
        """A call; of a tool of the MCP `server`, where the program names that apart."""
        made = call_of(string(call, "name"), arguments)
        if server:
            made = replace(made, kind=ToolKind.MCP, server=server)
        call_id = string(call, "id") or None
        if call_id:
            self._calls.add(call_id, made)
            self._answered.pop(call_id, None)
        return DraftEvent(
            event_type=EventType.TOOL_CALL,
            actor=Actor.AGENT,
            timestamp=timestamp,
            tool_name=made.name,
            tool_kind=made.kind,
            server=made.server,
            call_id=call_id,
            input=arguments,
        )

    # what tools answer

    def response_events(
        self, response: Record, timestamp: str | None, answer: Answer | None = None
    ) -> Iterator[DraftEvent]:
        """The result that a `functionResponse` is; nothing when its call is answered already."""
        call_id = string(response, "id") or (answer.call_id if answer else None)
        if call_id in self._answered:
            return
        if call_id:
            self._answered[call_id] = None
            if len(self._answered) > _MAX_ANSWERED:
                self._answered.popitem(last=False)
        answer = answer or Answer(name=string(response, "name"), call_id=call_id)
        call = self._calls.find(call_id) if call_id else None
        call = call or call_of(answer.name or string(response, "name"), None)
        yield result_event(call, call_id, response, answer, timestamp)


def notice(text: str, timestamp: str | None, error_type: str | None = None) -> DraftEvent:
    """What the program told the person; neither the task nor evidence."""
    return DraftEvent(
        event_type=EventType.OTHER,
        actor=Actor.SYSTEM,
        timestamp=timestamp,
        text=text,
        error_type=error_type,
        injected=True,
    )


def api_error_type(text: str) -> str:
    """Whether a failed request to the model failed on the network or at the API."""
    return "network" if phrases.NETWORK.search(text) else "api"


def rewind_event(target: str, timestamp: str | None) -> DraftEvent:
    """A person went back: what was said and done since is abandoned."""
    return DraftEvent(
        event_type=EventType.OTHER,
        actor=Actor.USER,
        timestamp=timestamp,
        text="went back to an earlier message",
        injected=True,
        extra={"rewound_to": target} if target else {},
    )


def abandoned(events: Iterable[DraftEvent]) -> tuple[DraftEvent, ...]:
    """Events of a branch that a person left."""
    return tuple(replace(event, extra={**event.extra, "branch": "abandoned"}) for event in events)


def reasoning(text: str, timestamp: str | None) -> DraftEvent:
    return _event(EventType.REASONING, Actor.AGENT, text, timestamp)


def _event(
    kind: EventType, actor: Actor, text: str, timestamp: str | None, *, injected: bool = False
) -> DraftEvent:
    return DraftEvent(
        event_type=kind, actor=actor, timestamp=timestamp, text=text, injected=injected
    )


def _blob_event(blob: Blob, timestamp: str | None, actor: Actor) -> DraftEvent:
    return DraftEvent(
        event_type=EventType.MESSAGE,
        actor=actor,
        timestamp=timestamp,
        text=f"[{blob.mime}, {len(blob.data)} bytes]",
        blobs=(blob,),
    )
