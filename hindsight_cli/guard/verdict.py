"""What the guard says about one candidate."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from hindsight_cli.guard.candidate import Candidate
from hindsight_cli.records.experience import Origin


class Level(StrEnum):
    """What happens to a candidate, mildest first."""

    ACCEPT = "accept"
    REVIEW = "review"  # a human decides, one at a time
    QUARANTINE = "quarantine"  # kept apart; a human has to ask for it
    DROP = "drop"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing found wrong; `code` is stable, `detail` is for people."""

    code: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    verdict: Level
    findings: tuple[Finding, ...]
    risk: tuple[str, ...]
    origin: Origin
    candidate: Candidate  # with its canonical text and the tools really used
