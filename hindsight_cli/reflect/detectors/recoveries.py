"""Failed calls and the success that ends each: not the first later one, the one that answers it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import IntEnum

from hindsight_cli.records.event import Status, ToolKind
from hindsight_cli.records.trace import Call
from hindsight_cli.reflect import shell
from hindsight_cli.reflect.calls import (
    EDIT_KINDS,
    base_name,
    changed_files,
    edits_of,
    flat_arguments,
    is_lookup,
    path_of,
    query_of,
    same_file,
    signature,
    similarity,
    words_of,
)
from hindsight_cli.reflect.detectors.expected import is_expected
from hindsight_cli.reflect.detectors.removed_tests import removed_tests
from hindsight_cli.reflect.findings import Chain, Nature
from hindsight_cli.reflect.programs import LOOKERS, WEAK, CheckKind
from hindsight_cli.reflect.reading import Reading
from hindsight_cli.reflect.relation import is_about_the_same, is_typing_error
from hindsight_cli.reflect.telling import error_key, failed_tests, is_empty

_EDIT_HORIZON = 40  # calls; nine of ten failures end within 13
_NEAR = 12
_SHELL_HORIZON = 25
_CHECK_HORIZON = 400
_TOOL_HORIZON = 20
_ALIKE = 0.25
_NEXT = 2  # calls
_USAGE = re.compile(
    r"command not found|no such file or directory|cannot access|can't cd|unknown (?:option|flag"
    r"|command|shorthand|subcommand)"
    r"|unrecogni[sz]ed (?:option|argument|command)|invalid option|illegal option|^usage:"
    r"|syntax error near|not a git repository"
    r"|permission denied|no go files|no module named|missing script|is not recognized"
    r"|missing operand|directory not found"
    r"|unbound variable|no rule to make target|could not find a? ?package\.json",
    re.I | re.M,
)
_COMPILE = re.compile(
    r"\[build failed\]|imported and not used|declared and not used|no new variables on left side"
    r"|^SyntaxError|\bSyntaxError:"
    r"|IndentationError|\berror TS\d+|\berror\[E\d+\]|cannot find symbol|compilation (?:failed"
    r"|error)|could not compile|undefined: \w",
    re.M,
)
_MISSING = re.compile(
    r"(?:can't cd to|cannot access|cannot create(?: regular file)?|cannot open) (\S+)"
    r"|(?:no such file or directory:? ?'?|)([~./][\w./@+-]+)'?(?:: no such file or directory)",
    re.I,
)
_ENDED = re.compile(r"git (\S+) --(?:continue|abort|skip|quit)")
CONFLICT = re.compile(r"^git (rebase|merge|cherry-pick|am|revert|pull)$")


def find_chains(reading: Reading) -> tuple[Chain, ...]:
    """Every failed call in exactly one chain, ordered by its first failure."""
    ends: dict[tuple[Nature, object], list[Call]] = {}
    fix_of: dict[int, Call | None] = {}  # by step
    for index, call in enumerate(reading.calls):
        if not call.failed:
            continue
        nature = nature_of(call)
        fix = _end_of(reading, index, nature)
        key: object = ("fix", fix.step_index) if fix else ("open", call.tool_name, _open_key(call))
        if fix and nature is Nature.TOOL and not _same_error(ends.get((nature, key)), call):
            key = (key, error_key(call))
        ends.setdefault((nature, key), []).append(call)
        fix_of[call.step_index] = fix
    chains = [_chain(reading, nature, failed, fix_of) for (nature, _), failed in ends.items()]
    return tuple(sorted(chains, key=lambda c: c.failed[0].step_index))


def nature_of(call: Call) -> Nature:
    if edits_of(call) or call.tool_kind in EDIT_KINDS:
        return Nature.EDIT
    if is_lookup(call):
        return Nature.LOOKUP
    if call.tool_kind is ToolKind.SHELL:
        return Nature.CHECK if shell.checks(call.command) else Nature.SHELL
    return Nature.TOOL


class Stage(IntEnum):
    """How far a failed command got."""

    USAGE = 0  # it could not do its work at all, whatever the state of the files
    COMPILE = 1  # what it works on does not even parse
    RESULT = 2  # it ran and reports what it found


def stage_of(call: Call) -> Stage:
    head = call.output[:6_000]
    if call.tool_kind is ToolKind.SHELL and _COMPILE.search(head):
        return Stage.COMPILE
    if call.tool_kind is ToolKind.SHELL and _USAGE.search(head):
        return Stage.USAGE
    return Stage.RESULT


def _got_further(before: Stage, after: Stage, *, is_check: bool) -> bool:
    """A check may be wrongly called twice, in two ways; any other command is just wrong again."""
    return before < after or (is_check and before is Stage.USAGE)


def _same_error(group: list[Call] | None, call: Call) -> bool:
    return group is None or error_key(group[-1]) == error_key(call)


def _open_key(call: Call) -> str:
    return error_key(call) or path_of(call) or signature(call)


def _chain(
    reading: Reading, nature: Nature, failed: list[Call], fix_of: dict[int, Call | None]
) -> Chain:
    fix = fix_of[failed[-1].step_index]
    between: tuple[Call, ...] = ()
    if fix is not None:
        start, end = reading.index_of[failed[-1].step_index], reading.index_of[fix.step_index]
        between = tuple(reading.calls[start + 1 : end])
    sent = [signature(call) for call in failed]
    return Chain(
        nature=nature,
        failed=tuple(failed),
        fix=fix,
        between=between,
        expected=is_expected(reading, failed[0]),
        repeats=len(sent) - len(set(sent)),
        proof=_proof(fix, fix_of),
        doubtful=_doubtful(reading, failed[-1], nature) if fix is None else None,
    )


def _proof(fix: Call | None, fix_of: dict[int, Call | None]) -> Call | None:
    """Follow commands that only got further to the one that went through."""
    while fix is not None and fix.failed:
        fix = fix_of.get(fix.step_index)
    return fix


def _doubtful(reading: Reading, failed: Call, nature: Nature) -> Call | None:
    """The next accepted command of the same program, which works on something else."""
    if nature not in {Nature.SHELL, Nature.CHECK}:
        return None
    programs = {one.program for one in shell.invocations(failed.command)}
    for _, call in _following(reading, reading.index_of[failed.step_index], _NEXT):
        started = {one.program for one in shell.invocations(call.command)}
        if call.status is Status.OK and programs & started - LOOKERS:
            return call
    return None


def _end_of(reading: Reading, index: int, nature: Nature) -> Call | None:
    finders = {
        Nature.EDIT: _edit_end,
        Nature.LOOKUP: _lookup_end,
        Nature.CHECK: _shell_end,
        Nature.SHELL: _shell_end,
        Nature.TOOL: _tool_end,
    }
    return finders[nature](reading, index)


def _following(reading: Reading, index: int, horizon: int) -> Iterator[tuple[int, Call]]:
    stop = min(len(reading.calls), index + 1 + horizon)
    return ((at, reading.calls[at]) for at in range(index + 1, stop))


def _edit_end(reading: Reading, index: int) -> Call | None:
    """The later change of the same file that says the same and stays."""
    failed = reading.calls[index]
    path, wanted = path_of(failed), "\n".join(e.new for e in edits_of(failed))
    nearest: Call | None = None
    for at, call in _following(reading, index, _EDIT_HORIZON):
        if call.status is not Status.OK or at in reading.undone_by:
            continue
        if not any(same_file(path, changed) for changed in changed_files(call)):
            continue
        given = "\n".join(e.new for e in edits_of(call)) or call.command
        if similarity(wanted, given) >= _ALIKE:
            return call
        related = words_of(wanted) & words_of(given) or not edits_of(call)
        if nearest is None and at - index <= _NEAR and related:
            nearest = call
    return nearest


def _lookup_end(reading: Reading, index: int) -> Call | None:
    """The look that found it: the same name elsewhere, or a file a search turned up."""
    failed = reading.calls[index]
    if (repeated := _same_again(reading, index)) is not None:
        return repeated
    name, query = base_name(path_of(failed)), query_of(failed) or failed.command
    looks = [
        call
        for _, call in _following(reading, index, _NEAR)
        if call.status is Status.OK and is_lookup(call) and not is_empty(call.output)
    ]
    for call in looks:
        if name and call.tool_kind is ToolKind.READ and base_name(path_of(call)) == name:
            return call
    found: list[Call] = []
    for call in looks:
        path = base_name(path_of(call))
        if call.tool_kind is ToolKind.READ:
            if path and any(path in search.output for search in found):
                return call
            continue
        asked = query_of(call) or call.command
        if failed.tool_kind is not ToolKind.READ and similarity(query, asked) >= _ALIKE:
            return call
        if _looks_for(call, failed):
            found.append(call)
    return found[0] if found else None


def _same_again(reading: Reading, index: int) -> Call | None:
    """The same look, accepted after something was done in between."""
    failed, acted = reading.calls[index], False
    for _, call in _following(reading, index, _NEAR):
        if call.status is Status.OK and acted and signature(call) == signature(failed):
            return call
        acted = acted or (call.status is Status.OK and not is_lookup(call))
    return None


def _looks_for(search: Call, failed: Call) -> bool:
    """Whether a search shares a telling word with what was not found."""
    asked = words_of(" ".join(flat_arguments(search).values()))
    missing = words_of(f"{path_of(failed)} {query_of(failed)} {failed.command}")
    return bool(asked & missing)


def _shell_end(reading: Reading, index: int) -> Call | None:
    failed = reading.calls[index]
    wanted = _strong(shell.intents(failed.command))
    kinds = shell.checks(failed.command) - {CheckKind.SCRIPT}
    is_check = nature_of(failed) is Nature.CHECK
    stage = stage_of(failed)
    supplied: Call | None = None
    for at, call in _following(reading, index, _CHECK_HORIZON if kinds else _SHELL_HORIZON):
        if call.tool_kind is not ToolKind.SHELL:
            continue
        if stage is Stage.USAGE and call.status is Status.OK and supplies(call, failed):
            supplied = supplied or call
        if not _bears_on(failed, call, wanted, kinds):
            continue
        if call.status is Status.OK:
            if "| grep" in call.command and is_empty(call.output):
                continue  # the filter may have hidden the answer
            return None if _tests_vanished(reading, failed, index, at) else call
        further = call.failed and _got_further(stage, stage_of(call), is_check=is_check)
        if wanted & shell.intents(call.command) and further and _is_other_error(failed, call):
            return supplied or call
    return supplied


def _bears_on(
    failed: Call, call: Call, wanted: frozenset[str], kinds: frozenset[CheckKind]
) -> bool:
    """Whether a later command tries what the failed one was for."""
    if is_typing_error(failed, call.command):
        return True
    rehearsal = shell.is_rehearsal(call.command) and not shell.is_rehearsal(failed.command)
    if rehearsal or not _answers(call, wanted, kinds):
        return False
    if kinds or not wanted & shell.intents(call.command):
        return True
    return is_about_the_same(failed.command, call.command)  # not docker run of another image


def _is_other_error(one: Call, other: Call) -> bool:
    return error_key(one) != error_key(other)


def supplies(call: Call, failed: Call) -> bool:
    """Whether a command creates the file or folder that a failed one missed."""
    missing = _MISSING.search(failed.output[:4_000])
    if missing is None or not re.match(
        r"(?:sudo )?(?:mkdir|touch|ln|cp|git clone|tar)\b", call.command
    ):
        return False
    path = (missing.group(1) or missing.group(2)).strip("'\"`:")
    return len(path) > 3 and path in call.command  # noqa: PLR2004


def _answers(call: Call, wanted: frozenset[str], kinds: frozenset[CheckKind]) -> bool:
    asked = shell.intents(call.command)
    if wanted & asked or kinds & shell.checks(call.command):
        return True
    operations = {m.group(1) for intent in wanted if (m := CONFLICT.match(intent))}
    ending = _ENDED.search(shell.bare(call.command))
    return ending is not None and ending.group(1) in operations


def _strong(asked: frozenset[str]) -> frozenset[str]:
    return (asked - WEAK) or asked


def _tests_vanished(reading: Reading, failed: Call, start: int, end: int) -> bool:
    """Green only because the failing test was taken out."""
    named = failed_tests(failed.output)
    gone = {name for call in reading.calls[start:end] for name in removed_tests(call)}
    return bool(named) and named <= gone


def _tool_end(reading: Reading, index: int) -> Call | None:
    """The accepted call of the same tool with the most arguments in common."""
    failed = reading.calls[index]
    sent = flat_arguments(failed)
    best: tuple[float, Call] | None = None
    for _, call in _following(reading, index, _TOOL_HORIZON):
        if call.tool_name != failed.tool_name or call.failed:
            continue
        alike = _alike(sent, flat_arguments(call))
        if alike >= _ALIKE and (best is None or alike > best[0]):
            best = (alike, call)
    if best is not None:  # the one that asked the same may have been refused by the user
        return best[1] if best[1].status is Status.OK else None
    return _sibling(reading, index)


def _sibling(reading: Reading, index: int) -> Call | None:
    """The next call, made by a tool of the same family: TaskOutput and Task."""
    name = reading.calls[index].tool_name
    for _, call in _following(reading, index, 2):
        is_family = call.tool_name != name and (
            name.startswith(call.tool_name) or call.tool_name.startswith(name)
        )
        if is_family and call.status is Status.OK:
            return call
    return None


def _alike(one: dict[str, str], other: dict[str, str]) -> float:
    """How much of the arguments is the same, 0..1; 1.0 when there is at most one to compare."""
    names = one.keys() | other.keys()
    if len(names) <= 1:
        return 1.0
    shares = [
        float(one[n] == other[n]) or similarity(one[n], other[n]) / 2
        if n in one and n in other
        else 0.0
        for n in names
    ]
    return max(sum(shares) / len(names), _ALIKE if len(names) == 2 else 0.0)  # noqa: PLR2004
