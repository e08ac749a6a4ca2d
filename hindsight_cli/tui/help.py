"""The keys and what they do, on one page."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen

from hindsight_cli.tui.layout import DIM, hanging, stacked, wrapped
from hindsight_cli.tui.panes import ReadingPane

_KEY_CELLS = 9

_KEYS: tuple[tuple[str, str], ...] = (
    ("a", "approve: from now on agents may get it"),
    ("e", "edit the words; saving approves them"),
    ("r", "reject, with a reason if you like; it is not proposed again"),
    ("u", "undo the last decision of this sitting, as often as you like"),
    ("U", "undo the last decision about the selected one"),
    ("", ""),
    ("j k", "next and previous experience, from every pane"),
    ("↑ ↓", "move in the list, scroll in a pane"),
    ("space b", "scroll the cited steps down and up, from every pane"),
    ("tab", "next pane; shift+tab the one before"),
    ("1 2 3 4", "pending, approved, rejected, stale"),
    ("/", "filter by words of the scenario, the advice or a tool; esc clears"),
    ("", ""),
    ("o", "long outputs: short, so that all steps are in sight, or at length"),
    ("l", "the list in one row, or at length"),
    ("z", "zoom the pane you are in, and back"),
    ("y", "copy to the clipboard, and to a file that stays until you delete it"),
    ("t", "dark or light"),
    ("q", "quit; every decision is stored already"),
)
_NOTE = (
    "In a narrow list F is a failure lesson, S a success pattern, K a key decision; ! is a "
    "risk, which asks for a typed confirmation, ? something to look at more closely. "
    "Marked words stand in the advice and in the record alike. What an experience claims and "
    "the steps do not show, is a reason to edit or to reject it. To select text with the "
    "mouse, hold shift (option in some terminals)."
)


class HelpPane(ReadingPane):
    def laid_out(self, width: int, height: int) -> Content:
        lines = [Content.styled("Keys", "bold $accent"), Content("")]
        for key, told in _KEYS:
            first = Content.styled(key.ljust(_KEY_CELLS), "bold $accent")
            lines += hanging(first, Content(" " * _KEY_CELLS), Content(told), width)
        lines.append(Content(""))
        return stacked([*lines, *wrapped(Content.styled(_NOTE, DIM), width)])


class HelpScreen(ModalScreen[None]):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,question_mark,q", "dismiss", "Close"),
    ]

    def compose(self) -> ComposeResult:
        yield HelpPane(classes="dialog -help")
