"""The events of Copilot CLI as ours, in order."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from hindsight_cli.capture.draft import Blob, DraftEvent
from hindsight_cli.capture.formats.calls import Call, call_of
from hindsight_cli.capture.formats.content import (
    blobs_of,
    decoded_blob,
    take_out_encoded,
    text_of,
    type_of,
)
from hindsight_cli.capture.formats.copilot_results import cancelled_result, result_event
from hindsight_cli.capture.formats.copilot_sessions import (
    Conversation,
    OpenCall,
    Record,
    bound,
    data_of,
    string,
)
from hindsight_cli.capture.formats.copilot_types import SILENT
from hindsight_cli.capture.formats.injected_text import split_injected
from hindsight_cli.capture.formats.jsonlines_reader import parse_json
from hindsight_cli.capture.status import error_type_of
from hindsight_cli.records.event import Actor, EventType, ToolKind
from hindsight_cli.records.jsonvalue import JsonValue

_NOW = re.compile(r"\s*<current_datetime>[^<]*</current_datetime>\s*")
_FROM_HARNESS = ("skill-", "system", "autopilot", "hook", "instruction", "schedule")
_TOLD = frozenset({"shell_completed", "shell_detached_completed", "agent_completed"})
Reader = Callable[[Record, str | None, Conversation], Iterator[DraftEvent]]


def is_known(record: Record) -> bool:
    kind = type_of(record)
    return kind in _READERS or kind in SILENT or record.get("ephemeral") is True


def events_of(record: Record, conversation: Conversation) -> Iterator[DraftEvent]:
    """The events of one of Copilot's, in order."""
    kind = type_of(record)
    stamp = string(record, "timestamp")
    time = stamp if stamp[:4].isdigit() else None
    if record.get("ephemeral") is True:
        return
    if kind == "result":
        yield from _printed_end(record, time, conversation)
    elif reader := _READERS.get(kind):
        yield from reader(data_of(record), time, conversation)
    else:
        _note(kind, data_of(record), time, conversation)


def _note(kind: str, data: Record, time: str | None, conversation: Conversation) -> None:
    """Remember what a later event depends on."""
    if kind == "session.usage_record" and isinstance(usage := data.get("usage"), dict):
        numbers = {k: v for k, v in usage.items() if k in _USAGE and type(v) in (int, float)}
        conversation.usage[string(usage, "apiCallId")] = numbers
        bound(conversation.usage)
    elif kind == "permission.completed":
        result, call = data.get("result"), conversation.open.get(string(data, "toolCallId"))
        if call is not None and isinstance(result, dict):
            call.decision = string(result, "kind")
            call.began = time or call.began  # a person's time to think is none of the call's


_USAGE = frozenset(
    {"inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "reasoningTokens"}
    | {"cost"}
)


def event(
    event_type: EventType, actor: Actor, time: str | None, text: str, *, injected: bool = False
) -> DraftEvent:
    return DraftEvent(
        event_type=event_type, actor=actor, timestamp=time, text=text, injected=injected
    )


# what was said


def _user(data: Record, time: str | None, conversation: Conversation) -> Iterator[DraftEvent]:
    text, source = text_of(data.get("content")), string(data, "source")
    conversation.broken = ""
    from_agent = source.startswith("agent-") and not conversation.session.parent_session_id
    is_injected = data.get("isAutopilotContinuation") is True or source.startswith(_FROM_HARNESS)
    if is_injected or from_agent:
        kind = EventType.OBSERVATION if from_agent else EventType.MESSAGE
        actor = Actor.TOOL if from_agent else Actor.SYSTEM
        yield event(kind, actor, time, text, injected=is_injected)
        return
    text, encoded = take_out_encoded(text)
    blobs = (*encoded, *_attached(data))
    for part, injected in split_injected(text):
        if injected:
            yield event(EventType.MESSAGE, Actor.SYSTEM, time, part, injected=True)
            continue
        yield replace(_spoken(part, time, conversation), blobs=blobs, extra=_files(data))
        blobs = ()
    if blobs:
        yield replace(event(EventType.MESSAGE, Actor.USER, time, "[blob]"), blobs=blobs)
    if added := _added(string(data, "transformedContent"), string(data, "content")):
        yield event(EventType.MESSAGE, Actor.SYSTEM, time, added, injected=True)


def _spoken(text: str, time: str | None, conversation: Conversation) -> DraftEvent:
    kind = EventType.MESSAGE if conversation.has_task else EventType.TASK
    conversation.has_task = True
    return event(kind, Actor.USER, time, text)


def _added(sent: str, said: str) -> str:
    """What Copilot sent to the model beside what the person said; the time of day apart."""
    rest = sent.replace(said, "", 1) if said and said in sent else ""
    return _NOW.sub("", rest).strip()


def _attachments(data: Record) -> list[Record]:
    given = data.get("attachments")
    return [one for one in given if isinstance(one, dict)] if isinstance(given, list) else []


def _attached(data: Record) -> tuple[Blob, ...]:
    return tuple(blob for one in _attachments(data) for blob in blobs_of([dict(one)]))


def _files(data: Record) -> dict[str, JsonValue]:
    paths = [p for one in _attachments(data) if (p := string(one, "path"))]
    return {"attachments": list(paths)} if paths else {}


def _system(data: Record, time: str | None, _: Conversation) -> Iterator[DraftEvent]:
    yield event(EventType.MESSAGE, Actor.SYSTEM, time, text_of(data.get("content")), injected=True)


def _notification(data: Record, time: str | None, _: Conversation) -> Iterator[DraftEvent]:
    """News of a command or an agent in the background, and what else the program tells."""
    about, text = data.get("kind"), text_of(data.get("content"))
    about = about if isinstance(about, dict) else {}
    if type_of(about) not in _TOLD:
        yield event(EventType.MESSAGE, Actor.SYSTEM, time, text, injected=True)
        return
    code = about.get("exitCode")
    yield replace(
        event(EventType.OBSERVATION, Actor.TOOL, time, text),
        exit_code=code if type(code) is int else None,
    )


def _reasoning(data: Record, time: str | None, talk: Conversation) -> Iterator[DraftEvent]:
    talk.thought = string(data, "content")
    if talk.thought.strip():
        yield event(EventType.REASONING, Actor.AGENT, time, talk.thought)


def _assistant(data: Record, time: str | None, talk: Conversation) -> Iterator[DraftEvent]:
    thought, text = string(data, "reasoningText"), text_of(data.get("content"))
    talk.broken = ""
    if thought.strip() and thought != talk.thought:
        yield event(EventType.REASONING, Actor.AGENT, time, thought)
    talk.thought = ""
    if text.strip():
        yield event(EventType.MESSAGE, Actor.AGENT, time, text)
    requests = data.get("toolRequests")
    for request in requests if isinstance(requests, list) else []:
        if isinstance(request, dict):
            yield _call(request, string(request, "name"), time, talk)


# calls


def _call(request: Record, name: str, time: str | None, talk: Conversation) -> DraftEvent:
    call_id, arguments = string(request, "toolCallId") or None, _arguments(request.get("arguments"))
    call = _made(name, arguments, request, talk)
    if call_id:
        prompt = arguments.get("prompt") if isinstance(arguments, dict) else None
        known = OpenCall(call, prompt=prompt if isinstance(prompt, str) else "")
        talk.began(call_id, known)
        talk.settled.discard(call_id)
    return DraftEvent(
        event_type=EventType.TOOL_CALL,
        actor=Actor.AGENT,
        timestamp=time,
        tool_name=call.name,
        tool_kind=call.kind,
        server=call.server,
        call_id=call_id,
        input=arguments,
    )


def _made(name: str, arguments: JsonValue, request: Record, talk: Conversation) -> Call:
    call, server = call_of(name, arguments), string(request, "mcpServerName")
    if server:
        return replace(call, kind=ToolKind.MCP, server=server, command="")
    shell = arguments.get("shellId") if isinstance(arguments, dict) else None
    if call.kind is ToolKind.SHELL and not call.command and isinstance(shell, str):
        running = talk.shells.get(shell)
        return replace(call, command=running.command) if running else call
    return call


def _arguments(value: JsonValue) -> JsonValue:
    """Arguments; older versions wrote them as the JSON text that the model gave."""
    if isinstance(value, str) and value[:1] == "{":
        try:
            return parse_json(value)
        except (ValueError, RecursionError):
            return value
    return value


def _started(data: Record, time: str | None, talk: Conversation) -> Iterator[DraftEvent]:
    """A call is carried out; it is news where no message asked for it."""
    call_id = string(data, "toolCallId")
    known = talk.open.get(call_id)
    if known is None or known.began is not None:
        yield _call(data, string(data, "toolName"), time, talk)
        known = talk.open.get(call_id)
    if known is not None:
        known.began = time or ""


def _typed(data: Record, time: str | None, talk: Conversation) -> Iterator[DraftEvent]:
    """A command that the person ran."""
    yield replace(_call(data, string(data, "toolName"), time, talk), actor=Actor.USER)
    if known := talk.open.get(string(data, "toolCallId")):
        known.began = time or ""


def _completed(data: Record, time: str | None, talk: Conversation) -> Iterator[DraftEvent]:
    call_id = string(data, "toolCallId")
    if call_id in talk.settled:
        return
    made = talk.open.pop(call_id, None)
    yield result_event(data, time, made, talk)


# how things begin and end


def _subagent_started(_: Record, time: str | None, talk: Conversation) -> Iterator[DraftEvent]:
    """In older versions only the call tells what a subagent was asked for."""
    if talk.prompt and not talk.has_task:
        yield _spoken(talk.prompt, time, talk)


def _ended(state: str) -> Reader:
    def read(data: Record, time: str | None, talk: Conversation) -> Iterator[DraftEvent]:
        text = string(data, "error") or string(data, "errorReason")
        kind = string(data, "shutdownType")
        found = "crashed" if kind == "error" else talk.broken or state
        if data.get("cancelled") is True:
            found = "aborted"
        yield _end(found, text, time)

    return read


def _end(state: str, text: str, time: str | None) -> DraftEvent:
    return replace(event(EventType.END, Actor.SYSTEM, time, text), extra={"end_state": state})


def _printed_end(record: Record, time: str | None, talk: Conversation) -> Iterator[DraftEvent]:
    code = record.get("exitCode")
    failed = type(code) is int and code != 0
    yield _end(talk.broken or ("failed" if failed else "completed"), "", time)


def _aborted(data: Record, time: str | None, talk: Conversation) -> Iterator[DraftEvent]:
    """The person, or a rule, stopped the turn: calls without a result will have none."""
    for call_id, made in talk.open.items():
        talk.settled.add(call_id)
        yield cancelled_result(call_id, made.call, time)
    talk.open.clear()
    talk.broken = "aborted"
    reason = string(data, "reason")
    end = _end("aborted", "", time)
    yield replace(end, extra={**end.extra, "reason": reason}) if reason else end


def _error(data: Record, time: str | None, talk: Conversation) -> Iterator[DraftEvent]:
    text = string(data, "message")
    talk.broken = "failed"
    network = error_type_of(text) == "network"
    failed = event(EventType.OTHER, Actor.SYSTEM, time, text, injected=True)
    yield replace(failed, error_type="network" if network else "api")


def _notice(data: Record, time: str | None, _: Conversation) -> Iterator[DraftEvent]:
    if text := string(data, "message") or string(data, "summary"):
        yield event(EventType.OTHER, Actor.SYSTEM, time, text, injected=True)


def _compaction(data: Record, time: str | None, _: Conversation) -> Iterator[DraftEvent]:
    if data.get("success") is False:
        yield from _notice({"message": data.get("error")}, time, _)
        return
    text = string(data, "summaryContent") or string(data, "summary")
    yield replace(
        event(EventType.COMPACTION, Actor.SYSTEM, time, text, injected=True),
        extra={k: v for k, v in data.items() if type(v) is int},
    )


def _asset(data: Record, time: str | None, _: Conversation) -> Iterator[DraftEvent]:
    """A binary that other events name by its id."""
    blob = decoded_blob(string(data, "mimeType"), string(data, "data"))
    if blob is not None:
        asset = event(EventType.OTHER, Actor.SYSTEM, time, f"[{blob.mime}]", injected=True)
        yield replace(asset, blobs=(blob,), extra={"asset_id": string(data, "assetId")})


_READERS: dict[str, Reader] = {
    "user.message": _user,
    "system.message": _system,
    "system.notification": _notification,
    "skill.invoked": _system,
    "assistant.reasoning": _reasoning,
    "assistant.message": _assistant,
    "tool.execution_start": _started,
    "tool.user_requested": _typed,
    "tool.execution_complete": _completed,
    "subagent.started": _subagent_started,
    "subagent.completed": _ended("completed"),
    "subagent.failed": _ended("failed"),
    "session.shutdown": _ended("completed"),
    "session.error": _error,
    "session.warning": _notice,
    "session.handoff": _notice,
    "session.compaction_complete": _compaction,
    "session.truncation": _compaction,
    "session.context_cleared": _compaction,
    "session.binary_asset": _asset,
    "abort": _aborted,
    "result": _system,  # read apart: it is no envelope
}
