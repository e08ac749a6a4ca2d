"""Whether a run followed a piece of advice: what it says to do is held against what was done.

A wrong "yes" moves the weight of an experience that did nothing, so everything telling must
be there; what cannot be seen in a trace is `unknown`. Pure.
Source: docs/explanation/learning-from-outcomes.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from hindsight_cli.records.event import Status, ToolKind
from hindsight_cli.records.experience import Content
from hindsight_cli.records.trace import Call, Trace
from hindsight_cli.reflect.advice.arguments import arguments_asked, edits_asked, is_piece
from hindsight_cli.reflect.advice.cases import Cases, cases_of
from hindsight_cli.reflect.advice.commands import commands_asked, is_command
from hindsight_cli.reflect.advice.deeds import deeds_of
from hindsight_cli.reflect.advice.demands import Asked, Demand, Doing, plain_tool
from hindsight_cli.reflect.calls import EDIT_KINDS

_NEVER_RAN = frozenset({Status.DENIED, Status.CANCELLED})


class Followed(StrEnum):
    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"  # nothing in it that a trace could show, or no calls to show it


@dataclass(frozen=True, slots=True, kw_only=True)
class Following:
    answer: Followed
    step_index: int | None = None  # the step that shows it; None for no and unknown


def followed(content: Content, trace: Trace, *, after_step: int = 0) -> Following:
    """Whether what `content` recommends was done after step `after_step`.

    Everything its literals ask for must have been done, whatever came of it; only
    conditions ("if it is not yours, ...") and alternatives ("`a` or `b`") may be left out.
    Other ports, paths and names than the advice has are as good. What the person went back
    on was not done.
    """
    trace = trace.kept
    if not trace.calls:
        return Following(answer=Followed.UNKNOWN)
    cases = cases_of(content)
    groups = _groups(_asked(content, cases, trace))
    doings = [d for d in _doings(trace) if d.call.step_index > after_step]
    steps = [_first_step(group, doings) for group in groups]
    required = [s for s, g in zip(steps, groups, strict=True) if not _is_optional(g)]
    needed = required or steps[-1:]
    if needed and all(step is not None for step in needed):
        return Following(answer=Followed.YES, step_index=max(s for s in needed if s is not None))
    return Following(answer=Followed.NO if groups else Followed.UNKNOWN)


def _asked(content: Content, cases: Cases, trace: Trace) -> list[Asked]:
    """Every demand of the recommendation, in its order; only acting ones when there are any."""
    literals = dict(enumerate(cases.advice))
    tools = cases.tools | {plain_tool(c.tool_name) for c in trace.calls if _is_named_tool(c)}
    commands = {
        p: q for p, q in literals.items() if is_command(q, cases) and not is_piece(literals, p)
    }
    others = {p: q for p, q in literals.items() if p not in commands}
    asked = commands_asked(commands, cases, content.tool_tags)
    asked += arguments_asked(others, cases, tools) or edits_asked(others, cases)
    acting = [one for one in asked if not one.demand.looks]
    return sorted(acting or asked, key=lambda one: one.place)


def _is_named_tool(call: Call) -> bool:
    return call.tool_kind is not ToolKind.SHELL and call.tool_kind not in EDIT_KINDS


def _groups(asked: Sequence[Asked]) -> list[list[Asked]]:
    """Alternatives together: one of them is enough."""
    groups: list[list[Asked]] = []
    for one in asked:
        if one.literal.alternative and groups and groups[-1][-1].place == one.place - 1:
            groups[-1].append(one)
        else:
            groups.append([one])
    return groups


def _is_optional(group: Sequence[Asked]) -> bool:
    return all(one.literal.optional for one in group)


def _doings(trace: Trace) -> Iterator[Doing]:
    """The calls that ran, with variables set by earlier ones."""
    exported: dict[str, str] = {}
    for call in trace.calls:
        if call.status in _NEVER_RAN:
            continue
        deeds = []
        for deed in deeds_of(call.command) if call.command else ():
            if not deed.program:
                exported |= deed.assigned
            deeds.append(replace(deed, assigned={**exported, **deed.assigned}))
        yield Doing(call=call, deeds=deeds)


def _first_step(group: Sequence[Asked], doings: Sequence[Doing]) -> int | None:
    return next((d.call.step_index for d in doings if _meets_any([group], d)), None)


def _meets_any(groups: Sequence[Sequence[Asked]], doing: Doing) -> bool:
    demands: list[Demand] = [one.demand for group in groups for one in group]
    return any(demand.met_by(doing) for demand in demands)
