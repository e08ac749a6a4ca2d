"""The one door into memory: every check in order, one verdict.

Source: docs/explanation/trust.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from hindsight_cli.guard import risk as risks
from hindsight_cli.guard.advice import is_platitude, workaround_sign
from hindsight_cli.guard.candidate import Candidate, Cite
from hindsight_cli.guard.canonical import BIDI_ISOLATE, canonical
from hindsight_cli.guard.claims import check_claims
from hindsight_cli.guard.concept_rules import meetings
from hindsight_cli.guard.disguise import disguises
from hindsight_cli.guard.facts import Facts, facts_of
from hindsight_cli.guard.grounding import check_citations, check_literals, is_tool
from hindsight_cli.guard.literals import literals
from hindsight_cli.guard.origin import content_words, origin_of
from hindsight_cli.guard.risk_classes import DELETE, DOWNLOAD, has_cjk
from hindsight_cli.guard.verdict import Finding, Level, Verdict
from hindsight_cli.guard.views import turned, views
from hindsight_cli.records.experience import Origin
from hindsight_cli.records.trace import Trace

__all__ = ["LEVELS", "facts_of", "judge", "judge_all", "judge_with", "level_of", "literals"]

LEVELS = {
    # Not borne out by the trace, or worth nothing.
    "schema": Level.DROP,
    "too_long": Level.DROP,
    "no_citation": Level.DROP,
    "step_not_in_trace": Level.DROP,
    "tool_not_at_step": Level.DROP,
    "status_contradicted": Level.DROP,
    "success_from_failed_steps": Level.DROP,
    "literal_not_in_trace": Level.DROP,
    "platitude": Level.DROP,
    # Somebody may be trying something.
    "hostile_text": Level.QUARANTINE,
    "hidden_text": Level.QUARANTINE,
    # For a person to look at, one at a time.
    "untried_literal": Level.REVIEW,
    "quote_not_verbatim": Level.REVIEW,
    "claim_not_cited": Level.REVIEW,
    "success_not_final": Level.REVIEW,
    "external_origin": Level.REVIEW,
    "workaround_unmarked": Level.REVIEW,
    "risky_advice": Level.REVIEW,
    "hostile_example": Level.REVIEW,
    "disguised_text": Level.REVIEW,
    "duplicate": Level.REVIEW,
}
_TOLD_ELSEWHERE = frozenset(
    {"disguised_text", "risky_advice", "hostile_example", "external_origin"}
)
_ORDER = {level: rank for rank, level in enumerate(Level)}
# Of a sentence cut over fields only these: others would join unrelated ones.
_SPLIT = risks.HOSTILE | {risks.MEMORY, DELETE, DOWNLOAD}
_ENDS = frozenset(".!?。！？;；`)\"'")
_FIELDS = ("scenario", "recommend", "avoid", "why")
_SAME_WORDS = 0.8  # of the content words of two pieces of advice: one of them is enough


@dataclass(frozen=True, slots=True)
class _Read:
    candidate: Candidate  # canonical
    hidden: tuple[str, ...]
    payloads: tuple[str, ...]
    disguises: tuple[str, ...]


def judge(candidate: Candidate, trace: Trace | None) -> Verdict:
    """The verdict on one candidate; without a trace only its own text is judged.

    Pure; never raises, whatever the text holds.
    """
    return judge_with(candidate, None if trace is None else facts_of(trace))


def judge_all(candidates: Sequence[Candidate], trace: Trace | None) -> list[Verdict]:
    """The verdicts on candidates of one trace, in order; a repetition is a `duplicate`."""
    facts = None if trace is None else facts_of(trace)
    seen: list[tuple[str, frozenset[str]]] = []
    verdicts = []
    for candidate in candidates:
        verdict = judge_with(candidate, facts)
        words = frozenset(content_words(f"{candidate.recommend} {candidate.avoid}"))
        twin = next((s for kind, s in seen if kind == candidate.kind and _same(s, words)), None)
        if twin is not None:
            verdict = _with(verdict, Finding("duplicate", "says what an earlier one says"))
        elif verdict.verdict is not Level.DROP:
            seen.append((candidate.kind, words))
        verdicts.append(verdict)
    return verdicts


def level_of(findings: Sequence[Finding]) -> Level:
    """The worst level among `findings`."""
    return max(
        (LEVELS[finding.code] for finding in findings), key=_ORDER.__getitem__, default=Level.ACCEPT
    )


def judge_with(candidate: Candidate, facts: Facts | None) -> Verdict:
    """Like `judge`, with the trace already read by `facts_of`: for several candidates of one."""
    read = _canonical(candidate)
    risk, findings = _scan(read)
    clean = read.candidate
    origin = Origin.AGENT
    if facts is not None:
        findings += [*check_citations(clean, facts), *check_claims(clean, facts)]
        findings += check_literals(clean, facts)
        origin = origin_of(clean.recommend, facts)
        clean = replace(clean, cites=_resolved(clean, facts), any_tool=())
    findings += _advice(clean, origin)
    if workaround_sign(clean.recommend):
        clean = replace(clean, workaround=True)
    return Verdict(
        verdict=level_of(findings),
        findings=_worst_first(findings),
        risk=(*risk, *_doubts(findings)),
        origin=origin,
        candidate=clean,
    )


def _worst_first(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    unique = dict.fromkeys(findings)
    return tuple(sorted(unique, key=lambda f: _ORDER[LEVELS[f.code]], reverse=True))


def _doubts(findings: Iterable[Finding]) -> tuple[str, ...]:
    """What only a person can settle stands among the risks: nothing takes it in bulk."""
    codes = (f.code for f in findings if LEVELS[f.code] is Level.REVIEW)
    return tuple(dict.fromkeys(code for code in codes if code not in _TOLD_ELSEWHERE))


def _canonical(candidate: Candidate) -> _Read:
    read = {name: canonical(getattr(candidate, name)) for name in _FIELDS}
    hidden = dict.fromkeys(kind for text in read.values() for kind in text.hidden)
    return _Read(
        candidate=replace(
            candidate,
            scenario=read["scenario"].text.strip(),
            recommend=read["recommend"].text.strip(),
            avoid=read["avoid"].text.strip(),
            why=read["why"].text.strip(),
        ),
        hidden=tuple(hidden),
        payloads=tuple(payload for text in read.values() for payload in text.payloads),
        disguises=tuple(disguises("\n".join((candidate.scenario, candidate.recommend)))),
    )


def _scan(read: _Read) -> tuple[tuple[str, ...], list[Finding]]:
    """The risk classes of the advice and what each costs."""
    candidate, findings, risk = read.candidate, list[Finding](), dict[str, None]()
    for name, hit in _field_hits(read):
        if hit.risk in risks.HOSTILE:
            example = hit.quoted or name == "avoid"
            code = "hostile_example" if example else "hostile_text"
        elif hit.quoted or name == "avoid":
            continue
        else:
            code = "risky_advice"
        risk[hit.risk] = None
        findings.append(Finding(code, f"{name}: {hit.risk}: {hit.words!r}"))
    hidden = [kind for kind in read.hidden if kind != BIDI_ISOLATE]
    if hidden:
        risk["hidden_text"] = None
        findings.append(Finding("hidden_text", f"held {', '.join(hidden)}"))
    if read.disguises:
        risk["hidden_text"] = None
        findings.append(Finding("disguised_text", f"holds {', '.join(read.disguises)}"))
    for kind, words in _spoken(read):
        if kind not in risk:
            risk[kind] = None
            findings.append(Finding("risky_advice", f"recommend: {kind}: {words!r}"))
    if not candidate.recommend:
        findings.append(Finding("platitude", "recommend: nothing left once made visible"))
    return tuple(risk), findings


def _spoken(read: _Read) -> Iterator[tuple[str, str]]:
    """Risk classes that what is advised to do to what meets, however it is put."""
    recommend = read.candidate.recommend
    backwards = turned(recommend)[:1] if has_cjk(recommend) else []  # others: see disguise.py
    for text in dict.fromkeys(t.casefold() for t in (*views(recommend), *read.payloads)):
        yield from meetings(text)
    for text in backwards:
        yield from meetings(text)
    joined = " ".join((read.candidate.scenario, read.candidate.recommend, read.candidate.avoid))
    if read.candidate.recommend[-1:] not in _ENDS and read.candidate.scenario[-1:] not in _ENDS:
        yield from (met for met in meetings(joined.casefold()) if met[0] in _SPLIT)


def _field_hits(read: _Read) -> Iterator[tuple[str, risks.Hit]]:
    candidate = read.candidate
    alone = set[str]()
    for name in filter(lambda field: getattr(candidate, field), _FIELDS):
        for hit in risks.scan(getattr(candidate, name), commands=name == "recommend"):
            alone.add(hit.risk)
            yield name, hit
    for payload in read.payloads:
        for hit in risks.scan(payload):
            yield "hidden", hit
    together = [candidate.scenario, candidate.recommend, candidate.avoid]
    for hit in risks.scan_joined(together):
        if hit.risk not in alone:
            yield "all fields together", hit
    for hit in risks.scan_turned("\n".join(together)):
        yield "turned round", hit


def _advice(candidate: Candidate, origin: Origin) -> Iterator[Finding]:
    if origin is Origin.EXTERNAL:
        yield Finding("external_origin", "its words stand only in what a tool returned")
    if is_platitude(candidate.recommend, candidate.avoid):
        yield Finding("platitude", "names nothing one could do")
    sign = workaround_sign(candidate.recommend)
    if sign and not candidate.workaround:
        yield Finding("workaround_unmarked", f"{sign!r} gets past the problem, root cause open")


def _resolved(candidate: Candidate, facts: Facts) -> tuple[Cite, ...]:
    """The citations with the names of the tools that were used, each step once."""
    named: dict[int, Cite] = {}
    for cite in candidate.cites:
        calls = facts.steps[cite.step].calls if cite.step in facts.steps else ()
        used = next((c for c in calls if not cite.tool or is_tool(cite.tool, c)), None)
        named.setdefault(cite.step, replace(cite, tool=used.tool_name if used else cite.tool))
    return tuple(named.values())


def _with(verdict: Verdict, finding: Finding) -> Verdict:
    findings = _worst_first((*verdict.findings, finding))
    risk = (*verdict.risk, finding.code)
    return replace(verdict, findings=findings, risk=risk, verdict=level_of(findings))


def _same(one: frozenset[str], other: frozenset[str]) -> bool:
    return bool(one) and len(one & other) >= _SAME_WORDS * len(one | other)
