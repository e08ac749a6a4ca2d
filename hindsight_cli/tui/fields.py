"""Fields one types into. What is pasted is data too: it may hold control characters."""

from __future__ import annotations

from textual import events
from textual.widgets import Input, TextArea

from hindsight_cli.terminal import visible


class LineField(Input):
    """One line; control characters that are pasted become visible."""

    def _on_paste(self, event: events.Paste) -> None:
        # Textual calls this before the handler of the base class, which inserts the text.
        event.text = _plain(event.text)

    def action_paste(self) -> None:
        self.replace(" ".join(_plain(self.app.clipboard).split()), *self.selection)


class TextField(TextArea):
    """Many lines; control characters that are pasted become visible."""

    async def _on_paste(self, event: events.Paste) -> None:
        event.text = _plain(event.text)


def _plain(pasted: str) -> str:
    # Many terminals send the line feeds of a paste as carriage returns.
    return visible(pasted.replace("\r\n", "\n").replace("\r", "\n"))
