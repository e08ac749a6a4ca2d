"""Messages inside spans and log records, in the shapes that instrumentations write them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from hindsight_cli.capture.draft import DraftEvent
from hindsight_cli.capture.formats.atif_document import dicts_in
from hindsight_cli.capture.formats.otlp_signals import Signal, parsed, text_in
from hindsight_cli.capture.formats.otlp_state import Conversation, remember
from hindsight_cli.records.event import EventType
from hindsight_cli.records.jsonvalue import JsonValue

Message = Mapping[str, JsonValue]
_INPUTS = ("gen_ai.input.messages", "gen_ai.prompt")
_OUTPUTS = ("gen_ai.output.messages", "gen_ai.completion")
# One event a message, as conventions before 1.37 had it.
_ROLES = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
    "gen_ai.choice": "assistant",
}


def is_message(name: str) -> bool:
    return name in _ROLES


def messages_in(signal: Signal, *, with_answers: bool) -> Iterator[Message]:
    """The messages of a request in order, then, with `with_answers`, those of its reply."""
    instructions = parsed(signal.attributes.get("gen_ai.system_instructions"))
    if isinstance(instructions, list):
        yield {"role": "system", "content": [_block(part) for part in dicts_in(instructions)]}
    for name, attributes in signal.events:
        if name in _ROLES and (with_answers or name != "gen_ai.choice"):
            yield _old_message(name, attributes)
    for keys, wanted in ((_INPUTS, True), (_OUTPUTS, with_answers)):
        listed = next((v for k in keys if (v := parsed(signal.attributes.get(k)))), None)
        for message in dicts_in(listed) if wanted else []:
            yield _message(message)


def message_of(signal: Signal) -> Message:
    """The message that a log record is."""
    body = parsed(signal.body)
    told = {**signal.attributes, **(body if isinstance(body, dict) else {"content": body})}
    return _old_message(signal.name, told)


def _old_message(name: str, told: Message) -> Message:
    inner = parsed(told.get("message"))
    body = {**told, **inner} if isinstance(inner, dict) else told
    keys = ("content", "tool_calls", "id", "name", "reasoning_content")
    kept = {key: parsed_list(body[key]) for key in keys if body.get(key) is not None}
    if kept.get("tool_calls") is not None and not isinstance(kept["tool_calls"], list):
        del kept["tool_calls"]
    return {"role": _ROLES[name], **kept}


def parsed_list(value: JsonValue) -> JsonValue:
    found = parsed(value)
    return found if isinstance(found, list) else value


def _message(message: Message) -> Message:
    """A message with `parts` as one with content blocks; any other as it is."""
    parts = message.get("parts")
    if not isinstance(parts, list):
        return message
    role = message.get("role")
    return {
        "role": "user" if role == "tool" else role if isinstance(role, str) else "user",
        "content": [_block(part) for part in dicts_in(parts)],
    }


def _block(part: Message) -> Message:
    kind, content = part.get("type"), part.get("content")
    if kind == "tool_call":
        call = {"id": part.get("id"), "name": part.get("name"), "input": part.get("arguments")}
        return {"type": "tool_use", **call}
    if kind == "tool_call_response":
        answer = part.get("response", part.get("result"))
        return {"type": "tool_result", "tool_use_id": part.get("id"), "content": text_in(answer)}
    if kind in ("reasoning", "thinking"):
        return {"type": "thinking", "thinking": text_in(content)}
    if kind == "text":
        return {"type": "text", "text": text_in(content)}
    return part


def message_events(
    message: Message, conversation: Conversation, time: str | None
) -> list[DraftEvent]:
    """The events of a message, without calls and results that were told before."""
    kept = []
    for event in conversation.chat.events_of(message):
        known = {EventType.TOOL_CALL: conversation.called}.get(event.event_type)
        if event.event_type is EventType.TOOL_RESULT:
            known = conversation.answered
        if known is not None and event.call_id:
            if event.call_id in known:
                continue
            remember(known, event.call_id)
        conversation.has_task = conversation.has_task or event.event_type is EventType.TASK
        kept.append(replace(event, timestamp=event.timestamp or time))
    return kept
