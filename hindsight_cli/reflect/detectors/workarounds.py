"""Signs that a call got past a problem without solving it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hindsight_cli.records.event import Status
from hindsight_cli.records.trace import Call
from hindsight_cli.reflect import shell
from hindsight_cli.reflect.calls import PROSE, FileEdit, changed_files, edits_of, same_file
from hindsight_cli.reflect.detectors.removed_tests import removed_tests
from hindsight_cli.reflect.findings import Chain, Flag, Nature
from hindsight_cli.reflect.reading import Reading
from hindsight_cli.reflect.silences import SILENCES
from hindsight_cli.reflect.telling import failed_tests

# In a command line: wherever it stands.
_COMMAND = re.compile(
    r"""(?<![\w-])(?:--no-verify|--insecure|--no-check-certificate|--trusted-host\b|--legacy-peer-deps|--break-system-packages
    |--no-gpg-sign|--skip-(?:tests?|checks?|lint|hooks|validation)|--passWithNoTests|--exit-zero
    |--ignore-(?:errors|platform-reqs|engines)
    |--allow-unauthenticated|-DskipTests|-Dmaven\.test\.skip)(?![\w-])
    |\bchmod\s+(?:-R\s+)?0?777\b|\bNODE_TLS_REJECT_UNAUTHORIZED=0|\bGIT_SSL_NO_VERIFY=
    |\bsslVerify[= ]false|\bStrictHostKeyChecking[= ]no
    |\bSKIP(?:_\w+)?=\S|\bHUSKY=0|\bsetenforce\s+0\b|\bcurl\b[^\n|;]*\s-[a-zA-Z]*k[a-zA-Z]*\s
    |\bgit\s+commit\b[^\n|;]*\s-n\b
    |\bpytest\b[^\n|;]*(?:\s-k\s+['"]?not\b|--deselect|--ignore)""",
    re.VERBOSE,
)
# In a command line, when it follows a failure of the same command.
_AFTER_FAILURE = re.compile(
    r"\|\|\s*(?:true\b|:(?=\s|$)|exit 0)|;\s*true\s*$|\bset \+e\b|--force(?![\w-])"
)
# Gets rid of something that may be needed, or decides a conflict unseen.
_DRASTIC = re.compile(
    r"\bgit\s+(?:reset\b[^\n|;&]*--hard|clean\b[^\n|;&]*\s-\w*f|checkout\s+(?:--(?=\s)|\.|--ours"
    r"|--theirs)|restore\b|stash\s+(?:drop|clear)|branch\s+-D|push\b[^\n|;&]*(?:--force(?!-)|\s-f\b))"
    r"|\brm\s+-\w*(?:r\w*f|f\w*r)|\b(?:drop|truncate)\s+(?:table|database)\b"
    r"|\bdocker\s+(?:system|volume)\s+prune\b|\bkill(?:all)?\s+-9|\bpkill\b",
    re.I,
)
_LINE = 2_000  # characters of an added line
_RECENT = 6  # calls


def is_drastic(command: str) -> bool:
    """Whether a line should not be recommended whatever it solved."""
    bare = shell.bare(command)
    return _DRASTIC.search(bare) is not None or _COMMAND.search(bare) is not None


def find_workarounds(reading: Reading, chains: Sequence[Chain]) -> tuple[Flag, ...]:
    """Every accepted call with such a sign, in order, each once."""
    failed_files = [
        (call.step_index, path)
        for chain in chains
        if chain.nature is Nature.EDIT
        for call in chain.failed
        for path in _edited(call)
    ]
    found: list[Flag] = []
    for index, call in enumerate(reading.calls):
        if call.status is Status.OK:
            found += list(_signs(reading, index, failed_files))[:1]
    return tuple(found)


def _signs(reading: Reading, index: int, failed_files: Sequence[tuple[int, str]]) -> Iterator[Flag]:
    call = reading.calls[index]
    command = shell.bare(call.command)
    if match := _COMMAND.search(command):
        yield Flag(call=call, code="flag", detail=match.group().strip())
    if (match := _AFTER_FAILURE.search(command)) and _failed_before(reading, index):
        yield Flag(call=call, code="flag", detail=match.group().strip())
    yield from (
        Flag(call=call, code="silenced", detail=sign)
        for edit in edits_of(call)
        if not edit.path.lower().endswith(PROSE) and (sign := _silenced(edit))
    )
    if _takes_out_failing_test(reading, index):
        yield Flag(call=call, code="removed_test", detail=min(removed_tests(call)))
    if call.command and not edits_of(call):
        yield from _written_after_refusal(reading, index, failed_files)


def _silenced(edit: FileEdit) -> str:
    """What silences a check in a line the edit adds, when nothing did so before."""
    if SILENCES.search(edit.old):
        return ""
    before = set(edit.old.split("\n"))
    added = (line[:_LINE] for line in edit.new.split("\n") if line not in before)
    return next((match.group().strip() for line in added if (match := SILENCES.search(line))), "")


def _written_after_refusal(
    reading: Reading, index: int, failed_files: Sequence[tuple[int, str]]
) -> Iterator[Flag]:
    call = reading.calls[index]
    for path in changed_files(call):
        near = [s for s, p in failed_files if s < call.step_index and same_file(p, path)]
        if near and reading.index_of[near[-1]] >= index - _RECENT:
            yield Flag(call=call, code="shell_edit", detail=path)


def _failed_before(reading: Reading, index: int) -> bool:
    """Whether one of the few calls before failed with a command in common."""
    asked = shell.intents(reading.calls[index].command)
    recent = reading.calls[max(0, index - _RECENT) : index]
    return any(call.failed and shell.intents(call.command) & asked for call in recent)


def _takes_out_failing_test(reading: Reading, index: int) -> bool:
    gone = removed_tests(reading.calls[index])
    if not gone:
        return False
    recent = reading.calls[max(0, index - 10) : index]
    return any(gone & failed_tests(call.output) for call in recent if call.failed)


def _edited(call: Call) -> list[str]:
    return [edit.path for edit in edits_of(call) if edit.path]
