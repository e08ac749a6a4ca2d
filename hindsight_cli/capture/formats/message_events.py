"""One chat message as events, whichever API it was written for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from hindsight_cli.capture.draft import DraftEvent
from hindsight_cli.capture.formats.calls import OpenCalls, call_of
from hindsight_cli.capture.formats.content import (
    blobs_of,
    block_text,
    blocks_of,
    take_out_encoded,
    text_of,
    type_of,
)
from hindsight_cli.capture.formats.injected_text import split_injected
from hindsight_cli.capture.formats.jsonlines_reader import parse_json
from hindsight_cli.capture.formats.results import judged_result
from hindsight_cli.capture.status import ToolOutput, derive_status
from hindsight_cli.records.event import Actor, EventType
from hindsight_cli.records.jsonvalue import JsonValue

_ASSISTANT = frozenset({"assistant", "ai", "gpt", "model"})
_TOOL = frozenset({"tool", "function", "observation", "ipython"})
_INSTRUCTING = frozenset({"system", "developer"})
_CALL_ITEMS = frozenset({"function_call", "custom_tool_call", "local_shell_call"})
_REASONING_KEYS = ("reasoning_content", "reasoning")
# Agents that speak in text alone get the world's answers as user messages.
_OBSERVED = re.compile(
    r"\A\s*(?:observation:|<returncode>|<output>|the output of the \w+:|execution result)"
    r"|\nbash-\$\s*\Z",
    re.IGNORECASE,
)
_CONTENT_KEYS = ("content", "text", "value", "system_prompt")


def calls_tool(message: JsonValue) -> bool:
    """Whether a message makes at least one tool call."""
    if not isinstance(message, dict):
        return False
    if message.get("tool_calls") or message.get("function_call"):
        return True
    if type_of(message) in _CALL_ITEMS:
        return True
    return any(type_of(block) == "tool_use" for block in blocks_of(message.get("content")))


def role_of(message: Mapping[str, JsonValue]) -> str:
    """Who speaks, in lower case; "" where the message does not say."""
    role = message.get("role", message.get("from"))
    return role.lower() if isinstance(role, str) else ""


def _content(message: Mapping[str, JsonValue]) -> JsonValue:
    return next((message[key] for key in _CONTENT_KEYS if message.get(key) is not None), None)


def _string(message: Mapping[str, JsonValue], *keys: str) -> str | None:
    found = next((message[key] for key in keys if isinstance(message.get(key), str)), None)
    return found or None


def _arguments(value: JsonValue) -> JsonValue:
    """Arguments as the model wrote them, parsed where they are JSON."""
    if not isinstance(value, str):
        return value
    try:
        return parse_json(value)
    except (ValueError, RecursionError):
        return value


class Chat:
    """Turns the messages of one run into events, in order."""

    def __init__(self) -> None:
        self._calls = OpenCalls()
        self._turn = 0
        self._has_task = False

    def events_of(self, message: Mapping[str, JsonValue]) -> Iterator[DraftEvent]:
        kind, role = type_of(message), role_of(message)
        if kind in _CALL_ITEMS or role == "function_call":
            self._turn += 1
            yield self._item_call(message)
        elif kind.endswith("_output"):
            yield self._result(message, message.get("output"))
        elif kind == "reasoning":
            yield from self._thoughts(message, text_of(message.get("summary")))
        elif role in _ASSISTANT:
            self._turn += 1
            yield from self._assistant(message)
        elif role in _TOOL:
            yield from self._answers(message)
        elif role in _INSTRUCTING:
            text = text_of(_content(message))
            yield self._event(message, EventType.MESSAGE, Actor.SYSTEM, text, injected=True)
        else:
            yield from self._user(message)

    def _event(
        self,
        message: Mapping[str, JsonValue],
        event_type: EventType,
        actor: Actor,
        text: str,
        *,
        injected: bool = False,
    ) -> DraftEvent:
        return DraftEvent(
            event_type=event_type,
            actor=actor,
            timestamp=_string(message, "timestamp", "created_at"),
            text=text,
            injected=injected,
        )

    def _thoughts(self, message: Mapping[str, JsonValue], text: str) -> Iterator[DraftEvent]:
        if text.strip():
            yield self._event(message, EventType.REASONING, Actor.AGENT, text)

    def _assistant(self, message: Mapping[str, JsonValue]) -> Iterator[DraftEvent]:
        yield from self._thoughts(message, _string(message, *_REASONING_KEYS) or "")
        for block in blocks_of(_content(message)):
            kind = type_of(block)
            if kind in {"thinking", "reasoning"}:
                yield from self._thoughts(message, _string(block, "thinking", "text") or "")
            elif kind == "tool_use":
                yield self._call(message, block.get("name"), block.get("input"), block.get("id"))
            elif kind != "redacted_thinking" and (text := block_text(block)).strip():
                yield self._event(message, EventType.MESSAGE, Actor.AGENT, text)
        calls = message.get("tool_calls")
        for call in calls if isinstance(calls, list) else []:
            if isinstance(call, dict):
                function = call.get("function")
                body = function if isinstance(function, dict) else call
                arguments = body.get("arguments", body.get("args"))
                yield self._call(message, body.get("name"), arguments, call.get("id"))
        function = message.get("function_call")
        if isinstance(function, dict):
            yield self._call(message, function.get("name"), function.get("arguments"), None)

    def _item_call(self, item: Mapping[str, JsonValue]) -> DraftEvent:
        if type_of(item) == "local_shell_call":
            return self._call(item, "local_shell", item.get("action"), item.get("call_id"))
        body = item
        if role_of(item) == "function_call":
            written = _arguments(_content(item))
            body = written if isinstance(written, dict) else {"arguments": written}
        arguments = body.get("arguments", body.get("input"))
        return self._call(item, body.get("name"), arguments, item.get("call_id"))

    def _call(
        self,
        message: Mapping[str, JsonValue],
        name: JsonValue,
        written: JsonValue,
        call_id: JsonValue,
    ) -> DraftEvent:
        arguments = _arguments(written)
        call = call_of(name if isinstance(name, str) else "", arguments)
        known_id = call_id if isinstance(call_id, str) and call_id else None
        self._calls.add(self._turn, known_id, call)
        return DraftEvent(
            event_type=EventType.TOOL_CALL,
            actor=Actor.AGENT,
            timestamp=_string(message, "timestamp", "created_at"),
            tool_name=call.name,
            tool_kind=call.kind,
            server=call.server,
            call_id=known_id,
            input=arguments,
        )

    def _user(self, message: Mapping[str, JsonValue]) -> Iterator[DraftEvent]:
        for block in blocks_of(_content(message)):
            if type_of(block) == "tool_result":
                yield self._result(block, block.get("content"))
                continue
            for text, injected in split_injected(block_text(block)):
                if injected:
                    yield self._event(message, EventType.MESSAGE, Actor.SYSTEM, text, injected=True)
                elif self._has_task and _OBSERVED.search(text):
                    yield self._event(message, EventType.OBSERVATION, Actor.TOOL, text)
                else:
                    event_type = EventType.MESSAGE if self._has_task else EventType.TASK
                    self._has_task = True
                    yield self._event(message, event_type, Actor.USER, text)

    def _answers(self, message: Mapping[str, JsonValue]) -> Iterator[DraftEvent]:
        several = message.get("tool_messages")  # tau2: the answers of one turn together
        if isinstance(several, list):
            for answer in several:
                if isinstance(answer, dict):
                    yield self._result(answer, _content(answer))
        else:
            yield self._result(message, _content(message))

    def _result(self, message: Mapping[str, JsonValue], content: JsonValue) -> DraftEvent:
        call_id = _string(message, "tool_call_id", "tool_use_id", "call_id", "id")
        name = _string(message, "name")
        answered = self._calls.answer(call_id, name)
        call = answered[1] if answered else call_of(name or "", None)
        text, encoded = take_out_encoded(text_of(content))
        flagged = message.get("is_error") is True or message.get("error") is True
        verdict = derive_status(
            ToolOutput(
                text=text,
                tool_kind=call.kind,
                command=call.command,
                flag=True if flagged else None,  # nobody vouches for a result without a flag
            )
        )
        return judged_result(
            call,
            verdict,
            timestamp=_string(message, "timestamp", "created_at"),
            text=text,
            call_id=call_id or (answered[0] if answered else None),
            native_status="error" if flagged else None,
            blobs=blobs_of(content) + encoded,
        )
