"""What kinds and flags are called on screen, and the tone each is shown in."""

from __future__ import annotations

from dataclasses import dataclass

from hindsight_cli.records.experience import (
    ExperienceKind,
    ExperienceState,
    Origin,
    ReviewStatus,
)
from hindsight_cli.terminal import visible

KINDS = {
    ExperienceKind.FAILURE_LESSON: ("failure lesson", "$error"),
    ExperienceKind.SUCCESS_PATTERN: ("success pattern", "$success"),
    ExperienceKind.KEY_DECISION: ("key decision", "$primary"),
}
_RISKS = {
    "untried_literal": "names something this run did not try",
    "quote_not_verbatim": "quotes words that are not in the record",
    "claim_not_cited": "claims more than the cited steps show",
    "success_not_final": "the success it tells of was not the end of the story",
    "workaround_unmarked": "gets past the problem; the root cause stays open",
    "hidden_text": "held invisible or disguised characters",
    "delete": "deletes things",
    "download_execute": "downloads and runs something",
    "persist": "changes what starts by itself",
    "weaken_security": "weakens a protection",
    "credentials": "touches credentials",
    "exfiltrate": "sends data out",
}


@dataclass(frozen=True, slots=True)
class Flag:
    """Something to know before deciding."""

    word: str
    tone: str
    meaning: str


def flags_of(state: ExperienceState) -> list[Flag]:
    """The flags of an experience, the weightiest first."""
    experience, flags = state.experience, []
    if experience.risk:
        told = "; ".join(_RISKS.get(r, visible(r).replace("_", " ")) for r in experience.risk)
        flags.append(Flag("risk", "$error", told))
    if experience.origin is Origin.EXTERNAL:
        flags.append(Flag("external", "$error", "its words come only from a tool's output"))
    if not state.trusted:
        flags.append(Flag("untrusted", "$warning", "approved by somebody else, not by you"))
    if state.status is ReviewStatus.SUSPENDED:
        flags.append(Flag("suspended", "$error", visible(state.reason) or "it seemed to harm"))
    if state.stale:
        flags.append(Flag("stale", "$warning", visible(state.stale_reason)))
    if experience.content.workaround:
        flags.append(Flag("workaround", "$warning", "temporary: the root cause is open"))
    return flags
