"""An experience as a person reads it, with the steps it cites and its history."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from hindsight_cli.cli.reflect_text import experience_lines
from hindsight_cli.records.ledger import EntryKind
from hindsight_cli.text import one_line, summarize

if TYPE_CHECKING:
    from hindsight_cli.api.experiences import CitedStep, ExperienceDetail
    from hindsight_cli.records.experience import ExperienceState, Source
    from hindsight_cli.records.ledger import LedgerEntry

_INPUT_CHARS = 300
_OUTPUT_CHARS = 400
_FOLLOWED = {"True": "followed", "False": "not followed"}


def detail_text(detail: ExperienceDetail) -> str:
    state = detail.state
    lines = experience_lines(state.experience)
    status = state.status.value
    if state.reason:
        status += f" ({state.reason})"
    if state.stale:
        status += f", stale: {state.stale_reason}"
    lines.append(f"  status {status}")
    lines.append(f"  weight {standing_text(state)}")
    lines.append(f"  by     {_source_text(state.experience.source)}")
    if state.experience.trace_id:
        lines.append(f"  trace  {state.experience.trace_id}")
    if detail.met:
        lines.append(f"  met    in {len(detail.met) + 1} traces, also in")
    for meeting in detail.met:
        cites = ", ".join(f"{c.step_index} ({c.tool_name})" for c in meeting.citations)
        lines.append(f"         {meeting.trace_id}: steps {cites}")
    for step in detail.steps:
        lines += ["", *_step_lines(step)]
    lines.append("")
    lines += [f"{e.at[:19]}  {e.entry.value} by {e.by}{_about(e)}" for e in detail.history]
    return "\n".join(lines)


def _source_text(source: Source) -> str:
    """`llm (model), 3 votes, rules found it too`"""
    text = source.reflector + (f" ({source.model})" if source.model else "")
    votes = f", {source.votes} votes" if source.votes > 1 else ""
    return f"{text}{votes}{', rules found it too' if source.by_rules else ''}"


def standing_text(state: ExperienceState) -> str:
    """`0.67; shown 3 times, followed 1: 1 success, 0 failures`"""
    followed = f"{state.success} success, {state.failure} failure"
    times = "once" if state.shown == 1 else f"{state.shown} times"
    return f"{state.weight:.2f}; shown {times}, followed {state.followed}: {followed}"


def _about(entry: LedgerEntry) -> str:
    """Which injection an entry is about, and how that went."""
    data = entry.data
    if "injection_id" not in data:
        return ""
    parts = [str(data["injection_id"])]
    if entry.entry is EntryKind.OUTCOME:
        parts.append("called wrong" if data.get("wrong") else str(data.get("outcome")))
        parts.append(_FOLLOWED.get(str(data.get("followed")), "followed or not is unknown"))
    if data.get("step_index") is not None:
        parts.append(f"step {data['step_index']}")
    return f" ({', '.join(parts)})"


def _step_lines(step: CitedStep) -> list[str]:
    call = step.call
    if call is None:
        return [f"step {step.step_index} {step.tool_name or ''}: its trace is not here any more"]
    status = (
        call.status.value if call.exit_code is None else f"{call.status}, exit {call.exit_code}"
    )
    given = call.command or json.dumps(call.input, ensure_ascii=False, default=str)
    lines = [f"step {step.step_index} {call.tool_name} -> {status}"]
    lines.append(f"    {one_line(given, _INPUT_CHARS)}")
    lines += [f"    | {line}" for line in summarize(call.output, _OUTPUT_CHARS).splitlines()]
    return lines
