"""Several answers about one trace become one attribution and its proposals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hindsight_cli.api.gating import Gate
from hindsight_cli.api.project import Project
from hindsight_cli.api.reflect_report import ReflectReport
from hindsight_cli.records.experience import Source
from hindsight_cli.records.trace import Trace
from hindsight_cli.reflect.parse import ModelAnswer
from hindsight_cli.reflect.rules import reflect_by_rules
from hindsight_cli.reflect.vote import attribution_of, majority


def take_votes(
    project: Project,
    trace: Trace,
    answers: Sequence[ModelAnswer],
    source: Source,
    report: ReflectReport,
) -> None:
    """Propose what most of the answers say and the guard lets pass; tell what they differ in."""
    ballot = majority(answers, reflect_by_rules(trace).proposals)
    report.messages += ballot.disagreements
    report.messages += ballot.answer.problems
    report.messages += [
        f"The answer says that {v.experience_id} is {v.verdict}: look at it yourself."
        for v in ballot.answer.verdicts
    ]
    report.attributions.append(attribution_of(ballot, trace))
    sources = [
        replace(source, votes=votes, by_rules=by_rules)
        for votes, by_rules in zip(ballot.support, ballot.by_rules, strict=True)
    ]
    Gate(project, trace, source, report).take(ballot.answer.experiences, sources)
