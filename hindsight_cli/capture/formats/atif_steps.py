"""One step of an ATIF trajectory as events: words, thoughts, calls, and what was observed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from hindsight_cli.capture.draft import DraftEvent, SessionInfo
from hindsight_cli.capture.formats.atif_document import dicts_in, results_of
from hindsight_cli.capture.formats.atif_own import own_of, restored
from hindsight_cli.capture.formats.atif_results import extra_of, result_event
from hindsight_cli.capture.formats.calls import Call, CallMemory, call_of
from hindsight_cli.capture.formats.content import blobs_of, take_out_encoded, text_of
from hindsight_cli.capture.formats.injected_text import CONTINUED, split_injected
from hindsight_cli.capture.formats.jsonlines_reader import parse_json
from hindsight_cli.records.event import Actor, EventType
from hindsight_cli.records.interchange import MESSAGE_KEY, REASONING_KEY
from hindsight_cli.records.jsonvalue import JsonValue

Step = Mapping[str, JsonValue]
SOURCES = frozenset({"user", "agent", "system"})
# What converters write where an agent called a tool without a word; the name goes between.
_NO_WORDS = ("executed", "calling", "called", "[tool call:", "tool call:")
_MAX_NO_WORDS = 300


@dataclass(slots=True)
class Conversation:
    """What the events of one trajectory depend on."""

    session: SessionInfo
    has_task: bool = False
    calls: CallMemory = field(default_factory=CallMemory)


@dataclass(frozen=True, slots=True)
class _Made:
    """A call of a step, as an event and as judging its result needs it."""

    event: DraftEvent
    call: Call
    given: Step


def events_of(step: Step, conversation: Conversation) -> Iterator[DraftEvent]:
    """The events of a step, in order; of a copy from an earlier trajectory only its task."""
    if step.get("is_copied_context") is True:
        yield from _copied(step, conversation)
        return
    yield from _told(step, conversation)
    made = [_call(given, step) for given in dicts_in(step.get("tool_calls"))]
    for one in made:
        if one.event.call_id:
            conversation.calls.add(one.event.call_id, one.call)
    yield from _acted(step, made, conversation)


def _copied(step: Step, conversation: Conversation) -> Iterator[DraftEvent]:
    """Of what an earlier trajectory tells already, the task is needed here as well."""
    if step.get("source") != "user" or conversation.has_task:
        return
    for event in _told(step, conversation):
        if event.event_type is EventType.TASK:
            yield replace(event, extra={**event.extra, "copied": True})


# words and thoughts


def _told(step: Step, conversation: Conversation) -> Iterator[DraftEvent]:
    own, source = own_of(step), step.get("source")
    thought = text_of(step.get("reasoning_content"))
    if thought.strip() or REASONING_KEY in own:
        event = _event(step, EventType.REASONING, Actor.AGENT, thought)
        yield _restored(own, REASONING_KEY, event)
    content = step.get("message")
    if isinstance(own.get(MESSAGE_KEY), dict):
        whole = _event(step, EventType.MESSAGE, _actor(source), text_of(content))
        event = _restored(own, MESSAGE_KEY, whole)
        conversation.has_task = conversation.has_task or event.event_type is EventType.TASK
        yield event
        return
    text, encoded = take_out_encoded(text_of(content))
    if not text.strip() or (source == "agent" and _says_nothing(text, step)):
        return
    elif source == "user":
        parts = list(_spoken(step, text, conversation))
        yield from parts[:-1]
        yield replace(parts[-1], blobs=blobs_of(content) + encoded, extra=_images(content))
    elif source == "agent":
        event = _event(step, EventType.MESSAGE, Actor.AGENT, text)
        yield replace(event, blobs=blobs_of(content) + encoded, extra=_images(content))
    else:
        kind = EventType.COMPACTION if _compacts(step) else EventType.MESSAGE
        yield _event(step, kind, Actor.SYSTEM, text, injected=True)


def _spoken(step: Step, text: str, conversation: Conversation) -> Iterator[DraftEvent]:
    """What a person said, apart from what a harness put round it."""
    for part, injected in split_injected(text):
        if injected:
            kind = EventType.COMPACTION if part.startswith(CONTINUED) else EventType.MESSAGE
            yield _event(step, kind, Actor.SYSTEM, part, injected=True)
        else:
            kind = EventType.MESSAGE if conversation.has_task else EventType.TASK
            conversation.has_task = True
            yield _event(step, kind, Actor.USER, part)


def _event(
    step: Step, event_type: EventType, actor: Actor, text: str, *, injected: bool = False
) -> DraftEvent:
    return DraftEvent(
        event_type=event_type, actor=actor, timestamp=_time(step), text=text, injected=injected
    )


def _restored(own: Step, key: str, event: DraftEvent) -> DraftEvent:
    kept = own.get(key)
    return restored(kept, event) if isinstance(kept, dict) else event


def _time(step: Step) -> str | None:
    return _string(step, "timestamp")


def _string(holder: Step, key: str) -> str | None:
    value = holder.get(key)
    return value if isinstance(value, str) and value else None


def _actor(source: JsonValue) -> Actor:
    return Actor(source) if source in SOURCES else Actor.SYSTEM


def _compacts(step: Step) -> bool:
    extra = step.get("extra")
    management = extra.get("context_management") if isinstance(extra, dict) else None
    return isinstance(management, dict) and management.get("type") == "compaction"


def _says_nothing(text: str, step: Step) -> bool:
    """Whether a message is a converter's, which has to write one where the agent had none."""
    said = text.strip().removesuffix("]").lower()
    if len(said) > _MAX_NO_WORDS or not said.startswith(_NO_WORDS):
        return False
    names = [
        str(call.get(key) or "").lower()
        for call in dicts_in(step.get("tool_calls"))
        for key in ("function_name", "tool_call_id")
    ]
    for word in (*_NO_WORDS, *sorted(filter(None, names), key=len, reverse=True)):
        said = said.replace(word, "")
    return bool(names) and not said.strip(" ,:;()")


def _images(content: JsonValue) -> dict[str, JsonValue]:
    """Where the pictures and sounds of a multimodal message lie; they are never opened."""
    sources = [part.get("source") for part in dicts_in(content)]
    paths = [s["path"] for s in sources if isinstance(s, dict) and isinstance(s.get("path"), str)]
    return {"media": paths} if paths else {}


# calls and results


def _call(given: Step, step: Step) -> _Made:
    name, written = _string(given, "function_name") or "", given.get("arguments")
    arguments = _parsed(written)
    call = call_of(name, arguments)
    event = DraftEvent(
        event_type=EventType.TOOL_CALL,
        actor=Actor.AGENT,
        timestamp=_time(step),
        tool_name=call.name,
        tool_kind=call.kind,
        server=call.server,
        call_id=_string(given, "tool_call_id"),
        input=arguments,
    )
    own = own_of(given)
    return _Made(restored(own, event) if own else event, call, given)


def _parsed(written: JsonValue) -> JsonValue:
    """Arguments, which some converters leave as the JSON text of the model."""
    if not isinstance(written, str):
        return written
    try:
        return parse_json(written)
    except (ValueError, RecursionError):
        return written


def _acted(step: Step, made: list[_Made], conversation: Conversation) -> Iterator[DraftEvent]:
    """Calls, then results; each result behind its call where ids could not tell them apart."""
    results = results_of(step)
    ids = Counter(_string(one.given, "tool_call_id") for one in made)
    apart = len(made) < 2 or all(  # noqa: PLR2004
        one.event.call_id and ids[one.event.call_id] == 1 for one in made
    )
    if apart:
        yield from (one.event for one in made)
        for result in results:
            yield _observed(result, step, _answered(result, made, results), conversation)
        return
    left = list(results)
    for one in made:
        yield one.event
        wanted = _string(one.given, "tool_call_id")
        mine = next((r for r in left if _string(r, "source_call_id") == wanted), None)
        if mine is not None:
            left.remove(mine)
            yield _observed(mine, step, one, conversation)
    for result in left:
        yield _observed(result, step, None, conversation)


def _answered(result: Step, made: list[_Made], results: list[Step]) -> _Made | None:
    call_id = _string(result, "source_call_id")
    if call_id is None:
        return made[0] if len(made) == len(results) == 1 else None
    return next((one for one in made if _string(one.given, "tool_call_id") == call_id), None)


def _observed(
    result: Step, step: Step, made: _Made | None, conversation: Conversation
) -> DraftEvent:
    call_id, own = _string(result, "source_call_id"), own_of(result)
    call = made.call if made else conversation.calls.find(call_id) if call_id else None
    if call is None and not own:
        text, encoded = take_out_encoded(text_of(result.get("content")))
        observed = _event(step, EventType.OBSERVATION, Actor.TOOL, text)
        kept = {**_images(result.get("content")), **extra_of(result)}
        return replace(observed, blobs=blobs_of(result.get("content")) + encoded, extra=kept)
    about = made.given.get("extra") if made else None
    agent = conversation.session.agent
    event = result_event(result, call, about, agent=agent, time=_time(step))
    event = replace(event, call_id=made.event.call_id if made else call_id)
    if not own:
        return event
    # The call's name and kind are its result's, unless something else was kept.
    plain = _event(step, EventType.TOOL_RESULT, Actor.TOOL, text_of(result.get("content")))
    return restored(own, replace(plain, call_id=event.call_id))
