"""The messages of a pi or OpenClaw session as events."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime

from hindsight_cli.capture.draft import DraftEvent
from hindsight_cli.capture.formats.calls import call_of
from hindsight_cli.capture.formats.content import (
    blobs_of,
    block_text,
    blocks_of,
    take_out_encoded,
    text_of,
    type_of,
)
from hindsight_cli.capture.formats.injected_text import split_injected
from hindsight_cli.capture.formats.openclaw_text import split_context
from hindsight_cli.capture.formats.pi_results import command_result, result_event
from hindsight_cli.capture.formats.pi_sessions import OPENCLAW, Conversation
from hindsight_cli.capture.status import error_type_of
from hindsight_cli.records.event import Actor, EventType
from hindsight_cli.records.jsonvalue import JsonValue

Message = Mapping[str, JsonValue]
_CALLS = frozenset({"toolCall", "tool_use", "toolUse"})
_SUMMARIES = frozenset({"branchSummary", "compactionSummary"})
_FROM_EXTENSION = frozenset({"custom", "hookMessage"})
# How a reply can end otherwise than by an answer or calls.
_CUT = {"error": "failed", "aborted": "aborted", "length": "limits exceeded"}
# Skills and files that pi wrote out before the words of the person.
_WRITTEN_OUT = re.compile(
    r"\s*<(?P<tag>skill|file) name=\"[^\"\n]*\"[^>\n]*>.*?</(?P=tag)>\s*", re.DOTALL
)


class BrokenRecordError(Exception):
    """An entry of a known type without the body that type has."""


def events_of_message(
    message: Message, time: str | None, conversation: Conversation
) -> Iterator[DraftEvent]:
    """The events of a message of any role, in order.

    Raises:
        BrokenRecordError: it has no role, or no content.
    """
    role = message.get("role")
    time = time or _time_of(message)
    if not isinstance(role, str):
        raise BrokenRecordError("whose message has no role")
    if role == "bashExecution":
        yield from _typed_command(message, time, conversation)
    elif role in _SUMMARIES:
        text = text_of(message.get("summary"))
        yield event(EventType.COMPACTION, Actor.SYSTEM, time, text, injected=True)
    elif "content" not in message and not isinstance(message.get("errorMessage"), str):
        raise BrokenRecordError("whose message has no content")
    elif role == "user":
        yield from _user_events(message, time, conversation)
    elif role == "assistant":
        yield from _assistant_events(message, time, conversation)
    elif role == "toolResult":
        yield result_event(message, time, conversation)
    else:
        kind = EventType.MESSAGE if role in _FROM_EXTENSION else EventType.OTHER
        text, blobs = text_of(message.get("content")), blobs_of(message.get("content"))
        yield replace(event(kind, Actor.SYSTEM, time, text, injected=True), blobs=blobs)


def event(
    event_type: EventType, actor: Actor, time: str | None, text: str, *, injected: bool = False
) -> DraftEvent:
    return DraftEvent(
        event_type=event_type, actor=actor, timestamp=time, text=text, injected=injected
    )


def is_from_harness(message: Message) -> bool:
    """Whether OpenClaw itself wrote what has an assistant's role: notices, copies of deliveries."""
    return message.get("provider") == OPENCLAW


def _time_of(message: Message) -> str | None:
    """The time a message itself names, in milliseconds since 1970."""
    stamp = message.get("timestamp")
    if isinstance(stamp, str):
        return stamp or None
    if not isinstance(stamp, int | float) or isinstance(stamp, bool):
        return None
    try:
        moment = datetime.fromtimestamp(stamp / 1000, UTC)
    except (OverflowError, OSError, ValueError):
        return None
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


# what the person said and typed


def _user_events(
    message: Message, time: str | None, conversation: Conversation
) -> Iterator[DraftEvent]:
    for block in blocks_of(message.get("content")):
        blobs = blobs_of([block])
        if blobs or "image" in type_of(block):
            picture = event(EventType.MESSAGE, Actor.USER, time, f"[{type_of(block)}]")
            yield replace(picture, blobs=blobs)
        else:
            yield from _spoken(block_text(block), time, conversation)


def _spoken(text: str, time: str | None, conversation: Conversation) -> Iterator[DraftEvent]:
    """What a person said, apart from what a harness put round it."""
    while written := _WRITTEN_OUT.match(text):
        yield event(EventType.MESSAGE, Actor.SYSTEM, time, written.group().strip(), injected=True)
        text = text[written.end() :]
    text, encoded = take_out_encoded(text)
    for part, injected in _parts(text, conversation):
        if injected:
            yield event(EventType.MESSAGE, Actor.SYSTEM, time, part, injected=True)
            continue
        kind = EventType.MESSAGE if conversation.has_task else EventType.TASK
        conversation.has_task = True
        yield replace(event(kind, Actor.USER, time, part), blobs=encoded)
        encoded = ()


def _parts(text: str, conversation: Conversation) -> Iterator[tuple[str, bool]]:
    """The parts of a user message, each with whether a harness wrote it."""
    if conversation.session.agent != OPENCLAW:
        yield from split_injected(text)
        return
    for part, injected in split_context(text):
        if injected:
            yield part, True
        else:
            yield from split_injected(part)


def _typed_command(
    message: Message, time: str | None, conversation: Conversation
) -> Iterator[DraftEvent]:
    """A command that the person ran: a call of theirs, with its result."""
    command = message.get("command")
    if not isinstance(command, str):
        raise BrokenRecordError("without a command")
    arguments: JsonValue = {"command": command}
    call = call_of("bash", arguments)
    yield DraftEvent(
        event_type=EventType.TOOL_CALL,
        actor=Actor.USER,
        timestamp=time,
        tool_name=call.name,
        tool_kind=call.kind,
        input=arguments,
    )
    yield command_result(message, time, call)


# what the model said and called


def _assistant_events(
    message: Message, time: str | None, conversation: Conversation
) -> Iterator[DraftEvent]:
    if is_from_harness(message):
        text = text_of(message.get("content"))
        yield event(EventType.OTHER, Actor.SYSTEM, time, text, injected=True)
        return
    for block in blocks_of(message.get("content")):
        kind = type_of(block)
        if kind in _CALLS:
            yield _call_event(block, time, conversation)
        elif kind == "thinking":
            thought = block.get("thinking")
            if isinstance(thought, str) and thought.strip():
                yield event(EventType.REASONING, Actor.AGENT, time, thought)
        elif (text := block_text(block)).strip():
            blobs = blobs_of([block])
            yield replace(event(EventType.MESSAGE, Actor.AGENT, time, text), blobs=blobs)
    broken = list(_cut_off(message, time))
    conversation.broken = bool(broken)
    yield from broken


def _call_event(block: Message, time: str | None, conversation: Conversation) -> DraftEvent:
    name, call_id = block.get("name"), block.get("id")
    name = name if isinstance(name, str) else ""
    arguments = block.get("arguments", block.get("input"))
    call = call_of(name, arguments)
    if isinstance(call_id, str) and call_id:
        conversation.calls.add(call_id, call)
    return DraftEvent(
        event_type=EventType.TOOL_CALL,
        actor=Actor.AGENT,
        timestamp=time,
        tool_name=name,
        tool_kind=call.kind,
        server=call.server,
        call_id=call_id if isinstance(call_id, str) and call_id else None,
        input=arguments,
    )


def _cut_off(message: Message, time: str | None) -> Iterator[DraftEvent]:
    """The end of a turn that broke off: an error on the way to the model, or the person."""
    reason, error = message.get("stopReason"), message.get("errorMessage")
    state = _CUT.get(reason) if isinstance(reason, str) else None
    text = error if isinstance(error, str) else ""
    if state is None:
        return
    failed = state == "failed"
    network = failed and error_type_of(text) == "network"
    yield replace(
        event(EventType.END, Actor.SYSTEM, time, text),
        error_type=("network" if network else "api") if failed else None,
        extra={"end_state": state},
    )
