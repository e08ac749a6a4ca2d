"""What an agent asks for by itself: the rules for its task, or for the error it just met."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from hindsight_cli.api.injecting import inject, receipts_of, rules_of
from hindsight_cli.api.project import Project
from hindsight_cli.api.searching import SearchOptions, search
from hindsight_cli.inject.block import Rule, escape, estimate_tokens, render_block
from hindsight_cli.text import one_line

GIVEN_BEFORE = "given before in this session"
_RECOMMEND_CHARS, _AVOID_CHARS = 400, 120  # of one that is shortened, as in a block


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """A rule's fields, each one safe line, within the token cap together with the others'."""

    experience_id: str
    kind: str
    scenario: str
    recommend: str
    avoid: str
    why: str
    workaround: bool  # temporary, root cause open
    age_days: int  # since it was last verified


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """A rule that fits and stands in the session already."""

    experience_id: str
    injection_id: str  # the receipt it was given with
    scenario: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Consultation:
    injection_id: str  # the receipt; "" when nothing is given
    text: str  # the block for the agent; "" when nothing is given
    rules: tuple[Advice, ...]
    earlier: tuple[Earlier, ...]
    reason: str  # why nothing is given


def consult(project: Project, task: str, *, error: str, session: str | None) -> Consultation:
    """The rules for `error` if there are any, else those for `task`.

    A rule that the session was given before is named with its receipt and not repeated,
    unless the error matches it: then the fix stands there again, under the old receipt.

    Raises:
        StorageError: the index cannot be read or made, or the receipt not written.
    """
    session = project.redactor.text(session) if session else None
    if error.strip():
        answer = _consult(project, error, error=True, session=session)
        if answer.injection_id or not task.strip():
            return answer
    return _consult(project, task, error=False, session=session)


def _consult(project: Project, query: str, *, error: bool, session: str | None) -> Consultation:
    injection = inject(project, query, error=error, session=session)
    found = search(project, query, SearchOptions(error=error)).found
    rules = {r.experience_id: r for r in rules_of(project, [f for f in found if not f.state.stale])}
    given = [rules[i] for i in injection.experience_ids if i in rules]
    receipts = receipts_of(project, session) if session else {}
    before = [r for i, r in rules.items() if i in receipts and i not in injection.experience_ids]
    if not given and before and error:
        return _again(project, before, receipts)
    cap = project.settings.inject_max_tokens
    return Consultation(
        injection_id=injection.injection_id,
        text=injection.text,
        rules=_advice(given, cap),
        earlier=_earlier(before, receipts),
        reason=GIVEN_BEFORE if before and not given else injection.reason,
    )


def _again(project: Project, before: Sequence[Rule], receipts: Mapping[str, str]) -> Consultation:
    """What the error matches, in full once more: knowing it did not keep the error away."""
    injection_id = receipts[before[0].experience_id]
    same = [r for r in before if receipts[r.experience_id] == injection_id]
    cap = project.settings.inject_max_tokens
    text, shown = render_block(same, injection_id, max_tokens=cap)
    return Consultation(
        injection_id=injection_id if shown else "",
        text=text,
        rules=_advice([r for r in same if r.experience_id in shown], cap),
        earlier=_earlier([r for r in before if r.experience_id not in shown], receipts),
        reason="" if shown else GIVEN_BEFORE,
    )


def _earlier(before: Iterable[Rule], receipts: Mapping[str, str]) -> tuple[Earlier, ...]:
    return tuple(
        Earlier(
            experience_id=r.experience_id,
            injection_id=receipts[r.experience_id],
            scenario=escape(one_line(r.content.scenario, _AVOID_CHARS)),
        )
        for r in before
    )


def _advice(rules: Sequence[Rule], max_tokens: int) -> tuple[Advice, ...]:
    """As short as need be: first `why` goes, then `recommend` and `avoid` are cut."""
    full = [_one_advice(rule) for rule in rules]
    short = [replace(a, why="") for a in full]
    for advice in (full, short):
        if sum(map(_tokens, advice)) <= max_tokens:
            return tuple(advice)
    return tuple(
        replace(
            a,
            recommend=one_line(a.recommend, _RECOMMEND_CHARS),
            avoid=one_line(a.avoid, _AVOID_CHARS),
        )
        for a in short
    )


def _one_advice(rule: Rule) -> Advice:
    content = rule.content
    return Advice(
        experience_id=rule.experience_id,
        kind=content.kind.value,
        scenario=escape(content.scenario),
        recommend=escape(content.recommend),
        avoid=escape(content.avoid),
        why=escape(content.why),
        workaround=content.workaround,
        age_days=rule.age_days,
    )


def _tokens(advice: Advice) -> int:
    return estimate_tokens(" ".join((advice.scenario, advice.recommend, advice.avoid, advice.why)))
