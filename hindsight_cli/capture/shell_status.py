"""Failures of shell commands that no flag and no exit code tells of.

A pipe, a `;` or a `|| true` gives the line the status of another command. Only of
commands whose status was lost in this way, or never recorded, is the text asked.
"""

from __future__ import annotations

import re
from itertools import pairwise

from hindsight_cli.capture.shell_line import Command, parse_line, pipelines, replaced_statuses
from hindsight_cli.capture.shell_programs import (
    answers_with_one,
    is_probe,
    is_quiet,
    prints_foreign_text,
    producer,
    reports_itself,
)
from hindsight_cli.capture.shell_signals import SIGNALS, SUCCESS, Signal

_SELF_REPORT_LINES = 3
_NEIGHBOUR_LINES = 25  # of mixed output: how much at its end belongs to the last command
_ERREXIT = re.compile(r"\bset -[a-z]*e")
_FAILURE_WORD = re.compile(r"fail|error|broken|not ok", re.IGNORECASE)
_STATUS_VARIABLE = re.compile(r"\\\$\\\?|\\\$\\\{PIPESTATUS\\\[\d+\\\]\\\}")


def printed_exit_code(command: str, text: str) -> int | None:
    """The exit code a line printed itself, as in `make; echo "exit: $?"`.

    0 where the only codes are answers of commands that say no with 1; None if the
    line prints none.
    """
    commands = parse_line(command) if "$?" in command or "PIPESTATUS" in command else ()
    codes: list[int] = []
    for before, printing in pairwise(commands):
        if printing.program != "echo":
            continue
        words = [word for word in printing.words if not re.fullmatch(r"-[neE]+", word)]
        pattern, count = _STATUS_VARIABLE.subn(r"(\\d+)", re.escape(" ".join(words)))
        if not count:
            continue
        for match in re.finditer(rf"^\s*{pattern}\s*$", text, re.MULTILINE):
            code = int(match[1])
            is_answer = code == 1 and (answers_with_one(before) or is_probe(before))
            codes.append(0 if is_answer else code)
    return max(codes) if codes else None


def exit_one_is_an_answer(command: str, body: str) -> bool:
    """Whether exit 1 is how the last command says no, and nothing else failed."""
    commands = parse_line(command)
    if not commands or not answers_with_one(commands[-1]):
        return False
    if any(reports_itself(line, commands) for line in body.splitlines()):
        return False
    alone = len(pipelines(commands)) == 1
    return alone or not any(signal.pattern.search(body) for signal in SIGNALS)


def silent_failure(command: str, text: str, *, vouched: bool) -> str | None:
    """The rule by which the text shows that a command failed, or None.

    `vouched` says that the line as a whole is known to have succeeded, so that only
    commands whose status it does not carry are in doubt.
    """
    commands = parse_line(command)
    groups = pipelines(commands)
    in_doubt = _in_doubt(command, groups) if vouched else list(range(len(groups)))
    if not text.strip() or (vouched and not in_doubt):
        return None
    workers = [
        index
        for index in in_doubt
        if not prints_foreign_text(producer(groups[index]))
        and not is_quiet(producer(groups[index]))
    ]
    if groups and not workers:
        return "self_report" if _only_reports_itself(commands, groups, text) else None
    if _fallback_ran(groups, workers, text):
        return "fallback_ran"
    before, after = _noise_round(groups, workers)
    signal = _signal_in(text, noise_before=before, noise_after=after)
    return f"text_{signal.name}" if signal else None


def _in_doubt(command: str, groups: list[list[Command]]) -> list[int]:
    """The pipelines that may have failed although the line as a whole succeeded.

    Within a pipeline the shell reports the last command's status; where that is but
    a filter, the one whose words we read went unreported.
    """
    pipefail = "pipefail" in command
    replaced = replaced_statuses(groups, errexit=bool(_ERREXIT.search(command)))
    return [
        index
        for index, group in enumerate(groups)
        if replaced[index] or (not pipefail and producer(group) is not group[-1])
    ]


def _only_reports_itself(
    commands: tuple[Command, ...], groups: list[list[Command]], text: str
) -> bool:
    """Programs that print others' text are believed when they say nothing but that they failed."""
    lines = [line for line in text.splitlines() if line.strip()]
    anticipated = any(group[0].joined == "||" for group in groups)
    if len(lines) > _SELF_REPORT_LINES or (anticipated and is_probe(producer(groups[0]))):
        return False
    return reports_itself(lines[0], commands)


def _fallback_ran(groups: list[list[Command]], workers: list[int], text: str) -> bool:
    """Whether `work || echo "it failed"` printed its echo."""
    lines = {line.strip() for line in text.splitlines()}
    for index, group in enumerate(groups):
        words = " ".join(group[0].words)
        announces = group[0].joined == "||" and group[0].program == "echo"
        if announces and words.strip() in lines and _FAILURE_WORD.search(words):
            guarded = [i for i in workers if i < index]
            if guarded and not is_probe(producer(groups[guarded[-1]])):
                return True
    return False


def _noise_round(groups: list[list[Command]], workers: list[int]) -> tuple[bool, bool]:
    """Whether others' text stands before the first command in doubt, and behind the last."""
    if not workers:
        return False, False
    loud = [
        index
        for index, group in enumerate(groups)
        if prints_foreign_text(producer(group)) and not group[-1].silenced
    ]
    return (
        any(index < workers[0] for index in loud),
        any(index > workers[0] for index in loud),
    )


def _signal_in(text: str, *, noise_before: bool, noise_after: bool) -> Signal | None:
    lines = text.rstrip().splitlines()
    if noise_before:
        lines = lines[-_NEIGHBOUR_LINES:]
    if noise_after:
        lines = lines[:_NEIGHBOUR_LINES]
    succeeded = bool(SUCCESS.search("\n".join(lines[-3:])))
    trusted = not succeeded and not (noise_before and noise_after)
    for signal in SIGNALS:
        place = lines if signal.final else _edges(lines, signal)
        if (signal.final or trusted) and signal.pattern.search("\n".join(place)):
            return signal
    return None


def _edges(lines: list[str], signal: Signal) -> list[str]:
    if len(lines) <= signal.first_lines + signal.last_lines:
        return lines
    return [*lines[: signal.first_lines], *lines[-signal.last_lines :]]
