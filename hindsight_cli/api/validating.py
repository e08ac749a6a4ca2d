"""Check stored experiences again against the traces they cite."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from hindsight_cli.api.experiences import find_experience, list_experiences
from hindsight_cli.api.project import Project
from hindsight_cli.api.traces import read_session, read_trace
from hindsight_cli.appendlog import parse_object
from hindsight_cli.errors import TraceNotFoundError, UsageError
from hindsight_cli.guard.candidate import Candidate, Cite
from hindsight_cli.guard.facts import Facts
from hindsight_cli.guard.gate import LEVELS, facts_of, judge_with
from hindsight_cli.guard.stdin import judge_line
from hindsight_cli.guard.verdict import Level
from hindsight_cli.records.experience import (
    Content,
    Experience,
    ExperienceState,
    Origin,
    ReviewStatus,
)
from hindsight_cli.records.jsonvalue import JsonValue


@dataclass(frozen=True, slots=True)
class Failed:
    experience_id: str
    code: str
    detail: str


@dataclass(slots=True)
class ValidateReport:
    checked: int = 0
    ok: int = 0
    failed: list[Failed] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)


def validate(project: Project, experience_ids: Sequence[str] = ()) -> ValidateReport:
    """Put pending and approved experiences (or those named) through the guard once more.

    One whose trace was deleted is judged by its text alone, with a message.
    """
    if experience_ids:
        states = [find_experience(project, i) for i in experience_ids]
    else:
        states = list_experiences(project, [ReviewStatus.PENDING, ReviewStatus.APPROVED])
    report = ValidateReport()
    facts: dict[tuple[str, bool], Facts | None] = {}
    for state in states:
        report.checked += 1
        _check(state, _facts_for(project, state.experience, facts, report), report)
    report.ok = report.checked - len({f.experience_id for f in report.failed})
    return report


def judge_lines(lines: Iterable[bytes]) -> list[dict[str, JsonValue]]:
    """A verdict for each JSON Line {id, experience and optional trace | text | raw}.

    Nothing is stored.

    Raises:
        UsageError: a line is no JSON object.
    """
    results: list[dict[str, JsonValue]] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        data, problem = parse_object(line)
        if data is None:
            raise UsageError(
                f"Line {number} of the input is {problem}.",
                hint='Each line is like {"id": "1", "experience": {...}}.',
            )
        results.append(dict(judge_line(data)))
    return results


def _check(state: ExperienceState, facts: Facts | None, report: ValidateReport) -> None:
    """A person's own words need not stand in the trace; what they cite must."""
    verdict = judge_with(candidate_of(state.experience.content), facts)
    by_person = state.experience.origin is Origin.USER
    for finding in verdict.findings:
        if LEVELS[finding.code] not in (Level.DROP, Level.QUARANTINE):
            continue
        if not (by_person and finding.code == "literal_not_in_trace"):
            report.failed.append(
                Failed(state.experience.experience_id, finding.code, finding.detail)
            )


def _facts_for(
    project: Project,
    experience: Experience,
    known: dict[tuple[str, bool], Facts | None],
    report: ValidateReport,
) -> Facts | None:
    """The facts of the experience's trace; of its session where that was split or joined since."""
    trace_id = experience.trace_id
    if trace_id is None:
        return None
    try:
        trace = read_trace(project, trace_id).trace
    except TraceNotFoundError:
        trace = None
    cited = experience.content.citations
    steps = {e.step_index for e in trace.events} if trace else set()
    moved = bool(cited) and not {c.step_index for c in cited} <= steps
    key = (trace_id, moved)
    if key not in known:
        whole = read_session(project, cited[0].session_id) if moved else trace
        if whole is None:
            gone = f"Trace {trace_id} is gone; its experiences keep their evidence."
            report.messages.append(gone)
        known[key] = facts_of(whole) if whole else None
    return known[key]


def candidate_of(content: Content) -> Candidate:
    """The content as the guard judges it."""
    return Candidate(
        kind=content.kind,
        scenario=content.scenario,
        recommend=content.recommend,
        avoid=content.avoid,
        why=content.why,
        cites=tuple(Cite(step=c.step_index, tool=c.tool_name) for c in content.citations),
        workaround=content.workaround,
        layer=content.layer,
        scope=content.scope,
        tool_tags=content.tool_tags,
        task_tags=content.task_tags,
    )
