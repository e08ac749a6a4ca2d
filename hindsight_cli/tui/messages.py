"""What threads tell the screen.

Posted, never called: a thread that waited for the screen's answer would hang the exit.
"""

from __future__ import annotations

from collections.abc import Sequence

from textual.message import Message

from hindsight_cli.errors import HindsightError
from hindsight_cli.records.experience import ExperienceState
from hindsight_cli.tui.desk import Done
from hindsight_cli.tui.steps_view import StepView


class Loaded(Message):
    """Every experience, as the ledger was when `epoch` was the screen's."""

    def __init__(self, states: Sequence[ExperienceState], signature: str, epoch: int) -> None:
        super().__init__()
        self.states = states
        self.signature = signature
        self.epoch = epoch


class Read(Message):
    """One experience with its cited steps."""

    def __init__(self, state: ExperienceState, views: Sequence[StepView]) -> None:
        super().__init__()
        self.state = state
        self.views = views


class Finished(Message):
    """A decision was carried out or refused."""

    def __init__(self, done: Done) -> None:
        super().__init__()
        self.done = done


class Failed(Message):
    """Something could not be read; `experience_id` names it, or is None for all."""

    def __init__(self, error: HindsightError, experience_id: str | None = None) -> None:
        super().__init__()
        self.error = error
        self.experience_id = experience_id
