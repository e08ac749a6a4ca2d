"""What injecting has done so far, in counts. Source: docs/explanation/learning-from-outcomes.md."""

from __future__ import annotations

import math
from dataclasses import dataclass

from hindsight_cli.api.experiences import list_experiences
from hindsight_cli.api.project import Project
from hindsight_cli.api.receipts import receipts_in
from hindsight_cli.records.experience import ReviewStatus

ENOUGH = 10  # followed outcomes; with fewer the interval leaves room for anything
_Z = 1.96  # 95 %


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """The outcomes of the runs that followed an experience, with a 95 % interval."""

    experience_id: str
    shown: int
    followed: int
    success: int  # followed, and so is failure
    failure: int
    low: float  # of the share of success, 0..1
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Impact:
    injections: int
    followed: int
    success: int
    failure: int
    low: float
    high: float
    by_experience: tuple[Effect, ...]  # those shown, the most followed first

    @property
    def is_enough(self) -> bool:
        return self.success + self.failure >= ENOUGH


def impact_of(project: Project) -> Impact:
    """Counts of injections, and of how runs ended that followed what was shown.

    Counts of an experience begin anew with new words or a new approval.

    Raises:
        StorageError: the ledger cannot be read.
    """
    entries = project.ledger.read()[0]
    states = [s for s in list_experiences(project, tuple(ReviewStatus)) if s.shown]
    effects = []
    for s in states:
        low, high = wilson(s.success, s.success + s.failure)
        effects.append(
            Effect(
                experience_id=s.experience.experience_id,
                shown=s.shown,
                followed=s.followed,
                success=s.success,
                failure=s.failure,
                low=low,
                high=high,
            )
        )
    effects.sort(key=lambda e: (-e.followed, -e.shown, e.experience_id))
    success, failure = sum(e.success for e in effects), sum(e.failure for e in effects)
    low, high = wilson(success, success + failure)
    return Impact(
        injections=len({r.injection_id for r in receipts_in(entries)}),
        followed=sum(e.followed for e in effects),
        success=success,
        failure=failure,
        low=low,
        high=high,
        by_experience=tuple(effects),
    )


def wilson(hits: int, total: int) -> tuple[float, float]:
    """95 % interval of a share; (0, 1) when nothing is known. Source: Wilson, JASA 1927."""
    if not total:
        return 0.0, 1.0
    share, z2 = hits / total, _Z * _Z
    middle = share + z2 / (2 * total)
    spread = _Z * math.sqrt(share * (1 - share) / total + z2 / (4 * total * total))
    scale = 1 + z2 / total
    return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)
