"""Changes that no check looked at any more, in a run that knew how to check. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from hindsight_cli.records.event import Status
from hindsight_cli.records.trace import Call
from hindsight_cli.reflect import shell
from hindsight_cli.reflect.calls import PROSE, changed_files, changes_files
from hindsight_cli.reflect.reading import Reading

_RAN = frozenset({Status.OK, Status.ERROR})


def find_unchecked(reading: Reading) -> tuple[Call, ...]:
    """The changes that stayed after the last check; () where no check was ever run.

    A test, build, lint or script counts, green or red: who looked at a red one knows. Texts
    for people need none.
    """
    checks = [i for i, c in enumerate(reading.calls) if c.status in _RAN and _checks(c)]
    if not checks:
        return ()
    later: Sequence[Call] = reading.calls[checks[-1] + 1 :]
    return tuple(
        call
        for call in later
        if changes_files(call)
        and reading.index_of[call.step_index] not in reading.undone_by
        and not all(path.lower().endswith(PROSE) for path in changed_files(call))
    )


def _checks(call: Call) -> bool:
    return bool(call.command) and bool(shell.checks(call.command))
