"""What `hindsight reflect` tells a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hindsight_cli.api.reflect_report import ReflectReport
    from hindsight_cli.records.attribution import Attribution
    from hindsight_cli.records.experience import Experience

_SHOWN_STEPS = 8


def reflect_text(report: ReflectReport) -> str:
    lines: list[str] = []
    for attribution in report.attributions:
        lines += _attribution_lines(attribution)
    for experience in report.proposed:
        lines += ["", *experience_lines(experience)]
    if report.dropped:
        lines.append("")
    for dropped in report.dropped:
        lines.append(f"not proposed  [{dropped.code}] {dropped.detail}")
    lines.append("")
    if report.proposed:
        lines.append(
            f"{len(report.proposed)} proposed. Next: hindsight tui, "
            "or hindsight experiences approve ID"
        )
    else:
        lines.append("Nothing new to propose.")
    return "\n".join(lines)


def experience_lines(experience: Experience) -> list[str]:
    """An experience in a few lines: id, advice, what it rests on."""
    content = experience.content
    flags = ["temporary workaround"] if content.workaround else []
    flags += [f"risk: {r}" for r in experience.risk]
    if experience.origin == "external":
        flags.append("words from outside")
    head = f"{experience.experience_id}  {content.kind}"
    lines = [head + (f"  ({', '.join(flags)})" if flags else "")]
    lines.append(f"  when   {content.scenario}")
    lines.append(f"  do     {content.recommend}")
    if content.avoid:
        lines.append(f"  avoid  {content.avoid}")
    if content.why:
        lines.append(f"  why    {content.why}")
    cites = ", ".join(f"{c.step_index} ({c.tool_name})" for c in content.citations)
    if cites:
        lines.append(f"  cites  steps {cites}")
    return lines


def _attribution_lines(attribution: Attribution) -> list[str]:
    lines = [
        f"trace {attribution.trace_id}: {attribution.outcome} "
        f"(source: {attribution.outcome_source})"
    ]
    if attribution.key_steps:
        lines.append(f"  key steps      {', '.join(map(str, attribution.key_steps))}")
    if attribution.recoveries:
        pairs = ", ".join(f"{r.failed_step} -> {r.fixed_by_step}" for r in attribution.recoveries)
        lines.append(f"  recovered      {pairs}")
    for step in attribution.invalid_steps[:_SHOWN_STEPS]:
        lines.append(f"  detour         {step.step_index}: {step.reason}")
    if len(attribution.invalid_steps) > _SHOWN_STEPS:
        lines.append(f"  … and {len(attribution.invalid_steps) - _SHOWN_STEPS} more detours")
    for found in attribution.workarounds:
        lines.append(f"  workaround     {found.step_index}: {found.reason}")
    return lines
