"""One event of an OpenHands stream (`action` and `observation`) as events of ours."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from hindsight_cli.capture.draft import DraftEvent
from hindsight_cli.capture.formats.calls import Call, call_of
from hindsight_cli.capture.formats.content import blobs_of, text_of
from hindsight_cli.capture.formats.jsonlines_reader import parse_json
from hindsight_cli.capture.formats.openhands_results import (
    Members,
    denied,
    harness_error,
    judge,
    mapping,
    mcp_answer,
    string,
)
from hindsight_cli.capture.formats.openhands_stream import Stream
from hindsight_cli.records.event import Actor, EventType, ToolKind
from hindsight_cli.records.jsonvalue import JsonValue

# Actions that use a tool, and what kind of; a model's own name for it comes first.
_TOOLS = {
    "run": ToolKind.SHELL,
    "run_ipython": ToolKind.SHELL,
    "read": ToolKind.READ,
    "write": ToolKind.WRITE,
    "edit": ToolKind.EDIT,
    "browse": ToolKind.WEB,
    "browse_interactive": ToolKind.WEB,
    "delegate": ToolKind.SUBAGENT,
    "call_tool_mcp": ToolKind.MCP,
    "mcp": ToolKind.MCP,
    "task_tracking": ToolKind.PLAN,
}
# What only the program needs: its state, and what is told again by what follows.
_SILENT = frozenset(
    {"recall", "change_agent_state", "null", "initialize", "pause", "resume", "start", "stop"}
    | {"condensation_request", "loop_recovery", "add_task", "modify_task"}
)
_SILENT_OBSERVATIONS = frozenset(
    {"null", "think", "success", "chat", "server_ready", "download", "loop_detection"}
)
_OWN_ARGUMENTS = frozenset(
    {"thought", "confirmation_state", "security_risk", "hidden", "blocking", "is_static"}
    | {"translated_ipython_code", "impl_source", "is_input", "include_extra", "kernel_init_code"}
)
_ENDED = {"finished": "completed", "error": "crashed", "stopped": "interrupted"}
_ENDED |= {"rejected": "aborted"}
# What the evaluation says in a person's place when the agent stops to ask.
_CONTINUE = re.compile(r"\APlease continue (?:working )?on (?:the|whatever)\b")


def is_event(value: JsonValue) -> bool:
    """Whether a value is an action or an observation of a stream."""
    if not isinstance(value, dict):
        return False
    return isinstance(value.get("action"), str) or isinstance(value.get("observation"), str)


def type_of_event(event: Members) -> str:
    """`action run`, `observation run`: the two are different records."""
    if isinstance(event.get("action"), str):
        return f"action {event['action']}"
    return f"observation {event.get('observation')}"


def events_of(event: Members, stream: Stream) -> Iterator[DraftEvent] | None:
    """The events of one record; None for a type that is not known."""
    if isinstance(event.get("action"), str):
        return _action(event, stream)
    return _observation(event, stream)


def _action(event: Members, stream: Stream) -> Iterator[DraftEvent] | None:
    kind, args = string(event, "action"), mapping(event.get("args"))
    if kind in _SILENT:
        return iter(())
    if reader := _READERS.get(kind):
        return reader(event, args, stream)
    is_call = kind in _TOOLS or event.get("tool_call_metadata")
    return _call(event, args, stream) if is_call else None


def _system(event: Members, args: Members, stream: Stream) -> Iterator[DraftEvent]:
    yield stream.message(event, Actor.SYSTEM, _content(event, args), injected=True)


def _compaction(event: Members, args: Members, stream: Stream) -> Iterator[DraftEvent]:
    yield stream.event(event, EventType.COMPACTION, string(args, "summary"))


def _content(event: Members, args: Members) -> str:
    return text_of(args.get("content", event.get("message")))


def _message(event: Members, args: Members, stream: Stream) -> Iterator[DraftEvent]:
    text = _content(event, args)
    urls = args.get("image_urls")
    pictures: JsonValue = [{"image_url": url} for url in urls] if isinstance(urls, list) else []
    source = string(event, "source")
    if source == "agent":
        yield from stream.thoughts(event, args)
        if text.strip():
            yield stream.message(event, Actor.AGENT, text, pictures=pictures)
    elif source == "user" and not _CONTINUE.match(text):
        yield from stream.spoken(event, text, pictures=pictures)
    elif text.strip():
        yield stream.message(event, Actor.SYSTEM, text, injected=True)


def _think(event: Members, args: Members, stream: Stream) -> Iterator[DraftEvent]:
    yield from stream.thoughts(event, args)
    if thought := string(args, "thought").strip():
        yield stream.event(event, EventType.REASONING, thought, Actor.AGENT)


def _finish(event: Members, args: Members, stream: Stream) -> Iterator[DraftEvent]:
    """The agent says that it is done, which is no outcome."""
    yield from stream.thoughts(event, args)
    said = [string(args, key).strip() for key in ("thought", "final_thought")]
    parts = list(dict.fromkeys(part for part in said if part))
    if text := "\n\n".join(parts) or string(event, "message").strip():
        yield stream.message(event, Actor.AGENT, text)
    claim = args.get("task_completed")
    extra: dict[str, JsonValue] = {"task_completed": claim} if isinstance(claim, str) else {}
    state = "completed" if event.get("action") == "finish" else "aborted"
    yield from stream.end(event, state, extra)


_READERS: dict[str, Callable[[Members, Members, Stream], Iterator[DraftEvent]]] = {
    "message": _message,
    "system": _system,
    "think": _think,
    "finish": _finish,
    "reject": _finish,
    "condensation": _compaction,
    "summarize": _compaction,
}


def _call(event: Members, args: Members, stream: Stream) -> Iterator[DraftEvent]:
    yield from stream.thoughts(event, args)
    if words := string(args, "thought").strip():
        yield stream.message(event, Actor.AGENT, words)
    metadata = mapping(event.get("tool_call_metadata"))
    kind = string(event, "action")
    name = string(metadata, "function_name") or kind
    if kind in {"call_tool_mcp", "mcp"}:
        name = string(args, "name") or name
    call_id = string(metadata, "tool_call_id")
    given = _arguments(metadata, call_id)
    if given is None:
        given = {k: v for k, v in args.items() if k not in _OWN_ARGUMENTS}
    call = call_of(name, given)
    is_mcp = _TOOLS.get(kind) is ToolKind.MCP
    if is_mcp or (call.kind is ToolKind.OTHER and kind in _TOOLS):
        command = string(args, "command") or string(args, "code")
        call = Call(name, _TOOLS[kind], call.server, command[:20_000])
    actor = Actor.USER if event.get("source") == "user" else Actor.AGENT
    yield stream.call(event, call, given, call_id or None, actor)


def _arguments(metadata: Members, call_id: str) -> JsonValue:
    """A call's arguments as the model wrote them, out of the copy of its reply."""
    for call in reply_calls(metadata):
        function = mapping(call.get("function"))
        written = function.get("arguments")
        if call.get("id") == call_id and isinstance(written, str):
            try:
                return parse_json(written)
            except (ValueError, RecursionError):
                return written
    return None


def reply_of(metadata: Members) -> Members:
    """The model's message in the copy of its response."""
    choices = mapping(metadata.get("model_response")).get("choices")
    first = mapping(choices[0]) if isinstance(choices, list) and choices else {}
    return mapping(first.get("message"))


def reply_calls(metadata: Members) -> list[Members]:
    calls = reply_of(metadata).get("tool_calls")
    return [mapping(call) for call in calls] if isinstance(calls, list) else []


def _observation(event: Members, stream: Stream) -> Iterator[DraftEvent] | None:
    kind, extras = string(event, "observation"), mapping(event.get("extras"))
    if kind == "agent_state_changed":
        state = _ENDED.get(string(extras, "agent_state"))
        why = string(extras, "reason")
        detail: dict[str, JsonValue] = {"detail": why[:2_000]} if why else {}
        return stream.end(event, state, detail) if state else iter(())
    if kind == "recall":
        text = _recalled(extras)
        found = [stream.message(event, Actor.SYSTEM, text, injected=True)] if text else []
        return iter(found)
    if kind == "condense":
        return iter([stream.event(event, EventType.COMPACTION, _content(event, event))])
    answered = stream.answers(event)
    if kind in _SILENT_OBSERVATIONS and (answered is None or kind == "null"):
        return iter(())
    if kind in {"error", "user_rejected"} or answered is not None or kind in _TOOLS:
        return _result(event, kind, extras, stream)
    return None


def _recalled(extras: Members) -> str:
    """What the program put before the model of the project and of its own knowledge."""
    keys = ("repo_instructions", "additional_agent_instructions", "conversation_instructions")
    parts = [string(extras, key) for key in keys]
    known = extras.get("microagent_knowledge")
    parts += [string(mapping(k), "content") for k in (known if isinstance(known, list) else [])]
    return "\n\n".join(part.strip() for part in parts if part.strip())


def _result(event: Members, kind: str, extras: Members, stream: Stream) -> Iterator[DraftEvent]:
    content: JsonValue = event.get("content")
    answered = stream.take(event)
    flag = True if extras.get("error") is True or event.get("success") is False else None
    if answered is None and kind == "error":
        yield stream.told(event, text_of(content))
        return
    call = answered[0] if answered else call_of(kind, None)
    if kind == "mcp":
        content, flag = mcp_answer(text_of(content))
    text = text_of(content)
    if kind == "error":
        verdict = harness_error(text)
    elif kind == "user_rejected":
        verdict = denied(by_user=True)
    else:
        coded = mapping(extras.get("metadata")).get("exit_code", extras.get("exit_code"))
        verdict, text = judge(call, extras, text, flag=None if coded is not None else flag)
    pictures: JsonValue = [{"image_url": extras.get("screenshot")}]
    blobs = blobs_of(content) + blobs_of(pictures)
    success = event.get("success")
    native = None
    if isinstance(success, bool):
        native = "success" if success else "failure"
    yield stream.result(event, answered or (call, None), verdict, text, (native, blobs))
