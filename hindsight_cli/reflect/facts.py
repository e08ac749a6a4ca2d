"""What rules find in a trace, as a model is told it: one fact a line. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hindsight_cli.records.event import Outcome
from hindsight_cli.records.jsonvalue import JsonValue
from hindsight_cli.reflect.rules import Reflection
from hindsight_cli.text import one_line

_MOST = 40  # lines
_CHARS = 300  # of a line
_WORDS = {
    "en": {
        "outcome": "outcome {outcome}, known from: {source}",
        "recovery": "step {failed} failed, step {fixed} ended that failure",
        "detour": "step {step} led nowhere: {reason}",
        "workaround": "step {step} is a workaround: {reason}",
        "unchecked": "no check was run after the changes of steps {steps}",
        "lesson": "{kind} about steps {steps}: {scenario} {recommend}",
        "more": "… and {count} more",
    },
    "zh": {
        "outcome": "结果 {outcome}，依据：{source}",
        "recovery": "第 {failed} 步失败，第 {fixed} 步解决了它",
        "detour": "第 {step} 步是弯路：{reason}",
        "workaround": "第 {step} 步是临时绕过：{reason}",
        "unchecked": "第 {steps} 步改动之后没有再做检查",
        "lesson": "{kind}，涉及第 {steps} 步：{scenario} {recommend}",
        "more": "…… 还有 {count} 条",
    },
}


def facts_text(found: Reflection, language: str) -> str:
    """At most 40 lines in `language`, the telling ones first; "-" when rules found nothing."""
    lines = [f"- {one_line(line, _CHARS)}" for line in _facts(found, _WORDS[language])]
    if len(lines) > _MOST:
        more = _WORDS[language]["more"].format(count=len(lines) - _MOST)
        lines = [*lines[:_MOST], f"- {more}"]
    return "\n".join(lines) or "-"


def _facts(found: Reflection, words: dict[str, str]) -> Iterator[str]:
    told = found.attribution
    if told.outcome is not Outcome.UNKNOWN:
        yield words["outcome"].format(outcome=told.outcome, source=told.outcome_source)
    for proposal in found.proposals:
        yield words["lesson"].format(
            kind=proposal["kind"],
            steps=", ".join(map(str, _steps(proposal["cites"]))),
            scenario=proposal["scenario"],
            recommend=proposal["recommend"],
        )
    for workaround in told.workarounds:
        yield words["workaround"].format(step=workaround.step_index, reason=workaround.reason)
    if told.unchecked_steps:
        yield words["unchecked"].format(steps=", ".join(map(str, told.unchecked_steps)))
    for pair in told.recoveries:
        yield words["recovery"].format(failed=pair.failed_step, fixed=pair.fixed_by_step)
    for step in told.invalid_steps:
        yield words["detour"].format(step=step.step_index, reason=step.reason)


def _steps(cites: Sequence[JsonValue]) -> list[int]:
    return [cite["step"] for cite in cites if isinstance(cite, dict)]
