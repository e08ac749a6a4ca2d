"""The experience under review in full, as lines of a given width. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from textual.content import Content

from hindsight_cli.records.experience import ExperienceState, Origin, ReviewStatus
from hindsight_cli.terminal import visible
from hindsight_cli.tui.labels import KINDS, flags_of
from hindsight_cli.tui.layout import DIM, hanging, marked, spread, stacked

_LABEL_WIDTH = 7
_ROOMY = 40  # cells
_FACT_WIDTH = 8
_ORIGINS = {
    Origin.AGENT: "what the agent did",
    Origin.USER: "what the user said",
    Origin.EXTERNAL: "only what a tool returned",
}
_STATUSES = {
    ReviewStatus.PENDING: ("waits for you", "$accent"),
    ReviewStatus.APPROVED: ("approved", "$success"),
    ReviewStatus.REJECTED: ("rejected", "$error"),
    ReviewStatus.SUSPENDED: ("suspended", "$error"),
    ReviewStatus.SUPERSEDED: ("superseded", "$warning"),
    ReviewStatus.FORGOTTEN: ("forgotten", "$warning"),
}


def experience_content(
    state: ExperienceState, pattern: re.Pattern[str] | None, width: int
) -> Content:
    """Every word that an approval would approve, and what stands beside it."""
    lines = [*_head(state, width), Content(""), *_advice(state, pattern, width), Content("")]
    return stacked([*lines, *_facts(state, width)])


def _head(state: ExperienceState, width: int) -> Iterator[Content]:
    word, tone = KINDS[state.experience.content.kind]
    status, status_tone = _STATUSES[state.status]
    yield spread(Content.styled(word, f"bold {tone}"), Content.styled(status, status_tone), width)
    if state.decided_at:
        reason = f": {state.reason}" if state.reason else ""
        told = f"{state.decided_at[:10]} by {state.decided_by or 'somebody'}{reason}"
        yield from hanging(
            Content(), Content("  "), Content.styled(visible(told), status_tone), width
        )
    for flag in flags_of(state):
        label = Content.styled(f"{flag.word}: ", f"bold {flag.tone}")
        line = label + Content.styled(flag.meaning, flag.tone)
        yield from hanging(Content(), Content("  "), line, width)


def _advice(
    state: ExperienceState, pattern: re.Pattern[str] | None, width: int
) -> Iterator[Content]:
    content = state.experience.content
    parts = (
        ("when", content.scenario, "$primary"),
        ("do", content.recommend, "$success"),
        ("avoid", content.avoid, "$error"),
        ("why", content.why, "$secondary"),
    )
    for number, (label, words, tone) in enumerate(p for p in parts if p[1].strip()):
        if number:
            yield Content("")
        body = marked(visible(words).expandtabs(4), pattern)
        if width < _ROOMY:  # a column for the labels would take too much of it
            body = Content.styled(label, f"bold {tone}") + " " + body
            yield from hanging(Content(), Content("  "), body, width)
        else:
            first = Content.styled(label.ljust(_LABEL_WIDTH), f"bold {tone}")
            yield from hanging(first, Content(" " * _LABEL_WIDTH), body, width)


def _facts(state: ExperienceState, width: int) -> Iterator[Content]:
    for label, value in _fact_pairs(state):
        first = Content.styled(label.ljust(_FACT_WIDTH), DIM)
        rest = Content(" " * _FACT_WIDTH)
        yield from hanging(first, rest, Content.styled(visible(value), DIM), width)


def _fact_pairs(state: ExperienceState) -> Iterator[tuple[str, str]]:
    experience, content = state.experience, state.experience.content
    cited = ", ".join(f"{c.step_index} {c.tool_name or ''}".strip() for c in content.citations)
    yield "cites", f"steps {cited}" if cited else "no step: written by hand"
    scope = [*content.scope.paths, *(f"{t} {v}" for t, v in content.scope.tools.items())]
    yield "scope", ", ".join(scope) or "the whole project"
    tags = [*content.tool_tags, *content.task_tags]
    if tags:
        yield "tags", ", ".join(tags)
    yield "origin", _ORIGINS[experience.origin]
    source = experience.source
    votes = f", {source.votes} votes" if source.votes > 1 else ""
    yield "by", f"{source.reflector}{f' ({source.model})' if source.model else ''}{votes}"
    if experience.trace_id:
        yield "trace", experience.trace_id
    yield "id", f"{experience.experience_id}, {content.layer.value}"
    if state.shown:
        yield (
            "used",
            (
                f"shown {state.shown}, followed {state.followed}: "
                f"{state.success} went well, {state.failure} did not"
            ),
        )
