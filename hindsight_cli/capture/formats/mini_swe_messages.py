"""One message of a mini-swe-agent run: who speaks, when, and what a reply holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from hindsight_cli.capture.formats.content import blocks_of, text_of, type_of
from hindsight_cli.capture.formats.jsonlines_reader import parse_json
from hindsight_cli.records.jsonvalue import JsonValue

KNOWN_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "exit"})
_NOT_EXECUTED = "action was not executed"

Message = Mapping[str, JsonValue]


def mapping(value: JsonValue) -> Message:
    return value if isinstance(value, dict) else {}


def role_of(message: Message) -> str:
    """Who speaks; a reply and an output of the Responses API name no role."""
    if message.get("object") == "response":
        return "assistant"
    if type_of(message) == "function_call_output":
        return "tool"
    role = message.get("role")
    return role if isinstance(role, str) else ""


def is_unexecuted(message: JsonValue) -> bool:
    """Whether a message stands for an action that was kept from running, or submitted."""
    extra = mapping(mapping(message).get("extra"))
    return extra.get("exception_info") == _NOT_EXECUTED and "returncode" in extra


def time_of(message: Message) -> str | None:
    """When a message was made, ISO 8601; None where nothing tells."""
    extra = mapping(message.get("extra"))
    made = mapping(extra.get("response")).get("created")
    for value in (extra.get("timestamp"), message.get("timestamp"), made):
        if isinstance(value, str) and value:
            return value
        if isinstance(value, int | float) and not isinstance(value, bool):
            try:
                moment = datetime.fromtimestamp(value, UTC)
            except (ValueError, OverflowError, OSError):
                continue
            return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return None


def calls_of(message: Message, extra: Message) -> Iterator[tuple[str, JsonValue, str | None]]:
    """Name, arguments and id of every call a reply makes; of actions in its text, no id."""
    listed = message.get("tool_calls")
    if message.get("object") == "response":
        output = message.get("output")
        items = output if isinstance(output, list) else []
        listed = [item for item in items if type_of(mapping(item)) == "function_call"]
    if isinstance(listed, list) and listed:
        for call in map(mapping, listed):
            body = mapping(call.get("function")) or call
            name, call_id = body.get("name"), call.get("call_id", call.get("id"))
            yield (
                name if isinstance(name, str) else "",
                _arguments(body.get("arguments")),
                call_id if isinstance(call_id, str) else None,
            )
    else:
        for command, call_id in commands_in(extra):
            yield "bash", {"command": command}, call_id


def commands_in(extra: Message) -> Iterator[tuple[str, str | None]]:
    """The commands that the agent itself found in a message."""
    actions = extra.get("actions")
    for action in map(mapping, actions if isinstance(actions, list) else []):
        command, call_id = action.get("command"), action.get("tool_call_id")
        if isinstance(command, str):
            yield command, call_id if isinstance(call_id, str) else None


def _arguments(value: JsonValue) -> JsonValue:
    if not isinstance(value, str):
        return value
    try:
        return parse_json(value)
    except (ValueError, RecursionError):
        return value


def reply_text(message: Message) -> str:
    if message.get("object") != "response":
        return text_of(message.get("content"))
    output = message.get("output")
    spoken = [i for i in blocks_of(output) if type_of(i) == "message"]
    return "\n".join(text_of(item.get("content")) for item in spoken)


def thoughts_of(message: Message) -> str:
    written = message.get("reasoning_content", message.get("reasoning"))
    if isinstance(written, str) and written:
        return written
    parts: list[str] = []
    for block in blocks_of(message.get("thinking_blocks")):
        thought = block.get("thinking")
        parts += [thought] if isinstance(thought, str) else []
    if message.get("object") == "response":
        for item in blocks_of(message.get("output")):
            parts += [text_of(item.get("summary"))] if type_of(item) == "reasoning" else []
    return "\n".join(parts)
