"""Which experiences stand in which list, and which of them a filter lets through. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum

from hindsight_cli.records.experience import ExperienceState, ReviewStatus


class ListName(StrEnum):
    """In the order of their keys, 1 to 4."""

    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"
    STALE = "stale"  # in need of another look: stale, or suspended because it seemed to harm


def belongs(state: ExperienceState, name: ListName) -> bool:
    if name is ListName.STALE:
        return state.stale or state.status is ReviewStatus.SUSPENDED
    return state.status == name.value


def counts_of(states: Iterable[ExperienceState]) -> Mapping[ListName, int]:
    counts = dict.fromkeys(ListName, 0)
    for state in states:
        for name in ListName:
            counts[name] += belongs(state, name)
    return counts


def passes(state: ExperienceState, query: str) -> bool:
    """Whether every word of `query` stands in the scenario, the advice or a tool's name."""
    words = query.casefold().split()
    if not words:
        return True
    content = state.experience.content
    tools = [*content.tool_tags, *(c.tool_name or "" for c in content.citations)]
    text = "\n".join((content.scenario, content.recommend, *tools)).casefold()
    return all(word in text for word in words)
