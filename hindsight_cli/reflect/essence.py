"""What made the difference: the telling part of a command, an edit, a changed argument. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hindsight_cli.records.event import Status
from hindsight_cli.records.trace import Call
from hindsight_cli.reflect import shell
from hindsight_cli.reflect.calls import edits_of, flat_arguments, similarity, words_of
from hindsight_cli.reflect.reading import Reading
from hindsight_cli.reflect.telling import excerpt

MAX_COMMAND = 160
_MAX_LINE = 110
_ALIKE = 0.34
_IDENTIFIER = re.compile(r"(?=.*[\d_])[\w.:@/-]{4,}")
_MIN_BLAMED = 3
_MAX_COMPARED = 40  # lines of one edit
_IMPORT = re.compile(r"(?:import|from|use|using|require|#include)\b|[\"'][\w./@-]+[\"'],?$")
_PATH_PARTS = 3
_SEGMENTS = re.compile(r"&&|\|\||;")
_CODE = re.compile(r"\w{2,}")
_COMMENT = re.compile(r"^\s*(?://|#|--|\*|/\*|<!--)")
_BORING = re.compile(r"^\s*(?:[{}()\[\];,]*|end|else|pass|return|import \(|\)|\*/|\d+)\s*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One edit in a nutshell: the telling removed and added line, either may be ""."""

    file: str
    old: str
    new: str
    call: Call


def command_text(call: Call, max_chars: int = MAX_COMMAND) -> str:
    """The telling piece of a shell command; for other tools the tool's name."""
    if not call.command:
        return call.tool_name
    command = call.command.strip()
    if len(command) <= max_chars and "\n" not in command:
        return command
    asked = shell.invocations(command)
    checks = [one for one in asked if one.check] or list(asked)
    wanted = checks[-1].program if checks else ""
    lines = [line.strip() for line in command.split("\n") if line.strip()]
    line = next((text for text in lines if wanted and wanted in text), lines[0] if lines else "")
    if len(line) > max_chars and wanted:
        parts = re.split(r"\s*(?:&&|;|\|\|)\s*", line)
        line = next((part for part in parts if wanted in part), line)
    return excerpt(line, max_chars)


def command_difference(bad: Call, good: Call) -> str:
    """What the accepted line has that the failed one had not, when it is too long to show."""
    command = good.command.strip()
    if len(command) <= MAX_COMMAND or "\n" in command:
        return command_text(good)
    tried = {part.strip() for part in _SEGMENTS.split(bad.command)}
    fresh = [part.strip() for part in _SEGMENTS.split(command) if part.strip() not in tried]
    if not fresh or len(tried) <= 1:
        return command_text(good)
    return excerpt(command[command.index(fresh[0]) :], MAX_COMMAND)


def short_path(path: str) -> str:
    """The last parts of a path, which is enough to find the file."""
    parts = path.replace("\\", "/").rstrip("/").split("/")
    return "/".join(parts[-_PATH_PARTS:]) if len(parts) > _PATH_PARTS else path.replace("\\", "/")


def changes_between(
    reading: Reading, calls: Iterable[Call], about: str, limit: int = 3
) -> tuple[Change, ...]:
    """The edits that stayed, those that share most words with `about` first, then in order."""
    found: list[tuple[float, int, Change]] = []
    for call in calls:
        if call.status is not Status.OK or reading.index_of[call.step_index] in reading.undone_by:
            continue
        for change in _changes(call, about):
            shared = len(words_of(f"{change.old} {change.new} {change.file}") & words_of(about))
            incidental = _IMPORT.match(change.new or change.old) is not None and shared == 0
            found.append((float(incidental) - shared, call.step_index, change))
    distinct = {(c.old, c.new): (rank, step, c) for rank, step, c in reversed(found)}
    best = sorted(distinct.values(), key=lambda item: item[:2])[:limit]
    return tuple(change for _, _, change in sorted(best, key=lambda item: item[1]))


def _changes(call: Call, about: str) -> list[Change]:
    changes = []
    for edit in edits_of(call):
        before, after = _lines(edit.old), _lines(edit.new)
        old_lines, new_lines = set(before), set(after)
        gone = [line for line in before if line not in new_lines]
        come = [line for line in after if line not in old_lines]
        old, new = _pair(gone, come, about)
        if old or new:
            file = edit.path or _file_told(call)
            changes.append(Change(file=short_path(file), old=old, new=new, call=call))
    return changes[:1]


def _pair(gone: Sequence[str], come: Sequence[str], about: str) -> tuple[str, str]:
    """A removed line and the one that took its place; only the added one when none did."""
    wanted = words_of(about)
    best: tuple[int, float, str, str] | None = None
    for old in gone[:_MAX_COMPARED]:
        new = max(come[:_MAX_COMPARED], key=lambda line: similarity(old, line), default="")
        alike = similarity(old, new)
        if alike >= _ALIKE and _CODE.search(old) and not _BORING.match(old):
            shared = len(words_of(f"{old} {new}") & wanted)
            best = max(best or (-1, 0.0, "", ""), (shared, alike, old, new))
    if best is not None:
        return excerpt(best[2], _MAX_LINE), excerpt(best[3], _MAX_LINE)
    added = telling_line(come, about)
    return ("", added) if added else (telling_line(gone, about), "")


def _file_told(call: Call) -> str:
    """The open file, when a line editor names it in its answer."""
    match = re.search(r"\[File: (\S+)", call.output)
    return match.group(1) if match else ""


def telling_line(lines: Sequence[str], about: str = "") -> str:
    """The line that shares most words with `about`; code before comments, longer before shorter."""
    wanted = words_of(about)

    def rank(line: str) -> tuple[int, bool, int]:
        return (len(words_of(line) & wanted), not _COMMENT.match(line), min(len(line), _MAX_LINE))

    useful = [line for line in lines if _CODE.search(line) and not _BORING.match(line)]
    return excerpt(max(useful, key=rank), _MAX_LINE) if useful else ""


def changed_arguments(
    bad: Call, good: Call, limit: int = 3
) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """(name, value) of what was sent and refused, and of what was accepted in its place."""
    sent, accepted = flat_arguments(bad), flat_arguments(good)
    names = [n for n in accepted if accepted[n] != sent.get(n)]
    blamed = [n for n in names if len(sent.get(n, "")) > _MIN_BLAMED and sent[n] in bad.output]
    names = blamed or names
    short = sorted(names, key=lambda n: (len(accepted[n]) > _MAX_LINE, n not in sent))[:limit]
    gone = [n for n in sent if n not in accepted][:limit]
    return (
        [(leaf(n), excerpt(sent[n], _MAX_LINE)) for n in [*short, *gone] if sent.get(n)],
        [(leaf(n), excerpt(accepted[n], _MAX_LINE)) for n in short if accepted[n]],
    )


def leaf(name: str) -> str:
    """The argument's own name: `flights[0].date` is `date` in the call."""
    return re.sub(r"\[\d+\]$", "", name).rpartition(".")[2]


def sources_of(values: Iterable[str], calls: Iterable[Call]) -> tuple[Call, ...]:
    """Accepted calls whose answer holds one of the values; plain words come from anywhere."""
    wanted = [value for value in values if _IDENTIFIER.fullmatch(value)]
    return tuple(
        call for call in calls if call.status is Status.OK and any(v in call.output for v in wanted)
    )


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if line.strip()]
