"""What a message is, and of which id, without reading all of a long one."""

from __future__ import annotations

import json
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hindsight_cli.records.jsonvalue import JsonValue

WHOLE_BYTES = 16 * 1024  # parsed as it is
_MOST_PARSED_BYTES = 1024 * 1024
_MOST_BYTES_OF_ENDS = 4096
_SCALAR = rb'(?:"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|null|true|false)'
_MEMBER = re.compile(rb'\s*("(?:jsonrpc|id|method)")\s*:\s*(' + _SCALAR + rb")\s*,")
_LAST_MEMBERS = re.compile(rb'((?:,\s*"(?:jsonrpc|id|method)"\s*:\s*' + _SCALAR + rb"\s*)+)\}\s*\Z")
_ONE_MEMBER = re.compile(rb',\s*("(?:jsonrpc|id|method)")\s*:\s*(' + _SCALAR + rb")")
_CONTAINER = re.compile(rb'\s*"(result|error|params)"\s*:')


class Envelope:
    """A request has a method and an id, a notification only a method, a response only an id."""

    __slots__ = ("has_id", "id", "method")

    def __init__(self, members: Mapping[str, JsonValue]) -> None:
        method = members.get("method")
        self.method: str | None = method if isinstance(method, str) else None
        self.has_id = "id" in members
        self.id: JsonValue = members.get("id")

    @property
    def key(self) -> str:
        """The id as text: 1 and "1" are two ids."""
        return id_key(self.id)

    @property
    def is_request(self) -> bool:
        return self.has_id and self.method is not None

    @property
    def is_response(self) -> bool:
        return self.has_id and self.method is None


def id_key(value: JsonValue) -> str:
    return json.dumps(value)


def envelopes_of(data: bytes, end: bytes = b"") -> list[Envelope]:
    """Those of a line: several for a batch, none where it cannot be told.

    `end`: the last bytes of a line of which `data` is only the beginning.
    """
    if not end and len(data) <= WHOLE_BYTES:
        return _parsed(data)
    members = _members_at_ends(data, end or data[-_MOST_BYTES_OF_ENDS:])
    if "id" in members:
        return [Envelope(members)]
    return _parsed(data) if not end and len(data) <= _MOST_PARSED_BYTES else []


def _parsed(data: bytes) -> list[Envelope]:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return []
    items = value if isinstance(value, list) else [value]
    return [Envelope(item) for item in items if isinstance(item, dict)]


def _members_at_ends(data: bytes, end: bytes) -> dict[str, JsonValue]:
    """Members of the outermost object before its first container, and after its last one.

    Those at the end stand right before the brace that closes the line, so they cannot lie
    inside anything.
    """
    found: list[tuple[bytes, bytes]] = []
    head = data[:_MOST_BYTES_OF_ENDS].lstrip()
    at = 1 if head[:1] == b"{" else len(head)
    while (member := _MEMBER.match(head, at)) is not None:
        found.append((member[1], member[2]))
        at = member.end()
    if _CONTAINER.match(head, at) is None:
        return {}
    last = _LAST_MEMBERS.search(end[-_MOST_BYTES_OF_ENDS:])
    if last is not None:
        found += _ONE_MEMBER.findall(last[1])
    try:
        return {json.loads(name): json.loads(value) for name, value in found}
    except ValueError:
        return {}
