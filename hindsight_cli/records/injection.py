"""What was put before an agent: the receipt that an outcome is credited to later."""

from __future__ import annotations

from dataclasses import dataclass

TAG = "hindsight-experience"  # of the element that holds what is put before an agent


@dataclass(frozen=True, slots=True, kw_only=True)
class Injection:
    injection_id: str  # "" when nothing was injected
    text: str  # "" when nothing was injected
    experience_ids: tuple[str, ...]
    tokens: int  # estimated
    reason: str = ""  # why nothing was injected
