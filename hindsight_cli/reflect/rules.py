"""Reflection without a model: detectors over one trace. Pure, no network, no clock.

Source: docs/explanation/trajectories.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hindsight_cli.records.attribution import Attribution, InvalidStep, Recovery, Workaround
from hindsight_cli.records.event import Outcome
from hindsight_cli.records.trace import Call, Trace
from hindsight_cli.reflect.agreement import agreeing, contradict
from hindsight_cli.reflect.calls import changes_files, is_lookup
from hindsight_cli.reflect.detectors.detours import find_detours
from hindsight_cli.reflect.detectors.human import find_corrections, find_denials
from hindsight_cli.reflect.detectors.late_failures import find_late_failures
from hindsight_cli.reflect.detectors.near_misses import find_near_misses
from hindsight_cli.reflect.detectors.recoveries import find_chains
from hindsight_cli.reflect.detectors.unchecked import find_unchecked
from hindsight_cli.reflect.detectors.workarounds import find_workarounds
from hindsight_cli.reflect.findings import Chain, Flag, Nature, NearMiss
from hindsight_cli.reflect.lessons.chains import draft_chain
from hindsight_cli.reflect.lessons.checks import draft_piped, draft_removed_test
from hindsight_cli.reflect.lessons.edits import draft_other_rules
from hindsight_cli.reflect.lessons.human import draft_correction, draft_denial
from hindsight_cli.reflect.lessons.lesson import Silence
from hindsight_cli.reflect.lessons.successes import draft_late_failure, draft_near_miss
from hindsight_cli.reflect.lessons.tools import draft_irreversible
from hindsight_cli.reflect.lessons.writer import Draft, Writer
from hindsight_cli.reflect.outcome import green_check, outcome_of
from hindsight_cli.reflect.reading import Reading

MAX_PROPOSALS = 5
_MAX_HUMAN = 2
_USUAL = 2
_CALLS_A_PROPOSAL = 100  # a long session has more to tell  # more only for those well worth it
_WORTHWHILE = 2.0
_WELL_WORTH = 3.3
_MAX_KEY_STEPS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Reflection:
    attribution: Attribution
    proposals: tuple[dict[str, Any], ...]  # model-answer schema, best first
    silences: tuple[Unsaid, ...] = ()  # recoveries that led to no proposal, in order


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsaid:
    """A failure that was got over, and why nothing is proposed about it."""

    code: Silence
    failed_steps: tuple[int, ...]
    fixed_by_step: int
    detail: str  # the steps, and the reason in words


def reflect_by_rules(trace: Trace) -> Reflection:
    """Why the task ended as it did, and what to remember of it; both may be empty.

    Steps that the person went back on led to nothing, and are not looked at.
    """
    reading = Reading(trace.kept)
    chains = find_chains(reading)
    misses = find_near_misses(reading)
    workarounds = find_workarounds(reading, chains)
    detours = find_detours(reading, chains, misses)
    outcome, source = outcome_of(reading, chains, workarounds)
    check = green_check(reading, chains)
    writer = Writer(reading, outcome)
    attribution = Attribution(
        trace_id=trace.trace_id,
        outcome=outcome,
        outcome_source=source,
        key_steps=_key_steps(reading, chains, misses, check),
        invalid_steps=tuple(
            InvalidStep(step_index=f.call.step_index, reason=_reason(writer, f)) for f in detours
        ),
        recoveries=_recoveries(chains),
        workarounds=tuple(
            Workaround(step_index=f.call.step_index, reason=_reason(writer, f)) for f in workarounds
        ),
        unchecked_steps=tuple(call.step_index for call in find_unchecked(reading)),
        unfinished=trace.is_unfinished,
    )
    told = [(chain, draft_chain(writer, chain)) for chain in chains]
    drafts = [
        *(draft for _, draft in told if isinstance(draft, Draft)),
        *_other_drafts(writer, chains, misses),
        *(draft_removed_test(writer, f) for f in workarounds if f.code == "removed_test"),
    ]
    usual = _USUAL + len(reading.calls) // _CALLS_A_PROPOSAL
    written = [draft for draft in drafts if draft is not None]
    agreed = agreeing([draft for draft in written if draft.worth >= _WORTHWHILE])
    kept = _selected(agreed, usual)
    _mark_patched(kept, {flag.call.step_index for flag in workarounds})
    return Reflection(
        attribution=attribution,
        proposals=tuple(draft.proposal for draft in kept),
        silences=tuple(_silences(writer, told, kept)),
    )


def find_recoveries(trace: Trace) -> tuple[Recovery, ...]:
    """Which failed step was ended by which, by failed step: part of the attribution."""
    return _recoveries(find_chains(Reading(trace.kept)))


def _other_drafts(
    writer: Writer, chains: Sequence[Chain], misses: Sequence[NearMiss]
) -> Iterator[Draft | None]:
    for chain in chains:
        yield draft_irreversible(writer, chain)
        yield draft_piped(writer, chain)
        yield from draft_other_rules(writer, chain)
    human = [
        *(draft_correction(writer, c) for c in find_corrections(writer.reading)),
        *(draft_denial(writer, d) for d in find_denials(writer.reading)),
    ]
    said = sorted((draft for draft in human if draft), key=lambda draft: -draft.worth)
    yield from said[:_MAX_HUMAN]
    for miss in misses:
        yield draft_near_miss(writer, miss)
    for late in find_late_failures(writer.reading):
        draft = draft_late_failure(writer, late)
        yield draft if isinstance(draft, Draft) else None


def _selected(drafts: Sequence[Draft], usual: int) -> list[Draft]:
    """The best few, those with the same key merged into the first."""
    best = sorted(drafts, key=lambda d: -d.worth)
    kept: dict[str, Draft] = {}
    for draft in best:
        if draft.key in kept:
            _merge(kept[draft.key].proposal, draft.proposal)
        elif len(kept) < min(usual, MAX_PROPOSALS) or (
            draft.worth >= _WELL_WORTH and len(kept) < MAX_PROPOSALS
        ):
            kept[draft.key] = draft
    return list(kept.values())


def _mark_patched(kept: Sequence[Draft], patched: set[int]) -> None:
    for draft in kept:
        if patched & {cite["step"] for cite in draft.proposal["cites"]}:
            draft.proposal["workaround"] = True


def _silences(
    writer: Writer,
    told: Sequence[tuple[Chain, Draft | Silence | None]],
    kept: Sequence[Draft],
) -> Iterator[Unsaid]:
    """Every recovery without a proposal; also what only looks like one."""
    for chain, draft in told:
        end = chain.fix or chain.doubtful
        if draft is None or end is None:
            continue
        if isinstance(draft, Draft) and draft in kept:
            continue
        code = _why_not_kept(draft, kept) if isinstance(draft, Draft) else draft
        steps = tuple(call.step_index for call in chain.failed)
        detail = writer.say(
            "silence", code.value, steps=", ".join(map(str, steps)), fix_step=end.step_index
        )
        yield Unsaid(code=code, failed_steps=steps, fixed_by_step=end.step_index, detail=detail)


def _why_not_kept(draft: Draft, kept: Sequence[Draft]) -> Silence:
    if draft.worth < _WORTHWHILE:
        return Silence.MINOR
    if any(contradict(draft.proposal, other.proposal) for other in kept):
        return Silence.CONTRADICTED
    same = any(draft.key == other.key for other in kept)
    return Silence.SAME_AS_ANOTHER if same else Silence.OUTWEIGHED


def _merge(into: dict[str, Any], other: dict[str, Any]) -> None:
    known = {cite["step"] for cite in into["cites"]}
    into["cites"] += [cite for cite in other["cites"] if cite["step"] not in known]
    into["cites"].sort(key=lambda cite: cite["step"])


def _recoveries(chains: Sequence[Chain]) -> tuple[Recovery, ...]:
    pairs = [
        Recovery(failed_step=call.step_index, fixed_by_step=chain.fix.step_index)
        for chain in chains
        if chain.fix is not None
        for call in chain.failed
    ]
    return tuple(sorted(pairs, key=lambda pair: pair.failed_step))


def _key_steps(
    reading: Reading, chains: Sequence[Chain], misses: Sequence[NearMiss], check: Call | None
) -> tuple[int, ...]:
    """What ended failures, what was changed before the last green check, and that check."""
    ends = [c.fix for c in chains if c.fix is not None and c.nature is not Nature.LOOKUP]
    key = [call.step_index for call in ends] + [miss.found.step_index for miss in misses]
    if check is not None:
        key.append(check.step_index)
    kept = [
        call.step_index
        for index, call in enumerate(reading.calls)
        if changes_files(call) and not is_lookup(call) and index not in reading.undone_by
    ]
    room = _MAX_KEY_STEPS - len(set(key))
    return tuple(sorted(set(key) | set(kept[-room:] if room > 0 else ())))


def _reason(writer: Writer, flag: Flag) -> str:
    detail = f"`{flag.detail}`" if flag.code not in {"undone", "aborted"} else flag.detail
    return writer.say("reason", flag.code, detail=detail)


__all__ = [
    "MAX_PROPOSALS",
    "Outcome",
    "Reflection",
    "Unsaid",
    "find_recoveries",
    "reflect_by_rules",
]
