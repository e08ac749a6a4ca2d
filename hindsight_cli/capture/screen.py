"""What a program's raw output leaves visible on a terminal, as lines of text.

Frames of spinners and progress bars that were written over are gone, as are escape
sequences; a line the terminal wrapped is one line again. Pure; bytes may be fed in
any pieces. Colours, titles and the like have no text and are passed over.
"""

from __future__ import annotations

import codecs
import re

from hindsight_cli.capture.screen_grid import CONTROLS, Grid, Nowhere

TYPE_CHECKING = False  # as typing's, without loading typing beside a running program
if TYPE_CHECKING:
    from collections.abc import Iterable

    from hindsight_cli.capture.screen_row import Row

_MAX_STRING_CHARS = 16 * 1024 * 1024  # a picture may have that; what never ends is text after all
_MAX_DIGITS = 5
_LARGE = 10_000
_COLOUR = re.compile(r"(?<!\x1b)\x1b\[[0-9;:]{0,64}m")
_UNFINISHED = re.compile(r"(?:\x1b(?:\[[0-?]{0,64})?|\x9b[0-?]{0,64})[ -/]{0,4}\Z")
_LONGEST_UNFINISHED = 70
# What needs more than one line after the other.
_NOT_PLAIN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r(?!\n)")
_TOKEN = re.compile(
    r"(?P<text>[^\x00-\x1f\x7f-\x9f]+)"
    r"|(?P<newline>\r?[\n\x0b\x0c])"
    r"|(?P<motion>[\r\x08\t])"
    r"|(?:\x1b\[|\x9b)(?P<private>[<-?]?)(?P<numbers>[0-;]{0,64})(?P<final>[@-~])"
    r"|(?:\x1b\[|\x9b)(?P<overlong>[0-?]{64})"
    r"|(?:\x1b\[|\x9b)(?P<other>[0-?]{0,64}[ -/]{0,4}[@-~])"
    r"|\x1b(?P<string>[]P^_Xk])"
    r"|\x1b(?P<escape>[ -/]{0,4}[0-~])"
    r"|(?P<removed>[\x00-\x07\x0e-\x1a\x1c-\x1f\x7f-\x9a\x9c-\x9f]+|\x1b+(?=\x1b)|[\x1b\x9b])"
)
# What ends a string: a title or a link at the line's end too, should its end be missing.
_STRING_END = re.compile(r"[\x18\x1a\x1b\x9c]")
_TITLE_END = re.compile(r"[\x07\x18\x1a\x1b\x9c\n]")
_OVERLONG_END = re.compile(r"[^ -?]")
_ENDS = {"]": _TITLE_END, "k": _TITLE_END, "overlong": _OVERLONG_END}
_ALTERNATE_MODES = frozenset({"47", "1047", "1049"})


class _Lines:
    """Lines as they leave the screen, row by row; rows handed out before are not repeated."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.chars = 0
        self._parts: list[str] = []
        self._given: list[str] = []
        self._is_new = True  # no row of the line was handed out before

    @property
    def is_open(self) -> bool:
        """Whether the last row taken goes on in the next."""
        return bool(self._parts)

    def add(self, row: Row) -> None:
        """Take the next row of the screen."""
        text = row.text
        self.chars += len(text)
        if not (row.wrapped or self._parts):
            if row.given is not None:
                self._add_rest(text, row.given)
            elif row.left or text.strip(" "):
                self.texts.append(text.rstrip(" "))
            return
        self._parts.append(text)
        self._given.append(row.given or "")
        self._is_new = self._is_new and row.given is None
        if not row.wrapped:
            self.end_line()

    def end_line(self) -> None:
        """The line that has begun in the rows added ends here."""
        if not self._parts:
            return
        text, given = "".join(self._parts), "".join(self._given)
        is_new = self._is_new
        self.disown()
        if is_new:
            self.texts.append(text.rstrip(" "))
        else:
            self._add_rest(text, given)

    def _add_rest(self, text: str, given: str) -> None:
        news = text[len(given) :] if text.startswith(given) else text
        if news.strip(" "):
            self.texts.append(news.rstrip(" "))

    def extend(self, texts: Iterable[str]) -> None:
        """Take whole lines that never were on the screen's grid."""
        self.end_line()
        self.texts += [text.rstrip(" ") for text in texts]

    def disown(self) -> None:
        """Drop the rows of a line that has not ended."""
        self._parts, self._given, self._is_new = [], [], True

    def take(self) -> str:
        lines, self.texts, self.chars = self.texts, [], 0
        while lines and not lines[-1]:
            lines.pop()
        return "\n".join(lines)


class Screen:
    """A terminal of `rows` by `columns` that a program writes to; see the module.

    `chars` says about how much has settled since the last `take`, so that the caller
    can take it in time: it is kept until then.
    """

    def __init__(self, columns: int = 80, rows: int = 24) -> None:
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._lines = _Lines()
        self._main = Grid(columns, rows, self._lines)
        self._alternate: Grid | None = None
        self._carry = ""  # the beginning of an escape sequence
        self._string = ""  # the kind of string the output is inside of
        self._string_chars = 0

    @property
    def chars(self) -> int:
        return self._lines.chars

    def resize(self, rows: int, columns: int) -> None:
        """Have another size from here on; lines already wrapped stay as they are."""
        self._main.resize(columns, rows)
        if self._alternate is not None:
            self._alternate.resize(columns, rows)

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the output, cut anywhere."""
        text = self._carry + self._decode(data)
        tail = max(0, len(text) - _LONGEST_UNFINISHED)
        start = max(text.rfind("\x1b", tail), text.rfind("\x9b", tail))
        self._carry = ""
        if start >= 0 and _UNFINISHED.match(text, start):
            text, self._carry = text[:start], text[start:]
        if "\x1b" in text:
            text = _COLOUR.sub("", text)
        self._read(text)

    def take(self, *, ended: bool = False) -> str:
        """The lines that became visible since the last time, and a new segment begins.

        That is what scrolled off and what changed on the screen. Of a line that was
        handed out before and has grown since, only the rest. What a program shows on
        the alternate screen counts only when the output has `ended` there.
        """
        self._take_screen(self._main)
        if ended and self._alternate is not None:
            self._take_screen(self._alternate)
        return self._lines.take()

    def _take_screen(self, grid: Grid) -> None:
        grid.end_frame()
        for row in grid.lines:
            self._lines.add(row)
        self._lines.end_line()
        last = max((y for y, row in enumerate(grid.lines) if not row.is_blank()), default=-1)
        for row in grid.lines[: last + 1]:
            row.given = row.text

    @property
    def _grid(self) -> Grid:
        return self._alternate or self._main

    def _read(self, text: str) -> None:
        at, tried = 0, 0
        while at < len(text):
            if self._string:
                at = self._skip_string(text, at)
                continue
            if at >= tried and self._is_at_fresh_line():
                found = _NOT_PLAIN.search(text, at)
                tried = found.start() if found else len(text)
                at = self._read_lines(text, at, tried)
                if at >= len(text):
                    return
            token = _TOKEN.match(text, at)
            if token is None:  # cannot be: the last branch takes every control character
                return
            at = token.end()
            self._obey(token)

    def _is_at_fresh_line(self) -> bool:
        main = self._main
        continues = self._lines.is_open and not main.y
        return self._alternate is None and not continues and main.is_at_fresh_line()

    def _read_lines(self, text: str, start: int, end: int) -> int:
        """Take the plain lines between two places, but for a screenful; where they end.

        So many lines scroll the whole screen off, whatever their width, and need no cells.
        """
        stop = end
        for _ in range(self._main.rows + 1):
            stop = text.rfind("\n", start, stop)
            if stop < 0:
                return start
        block = text[start : stop + 1]
        self._main.scroll_all()
        self._main.forget_last()
        texts = block.replace("\r\n", "\n").split("\n")[:-1]
        if "\t" in block:
            texts = [self._without_tabs(text) if "\t" in text else text for text in texts]
        self._lines.extend(texts)
        self._lines.chars += len(block)
        return stop + 1

    def _without_tabs(self, text: str) -> str:
        """A line as it stands on the screen, with blanks for its tabs."""
        columns = self._main.columns
        if text.isascii() and len(line := text.expandtabs(8)) <= columns:
            return line
        lines = _Lines()
        grid = Grid(columns, self._main.rows, lines)
        for piece in re.split("(\t)", text):
            if piece == "\t":
                grid.tab(1)
            elif piece:
                grid.write(piece)
        for row in grid.lines:
            lines.add(row)
        return lines.take()

    def _skip_string(self, text: str, start: int) -> int:
        """Pass over a title, a link, a picture; where it ends."""
        end = _ENDS.get(self._string, _STRING_END).search(text, start)
        stop = end.start() if end else len(text)
        self._string_chars += stop - start
        if self._string_chars > _MAX_STRING_CHARS:
            self._string = ""
        elif end:
            takes_final = self._string == "overlong" and "@" <= end.group() <= "~"
            self._string = ""
            return end.end() if takes_final else stop
        return stop

    def _obey(self, token: re.Match[str]) -> None:
        kind, grid = token.lastgroup, self._grid
        if kind == "text":
            grid.write(token.group())
            return
        if kind == "final":
            self._control(token["private"], token["numbers"], token["final"])
            if token["final"] == "b":
                return
        elif kind == "newline":
            grid.newline()
        elif kind == "motion":
            _move(grid, token.group())
        elif kind in {"string", "overlong"}:
            self._string = token["string"] or "overlong"
            self._string_chars = 0
        elif kind == "escape":
            _escape(grid, token["escape"])
        grid.forget_last()

    def _control(self, private: str, numbers: str, final: str) -> None:
        grid = self._grid
        if not private and final in CONTROLS:
            first, _, rest = numbers.partition(";")
            CONTROLS[final](grid, _number(first), _number(rest.partition(";")[0]))
        elif final in "hl":
            modes = set(numbers.split(";"))
            if not private:
                grid.inserts = final == "h" if "4" in modes else grid.inserts
            elif private == "?":
                grid.wraps = final == "h" if "7" in modes else grid.wraps
                if modes & _ALTERNATE_MODES:
                    self._switch(to_alternate=final == "h")

    def _switch(self, *, to_alternate: bool) -> None:
        if not to_alternate:
            self._alternate = None
        elif self._alternate is None:
            main = self._main
            main.end_frame()
            self._alternate = Grid(main.columns, main.rows, Nowhere())


def visible_text(data: bytes, columns: int = 80) -> str:
    """The lines that all of a program's output leaves visible, joined by line feeds."""
    screen = Screen(columns)
    screen.feed(data)
    return screen.take(ended=True)


def _number(digits: str) -> int:
    """A sequence's number; what is longer than a screen could need is as good as any such."""
    if len(digits) > _MAX_DIGITS:
        return _LARGE
    return int(digits) if digits.isdecimal() else 0


def _move(grid: Grid, character: str) -> None:
    if character == "\r":
        grid.carriage_return()
    elif character == "\b":
        grid.move_columns(-1)
    else:
        grid.tab(1)


def _escape(grid: Grid, name: str) -> None:
    if name == "7":
        grid.save_cursor()
    elif name == "8":
        grid.restore_cursor()
    elif name == "D":
        grid.down()
    elif name == "E":
        grid.newline()
    elif name == "M":
        grid.up()
    elif name == "c":
        grid.reset()
