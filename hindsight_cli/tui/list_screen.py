"""What the screens beside the review room have in common: a list, a filter, what one reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Input, Static

from hindsight_cli.api.project import Project
from hindsight_cli.errors import HindsightError
from hindsight_cli.terminal import visible
from hindsight_cli.tui.fields import LineField
from hindsight_cli.tui.heading import Heading
from hindsight_cli.tui.help import HelpScreen
from hindsight_cli.tui.keybar import FILTER_KEYS, Key, KeyBar
from hindsight_cli.tui.row_list import RowList


class Unreadable(Message):
    """Something could not be read."""

    def __init__(self, error: HindsightError) -> None:
        super().__init__()
        self.error = error


class ListScreen(Screen[str | None]):
    """A list on which one moves, filters and opens. Subclasses fill it from threads."""

    KEYS: ClassVar[tuple[Key, ...]] = ()
    HEADING: ClassVar[str] = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "move(1)", "Next", show=False),
        Binding("k", "move(-1)", "Previous", show=False),
        Binding("g", "edge(0)", "First", show=False),
        Binding("G", "edge(-1)", "Last", show=False),
        Binding("slash", "filter", "Filter", key_display="/"),
        Binding("enter", "open", "Open"),
        Binding("question_mark", "help", "Help", key_display="?"),
        Binding("escape,q", "back", "Back"),
    ]

    def __init__(self, open_project: Callable[[], Project]) -> None:
        super().__init__()
        self._open = open_project
        self._query = ""

    @property
    def rows(self) -> RowList:
        return self.query_one("#rows", RowList)

    def compose(self) -> ComposeResult:
        yield Heading(self.HEADING)
        with Container(id="room"):
            with Vertical(id="left", classes="pane"):
                yield LineField(placeholder="filter", id="filter")
                yield Static("", markup=False, id="columns")
                yield self.make_list()
            yield from self.make_detail()
            yield Static("reading …", markup=False, id="empty")
        yield KeyBar()

    def make_list(self) -> RowList:
        """The list, with the id `rows`."""
        raise NotImplementedError

    def make_detail(self) -> ComposeResult:
        """What stands beside the list."""
        return ()

    def refresh_list(self) -> None:
        """List again what `self._query` lets through."""
        raise NotImplementedError

    def action_open(self) -> None:
        """Look at the selected item more closely."""

    def on_mount(self) -> None:
        self.query_one(KeyBar).show(self.KEYS)
        self.rows.focus()

    def say_empty(self, text: str) -> None:
        """Show `text`, already visible, in place of the list; "" shows the list."""
        self.query_one("#empty", Static).update(text)
        self.set_class(bool(text), "-empty")

    def on_unreadable(self, message: Unreadable) -> None:
        error = message.error
        self.say_empty(visible(f"It cannot be read: {error}\n\n{error.hint}".strip()))

    def action_move(self, by: int) -> None:
        self.rows.move(by)

    def action_edge(self, index: int) -> None:
        self.rows.action_edge(index)

    def action_help(self) -> None:
        self.app.push_screen(HelpScreen())

    def action_filter(self) -> None:
        self.add_class("-filtering")
        self.query_one("#filter", Input).focus()

    def action_back(self) -> None:
        """Out of the filter, else out of the screen."""
        if self.has_class("-filtering"):
            self.query_one("#filter", Input).clear()
            self.remove_class("-filtering")
            self.rows.focus()
        else:
            self.dismiss(None)

    @on(Input.Changed, "#filter")
    def _narrow(self, event: Input.Changed) -> None:
        self._query = event.value
        self.refresh_list()

    @on(Input.Submitted, "#filter")
    def _keep_filter(self, event: Input.Submitted) -> None:
        self.set_class(bool(event.value.strip()), "-filtering")
        self.rows.focus()

    @on(RowList.Chosen)
    def _chosen(self) -> None:
        self.action_open()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        is_filter = event.widget.id == "filter"
        self.query_one(KeyBar).show(FILTER_KEYS if is_filter else self.KEYS)
