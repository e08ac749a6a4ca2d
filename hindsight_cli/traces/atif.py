"""A trace as an ATIF document, from which the same trace can be read again. Pure.

What ATIF has no field for (status, exit code, refusals, what was injected) lies under
`hindsight` in the `extra` objects. Source: docs/how-to/exchange-traces.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from hindsight_cli.records.event import Actor, Event, EventType
from hindsight_cli.records.interchange import (
    MESSAGE_KEY,
    OWN_KEY,
    OWN_NUMBERS,
    REASONING_KEY,
    SESSION_KEY,
    USAGE_KEY,
)
from hindsight_cli.records.jsonvalue import JsonValue
from hindsight_cli.records.trace import Trace
from hindsight_cli.traces.atif_metrics import added, metrics_of, totals_of

VERSION = "ATIF-v1.7"  # the first with `extra` on results, and with embedded subagents
_SOURCES = {Actor.USER: "user", Actor.AGENT: "agent"}
_TOLD = ("status", "status_rule", "error_type", *OWN_NUMBERS)
_ABOUT_FILES = ("session", "input_ref", "blobs")  # in an event's `extra`, of this project only
Members = dict[str, JsonValue]


def to_atif(trace: Trace, *, name: str | None, subagents: Mapping[str, Members]) -> Members:
    """The document of a trace.

    Args:
        name: what a document that this one is embedded in calls it.
        subagents: documents to embed, by the id that results name them with.
    """
    about: JsonValue = next((e.extra["session"] for e in trace.events if "session" in e.extra), {})
    writer = _Writer(trace, subagents)
    for event in trace.events:
        writer.add(event)
    agent: Members = {
        "name": trace.agent,
        "version": str(about.get("agent_version") or "unknown"),
        "model_name": about.get("model"),
        "extra": {"cwd": about["cwd"]} if about.get("cwd") else None,
    }
    kept = {k: v for k, v in about.items() if k in ("cwd", "closes") and v is not None}
    kept["one_task"] = True  # what was split or joined is so when it is read again
    document: Members = {
        "schema_version": VERSION,
        "session_id": trace.trace_id,
        **({"trajectory_id": name} if name else {}),
        "agent": _without_nulls(agent),
        "steps": writer.steps,
        "final_metrics": totals_of(writer.steps),
        "extra": {OWN_KEY: {"v": 1, SESSION_KEY: kept}},
    }
    if subagents:
        document["subagent_trajectories"] = list(subagents.values())
    return document


def _without_nulls(members: Members) -> Members:
    return {key: value for key, value in members.items() if value is not None}


@dataclass(slots=True)
class _Reply:
    """The step that words, thoughts and calls of the agent are still added to."""

    step: Members
    filled: int = 0  # 1: it has a thought, 2: a message, 3: a call


@dataclass(slots=True)
class _Writer:
    trace: Trace
    subagents: Mapping[str, Members]
    steps: list[Members] = field(default_factory=list)
    reply: _Reply | None = None
    # The call of a step_index that has no result yet, with the ATIF step it lies in.
    waiting: dict[int, tuple[Members, str, Event]] = field(default_factory=dict)

    def add(self, event: Event) -> None:
        """Add an event: to the agent's reply that is open, to its call, or as a step."""
        is_words = event.actor is Actor.AGENT and not event.injected
        if event.event_type is EventType.TOOL_CALL:
            self._add_call(event)
        elif event.event_type is EventType.REASONING and is_words:
            step = self._reply_for(event, 1)
            step["reasoning_content"] = self.trace.text(event)
            self._keep(step, REASONING_KEY, _own(event, step, EventType.REASONING, Actor.AGENT))
        elif event.event_type is EventType.MESSAGE and is_words:
            step = self._reply_for(event, 2)
            step["message"] = self.trace.text(event)
            self._keep(step, MESSAGE_KEY, _own(event, step, EventType.MESSAGE, Actor.AGENT))
        elif event.event_type is EventType.TOOL_RESULT and event.step_index in self.waiting:
            self._add_result(event)
        elif event.event_type in (EventType.TOOL_RESULT, EventType.OBSERVATION):
            self._add_observation(event)
        else:
            self._add_alone(event)
        if event.native.usage:
            self.reply = None  # tokens are told with the last of a reply

    def _new_step(self, event: Event, source: str) -> Members:
        step: Members = {"step_id": len(self.steps) + 1}
        if event.timestamp and _is_iso(event.timestamp):
            step["timestamp"] = event.timestamp
        step |= {"source": source, "message": ""}
        self.steps.append(step)
        self.reply = None
        return step

    def _reply_for(self, event: Event, place: int) -> Members:
        """The open reply if the event can follow what it holds, else a step of its own."""
        reply = self.reply
        if reply is None or reply.filled > place or (reply.filled == place and place < 3):  # noqa: PLR2004
            reply = _Reply(self._new_step(event, "agent"))
        reply.filled, self.reply = place, reply
        self._count(reply.step, event)
        return reply.step

    def _add_call(self, event: Event) -> None:
        taken = {call["tool_call_id"] for call in self._calls_of_reply()}
        call_id = event.call_id or f"call_{event.seq}"
        if call_id in taken:
            self.reply = None
        step = self._reply_for(event, 3)
        given = self.trace.input(event)
        own = _own(event, step, EventType.TOOL_CALL, Actor.AGENT)
        own |= {"tool_kind": event.tool_kind, "server": event.server}
        if event.call_id != call_id:
            own["call_id"] = event.call_id
        if event.tool_name is None:
            own["tool_name"] = None
        if not isinstance(given, dict):
            own["input"] = given
        step.setdefault("tool_calls", []).append(
            {
                "tool_call_id": call_id,
                "function_name": event.tool_name or "",
                "arguments": given if isinstance(given, dict) else {},
                "extra": {OWN_KEY: own},
            }
        )
        self.waiting[event.step_index] = (step, call_id, event)

    def _calls_of_reply(self) -> Sequence[Members]:
        calls: list[Members] = self.reply.step.get("tool_calls", []) if self.reply else []
        return calls

    def _add_result(self, event: Event) -> None:
        step, call_id, call = self.waiting.pop(event.step_index)
        own = _own(event, step, EventType.TOOL_RESULT, Actor.TOOL)
        for name in ("tool_name", "tool_kind", "server"):
            if (value := getattr(event, name)) != getattr(call, name):
                own[name] = value
        if event.call_id != call.call_id:
            own["call_id"] = event.call_id
        if event.call_id is None:
            own["tool_name"] = event.tool_name  # what it is paired by
        result: Members = {"source_call_id": call_id, "content": self.trace.text(event)}
        agent_id = event.extra.get("agent_id")
        if isinstance(agent_id, str) and agent_id in self.subagents:
            result["subagent_trajectory_ref"] = [{"trajectory_id": agent_id}]
        result["extra"] = {OWN_KEY: own}
        step.setdefault("observation", {"results": []})["results"].append(result)
        self._count(step, event)
        if self.reply is not None and self.reply.step is step:
            self.reply = None

    def _add_observation(self, event: Event) -> None:
        step = self._new_step(event, "system")
        own = _own(event, step, EventType.TOOL_RESULT, Actor.TOOL)
        for name in ("tool_name", "tool_kind", "server", "call_id"):
            if (value := getattr(event, name)) is not None:
                own[name] = value
        if event.event_type is EventType.TOOL_RESULT and not (event.tool_name or event.call_id):
            own["tool_name"] = ""  # of no call: without a name it would be taken for the last one's
        result: Members = {"content": self.trace.text(event), "extra": {OWN_KEY: own}}
        step["observation"] = {"results": [result]}
        self._count(step, event)

    def _add_alone(self, event: Event) -> None:
        source = _SOURCES.get(event.actor, "system")
        step = self._new_step(event, source)
        step["message"] = self.trace.text(event)
        actor = event.actor if source == event.actor.value else Actor.SYSTEM
        own = _own(event, step, EventType.MESSAGE, actor)
        for name in ("tool_name", "tool_kind", "server", "call_id"):
            if (value := getattr(event, name)) is not None:
                own[name] = value
        if event.input is not None:
            own["input"] = self.trace.input(event)
        self._keep(step, MESSAGE_KEY, own)
        self._count(step, event)

    def _keep(self, step: Members, key: str, own: Members) -> None:
        step.setdefault("extra", {}).setdefault(OWN_KEY, {})[key] = own

    def _count(self, step: Members, event: Event) -> None:
        """Note the tokens that an event was counted with."""
        if event.native.usage:
            own = step.setdefault("extra", {}).setdefault(OWN_KEY, {})
            usage = own[USAGE_KEY] = added(own.get(USAGE_KEY, {}), event.native.usage)
            if step["source"] == "agent" and (metrics := metrics_of(usage)):
                step["metrics"] = metrics


def _own(event: Event, step: Members, event_type: EventType, actor: Actor) -> Members:
    """What an event says beyond its place in the step; `event_type`, `actor`: what that says."""
    own: Members = {}
    if event.event_type is not event_type:
        own["event_type"] = event.event_type
    if event.actor is not actor:
        own["actor"] = event.actor
    if event.timestamp != step.get("timestamp"):
        own["timestamp"] = event.timestamp
    told: Members = {name: getattr(event, name) for name in _TOLD}
    told["native_status"] = event.native.status
    told["injected"] = event.injected or None
    told["extra"] = {k: v for k, v in event.extra.items() if k not in _ABOUT_FILES} or None
    if blobs := event.extra.get("blobs"):
        told["left_out"] = [{k: blob.get(k) for k in ("mime", "bytes")} for blob in blobs]
    return own | _without_nulls(told)


def _is_iso(timestamp: str) -> bool:
    try:
        datetime.fromisoformat(timestamp.replace("Z", "+00:00"))
    except ValueError:
        return False
    return True
