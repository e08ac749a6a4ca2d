"""Deciding: every key that changes the ledger, and what is asked before."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping
from typing import ClassVar

from textual import work
from textual.binding import Binding, BindingType
from textual.worker import Worker, WorkerFailed, WorkerState

from hindsight_cli.api.project import Project
from hindsight_cli.errors import HindsightError
from hindsight_cli.records.experience import ExperienceState
from hindsight_cli.review.decisions import needs_confirmation
from hindsight_cli.terminal import visible
from hindsight_cli.text import one_line
from hindsight_cli.tui.desk import Asked, Desk, Done, Verb
from hindsight_cli.tui.dialogs import ConfirmDialog, EditDialog, RejectDialog
from hindsight_cli.tui.export import CLIPBOARD_CHARS, as_text, write_export
from hindsight_cli.tui.help import HelpScreen
from hindsight_cli.tui.lists import ListName, belongs
from hindsight_cli.tui.messages import Finished
from hindsight_cli.tui.room import Room

_KEY_REPEAT_S = 0.06  # a key held down comes again sooner than a finger can
_NAME_CHARS = 70
_DECISIONS = "decisions"
_DONE = {
    Verb.APPROVE: "Approved",
    Verb.EDIT: "Approved in your words",
    Verb.REJECT: "Rejected",
}


class ReviewScreen(Room):
    """The room, with a person in it who decides.

    Nothing is approved by Enter, by waiting, or unseen: an approval names the content
    that was on screen. A decision is stored before its success is told.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "approve", "Approve"),
        Binding("e", "edit", "Edit"),
        Binding("r", "reject", "Reject"),
        Binding("u", "undo", "Undo"),
        Binding("U", "undo_selected", "Undo this one", show=False),
        Binding("y", "copy", "Copy"),
        Binding("question_mark", "help", "Help", key_display="?"),
        Binding("q", "app.quit", "Quit"),
    ]

    def __init__(self, open_project: Callable[[], Project], name: str) -> None:
        super().__init__(open_project, name)
        self._desk = Desk(open_project)
        self._pressed: dict[str, float] = {}

    def action_approve(self) -> None:
        shown = self._in_full()
        if shown is None or self._is_repeat("a"):
            return
        if not needs_confirmation(shown.experience):
            self._approve(shown, confirmed=False)
            return
        self.app.push_screen(
            ConfirmDialog(shown), lambda yes: self._approve(shown, confirmed=True) if yes else None
        )

    def action_edit(self) -> None:
        shown = self._in_full()
        if shown is not None:
            self._ask_for_words(EditDialog(shown), shown)

    def action_reject(self) -> None:
        state = self.queue.selected
        if state is None:
            return

        def reject(reason: str | None) -> None:
            if reason is not None:
                self._desk.reject(state, reason)
                self._send(state, leaves=True)

        self.app.push_screen(RejectDialog(state), reject)

    def action_undo(self) -> None:
        if not self._is_repeat("u"):
            self._desk.undo()
            self.carry_out()

    def action_undo_selected(self) -> None:
        state = self.queue.selected
        if state is not None and not self._is_repeat("U"):
            self._desk.undo(state.experience.experience_id)
            self.carry_out()

    def action_copy(self) -> None:
        shown = self.shown
        if shown is None:
            self.say("Nothing to copy yet.")
            return
        text = as_text(shown.state, shown.views)
        try:
            path = write_export(text, shown.state.experience.experience_id)
        except HindsightError as error:
            self.say_error(error)
            return
        self.app.copy_to_clipboard(text[:CLIPBOARD_CHARS])
        self.say(
            f"Copied, if your terminal allows it. Also in\n{path}\n"
            "That file stays until you delete it."
        )

    def action_help(self) -> None:
        self.app.push_screen(HelpScreen())

    async def settle(self) -> None:
        """Wait until every decision is stored or refused."""
        mine = [w for w in self.workers if w.group == _DECISIONS and not w.is_finished]
        with contextlib.suppress(WorkerFailed):  # told already
            await self.workers.wait_for_complete(mine)

    # Not exclusive: a cancelled worker would lose a decision.
    @work(thread=True, group=_DECISIONS, exit_on_error=False)
    def carry_out(self) -> None:
        """Carry out the oldest decision, off the UI thread."""
        self.post_message(Finished(self._desk.work()))

    def on_finished(self, message: Finished) -> None:
        done = message.done
        self._epoch += 1  # what was read before no longer holds
        self._decided_at = time.monotonic()
        if done.job.experience_id is not None:
            self._deciding.discard(done.job.experience_id)
        if done.asked is not None:
            self.refresh_list(select=done.job.experience_id)
            self._ask_for_confirmation(done.asked)
            return
        if done.decision is None:
            if done.error is not None:
                self.say_error(done.error)
            self.refresh_list(select=done.job.experience_id)
            self.load()  # it may be refused for a change that is not on screen
            return
        state = done.decision.state
        own = state.experience.experience_id
        self._states[own] = state
        back = done.job.verb is Verb.UNDO and belongs(state, self._list)
        self.refresh_list(select=own if back else None)
        self.say(_told(done, state))

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A fault of ours is told, not fatal: what was decided is stored already."""
        if event.state is WorkerState.ERROR:
            error = event.worker.error
            self.log.error(error)
            self._deciding.clear()
            self._signature = ""
            self.load()
            self.say_error(
                HindsightError(
                    f"Unexpected {type(error).__name__}: {error}",
                    hint="Please report it; decisions told as done are stored.",
                )
            )

    def _in_full(self) -> ExperienceState | None:
        """What is on screen with all its steps, and so may be approved."""
        if self.queue.selected is None:
            return None
        if self.shown is None:
            self.say("Its steps are still being read: look at them first.")
            return None
        return self.shown.state

    def _approve(self, shown: ExperienceState, *, confirmed: bool) -> None:
        self._desk.approve(shown, confirmed=confirmed)
        self._send(shown, leaves=True)

    def _edit(self, shown: ExperienceState, changes: Mapping[str, str], *, confirmed: bool) -> None:
        self._desk.edit(shown, changes, confirmed=confirmed)
        self._send(shown, leaves=self._list is not ListName.APPROVED)

    def _ask_for_words(self, dialog: EditDialog, shown: ExperienceState) -> None:
        def save(changes: Mapping[str, str] | None) -> None:
            if changes:
                self._edit(shown, changes, confirmed=False)

        self.app.push_screen(dialog, save)

    def _ask_for_confirmation(self, asked: Asked) -> None:
        """New words that carry a risk need it as much as proposed ones."""

        def answer(yes: bool | None) -> None:
            if yes:
                self._edit(asked.shown, asked.changes, confirmed=True)
            else:  # what was typed is not lost
                self._ask_for_words(EditDialog(asked.shown, asked.changes), asked.shown)

        self.app.push_screen(ConfirmDialog(asked.reworded), answer)

    def _send(self, state: ExperienceState, *, leaves: bool) -> None:
        """Carry it out; what leaves this list does so at once."""
        if leaves:
            self._deciding.add(state.experience.experience_id)
            self.refresh_list()
        self.carry_out()

    def _is_repeat(self, key: str) -> bool:
        now = time.monotonic()
        before, self._pressed[key] = self._pressed.get(key, 0.0), now
        return now - before < _KEY_REPEAT_S


def _told(done: Done, state: ExperienceState) -> str:
    name = one_line(visible(state.experience.content.scenario[:1000]), _NAME_CHARS)
    if done.job.verb is Verb.UNDO:
        return f"Taken back, {state.status.value} again: {name}"
    return f"{_DONE[done.job.verb]}: {name}\nu undoes it"
