"""Spans of agents as events: GenAI conventions, OpenInference, Claude Code's own.

A span is written when it ends, so those of a file are put in the order in which they began.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from hindsight_cli.capture.draft import Draft, DraftEvent
from hindsight_cli.capture.formats.otlp_messages import message_events, messages_in
from hindsight_cli.capture.formats.otlp_signals import (
    Signal,
    flag_of,
    iso_of,
    number_of,
    parsed,
    text_in,
)
from hindsight_cli.capture.formats.otlp_state import (
    Conversation,
    Conversations,
    call_event,
    draft_of,
    remember,
    spoken,
)
from hindsight_cli.capture.formats.results import Said, denied_result, judged_result
from hindsight_cli.capture.status import ToolOutput, derive_status, error_type_of
from hindsight_cli.capture.toolkinds import tool_kind
from hindsight_cli.records.event import Actor, EventType, ToolKind
from hindsight_cli.records.jsonvalue import JsonValue

MAX_HELD = 50_000
MAX_HELD_CHARS = 64_000_000  # requests repeat all messages before them
_MAX_DEPTH = 100
_CLAUDE = "claude_code."
_NAMES = ("gen_ai.tool.name", "tool_name", "tool.name", "traceloop.entity.name")
_IDS = ("gen_ai.tool.call.id", "tool_use_id", "tool_call.id")
_ARGUMENTS = (
    *("gen_ai.tool.call.arguments", "tool_input", "tool.parameters", "input.value"),
    "traceloop.entity.input",
)
_RESULTS = ("gen_ai.tool.call.result", "tool_output", "output.value", "traceloop.entity.output")
_OUTPUT_KEYS = ("output", "content", "new_context")
_TOKENS = {
    "gen_ai.usage.input_tokens": "input_tokens",
    "gen_ai.usage.output_tokens": "output_tokens",
    "gen_ai.usage.cache_read.input_tokens": "cache_read_input_tokens",
    "gen_ai.usage.prompt_tokens": "input_tokens",
    "gen_ai.usage.completion_tokens": "output_tokens",
    "input_tokens": "input_tokens",
    "output_tokens": "output_tokens",
    "cache_read_tokens": "cache_read_input_tokens",
    "cache_creation_tokens": "cache_creation_input_tokens",
}
_KINDS = ("openinference.span.kind", "traceloop.span.kind")
_REPLIES = frozenset({"chat", "generate_content", "text_completion", "llm", "llm_request"})


def role_of(span: Signal) -> str:
    """What a span is of: "tool", "chat", "agent", or "" for any other."""
    if span.name.startswith(_CLAUDE):
        own = span.name.removeprefix(_CLAUDE)
        return {"tool": "tool", "interaction": "agent", "llm_request": "chat"}.get(own, "")
    operation = span.text("gen_ai.operation.name").lower()
    kind = span.text(*_KINDS).lower()
    if operation == "execute_tool" or kind == "tool":
        return "tool"
    if operation in _REPLIES or kind == "llm":
        return "chat"
    return "agent" if operation == "invoke_agent" or kind == "agent" else ""


@dataclass(slots=True)
class SpanReader:
    """Holds the spans of a file, up to a bound, and tells them in order."""

    conversations: Conversations
    held: list[Signal] = field(default_factory=list)
    held_chars: int = 0
    by_id: dict[str, Signal] = field(default_factory=dict)
    inside: dict[str, list[Signal]] = field(default_factory=lambda: defaultdict(list))

    def drafts(self, span: Signal) -> Iterator[Draft]:
        self.held.append(span)
        self.held_chars += sum(len(v) for v in span.attributes.values() if isinstance(v, str))
        if len(self.held) >= MAX_HELD or self.held_chars >= MAX_HELD_CHARS:
            yield from self.rest()

    def rest(self) -> Iterator[Draft]:
        """Every span held, in the order of their beginnings, outer ones first."""
        for span in self.held:
            self.by_id[_key(span, span.span_id)] = span
            self.inside[_key(span, span.parent_id)].append(span)
            self.conversations.note(span)
        depths = {id(span): sum(1 for _ in self._above(span)) for span in self.held}
        for span in sorted(self.held, key=lambda span: (span.start or 0, depths[id(span)])):
            yield self._draft(span)
        self.held.clear()
        self.held_chars = 0
        self.by_id.clear()
        self.inside.clear()

    def _draft(self, span: Signal) -> Draft:
        conversation = self._conversation(span)
        events: list[DraftEvent] = []
        role = role_of(span)
        if role == "tool":
            events = self._tool(span, conversation)
        elif role:
            _count(span, conversation, is_reply=role == "chat")
            events = _words(span, conversation)
        return draft_of(span, conversation, f"{span.trace_id}/{span.span_id}", *events)

    # sessions

    def _conversation(self, span: Signal) -> Conversation:
        """The session of a span: that of the subagent, or of the agent, that it lies in."""
        outer = self.conversations.of(span)
        # A tool that is an agent is called by the one outside; what lies in it is its own.
        agent = span if role_of(span) == "agent" and _is_agent(span) else None
        call_id = ""
        for one in self._above(span):
            if agent is not None and role_of(one) == "agent":
                return self.conversations.inside(outer, agent.span_id, call_id, span)
            agent = agent or (one if _is_agent(one) else None)
            if agent is not None and role_of(one) == "tool":
                call_id = call_id or one.text(*_IDS)
        return outer

    def _above(self, span: Signal) -> Iterator[Signal]:
        for _ in range(_MAX_DEPTH):
            parent = self.by_id.get(_key(span, span.parent_id)) if span.parent_id else None
            if parent is None or parent is span:
                return
            yield parent
            span = parent

    # calls

    def _tool(self, span: Signal, conversation: Conversation) -> list[DraftEvent]:
        name, call_id = span.text(*_NAMES), span.text(*_IDS)
        given = next((v for k in _ARGUMENTS if (v := span.attributes.get(k)) is not None), None)
        event, call = call_event(name, _arguments(span, given), call_id, span.time)
        events = [] if call_id and call_id in conversation.called else [event]
        if call_id:
            remember(conversation.called, call_id)
        below = [one for one in self.inside.get(_key(span, span.span_id), []) if one is not span]
        text, error_class = _output(span, below), span.text("error.type", "error_type")
        said: Said = {
            "timestamp": _end_of(span),
            "text": text,
            "call_id": call_id or None,
            "duration_ms": span.duration_ms,
            "extra": {"error_class": error_class} if error_class else {},
        }
        refused = next((one for one in below if one.text("decision") == "reject"), None)
        if refused is not None:
            by_user = refused.text("source") not in ("config", "hook", "policy")
            return [*events, denied_result(call, by_user=by_user, **said)]
        if call_id and call_id in conversation.answered:
            return events
        if call_id:
            remember(conversation.answered, call_id)
        flag = _flag(span, below)
        code = number_of(span.attributes.get("process.exit.code"))
        output = ToolOutput(
            text=text,
            tool_kind=call.kind,
            command=call.command,
            flag=flag,
            exit_code=None if code is None else int(code),
        )
        return [*events, judged_result(call, derive_status(output), **said)]


def _key(span: Signal, span_id: str) -> str:
    return f"{span.trace_id}/{span_id}"


def _is_agent(span: Signal) -> bool:
    """Whether a span is an agent's run, so that one inside another is a subagent's."""
    if span.name == f"{_CLAUDE}tool":
        return tool_kind(span.text("tool_name")) is ToolKind.SUBAGENT
    return span.text("gen_ai.operation.name") == "invoke_agent"


def _arguments(span: Signal, given: JsonValue) -> JsonValue:
    arguments = parsed(given)
    if arguments is not None:
        return arguments
    told = {"command": span.text("full_command", "process.command_line")}
    told["file_path"] = span.text("file_path")
    return {key: value for key, value in told.items() if value} or None


def _flag(span: Signal, below: list[Signal]) -> bool | None:
    """Whether the call failed: told by itself, or by the part of it that ran."""
    for one in (span, *below):
        success = flag_of(one.attributes.get("success"))
        if one.failed or success is False or one.text("error.type"):
            return True
    told = [flag_of(one.attributes.get("success")) for one in (span, *below)]
    return False if True in told else None


def _output(span: Signal, below: list[Signal]) -> str:
    for key in _RESULTS:
        if span.attributes.get(key) is not None:
            return text_in(span.attributes[key])
    for name, attributes in span.events:
        if name == "tool.output":
            found = next((v for k in _OUTPUT_KEYS if isinstance(v := attributes.get(k), str)), "")
            if found:
                return found
    for one in (span, *below):
        for name, attributes in one.events:
            if name == "exception" and isinstance(attributes.get("exception.message"), str):
                return str(attributes["exception.message"])
        if text := one.text("error") or (one.message if one.failed else ""):
            return text
    return ""


def _end_of(span: Signal) -> str | None:
    return iso_of(span.end) or span.time


# words


def _count(span: Signal, conversation: Conversation, *, is_reply: bool) -> None:
    if not is_reply:
        return
    counted = {
        ours: int(number)
        for key, ours in _TOKENS.items()
        if (number := number_of(span.attributes.get(key))) is not None
    }
    conversation.usage = counted or conversation.usage


def _words(span: Signal, conversation: Conversation) -> list[DraftEvent]:
    if span.name == f"{_CLAUDE}interaction":
        return spoken(span.text("user_prompt"), span.time, conversation)
    events: list[DraftEvent] = []
    for message in messages_in(span, with_answers=role_of(span) == "chat"):
        if conversation.is_new(message):
            events += message_events(message, conversation, span.time)
    if role_of(span) == "chat" and _flag(span, []):
        events.append(_failed_request(span))
    return events


def _failed_request(span: Signal) -> DraftEvent:
    text = _output(span, []) or span.text("error.type")
    return DraftEvent(
        event_type=EventType.OTHER,
        actor=Actor.SYSTEM,
        timestamp=_end_of(span),
        text=text,
        error_type="network" if error_type_of(text) == "network" else "api",
    )
