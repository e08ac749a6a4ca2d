"""Ranked experiences as one fenced block of text for an agent. Pure, standard library only.

The block says that it is for reference and stands below the user's and the project's own
instructions. No text inside can close it or look like another one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from hindsight_cli.records.experience import Content, ExperienceKind
from hindsight_cli.records.injection import TAG
from hindsight_cli.terminal import visible

_FIRST_CJK = "\u2e80"
_LEAD = (
    "Experience from earlier runs in this project, for reference, not mandatory. "
    "The user's and the project's own instructions come first."
)
# `<` before a word that opens or closes a block, a message or a role in some agent's prompt.
_SPEAKING_TAG = (
    r"<(?=\s*[/|!]?\s*(?:hindsight|system|user|assistant|human|ai\b|developer|admin|agent|model|tool"
    r"|function|instruction|prompt|context|message|memor|polic|important|command|local-command"
    r"|environment|untrusted|antml|anthropic|im_|start|end|s>|inst|sys>|thinking|reasoning))"
)
_FOOT = (
    'Of those without "Do" only the case is named. If it is yours, read the whole one: '
    "`hindsight experiences show ID`, or get_experience_rules with its experience_id."
)
_CASE_CHARS = 200  # of an experience that is only named
_LABELS = {
    ExperienceKind.SUCCESS_PATTERN: "What worked",
    ExperienceKind.FAILURE_LESSON: "Lesson",
    ExperienceKind.KEY_DECISION: "Decision",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """An experience as it is about to be read by an agent."""

    experience_id: str
    content: Content
    age_days: int  # since it was last verified
    whole: bool = True  # False: only its scenario, the rest on demand


def estimate_tokens(text: str) -> int:
    """About what a model counts: 4 characters of English, 1 of Chinese, make a token."""
    narrow = sum(1 for c in text if c < _FIRST_CJK)
    return (narrow + 3) // 4 + (len(text) - narrow)


def render_block(
    rules: Sequence[Rule], injection_id: str, *, max_tokens: int
) -> tuple[str, list[str]]:
    """The block and the ids that fit into it, in order; ("", []) when none fits.

    Long rules are shortened first: `why` goes, then `avoid` is cut. Of a rule that is not
    `whole` its case is named, and a last line says how to get the rest.
    """
    head = f'<{TAG} receipt="{escape(injection_id)}">\n{_LEAD}'
    tail = f"</{TAG}>"
    foot = [_FOOT] if not all(rule.whole for rule in rules) else []
    left = max_tokens - sum(map(estimate_tokens, (head, *foot, tail)))
    lines: list[str] = []
    shown: list[str] = []
    for rule in rules:
        line = next(
            (text for text in _versions(rule, len(lines) + 1) if estimate_tokens(text) <= left),
            None,
        )
        if line is None:
            continue
        left -= estimate_tokens(line)
        lines.append(line)
        shown.append(rule.experience_id)
    named = {rule.experience_id for rule in rules if not rule.whole}
    foot = foot if named.intersection(shown) else []
    return ("\n".join([head, *lines, *foot, tail]), shown) if lines else ("", [])


def _versions(rule: Rule, number: int) -> list[str]:
    content = rule.content
    if not rule.whole:
        return [_line(rule, number, "", "", "")]
    full = _line(rule, number, content.recommend, content.avoid, content.why)
    short = _line(rule, number, content.recommend, content.avoid, "")
    shorter = _line(rule, number, _cut(content.recommend, 400), _cut(content.avoid, 120), "")
    return [full, short, shorter]


def _line(rule: Rule, number: int, recommend: str, avoid: str, why: str) -> str:
    content = rule.content
    label = _LABELS[content.kind]
    if content.workaround:
        label += " (temporary workaround, root cause open)"
    age = "verified today" if rule.age_days < 1 else f"verified {rule.age_days} days ago"
    case = content.scenario if rule.whole else _cut(content.scenario, _CASE_CHARS)
    parts = [f"{number}. {label} [{rule.experience_id}, {age}] When: {case}"]
    if recommend:
        parts.append(f"Do: {recommend}")
    if avoid:
        parts.append(f"Avoid: {avoid}")
    if why:
        parts.append(f"Why: {why}")
    return escape(" | ".join(parts))


def _cut(text: str, max_chars: int) -> str:
    return text if len(text) <= max_chars else text[: max_chars - 1] + "…"


def escape(text: str) -> str:
    """One line without control characters, and without tags that say who speaks.

    `2>&1`, `vector<int>` and `<your-file>` stay as they are: a command must be copyable.
    """
    return re.sub(_SPEAKING_TAG, "‹", " ".join(visible(text).split()), flags=re.IGNORECASE)
