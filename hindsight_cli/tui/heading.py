"""The line on top of a screen that is reached from the review room."""

from __future__ import annotations

from textual.content import Content
from textual.widget import Widget

from hindsight_cli.tui.layout import DIM, spread


class Heading(Widget):
    """What the screen shows, and on the right how much of it there is."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self._title = title
        self._about = ""
        self._right = ""

    def show(self, about: str, right: str = "") -> None:
        """Both are on one line and visible already."""
        self._about, self._right = about, right
        self.refresh()

    def render(self) -> Content:
        left = Content.assemble((f" {self._title} ", "bold $accent"), (self._about, DIM))
        return spread(left, Content(f"{self._right} "), self.size.width)
