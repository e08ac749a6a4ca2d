"""A command that went through and whose failure only a log showed: it had to be run otherwise."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hindsight_cli.records.event import Status
from hindsight_cli.records.trace import Call
from hindsight_cli.reflect import shell
from hindsight_cli.reflect.calls import similarity
from hindsight_cli.reflect.findings import LateFailure
from hindsight_cli.reflect.programs import WEAK
from hindsight_cli.reflect.reading import Reading
from hindsight_cli.reflect.telling import has_marked_error

_NEAR = 4  # calls between a command and the look at its log
_REDONE = 14
_ALIKE = 0.3
_LOG = re.compile(
    r"\b(?:docker|podman|kubectl|compose|pm2|systemctl|journalctl|supervisorctl|dmesg)\b.*"
    r"\b(?:logs?|status|describe|-u)\b|\b(?:tail|cat|less|head|grep)\b[^|;&]*\.(?:log|err|out)\b"
)


def find_late_failures(reading: Reading) -> tuple[LateFailure, ...]:
    found: list[LateFailure] = []
    for index, log in enumerate(reading.calls):
        if log.status is not Status.OK or not _LOG.search(shell.bare(log.command)):
            continue
        if not has_marked_error(log):
            continue
        before = reading.calls[max(0, index - _NEAR) : index]
        started = next((call for call in reversed(before) if _starts(call)), None)
        again = _redone(started, reading.calls[index + 1 : index + 1 + _REDONE])
        if started is not None and again is not None:
            found.append(LateFailure(started=started, log=log, again=again))
    return tuple(found)


def _starts(call: Call) -> bool:
    acts = bool(call.command) and not shell.only_shows(call.command)
    return call.status is Status.OK and acts and not shell.checks(call.command)


def _redone(started: Call | None, later: Sequence[Call]) -> Call | None:
    """The same command with other arguments that went through."""
    if started is None:
        return None
    wanted = shell.intents(started.command) - WEAK
    for call in later:
        if call.status is not Status.OK or not wanted & shell.intents(call.command):
            continue
        same = similarity(started.command, call.command)
        if same >= _ALIKE and call.command.strip() != started.command.strip():
            return call
    return None
