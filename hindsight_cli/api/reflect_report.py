"""What a reflection found, what it proposed, and what it did not and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hindsight_cli.errors import HindsightError
from hindsight_cli.records.attribution import Attribution
from hindsight_cli.records.experience import Experience
from hindsight_cli.records.jsonvalue import JsonValue


@dataclass(frozen=True, slots=True)
class Dropped:
    """A proposal, or a recovery seen by rules, that did not become an experience, and why."""

    code: str
    detail: str
    experience: Mapping[str, JsonValue]  # {} where rules made no proposal of a recovery


@dataclass(slots=True)
class ReflectReport:
    attributions: list[Attribution] = field(default_factory=list)
    proposed: list[Experience] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    problems: list[HindsightError] = field(default_factory=list)  # why rules stood in for a model

    @property
    def is_partial(self) -> bool:
        return bool(self.problems)
