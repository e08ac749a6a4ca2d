"""Put one table into a TOML text, and take it out again, leaving the rest as it is.

The text is cut into statements by hand; every result is read with tomllib and compared with
what was meant, so that a form that is not understood is refused and never damaged.
"""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from hindsight_cli.records.jsonvalue import JsonValue

Key = tuple[str, ...]
_LINE = re.compile(r"at line (\d+)")
# What may hold a bracket, a hash or a line end that means nothing.
_TOKEN = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}'
    r"|'''.*?'{3,5}"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'[^'\n]*'"
    r"|#[^\n]*|[\[\]{}]|\n",
    re.DOTALL,
)


class TomlSyntaxError(ValueError):
    """`line` counts from 1."""

    def __init__(self, line: int, problem: str) -> None:
        self.line = line
        self.problem = problem
        super().__init__(f"line {line}: {problem}")


@dataclass(frozen=True, slots=True)
class Statement:
    """A table header or a key with its value, `text[start:end]`, its lines whole."""

    start: int
    end: int
    header: Key | None = None  # None: a key
    key: Key = ()


def read_table(text: str, path: Key) -> Mapping[str, JsonValue] | None:
    """The table at a path; None when there is none.

    Raises:
        TomlSyntaxError: the text is no TOML, or something else stands there.
    """
    node: JsonValue = _loads(text)
    for step in path:
        if not isinstance(node, dict):
            raise TomlSyntaxError(1, f"`{'.'.join(path)}` is no table")
        node = node.get(step)
        if node is None:
            return None
    if not isinstance(node, dict):
        raise TomlSyntaxError(1, f"`{'.'.join(path)}` is no table")
    return node


def with_table(text: str, path: Key, wanted: Mapping[str, JsonValue]) -> str:
    """The text in which the table at `path` has these keys; others in it are kept.

    Raises:
        TomlSyntaxError: the text is no TOML, or it has the table in a form that is not
            changed here.
    """
    present = read_table(text, path)
    if present is not None and all(present.get(k) == v for k, v in wanted.items()):
        return text
    meant = _loads(text)
    node = meant
    for step in path:
        node = node.setdefault(step, {})
    node.update(wanted)
    after = _appended(text, path, wanted) if present is None else _changed(text, path, wanted)
    return _verified(text, after, meant, path)


def without_table(text: str, path: Key, added: str = "") -> str:
    """The text without the table at `path` and those below it.

    `added` is what `with_table` put into it: where that still stands, it is what goes.

    Raises:
        TomlSyntaxError: as `with_table`.
    """
    if read_table(text, path) is None:
        return text
    meant = _loads(text)
    _take_out(meant, path)
    if added and text.count(added) == 1:
        after = text.replace(added, "")
        if _means(after, meant):
            return after
    own = [(s, e) for header, s, e in _tables(text) if header[: len(path)] == path]
    after = text
    for start, end in reversed(own):
        blank = re.search(r"(?<=\n)\r?\n\Z", after[:start])  # the line that parted it from the rest
        after = after[: blank.start() if blank else start] + after[end:]
    return _verified(text, after, meant, path)


def _appended(text: str, path: Key, wanted: Mapping[str, JsonValue]) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = [f"[{'.'.join(map(_shown_key, path))}]"]
    lines += [f"{_shown_key(k)} = {shown_value(v)}" for k, v in wanted.items()]
    block = "".join(line + newline for line in lines)
    if not text:
        return block
    return text + (newline if text.endswith("\n") else newline * 2) + block


def _changed(text: str, path: Key, wanted: Mapping[str, JsonValue]) -> str:
    """The values of keys in the table's own section replaced, missing ones put first."""
    newline = "\r\n" if "\r\n" in text else "\n"
    statements = list(_statements(text))
    headers = [n for n, s in enumerate(statements) if s.header == path]
    if not headers:
        raise TomlSyntaxError(1, f"`{'.'.join(path)}` is written in a form not changed here")
    own = [s for s in statements[headers[0] :] if s.header == path]
    rest = statements[headers[0] + 1 :]
    end = next((n for n, s in enumerate(rest) if s.header is not None), len(rest))
    found = {s.key: s for s in rest[:end]}
    after = text
    missing = []
    for name, value in wanted.items():
        if (name,) not in found:
            missing.append(f"{_shown_key(name)} = {shown_value(value)}{newline}")
    edits = [
        (found[(k,)].start, found[(k,)].end, f"{_shown_key(k)} = {shown_value(v)}{newline}")
        for k, v in wanted.items()
        if (k,) in found
    ]
    edits.append((own[0].end, own[0].end, "".join(missing)))
    for start, stop, line in sorted(edits, reverse=True):
        after = after[:start] + line + after[stop:]
    return after


def _tables(text: str) -> Iterator[tuple[Key, int, int]]:
    """Every table with a header: its path, where it begins, and where its last key ends."""
    statements = list(_statements(text))
    starts = [n for n, s in enumerate(statements) if s.header is not None]
    for begin, stop in pairwise([*starts, len(statements)]):
        header = statements[begin].header
        assert header is not None
        yield header, statements[begin].start, statements[stop - 1].end


def _statements(text: str) -> Iterator[Statement]:
    """Headers and keys in order; comments and blank lines between them belong to none."""
    at = 0
    while at < len(text):
        end = _end_of_line(text, at)
        line = text[at:end].strip()
        if line.startswith("["):
            yield Statement(at, end, header=_key(_in_brackets(line)))
        elif line and not line.startswith("#"):
            yield Statement(at, end, key=_key(_before_equals(line)))
        at = end


def _end_of_line(text: str, at: int) -> int:
    """Where the line that begins at `at` ends, a value over several lines included."""
    depth = 0
    for token in _TOKEN.finditer(text, at):
        if token[0] == "\n":
            if depth <= 0:
                return token.end()
        elif token[0] in "[{":
            depth += 1
        elif token[0] in "]}":
            depth -= 1
    return len(text)


def _before_equals(line: str) -> str:
    for found in re.finditer(r"\"(?:[^\"\\]|\\.)*\"|'[^']*'|=", line):
        if found[0] == "=":
            return line[: found.start()]
    return line


def _in_brackets(line: str) -> str:
    found = re.match(r"""\[\[?((?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\]"'])*)""", line)
    return found[1] if found else line


def _key(text: str) -> Key:
    """A dotted key, read by the library that knows how."""
    node: JsonValue = tomllib.loads(f"{text} = 0")
    path = []
    while isinstance(node, dict):
        ((name, node),) = node.items()
        path.append(name)
    return tuple(path)


def _take_out(data: JsonValue, path: Key) -> None:
    """Without the table, nor those that only its header made."""
    *parents, last = path
    nodes = [data]
    for step in parents:
        nodes.append(nodes[-1][step])
    del nodes[-1][last]


def _means(text: str, meant: JsonValue) -> bool:
    """Whether a text says the same; tables without keys say nothing."""
    try:
        return bool(_bare(tomllib.loads(text)) == _bare(meant))
    except tomllib.TOMLDecodeError:
        return False


def _bare(value: JsonValue) -> JsonValue:
    if isinstance(value, list):
        return [_bare(item) for item in value]
    if isinstance(value, float) and math.isnan(value):
        return "nan"  # equals nothing, not even itself
    if not isinstance(value, dict):
        return value
    inner = {k: _bare(v) for k, v in value.items()}
    return {k: v for k, v in inner.items() if v != {}}


def _verified(before: str, after: str, meant: JsonValue, path: Key) -> str:
    if not _means(after, meant):
        name = ".".join(path)
        line = next((n for n, row in enumerate(before.split("\n"), 1) if path[0] in row), 1)
        raise TomlSyntaxError(line, f"`{name}` is written in a form not changed here")
    return after


def _loads(text: str) -> JsonValue:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = _LINE.search(str(error))
        line = int(found[1]) if found else text.count("\n") + 1
        raise TomlSyntaxError(line, str(error).partition(" (at ")[0]) from error
    except RecursionError:
        raise TomlSyntaxError(1, "it is nested too deeply") from None


def shown_value(value: JsonValue) -> str:
    """A text or a list of texts as TOML has them: JSON's escapes are among its own."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"[{', '.join(map(shown_value, value))}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _shown_key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else json.dumps(key, ensure_ascii=False)
