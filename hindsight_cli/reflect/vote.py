"""Several answers to one prompt become one, with what they disagree about. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from hindsight_cli.records.attribution import Attribution, InvalidStep
from hindsight_cli.records.event import Outcome
from hindsight_cli.records.jsonvalue import JsonValue
from hindsight_cli.records.trace import Trace
from hindsight_cli.reflect.parse import ModelAnswer, StaleVerdict, cited_steps
from hindsight_cli.reflect.rules import reflect_by_rules


@dataclass(frozen=True, slots=True, kw_only=True)
class Ballot:
    """The majority's answer; `support` says how many answers stand behind each experience."""

    answer: ModelAnswer
    votes: int
    support: tuple[int, ...] = ()
    by_rules: tuple[bool, ...] = ()  # whose support counts one of the rules
    disagreements: tuple[str, ...] = ()


@dataclass(slots=True)
class _Group:
    """Experiences of different answers about the same thing."""

    kind: str
    members: dict[int, Mapping[str, JsonValue]] = field(default_factory=dict)  # by answer
    by_rules: bool = False

    @property
    def support(self) -> int:
        return len(self.members) + self.by_rules

    def steps(self) -> frozenset[int]:
        return frozenset().union(*(cited_steps(m) for m in self.members.values()))


def majority(
    answers: Sequence[ModelAnswer], ruled: Sequence[Mapping[str, JsonValue]] = ()
) -> Ballot:
    """What more than half of the answers say.

    `ruled` is what rules propose: one voice more for an experience that an answer has too, of
    the same kind and about the same steps. Alone it is no answer.

    An outcome without a majority is unknown. Experiences are the same when their kind is
    and their cited steps overlap; the one that shares most with the others speaks for them.

    Raises:
        ValueError: no answers.
    """
    if not answers:
        raise ValueError("no answers to vote on")
    groups = _groups(answers)
    for group in groups:
        group.by_rules = any(_is_about(group, proposal) for proposal in ruled)
    kept = [group for group in groups if _is_majority(group.support, answers)]
    return Ballot(
        answer=ModelAnswer(
            task_status=_outcome(answers),
            key_steps=_agreed(answers, [a.key_steps for a in answers]),
            invalid_steps=_invalid_steps(answers),
            experiences=tuple(map(_speaker, kept)),
            verdicts=_verdicts(answers),
            problems=tuple(dict.fromkeys(p for a in answers for p in a.problems)),
        ),
        votes=len(answers),
        support=tuple(group.support for group in kept),
        by_rules=tuple(group.by_rules for group in kept),
        disagreements=tuple(_disagreements(answers, groups)),
    )


def attribution_of(ballot: Ballot, trace: Trace) -> Attribution:
    """The attribution of a trace by models' votes, held to what was recorded.

    What the trace itself shows (a recorded outcome, a check, a cut, a refusal) outranks the
    models; steps that the trace does not have are left out; recoveries and workarounds are
    those the rules find.
    """
    ruled = reflect_by_rules(trace).attribution
    known = {event.step_index for event in trace.kept.events}
    by_models = ruled.outcome is Outcome.UNKNOWN
    return Attribution(
        trace_id=trace.trace_id,
        outcome=ballot.answer.task_status if by_models else ruled.outcome,
        outcome_source="llm" if by_models else ruled.outcome_source,
        key_steps=tuple(step for step in ballot.answer.key_steps if step in known),
        invalid_steps=tuple(s for s in ballot.answer.invalid_steps if s.step_index in known),
        recoveries=ruled.recoveries,
        workarounds=ruled.workarounds,
        unchecked_steps=ruled.unchecked_steps,
        votes=ballot.votes,
        unfinished=ruled.unfinished,
    )


def _is_majority(count: int, answers: Sequence[ModelAnswer]) -> bool:
    return count * 2 > len(answers)


def _outcome(answers: Sequence[ModelAnswer]) -> Outcome:
    outcome, count = Counter(a.task_status for a in answers).most_common(1)[0]
    return outcome if _is_majority(count, answers) else Outcome.UNKNOWN


def _agreed(answers: Sequence[ModelAnswer], named: Iterable[Iterable[int]]) -> tuple[int, ...]:
    counts = Counter(step for steps in named for step in set(steps))
    return tuple(sorted(s for s, count in counts.items() if _is_majority(count, answers)))


def _invalid_steps(answers: Sequence[ModelAnswer]) -> tuple[InvalidStep, ...]:
    reasons: dict[int, str] = {}
    for item in (item for a in answers for item in a.invalid_steps):
        reasons.setdefault(item.step_index, item.reason)
    steps = _agreed(answers, [[i.step_index for i in a.invalid_steps] for a in answers])
    return tuple(InvalidStep(step_index=step, reason=reasons[step]) for step in steps)


def _verdicts(answers: Sequence[ModelAnswer]) -> tuple[StaleVerdict, ...]:
    counts = Counter(verdict for a in answers for verdict in set(a.verdicts))
    return tuple(v for v, count in counts.items() if _is_majority(count, answers))


def _groups(answers: Sequence[ModelAnswer]) -> list[_Group]:
    groups: list[_Group] = []
    for number, answer in enumerate(answers):
        for experience in answer.experiences:
            kind, steps = str(experience.get("kind")), cited_steps(experience)
            fitting = [
                g
                for g in groups
                if g.kind == kind and number not in g.members and g.steps() & steps
            ]
            if fitting:
                group = max(fitting, key=lambda g: len(g.steps() & steps))
            else:
                group = _Group(kind=kind)
                groups.append(group)
            group.members[number] = experience
    return groups


def _is_about(group: _Group, proposal: Mapping[str, JsonValue]) -> bool:
    """Whether rules propose the same: the kind, and most of the fewer of the cited steps."""
    mine, theirs = group.steps(), cited_steps(proposal)
    shared = len(mine & theirs)
    fewer = min(len(mine), len(theirs))
    return proposal.get("kind") == group.kind and fewer > 0 and shared * 2 >= fewer


def _speaker(group: _Group) -> Mapping[str, JsonValue]:
    members = list(group.members.values())

    def shared(member: Mapping[str, JsonValue]) -> int:
        return sum(len(cited_steps(member) & cited_steps(other)) for other in members)

    return max(members, key=shared)  # the first among equals


def _disagreements(answers: Sequence[ModelAnswer], groups: Sequence[_Group]) -> Iterable[str]:
    total = len(answers)
    outcomes = Counter(a.task_status.value for a in answers)
    if len(outcomes) > 1:
        said = ", ".join(f"{name} {count}" for name, count in outcomes.most_common())
        yield f"The answers disagree about the outcome: {said}."
    for group in groups:
        if not _is_majority(group.support, answers):
            steps = ", ".join(map(str, sorted(group.steps()))) or "none"
            yield (
                f"Only {len(group.members)} of {total} answers has a {group.kind} about steps"
                f" {steps}; it is left out."
            )
