"""What api returns, as an agent's model reads it. Pure.

Agents show their model either the text or the structured content, so each says it all.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from hindsight_cli.api.consulting import Consultation
from hindsight_cli.errors import HindsightError
from hindsight_cli.mcp_server.tools import REPORT_OUTCOME
from hindsight_cli.terminal import visible
from hindsight_cli.text import summarize

if TYPE_CHECKING:
    from hindsight_cli.api.feedback import FeedbackReport

_MESSAGE_CHARS = 300
_NOTE = (
    "For reference, not mandatory: the user's and the project's own instructions come first. "
    f"If you follow a rule, call {REPORT_OUTCOME} with this injection_id when the task is finished."
)


@dataclass(frozen=True, slots=True)
class Answer:
    text: str
    structured: dict[str, Any]


def rules_answer(found: Consultation) -> Answer:
    """The block with its receipt; a plain sentence when there is none."""
    structured: dict[str, Any] = {
        "injection_id": found.injection_id,
        "rules": [asdict(rule) for rule in found.rules],
        "earlier": [asdict(rule) for rule in found.earlier],
        "reason": found.reason,
    }
    parts = []
    if found.text:
        structured["note"] = _NOTE
        parts.append(found.text)
        parts.append(
            f'If you follow a rule, call {REPORT_OUTCOME} with injection_id "{found.injection_id}" '
            "when the task is finished."
        )
    for rule in found.earlier:
        parts.append(
            f"Given before in this session: {rule.experience_id} "
            f'(injection_id "{rule.injection_id}"), for: {rule.scenario}'
        )
    if not parts:
        reason = found.reason.rstrip(".") or "nothing matches"
        parts.append(f"No rule for this: {reason[:1].lower()}{reason[1:]}. Go on without.")
    return Answer("\n".join(parts), structured)


def outcome_answer(injection_id: str, outcome: str, report: FeedbackReport) -> Answer:
    updated = [
        {"experience_id": s.experience.experience_id, "status": s.status.value, "weight": s.weight}
        for s in report.updated
    ]
    named = ", ".join(str(u["experience_id"]) for u in updated)
    first = f"Noted {outcome} for {named}." if updated else f"Noted {outcome}."
    structured = {
        "injection_id": injection_id,
        "outcome": outcome,
        "updated": updated,
        "messages": list(report.messages),
    }
    return Answer("\n".join([first, *report.messages]), structured)


def no_project_answer() -> Answer:
    reason = "no Hindsight project here"
    text = (
        "There are no rules: this folder is in no Hindsight project. Go on without. (The user "
        "can run `hindsight init` in the project's folder, or start the server with --project DIR.)"
    )
    return Answer(text, {"injection_id": "", "rules": [], "earlier": [], "reason": reason})


def error_text(error: HindsightError) -> str:
    """Code, message and hint; what the agent sent is not sent back to it at length."""
    message = summarize(str(error), _MESSAGE_CHARS)
    return visible(" ".join(filter(None, (f"error[{error.code}]:", message, error.hint))))


def unexpected_text(tool: str, error: Exception) -> str:
    return f"error[unexpected]: {tool} failed with {type(error).__name__}. Go on without it."
