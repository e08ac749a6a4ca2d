"""What made the difference: the telling part of a command, an edit, a changed argument. Pure."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hindsight_cli.records.event import Status
from hindsight_cli.records.trace import Call
from hindsight_cli.reflect.calls import edits_of, flat_arguments, similarity, words_of
from hindsight_cli.reflect.reading import Reading
from hindsight_cli.reflect.telling import excerpt

_MAX_LINE = 100
_MAX_DIFFED = 400  # lines
_TEXTS = re.compile(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|`[^`]*`")
_BARE_TEXT = re.compile(r'[\s"\',:;()\[\]{}]*|[\w.-]+\s*[:=]\s*"",?')  # a list item, a setting
_PROSE = re.compile(r"(?:[^\W\d_]{2,}\W+){3}[^\W\d_]{2,}")  # a message, not a name
_ALIKE = 0.34
_IDENTIFIER = re.compile(r"(?=.*[\d_])[\w.:@/-]{4,}")
_MIN_BLAMED = 3
_MAX_COMPARED = 40  # lines of one edit
_IMPORT = re.compile(r"(?:import|from|use|using|require|#include)\b|[\"'][\w./@-]+[\"'],?$")
_PATH_PARTS = 3
_CODE = re.compile(r"\w{2,}")
_DEFINITION = re.compile(
    r"(?:(?:export|pub|public|private|static|async|default)\s+)*(?:func|def|class|fn|function|type"
    r"|interface|struct|impl|enum|trait)\s+\S"
)
_WHOLE_BLOCK = 6  # lines
_COMMENT = re.compile(r"^\s*(?://|#|--|\*|/\*|<!--)")
_BORING = re.compile(r"^\s*(?:[{}()\[\];,]*|end|else|pass|return|import \(|\)|\*/|\d+)\s*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One edit in a nutshell: the telling removed and added line, either may be ""."""

    file: str
    old: str
    new: str
    call: Call
    moved: bool = False  # the line was there before, at another place


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
        for change in _changes(call, about)[:2]:
            shared = _shared(f"{change.old} {change.new} {change.file}", about)
            incidental = _IMPORT.match(change.new or change.old) is not None and shared == 0
            found.append((float(incidental) - shared, call.step_index, change))
    distinct = {(c.old, c.new): (rank, step, c) for rank, step, c in reversed(found)}
    ranked = sorted(distinct.values(), key=lambda item: item[:2])
    firsts = {item[2].file: item for item in reversed(ranked)}  # one of each file before others
    best = sorted(ranked, key=lambda item: item is not firsts[item[2].file])[:limit]
    return tuple(change for _, _, change in sorted(best, key=lambda item: item[1]))


def _changes(call: Call, about: str) -> list[Change]:
    """The parts of an edit that matter, most telling first."""
    found: list[tuple[int, int, Change]] = []
    for edit in edits_of(call):
        file = short_path(edit.path or _file_told(call))
        moved = _moved_lines(_lines(edit.old), _lines(edit.new))
        for gone, come in _hunks(_lines(edit.old), _lines(edit.new)):
            left = [line for line in gone if line not in moved]
            fresh = [line for line in come if line not in moved]
            pair = (_pair(left, fresh, about), False)
            if not any(pair[0]):
                pair = (_move([line for line in come if line in moved], edit.new, about), True)
            (old, new), is_move = pair
            if old or new:
                change = Change(file=file, old=old, new=new, call=call, moved=is_move)
                found.append((-_shared(f"{old} {new}", about), len(found), change))
    return [change for _, _, change in sorted(found, key=lambda item: item[:2])]


def _hunks(old: list[str], new: list[str]) -> list[tuple[list[str], list[str]]]:
    """Lines removed and lines put in their place, hunk by hunk; bounded."""
    if len(old) > _MAX_DIFFED or len(new) > _MAX_DIFFED:
        before, after = set(old), set(new)
        gone = [line for line in old if line not in after]
        return [(gone, [line for line in new if line not in before])]
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return [(old[i:j], new[k:m]) for code, i, j, k, m in matcher.get_opcodes() if code != "equal"]


def _moved_lines(old: list[str], new: list[str]) -> frozenset[str]:
    """Lines that stand in both texts, at another place."""
    gone = {line for removed, _ in _hunks(old, new) for line in removed}
    come = {line for _, added in _hunks(old, new) for line in added}
    return frozenset(line for line in gone & come if not _BORING.match(line))


def _move(come: Sequence[str], text: str, about: str) -> tuple[str, str]:
    """The line that now comes after, and the one that was put before it."""
    new = telling_line(come, about)
    lines = _lines(text)
    after = lines[lines.index(new) + 1 :] if new in lines else []
    follower = next((line for line in after if not _BORING.match(line)), "")
    return (follower, new) if follower and new and len(follower) <= _MAX_LINE else ("", "")


def _shared(text: str, about: str) -> int:
    return len(words_of(text) & words_of(about))


def _pair(gone: Sequence[str], come: Sequence[str], about: str) -> tuple[str, str]:
    """A removed line and the one that took its place; only the added one when none did.

    A line whose wording alone changed (a message, a comment) is not what mattered.
    """
    best: tuple[int, float, str, str] | None = None
    for old in gone[:_MAX_COMPARED]:
        new = max(come[:_MAX_COMPARED], key=lambda line: similarity(old, line), default="")
        alike = similarity(old, new)
        if alike < _ALIKE or not _CODE.search(old) or _BORING.match(old) or _is_wording(old, new):
            continue
        best = max(best or (-1, 0.0, "", ""), (_shared(f"{old} {new}", about), alike, old, new))
    fresh = [line for line in come if not any(_is_wording(old, line) for old in gone)]
    added = telling_line([line for line in fresh if not _COMMENT.match(line)], about)
    if best is not None and (not added or _shared(added, about) <= best[0]):
        return (best[2], best[3]) if max(map(len, best[2:])) <= _MAX_LINE else ("", "")
    if added:
        return "", added
    told = [line for line in gone if not any(_is_wording(line, new) for new in come)]
    return telling_line([line for line in told if not _COMMENT.match(line)], about), ""


def _is_wording(old: str, new: str) -> bool:
    """Whether two lines of code differ only in the texts they hold."""
    bare_old, bare_new = _TEXTS.sub('""', old), _TEXTS.sub('""', new)
    return old != new and bare_old == bare_new and not _BARE_TEXT.fullmatch(bare_old)


def _is_message(line: str) -> bool:
    """Whether a line of code begins with words for a person: a piece of a longer message."""
    text = _TEXTS.match(line.lstrip())
    return text is not None and _PROSE.search(text.group()) is not None


def _file_told(call: Call) -> str:
    """The open file, when a line editor names it in its answer."""
    match = re.search(r"\[File: (\S+)", call.output)
    return match.group(1) if match else ""


def telling_line(lines: Sequence[str], about: str = "") -> str:
    """The line that shares most words with `about`; code before comments, longer before shorter."""
    wanted = words_of(about)

    names_it = len(lines) >= _WHOLE_BLOCK  # of a long addition, its name tells most

    def rank(line: str) -> tuple[bool, int, bool, int]:
        return (
            names_it and _DEFINITION.match(line) is not None,
            len(words_of(line) & wanted),
            not _COMMENT.match(line),
            min(len(line), _MAX_LINE),
        )

    useful = [line for line in lines if _CODE.search(line) and not _BORING.match(line)]
    useful = [line for line in useful if not _is_message(line)]
    useful = [line for line in useful if len(line) <= _MAX_LINE] or useful
    best = max(useful, key=rank, default="")
    return excerpt(re.sub(r"\s*\{$", "", best) if _DEFINITION.match(best) else best, _MAX_LINE)


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
