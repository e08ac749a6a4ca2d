"""The two panes one reads: the experience, and beside it the steps it rests on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from hindsight_cli.records.experience import ExperienceState
from hindsight_cli.tui.experience_view import experience_content
from hindsight_cli.tui.layout import DIM, stacked, wrapped
from hindsight_cli.tui.steps_view import StepsLayout, StepView, steps_content

_PATIENCE_S = 0.3


class ReadingPane(VerticalScroll):
    """Text laid out by ourselves for the width there is, again at every resize."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "scroll_up", "Up", show=False),
        Binding("down", "scroll_down", "Down", show=False),
    ]

    def compose(self) -> ComposeResult:
        yield Static(markup=False)

    def on_resize(self, event: events.Resize) -> None:
        self.draw()

    def draw(self) -> None:
        room = self.scrollable_content_region.size
        self.query_one(Static).update(self.laid_out(max(room.width - 1, 10), room.height))

    def laid_out(self, width: int, height: int) -> Content:
        raise NotImplementedError


class ExperiencePane(ReadingPane):
    """What an approval would approve, word for word."""

    _state: ExperienceState | None = None
    _pattern: re.Pattern[str] | None = None

    def show(self, state: ExperienceState, pattern: re.Pattern[str] | None) -> None:
        self._state, self._pattern = state, pattern
        self.scroll_home(animate=False)
        self.draw()

    def laid_out(self, width: int, height: int) -> Content:
        if self._state is None:
            return Content("")
        return experience_content(self._state, self._pattern, width)


class StepsPane(ReadingPane):
    """The cited steps as recorded."""

    _views: Sequence[StepView] | None = None
    _instead = ""
    _pattern: re.Pattern[str] | None = None
    _whole = False

    @property
    def whole(self) -> bool:
        """Whether long outputs are shown at length."""
        return self._whole

    def show_at_length(self) -> None:
        """From now on, all of every step."""
        self._whole = True

    def show(self, views: Sequence[StepView] | None, pattern: re.Pattern[str] | None) -> None:
        """Show `views`; None while they are read, which is told only when it takes long."""
        self._views, self._pattern, self._instead = views, pattern, ""
        self.scroll_home(animate=False)
        self.draw()
        if views is None:
            self.set_timer(_PATIENCE_S, self._say_reading)

    def say(self, text: str) -> None:
        """Show `text`, already made visible, where no step can be shown."""
        self._views, self._instead = None, text
        self.draw()

    def _say_reading(self) -> None:
        if self._views is None and not self._instead:
            self.say("reading the record …")

    def toggle_whole(self) -> None:
        self._whole = not self._whole
        self.draw()

    def laid_out(self, width: int, height: int) -> Content:
        if self._views is None:
            lines = wrapped(Content.styled(self._instead, DIM), width)
            return stacked(lines)
        layout = StepsLayout(width=width, rows=height, whole=self._whole)
        return steps_content(self._views, self._pattern, layout)
