"""Which transcript formats are installed, and which one a file has."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, cast

from hindsight_cli.capture.draft import Format
from hindsight_cli.errors import FormatNotFoundError

if TYPE_CHECKING:  # a hook needs what stands beside this, and none of the formats
    from importlib.metadata import EntryPoint

GROUP = "hindsight.formats"
_HEAD_BYTES = 64 * 1024
_MAX_LINE_BYTES = 16 * 1024 * 1024
# Tried last: nearly every agent's file holds something that looks like chat messages.
_GENERIC = "messages"
_reported: set[str] = set()  # a broken plugin is worth one traceback, not one a file


def format_names() -> list[str]:
    """Names of the installed formats, in the order in which they are tried on a file."""
    return [entry.name for entry in _entries()]


def load_format(name: str) -> Format:
    """Import one format.

    Raises:
        FormatNotFoundError: nothing is registered under `name`.
    """
    for entry in _entries():
        if entry.name == name:
            return cast("Format", entry.load())
    raise FormatNotFoundError(name, installed=format_names())


def detect_format(path: Path) -> str | None:
    """The name of the first format that recognises the beginning of the file, or None."""
    head = _head(path)
    for name, reader in _loadable():
        if reader.recognizes(path, head):
            return name
    return None


def _head(path: Path) -> bytes:
    """The first line and 64 KiB more, up to a line's end.

    A session may begin with a log somebody pasted. Of a line that goes on for longer
    than can be looked at, only the beginning is given.
    """
    with path.open("rb") as file:
        first = file.readline(_MAX_LINE_BYTES)
        if len(first) == _MAX_LINE_BYTES and not first.endswith(b"\n"):
            return first[:_HEAD_BYTES]
        more = file.read(_HEAD_BYTES)
        if more and not more.endswith(b"\n"):
            more += file.readline(_MAX_LINE_BYTES)
        return first + more


def _entries() -> list[EntryPoint]:
    from importlib.metadata import entry_points

    unique = {entry.name: entry for entry in entry_points(group=GROUP)}
    return [unique[name] for name in sorted(unique, key=lambda name: (name == _GENERIC, name))]


def _loadable() -> Iterator[tuple[str, Format]]:
    for entry in _entries():
        try:
            yield entry.name, cast("Format", entry.load())
        except Exception:  # a stranger's plugin must not take the others down
            if entry.name not in _reported:
                _reported.add(entry.name)
                import logging

                log = logging.getLogger(__name__)
                log.exception("format plugin %r could not be loaded", entry.name)
