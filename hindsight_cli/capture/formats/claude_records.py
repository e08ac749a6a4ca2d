"""One record of a Claude Code transcript as events."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from hindsight_cli.capture.draft import DraftEvent
from hindsight_cli.capture.formats.calls import Call, call_of
from hindsight_cli.capture.formats.claude_sessions import SessionMemory
from hindsight_cli.capture.formats.content import (
    blobs_of,
    block_text,
    blocks_of,
    take_out_encoded,
    text_of,
    type_of,
)
from hindsight_cli.capture.formats.injected_text import (
    CONTINUED,
    split_injected,
    without_trailing_reminders,
)
from hindsight_cli.capture.formats.results import judged_result
from hindsight_cli.capture.status import ToolOutput, Verdict, derive_status
from hindsight_cli.records.event import Actor, EventType
from hindsight_cli.records.jsonvalue import JsonValue

_COMMAND = re.compile(r"<command-name>\s*/?(?P<name>[^<]*?)\s*</command-name>", re.DOTALL)
_COMMAND_ARGS = re.compile(r"<command-args>(?P<args>.*?)</command-args>", re.DOTALL)
# Commands of the program itself; any other slash command asks for work.
_SESSION_COMMANDS = frozenset(
    {"add-dir", "agents", "bug", "clear", "compact", "config", "context", "copy", "cost"}
    | {"doctor", "effort", "exit", "export", "extra-usage", "fast", "feedback", "help", "hooks"}
    | {"ide", "install-github-app", "keybindings", "login", "logout", "mcp", "memory", "mobile"}
    | {"model", "new", "output-style", "permissions", "plugin", "plugins", "privacy-settings"}
    | {"quit", "release-notes", "reload-plugins", "remote-control", "rename", "reset", "resume"}
    | {"rewind", "sandbox", "skills", "stats", "status", "statusline", "tasks", "theme"}
    | {"terminal-setup", "todos", "upgrade", "usage", "vim", "voice"}
)


class BrokenRecordError(Exception):
    """A record of a known type without the body that type has."""


def events_of(record: Mapping[str, JsonValue], memory: SessionMemory) -> Iterator[DraftEvent]:
    """The events of a user, assistant, system, summary or attachment record, in order.

    Raises:
        BrokenRecordError: the record has no readable body.
    """
    match type_of(record):
        case "user":
            yield from _user_events(record, memory)
        case "assistant":
            yield from _assistant_events(record, memory)
        case "system":
            yield from _system_events(record)
        case "summary":
            yield _event(
                record, EventType.COMPACTION, text=_string(record, "summary"), injected=True
            )
        case "attachment":
            yield from _attachment_events(record, memory)


def _event(
    record: Mapping[str, JsonValue],
    event_type: EventType,
    *,
    actor: Actor = Actor.SYSTEM,
    text: str = "",
    injected: bool = False,
) -> DraftEvent:
    return DraftEvent(
        event_type=event_type,
        actor=actor,
        timestamp=_string(record, "timestamp") or None,
        text=text,
        injected=injected,
    )


def _string(record: Mapping[str, JsonValue], key: str) -> str:
    value = record.get(key)
    return value if isinstance(value, str) else ""


def _body(record: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    message = record.get("message")
    if not isinstance(message, dict):
        raise BrokenRecordError("without a message")
    if not isinstance(message.get("content"), str | list):
        raise BrokenRecordError("whose message has no content")
    return message


# user records: the person, the harness, and the results of tools


def _user_events(record: Mapping[str, JsonValue], memory: SessionMemory) -> Iterator[DraftEvent]:
    content = _body(record)["content"]
    if record.get("isCompactSummary") is True:
        yield _event(record, EventType.COMPACTION, text=text_of(content), injected=True)
        return
    blocks = list(blocks_of(content))
    results = [block for block in blocks if type_of(block) == "tool_result"]
    details = record.get("toolUseResult") if len(results) == 1 else None
    for block in blocks:
        if type_of(block) == "tool_result":
            yield _result_event(record, block, details, memory)
        elif record.get("isMeta") is True:
            yield _event(record, EventType.MESSAGE, text=block_text(block), injected=True)
        elif type_of(block) == "text":
            yield from _spoken_events(record, block_text(block), memory)
        elif type_of(block) in {"image", "document"}:
            yield DraftEvent(
                event_type=EventType.MESSAGE,
                actor=Actor.USER,
                timestamp=_string(record, "timestamp") or None,
                text=f"[{type_of(block)}]",
                blobs=blobs_of([block]),
            )


def _spoken_events(
    record: Mapping[str, JsonValue], text: str, memory: SessionMemory
) -> Iterator[DraftEvent]:
    """What a person typed, apart from what the harness put round it."""
    command = _COMMAND.search(text)
    if command and text.lstrip().startswith("<command-"):
        arguments = _COMMAND_ARGS.search(text)
        typed = f"/{command['name']} {arguments['args'] if arguments else ''}".strip()
        if command["name"] in _SESSION_COMMANDS:
            yield _event(record, EventType.MESSAGE, text=typed, injected=True)
        else:
            yield _human_event(record, typed, memory)
        return
    for part, injected in split_injected(text):
        if injected:
            kind = EventType.COMPACTION if part.startswith(CONTINUED) else EventType.MESSAGE
            yield _event(record, kind, text=part, injected=True)
        else:
            yield _human_event(record, part, memory)


def _human_event(record: Mapping[str, JsonValue], text: str, memory: SessionMemory) -> DraftEvent:
    event_type = EventType.MESSAGE if memory.has_task else EventType.TASK
    memory.has_task = True
    return _event(record, event_type, actor=Actor.USER, text=text)


def _result_event(
    record: Mapping[str, JsonValue],
    block: Mapping[str, JsonValue],
    details: JsonValue,
    memory: SessionMemory,
) -> DraftEvent:
    call_id = _string(block, "tool_use_id") or None
    call = memory.calls.find(call_id) if call_id else None
    facts = details if isinstance(details, dict) else {}
    text = without_trailing_reminders(text_of(block.get("content"))) or _detail_text(details)
    text, encoded = take_out_encoded(text)
    verdict = _verdict(text, call, block, facts, refusal=_refusal(record, call_id))
    flag, agent_id = block.get("is_error"), _string(facts, "agentId")
    return judged_result(
        call,
        verdict,
        timestamp=_string(record, "timestamp") or None,
        text=text,
        call_id=call_id,
        native_status=("error" if flag else "ok") if isinstance(flag, bool) else None,
        duration_ms=_duration_ms(facts),
        blobs=blobs_of(block.get("content")) + encoded,
        extra={"agent_id": agent_id} if agent_id else {},
    )


def _verdict(
    text: str,
    call: Call | None,
    block: Mapping[str, JsonValue],
    facts: Mapping[str, JsonValue],
    *,
    refusal: str,
) -> Verdict:
    return derive_status(
        ToolOutput(
            text=text,
            tool_kind=call.kind if call else None,
            command=call.command if call else "",
            flag=block.get("is_error") is True,  # absent says that the tool did not fail
            exit_code=_integer(facts.get("exitCode")),
            interrupted=facts.get("interrupted") is True,
            exit_meaning=_string(facts, "returnCodeInterpretation"),
            refusal=refusal,
        )
    )


def _refusal(record: Mapping[str, JsonValue], call_id: str | None) -> str:
    """Why a call did not run, where the agent says so beside the message."""
    entries = record.get("toolResultMeta", record.get("tool_result_meta"))
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, dict) and entry.get("id") == call_id:
            return _string(entry, "non_execution_kind") or _string(entry, "nonExecutionKind")
    return ""


def _detail_text(details: JsonValue) -> str:
    """The output where the message itself holds none."""
    if isinstance(details, str):
        return details
    if isinstance(details, dict):
        return "\n".join(_string(details, key) for key in ("stdout", "stderr") if details.get(key))
    return ""


def _integer(value: JsonValue) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _duration_ms(facts: Mapping[str, JsonValue]) -> int | None:
    for key, factor in (("totalDurationMs", 1), ("durationMs", 1), ("durationSeconds", 1000)):
        value = facts.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool):
            with contextlib.suppress(OverflowError):  # 1e308 seconds
                return round(value * factor)
    return None


# assistant records: words, thoughts and calls of the model


def _assistant_events(
    record: Mapping[str, JsonValue], memory: SessionMemory
) -> Iterator[DraftEvent]:
    message = _body(record)
    if record.get("isApiErrorMessage") is True or message.get("model") == "<synthetic>":
        yield DraftEvent(
            event_type=EventType.OTHER,
            actor=Actor.SYSTEM,
            timestamp=_string(record, "timestamp") or None,
            text=text_of(message["content"]),
            error_type="api" if record.get("isApiErrorMessage") is True else None,
            injected=True,
        )
        return
    for block in blocks_of(message["content"]):
        kind = type_of(block)
        if kind == "text" and block_text(block).strip():
            yield _event(record, EventType.MESSAGE, actor=Actor.AGENT, text=block_text(block))
        elif kind == "thinking" and _string(block, "thinking").strip():
            thought = _string(block, "thinking")
            yield _event(record, EventType.REASONING, actor=Actor.AGENT, text=thought)
        elif kind in {"tool_use", "server_tool_use", "mcp_tool_use"}:
            yield _call_event(record, block, memory)
        elif kind.endswith("_tool_result"):
            yield _result_event(record, block, None, memory)


def _call_event(
    record: Mapping[str, JsonValue], block: Mapping[str, JsonValue], memory: SessionMemory
) -> DraftEvent:
    name, call_id = _string(block, "name"), _string(block, "id") or None
    call = call_of(name, block.get("input"))
    if call_id:
        memory.calls.add(call_id, call)
    return DraftEvent(
        event_type=EventType.TOOL_CALL,
        actor=Actor.AGENT,
        timestamp=_string(record, "timestamp") or None,
        tool_name=name,
        tool_kind=call.kind,
        server=call.server,
        call_id=call_id,
        input=block.get("input"),
    )


# what the harness says of itself


def _system_events(record: Mapping[str, JsonValue]) -> Iterator[DraftEvent]:
    subtype = _string(record, "subtype")
    if subtype in {"compact_boundary", "microcompact_boundary"}:
        boundary = _event(
            record, EventType.COMPACTION, text=_string(record, "content"), injected=True
        )
        about = record.get("compactMetadata")
        yield replace(boundary, extra=about if isinstance(about, dict) else {})
    elif subtype == "api_error":
        kept = ("retryAttempt", "maxRetries", "retryInMs")
        error = record.get("error")
        yield DraftEvent(
            event_type=EventType.OTHER,
            actor=Actor.SYSTEM,
            timestamp=_string(record, "timestamp") or None,
            text=error if isinstance(error, str) else json.dumps(error),
            error_type="network" if _is_network(record) else "api",
            extra={key: record[key] for key in kept if _integer(record.get(key)) is not None},
        )
    elif subtype == "local_command":
        yield _event(record, EventType.MESSAGE, text=_string(record, "content"), injected=True)


def _is_network(record: Mapping[str, JsonValue]) -> bool:
    cause = record.get("cause")
    return isinstance(cause, dict) and "code" in cause


def _attachment_events(
    record: Mapping[str, JsonValue], memory: SessionMemory
) -> Iterator[DraftEvent]:
    attachment = record.get("attachment")
    if not isinstance(attachment, dict):
        return
    kind = type_of(attachment)
    if kind == "queued_command" and attachment.get("commandMode", "prompt") == "prompt":
        yield from _spoken_events(record, text_of(attachment.get("prompt")), memory)
    elif kind == "hook_additional_context":
        text = text_of(attachment.get("content"))
        yield _event(record, EventType.MESSAGE, text=text, injected=True)
