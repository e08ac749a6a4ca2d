"""The room one reads in: the lists, the experience, and the steps it rests on."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical
from textual.geometry import Size
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Input, Static

from hindsight_cli.api.experiences import cited_steps, list_experiences
from hindsight_cli.api.index import ledger_signature
from hindsight_cli.api.project import Project
from hindsight_cli.errors import HindsightError
from hindsight_cli.records.experience import ExperienceState
from hindsight_cli.terminal import visible
from hindsight_cli.tui.empty import broken_content, empty_content
from hindsight_cli.tui.fields import LineField
from hindsight_cli.tui.keybar import FILTER_KEYS, KEYS, KeyBar
from hindsight_cli.tui.lists import ListName, belongs, counts_of, passes
from hindsight_cli.tui.literals import literals_of, pattern_of
from hindsight_cli.tui.messages import Failed, Loaded, Read
from hindsight_cli.tui.panes import ExperiencePane, StepsPane
from hindsight_cli.tui.queue_list import QueueList
from hindsight_cli.tui.row_list import RowList
from hindsight_cli.tui.steps_view import StepView, step_views
from hindsight_cli.tui.topbar import TopBar

WIDE = 110  # cells; below that the queue lies above the reading panes
VAST = 160
TALL = 30  # rows; below that the queue leaves no empty lines
_POLL_S = 2.0  # how soon what other programs propose or decide is seen
_QUIET_S = 5.0  # after a decision; reading thousands again would hold up the next one
_REST_S = 0.12  # moving faster than this, one is not reading yet
_TOAST_S = 6.0
_LOAD = "load"  # the group of the workers that read the ledger


@dataclass(frozen=True, slots=True)
class Shown:
    """What is on screen in full: the only thing that can be approved."""

    state: ExperienceState
    views: Sequence[StepView]


class Room(Screen[None]):
    """Shows and moves; decides nothing."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "move(1)", "Next", show=False),
        Binding("k", "move(-1)", "Previous", show=False),
        Binding("slash", "filter", "Filter", key_display="/"),
        Binding("1", "list('pending')", "Show what is pending", show=False),
        Binding("2", "list('approved')", "Show what is approved", show=False),
        Binding("3", "list('rejected')", "Show what is rejected", show=False),
        Binding("4", "list('stale')", "Show what is stale", show=False),
        Binding("J", "steps(1)", "Scroll the steps", show=False),
        Binding("K", "steps(-1)", "Scroll the steps back", show=False),
        Binding("o", "whole", "Long outputs"),
        Binding("z", "zoom", "Zoom"),
        Binding("l", "small_list", "List"),
        Binding("escape", "back", "Back", show=False),
    ]

    def __init__(self, open_project: Callable[[], Project], name: str) -> None:
        super().__init__()
        self._open = open_project
        self._project_name = name
        self._states: dict[str, ExperienceState] = {}
        self._deciding: set[str] = set()  # on their way to the ledger: out of sight already
        self._list = ListName.PENDING
        self._query = ""
        self._shown: Shown | None = None
        self._epoch = 0  # a reading of the ledger begun in an earlier one is out of date
        self._signature = ""
        self._complaint = ""  # what could not be read, told once
        self.loaded = False  # whether the ledger was read at least once
        self._other_list = False  # whether the list is not as small or large as it would be
        self._decided_at = -_QUIET_S
        self._moved_at = 0.0
        self._rest: Timer | None = None

    @property
    def shown(self) -> Shown | None:
        """What is on screen in full, or None while it is being read."""
        selected = self.queue.selected
        if self._shown is None or selected is None:
            return None
        own = self._shown.state.experience.experience_id
        return self._shown if own == selected.experience.experience_id else None

    @property
    def queue(self) -> QueueList:
        return self.query_one(QueueList)

    def compose(self) -> ComposeResult:
        yield TopBar(self._project_name)
        with Container(id="room"):
            with Vertical(id="left", classes="pane"):
                yield LineField(placeholder="filter", id="filter")
                yield QueueList(id="queue")
            yield ExperiencePane(id="experience", classes="pane")
            yield StepsPane(id="steps", classes="pane")
            yield Static("", markup=False, id="empty")
        yield KeyBar()

    def on_mount(self) -> None:
        self.query_one("#left").border_title = "queue"
        self.query_one(ExperiencePane).border_title = "experience"
        self.query_one(StepsPane).border_title = "cited steps, as recorded"
        self.queue.focus()
        self.load()
        self.set_interval(_POLL_S, self._poll)

    def on_resize(self, event: events.Resize) -> None:
        self._arrange(event.size)

    def _arrange(self, size: Size) -> None:
        """Give the list one row where the experience and its steps need the room.

        `l` turns that round; while one filters, the list is there.
        """
        is_small = size.width < WIDE and size.height < TALL
        collapsed = (is_small != self._other_list) and not self.has_class("-filtering")
        self.set_class(collapsed, "-collapsed")
        if collapsed or size.width < WIDE:
            self.queue.rows_each = 1
        else:
            words = 1 if size.width >= VAST else 0  # a row of them
            self.queue.rows_each = 2 + words + (size.height >= TALL)

    def _poll(self) -> None:
        """Look for what others wrote, but not between two decisions: what they change is known."""
        is_reading = any(w.group == _LOAD and not w.is_finished for w in self.workers)
        is_deciding = self._deciding or time.monotonic() - self._decided_at < _QUIET_S
        if not is_reading and not is_deciding:
            self.load()

    @work(thread=True, exclusive=True, group=_LOAD, exit_on_error=False)
    def load(self) -> None:
        """Read the ledger if it changed since the last time."""
        epoch = self._epoch
        try:
            project = self._open()
            signature = ledger_signature(project)
            if signature == self._signature:
                return
            states = list_experiences(project)
        except HindsightError as error:
            self.post_message(Failed(error))
        else:
            self.post_message(Loaded(states, signature, epoch))

    @work(thread=True, exclusive=True, group="read", exit_on_error=False, description="read")
    def read(self, state: ExperienceState) -> None:
        """Read the steps that an experience cites, however large they are.

        The experience is the one listed: an approval names its content, so that one which
        changed in the meantime is refused.
        """
        experience = state.experience
        try:
            cited = cited_steps(self._open(), experience)
        except HindsightError as error:
            self.post_message(Failed(error, experience.experience_id))
            return
        literals = literals_of(experience.content)
        self.post_message(Read(state, step_views(cited, experience.content.evidence, literals)))

    def on_loaded(self, message: Loaded) -> None:
        if message.epoch != self._epoch:
            return  # a decision came between; the next look at the ledger sees it
        self._signature = message.signature
        self._complaint = ""
        self.loaded = True
        self._states = {s.experience.experience_id: s for s in message.states}
        self.refresh_list()

    def on_read(self, message: Read) -> None:
        selected = self.queue.selected
        if selected is None or selected.experience != message.state.experience:
            return  # moved on, or it changed: it is being read again
        self._shown = Shown(message.state, message.views)
        pattern = pattern_of(literals_of(message.state.experience.content))
        self.query_one(ExperiencePane).show(message.state, pattern)
        self.query_one(StepsPane).show(message.views, pattern)

    def on_failed(self, message: Failed) -> None:
        if str(message.error) != self._complaint:
            self.say_error(message.error)
        self._complaint = str(message.error)
        if not self.loaded and message.experience_id is None:
            self.query_one("#empty", Static).update(broken_content(message.error))
            self.add_class("-empty")
        selected = self.queue.selected
        if selected is not None and message.experience_id == selected.experience.experience_id:
            self.query_one(StepsPane).say(f"It cannot be read: {visible(str(message.error))}")

    def refresh_list(self, *, select: str | None = None) -> None:
        """List again what belongs here; the selection stays or goes to `select`."""
        selected = self.queue.selected
        if select is None and selected is not None:
            select = selected.experience.experience_id
        items = [
            state
            for own, state in self._states.items()
            if own not in self._deciding
            and belongs(state, self._list)
            and passes(state, self._query)
        ]
        self.queue.show(items, select=select)
        visible_states = (s for own, s in self._states.items() if own not in self._deciding)
        counts = counts_of(visible_states)
        self.query_one(TopBar).show(self._list, counts)
        self.app.sub_title = f"{counts[ListName.PENDING]} waiting"
        self.query_one("#empty", Static).update(empty_content(self._list, counts, self._query))
        self.set_class(not items, "-empty")

    @on(RowList.Moved)
    def _show_selected(self) -> None:
        state = self.queue.selected
        total = len(self.queue.items)
        place = f"{self.queue.index + 1} of {total}" if total else "none"
        self.query_one("#left").border_title = f"{self._list.value}: {place}"
        if state is None:
            self._shown = None
            return
        if self.shown is not None and self.shown.state == state:
            return
        pattern = pattern_of(literals_of(state.experience.content))
        self.query_one(ExperiencePane).show(state, pattern)
        self.query_one(StepsPane).show(None, pattern)
        self._shown = None
        self._read_when_resting(state)

    def _read_when_resting(self, state: ExperienceState) -> None:
        moved_before, self._moved_at = self._moved_at, time.monotonic()
        if self._rest is not None:
            self._rest.stop()
        if self._moved_at - moved_before > _REST_S:
            self.read(state)
        else:
            self._rest = self.set_timer(_REST_S, lambda: self.read(state))

    def say(self, text: str) -> None:
        """Tell what happened. `text` may hold recorded words."""
        self.app.clear_notifications()
        self.notify(visible(text), markup=False, timeout=_TOAST_S)

    def say_error(self, error: HindsightError) -> None:
        text = visible(f"{error}\n{error.hint}".strip())
        self.notify(text, severity="error", markup=False, timeout=_TOAST_S)

    def action_move(self, by: int) -> None:
        self.queue.move(by)

    def action_list(self, name: str) -> None:
        self._list = ListName(name)
        self.refresh_list()

    def action_steps(self, direction: int) -> None:
        steps = self.query_one(StepsPane)
        scroll = steps.scroll_page_down if direction > 0 else steps.scroll_page_up
        scroll(animate=False)

    def action_whole(self) -> None:
        self.query_one(StepsPane).toggle_whole()

    def action_small_list(self) -> None:
        """The list in one row, or at length."""
        self._other_list = not self._other_list
        self._arrange(self.size)

    def action_zoom(self) -> None:
        """Give the pane one is in the whole room, or take it back."""
        focused = self.focused
        pane = focused if isinstance(focused, ExperiencePane) else self.query_one(StepsPane)
        zoomed = not self.has_class("-zoom")
        self.set_class(zoomed, "-zoom")
        for other in self.query(".pane"):
            other.set_class(zoomed and other is pane, "-zoomed")
        if zoomed:
            pane.focus()

    def action_filter(self) -> None:
        if self.has_class("-zoom"):
            self.action_zoom()
        self.add_class("-filtering")
        self._arrange(self.size)
        self.query_one("#filter", Input).focus()

    def action_back(self) -> None:
        """Out of the zoom, else out of the filter, and back to the list."""
        if self.has_class("-zoom"):
            self.action_zoom()
        elif self.has_class("-filtering"):
            self.query_one("#filter", Input).clear()
            self.remove_class("-filtering")
            self._arrange(self.size)
        self.queue.focus()

    @on(Input.Changed, "#filter")
    def _narrow(self, event: Input.Changed) -> None:
        self._query = event.value
        self.refresh_list()

    @on(Input.Submitted, "#filter")
    def _keep_filter(self, event: Input.Submitted) -> None:
        self.set_class(bool(event.value.strip()), "-filtering")
        self._arrange(self.size)
        self.queue.focus()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        self.query_one(KeyBar).show(FILTER_KEYS if event.widget.id == "filter" else KEYS)
