"""The keys and what they do, on one page."""

from __future__ import annotations

from collections.abc import Iterator
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
    ("e", "edit the words; saving shows the difference, then approves them"),
    ("r", "reject, with a reason if you like; it is not proposed again"),
    ("s", "skip: it waits on"),
    ("u", "undo the last decision of this sitting, as often as you like"),
    ("U", "undo the last decision about the selected one"),
    ("space", "select it for a or r together with others; esc lets go"),
    ("", ""),
    ("j k", "next and previous, from every pane; so do ↑ ↓ in a list"),
    ("J K", "scroll the cited steps down and up, from every pane"),
    ("tab", "next pane; shift+tab the one before"),
    ("1 2 3 4", "pending, approved, rejected, stale"),
    ("/", "filter by words of the scenario, the advice or a tool; esc clears"),
    ("", ""),
    ("enter", "the whole trace, at the step that the experience rests on"),
    ("t", "all traces: agent, outcome, failures, how long, how large"),
    ("x", "all experiences: every state, their history, whether they helped"),
    ("", ""),
    ("o", "long outputs: short, so that all steps are in sight, or at length"),
    ("l", "the list in one row, or at length"),
    ("z", "zoom the pane you are in, and back"),
    ("y", "copy to the clipboard, and to a file that stays until you delete it"),
    ("T", "dark, light, high contrast"),
    ("ctrl+p", "every command by its name"),
    ("q", "quit; every decision is stored already"),
)
_TRACE_KEYS: tuple[tuple[str, str], ...] = (
    ("n p", "next and previous failure"),
    ("f", "from a failure to the step that ended it, and back"),
    ("c", "next step that the experience cites"),
    ("enter", "the whole text of a step, however long"),
    ("J K", "scroll the step down and up"),
    ("g G", "first and last step"),
    ("/", "search steps by tool, input or output"),
    ("esc", "back"),
)
_NOTE = (
    "In a narrow list F is a failure lesson, S a success pattern, K a key decision; ! is a "
    "risk, which asks for a typed confirmation, ? something to look at more closely. "
    "Marked words stand in the advice and in the record alike. What an experience claims and "
    "the steps do not show, is a reason to edit or to reject it. To select text with the "
    "mouse, hold shift (option in some terminals)."
)


def _told(keys: tuple[tuple[str, str], ...], width: int) -> Iterator[Content]:
    for key, told in keys:
        first = Content.styled(key.ljust(_KEY_CELLS), "bold $accent")
        yield from hanging(first, Content(" " * _KEY_CELLS), Content(told), width)


class HelpPane(ReadingPane):
    def laid_out(self, width: int, height: int) -> Content:
        lines = [Content.styled("Keys", "bold $accent"), Content("")]
        lines += _told(_KEYS, width)
        lines += [Content(""), Content.styled("In a trace", "bold $accent"), Content("")]
        lines += _told(_TRACE_KEYS, width)
        lines.append(Content(""))
        return stacked([*lines, *wrapped(Content.styled(_NOTE, DIM), width)])


class HelpScreen(ModalScreen[None]):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,question_mark,q", "dismiss", "Close"),
    ]

    def compose(self) -> ComposeResult:
        yield HelpPane(classes="dialog -help")
