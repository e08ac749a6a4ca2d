"""How the task ended, from what was run; the agent's own words decide nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hindsight_cli.records.event import STEP_OPENERS, EventType, Outcome, Status, ToolKind
from hindsight_cli.records.trace import Call
from hindsight_cli.reflect import shell
from hindsight_cli.reflect.calls import EDIT_KINDS, PROSE, changed_files, changes_files, is_lookup
from hindsight_cli.reflect.detectors.human import accepts, find_corrections
from hindsight_cli.reflect.findings import Chain, Flag, Nature
from hindsight_cli.reflect.programs import CheckKind
from hindsight_cli.reflect.reading import Reading

_CUT = re.compile(
    r"max(?:imum)?[ _-]?(?:iterations?|steps?|turns?|tokens)|step limit|iteration limit"
    r"|turn limit|limit(?:s)? exceeded|out of (?:budget|context)"
    r"|exit_(?:cost|context|format|api)|cost limit|context (?:window|length)|timed? ?out|killed"
    r"|crash|interrupted|aborted",
    re.I,
)
_PROVING = frozenset({CheckKind.TEST, CheckKind.BUILD})


def outcome_of(
    reading: Reading, chains: Sequence[Chain], workarounds: Sequence[Flag]
) -> tuple[Outcome, str]:
    """The outcome and its source, a word of `Attribution.outcome_source` (or as recorded)."""
    recorded, source = reading.trace.outcome
    if recorded is not Outcome.UNKNOWN:
        return recorded, source
    if not reading.calls:
        return Outcome.UNKNOWN, "none"
    if _was_cut(reading):
        return _incomplete(reading), "end"
    if _ended_on_refusal(reading):
        return Outcome.PARTIAL, "human"
    return _by_checks(reading, chains, workarounds)


def _by_checks(
    reading: Reading, chains: Sequence[Chain], workarounds: Sequence[Flag]
) -> tuple[Outcome, str]:
    if any(flag.code == "removed_test" for flag in workarounds):
        return Outcome.PARTIAL, "test"
    if _ended_on_failure(reading, chains):
        return _incomplete(reading), "rule"
    if (check := green_check(reading, chains)) is not None:
        return Outcome.SUCCESS, _source_of(check)
    if _was_accepted(reading):
        return Outcome.SUCCESS, "human"
    return Outcome.UNKNOWN, "none"


def green_check(reading: Reading, chains: Sequence[Chain]) -> Call | None:
    """The last check that passed after the last change, when no later check is red.

    Tests and builds prove; a script or any other command does when it had failed before.
    """
    last_change = max(
        (
            i
            for i, call in enumerate(reading.calls)
            if changes_files(call) and not _only_prose(call)
        ),
        default=-1,
    )
    objections = [c.before[-1].step_index for c in find_corrections(reading) if c.before]
    turned_green = {
        c.fix.step_index for c in chains if c.fix and c.nature in {Nature.CHECK, Nature.SHELL}
    }
    for call in reversed(reading.calls[last_change + 1 :]):
        kinds = shell.checks(call.command)
        proves = kinds & _PROVING or call.step_index in turned_green
        if call.status is Status.OK and proves and last_change + 1 > 0:
            return (
                None if call.step_index in objections[-1:] and _last_words(reading, call) else call
            )
        if call.failed and kinds and not _is_expected(call, chains):
            return None
    return None


def _source_of(check: Call) -> str:
    """What kind of command proved it: one that had failed before proves by going through."""
    kinds = shell.checks(check.command)
    named = (CheckKind.TEST, CheckKind.BUILD, CheckKind.LINT)
    return next((kind.value for kind in named if kind in kinds), "rerun")


def _was_accepted(reading: Reading) -> bool:
    """The user had the last word on work done here, and it was content.

    A customer's thanks at the end of a conversation are good manners: nothing of the work can
    be seen from there.
    """
    if not any(c.tool_kind in {ToolKind.SHELL, *EDIT_KINDS} for c in reading.calls):
        return False
    last = next(reversed(reading.user_said), None)
    return last is not None and last.after == len(reading.calls) and accepts(last.text)


def _last_words(reading: Reading, call: Call) -> bool:
    """Whether the user spoke after the call and nothing was changed since."""
    index = reading.index_of[call.step_index]
    return any(said.after > index for said in reading.user_said)


def _was_cut(reading: Reading) -> bool:
    if reading.calls[-1].status is Status.MISSING:
        return True
    for event in reversed(reading.trace.events):
        if event.event_type is EventType.END:
            return bool(_CUT.search(reading.trace.text(event) or str(event.extra)))
        if event.event_type in STEP_OPENERS and not event.injected:
            break  # the session went on
    return False


def _ended_on_refusal(reading: Reading) -> bool:
    """A change was refused and only looking followed."""
    for call in reversed(reading.calls):
        if call.status is Status.DENIED:
            return not is_lookup(call)
        if not is_lookup(call) and call.tool_kind not in {ToolKind.PLAN, ToolKind.ASK}:
            return False
    return False


def _ended_on_failure(reading: Reading, chains: Sequence[Chain]) -> bool:
    """The last call that did something failed and nothing answered it."""
    acting = [c for c in reading.calls if not is_lookup(c) and c.tool_kind is not ToolKind.PLAN]
    if not acting or not acting[-1].failed:
        return False
    open_steps = {
        c.step_index
        for chain in chains
        if not chain.fix and not chain.expected
        for c in chain.failed
    }
    return acting[-1].step_index in open_steps


def _incomplete(reading: Reading) -> Outcome:
    """Partial when something was achieved on the way, else failure."""
    achieved = any(
        call.status is Status.OK
        and not is_lookup(call)
        and call.tool_kind not in {ToolKind.PLAN, ToolKind.OTHER}
        for call in reading.calls
    )
    return Outcome.PARTIAL if achieved else Outcome.FAILURE


def _only_prose(call: Call) -> bool:
    return all(path.lower().endswith(PROSE) for path in changed_files(call))


def _is_expected(call: Call, chains: Sequence[Chain]) -> bool:
    return any(call in chain.failed and chain.expected for chain in chains)
