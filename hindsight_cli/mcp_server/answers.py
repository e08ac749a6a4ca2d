"""What api returns, as an agent's model reads it. Pure.

Text alone: where an answer has structured content too, Claude Code and others show their
model only that, as JSON, and the block with its "not mandatory" never reaches it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hindsight_cli.api.consulting import Consultation
from hindsight_cli.errors import HindsightError
from hindsight_cli.mcp_server.tools import REPORT_OUTCOME
from hindsight_cli.terminal import visible
from hindsight_cli.text import summarize

if TYPE_CHECKING:
    from hindsight_cli.api.feedback import FeedbackReport

NO_PROJECT = (
    "There are no rules: this folder is in no Hindsight project. Go on without. (The user can "
    "run `hindsight init` in the project's folder, or start the server with --project DIR.)"
)
_MESSAGE_CHARS = 300


def rules_answer(found: Consultation) -> str:
    """The block with its receipt; a plain sentence when there is none."""
    lines = []
    if found.text:
        lines.append(found.text)
        lines.append(
            f'If you follow a rule, call {REPORT_OUTCOME} with injection_id "{found.injection_id}" '
            "when the task is finished."
        )
    for rule in found.earlier:
        lines.append(
            f"Given before in this session: {rule.experience_id} "
            f'(injection_id "{rule.injection_id}"), for: {rule.scenario}'
        )
    if not lines:
        reason = found.reason.rstrip(".") or "nothing matches"
        lines.append(f"No rule for this: {reason[:1].lower()}{reason[1:]}. Go on without.")
    return "\n".join(lines)


def outcome_answer(outcome: str, report: FeedbackReport) -> str:
    """What moved, then what did not and why."""
    moved = ", ".join(
        f"{s.experience.experience_id} ({s.status.value}, weight {s.weight:.2f})"
        for s in report.updated
    )
    first = f"Noted {outcome}: {moved}." if moved else f"Noted {outcome}."
    return "\n".join([first, *report.messages])


def error_text(error: HindsightError) -> str:
    """Code, message and hint; what the agent sent is not sent back to it at length."""
    message = summarize(str(error), _MESSAGE_CHARS)
    return visible(" ".join(filter(None, (f"error[{error.code}]:", message, error.hint))))


def unexpected_text(tool: str, error: Exception) -> str:
    return f"error[unexpected]: {tool} failed with {type(error).__name__}. Go on without it."
