"""The tables and examples of the format pages say what the records say."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from hindsight_cli.records.event import (
    Event,
    EventType,
    Native,
    Status,
    ToolKind,
    event_from_dict,
    event_to_dict,
)
from hindsight_cli.records.experience import (
    Content,
    Experience,
    ExperienceState,
    experience_from_dict,
    experience_id_of,
    experience_to_dict,
)
from hindsight_cli.records.ledger import SHARED_KINDS, EntryKind, LedgerEntry

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
EVENTS = (REFERENCE / "event-format.md").read_text(encoding="utf-8")
EXPERIENCES = (REFERENCE / "experience-format.md").read_text(encoding="utf-8")


def section(page: str, heading: str) -> str:
    """The text from a heading to the next heading of any level."""
    _, _, rest = page.partition(f"\n{heading}\n")
    assert rest, f"no section {heading!r}"
    return re.split(r"\n#{2,} ", rest)[0]


def first_column(text: str) -> list[str]:
    """Every name in backticks in the first column of the first table."""
    table = re.search(r"(?:^\|.*\n)+", text, re.MULTILINE)
    assert table
    rows = table.group().splitlines()[2:]
    return [name for row in rows for name in re.findall(r"`([^`]+)`", row.split("|")[1])]


def example(page: str) -> Any:
    found = re.search(r"```json\n(.*?)```", page, re.DOTALL)
    assert found
    return json.loads(found.group(1))


def names(record: type[Any], *left_out: str) -> list[str]:
    return [f.name for f in fields(record) if f.name not in left_out]


@pytest.mark.parametrize(
    ("page", "heading", "documented"),
    [
        (EVENTS, "## Fields", names(Event, "unknown")),
        (EVENTS, "## Event types", list(EventType)),
        (EVENTS, "## Status", list(Status)),
        (EXPERIENCES, "## Content", names(Content)),
        (EXPERIENCES, "## Experience", names(Experience)),
    ],
    ids=["event", "event type", "status", "content", "experience"],  # not whole pages
)
def test_a_table_names_every_field_in_order(page: str, heading: str, documented: list[str]) -> None:
    assert first_column(section(page, heading)) == documented


def test_the_ledger_section_names_every_field_and_the_file_of_every_entry() -> None:
    ledger = section(EXPERIENCES, "## Ledger")
    rows = dict(re.findall(r"^\| `\.hindsight/(\w+)\.jsonl` \| ([^|]+)\|", ledger, re.MULTILINE))
    shared = set(re.findall(r"`(\w+)`", rows["experiences"]))
    local = set(re.findall(r"`(\w+)`", rows["local"]))

    assert shared == set(SHARED_KINDS)
    assert local == set(EntryKind) - SHARED_KINDS
    for field in names(LedgerEntry):
        assert f"| `{field}` |" in ledger


def test_the_state_table_names_every_field_of_the_state() -> None:
    table = first_column(section(EXPERIENCES, "### From entries to a state"))

    assert set(table) == set(names(ExperienceState, "experience"))


def test_the_text_names_every_tool_kind_and_native_field() -> None:
    for name in [*ToolKind, *names(Native)]:
        assert f"`{name}`" in EVENTS


def test_the_example_event_is_one_whole_line() -> None:
    data = example(EVENTS)

    assert event_to_dict(event_from_dict(data)) == data


def test_the_example_experience_is_whole_and_has_the_id_and_hash_given() -> None:
    data = example(EXPERIENCES)
    experience = experience_from_dict(data)
    steps = tuple(c.step_index for c in experience.content.citations)

    assert json.loads(json.dumps(experience_to_dict(experience))) == data
    assert experience.experience_id == experience_id_of(
        experience.trace_id or "", experience.content.kind, steps
    )
    assert experience.content.content_hash in EXPERIENCES
