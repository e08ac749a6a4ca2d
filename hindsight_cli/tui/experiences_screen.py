"""Every experience whatever became of it, with its history and whether it helped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message

from hindsight_cli.api.experiences import ExperienceDetail, list_experiences, show_experience
from hindsight_cli.errors import HindsightError
from hindsight_cli.records.experience import ExperienceState, ReviewStatus
from hindsight_cli.terminal import visible
from hindsight_cli.text import one_line
from hindsight_cli.tui.experience_view import experience_content
from hindsight_cli.tui.heading import Heading
from hindsight_cli.tui.history import history_content
from hindsight_cli.tui.keybar import Key
from hindsight_cli.tui.labels import KINDS, flags_of
from hindsight_cli.tui.layout import stacked
from hindsight_cli.tui.list_screen import ListScreen, Unreadable
from hindsight_cli.tui.lists import passes
from hindsight_cli.tui.panes import ReadingPane
from hindsight_cli.tui.row_list import TONES, Part, RowList, column

ALL, STALE = "all", "stale"
SHELVES = (ALL, *(s.value for s in ReviewStatus if s is not ReviewStatus.FORGOTTEN), STALE)
_STATUS_TONES = {
    ReviewStatus.APPROVED: "good",
    ReviewStatus.PENDING: "bar",
    ReviewStatus.REJECTED: "bad",
    ReviewStatus.SUSPENDED: "bad",
}
_WIDE_CELLS = 60


class ShelfList(RowList):
    """A row an experience."""

    items: Sequence[ExperienceState] = ()

    def draw(self, place: int, part: int, width: int) -> Sequence[Part]:
        state = self.items[place]
        word, tone = KINDS[state.experience.content.kind]
        status = "stale" if state.stale else state.status.value
        left: list[Part] = [
            (column(status, 11), "careful" if state.stale else _tone(state)),
        ]
        if width >= _WIDE_CELLS:
            left.append((column(word, 16), TONES[tone]))
        used = f"{state.shown:,} shown" if state.shown else ""
        flags = flags_of(state)
        sign = ("!", TONES[flags[0].tone]) if flags else (" ", "text")
        room = width - sum(len(text) for text, _ in left) - len(used) - 3
        scenario = one_line(visible(state.experience.content.scenario[:2000]), 300)
        return [*left, sign, (" ", "text"), (column(scenario, room), "text"), (f" {used}", "faint")]


class HistoryPane(ReadingPane):
    """An experience in full, and all that happened to it."""

    detail: ExperienceDetail | None = None

    def show(self, detail: ExperienceDetail | None) -> None:
        self.detail = detail
        self.scroll_home(animate=False)
        self.draw()

    def laid_out(self, width: int, height: int) -> Content:
        if self.detail is None:
            return Content("")
        state, history = self.detail.state, self.detail.history
        whole = experience_content(state, None, width)
        return stacked([whole, Content(""), history_content(state, history, width)])


class ExperiencesScreen(ListScreen):
    """Gives the id of the one to look at in the review room, or None."""

    HEADING = "experiences"
    KEYS: ClassVar[tuple[Key, ...]] = (
        ("←/→", "list"),
        ("j/k", "move"),
        ("/", "filter"),
        ("enter", "decide in the review"),
        ("?", "help"),
        ("esc", "back"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right", "shelf(1)", "Next list", show=False),
        Binding("left", "shelf(-1)", "Previous list", show=False),
        *(Binding(str(n), f"shelf_at({n - 1})", SHELVES[n - 1], show=False) for n in range(1, 8)),
        Binding("J,space", "steps(1)", "Scroll", show=False),
        Binding("K,b", "steps(-1)", "Scroll back", show=False),
    ]

    class Listed(Message):
        def __init__(self, states: Sequence[ExperienceState]) -> None:
            super().__init__()
            self.states = states

    class Detailed(Message):
        def __init__(self, detail: ExperienceDetail) -> None:
            super().__init__()
            self.detail = detail

    _states: Sequence[ExperienceState] | None = None
    _shelf = 0

    @property
    def selected(self) -> ExperienceState | None:
        rows = self.query_one(ShelfList)
        return rows.items[rows.index] if rows.index < len(rows.items) else None

    def make_list(self) -> RowList:
        return ShelfList(id="rows")

    def make_detail(self) -> ComposeResult:
        yield HistoryPane(id="steps", classes="pane")

    def on_mount(self) -> None:
        super().on_mount()
        self.add_class("-double")
        self.query_one(HistoryPane).border_title = "experience and history"
        self.list_all()

    @work(thread=True, exclusive=True, group="read", exit_on_error=False)
    def list_all(self) -> None:
        try:
            states = list_experiences(self._open())
        except HindsightError as error:
            self.post_message(Unreadable(error))
        else:
            self.post_message(self.Listed(states))

    @work(thread=True, exclusive=True, group="detail", exit_on_error=False)
    def read_detail(self, experience_id: str) -> None:
        try:
            detail = show_experience(self._open(), experience_id)
        except HindsightError as error:
            self.app.call_from_thread(self.notify, visible(str(error)), markup=False)
        else:
            self.post_message(self.Detailed(detail))

    def on_experiences_screen_listed(self, message: Listed) -> None:
        self._states = message.states
        self.refresh_list()

    def on_experiences_screen_detailed(self, message: Detailed) -> None:
        selected = self.selected
        own = message.detail.state.experience.experience_id
        if selected is not None and selected.experience.experience_id == own:
            self.query_one(HistoryPane).show(message.detail)

    def refresh_list(self) -> None:
        if self._states is None:
            return
        name = SHELVES[self._shelf]
        found = [s for s in self._states if _stands_in(s, name) and passes(s, self._query)]
        counts = Counter(n for s in self._states for n in SHELVES if _stands_in(s, n))
        tabs = "  ".join(
            f"[{counts[n]} {n}]" if n == name else f"{counts[n]} {n}"
            for n in SHELVES
            if n in (name, ALL) or counts[n]
        )
        self.query_one(Heading).show("", tabs)
        self.say_empty("" if found else f"Nothing is in the list “{name}”.")
        rows = self.query_one(ShelfList)
        rows.items = found
        rows.show_rows(len(found), rows.index)

    @on(RowList.Moved)
    def _show_selected(self) -> None:
        rows = self.rows
        place = f"{rows.index + 1} of {rows.count}" if rows.count else "none"
        self.query_one("#left").border_title = f"{SHELVES[self._shelf]}: {place}"
        state = self.selected
        if state is None:
            self.query_one(HistoryPane).show(None)
            return
        self.query_one(HistoryPane).show(ExperienceDetail(state, (), ()))
        self.read_detail(state.experience.experience_id)

    def action_shelf(self, by: int) -> None:
        self.action_shelf_at((self._shelf + by) % len(SHELVES))

    def action_shelf_at(self, place: int) -> None:
        self._shelf = place
        self.refresh_list()

    def action_open(self) -> None:
        state = self.selected
        if state is not None:
            self.dismiss(state.experience.experience_id)

    def action_steps(self, direction: int) -> None:
        pane = self.query_one(HistoryPane)
        scroll = pane.scroll_page_down if direction > 0 else pane.scroll_page_up
        scroll(animate=False)


def _stands_in(state: ExperienceState, name: str) -> bool:
    return name == ALL or (state.stale if name == STALE else state.status.value == name)


def _tone(state: ExperienceState) -> str:
    return _STATUS_TONES.get(state.status, "faint")
