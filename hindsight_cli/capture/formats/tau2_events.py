"""The messages and ticks of one tau2-bench simulation as events.

The simulated user has tools of its own: its calls are the user's, not the agent's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress

from hindsight_cli.capture.draft import DraftEvent
from hindsight_cli.capture.formats.calls import OpenCalls, call_of
from hindsight_cli.capture.formats.content import blobs_of, take_out_encoded, text_of
from hindsight_cli.capture.formats.injected_text import split_injected
from hindsight_cli.capture.formats.jsonlines_reader import parse_json
from hindsight_cli.capture.formats.results import judged_result
from hindsight_cli.capture.status import ToolOutput, derive_status
from hindsight_cli.records.event import Actor, EventType, Outcome
from hindsight_cli.records.jsonvalue import JsonValue

ROLES = frozenset({"system", "assistant", "user", "tool"})
_SIGNALS = re.compile(r"###(?:STOP|TRANSFER|OUT-OF-SCOPE)###")  # how the simulated user leaves
_STATES = {
    "user_stop": "completed",
    "agent_stop": "completed",
    "max_steps": "limits exceeded",
    "context_window_exceeded": "limits exceeded",
    "timeout": "timed out",
    "too_many_errors": "aborted",
    "agent_error": "crashed",
    "user_error": "crashed",
    "infrastructure_error": "crashed",
    "unexpected_error": "crashed",
}
# The benchmark itself leaves these out: what stopped them was not the agent.
_NOT_JUDGED = frozenset({"infrastructure_error", "context_window_exceeded"})
_SPEAKERS = (("agent", Actor.AGENT), ("user", Actor.USER))

Members = Mapping[str, JsonValue]


def mapping(value: JsonValue) -> Members:
    return value if isinstance(value, dict) else {}


def string(members: Members, key: str) -> str:
    found = members.get(key)
    return found if isinstance(found, str) else ""


def is_tick(value: JsonValue) -> bool:
    return isinstance(value, dict) and "tick_id" in value


class Simulation:
    """Turns the messages or ticks of one simulation into events, in order."""

    def __init__(self) -> None:
        self._calls = {Actor.AGENT: OpenCalls(), Actor.USER: OpenCalls()}
        self._turn = 0
        self._has_task = False
        self._heard = {Actor.AGENT: "", Actor.USER: ""}

    def message(self, message: Members) -> Iterator[DraftEvent]:
        """The events of a message of a conversation in turns."""
        role, at = string(message, "role"), string(message, "timestamp") or None
        if role == "tool":
            several = message.get("tool_messages")
            for answer in several if isinstance(several, list) else [message]:
                yield self._result(mapping(answer), at)
            return
        text = _text(message)
        if role == "system":
            if text.strip():
                yield _event(EventType.MESSAGE, Actor.SYSTEM, text, at, injected=True)
            return
        self._turn += 1
        actor = Actor.AGENT if role == "assistant" else Actor.USER
        if thoughts := _thoughts(message):
            yield _event(EventType.REASONING, actor, thoughts, at)
        yield from self._said(actor, text, at)
        for call in _listed(message.get("tool_calls")):
            yield self._call(actor, call, at)

    def tick(self, tick: Members) -> Iterator[DraftEvent]:
        """The events of a tick of a conversation by voice, in which both may speak at once.

        What one says is told when they pause, all its pieces together.
        """
        at = string(tick, "timestamp") or None
        self._turn += 1
        for name, actor in _SPEAKERS:
            piece = _text(mapping(tick.get(f"{name}_chunk")))
            calls = _listed(tick.get(f"{name}_tool_calls"))
            self._heard[actor] += piece
            if not piece or calls:
                yield from self._pause(actor, at)
            for call in calls:
                yield self._call(actor, call, at)
            for answer in _listed(tick.get(f"{name}_tool_results")):
                yield self._result({"requestor": name, **answer}, at)

    def rest(self, at: str | None) -> Iterator[DraftEvent]:
        """What was still being said at the end."""
        for _, actor in _SPEAKERS:
            yield from self._pause(actor, at)

    def _pause(self, actor: Actor, at: str | None) -> Iterator[DraftEvent]:
        said, self._heard[actor] = self._heard[actor], ""
        if said.strip():
            yield from self._said(actor, said, at)

    def _said(self, actor: Actor, text: str, at: str | None) -> Iterator[DraftEvent]:
        if actor is Actor.AGENT:
            if text.strip():
                yield _event(EventType.MESSAGE, actor, text, at)
            return
        for part, injected in split_injected(_SIGNALS.sub("", text)):
            if injected:
                yield _event(EventType.MESSAGE, Actor.SYSTEM, part, at, injected=True)
                continue
            kind = EventType.MESSAGE if self._has_task else EventType.TASK
            self._has_task = True
            yield _event(kind, actor, part, at)

    def _call(self, actor: Actor, made: Members, at: str | None) -> DraftEvent:
        function = mapping(made.get("function")) or made
        given = function.get("arguments")
        if isinstance(given, str):
            with suppress(ValueError, RecursionError):
                given = parse_json(given)
        call = call_of(string(function, "name"), given)
        call_id = string(made, "id") or None
        actor = Actor.USER if made.get("requestor") == "user" else actor
        self._calls[actor].add(self._turn, call_id, call)
        return DraftEvent(
            event_type=EventType.TOOL_CALL,
            actor=actor,
            timestamp=at,
            tool_name=call.name,
            tool_kind=call.kind,
            server=call.server,
            call_id=call_id,
            input=given,
        )

    def _result(self, answer: Members, at: str | None) -> DraftEvent:
        given_id = string(answer, "id") or string(answer, "tool_call_id") or None
        asker = Actor.USER if answer.get("requestor") == "user" else Actor.AGENT
        answered = self._calls[asker].answer(given_id, string(answer, "name") or None)
        call = answered[1] if answered else call_of(string(answer, "name"), None)
        content, flag = answer.get("content"), answer.get("error")
        text, encoded = take_out_encoded(text_of(content))
        verdict = derive_status(
            ToolOutput(
                text=text,
                tool_kind=call.kind,
                command=call.command,
                flag=flag if isinstance(flag, bool) else None,
            )
        )
        native = None
        if isinstance(flag, bool):
            native = "error" if flag else "ok"
        return judged_result(
            call,
            verdict,
            timestamp=string(answer, "timestamp") or at,
            text=text,
            call_id=given_id or (answered[0] if answered else None),
            native_status=native,
            blobs=blobs_of(content) + encoded,
        )


def _listed(value: JsonValue) -> list[Members]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _text(message: Members) -> str:
    """What was said; of speech, the script it was spoken from."""
    if message.get("is_audio") is True:
        return string(message, "audio_script_gold")
    return text_of(message.get("content"))


def _thoughts(message: Members) -> str:
    raw = mapping(message.get("raw_data"))
    inner = mapping(raw.get("message"))
    found = (string(m, "reasoning_content") for m in (message, raw, inner))
    return next((text for text in found if text.strip()), "")


def _event(
    event_type: EventType, actor: Actor, text: str, at: str | None, *, injected: bool = False
) -> DraftEvent:
    text, encoded = take_out_encoded(text)
    return DraftEvent(
        event_type=event_type,
        actor=actor,
        timestamp=at,
        text=text,
        injected=injected,
        blobs=encoded,
    )


def usage_of(message: Members) -> Mapping[str, JsonValue] | None:
    """Tokens and cost of a message."""
    numbers = {**mapping(message.get("usage")), "cost": message.get("cost")}
    kept = {k: v for k, v in numbers.items() if type(v) in (int, float)}
    return kept or None


def closing_events(about: Members) -> Iterator[DraftEvent]:
    """The reward as an outcome, and the end."""
    at, why = string(about, "end_time") or None, string(about, "termination_reason")
    info = mapping(about.get("reward_info"))
    reward = _number(info.get("reward"))
    if why not in _NOT_JUDGED and reward is not None:
        extra: dict[str, JsonValue] = {
            "outcome": _outcome(reward).value,
            "source": "reward",
            "reward": reward,
        }
        parts = mapping(info.get("reward_breakdown")).items()
        if kept := {k: v for k, v in parts if type(v) in (int, float)}:
            extra["breakdown"] = kept
        yield DraftEvent(
            event_type=EventType.OUTCOME, actor=Actor.SYSTEM, timestamp=at, extra=extra
        )
    if why:
        ended: dict[str, JsonValue] = {
            "end_state": _STATES.get(why, why),
            "termination_reason": why,
        }
        for key, name in (("agent_cost", "cost"), ("duration", "duration_s")):
            if type(about.get(key)) in (int, float):
                ended[name] = about[key]
        yield DraftEvent(event_type=EventType.END, actor=Actor.SYSTEM, timestamp=at, extra=ended)


def _number(value: JsonValue) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value)


def _outcome(reward: float) -> Outcome:
    if reward >= 1.0:
        return Outcome.SUCCESS
    return Outcome.FAILURE if reward <= 0.0 else Outcome.PARTIAL
