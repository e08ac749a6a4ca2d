"""Calls that led nowhere: repeats, undone changes, aborted operations, loops."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hindsight_cli.records.event import Status
from hindsight_cli.reflect import shell
from hindsight_cli.reflect.calls import is_lookup, signature
from hindsight_cli.reflect.findings import Chain, Flag, NearMiss
from hindsight_cli.reflect.reading import Reading
from hindsight_cli.reflect.telling import error_key

_ABORT = re.compile(r"git (rebase|merge|cherry-pick|am|revert) --abort")
_LOOP = 3


def find_detours(
    reading: Reading, chains: Sequence[Chain], misses: Sequence[NearMiss]
) -> tuple[Flag, ...]:
    """Each call at most once, in order of the trace."""
    found: dict[int, Flag] = {}
    for flag in (
        *_repeats(chains),
        *_undone(reading),
        *_aborted(reading),
        *(Flag(call=miss.empty, code="empty") for miss in misses),
        *_loops(reading),
    ):
        found.setdefault(flag.call.step_index, flag)
    return tuple(found[step] for step in sorted(found))


def _repeats(chains: Sequence[Chain]) -> Iterator[Flag]:
    for chain in chains:
        sent: set[str] = set()
        errors: set[str] = set()
        for call in chain.failed:
            key, error = signature(call), error_key(call)
            if key in sent:
                yield Flag(call=call, code="same_call")
            elif error and error in errors:
                yield Flag(call=call, code="same_error")
            sent.add(key)
            errors.add(error)


def _undone(reading: Reading) -> Iterator[Flag]:
    """A change that was taken back, and the call that took it back."""
    for early, late in sorted(reading.undone_by.items()):
        undoing = reading.calls[late]
        yield Flag(call=reading.calls[early], code="undone", detail=str(undoing.step_index))


def _aborted(reading: Reading) -> Iterator[Flag]:
    """What was done inside an operation that was aborted."""
    for end, call in enumerate(reading.calls):
        match = _ABORT.search(shell.bare(call.command))
        if match is None or call.status is not Status.OK:
            continue
        begun = [
            at
            for at in range(end)
            if f"git {match.group(1)}" in shell.intents(reading.calls[at].command)
            and "--abort" not in reading.calls[at].command
        ]
        for inside in reading.calls[begun[-1] + 1 : end] if begun else ():
            yield Flag(call=inside, code="aborted", detail=match.group(1))


def _loops(reading: Reading) -> Iterator[Flag]:
    """The same look with the same answer, again and again."""
    seen: dict[tuple[str, str], int] = {}
    for call in reading.calls:
        if call.status is not Status.OK or not is_lookup(call):
            continue
        key = (signature(call), call.output)
        seen[key] = seen.get(key, 0) + 1
        if seen[key] >= _LOOP:
            yield Flag(call=call, code="loop")
