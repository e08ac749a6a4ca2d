"""What a program's raw output leaves visible on a terminal, as lines of text.

Frames of spinners and progress bars that were written over are gone, as are escape
sequences; a line the terminal wrapped is one line again. Pure; bytes may be fed in
any pieces. Colours, titles and the like have no text and are passed over.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter, deque

from hindsight_cli.capture.screen_grid import CONTROLS, Grid
from hindsight_cli.capture.screen_row import SURE, Lines

_REMEMBERED_LINES = 5_000  # of what a program may draw anew after it has cleared even the past
_MAX_DIGITS = 5
_LARGE = 10_000
_BEGUN = r"\x1b(?:\[[0-?]{0,256})?[ -/]{0,4}"  # an escape sequence but for its last character
_UNFINISHED = re.compile(rf"{_BEGUN}\Z")
_LONGEST_UNFINISHED = 262
# A title or a link ends with its line too, should its end be missing; a picture has lines.
_TITLE_END, _STRING_END = r"\n\x07\x18\x1a\x1b\x9c", r"\x18\x1a\x1b\x9c"
# Colours, whole strings, and sequences that another one cuts short.
_UNSEEN = re.compile(
    r"\x1b\[[0-9;:]{0,256}m"
    rf"|\x1b[]k][^{_TITLE_END}]*+(?:\x07|\x1b\\|(?=[{_TITLE_END}]))"
    rf"|\x1b[P^_X][^{_STRING_END}]*+(?:\x1b\\|(?=[{_STRING_END}]))"
    rf"|{_BEGUN}(?=\x1b)"
)
# What needs more than one line after the other.
_NOT_PLAIN = re.compile(rf"[^\r\n\t{SURE}]|\r(?!\n)")
_TOKEN = re.compile(
    r"(?P<text>[^\x00-\x1f\x7f-\x9f]+)"
    r"|(?P<newline>\r?[\n\x0b\x0c])"
    r"|(?P<motion>[\r\x08\t])"
    r"|\x1b\[(?P<private>[<-?]?)(?P<numbers>[0-?]{0,256})(?P<final>[@-~])"
    r"|\x1b\[[0-?]{0,256}[ -/]{1,4}[@-~]"
    r"|\x1b(?P<title>[]k])"
    r"|\x1b(?P<string>[P^_X])"
    r"|\x1b(?P<escape>[ -/]{0,4}[0-~])"
    r"|(?P<shift>[\x0e\x0f])"
    r"|[\x00-\x1f\x7f-\x9f]"
)
_ENDS = {"title": re.compile(f"[{_TITLE_END}]"), "string": re.compile(f"[{_STRING_END}]")}
_ALTERNATE_MODES = frozenset({"47", "1047", "1049"})
# The letters that are lines in the other one of a terminal's sets of characters.
_DRAWN = str.maketrans("`afgjklmnopqrstuvwxyz{|}~", "◆▒°±┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·")
_LINE_SET = "0"


class Screen:
    """A terminal of `rows` by `columns` that a program writes to; see the module."""

    def __init__(self, columns: int = 80, rows: int = 24) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._past = Lines()
        self._main = Grid(columns, rows, self._past)
        self._alternate: Grid | None = None
        self._news: list[str] = []
        self._shown: Counter[int] = Counter()  # hashes of the lines handed out, still to be seen
        self._given: deque[int] = deque(maxlen=_REMEMBERED_LINES)  # of all lines handed out
        self._carry = ""  # the beginning of an escape sequence
        self._inside = ""  # "title" or "string": what has begun and not ended
        self._sets = ["", ""]  # of characters
        self._set = 0

    @property
    def _grid(self) -> Grid:
        return self._alternate or self._main

    def resize(self, rows: int, columns: int) -> None:
        """Have another size from here on; lines already wrapped stay as they are.

        0 is a size nobody has told: the usual one.
        """
        self._main.resize(columns, rows)
        if self._alternate is not None:
            self._alternate.resize(columns, rows)

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the output, cut anywhere."""
        text = self._carry + self._decoder.decode(data).replace("\x9b", "\x1b[")
        self._carry = ""
        if self._inside:
            end = _ENDS[self._inside].search(text)
            if end is None:
                return
            self._inside = ""
            text = text[end.start() :]
        if "\x1b" in text:
            text = _UNSEEN.sub("", text)
            start = text.rfind("\x1b", max(0, len(text) - _LONGEST_UNFINISHED))
            if start >= 0 and _UNFINISHED.match(text, start):
                text, self._carry = text[:start], text[start:]
        self._read(text)

    def note_gap(self, text: str) -> None:
        """Some output is missing here, and `text` stands for it, a line of its own."""
        self._decoder.reset()
        self._carry = ""
        self._settle()
        self._news.append(text)
        if self._alternate is None and self._main.x:
            self._main.newline()

    def take(self) -> str:
        """The lines that became visible since the last time.

        Lines that were handed out before are not news, wherever on the screen a program
        has drawn them again; a line that has changed is, as far as it is still on the screen.
        """
        self._settle()
        news, self._news = self._news, []
        while news and not news[-1]:
            news.pop()
        return "\n".join(news)

    def _settle(self) -> None:
        """Sort out what is news of the past and of what the screen shows."""
        on_screen = Lines()
        for grid in (self._main, self._alternate):
            if grid is not None:
                grid.end_frame()
                for row in grid.lines:
                    self._past.add(row)
                    on_screen.add(row)
                self._past.end_line()
                on_screen.end_line()
        for text in self._past.texts:
            key = hash(text)
            if self._shown[key]:
                self._shown[key] -= 1
            else:
                self._news.append(text)
                self._given.append(key)
        self._past.texts.clear()
        self._shown = Counter(map(hash, on_screen.texts))

    def _read(self, text: str) -> None:
        at = plain = 0
        while True:
            if at >= plain and self._is_at_fresh_line():
                at, plain = self._read_lines(text, at)
            token = _TOKEN.match(text, at)
            if token is None:  # the end
                return
            at = token.end()
            kind = token.lastgroup
            if kind in _ENDS:  # its end is not in this text
                self._inside = kind
                return
            self._obey(token)

    def _is_at_fresh_line(self) -> bool:
        return (
            self._alternate is None
            and self._sets[self._set] != _LINE_SET
            and self._main.is_at_fresh_line()
        )

    def _read_lines(self, text: str, start: int) -> tuple[int, int]:
        """Take plain lines, but for a screenful; where they end, and where all plain text does.

        So many lines scroll the whole screen off, whatever their width, and need no cells.
        """
        found = _NOT_PLAIN.search(text, start)
        stop = plain = found.start() if found else len(text)
        for _ in range(self._main.rows + 1):
            stop = text.rfind("\n", start, stop)
            if stop < 0:
                return start, plain
        block = text[start : stop + 1].replace("\r\n", "\n")
        lines = block.split("\n")[:-1]
        if "\t" in block:
            lines = [line.expandtabs() for line in lines]
            if not block.isascii() or max(map(len, lines)) > self._main.columns:
                return start, plain
        self._main.scroll_all()
        self._past.texts += [line.rstrip(" ") for line in lines]
        return stop + 1, plain

    def _obey(self, token: re.Match[str]) -> None:
        kind, grid = token.lastgroup, self._grid
        if kind == "text":
            text = token.group()
            grid.write(text.translate(_DRAWN) if self._sets[self._set] == _LINE_SET else text)
        elif kind == "newline":
            if self._alternate is None or len(token.group()) > 1:
                grid.newline()
            else:  # written by a program that has set its terminal so
                grid.line_feed()
        elif kind == "motion":
            _move(grid, token.group())
        elif kind == "final":
            self._control(token["private"], token["numbers"], token["final"])
        elif kind == "escape":
            self._escape(token["escape"])
        elif kind == "shift":
            self._set = int(token.group() == "\x0e")

    def _control(self, private: str, numbers: str, final: str) -> None:
        grid = self._grid
        if not private and final in CONTROLS:
            first, _, rest = numbers.partition(";")
            CONTROLS[final](grid, _number(first), _number(rest.partition(";")[0]))
            if final == "J" and first == "3":
                self._clear_past()
        elif final in "hl":
            modes = set(numbers.split(";"))
            if not private:
                grid.inserts = final == "h" if "4" in modes else grid.inserts
            elif private == "?":
                grid.wraps = final == "h" if "7" in modes else grid.wraps
                if modes & _ALTERNATE_MODES:
                    self._switch(to_alternate=final == "h")

    def _clear_past(self) -> None:
        """What scrolled off is gone as well; what was handed out of it may be drawn again."""
        self._past.end_line()
        self._past.texts.clear()
        self._shown = Counter(self._given)

    def _switch(self, *, to_alternate: bool) -> None:
        if to_alternate and self._alternate is None:
            self._past.end_line()
            self._alternate = Grid(self._main.columns, self._main.rows, self._past)
        elif not to_alternate and self._alternate is not None:
            self._settle()  # what it showed last was seen
            self._alternate = None
            self._settle()  # so that only what is still shown is known to be

    def _escape(self, name: str) -> None:
        if name in _ESCAPES:
            _ESCAPES[name](self._grid)
        elif name[0] in "()":
            self._sets[name[0] == ")"] = name[1:]
        if name == "c":
            self._sets = ["", ""]


def visible_text(data: bytes, columns: int = 80) -> str:
    """The lines that all of a program's output leaves visible, joined by line feeds."""
    screen = Screen(columns)
    screen.feed(data)
    return screen.take()


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


_ESCAPES = {
    "7": Grid.save_cursor,
    "8": Grid.restore_cursor,
    "D": Grid.down,
    "E": Grid.newline,
    "M": Grid.up,
    "c": Grid.reset,
}
