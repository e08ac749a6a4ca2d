"""Put members and items into a JSON text, and take them out again, leaving the rest as it is.

What is put in is only ever added between characters of the text. `Made` notes what cannot be
told from the result, so that taking everything out again gives the first text back.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

from hindsight_cli.integrations.json_text import COMMENT, Node, line_of, parse, value_of
from hindsight_cli.records.jsonvalue import JsonValue

Path = tuple[str | int, ...]
_UNIT = "  "
_LINE_END = re.compile(r"[ \t]*\r?\n")
_AFTER_ON_LINE = re.compile(r"(?:[ \t]*(?://[^\r\n]*|/\*[^\r\n]*?\*/))+")


@dataclass(slots=True)
class Made:
    """What we added round our own entries in one file. Keys are JSON pointers."""

    containers: set[str] = field(default_factory=set)  # that were not there before
    empties: dict[str, str] = field(default_factory=dict)  # what stood in those without entries
    blank: str | None = None  # the whole text, when nothing stood in it
    is_known: bool = True  # False: no record is left, and what gets empty is taken for ours


class WrongKindError(ValueError):
    """Something else stands where an object or a list is due."""

    def __init__(self, text: str, node: Node, path: Path, wanted: str) -> None:
        self.line = line_of(text, node.start)
        what = f"`{'.'.join(map(str, path))}`" if path else "the file"
        self.problem = f"{what} is no {wanted}"
        super().__init__(f"line {self.line}: {self.problem}")


class Document:
    """A JSON text under edit. Each edit reads it anew: settings are small.

    Raises:
        JsonSyntaxError: the text is no JSON.
    """

    def __init__(self, text: str, made: Made) -> None:
        self.text = text
        self.made = made
        self._root = parse(text)
        self._newline = "\r\n" if "\r\n" in text else "\n"

    def node(self, path: Path) -> Node | None:
        node = self._root
        for step in path:
            entry = node.entry(step) if node is not None else None
            node = entry.node if entry is not None else None
        return node

    def value(self, path: Path) -> JsonValue:
        """The value at a path; None also when there is none."""
        node = self.node(path)
        return None if node is None else value_of(self.text, node)

    def check(self, path: Path, kind: str) -> Node | None:
        """The node at a path, which may be absent.

        Raises:
            WrongKindError: it is of another kind.
        """
        node = self.node(path)
        if node is not None and node.kind != kind:
            raise WrongKindError(self.text, node, path, kind.replace("array", "list"))
        return node

    def put(self, path: Path, value: JsonValue) -> None:
        """Give a member a value; what it lies in is made where it is missing.

        Raises:
            WrongKindError: something on the way is no object.
        """
        node = self.node(path)
        if node is None:
            self._add_member(path[:-1], str(path[-1]), value)
        elif value_of(self.text, node) != value:
            shown = self._rendered(value, self._indent_at(node.start))
            self._replace(node.start, node.end, shown)

    def append(self, path: Path, value: JsonValue) -> None:
        """Add an item to a list; the list and what it lies in are made where missing.

        Raises:
            WrongKindError: no list stands there, or something on the way is no object.
        """
        node = self.check(path, "array")
        if node is None:
            self.made.containers.add(pointer(path))
            self._add_member(path[:-1], str(path[-1]), [value])
        else:
            self._add(path, node, value)

    def remove(self, path: Path) -> None:
        """Take out a member or item, and what was made to hold it once that is empty."""
        parent = self.node(path[:-1])
        entry = parent.entry(path[-1]) if parent is not None else None
        if parent is None or entry is None:
            return
        self._cut(parent, parent.entries.index(entry))
        if len(parent.entries) == 1:
            self._tidy(path[:-1])

    def _add_member(self, path: Path, key: str, value: JsonValue) -> None:
        if self._root is None:
            self.made.blank = self.text
            self._replace(0, len(self.text), "{}" + self._newline)
        container = self.check(path, "object")
        if container is None:
            self.made.containers.add(pointer(path))
            self._add_member(path[:-1], str(path[-1]), {key: value})
        else:
            self._add(path, container, value, key)

    def _add(self, path: Path, container: Node, value: JsonValue, key: str | None = None) -> None:
        if container.entries:
            self._add_last(container, value, key)
            return
        inside = self.text[container.start + 1 : container.end - 1]
        if pointer(path) not in self.made.containers:
            self.made.empties.setdefault(pointer(path), inside)
        comments = list(COMMENT.finditer(inside))
        at = container.start + 1 + (comments[-1].end() if comments else 0)
        if self._is_one_line:
            self._replace(at, at, self._shown(key, value, ""))
            return
        outer = self._indent_at(container.start)
        indent = outer + self._unit
        tail = "" if "\n" in self.text[at : container.end] else self._newline + outer
        shown = self._shown(key, value, indent)
        self._replace(at, at, f"{self._newline}{indent}{shown}{tail}")

    def _add_last(self, container: Node, value: JsonValue, key: str | None) -> None:
        """After the last entry, and after the comment that stands behind it on its line."""
        first, last = container.entries[0], container.entries[-1]
        if "\n" not in self.text[container.start : first.start]:
            at = last.node.end if last.comma is None else last.comma + 1
            shown = self._shown(key, value, self._indent_at(last.start))
            added = f", {shown}" if last.comma is None else f" {shown},"
            self._replace(at, at, added)
            return
        indent = self._line_indent(last.start, first.start)
        shown = self._newline + indent + self._shown(key, value, indent)
        end = last.node.end
        if last.comma is not None:
            behind = _AFTER_ON_LINE.match(self.text, last.comma + 1)
            at = behind.end() if behind else last.comma + 1
            self._replace(at, at, shown + ",")
            return
        behind = _AFTER_ON_LINE.match(self.text, end)
        at = behind.end() if behind else end
        self._replace(end, at, "," + self.text[end:at] + shown)

    def _cut(self, parent: Node, index: int) -> None:
        """Take out an entry with its line and its comma, or the comma before a last one."""
        entry = parent.entries[index]
        comma = parent.entries[index - 1].comma if index else None
        end = entry.node.end if entry.comma is None else entry.comma + 1
        start = self._line_end_before(entry.start)
        gap = self.text[parent.start + 1 if comma is None else comma + 1 : start]
        if _ends_in_line_comment(gap) and not _LINE_END.match(self.text, end):
            newline = _LINE_END.match(self.text, start)  # without it the comment would go on
            start = newline.end() if newline else start
            gap += newline[0] if newline else ""
        if entry.comma is None and comma is not None:
            self._replace(comma, end, gap if gap.strip() else "")
            return
        if index == 0 and entry.comma is not None and self.text[start] not in "\r\n":
            end += len(self.text[end:]) - len(self.text[end:].lstrip(" \t"))
        self._replace(start, end, "")

    def _tidy(self, path: Path) -> None:
        """Bring an object or list without entries back to what it was, or take it out."""
        node = self.node(path)
        assert node is not None
        inside = self.text[node.start + 1 : node.end - 1]
        name, is_empty = pointer(path), not inside.strip(" \t\r\n")
        if not path and is_empty and self.made.blank is not None:
            self._replace(0, len(self.text), self.made.blank)
            self.made.blank = None
        elif path and is_empty and (name in self.made.containers or self._may_be_ours(name)):
            self.made.containers.discard(name)
            self.remove(path)
        else:
            was = self.made.empties.pop(name, "")
            if inside.split() == was.split():
                self._replace(node.start + 1, node.end - 1, was)

    def _may_be_ours(self, name: str) -> bool:
        return not self.made.is_known and name not in self.made.empties

    def _replace(self, start: int, end: int, text: str) -> None:
        self.text = self.text[:start] + text + self.text[end:]
        self._root = parse(self.text)

    @property
    def _is_one_line(self) -> bool:
        has_entries = self._root is not None and bool(self._root.entries)
        return has_entries and "\n" not in self.text.strip()

    @property
    def _unit(self) -> str:
        """One level of indentation, as the first member has it."""
        if self._root is None or not self._root.entries:
            return _UNIT
        return self._line_indent(self._root.entries[0].start, 0) or _UNIT

    def _shown(self, key: str | None, value: JsonValue, indent: str) -> str:
        name = "" if key is None else json.dumps(key, ensure_ascii=False) + ": "
        return name + self._rendered(value, indent)

    def _rendered(self, value: JsonValue, indent: str) -> str:
        if self._is_one_line:
            return json.dumps(value, ensure_ascii=False)
        shown = json.dumps(value, ensure_ascii=False, indent=self._unit)
        return shown.replace("\n", self._newline + indent)

    def _line_indent(self, *places: int) -> str:
        """The white space before the first of some places that begins its line."""
        for at in places:
            before = self.text[self.text.rfind("\n", 0, at) + 1 : at]
            if not before.strip(" \t"):
                return before
        return self._indent_at(places[0])

    def _indent_at(self, at: int) -> str:
        """The white space with which the line of a place begins."""
        line = self.text[self.text.rfind("\n", 0, at) + 1 :]
        return line[: len(line) - len(line.lstrip(" \t"))]

    def _line_end_before(self, at: int) -> int:
        """The place before the white space and the one line end that stand before `at`."""
        while self.text[at - 1] in " \t":
            at -= 1
        if self.text[at - 1] == "\n":
            at -= 2 if self.text[at - 2] == "\r" else 1
        return at


def _ends_in_line_comment(gap: str) -> bool:
    """Whether white space and comments end with a comment that only a line end ends."""
    comments = list(COMMENT.finditer(gap))
    return bool(comments) and comments[-1][0].startswith("//") and comments[-1].end() == len(gap)


def pointer(path: Path) -> str:
    """Source: RFC 6901."""
    return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in path)
