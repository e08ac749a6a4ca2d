"""The line on top: where one is, and how much waits in each list."""

from __future__ import annotations

from collections.abc import Mapping

from textual.content import Content
from textual.widget import Widget

from hindsight_cli.terminal import visible
from hindsight_cli.text import one_line
from hindsight_cli.tui.layout import DIM, spread
from hindsight_cli.tui.lists import ListName


class TopBar(Widget):
    """The project's name and the four lists with their counts."""

    def __init__(self, project: str) -> None:
        super().__init__()
        self._project = one_line(visible(project), 40)
        self._current = ListName.PENDING
        self._counts: Mapping[ListName, int] = dict.fromkeys(ListName, 0)

    def show(self, current: ListName, counts: Mapping[ListName, int]) -> None:
        self._current, self._counts = current, counts
        self.refresh()

    def render(self) -> Content:
        tabs = []
        for key, name in enumerate(ListName, 1):
            text = f" {key} {name} {self._counts[name]} "
            tabs.append(
                Content.styled(text, "bold $accent on $background" if name is self._current else "")
            )
        left = Content.assemble((" hindsight ", "bold $accent"), (self._project, DIM))
        return spread(left, Content("").join(tabs), self.size.width)
