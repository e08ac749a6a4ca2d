"""The list on the left. Draws only the rows in sight, so that its length costs nothing."""

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

from hindsight_cli.records.experience import ExperienceState
from hindsight_cli.terminal import visible
from hindsight_cli.text import one_line
from hindsight_cli.tui.labels import KINDS, LETTERS, flags_of, sign_of
from hindsight_cli.tui.wrapping import wrap_text

_SCENARIO_CHARS = 300
_BAR = "▌"
_TONES = {"$error": "bad", "$success": "good", "$primary": "calm", "$warning": "careful"}
_ONE_ROW_KIND = 16
_LAST_TEXT_ROW = 2
_WORDS_CELLS = 36  # less than that, letters stand for the kind and the flags
_MORE = "  l list"  # where the list is down to one row

Part = tuple[str, str]  # text, component class


class QueueList(ScrollView, can_focus=True):
    """Experiences one below the other: two to four rows each, or one where space is short."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "step(-1)", "Up", show=False),
        Binding("down", "step(1)", "Down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("home", "edge(0)", "First", show=False),
        Binding("end", "edge(-1)", "Last", show=False),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "queue--text",
        "queue--selected",
        "queue--faint",
        "queue--bar",
        *(f"queue--{tone}" for tone in _TONES.values()),
    }
    ALLOW_MAXIMIZE = False

    rows_each: reactive[int] = reactive(3)

    class Moved(Message):
        """Another experience is selected, or none (None)."""

        def __init__(self, state: ExperienceState | None) -> None:
            super().__init__()
            self.state = state

    def __init__(self, *, id: str) -> None:  # noqa: A002  # Textual's own name for it
        super().__init__(id=id)
        self._items: Sequence[ExperienceState] = ()
        self._index = 0

    @property
    def index(self) -> int:
        """Place of the selected experience, from 0."""
        return self._index

    @property
    def items(self) -> Sequence[ExperienceState]:
        return self._items

    @property
    def selected(self) -> ExperienceState | None:
        return self._items[self._index] if self._index < len(self._items) else None

    def show(self, items: Sequence[ExperienceState], *, select: str | None = None) -> None:
        """List `items`; select the one with id `select`, else keep the place."""
        places = {s.experience.experience_id: i for i, s in enumerate(items)}
        wanted = places.get(select, self._index) if select is not None else self._index
        self._items = items
        self._index = max(0, min(wanted, len(items) - 1))
        self._fit()
        self.post_message(self.Moved(self.selected))

    def move(self, by: int) -> None:
        self._select(self._index + by)

    def action_step(self, by: int) -> None:
        self.move(by)

    def action_page(self, direction: int) -> None:
        self.move(direction * max(1, self.size.height // self.rows_each - 1))

    def action_edge(self, index: int) -> None:
        self._select(index if index >= 0 else len(self._items) - 1)

    def on_click(self, event: events.Click) -> None:
        self._select((event.y + self.scroll_offset.y) // self.rows_each)

    def watch_rows_each(self) -> None:
        self._fit()

    def on_resize(self) -> None:
        self._fit()

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        place, part = divmod(y + self.scroll_offset.y, self.rows_each)
        if place >= len(self._items):
            return Strip.blank(width, self.rich_style)
        chosen = place == self._index
        state = self._items[place]
        bar = (_BAR if chosen else " ", "bar" if chosen else "text")
        return self._strip([bar, *self._row(state, part, width - 2)], width, chosen=chosen)

    def _row(self, state: ExperienceState, part: int, width: int) -> list[Part]:
        if self.rows_each > 1:
            in_words = width >= _WORDS_CELLS
            return _row_in_words(state, part, width) if in_words else _row(state, part, width)
        if self.size.height > 1:
            return _one_row(state, width)
        place = f"{self._index + 1} of {len(self._items)}  "
        room = width - cell_len(place) - cell_len(_MORE)
        return [(place, "faint"), *_one_row(state, room), (_MORE, "faint")]

    def _strip(self, parts: Sequence[Part], width: int, *, chosen: bool) -> Strip:
        ground = self.get_component_rich_style("queue--selected" if chosen else "queue--text")
        segments = []
        for text, name in parts:
            own = self.get_component_rich_style(f"queue--{name}")
            plain = chosen and name == "text"
            color = ground.color if plain else own.color
            segments.append(
                Segment(text, ground + Style(color=color, bold=ground.bold if plain else own.bold))
            )
        return Strip(segments).adjust_cell_length(width, ground)

    def _select(self, index: int) -> None:
        index = max(0, min(index, len(self._items) - 1))
        if index != self._index and self._items:
            self._index = index
            self._fit()
            self.post_message(self.Moved(self.selected))

    def _fit(self) -> None:
        """Make the scroll bar and the place in sight follow the items and the selection."""
        self.virtual_size = Size(self.size.width, len(self._items) * self.rows_each)
        top = self._index * self.rows_each
        self.scroll_to_region(Region(0, top, 1, self.rows_each), animate=False, force=True)
        self.refresh()


def _row(state: ExperienceState, part: int, width: int) -> list[Part]:
    """The kind and the weightiest flag, a character each, before two rows of the scenario."""
    if part == 0:
        kind = state.experience.content.kind
        mark = (LETTERS[kind], _TONES[KINDS[kind][1]])
    elif part == 1:
        sign, tone = sign_of(state)
        mark = (sign, _TONES[tone])
    else:
        return []
    lines = wrap_text(_scenario(state), width - 2)
    rest = _cut(one_line(" ".join(lines[1:]), _SCENARIO_CHARS), width - 2)
    text = (rest, "faint") if part else (lines[0], "text")
    return [mark, (" ", "text"), text]


def _row_in_words(state: ExperienceState, part: int, width: int) -> list[Part]:
    """One of the rows of an item: kind and flags, the scenario on two, an empty one."""
    if part == 0:
        word, tone = KINDS[state.experience.content.kind]
        flags = _flags(state, width - cell_len(word) - 1)
        gap = width - cell_len(word) - sum(cell_len(text) for text, _ in flags)
        return [(word, _TONES[tone]), (" " * max(gap, 1), "text"), *flags]
    lines = wrap_text(_scenario(state), width)
    if part == 1:
        return [(lines[0], "text")]
    if part == _LAST_TEXT_ROW:
        rest = one_line(" ".join(lines[1:]), _SCENARIO_CHARS)
        return [(_cut(rest, width), "faint")]
    return []


def _one_row(state: ExperienceState, width: int) -> list[Part]:
    word, tone = KINDS[state.experience.content.kind]
    flags = _flags(state, width // 3)
    room = width - _ONE_ROW_KIND - sum(cell_len(text) for text, _ in flags) - 1
    scenario = set_cell_size(_cut(_scenario(state), room), room)
    kind = word.ljust(_ONE_ROW_KIND)
    return [(kind, _TONES[tone]), (scenario, "text"), (" ", "text"), *flags]


def _flags(state: ExperienceState, width: int) -> list[Part]:
    """As many flags as fit, the weightiest first; a "+" says that there are more."""
    parts: list[Part] = []
    for flag in flags_of(state):
        text = f" {flag.word}" if parts else flag.word
        if sum(cell_len(t) for t, _ in parts) + cell_len(text) > width - 1:
            return [*parts, ("+", "careful")]
        parts.append((text, _TONES[flag.tone]))
    return parts


def _scenario(state: ExperienceState) -> str:
    return one_line(visible(state.experience.content.scenario[:2000]), _SCENARIO_CHARS)


def _cut(text: str, width: int) -> str:
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, max(width - 1, 0)).rstrip() + "…"
