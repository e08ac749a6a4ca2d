"""What an edit or a write changed, as the lines it took away and put there. Pure.

Agents name the arguments differently (old_string, oldText, old_str ...); names are compared
without case and underscores.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from hindsight_cli.records.event import ToolKind
from hindsight_cli.records.jsonvalue import JsonValue
from hindsight_cli.records.trace import Call
from hindsight_cli.tui.differences import IS_PATCH, of_pair, of_patch, safe_lines, signed
from hindsight_cli.tui.window import (
    CHANGED,
    MUST,
    Gap,
    Line,
    Mark,
    Row,
    narrow,
    safe_line,
    weight_of,
)

_PATHS = (
    *("filepath", "path", "filename", "file", "notebookpath", "targetfile"),
    *("relativepath", "absolutepath", "relativeworkspacepath"),
)
_PAIRS = (
    *(("oldstring", "newstring"), ("oldstr", "newstr"), ("oldtext", "newtext")),
    *(("oldcontent", "newcontent"), ("oldsource", "newsource"), ("search", "replace")),
)
_WHOLE = (
    *("content", "contents", "filetext", "filecontent", "newsource", "newcontent"),
    *("newtext", "newstr", "newstring", "inserttext", "text", "codeedit"),
)
_PATCHES = ("patch", "patchtext", "diff", "unifieddiff", "input")
_LISTS = ("edits", "changes", "replacements", "operations")
_MAX_DEPTH = 3  # of edits in changes
_NOTE_CHARS = 200
_TOLD = {*_PATHS, *_WHOLE, *_PATCHES, *_LISTS, *(name for pair in _PAIRS for name in pair)}
_SIGNS = {Mark.REMOVED: "- ", Mark.ADDED: "+ ", Mark.CONTEXT: "  "}
# Of the first line of a kind, and from which those of the next ones fall.
_WEIGHTS = {
    Mark.PATH: (60, 60),
    Mark.REMOVED: (MUST + 2, MUST - 1),
    Mark.ADDED: (MUST + 1, MUST - 2),
}


@dataclass(frozen=True, slots=True)
class Change:
    """What a call changed; `path` is that of the first file, or "" when none is named."""

    path: str
    rows: tuple[Row, ...]


def change_of(call: Call, *, max_lines: int) -> Change | None:
    """The change a call asked for, or None when it is no edit."""
    if call.tool_kind in (ToolKind.SHELL, ToolKind.READ, ToolKind.SEARCH):
        return None
    rows: list[Row] = []
    if isinstance(call.input, str) and IS_PATCH.search(call.input):
        rows = list(of_patch(call.input))
    elif isinstance(call.input, Mapping):
        rows = list(_of_arguments(call.input, call.tool_kind, _MAX_DEPTH))
    if not any(isinstance(row, Line) and row.mark in CHANGED for row in rows):
        return None
    path = next((r for r in rows if isinstance(r, Line) and r.mark is Mark.PATH), None)
    if path is not None:
        rows.remove(path)
    rows = _weighed(_dedented(rows))
    if isinstance(call.input, Mapping):
        rows += _notes(call.input)
    by_weight = sorted(range(len(rows)), key=lambda i: -weight_of(rows[i]))
    shown = narrow(rows, by_weight, lambda _: 1, budget=max_lines)
    return Change(path.text if path is not None else "", tuple(shown))


def _of_arguments(arguments: Mapping[str, JsonValue], kind: ToolKind, depth: int) -> Iterator[Row]:
    given = {_plain(key): value for key, value in arguments.items()}
    is_edit = kind in (ToolKind.EDIT, ToolKind.WRITE)
    path = next((given[name] for name in _PATHS if isinstance(given.get(name), str)), None)
    if path:
        yield Line(safe_line(str(path), ()), Mark.PATH)
    changed: list[Row] = []
    for old, new in _PAIRS if is_edit or path else _PAIRS[:-1]:
        before, after = given.get(old), given.get(new)
        if isinstance(before, str) and isinstance(after, str):
            changed += of_pair(before, after)
    for name in _PATCHES:
        text = given.get(name)
        if isinstance(text, str) and IS_PATCH.search(text):
            changed += of_patch(text)
    for name in _LISTS if depth else ():
        changed += _of_nested(given.get(name), kind, depth - 1)
    if not changed and (is_edit or path):
        texts = (given.get(name) for name in _WHOLE)
        whole = next((text for text in texts if isinstance(text, str) and text), "")
        changed += signed(Mark.ADDED, safe_lines(whole))
    yield from changed


def _of_nested(value: JsonValue, kind: ToolKind, depth: int) -> Iterator[Row]:
    """The edits of a list, or of an object whose keys are paths."""
    if isinstance(value, Mapping):
        for path, item in value.items():
            rows = list(_of_nested([item], kind, depth))
            if rows:
                yield Line(safe_line(path, ()), Mark.PATH)
                yield from rows
    for item in value if isinstance(value, list | tuple) else ():
        if not isinstance(item, Mapping):
            continue
        rows = list(_of_arguments(item, kind, depth))
        if not rows and depth:  # {"update": {"unified_diff": ...}}
            rows = list(_of_nested(list(item.values()), kind, depth - 1))
        yield from rows


def _notes(arguments: Mapping[str, JsonValue]) -> Iterator[Row]:
    """What else was given, a line each; switches that are off say nothing."""
    for key, value in arguments.items():
        is_told = isinstance(value, str | int | float) and value not in ("", False)
        if is_told and _plain(key) not in _TOLD:
            text = " ".join(str(value)[:_NOTE_CHARS].split())
            yield Line(safe_line(f"{key}: {text}", ()), Mark.CONTEXT)


def _dedented(rows: Sequence[Row]) -> Iterator[Row]:
    """With signs, and without the indentation that the changed lines have in common."""
    changed = [r.text for r in rows if isinstance(r, Line) and r.mark in CHANGED]
    indent = min((len(t) - len(t.lstrip()) for t in changed if t.strip()), default=0)
    for row in rows:
        if isinstance(row, Gap) or row.mark not in _SIGNS:
            yield row
            continue
        blank = min(indent, len(row.text) - len(row.text.lstrip()))
        sign = _SIGNS[row.mark]
        start = max(row.start - blank, 0) + len(sign)
        yield replace(row, text=sign + row.text[blank:], start=start)


def _weighed(rows: Iterable[Row]) -> list[Row]:
    """The first line of each side comes first, then one by one of each."""
    seen = dict.fromkeys(_WEIGHTS, 0)
    weighed: list[Row] = []
    for row in rows:
        if isinstance(row, Gap) or row.mark not in _WEIGHTS:
            weighed.append(row)
            continue
        first, second = _WEIGHTS[row.mark]
        number = seen[row.mark]
        seen[row.mark] += 1
        weight = max(second - 2 * number, 1) if number else first
        weighed.append(replace(row, weight=weight))
    return weighed


def _plain(name: str) -> str:
    return name.casefold().replace("_", "")
