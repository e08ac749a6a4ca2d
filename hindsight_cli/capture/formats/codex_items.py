"""The items of the Responses API in a Codex rollout, as events."""

from __future__ import annotations

import hashlib
import json
import re
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from hindsight_cli.capture.draft import DraftEvent, SessionInfo
from hindsight_cli.capture.formats.calls import Call, CallMemory, call_of
from hindsight_cli.capture.formats.codex_history import AGENT
from hindsight_cli.capture.formats.codex_results import Answer, Facts, answer_of, verdict_of
from hindsight_cli.capture.formats.content import (
    blobs_of,
    block_text,
    blocks_of,
    take_out_encoded,
    text_of,
    type_of,
)
from hindsight_cli.capture.formats.injected_text import split_injected
from hindsight_cli.capture.formats.jsonlines_reader import parse_json
from hindsight_cli.capture.formats.results import judged_result
from hindsight_cli.records.event import Actor, EventType, ToolKind
from hindsight_cli.records.jsonvalue import JsonValue

_CALLS = {
    "function_call": "",
    "custom_tool_call": "",
    "local_shell_call": "local_shell",
    "tool_search_call": "tool_search",
    "web_search_call": "web_search",
    "image_generation_call": "image_generation",
    "mcp_call": "",
}
# Calls the model's provider carries out: the item is the answer as well.
_SELF_ANSWERED = frozenset({"web_search_call", "image_generation_call", "mcp_call"})
_OUTPUTS = frozenset(
    {
        *("function_call_output", "custom_tool_call_output", "local_shell_call_output"),
        *("tool_search_output", "mcp_tool_call_output"),
    }
)
_COMPACTIONS = frozenset({"compaction", "context_compaction", "compaction_summary"})
ITEMS = frozenset({"message", "reasoning", "agent_message", *_CALLS, *_OUTPUTS, *_COMPACTIONS})
SILENT_ITEMS = frozenset({"ghost_snapshot", "additional_tools", "compaction_trigger", "other"})
_ARGUMENT_KEYS = ("arguments", "input", "action")
_SEPARATOR = "__"
_MCP = "mcp" + _SEPARATOR
# What editors put round the words a person typed, and tags that stand beside pictures.
_REQUEST = re.compile(r"^## My request for Codex:[ \t]*\n?", re.MULTILINE)
_PICTURE_TAG = re.compile(r"\s*</?image\b[^>]*>\s*")
_SKILL = re.compile(r"\s*<skill>\s*<name>")
_FROM_HARNESS = frozenset({"harness", "skills", "hook", "plugin", "system"})
_MAX_IDS = 100_000
_MAX_RUNNING = 256


@dataclass(slots=True)
class Rollout:
    """What the events of one session depend on."""

    session: SessionInfo = field(default_factory=lambda: SessionInfo(session_id="", agent=AGENT))
    calls: CallMemory = field(default_factory=CallMemory)
    facts: OrderedDict[str, Facts] = field(default_factory=OrderedDict)
    running: OrderedDict[str, Call] = field(default_factory=OrderedDict)
    has_task: bool = False
    runs_scripts: bool = False  # which call tools, without items of their own
    is_review: bool = False  # by another agent, whose calls are told here
    told_in_events: bool = False  # there are no items: events tell what was said
    _ids: OrderedDict[str, int] = field(default_factory=OrderedDict)

    def id_of(self, kind: str, payload: Mapping[str, JsonValue]) -> str | None:
        """The item's own id; with a mark of its content where another has it already."""
        native = string(payload, "id")
        if native is None:
            item = payload.get("item")  # of a call that has none of its own
            call_id = string(item, "id") if isinstance(item, dict) else string(payload, "call_id")
            native = f"{call_id}-{kind}" if call_id else None
        if native is None:
            return None
        content = hash(repr([kind, payload]))
        first = self._ids.setdefault(native, content)
        if len(self._ids) > _MAX_IDS:
            self._ids.popitem(last=False)
        if first == content:
            return native
        text = json.dumps([kind, payload], sort_keys=True)
        return f"{native}-{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:12]}"

    def note_facts(self, call_id: str, facts: Facts) -> None:
        self.facts[call_id] = facts
        if len(self.facts) > _MAX_RUNNING:
            self.facts.popitem(last=False)


def string(record: Mapping[str, JsonValue], *keys: str) -> str | None:
    return next((v for key in keys if isinstance(v := record.get(key), str) and v), None)


def event(
    event_type: EventType, actor: Actor, time: str | None, text: str, *, injected: bool = False
) -> DraftEvent:
    return DraftEvent(
        event_type=event_type, actor=actor, timestamp=time, text=text, injected=injected
    )


def events_of_item(
    item: Mapping[str, JsonValue], time: str | None, rollout: Rollout
) -> Iterator[DraftEvent]:
    """The events of one item, in order."""
    kind = type_of(item)
    if kind == "message":
        yield from _message(item, time, rollout)
    elif kind == "reasoning":
        text = text_of(item.get("summary")) or text_of(item.get("content"))
        if text.strip():
            yield event(EventType.REASONING, Actor.AGENT, time, text)
    elif kind == "agent_message":
        yield from from_agent(text_of(_readable(item.get("content"))), time, rollout)
    elif kind in _CALLS:
        yield from _call(item, time, rollout)
    elif kind in _OUTPUTS:
        yield result_event(string(item, "call_id"), answer_of(_output(item)), time, rollout)
    elif kind in _COMPACTIONS:
        yield event(EventType.COMPACTION, Actor.SYSTEM, time, "", injected=True)


# messages


def _message(
    item: Mapping[str, JsonValue], time: str | None, rollout: Rollout
) -> Iterator[DraftEvent]:
    role = item.get("role")
    blocks = list(blocks_of(item.get("content")))
    if role == "assistant":
        if (text := text_of(blocks)).strip():
            yield event(EventType.MESSAGE, Actor.AGENT, time, text)
        return
    if role != "user":
        if (text := text_of(blocks)).strip():
            yield event(EventType.MESSAGE, Actor.SYSTEM, time, text, injected=True)
        return
    for block, is_harness in zip(blocks, _provenance(item, len(blocks)), strict=True):
        blobs = blobs_of([block])
        if blobs or "image" in type_of(block):
            yield replace(
                event(EventType.MESSAGE, Actor.USER, time, f"[{type_of(block)}]"), blobs=blobs
            )
        elif is_harness:
            yield event(EventType.MESSAGE, Actor.SYSTEM, time, block_text(block), injected=True)
        else:
            yield from spoken(block_text(block), time, rollout)


def _provenance(item: Mapping[str, JsonValue], count: int) -> list[bool]:
    """Of each block whether Codex says that it wrote it itself."""
    about = item.get("internal_chat_message_metadata_passthrough")
    entries = about.get("content_item_metadata") if isinstance(about, dict) else None
    found = []
    for entry in entries if isinstance(entries, list) else []:
        source = entry.get("provenance") if isinstance(entry, dict) else None
        found.append(isinstance(source, dict) and type_of(source) in _FROM_HARNESS)
    return (found + [False] * count)[:count]


def spoken(text: str, time: str | None, rollout: Rollout) -> Iterator[DraftEvent]:
    """What a person typed, apart from what Codex or an editor put round it."""
    if _PICTURE_TAG.fullmatch(text):
        return
    if _SKILL.match(text):
        yield event(EventType.MESSAGE, Actor.SYSTEM, time, text, injected=True)
        return
    if asked := _REQUEST.search(text):
        if before := text[: asked.start()].strip():
            yield event(EventType.MESSAGE, Actor.SYSTEM, time, before, injected=True)
        text = text[asked.end() :]
    text, encoded = take_out_encoded(text)
    for part, injected in split_injected(text):
        if injected:
            yield event(EventType.MESSAGE, Actor.SYSTEM, time, part, injected=True)
        else:
            kind = EventType.MESSAGE if rollout.has_task else EventType.TASK
            rollout.has_task = True
            yield replace(event(kind, Actor.USER, time, part), blobs=encoded)
            encoded = ()


def from_agent(text: str, time: str | None, rollout: Rollout) -> Iterator[DraftEvent]:
    """A message between agents: a subagent's first is its task."""
    if not text.strip():
        return
    if rollout.session.parent_session_id and not rollout.has_task:
        rollout.has_task = True
        yield event(EventType.TASK, Actor.USER, time, text)
    else:
        yield event(EventType.OBSERVATION, Actor.TOOL, time, text)


def _readable(content: JsonValue) -> JsonValue:
    return [block for block in blocks_of(content) if type_of(block) != "encrypted_content"]


# calls and their answers


def _call(
    item: Mapping[str, JsonValue], time: str | None, rollout: Rollout
) -> Iterator[DraftEvent]:
    kind = type_of(item)
    written = next((item[key] for key in _ARGUMENT_KEYS if item.get(key) is not None), None)
    name = _CALLS[kind] or string(item, "name") or ""
    space = string(item, "namespace", "server_label")
    arguments = parsed(written)
    if kind == "custom_tool_call" and not isinstance(arguments, dict):
        arguments = written  # text in the tool's own language, even where it could be JSON
    call_id = string(item, "call_id", "id")
    yield call_event(call_id, _full_name(name, space), arguments, time, rollout)
    if kind not in _SELF_ANSWERED:
        return
    result = item.get("result", item.get("output"))
    status = string(item, "status")
    facts = Facts(native_status=status, flag=_is_failed(status))
    answer = answer_of(result if isinstance(result, str | list | dict) else "")
    if call_id is not None:
        rollout.note_facts(call_id, facts)
    yield result_event(call_id, answer, time, rollout)


def _is_failed(status: str | None) -> bool | None:
    return None if status is None else status in ("failed", "incomplete")


def _full_name(name: str, space: str | None) -> str:
    """A tool's name with the MCP server that newer versions write beside it.

    Codex's own tools have namespaces too, which say nothing.
    """
    if not space or not space.startswith(_MCP) or name.startswith(space):
        return name
    return f"{space.rstrip('_')}{_SEPARATOR}{name}"


def parsed(arguments: JsonValue) -> JsonValue:
    """Arguments as the model wrote them, parsed where they are JSON."""
    if not isinstance(arguments, str):
        return arguments
    try:
        return parse_json(arguments)
    except (ValueError, RecursionError):
        return arguments


def call_event(
    call_id: str | None,
    name: str,
    arguments: JsonValue,
    time: str | None,
    rollout: Rollout,
) -> DraftEvent:
    call = _known_call(name, arguments, rollout)
    if call_id:
        rollout.calls.add(call_id, call)
    return DraftEvent(
        event_type=EventType.TOOL_CALL,
        actor=Actor.AGENT,
        timestamp=time,
        tool_name=name or None,
        tool_kind=call.kind,
        server=call.server,
        call_id=call_id,
        input=arguments,
    )


def _known_call(name: str, arguments: JsonValue, rollout: Rollout) -> Call:
    call = call_of(name, arguments)
    if name == "exec" and isinstance(arguments, str):  # a script that calls tools, no shell
        rollout.runs_scripts = True
        return Call(name, ToolKind.OTHER, None, "")
    if name == "write_stdin" and isinstance(arguments, dict):
        started = rollout.running.get(str(arguments.get("session_id")))
        return replace(call, command=started.command) if started else call
    server, separator, tool = name.partition(_SEPARATOR)
    if call.server is None and separator and server and tool and not name.startswith(_MCP):
        return Call(name, ToolKind.MCP, server, "")  # how MCP tools were named in 2025
    return call


def _output(item: Mapping[str, JsonValue]) -> JsonValue:
    if type_of(item) == "tool_search_output":
        tools = item.get("tools")
        names = (
            [t.get("name") for t in tools if isinstance(t, dict)] if isinstance(tools, list) else []
        )
        return "\n".join(str(name) for name in names if name)
    if type_of(item) == "mcp_tool_call_output":
        result = item.get("result")
        inner = result.get("Ok", result.get("Err")) if isinstance(result, dict) else result
        return inner if inner is not None else result
    return item.get("output")


def _made_agent(call: Call | None, answer: Answer) -> str | None:
    """The subagent that a call made, where its answer names it."""
    told = parsed(answer.text) if call and call.kind is ToolKind.SUBAGENT else None
    return string(told, "agent_id") if isinstance(told, dict) else None


def result_event(
    call_id: str | None, answer: Answer, time: str | None, rollout: Rollout
) -> DraftEvent:
    call = rollout.calls.find(call_id) if call_id else None
    facts = rollout.facts.pop(call_id, None) if call_id else None
    facts = facts or Facts()
    if answer.running and call:
        rollout.running[answer.running] = call
        if len(rollout.running) > _MAX_RUNNING:
            rollout.running.popitem(last=False)
    verdict = verdict_of(answer, call, facts)
    extra: dict[str, JsonValue] = {}
    if agent_id := facts.agent_id or _made_agent(call, answer):
        extra["agent_id"] = agent_id
    if answer.running:
        extra["running"] = answer.running
    return judged_result(
        call,
        verdict,
        timestamp=time,
        text=answer.text or facts.text,
        call_id=call_id,
        native_status=facts.native_status,
        duration_ms=answer.duration_ms if facts.duration_ms is None else facts.duration_ms,
        blobs=answer.blobs or facts.blobs,
        extra=extra,
    )
