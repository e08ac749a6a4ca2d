"""What kinds and flags are called on screen, and the tone each is shown in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hindsight_cli.records.experience import (
    ExperienceKind,
    ExperienceState,
    Origin,
    ReviewStatus,
)
from hindsight_cli.review.decisions import LOOK_CLOSER
from hindsight_cli.terminal import visible

KINDS = {
    ExperienceKind.FAILURE_LESSON: ("failure lesson", "$error"),
    ExperienceKind.SUCCESS_PATTERN: ("success pattern", "$success"),
    ExperienceKind.KEY_DECISION: ("key decision", "$primary"),
}
LETTERS = {
    ExperienceKind.FAILURE_LESSON: "F",
    ExperienceKind.SUCCESS_PATTERN: "S",
    ExperienceKind.KEY_DECISION: "K",
}
_DOUBTS = {
    "untried_literal": "a command or name nobody tried in this run",
    "quote_not_verbatim": "a quotation that is not word for word",
    "claim_not_cited": "claims something its steps do not show",
    "success_not_final": "the success it tells of did not last to the end",
    "workaround_unmarked": "gets past the problem; the root cause stays open",
    "duplicate": "nearly the same as another one",
}
_RISKS = {
    "instruction_override": "tells an agent to ignore its instructions",
    "role_forgery": "poses as a system or a user speaking",
    "concealment": "tells an agent to hide something",
    "addresses_memory_or_approval": "speaks of its own approval or of memory",
    "misreport": "has results told otherwise than they are",
    "hidden_trigger": "waits for a secret sign",
    "tool_hijack": "puts another tool in the place of one",
    "redirection": "sends traffic or downloads elsewhere",
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
    if grave := [r for r in experience.risk if r not in LOOK_CLOSER]:
        flags.append(Flag("risk", "$error", _told(grave, _RISKS)))
    if experience.origin is Origin.EXTERNAL:
        flags.append(Flag("external", "$error", "its words come only from a tool's output"))
    if doubts := [r for r in experience.risk if r in LOOK_CLOSER]:
        flags.append(Flag("look closer", "$warning", _told(doubts, _DOUBTS)))
    if not state.trusted:
        flags.append(Flag("untrusted", "$warning", "approved by somebody else, not by you"))
    if state.status is ReviewStatus.SUSPENDED:
        flags.append(Flag("suspended", "$error", visible(state.reason) or "it seemed to harm"))
    if state.stale:
        flags.append(Flag("stale", "$warning", visible(state.stale_reason)))
    if experience.content.workaround:
        flags.append(Flag("workaround", "$warning", "temporary: the root cause is open"))
    return flags


def sign_of(state: ExperienceState) -> tuple[str, str]:
    """The weightiest flag as one character and its tone; a blank without any."""
    tones = [flag.tone for flag in flags_of(state)]
    if not tones:
        return " ", "$warning"
    return ("!", "$error") if "$error" in tones else ("?", "$warning")


def _told(codes: Sequence[str], words: Mapping[str, str]) -> str:
    return "; ".join(words.get(code, visible(code).replace("_", " ")) for code in codes)
