"""The calls a reader has met, so that a result knows which tool it answers."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from hindsight_cli.capture.toolkinds import split_server, tool_kind
from hindsight_cli.records.event import ToolKind
from hindsight_cli.records.jsonvalue import JsonValue

_MAX_REMEMBERED = 4096
_MAX_COMMAND_CHARS = 20_000
_COMMAND_KEYS = ("command", "cmd", "script", "code", "input", "arguments", "keystrokes")


@dataclass(frozen=True, slots=True)
class Call:
    """What judging a result needs of its call."""

    name: str
    kind: ToolKind
    server: str | None
    command: str


def call_of(name: str, arguments: JsonValue) -> Call:
    kind = tool_kind(name, arguments)
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
    """Every call by its id, the latest of those that share one. Bounded: old ones are forgotten."""

    def __init__(self) -> None:
        self._calls: OrderedDict[str, Call] = OrderedDict()

    def add(self, call_id: str, call: Call) -> None:
        self._calls[call_id] = call
        self._calls.move_to_end(call_id)
        if len(self._calls) > _MAX_REMEMBERED:
            self._calls.popitem(last=False)

    def find(self, call_id: str) -> Call | None:
        return self._calls.get(call_id)


class OpenCalls:
    """Calls of a chat in the order made, each until its answer comes.

    Ids repeat within a run, and older protocols have none: an answer belongs to the
    first open call with its id in the latest turn that has one, else to the first
    open call of its tool, else to the first open call of all.
    """

    def __init__(self) -> None:
        self._open: list[tuple[int, str | None, Call]] = []

    def add(self, turn: int, call_id: str | None, call: Call) -> None:
        self._open.append((turn, call_id, call))
        del self._open[:-_MAX_REMEMBERED]

    def answer(self, call_id: str | None, name: str | None) -> tuple[str | None, Call] | None:
        """Take the call that a result answers, with the id it was made under."""
        by_id = [entry for entry in self._open if call_id and entry[1] == call_id]
        by_name = [entry for entry in self._open if name and entry[2].name == name]
        if by_id:
            latest = max(entry[0] for entry in by_id)
            found = next(entry for entry in by_id if entry[0] == latest)
        elif call_id and any(entry[1] for entry in self._open):
            return None
        elif by_name or self._open:
            found = (by_name or self._open)[0]
        else:
            return None
        self._open.remove(found)
        return found[1], found[2]
