"""What a call is about, whatever the agent named its arguments: file, edit, question.

Pure. Argument names as seen in the transcripts of the supported agents.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from hindsight_cli.records.event import Status, ToolKind
from hindsight_cli.records.jsonvalue import JsonValue
from hindsight_cli.records.trace import Call
from hindsight_cli.reflect import shell
from hindsight_cli.reflect.programs import LOOKERS

_PATH_KEYS = ("file_path", "path", "filePath", "absolute_path", "target_file", "notebook_path")
_PATH_KEYS_MORE = (
    "filename",
    "file",
    "relative_path",
    "uri",
    "TargetFile",
    "AbsolutePath",
    "dir_path",
)
_OLD_KEYS = ("old_string", "old_str", "oldString", "old_text", "search", "old", "oldText")
_NEW_KEYS = ("new_string", "new_str", "newString", "new_text", "replace", "new", "newText")
_WHOLE_KEYS = ("content", "file_text", "contents", "text", "code_edit", "insert_text", "new_source")
_PATCH_KEYS = ("patch", "patchText", "input", "diff")
_QUERY_KEYS = ("pattern", "query", "regex", "glob", "glob_pattern", "search_term", "q")
_PATCH_FILE = re.compile(
    r"^\*\*\* (?:Update|Add|Delete) File: (.+)$|^\+\+\+ (?:b/)?(\S+)", re.MULTILINE
)
_LINE_EDIT = re.compile(r"^edit\s+(\d+:\d+)?\s*(.*?)(?:\nend_of_edit|\Z)", re.DOTALL)
_FREE_TEXT_KEYS = frozenset({"description", "explanation", "thought", "timeout", "timeout_ms"})
PROSE = (".md", ".txt", ".rst", ".adoc")
EDIT_KINDS = frozenset({ToolKind.EDIT, ToolKind.WRITE})
LOOKUP_KINDS = frozenset({ToolKind.READ, ToolKind.SEARCH})


@dataclass(frozen=True, slots=True, kw_only=True)
class FileEdit:
    """One change of one file. `old` is "" when text was added or the file written whole."""

    path: str  # "" when the call does not say (line editors work on the open file)
    old: str
    new: str
    place: str = ""  # lines a line editor was told to replace, as it was told: "edit 10:12"


def arguments(call: Call) -> Mapping[str, JsonValue]:
    """The arguments by name; a bare text becomes `{"input": text}`."""
    if isinstance(call.input, Mapping):
        return call.input
    if isinstance(call.input, str) and call.input.lstrip().startswith("{"):
        try:
            parsed = json.loads(call.input)
        except ValueError:
            return {"input": call.input}
        return parsed if isinstance(parsed, dict) else {"input": call.input}
    return {} if call.input is None else {"input": call.input}


def text_of(value: JsonValue) -> str:
    """An argument as a person would quote it."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def flat_arguments(call: Call) -> dict[str, str]:
    """Arguments as `a.b[0].c` -> text, free-text descriptions left out; bare text as "" -> text."""
    if not isinstance(call.input, Mapping) and "input" in arguments(call):
        return {"": text_of(call.input)}
    return dict(flatten("", {k: v for k, v in arguments(call).items() if k not in _FREE_TEXT_KEYS}))


def flatten(prefix: str, value: JsonValue) -> Iterator[tuple[str, str]]:
    """`a.b[0].c` -> text for everything in `value`."""
    if isinstance(value, Mapping) and value:
        for key, inner in value.items():
            yield from flatten(f"{prefix}.{key}" if prefix else str(key), inner)
    elif isinstance(value, list) and value:
        for index, inner in enumerate(value):
            yield from flatten(f"{prefix}[{index}]", inner)
    else:
        yield prefix, text_of(value)


def path_of(call: Call) -> str:
    """The file or folder a call names, "" when none."""
    given = arguments(call)
    for key in (*_PATH_KEYS, *_PATH_KEYS_MORE):
        if isinstance(value := given.get(key), str) and value:
            return value
    found = edits_of(call)
    return found[0].path if found else ""


def query_of(call: Call) -> str:
    given = arguments(call)
    return next((text_of(given[k]) for k in _QUERY_KEYS if given.get(k)), "")


def edits_of(call: Call) -> tuple[FileEdit, ...]:
    """The changes an editing call makes or tried to make; () for other calls."""
    if call.tool_kind not in EDIT_KINDS and not _is_patch(call):
        return ()
    return tuple(_edits(call))


def _edits(call: Call) -> Iterator[FileEdit]:
    given = arguments(call)
    path = next((str(given[k]) for k in (*_PATH_KEYS, *_PATH_KEYS_MORE) if given.get(k)), "")
    several = given.get("edits")
    if isinstance(several, list):
        for one in several:
            if isinstance(one, Mapping):
                yield FileEdit(path=path, old=_first(one, _OLD_KEYS), new=_first(one, _NEW_KEYS))
        return
    for text in (_first(given, _PATCH_KEYS), call.command, _first(given, ("command",))):
        if "*** Begin Patch" in text or _PATCH_FILE.search(text):
            yield from _patch_edits(text)
            return
        if match := _LINE_EDIT.match(text):
            place = f"edit {match.group(1)}" if match.group(1) else ""
            yield FileEdit(path=path, old="", new=match.group(2), place=place)
            return
    old = _first(given, _OLD_KEYS)
    new = _first(given, _NEW_KEYS) or ("" if old else _first(given, _WHOLE_KEYS))
    yield FileEdit(path=path, old=old, new=new)


def _patch_edits(text: str) -> Iterator[FileEdit]:
    starts = list(_PATCH_FILE.finditer(text))
    for match, following in zip(starts, [*starts[1:], None], strict=True):
        body = text[match.end() : following.start() if following else len(text)].split("\n")
        yield FileEdit(
            path=(match.group(1) or match.group(2)).strip(),
            old="\n".join(line[1:] for line in body if line[:1] in {"-", " "}),
            new="\n".join(line[1:] for line in body if line[:1] in {"+", " "}),
        )


def _is_patch(call: Call) -> bool:
    return call.tool_name == "apply_patch" or "*** Begin Patch" in call.command


def _first(given: Mapping[str, JsonValue], keys: tuple[str, ...]) -> str:
    return next((given[k] for k in keys if isinstance(given.get(k), str)), "")


def changed_files(call: Call) -> tuple[str, ...]:
    """Files an accepted call changed, by tool or by shell."""
    if found := edits_of(call):
        return tuple(dict.fromkeys(edit.path for edit in found))
    return shell.written_files(call.command) if call.command else ()


def changes_files(call: Call) -> bool:
    return call.status is Status.OK and bool(changed_files(call))


def is_lookup(call: Call) -> bool:
    """Whether the call only looks: reads, searches, lists."""
    if call.tool_kind in LOOKUP_KINDS:
        return True
    if call.tool_kind is not ToolKind.SHELL:
        return False
    started = shell.invocations(call.command)
    return (
        bool(started)
        and not shell.written_files(call.command)
        and all(i.program in LOOKERS for i in started)
    )


_LEADING = re.compile(r"^(?:\.{0,2}/)+")  # not the dot of `.github/`


def same_file(one: str, other: str) -> bool:
    """Whether two paths may name one file: equal, or one is the end of the other."""
    if not one or not other:
        return not one and not other
    a, b = (_LEADING.sub("", path.replace("\\", "/")) for path in (one, other))
    return a == b or a.endswith("/" + b) or b.endswith("/" + a)


def base_name(path: str) -> str:
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2]


@lru_cache(maxsize=2048)
def words_of(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w{2,}", text[:20_000]))


def similarity(one: str, other: str) -> float:
    """Share of common words, 0..1 (Jaccard)."""
    a, b = words_of(one), words_of(other)
    return len(a & b) / len(a | b) if a and b else float(one.strip() == other.strip())


def signature(call: Call) -> str:
    """Equal for two calls that ask for the very same thing."""
    return json.dumps([call.tool_name, sorted(flat_arguments(call).items())], ensure_ascii=False)
