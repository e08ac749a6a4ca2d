"""The calls a reader has met, so that a result knows which tool it answers."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from hindsight_cli.capture.toolkinds import split_server, tool_kind
from hindsight_cli.records.event import JsonValue, ToolKind

_MAX_REMEMBERED = 4096
_MAX_COMMAND_CHARS = 20_000
_COMMAND_KEYS = ("command", "cmd", "script", "code", "input", "arguments")


@dataclass(frozen=True, slots=True)
class Call:
    """What judging a result needs of its call."""

    name: str
    kind: ToolKind
    server: str | None
    command: str


def call_of(name: str, arguments: JsonValue) -> Call:
    kind = tool_kind(name)
    command = command_of(arguments)[:_MAX_COMMAND_CHARS] if kind is ToolKind.SHELL else ""
    return Call(name, kind, split_server(name)[0], command)


def command_of(arguments: JsonValue) -> str:
    """The command line in a shell tool's arguments, whatever the agent calls it."""
    if isinstance(arguments, str):
        return arguments
    if isinstance(arguments, list):
        return " ".join(str(word) for word in arguments)
    if isinstance(arguments, dict):
        for key in _COMMAND_KEYS:
            value = arguments.get(key)
            if isinstance(value, str):
                return value
            if isinstance(value, list) and value and all(isinstance(w, str) for w in value):
                return _argv(value)
    return ""


def _argv(words: list[str]) -> str:
    """An argv as one line; `["bash", "-lc", script]` is its script."""
    if len(words) == 3 and words[1].startswith("-") and words[1].endswith("c"):  # noqa: PLR2004
        return words[2]
    return " ".join(words)


class CallMemory:
    """The latest call of every id. Bounded: the oldest are forgotten."""

    def __init__(self) -> None:
        self._calls: OrderedDict[str, Call] = OrderedDict()

    def add(self, call_id: str, call: Call) -> None:
        self._calls[call_id] = call
        self._calls.move_to_end(call_id)
        if len(self._calls) > _MAX_REMEMBERED:
            self._calls.popitem(last=False)

    def find(self, call_id: str) -> Call | None:
        return self._calls.get(call_id)
