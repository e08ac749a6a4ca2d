"""A recorded text of any length, whole: line by line, none drawn that is not in sight."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen

from hindsight_cli.tui.heading import Heading
from hindsight_cli.tui.keybar import KeyBar
from hindsight_cli.tui.row_list import Part, RowList
from hindsight_cli.tui.wrapping import wrap


class TextLines(RowList):
    """Lines already as narrow as the list."""

    lines: Sequence[str] = ()

    def draw(self, place: int, part: int, width: int) -> Sequence[Part]:
        return [(self.lines[place], "text")]


class TextScreen(Screen[None]):
    """Shows `text`, which is safe for a terminal."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "move(1)", "Down", show=False),
        Binding("k", "move(-1)", "Up", show=False),
        Binding("g", "edge(0)", "First", show=False),
        Binding("G", "edge(-1)", "Last", show=False),
        Binding("space", "page(1)", "Page down", show=False),
        Binding("b", "page(-1)", "Page up", show=False),
        Binding("escape,q,enter", "dismiss", "Back"),
    ]

    def __init__(self, name: str, text: str) -> None:
        super().__init__()
        self._about = name
        self._text = text

    def compose(self) -> ComposeResult:
        yield Heading("whole text")
        yield TextLines(id="rows")
        yield KeyBar()

    def on_mount(self) -> None:
        keys = (("j/k", "line"), ("space/b", "page"), ("g/G", "ends"), ("esc", "back"))
        self.query_one(KeyBar).show(keys)
        self.query_one(TextLines).focus()

    def on_resize(self) -> None:
        rows = self.query_one(TextLines)
        lines = _lines(self._text, max(self.size.width - 4, 10))
        rows.lines = lines
        rows.show_rows(len(lines), rows.index)
        self.query_one(Heading).show(self._about, f"{len(lines):,} lines")

    def action_move(self, by: int) -> None:
        self.query_one(TextLines).move(by)

    def action_page(self, direction: int) -> None:
        self.query_one(TextLines).action_page(direction)

    def action_edge(self, index: int) -> None:
        self.query_one(TextLines).action_edge(index)


def _lines(text: str, width: int) -> list[str]:
    lines: list[str] = []
    for line in text.split("\n"):
        plain = line.expandtabs(4)
        if plain.isascii():  # by far the most, and fast
            lines += [plain[at : at + width] for at in range(0, max(len(plain), 1), width)]
        else:
            lines += [plain[a:b] for a, b in wrap(plain, width)]
    return lines
