"""What a format reader yields: native records, before capture numbers and redacts them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, runtime_checkable

from hindsight_cli.records.event import Actor, EventType, Status, ToolKind
from hindsight_cli.records.jsonvalue import JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionInfo:
    """The agent process a record belongs to."""

    session_id: str  # the agent's own id, or one derived from content; any characters
    agent: str  # claude-code, tau-bench, openai-messages ...
    agent_version: str | None = None
    cwd: str | None = None
    model: str | None = None
    parent_session_id: str | None = None  # set for subagents
    parent_call_id: str | None = None
    forked_from: str | None = None  # the session whose history it goes on from
    one_task: bool | None = None  # True: no message in it begins another task, whatever it says
    closes: bool | None = None  # True: the agent records its end, so without one it was cut off


@dataclass(frozen=True, slots=True, kw_only=True)
class Blob:
    """An image or other binary inside a record; stored aside, never in an event."""

    mime: str
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftEvent:
    """One event without number, trace, attempt or importance: capture assigns those.

    `text` is the full text: message, reasoning or tool output. On tool results
    `status` and `status_rule` are what the reader derived (capture/status.py);
    `native_status` is the agent's own flag.
    """

    event_type: EventType
    actor: Actor
    timestamp: str | None = None
    text: str = ""
    tool_name: str | None = None
    tool_kind: ToolKind | None = None
    server: str | None = None
    call_id: str | None = None
    input: JsonValue = None
    status: Status | None = None
    status_rule: str | None = None
    native_status: str | None = None
    exit_code: int | None = None
    error_type: str | None = None
    duration_ms: int | None = None
    injected: bool = False
    blobs: tuple[Blob, ...] = ()
    extra: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """One native record: a line of a transcript, a message of a list.

    No events means the record is known and carries nothing to keep. `known`
    False means its type is unknown to the reader: it is kept as an `other` event
    and counted by type.
    """

    session: SessionInfo
    line: int  # line or index of the message, from 1
    native_type: str
    native_id: str | None = None  # stable id inside the session; None: capture derives one
    events: tuple[DraftEvent, ...] = ()
    usage: Mapping[str, JsonValue] | None = None
    known: bool = True


def size_of(draft: Draft) -> int:
    """About how much a record holds in memory, in characters: texts, arguments, binaries."""
    size = 0
    for event in draft.events:
        size += len(event.text) + sum(len(blob.data) for blob in event.blobs)
        todo: list[JsonValue] = [event.input, event.extra] if event.extra else [event.input]
        while todo:
            value = todo.pop()
            if isinstance(value, str):
                size += len(value)
            elif isinstance(value, Mapping):
                todo.extend(value.values())
            elif isinstance(value, list | tuple):
                todo.extend(value)
    return size


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A record that could not be read; everything round it was."""

    line: int
    reason: str
    excerpt: str = ""  # first 80 characters, not redacted yet


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which sessions are asked for of a file that holds those of many runs."""

    folders: tuple[str, ...]  # begun in one of these,
    since_ms: int = 0  # and at work at some time since then; milliseconds since 1970


class Format(Protocol):
    """What a plugin registers under `hindsight.formats`: a module with these names."""

    def recognizes(self, path: Path, head: bytes) -> bool:
        """Whether the file is of this format, judged by its beginning.

        `head` is the first line and 64 KiB more, in whole lines; of one longer than
        16 MiB, its beginning.
        """
        ...

    def read(self, path: Path) -> Iterator[Draft | Problem]:
        """Every native record of the file in order, streaming, one bad record isolated."""
        ...


@runtime_checkable
class StoreFormat(Format, Protocol):
    """A format whose files hold the sessions of many runs."""

    def folders(self, path: Path) -> list[str]:
        """Where the sessions in the file began, each folder once.

        Raises:
            StorageError: `path` cannot be read.
        """
        ...

    def extract(self, path: Path, target: Path, selection: Selection) -> None:
        """Write the sessions asked for, and no others, to a new file of the same format.

        Raises:
            StorageError: `path` cannot be read.
        """
        ...
