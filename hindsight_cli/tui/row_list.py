"""A list that draws only the rows in sight, so that its length costs nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

_BAR = "▌"
TONES = {
    "$error": "bad",
    "$success": "good",
    "$primary": "calm",
    "$warning": "careful",
    "$accent": "bar",
}

Part = tuple[str, str]  # text, component class


class RowList(ScrollView, can_focus=True):
    """Items one below the other, of equal height; one is selected. Subclasses draw them."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "step(-1)", "Up", show=False),
        Binding("down", "step(1)", "Down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("home", "edge(0)", "First", show=False),
        Binding("end", "edge(-1)", "Last", show=False),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "rows--text",
        "rows--strong",
        "rows--selected",
        "rows--faint",
        *(f"rows--{tone}" for tone in TONES.values()),
    }
    ALLOW_MAXIMIZE = False

    rows_each: reactive[int] = reactive(1)

    class Moved(Message):
        """Another item is selected, or the items are others."""

    class Chosen(Message):
        """The selected item was clicked twice."""

    def __init__(self, *, id: str) -> None:  # noqa: A002  # Textual's own name for it
        super().__init__(id=id)
        self._count = 0
        self._index = 0

    @property
    def index(self) -> int:
        """Place of the selected item, from 0."""
        return self._index

    @property
    def count(self) -> int:
        return self._count

    def draw(self, place: int, part: int, width: int) -> Sequence[Part]:
        """Row `part` of the item at `place`, at most `width` cells."""
        raise NotImplementedError

    def mark(self, place: int) -> Part | None:
        """What stands before the item in place of a blank."""
        return None

    def show_rows(self, count: int, index: int) -> None:
        """List `count` items and select one, as near to `index` as there is."""
        self._count = count
        self._index = max(0, min(index, count - 1))
        self._fit()
        self.post_message(self.Moved())

    def select(self, index: int) -> None:
        index = max(0, min(index, self._count - 1))
        if index != self._index and self._count:
            self._index = index
            self._fit()
            self.post_message(self.Moved())

    def move(self, by: int) -> None:
        self.select(self._index + by)

    def action_step(self, by: int) -> None:
        self.move(by)

    def action_page(self, direction: int) -> None:
        self.move(direction * max(1, self.size.height // self.rows_each - 1))

    def action_edge(self, index: int) -> None:
        self.select(index if index >= 0 else self._count - 1)

    def on_click(self, event: events.Click) -> None:
        place = (event.y + self.scroll_offset.y) // self.rows_each
        if place < self._count:
            self.select(place)
            if event.chain > 1:
                self.post_message(self.Chosen())

    def watch_rows_each(self) -> None:
        self._fit()

    def on_resize(self) -> None:
        self._fit()

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        place, part = divmod(y + self.scroll_offset.y, self.rows_each)
        if place >= self._count:
            return Strip.blank(width, self.rich_style)
        chosen = place == self._index
        bar = (_BAR if chosen else " ", "bar" if chosen else "text")
        mark = self.mark(place) if part == 0 or chosen else None
        parts = [mark or bar, *self.draw(place, part, width - 2)]
        return self._strip(parts, width, chosen=chosen)

    def _strip(self, parts: Sequence[Part], width: int, *, chosen: bool) -> Strip:
        ground = self.get_component_rich_style("rows--selected" if chosen else "rows--text")
        segments = []
        for text, name in parts:
            own = self.get_component_rich_style(f"rows--{name}")
            plain = chosen and name == "text"
            color = ground.color if plain else own.color
            style = Style(color=color, bold=ground.bold if plain else own.bold)
            segments.append(Segment(text, ground + style))
        return Strip(segments).adjust_cell_length(width, ground)

    def _fit(self) -> None:
        """Make the scroll bar and the place in sight follow the items and the selection."""
        self.virtual_size = Size(self.size.width, self._count * self.rows_each)
        top = self._index * self.rows_each
        self.scroll_to_region(Region(0, top, 1, self.rows_each), animate=False, force=True)
        self.refresh()


def cut(text: str, width: int) -> str:
    """At most `width` cells of `text`, an ellipsis last where some is left out."""
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, max(width - 1, 0)).rstrip() + ("…" if width > 0 else "")


def column(text: str, width: int, *, right: bool = False) -> str:
    """Exactly `width` cells."""
    short = cut(text, width)
    blank = " " * (width - cell_len(short))
    return blank + short if right else short + blank
