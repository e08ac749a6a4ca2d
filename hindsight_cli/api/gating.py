"""The way of a proposal into the queue: redacted, read, judged, compared with what is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hindsight_cli.api.experiences import list_experiences
from hindsight_cli.api.meeting import note_meeting, offers_promotion
from hindsight_cli.api.project import Project
from hindsight_cli.api.proposing import propose
from hindsight_cli.api.reflect_report import Dropped, ReflectReport
from hindsight_cli.experiences.similarity import are_alike, sketch
from hindsight_cli.fingerprint import error_fingerprint
from hindsight_cli.guard.candidate import Candidate, SchemaError, parse_candidate
from hindsight_cli.guard.gate import facts_of, judge_with
from hindsight_cli.guard.verdict import Verdict
from hindsight_cli.records.experience import (
    Citation,
    Content,
    Evidence,
    Experience,
    ExperienceState,
    ReviewStatus,
    Source,
    experience_id_of,
)
from hindsight_cli.records.jsonvalue import JsonValue
from hindsight_cli.records.trace import Call, Trace
from hindsight_cli.text import one_line

RULES = "rules"
_EVIDENCE_CHARS = 400
_TASK_CHARS = 300


class Gate:
    """Puts the proposals of one trace through the guard and into the queue."""

    def __init__(
        self, project: Project, trace: Trace, source: Source, report: ReflectReport
    ) -> None:
        self._project = project
        self._trace = trace
        self._source = source
        self._report = report
        self._facts = facts_of(trace)
        self._known = {s.experience.experience_id: s for s in list_experiences(project, _ALL)}

    def take(
        self, proposals: Sequence[Mapping[str, JsonValue]], sources: Sequence[Source] = ()
    ) -> None:
        """Propose what the guard lets pass and nobody decided on; the rest is in the report.

        `sources`: one for each proposal, where they differ in their votes.
        """
        accepted: list[Experience] = []
        for number, raw in enumerate(proposals):
            experience = self._judged(raw, sources[number] if sources else self._source)
            if experience is not None and self._is_new(experience, accepted, raw):
                accepted.append(experience)
        propose(self._project, accepted, by=self._source.reflector)
        self._report.proposed += accepted

    def _judged(self, raw: Mapping[str, JsonValue], source: Source) -> Experience | None:
        clean: Mapping[str, JsonValue] = self._redacted(raw)
        try:
            candidate = parse_candidate(clean)
        except SchemaError as error:
            self._drop(error.code, error.detail, clean)
            return None
        verdict = judge_with(candidate, self._facts)
        if verdict.verdict in ("drop", "quarantine"):
            for finding in verdict.findings[:1]:
                self._drop(finding.code, finding.detail, clean)
            return None
        return experience_from(verdict, self._trace, source)

    def _redacted(self, raw: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
        clean: JsonValue = self._project.redactor.value(dict(raw))
        return clean if isinstance(clean, dict) else {}

    def _is_new(
        self, experience: Experience, accepted: Sequence[Experience], raw: Mapping[str, JsonValue]
    ) -> bool:
        """Not decided before, and not nearly the same as another one."""
        known = self._known.get(experience.experience_id)
        if known is not None:
            if known.status is not ReviewStatus.PENDING:
                self._drop("already_decided", f"{known.status}: {_name(experience)}", raw)
                return False
            if known.experience == experience or known.experience.source.reflector != RULES:
                # The words of a model or a person stay until a person decides on them.
                self._drop("already_proposed", _name(experience), raw)
                return False
            return True
        return self._is_unlike(experience, accepted, raw)

    def _is_unlike(
        self, experience: Experience, accepted: Sequence[Experience], raw: Mapping[str, JsonValue]
    ) -> bool:
        """Whether nothing of this trace or of the store says nearly the same."""
        own = sketch(experience.content)
        for other in accepted:
            if other.experience_id == experience.experience_id or are_alike(
                own, sketch(other.content)
            ):
                self._drop("duplicate", f"nearly the same as {_name(other)}", raw)
                return False
        for state in self._known.values():
            if are_alike(own, _sketch_of(state)) or _teaches(state.experience, experience):
                detail = f"nearly the same as {_name(state.experience)} ({state.status})"
                self._drop("duplicate", f"{detail}{self._met(state, experience)}", raw)
                return False
            if _was_rejected_before(state, experience):
                told = f"like {_name(state.experience)} but for numbers and paths"
                self._drop("already_decided", f"rejected: {told}", raw)
                return False
        return True

    def _met(self, state: ExperienceState, experience: Experience) -> str:
        """Keep that another trace bears out what is known; in how many, "" for one turned down."""
        if state.status not in _ALIVE:
            return ""
        met = note_meeting(self._project, state, experience, self._trace)
        if offers_promotion(state, met):
            name = _name(state.experience)
            self._report.messages.append(
                f"{name} was met in {len(met) + 1} traces. If it holds everywhere: "
                f"hindsight experiences promote {name}"
            )
        return f", met in {len(met) + 1} traces" if met else ""

    def _drop(self, code: str, detail: str, raw: Mapping[str, JsonValue]) -> None:
        self._report.dropped.append(Dropped(code, detail, raw))


_ALL = tuple(ReviewStatus)
_ALIVE = frozenset({ReviewStatus.PENDING, ReviewStatus.APPROVED})


def _teaches(known: Experience, found: Experience) -> bool:
    """Whether two experiences advise the very same about the same error, each of its own task."""
    one, other = known.content, found.content
    advice = (one.kind, one.recommend, one.avoid) == (other.kind, other.recommend, other.avoid)
    if not advice or not one.recommend:
        return False
    errors = set(known.error_fingerprints)
    return bool(errors & set(found.error_fingerprints)) or errors == set(found.error_fingerprints)


def _was_rejected_before(state: ExperienceState, experience: Experience) -> bool:
    """Whether a person turned down the same, with other numbers and paths in it."""
    if state.status is not ReviewStatus.REJECTED:
        return False
    one, other = state.experience.content, experience.content
    return one.kind is other.kind and are_alike(sketch(one, bare=True), sketch(other, bare=True))


def experience_from(verdict: Verdict, trace: Trace, source: Source) -> Experience:
    """An experience with its id, citations and evidence, from a candidate the guard passed."""
    candidate: Candidate = verdict.candidate
    calls = [trace.call_by_step[c.step] for c in candidate.cites if c.step in trace.call_by_step]
    steps = tuple(c.step for c in candidate.cites)
    fingerprints = [error_fingerprint(c.tool_name, c.output) for c in calls if c.failed]
    return Experience(
        experience_id=experience_id_of(trace.trace_id, candidate.kind, steps),
        trace_id=trace.trace_id,
        task=one_line(trace.task, _TASK_CHARS),
        content=Content(
            kind=candidate.kind,
            scenario=candidate.scenario,
            recommend=candidate.recommend,
            avoid=candidate.avoid,
            why=candidate.why,
            workaround=candidate.workaround,
            tool_tags=candidate.tool_tags,
            task_tags=candidate.task_tags,
            scope=candidate.scope,
            layer=candidate.layer,
            citations=tuple(
                Citation(
                    session_id=trace.session_id,
                    step_index=cite.step,
                    tool_name=cite.tool or _tool_at(trace, cite.step),
                )
                for cite in candidate.cites
            ),
            evidence=tuple(_evidence(call) for call in calls),
        ),
        origin=verdict.origin,
        risk=verdict.risk,
        source=source,
        error_fingerprints=tuple(dict.fromkeys(f for f in fingerprints if f)),
        unfinished=trace.is_unfinished,
    )


def _tool_at(trace: Trace, step: int) -> str | None:
    call = trace.call_by_step.get(step)
    return call.tool_name if call else None


def _evidence(call: Call) -> Evidence:
    return Evidence(
        step_index=call.step_index,
        tool_name=call.tool_name,
        status=call.status.value,
        input=one_line(call.command or _flat(call.input), _EVIDENCE_CHARS),
        output=one_line(call.output, _EVIDENCE_CHARS),
    )


def _flat(arguments: JsonValue) -> str:
    import json

    return "" if arguments is None else json.dumps(arguments, ensure_ascii=False, default=str)


def _sketch_of(state: ExperienceState) -> list[int]:
    return list(state.sketch) or sketch(state.experience.content)


def _name(experience: Experience) -> str:
    return experience.experience_id
