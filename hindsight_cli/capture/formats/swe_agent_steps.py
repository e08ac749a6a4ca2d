"""The steps of one SWE-agent run as events."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from hindsight_cli.capture.draft import DraftEvent
from hindsight_cli.capture.formats.calls import Call, call_of
from hindsight_cli.capture.formats.content import blobs_of, take_out_encoded
from hindsight_cli.capture.formats.injected_text import split_injected
from hindsight_cli.capture.formats.results import judged_result
from hindsight_cli.capture.formats.swe_agent_chat import Message, Step, is_demo, role_of, text_in
from hindsight_cli.capture.formats.swe_agent_text import (
    NOT_RUN,
    REFUSED,
    TIMED_OUT,
    split_task,
    tool_of,
)
from hindsight_cli.capture.status import ToolOutput, Verdict, derive_status, error_type_of
from hindsight_cli.records.event import Actor, EventType, Outcome, Status, ToolKind
from hindsight_cli.records.jsonvalue import JsonValue

# What the program itself puts in a reply's place when it ends a run.
_LEAVING = re.compile(r"\AExit(?:ing)? due to ")
_EXIT_ACTION = re.compile(r"\Aexit_(?:context|cost|error|format|api|environment_error)\Z")
_STATES = {
    "submitted": "completed",
    "exit_cost": "limits exceeded",
    "exit_context": "limits exceeded",
    "exit_total_execution_time": "timed out",
    "exit_command_timeout": "timed out",
    "exit_format": "aborted",
    "early_exit": "aborted",
    "skipped": "aborted",
    "exit_forfeit": "gave up",
    "exit_command": "gave up",
    "exit_error": "crashed",
    "exit_environment_error": "crashed",
    "exit_api": "crashed",
}
_WITH_REASON = re.compile(r"\Asubmitted \((\w+)\)\Z")
_STATS = {"instance_cost": "cost", "api_calls": "api_calls"}
_STATS |= {"tokens_sent": "input_tokens", "tokens_received": "output_tokens"}


def opening_events(messages: Sequence[Message]) -> Iterator[DraftEvent]:
    """What stands before the first step: instructions, demonstrations, the task."""
    has_task = False
    for message in messages:
        text = text_in(message)
        if not text.strip():
            continue
        if role_of(message) in {"system", "developer"} or is_demo(message):
            yield _event(EventType.MESSAGE, Actor.SYSTEM, text, injected=True)
            continue
        task, rest = split_task(text)
        for part, injected in split_injected(task):
            if injected:
                yield _event(EventType.MESSAGE, Actor.SYSTEM, part, injected=True)
            else:
                kind = EventType.MESSAGE if has_task else EventType.TASK
                has_task = True
                yield _event(kind, Actor.USER, part)
        if rest:
            yield _event(EventType.MESSAGE, Actor.SYSTEM, rest, injected=True)


def step_events(step: Step, following: Step | None, *, submitted: bool) -> Iterator[DraftEvent]:
    """The events of one step.

    `following` is the step after it: it tells whether the program sent this one back.
    `submitted` says that the run ended with this step and the agent's own submission.
    """
    if step.reasoning.strip():
        yield _event(EventType.REASONING, Actor.AGENT, step.reasoning)
    if _EXIT_ACTION.match(step.action.strip()) or (
        not step.action.strip() and _LEAVING.match(step.thought)
    ):
        yield _event(EventType.OTHER, Actor.SYSTEM, step.thought or step.action, injected=True)
        return
    if step.thought.strip():
        yield _event(EventType.MESSAGE, Actor.AGENT, step.thought)
    told = following.prompt if following else None
    if step.call is None and not step.action.strip():
        if text := told or step.observation or "":
            yield _told(text)
        return
    name, arguments, call_id = _call(step)
    call = _named(name, arguments)
    yield DraftEvent(
        event_type=EventType.TOOL_CALL,
        actor=Actor.AGENT,
        tool_name=call.name,
        tool_kind=call.kind,
        server=call.server,
        call_id=call_id,
        input=arguments,
    )
    if step.observation is not None or submitted:
        yield _result(step, call, call_id, told=told, submitted=submitted)


def _call(step: Step) -> tuple[str, JsonValue, str | None]:
    if step.call is not None and step.call[0]:
        return step.call
    return tool_of(step.action)[0], {"command": step.action.strip()}, None


def _named(name: str, arguments: JsonValue) -> Call:
    command = arguments.get("command") if isinstance(arguments, dict) else None
    call = call_of(name, arguments)
    if isinstance(command, str) and name != "bash" and tool_of(command)[0] == name:
        return Call(name, tool_of(command)[1], None, "")
    return call if call.kind is not ToolKind.OTHER else Call(name, tool_of(name)[1], None, "")


def _result(
    step: Step, call: Call, call_id: str | None, *, told: str | None, submitted: bool
) -> DraftEvent:
    text = step.observation or ""
    sent_back = told is not None and not text.strip()
    text, encoded = take_out_encoded(told if sent_back and told else text)
    verdict = _verdict(text, call)
    if sent_back:
        verdict = Verdict(status=Status.ERROR, rule="harness", error_type="harness")
    elif submitted:
        verdict = Verdict(status=Status.OK, rule="submitted")
    return judged_result(
        call,
        verdict,
        text=text,
        call_id=call_id,
        duration_ms=step.duration_ms,
        blobs=blobs_of(step.content) + encoded,
    )


def _verdict(text: str, call: Call) -> Verdict:
    if TIMED_OUT.match(text):
        return Verdict(status=Status.TIMEOUT, rule="timeout", error_type="timeout")
    if NOT_RUN.match(text):
        return Verdict(status=Status.ERROR, rule="harness", error_type="harness")
    if call.kind is not ToolKind.SHELL and REFUSED.match(text):
        return Verdict(status=Status.ERROR, rule="error_answer", error_type=error_type_of(text))
    return derive_status(ToolOutput(text=text, tool_kind=call.kind, command=call.command))


def _told(text: str) -> DraftEvent:
    """What the program told the model of a reply without an action it could run."""
    text, encoded = take_out_encoded(text)
    return DraftEvent(
        event_type=EventType.OBSERVATION,
        actor=Actor.TOOL,
        text=text,
        error_type="harness",
        blobs=encoded,
    )


def _event(event_type: EventType, actor: Actor, text: str, *, injected: bool = False) -> DraftEvent:
    text, encoded = take_out_encoded(text)
    return DraftEvent(
        event_type=event_type, actor=actor, text=text, injected=injected, blobs=encoded
    )


def end_event(exit_status: str, stats: JsonValue) -> DraftEvent:
    """The `end` of a run; that something was submitted is no outcome."""
    reason = _WITH_REASON.match(exit_status)
    state = _STATES.get(reason[1] if reason else exit_status, exit_status)
    extra: dict[str, JsonValue] = {"end_state": state, "exit_status": exit_status}
    for key, name in _STATS.items():
        value = stats.get(key) if isinstance(stats, dict) else None
        if type(value) in (int, float):
            extra[name] = value
    return DraftEvent(event_type=EventType.END, actor=Actor.SYSTEM, extra=extra)


def outcome_event(about: Mapping[str, JsonValue]) -> DraftEvent | None:
    """Whether the benchmark's tests passed, where the file says so."""
    resolved = about.get("resolved", about.get("target"))
    if not isinstance(resolved, bool):
        return None
    outcome = Outcome.SUCCESS if resolved else Outcome.FAILURE
    extra: dict[str, JsonValue] = {"outcome": outcome.value, "source": "resolved"}
    return DraftEvent(event_type=EventType.OUTCOME, actor=Actor.SYSTEM, extra=extra)
