"""One event of the OpenHands SDK (`kind`: `ActionEvent` and others) as events of ours."""

from __future__ import annotations

from collections.abc import Iterator

from hindsight_cli.capture.draft import DraftEvent
from hindsight_cli.capture.formats.calls import call_of
from hindsight_cli.capture.formats.content import blobs_of, text_of
from hindsight_cli.capture.formats.jsonlines_reader import parse_json
from hindsight_cli.capture.formats.openhands_results import (
    Members,
    denied,
    harness_error,
    judge,
    mapping,
    string,
    text_and_pictures,
)
from hindsight_cli.capture.formats.openhands_stream import Stream
from hindsight_cli.capture.status import error_type_of
from hindsight_cli.records.event import Actor, EventType
from hindsight_cli.records.jsonvalue import JsonValue

# State of the program, and requests that what follows them tells again.
_SILENT = frozenset(
    {"TokenEvent", "LLMCompletionLogEvent", "StreamingDeltaEvent", "CondensationRequest"}
    | {"CondensationSummaryEvent", "HookExecutionEvent", "ServerErrorEvent"}
)
_ENDED = {"finished": "completed", "error": "crashed", "stuck": "aborted"}
_STATE_KEYS = frozenset({"execution_status", "agent_status"})
_QUIET_TOOLS = frozenset({"finish", "think"})


def is_sdk_event(value: JsonValue) -> bool:
    return isinstance(value, dict) and isinstance(value.get("kind"), str) and "source" in value


def sdk_events(event: Members, stream: Stream) -> Iterator[DraftEvent] | None:
    """The events of one record; None for a kind that is not known."""
    kind = string(event, "kind")
    if kind in _SILENT:
        return iter(())
    readers = {
        "SystemPromptEvent": _prompt,
        "MessageEvent": _message,
        "ActionEvent": _action,
        "ObservationEvent": _observation,
        "UserRejectObservation": _rejection,
        "AgentErrorEvent": _error,
        "Condensation": _condensation,
        "ConversationStateUpdateEvent": _state,
        "ConversationErrorEvent": _failure,
        "ConversationIterationLimitEvent": _limit,
        "PauseEvent": _pause,
        "InterruptEvent": _pause,
    }
    reader = readers.get(kind)
    return reader(event, stream) if reader else None


def _prompt(event: Members, stream: Stream) -> Iterator[DraftEvent]:
    parts = [text_of(event.get(key)) for key in ("system_prompt", "dynamic_context")]
    if text := "\n\n".join(part for part in parts if part.strip()):
        yield stream.message(event, Actor.SYSTEM, text, injected=True)


def _message(event: Members, stream: Stream) -> Iterator[DraftEvent]:
    said = mapping(event.get("llm_message"))
    text, pictures = text_and_pictures(said.get("content"))
    source = string(event, "source") or string(said, "role")
    if source == "user":
        yield from stream.spoken(event, text, pictures=pictures)
    elif source in {"agent", "assistant"}:
        yield from stream.thoughts(said, event)
        if text.strip():
            yield stream.message(event, Actor.AGENT, text, pictures=pictures)
    elif text.strip():
        yield stream.message(event, Actor.SYSTEM, text, injected=True)
    if added := text_of(event.get("extended_content") or None).strip():
        yield stream.message(event, Actor.SYSTEM, added, injected=True)


def _action(event: Members, stream: Stream) -> Iterator[DraftEvent]:
    yield from stream.thoughts(event, {})
    words = text_of(event.get("thought") or None).strip()
    call = mapping(event.get("tool_call"))
    name = string(event, "tool_name") or string(call, "name")
    action = mapping(event.get("action"))
    if name in _QUIET_TOOLS and (action or not call):
        yield from _quiet(event, stream, words, action)
        return
    if words:
        yield stream.message(event, Actor.AGENT, words)
    given = _arguments(call)
    if given is None:
        given = {k: v for k, v in action.items() if k != "kind"}
    call_id = string(event, "tool_call_id") or string(call, "id")
    yield stream.call(event, call_of(name, given), given, call_id or None)


def _quiet(event: Members, stream: Stream, words: str, action: Members) -> Iterator[DraftEvent]:
    """Tools that do nothing: a thought, and the words with which the agent ends."""
    said = string(action, "thought") or string(action, "message")
    if string(event, "tool_name") == "think":
        if words:
            yield stream.message(event, Actor.AGENT, words)
        if said.strip():
            yield stream.event(event, EventType.REASONING, said, Actor.AGENT)
        return
    if text := "\n\n".join(dict.fromkeys(p for p in (words, said.strip()) if p)):
        yield stream.message(event, Actor.AGENT, text)
    yield from stream.end(event, "completed", {})


def _arguments(call: Members) -> JsonValue:
    body = mapping(call.get("function")) or call
    written = body.get("arguments")
    if not isinstance(written, str):
        return written
    try:
        given = parse_json(written)
    except (ValueError, RecursionError):
        return written
    if isinstance(given, dict):  # said to the program, not to the tool
        return {k: v for k, v in given.items() if k not in ("security_risk", "summary")}
    return given


def _observation(event: Members, stream: Stream) -> Iterator[DraftEvent]:
    answered = stream.take(event)
    name = string(event, "tool_name")
    if answered is None and name in _QUIET_TOOLS:
        return
    call = answered[0] if answered else call_of(name, None)
    told = mapping(event.get("observation"))
    content = told.get("content") if told.get("content") is not None else told.get("output")
    text, pictures = text_and_pictures(content)
    failed = told.get("error")
    if isinstance(failed, str) and failed and failed not in text:
        text = f"{text}\n{failed}".strip()
    flag = True if told.get("is_error") is True or failed else None
    native = None
    if isinstance(told.get("is_error"), bool):
        native = "error" if told["is_error"] else "ok"
    coded = mapping(told.get("metadata")).get("exit_code", told.get("exit_code"))
    verdict, text = judge(call, told, text, flag=flag if coded is None else None)
    call_id = string(event, "tool_call_id") or None
    blobs = blobs_of(pictures)
    yield stream.result(event, answered or (call, call_id), verdict, text, (native, blobs))
    if added := text_of(event.get("extended_content") or None).strip():
        yield stream.message(event, Actor.SYSTEM, added, injected=True)


def _rejection(event: Members, stream: Stream) -> Iterator[DraftEvent]:
    answered = stream.take(event)
    call = call_of(string(event, "tool_name"), None)
    call_id = string(event, "tool_call_id") or None
    verdict = denied(by_user=event.get("rejection_source") != "hook")
    text = string(event, "rejection_reason")
    yield stream.result(event, answered or (call, call_id), verdict, text, ("rejected", ()))


def _error(event: Members, stream: Stream) -> Iterator[DraftEvent]:
    answered, text = stream.take(event), string(event, "error")
    if answered is None:
        yield stream.told(event, text)
    else:
        yield stream.result(event, answered, harness_error(text), text, ("error", ()))


def _condensation(event: Members, stream: Stream) -> Iterator[DraftEvent]:
    yield stream.event(event, EventType.COMPACTION, string(event, "summary"))


def _state(event: Members, stream: Stream) -> Iterator[DraftEvent]:
    state = string(event, "value")
    if string(event, "key") in _STATE_KEYS and state in _ENDED:
        yield from stream.end(event, _ENDED[state], {})


def _failure(event: Members, stream: Stream) -> Iterator[DraftEvent]:
    parts = [string(event, key) for key in ("code", "detail")]
    text = ": ".join(part for part in parts if part)
    yield DraftEvent(
        event_type=EventType.OTHER,
        actor=Actor.SYSTEM,
        timestamp=string(event, "timestamp") or None,
        text=text,
        injected=True,
        error_type=error_type_of(text),
    )
    state = "limits exceeded" if "iteration" in text.lower() else "crashed"
    yield from stream.end(event, state, {"detail": text[:2_000]})


def _limit(event: Members, stream: Stream) -> Iterator[DraftEvent]:
    yield from stream.end(event, "limits exceeded", {})


def _pause(event: Members, stream: Stream) -> Iterator[DraftEvent]:
    yield DraftEvent(
        event_type=EventType.OTHER,
        actor=Actor.USER,
        timestamp=string(event, "timestamp") or None,
        text=string(event, "kind"),
        injected=True,
    )
