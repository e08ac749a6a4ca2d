"""Builds a trace call by call, the way an importer would."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hindsight_cli.records.event import Actor, EventType, Status, ToolKind
from hindsight_cli.records.trace import Trace
from hindsight_cli.reflect.rules import reflect_by_rules
from tests.factories import an_event

_KINDS = {
    "Bash": ToolKind.SHELL,
    "Read": ToolKind.READ,
    "Edit": ToolKind.EDIT,
    "Write": ToolKind.WRITE,
    "Grep": ToolKind.SEARCH,
    "Glob": ToolKind.SEARCH,
    "Task": ToolKind.SUBAGENT,
}


class TraceBuilder:
    """`user`, `agent` and `call` add events in order; each call gives its step number."""

    def __init__(self, task: str = "Fix the failing build of the shop service") -> None:
        self._events: list[Any] = []
        self._texts: dict[int, str] = {}
        self._step = 0
        self._add(EventType.TASK, Actor.USER, task)

    def user(self, text: str, *, injected: bool = False) -> TraceBuilder:
        self._add(EventType.MESSAGE, Actor.USER, text, injected=injected)
        return self

    def agent(self, text: str) -> TraceBuilder:
        self._add(EventType.MESSAGE, Actor.AGENT, text)
        return self

    def end(self, text: str) -> TraceBuilder:
        self._add(EventType.END, Actor.SYSTEM, text, opens=False)
        return self

    def outcome(self, outcome: str, source: str = "reward") -> TraceBuilder:
        extra = {"outcome": outcome, "source": source}
        self._add(EventType.OUTCOME, Actor.SYSTEM, "", opens=False, extra=extra)
        return self

    def call(self, tool: str, arguments: Any, output: str = "", status: Status = Status.OK) -> int:
        """One call with its result; MISSING leaves it without one."""
        about: dict[str, Any] = {"tool_name": tool, "tool_kind": _KINDS.get(tool, ToolKind.OTHER)}
        self._add(EventType.TOOL_CALL, Actor.AGENT, "", input=arguments, **about)
        if status is not Status.MISSING:
            self._add(
                EventType.TOOL_RESULT, Actor.TOOL, output, opens=False, status=status, **about
            )
        return self._step

    def go_back(self, first_step: int) -> TraceBuilder:
        """The person takes back what was said and done from a step on."""
        self._events = [
            replace(event, extra={**event.extra, "branch": "abandoned"})
            if event.step_index >= first_step
            else event
            for event in self._events
        ]
        return self

    def shell(self, command: str, output: str = "", status: Status = Status.OK) -> int:
        return self.call("Bash", {"command": command}, output, status)

    def edit(
        self, path: str, old: str, new: str, output: str = "updated", status: Status = Status.OK
    ) -> int:
        arguments = {"file_path": path, "old_string": old, "new_string": new}
        return self.call("Edit", arguments, output, status)

    def build(self) -> Trace:
        return Trace("t1", "t1", "claude-code", tuple(self._events), self._texts)

    def _add(
        self, event_type: EventType, actor: Actor, text: str, *, opens: bool = True, **about: Any
    ) -> None:
        self._step += opens
        seq = len(self._events) + 1
        about = {"tool_name": None, "tool_kind": None, **about}
        self._events.append(
            an_event(
                event_type=event_type,
                actor=actor,
                seq=seq,
                step_index=self._step,
                event_id=f"e{seq}",
                output_summary=text[:200],
                **about,
            )
        )
        self._texts[seq] = text


def proposals(trace: TraceBuilder) -> list[dict[str, Any]]:
    return list(reflect_by_rules(trace.build()).proposals)


def only(trace: TraceBuilder) -> dict[str, Any]:
    found = proposals(trace)
    assert len(found) == 1, [p["scenario"] for p in found]
    return found[0]


def cited(proposal: dict[str, Any]) -> set[int]:
    return {cite["step"] for cite in proposal["cites"]}


def advice(proposal: dict[str, Any]) -> str:
    """What a reader is told; the reason may quote the run."""
    return f"{proposal['scenario']} {proposal['recommend']} {proposal['avoid']}"
