"""Reading a file by one format, for the tests of the formats."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from hindsight_cli.capture.draft import Draft, DraftEvent, Format, Problem
from hindsight_cli.records.event import EventType


def reader_of(reader: Format) -> Callable[[Path], list[Draft]]:
    """A function that reads a whole file by `reader` and fails where it meets a problem."""

    def read(path: Path) -> list[Draft]:
        records = list(reader.read(path))
        assert not [record for record in records if isinstance(record, Problem)]
        return [record for record in records if isinstance(record, Draft)]

    return read


def value_reader_of(reader: Format, name: str) -> Callable[[Path, Any], list[Draft]]:
    """A function that writes a value as JSON to `name` in a folder and reads it."""

    def read_value(folder: Path, value: Any) -> list[Draft]:
        path = folder / name
        path.write_text(json.dumps(value, indent=2), encoding="utf-8")
        return reader_of(reader)(path)

    return read_value


def events(drafts: Iterable[Draft], *types: EventType) -> list[DraftEvent]:
    """The events of the types named, in order; of all when none is."""
    return [e for d in drafts for e in d.events if not types or e.event_type in types]
