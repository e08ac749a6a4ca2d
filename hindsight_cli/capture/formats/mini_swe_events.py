"""The messages of one mini-swe-agent run as events, in order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from hindsight_cli.capture.draft import DraftEvent
from hindsight_cli.capture.formats.calls import Call, call_of
from hindsight_cli.capture.formats.content import blobs_of, take_out_encoded, text_of
from hindsight_cli.capture.formats.injected_text import split_injected
from hindsight_cli.capture.formats.mini_swe_end import end_event
from hindsight_cli.capture.formats.mini_swe_messages import (
    Message,
    calls_of,
    commands_in,
    is_unexecuted,
    mapping,
    reply_text,
    role_of,
    thoughts_of,
    time_of,
)
from hindsight_cli.capture.formats.mini_swe_text import (
    Observed,
    fenced_actions,
    is_format_error,
    looks_observed,
    observed_in,
    split_task,
    without_action,
    words_of_user,
)
from hindsight_cli.capture.formats.results import judged_result
from hindsight_cli.capture.status import ToolOutput, Verdict, derive_status, error_type_of
from hindsight_cli.records.event import Actor, EventType, Status
from hindsight_cli.records.jsonvalue import JsonValue

SENTINELS = ("COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT", "MICRO_SWE_AGENT_FINAL_OUTPUT")
_TIMED_OUT = re.compile(r"timed out after [\d.]+ seconds?\W*\Z")
_KILLED = re.compile(r"\AThe last command .{0,4000}? timed out", re.DOTALL)
_INTERRUPTS = {  # how versions that record no kind begin such a message
    "UserRejection": re.compile(r"\ACommands? not executed\b"),
    "UserInterruption": re.compile(r"\A(?:Interrupted by user|Temporary interruption caught)"),
    "UserNewTask": re.compile(r"\AThe user added a new task: "),
}
_ERROR_ELEMENT = re.compile(r"<error>\s*(.*?)\s*</error>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Action:
    """A call that waits for its result."""

    call: Call
    call_id: str | None


class Run:
    """Turns messages into events. `info` is what the file says of the run; it may still grow."""

    def __init__(self, info: Message) -> None:
        self._info = info
        self._open: list[_Action] = []
        self._has_task = False
        self._submitted = False  # in a version without a message of its own for it
        self._batch_stopped = False  # the action that ended the latest reply's batch is told

    def events_of(self, message: Message, following: Message | None) -> Iterator[DraftEvent]:
        """The events of one message.

        `following` is the next message that is no `is_unexecuted` one: it says why
        those did not run. None at the end of the run.
        """
        role, extra = role_of(message), mapping(message.get("extra"))
        if role == "assistant":
            yield from self._reply(message, extra)
        elif role in {"system", "developer"}:
            yield _event(message, EventType.MESSAGE, Actor.SYSTEM, _text(message), injected=True)
        elif role == "exit":
            yield from self._exit(message)
        elif role == "tool" or "returncode" in extra:
            yield self._result(message, extra, following)
        else:
            yield from self._user(message, extra, following)
        ended = self._submitted or self._info.get("exit_status")
        if following is None and role != "exit" and ended:
            yield end_event(self._info, {}, time_of(message))

    # what the model says and asks for

    def _reply(self, message: Message, extra: Message) -> Iterator[DraftEvent]:
        self._open, self._batch_stopped = [], False
        calls = list(calls_of(message, extra))
        thoughts, text = thoughts_of(message), reply_text(message)
        if not calls and len(found := fenced_actions(text)) == 1:
            calls = [("bash", {"command": found[0]}, None)]
        for _, arguments, call_id in calls:
            if call_id is None and isinstance(arguments, dict):
                text = without_action(text, str(arguments.get("command")))
        if thoughts.strip():
            yield _event(message, EventType.REASONING, Actor.AGENT, thoughts)
        if text.strip():
            yield _event(message, EventType.MESSAGE, Actor.AGENT, text)
        for name, arguments, call_id in calls:
            yield self._call(message, name, arguments, call_id)

    def _call(
        self,
        message: Message,
        name: str,
        arguments: JsonValue,
        call_id: str | None,
        actor: Actor = Actor.AGENT,
    ) -> DraftEvent:
        call = call_of(name, arguments)
        self._open.append(_Action(call, call_id))
        return DraftEvent(
            event_type=EventType.TOOL_CALL,
            actor=actor,
            timestamp=time_of(message),
            tool_name=call.name,
            tool_kind=call.kind,
            server=call.server,
            call_id=call_id,
            input=arguments,
        )

    # what came of it

    def _result(self, message: Message, extra: Message, following: Message | None) -> DraftEvent:
        given = message.get("tool_call_id", message.get("call_id"))
        action = self._take(given if isinstance(given, str) else None)
        if is_unexecuted(message):
            verdict, text = self._why_unexecuted(following)
            return _answer(message, action, verdict, text)
        observed = _observed(message, extra)
        verdict = _verdict(observed, extra, action)
        return _answer(message, action, verdict, observed.output, observed.exception)

    def _take(self, call_id: str | None) -> _Action:
        """The open call that a result answers."""
        matching = [action for action in self._open if call_id and action.call_id == call_id]
        found = next(iter(matching or self._open), None)
        if found is None:
            return _Action(call_of("bash", None), call_id)
        self._open.remove(found)
        return found

    def _why_unexecuted(self, following: Message | None) -> tuple[Verdict, str]:
        """The verdict on an action without a result of its own, and what to keep as its text.

        The first of a reply's actions to lack one is the one that ended the batch.
        """
        is_first, self._batch_stopped = not self._batch_stopped, True
        extra = mapping(following.get("extra")) if following else {}
        said = _text(following) if following else ""
        if _interrupt_of(extra, said) == "UserRejection":
            return Verdict(
                status=Status.DENIED, rule="denied_by_user", error_type="denied_by_user"
            ), said
        stopped = Verdict(status=Status.CANCELLED, rule="interrupted", error_type="interrupted")
        if not is_first:
            return stopped, ""
        if extra.get("exit_status") == "Submitted" or _interrupt_of(extra, said) == "UserNewTask":
            submission = extra.get("submission")
            return _SUBMITTED, submission if isinstance(submission, str) else ""
        if following is not None and role_of(following) == "exit":
            return Verdict(status=Status.ERROR, rule="harness", error_type="harness"), said
        return stopped, ""

    def _exit(self, message: Message) -> Iterator[DraftEvent]:
        """The end of a run; versions that ask nobody give a submission no result of its own."""
        extra = mapping(message.get("extra"))
        submits = [any(s in a.call.command for s in SENTINELS) for a in self._open]
        if extra.get("exit_status") == "Submitted" and any(submits):
            waiting, self._open = self._open[submits.index(True) :], []
            for action in waiting:
                yield _answer(message, action, *self._why_unexecuted(message))
        yield end_event(self._info, extra, time_of(message))

    # what is said to the model

    def _user(
        self, message: Message, extra: Message, following: Message | None
    ) -> Iterator[DraftEvent]:
        text, actions = _text(message), list(commands_in(extra))
        interrupt = _interrupt_of(extra, text)
        if actions:  # a person takes over the keyboard
            self._open, self._batch_stopped = [], False
            for command, call_id in actions:
                yield self._call(message, "bash", {"command": command}, call_id, Actor.USER)
        elif not self._has_task:
            yield from self._task(message, text)
        elif interrupt == "FormatError" or (
            not interrupt and not self._open and is_format_error(text)
        ):
            yield from _format_error(message, extra, text)
        elif interrupt:
            yield from self._interrupted(message, text)
        elif self._open and following is None and not looks_observed(text):
            self._submitted = True
            yield _answer(message, self._open.pop(0), _SUBMITTED, text)
        elif self._open or looks_observed(text):
            yield self._result(message, extra, following)
        else:
            yield from _spoken(message, text)

    def _task(self, message: Message, text: str) -> Iterator[DraftEvent]:
        agent = mapping(mapping(self._info.get("config")).get("agent"))
        task, rest = split_task(text, agent.get("instance_template"))
        for event in _spoken(message, task, EventType.TASK):
            self._has_task = self._has_task or not event.injected
            yield event
        if rest:
            yield _event(message, EventType.MESSAGE, Actor.SYSTEM, rest, injected=True)

    def _interrupted(self, message: Message, text: str) -> Iterator[DraftEvent]:
        for action in self._open:
            verdict, said = self._why_unexecuted(message)
            yield _answer(message, action, verdict, said)
        self._open = []
        words = list(words_of_user(text))
        for part in words:
            yield _event(message, EventType.MESSAGE, Actor.USER, part)
        if not words:
            yield _event(message, EventType.MESSAGE, Actor.SYSTEM, text, injected=True)


_SUBMITTED = Verdict(status=Status.OK, rule="submitted", exit_code=0)  # or it had been refused


def _event(
    message: Message, event_type: EventType, actor: Actor, text: str, *, injected: bool = False
) -> DraftEvent:
    return DraftEvent(
        event_type=event_type,
        actor=actor,
        timestamp=time_of(message),
        text=text,
        injected=injected,
    )


def _text(message: Message) -> str:
    return text_of(message.get("content", message.get("output")))


def _spoken(
    message: Message, text: str, event_type: EventType = EventType.MESSAGE
) -> Iterator[DraftEvent]:
    for part, injected in split_injected(text):
        if injected:
            yield _event(message, EventType.MESSAGE, Actor.SYSTEM, part, injected=True)
        else:
            yield _event(message, event_type, Actor.USER, part)


def _observed(message: Message, extra: Message) -> Observed:
    raw, code, exception = (extra.get(k) for k in ("raw_output", "returncode", "exception_info"))
    if not isinstance(raw, str):
        return observed_in(_text(message))
    return Observed(
        raw, code if type(code) is int else None, exception if isinstance(exception, str) else ""
    )


def _verdict(observed: Observed, extra: Message, action: _Action) -> Verdict:
    timed_out = extra.get("exception_type") == "TimeoutExpired"
    if observed.exception:
        timed_out = timed_out or bool(_TIMED_OUT.search(observed.exception))
    elif observed.exit_code is None:
        timed_out = timed_out or bool(_KILLED.match(observed.output))
    if timed_out:
        return Verdict(status=Status.TIMEOUT, rule="timeout", error_type="timeout")
    if observed.exception:
        return Verdict(status=Status.ERROR, rule="harness", error_type="harness")
    return derive_status(
        ToolOutput(
            text=observed.output,
            tool_kind=action.call.kind,
            command=action.call.command,
            exit_code=observed.exit_code,
        )
    )


def _answer(
    message: Message, action: _Action, verdict: Verdict, text: str, exception: str = ""
) -> DraftEvent:
    text, encoded = take_out_encoded("\n".join(part for part in (text, exception) if part))
    return judged_result(
        action.call,
        verdict,
        timestamp=time_of(message),
        text=text,
        call_id=action.call_id,
        blobs=blobs_of(message.get("content")) + encoded,
    )


def _interrupt_of(extra: Message, text: str) -> str:
    named = extra.get("interrupt_type")
    if isinstance(named, str) and named:
        return named
    return next((kind for kind, sign in _INTERRUPTS.items() if sign.match(text)), "")


def _format_error(message: Message, extra: Message, text: str) -> Iterator[DraftEvent]:
    """A reply without an action that could be run: the agent takes it out of the history."""
    response = mapping(extra.get("response"))
    choices = response.get("choices")
    first = mapping(choices[0]) if isinstance(choices, list) and choices else {}
    reply = mapping(first.get("message")) or response
    said = extra.get("model_response")
    said = said if isinstance(said, str) else reply_text(reply)
    if said.strip():
        yield _event(message, EventType.MESSAGE, Actor.AGENT, said)
    inner = _ERROR_ELEMENT.search(text)
    kind = error_type_of(inner[1] if inner else text)
    tried: list[JsonValue] = [
        {"tool_name": name, "input": given} for name, given, _ in calls_of(reply, {})
    ]
    yield DraftEvent(
        event_type=EventType.OBSERVATION,
        actor=Actor.TOOL,
        timestamp=time_of(message),
        text=text,
        error_type=kind if kind in {"unknown_tool", "invalid_args"} else "harness",
        extra={"tried": tried} if tried else {},
    )
