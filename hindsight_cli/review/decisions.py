"""Which decisions a person may make about an experience, and the entry each one leaves. Pure.

pending -> approved | edited | rejected; each of them can be changed or undone; forgotten
is final. What an agent or a web page wrote into an experience never decides anything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from hindsight_cli.errors import AgentReviewError, ReviewRefusedError
from hindsight_cli.records.experience import (
    Content,
    Experience,
    ExperienceState,
    Layer,
    Origin,
    ReviewStatus,
    experience_to_dict,
)
from hindsight_cli.records.jsonvalue import JsonValue
from hindsight_cli.records.ledger import HUMAN, EntryKind, LedgerEntry

AGENT_VARIABLES = (
    *("HINDSIGHT_CLI_SESSION", "CLAUDECODE", "CODEX_THREAD_ID", "GEMINI_CLI", "QWEN_CODE"),
    "OPENCODE",
)
# What the guard only wants a person to look at: one key approves, `--all-safe` does not.
LOOK_CLOSER = frozenset(
    {
        *("untried_literal", "quote_not_verbatim", "claim_not_cited", "success_not_final"),
        *("workaround_unmarked", "duplicate"),
    }
)
ALLOW_VARIABLE = "HINDSIGHT_CLI_ALLOW_AGENT_REVIEW"


def refuse_inside_agent(env: Mapping[str, str]) -> None:
    """A fence, not a wall: an agent's shell is not a person.

    Raises:
        AgentReviewError: `env` is that of an agent's session.
    """
    if variable := agent_variable(env):
        raise AgentReviewError(variable)


def agent_variable(env: Mapping[str, str]) -> str:
    """What shows that `env` is that of an agent's session; "" for a person's, or if allowed."""
    if env.get(ALLOW_VARIABLE) == "1":
        return ""
    return next((name for name in AGENT_VARIABLES if env.get(name)), "")


def is_safe(experience: Experience) -> bool:
    """Whether it may be approved among many: nothing about it asks for a closer look."""
    plain = not experience.risk and not experience.content.workaround
    return plain and experience.origin is not Origin.EXTERNAL


def needs_confirmation(experience: Experience) -> str:
    """Why approving asks for a typed confirmation, or "" when one key is enough."""
    reasons = []
    if experience.origin is Origin.EXTERNAL:
        reasons.append("its words come only from a tool's output")
    if grave := [r for r in experience.risk if r not in LOOK_CLOSER]:
        reasons.append(f"risk: {', '.join(grave)}")
    return "; ".join(reasons)


class Decider:
    """Makes the entries of one decision taken at one moment."""

    def __init__(self, *, entry_id: str, at: str, base: Sequence[str] = ()) -> None:
        self._entry_id = entry_id
        self._at = at
        self._base = list(base)  # the decisions this one is made upon

    def approve(
        self, state: ExperienceState, *, confirmed: bool, seen_hash: str | None = None
    ) -> LedgerEntry:
        """Approve what the person saw.

        Raises:
            ReviewRefusedError: it changed since it was shown, is already approved, was
                forgotten, or needs a confirmation that was not given.
        """
        _refuse_forgotten(state)
        experience = state.experience
        if state.retrievable and not state.stale:
            raise ReviewRefusedError(f"{experience.experience_id} is approved already.")
        if seen_hash is not None and seen_hash != experience.content.content_hash:
            raise ReviewRefusedError(
                f"{experience.experience_id} changed since it was shown.",
                hint="Read it again, then decide.",
            )
        _refuse_unconfirmed(experience, confirmed=confirmed)
        return self._entry(EntryKind.APPROVED, experience)

    def edit(
        self, state: ExperienceState, content: Content, *, risk: Sequence[str], confirmed: bool
    ) -> LedgerEntry:
        """Approve new words in place of those proposed; the id and the citations stay.

        `risk` is that of the new words.

        Raises:
            ReviewRefusedError: it was forgotten, or needs a confirmation not given.
        """
        _refuse_forgotten(state)
        experience = replace(state.experience, content=content, risk=tuple(risk))
        _refuse_unconfirmed(experience, confirmed=confirmed)
        return self._entry(EntryKind.EDITED, replace(experience, origin=Origin.USER))

    def promote(self, state: ExperienceState) -> LedgerEntry:
        """From a tip for one case to a principle; words and citations stay.

        Raises:
            ReviewRefusedError: it is not approved, or general already.
        """
        experience = state.experience
        if not state.retrievable:
            raise ReviewRefusedError(
                f"{experience.experience_id} is {state.status}, not approved.",
                hint="Approve it first.",
            )
        if experience.content.layer is Layer.GENERAL:
            raise ReviewRefusedError(f"{experience.experience_id} is general already.")
        content = replace(experience.content, layer=Layer.GENERAL)
        return self._entry(EntryKind.PROMOTED, replace(experience, content=content))

    def reject(self, state: ExperienceState, reason: str) -> LedgerEntry:
        _refuse_forgotten(state)
        if state.status is ReviewStatus.REJECTED:
            raise ReviewRefusedError(f"{state.experience.experience_id} is rejected already.")
        return self._entry(EntryKind.REJECTED, state.experience, reason=reason)

    def verify(self, state: ExperienceState) -> LedgerEntry:
        """It still holds: fresh again from this moment."""
        if not state.retrievable:
            raise ReviewRefusedError(
                f"{state.experience.experience_id} is {state.status}, not approved.",
                hint="Approve it instead.",
            )
        return self._entry(EntryKind.VERIFIED, None, experience_id=state.experience.experience_id)

    def undo(self, entry: LedgerEntry) -> LedgerEntry:
        return self._entry(
            EntryKind.UNDONE, None, experience_id=entry.experience_id, entry_id=entry.entry_id
        )

    def forget(self, state: ExperienceState, sketch: Sequence[int]) -> LedgerEntry:
        """A tombstone without content; the sketch keeps the same text from coming back."""
        return self._entry(
            EntryKind.FORGOTTEN,
            None,
            experience_id=state.experience.experience_id,
            sketch=list(sketch),
            experience_kind=state.experience.content.kind.value,
        )

    def _entry(
        self,
        kind: EntryKind,
        experience: Experience | None,
        *,
        experience_id: str = "",
        **data: JsonValue,
    ) -> LedgerEntry:
        if experience is not None:
            experience_id = experience.experience_id
            data["experience"] = experience_to_dict(experience)
            data["content_hash"] = experience.content.content_hash
        return LedgerEntry(
            entry_id=self._entry_id,
            entry=kind,
            experience_id=experience_id,
            at=self._at,
            by=HUMAN,
            data={**{k: v for k, v in data.items() if v not in ("", None)}, "base": self._base},
        )


def _refuse_unconfirmed(experience: Experience, *, confirmed: bool) -> None:
    why = needs_confirmation(experience)
    if why and not confirmed:
        raise ReviewRefusedError(
            f"{experience.experience_id} needs your explicit word ({why}).",
            hint=f"Read it, then repeat the command with --confirm {experience.experience_id}.",
        )


def _refuse_forgotten(state: ExperienceState) -> None:
    if state.status is ReviewStatus.FORGOTTEN:
        raise ReviewRefusedError(
            f"{state.experience.experience_id} was forgotten: its text is gone.",
            hint="Add it again by hand with `hindsight experiences add`.",
        )
