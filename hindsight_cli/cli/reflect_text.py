"""What `hindsight reflect` tells a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hindsight_cli.api.model_reflecting import Started
    from hindsight_cli.api.reflect_job import Job
    from hindsight_cli.api.reflect_plan import Estimate, Plan
    from hindsight_cli.api.reflect_report import ReflectReport
    from hindsight_cli.records.attribution import Attribution
    from hindsight_cli.records.experience import Experience

_SHOWN_STEPS = 8
_SHOWN_SILENCES = 12


def reflect_text(report: ReflectReport) -> str:
    lines: list[str] = []
    for attribution in report.attributions:
        lines += _attribution_lines(attribution)
    for experience in report.proposed:
        lines += ["", *experience_lines(experience)]
    lines += ["", *_dropped_lines(report)] if report.dropped else []
    lines.append("")
    if report.proposed:
        lines.append(
            f"{len(report.proposed)} proposed. Next: hindsight tui, "
            "or hindsight experiences approve ID"
        )
    else:
        lines.append("Nothing new to propose.")
    return "\n".join(lines)


def _dropped_lines(report: ReflectReport) -> list[str]:
    """Every refused proposal; of the recoveries without one, the first few."""
    proposals = [d for d in report.dropped if d.experience]
    silences = [d for d in report.dropped if not d.experience]
    shown = [*proposals, *silences[:_SHOWN_SILENCES]]
    lines = [f"not proposed  [{d.code}] {d.detail}" for d in shown]
    if len(silences) > _SHOWN_SILENCES:
        more = len(silences) - _SHOWN_SILENCES
        lines.append(f"… and {more} more recoveries without a lesson: use --json")
    return lines


def estimate_text(estimate: Estimate, plan: Plan) -> str:
    traces = "1 trace" if len(estimate.traces) == 1 else f"{len(estimate.traces)} traces"
    if not estimate.calls:
        return f"Rules reflect on {traces}: no model, no network.\nNothing was sent."
    where = estimate.address or ("the provider's own" if plan.reflector == "llm" else "")
    lines = [
        f"{plan.reflector:9}{estimate.model}",
        f"address  {where}" if where else "address  none: the command runs here",
        f"calls    {estimate.calls} ({traces}, {plan.samples} each), "
        f"{estimate.calls_left_today} left today",
        f"tokens   about {estimate.tokens:,} to read, and the answers",
        "",
        "Nothing was sent. Read the prompt itself: hindsight reflect ID --prompt-only",
    ]
    return "\n".join(lines)


def started_text(started: Started) -> str:
    traces = "1 trace" if len(started.trace_ids) == 1 else f"{len(started.trace_ids)} traces"
    calls = "1 call" if started.calls == 1 else f"{started.calls} calls"
    return (
        f"{started.model} reflects on {traces} in the background ({calls}).\n"
        "See how it goes: hindsight status"
    )


def reflection_lines(job: Job) -> list[str]:
    """The last reflection with a model, as `status` tells it."""
    began, ended = f"since {job.started_at[:16]}Z", f"at {(job.finished_at or '')[:16]}Z"
    told = {
        "running": f"running {began}" + (f" (process {job.pid})" if job.pid else ""),
        "done": f"done {ended}, {job.proposed} proposed",
        "failed": f"failed {ended}, {job.proposed} proposed",
        "died": f"died; it began {job.started_at[:16]}Z: run `hindsight reflect` again",
    }[job.state]
    lines = [f"reflection   {told}"]
    if job.message:
        lines.append(f"             {job.message}")
    return lines


def experience_lines(experience: Experience) -> list[str]:
    """An experience in a few lines: id, advice, what it rests on."""
    content = experience.content
    flags = ["temporary workaround"] if content.workaround else []
    flags += [f"risk: {r}" for r in experience.risk]
    if experience.unfinished:
        flags.append("its trace had no end")
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
    if attribution.unfinished:
        lines.append("  the trace has no end: it may still go on, and turn out otherwise")
    if attribution.key_steps:
        lines.append(f"  key steps      {', '.join(map(str, attribution.key_steps))}")
    if attribution.recoveries:
        pairs = ", ".join(f"{r.failed_step} -> {r.fixed_by_step}" for r in attribution.recoveries)
        lines.append(f"  recovered      {pairs}")
    for step in attribution.invalid_steps[:_SHOWN_STEPS]:
        lines.append(f"  detour         {step.step_index}: {step.reason}")
    if len(attribution.invalid_steps) > _SHOWN_STEPS:
        lines.append(f"  … and {len(attribution.invalid_steps) - _SHOWN_STEPS} more detours")
    if steps := attribution.unchecked_steps:
        shown = ", ".join(map(str, steps[:_SHOWN_STEPS])) + (" …" if steps[_SHOWN_STEPS:] else "")
        lines.append(f"  not checked    {shown}: changed after the last check")
    for found in attribution.workarounds:
        lines.append(f"  workaround     {found.step_index}: {found.reason}")
    return lines
