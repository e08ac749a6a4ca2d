"""Proposals of one run that contradict each other: what came last in the run holds. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from hindsight_cli.reflect.lessons.writer import Draft
from hindsight_cli.reflect.lines import quoted_commands

_VALUES = re.compile(r"\d+")


def agreeing(drafts: Sequence[Draft]) -> list[Draft]:
    """`drafts` without those that a later finding of the same run contradicts, order kept.

    One recommends what the other says to avoid, or both tell the same situation and
    recommend different things.
    """
    return [
        draft
        for draft in drafts
        if not any(
            _last(other) > _last(draft) and contradict(draft.proposal, other.proposal)
            for other in drafts
        )
    ]


def contradict(one: Mapping[str, object], other: Mapping[str, object]) -> bool:
    if _refuses(one, other) or _refuses(other, one):
        return True
    same = _same(one, "scenario") == _same(other, "scenario")
    return same and _same(one, "recommend") != _same(other, "recommend")


def _refuses(one: Mapping[str, object], other: Mapping[str, object]) -> bool:
    """Whether `one` says to avoid the very thing that `other` recommends."""
    avoided = str(one.get("avoid", "")).strip().rstrip(".。")
    if "`" not in avoided:
        return False
    recommended = str(other.get("recommend", ""))
    lines = quoted_commands(avoided)
    if len(lines) == 1 and avoided.strip("` ") == lines[0]:  # a command and nothing else
        return lines[0] in quoted_commands(recommended)
    return avoided in recommended


def _same(proposal: Mapping[str, object], name: str) -> str:
    return _VALUES.sub("0", str(proposal.get(name, "")))


def _last(draft: Draft) -> int:
    cites = draft.proposal.get("cites")
    steps = (
        [cite["step"] for cite in cites if isinstance(cite, dict)]
        if isinstance(cites, list)
        else []
    )
    return max((step for step in steps if isinstance(step, int)), default=0)
