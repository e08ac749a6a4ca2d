"""SWE-agent's `history`, and data sets made of it, as steps: a reply and what came of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from hindsight_cli.capture.draft import Problem
from hindsight_cli.capture.formats.content import blocks_of, text_of
from hindsight_cli.capture.formats.jsonlines_reader import parse_json
from hindsight_cli.capture.formats.swe_agent_text import (
    is_demonstration,
    observed_in,
    split_reply,
)
from hindsight_cli.records.jsonvalue import JsonValue

_REPLYING = frozenset({"assistant", "ai"})
_MAX_SECONDS = 10**7
_STEP_KEYS = frozenset({"action", "observation", "response", "thought"})

Message = Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One turn of the agent, wherever the file has it."""

    reply: str = ""
    thought: str = ""
    reasoning: str = ""
    action: str = ""
    call: tuple[str, JsonValue, str | None] | None = None  # name, arguments, id
    observation: str | None = None  # None: nothing came back
    content: JsonValue = None  # of the observation, where it may hold pictures
    duration_ms: int | None = None
    cwd: str | None = None
    prompt: str | None = None  # a requery: what the model was told before this reply
    raw: JsonValue = field(default=None, compare=False)  # what identifies the step


def text_in(message: Message) -> str:
    for key in ("content", "text", "system_prompt"):
        if message.get(key) is not None:
            return text_of(message[key])
    return ""


def role_of(message: Message) -> str:
    role = message.get("role")
    return role if isinstance(role, str) else ""


def is_demo(message: Message) -> bool:
    return bool(message.get("is_demo")) or is_demonstration(text_in(message))


def is_reply(message: JsonValue) -> bool:
    """Whether a message is the agent's own, and not from a demonstration."""
    return isinstance(message, dict) and role_of(message) in _REPLYING and not is_demo(message)


def is_step(value: JsonValue) -> bool:
    return isinstance(value, dict) and "role" not in value and bool(_STEP_KEYS & value.keys())


def step_of(value: Message) -> Step:
    """A step of a `trajectory`."""
    observation = value.get("observation")
    reply, action = _string(value, "response"), _string(value, "action")
    return Step(
        reply=reply,
        thought=_string(value, "thought") or (split_reply(reply)[0] if action else reply),
        reasoning=_reasoning(value),
        action=action,
        observation=None if observation is None else text_of(observation),
        content=observation,
        duration_ms=_milliseconds(value.get("execution_time")),
        cwd=_cwd(value.get("state")),
        prompt=_requery(value),
        raw={k: v for k, v in value.items() if k not in ("query", "messages")},
    )


def steps_in(messages: Iterable[JsonValue | Problem]) -> Iterator[Step | Problem | JsonValue]:
    """The steps of a chat behind its opening; what is no message is passed on as it is."""
    pending: Step | None = None
    for message in messages:
        if isinstance(message, Problem) or not isinstance(message, dict):
            yield message
        elif is_reply(message):
            if pending is not None:
                yield pending
            pending = _reply(message)
        elif pending is not None:
            yield _answered(pending, message)
            pending = None
        else:
            yield Step(observation=observed_in(text_in(message)), raw=message)
    if pending is not None:
        yield pending


def _reply(message: Message) -> Step:
    text = text_in(message)
    words, fenced = split_reply(text)
    action, call = _string(message, "action"), _call(message)
    if "action" not in message and call is None:
        action = fenced
    return Step(
        reply=text,
        thought=_string(message, "thought") or (words if fenced else text),
        reasoning=_reasoning(message),
        action=action,
        call=call,
        raw=[dict(message)],
    )


def _answered(step: Step, message: Message) -> Step:
    content = message.get("content", message.get("text"))
    raw = [*(step.raw if isinstance(step.raw, list) else []), dict(message)]
    return Step(
        reply=step.reply,
        thought=step.thought,
        reasoning=step.reasoning,
        action=step.action,
        call=step.call,
        observation=observed_in(text_in(message)),
        content=content,
        raw=raw,
    )


def _call(message: Message) -> tuple[str, JsonValue, str | None] | None:
    calls = message.get("tool_calls")
    first = calls[0] if isinstance(calls, list) and calls else None
    if not isinstance(first, dict):
        return None
    function = first.get("function")
    body = function if isinstance(function, dict) else first
    arguments, call_id = body.get("arguments"), first.get("id")
    if isinstance(arguments, str):
        with suppress(ValueError, RecursionError):
            arguments = parse_json(arguments)
    return _string(body, "name"), arguments, call_id if isinstance(call_id, str) else None


def _string(value: Message, key: str) -> str:
    found = value.get(key)
    return found if isinstance(found, str) else ""


def _milliseconds(seconds: JsonValue) -> int | None:
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        return None
    return round(seconds * 1000) if 0 < seconds < _MAX_SECONDS else None


def _reasoning(value: Message) -> str:
    if written := _string(value, "reasoning_content"):
        return written
    blocks = blocks_of(value.get("thinking_blocks"))
    return "\n".join(found for block in blocks if (found := _string(block, "thinking")))


def _cwd(state: JsonValue) -> str | None:
    if isinstance(state, str):
        try:
            state = parse_json(state)
        except (ValueError, RecursionError):
            return None
    folder = state.get("working_dir") if isinstance(state, dict) else None
    return folder if isinstance(folder, str) and folder else None


def _requery(value: Message) -> str | None:
    """What the model was told because its reply before could not be used."""
    asked = value.get("query", value.get("messages"))
    last = asked[-1] if isinstance(asked, list) and asked else None
    if isinstance(last, dict) and last.get("message_type") == "user":
        return text_in(last)
    return None
