"""What was done between a failure and the success that had to do with it: all of it, or a doubt."""

from __future__ import annotations

import re
from enum import StrEnum

from hindsight_cli.records.event import Status
from hindsight_cli.records.trace import Call
from hindsight_cli.reflect import shell
from hindsight_cli.reflect.calls import base_name, changes_files, edits_of, is_lookup, path_of
from hindsight_cli.reflect.detectors.workarounds import is_drastic
from hindsight_cli.reflect.lines import whole_line
from hindsight_cli.reflect.programs import CheckKind
from hindsight_cli.reflect.reading import Reading
from hindsight_cli.reflect.relation import operands
from hindsight_cli.reflect.telling import error_lines

MAX_STEPS = 3
_NEVER_RAN = frozenset({Status.DENIED, Status.CANCELLED})
_STATE = re.compile(r"^\s*(?:cd|pushd|popd|export|source|\.|set|unset|umask|ulimit|alias)\s")
_ASSIGNS = re.compile(r"^\s*[A-Za-z_]\w*=\S*\s*$")
# They change what every later command finds.
_SURROUNDINGS = re.compile(
    r"(?:install|ci|sync|start|restart|up|enable|login|migrate|link|download|createdb|createuser)$"
    r"|^(?:pip|uv|npm|yarn|pnpm|apt|apt-get|brew|conda|poetry|bundle|gem|cargo|go) "
    r"(?:add|get|mod|pip|update)$"
)
_READ_ONLY = frozenset({CheckKind.TEST, CheckKind.LINT})


class Doubt(StrEnum):
    """Why it cannot be said what had to be done first."""

    FILE_CHANGED = "file_changed"
    UNCLEAR_CAUSE = "unclear_cause"
    UNSAFE = "unsafe"
    TOO_LONG = "too_long"


def preparations(reading: Reading, failed: Call, done: Call) -> tuple[Call, ...] | Doubt:
    """Every step after `failed` that `done` may rest on, in order; () when there is none.

    A step belongs to them when it changes something and names what the failure names, or what
    another one of them names; or changes what every command finds. Where the very same command
    went through later, there must be such a step.
    """
    start, end = reading.index_of[failed.step_index], reading.index_of[done.step_index]
    acted = [call for call in reading.calls[start + 1 : end] if alters(call)]
    same = failed.command.strip() == done.command.strip()
    chosen = _connected(acted, failed, done)
    if shell.checks(failed.command) and any(edits_of(call) for call in acted if not call.failed):
        return Doubt.FILE_CHANGED  # a check is about files: any of them may have mattered
    if same and not chosen:
        if len(acted) != 1:
            return Doubt.UNCLEAR_CAUSE if acted else ()
        chosen = acted
    return _whole(chosen, failed)


def _whole(chosen: list[Call], failed: Call) -> tuple[Call, ...] | Doubt:
    steps = [call for call in chosen if not _is_attempt(call, failed)]
    if any(call.status is not Status.OK for call in steps):
        return Doubt.UNCLEAR_CAUSE  # it may have done a part of its work
    if any(edits_of(call) or not call.command for call in steps):
        return Doubt.FILE_CHANGED
    if any(is_drastic(call.command) for call in steps):
        return Doubt.UNSAFE
    if len(steps) > MAX_STEPS or not all(map(whole_line, steps)):
        return Doubt.TOO_LONG
    return tuple(steps)


def alters(call: Call) -> bool:
    """Whether a call may have changed what a later command finds."""
    if call.status in _NEVER_RAN:
        return False
    if not call.command or edits_of(call):
        return bool(edits_of(call)) and (call.failed or changes_files(call))
    command = call.command
    if shell.written_files(command):
        return True
    if not shell.invocations(command):
        return bool(_STATE.match(command) or _ASSIGNS.match(command))
    if is_lookup(call) or shell.only_shows(command):
        return False
    return not _only_checks(command)


def _only_checks(command: str) -> bool:
    return all(
        one.check in _READ_ONLY and "--fix" not in one.words for one in shell.invocations(command)
    )


def _is_attempt(call: Call, failed: Call) -> bool:
    """Whether it is the same thing tried once more in vain."""
    return call.failed and bool(shell.intents(call.command) & shell.intents(failed.command))


def _connected(acted: list[Call], failed: Call, done: Call) -> list[Call]:
    told = "\n".join((failed.command, done.command, *error_lines(failed, 3)))
    programs = {one.program for one in shell.invocations(failed.command)}
    chosen: list[Call] = []
    for call in reversed(acted):
        started = shell.invocations(call.command)
        if prepares(call, told) or any(one.program in programs for one in started):
            chosen.insert(0, call)
            told = f"{told}\n{call.command or path_of(call)}"
    return chosen


def prepares(call: Call, told: str) -> bool:
    """Whether a call changes what `told` speaks of, or what every command finds."""
    if not alters(call):
        return False
    started = shell.invocations(call.command)
    if call.command and not started and not shell.written_files(call.command):
        return True  # a folder or a variable of the shell itself
    return any(_SURROUNDINGS.search(one.intent) for one in started) or any(
        _names(told, name) for name in _subjects(call)
    )


def _subjects(call: Call) -> set[str]:
    """Names of what a call works on: operands and files, with and without their folder."""
    named = {word for one in shell.invocations(call.command) for word in operands(one)}
    named |= {*shell.written_files(call.command), *(edit.path for edit in edits_of(call))}
    bare = {word.removeprefix("./").rstrip("/") for word in named}
    return {*bare, *map(base_name, bare)}


def _names(told: str, word: str) -> bool:
    if len(word) <= 1:
        return False
    return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", told) is not None
