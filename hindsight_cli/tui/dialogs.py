"""What is asked before a decision: a reason, a typed confirmation.

Escape always leaves everything as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from hindsight_cli.records.experience import ExperienceState
from hindsight_cli.terminal import visible
from hindsight_cli.text import one_line
from hindsight_cli.tui.fields import LineField
from hindsight_cli.tui.keybar import keys_content
from hindsight_cli.tui.labels import flags_of

_CODE_CHARS = 4
_SHOWN_CHARS = 600
_BULK_CHARS = 60


class RejectDialog(ModalScreen[str | None]):
    """Asks for a reason; gives it ("" is fine), or None when called off."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss", "Cancel")]

    def __init__(self, states: Sequence[ExperienceState]) -> None:
        super().__init__()
        self._states = states

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            many = len(self._states) > 1
            title = f"Reject {len(self._states)} experiences" if many else "Reject"
            yield Static(title, markup=False, classes="title -bad")
            names = [f"· {_name(s)[:_BULK_CHARS]}" if many else _name(s) for s in self._states]
            yield Static("\n".join(names), markup=False, classes="name")
            yield LineField(placeholder="reason (optional)", id="reason")
            yield Static(keys_content([("enter", "reject"), ("esc", "cancel")]), markup=False)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self.dismiss(event.value.strip())


class ConfirmDialog(ModalScreen[bool]):
    """Asks for the end of the id, so that a risky one is never taken by habit."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(False)", "Cancel")]

    def __init__(self, state: ExperienceState) -> None:
        super().__init__()
        self._state = state
        self._code = visible(state.experience.experience_id[-_CODE_CHARS:]).strip()

    def compose(self) -> ComposeResult:
        experience = self._state.experience
        with Vertical(classes="dialog"):
            yield Static("This one needs your explicit word", markup=False, classes="title -bad")
            for flag in flags_of(self._state):
                line = Content.assemble((f"{flag.word}: ", f"bold {flag.tone}"), flag.meaning)
                yield Static(line, markup=False, classes="flag")
            advice = one_line(visible(experience.content.recommend), _SHOWN_CHARS)
            yield Static(advice, markup=False, classes="name")
            own = visible(experience.experience_id)
            ask = f"Type the last {_CODE_CHARS} characters of its id, {own}, to approve it:"
            yield Static(ask, markup=False)
            yield LineField(id="code", max_length=40)
            yield Static("", markup=False, id="wrong")
            yield Static(keys_content([("enter", "approve"), ("esc", "cancel")]), markup=False)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        typed = event.value.strip()
        if typed.casefold() == self._code.casefold():
            self.dismiss(True)
            return
        word = "Nothing is approved without it." if not typed else "That is not how its id ends."
        self.query_one("#wrong", Static).update(word)


class DiscardDialog(ModalScreen[bool]):
    """Asks whether changed words may go."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "dismiss(True)", "Discard"),
        Binding("n,escape", "dismiss(False)", "Keep editing"),
    ]

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog -small"):
            yield Static("Discard your changes?", markup=False, classes="title -bad")
            keys = [("y", "discard"), ("n", "keep editing")]
            yield Static(keys_content(keys), markup=False)


def _name(state: ExperienceState) -> str:
    return one_line(visible(state.experience.content.scenario), _SHOWN_CHARS)
