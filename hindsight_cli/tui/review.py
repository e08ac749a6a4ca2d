"""Deciding: every key that changes the ledger, and what is asked before."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from typing import ClassVar

from textual import work
from textual.binding import Binding, BindingType
from textual.worker import Worker, WorkerFailed, WorkerState

from hindsight_cli.api.project import Project
from hindsight_cli.errors import HindsightError
from hindsight_cli.records.event import FAILED_STATUSES
from hindsight_cli.records.experience import ExperienceState
from hindsight_cli.review.decisions import is_safe, needs_confirmation
from hindsight_cli.terminal import visible
from hindsight_cli.text import one_line
from hindsight_cli.tui.desk import Asked, Changes, Desk, Done, Verb
from hindsight_cli.tui.dialogs import ConfirmDialog, RejectDialog
from hindsight_cli.tui.edit_dialog import EditDialog
from hindsight_cli.tui.experiences_screen import ExperiencesScreen
from hindsight_cli.tui.export import CLIPBOARD_CHARS, as_text, write_export
from hindsight_cli.tui.help import HelpScreen
from hindsight_cli.tui.lists import ListName, belongs
from hindsight_cli.tui.messages import Finished
from hindsight_cli.tui.room import Room
from hindsight_cli.tui.trace_screen import TraceScreen
from hindsight_cli.tui.traces_screen import TracesScreen

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
        Binding("s", "move(1)", "Skip"),
        Binding("u", "undo", "Undo"),
        Binding("U", "undo_selected", "Undo this one", show=False),
        Binding("space", "mark", "Select", key_display="space"),
        Binding("enter", "trace", "Whole trace"),
        Binding("t", "traces", "Traces"),
        Binding("x", "experiences", "All experiences"),
        Binding("y", "copy", "Copy"),
        Binding("question_mark", "help", "Help", key_display="?"),
        Binding("q", "app.quit", "Quit"),
    ]

    def __init__(self, open_project: Callable[[], Project], name: str) -> None:
        super().__init__(open_project, name)
        self._desk = Desk(open_project)
        self._pressed: dict[str, float] = {}
        self._marked: dict[str, ExperienceState] = {}  # by id, as they were shown
        self._note = ""  # what was left of those approved together

    def action_mark(self) -> None:
        """Take the one on screen together with others; only what was shown can be."""
        shown = self._in_full()
        if shown is None:
            return
        own = shown.experience.experience_id
        if self._marked.pop(own, None) is None:
            self._marked[own] = shown
        self._show_marks()
        self.queue.move(1)

    def action_back(self) -> None:
        if self._marked and not self.has_class("-zoom") and not self.has_class("-filtering"):
            self._unmark()
        super().action_back()

    def action_list(self, name: str) -> None:
        self._unmark()
        super().action_list(name)

    def action_approve(self) -> None:
        if self._marked:
            self._approve_marked()
            return
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
            self._ask_for_words(shown, {})

    def action_reject(self) -> None:
        selected = self.queue.selected
        states = list(self._marked.values()) or ([selected] if selected is not None else [])
        if not states:
            return

        def reject(reason: str | None) -> None:
            if reason is not None:
                self._unmark()
                for state in states:
                    self._desk.reject(state, reason)
                    self._send(state, leaves=True)

        self.app.push_screen(RejectDialog(states), reject)

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

    def action_trace(self) -> None:
        """The whole trace, at the first cited step that failed, else at the first cited."""
        shown = self.shown
        if shown is None:
            return
        experience = shown.state.experience
        citations = experience.content.citations
        trace_id = experience.trace_id or (citations[0].session_id if citations else None)
        if trace_id is None:
            self.say("It was written by hand: there is no trace.")
            return
        failed = [v.step_index for v in shown.views if v.status in FAILED_STATUSES]
        cited = [c.step_index for c in citations]
        step = next(iter([*failed, *cited]), None)
        self.app.push_screen(TraceScreen(self._open, trace_id, step=step, cited=cited))

    def action_traces(self) -> None:
        self.app.push_screen(TracesScreen(self._open))

    def action_experiences(self) -> None:
        def show(experience_id: str | None) -> None:
            if experience_id is not None:
                self.show_one(experience_id)

        self.app.push_screen(ExperiencesScreen(self._open), show)

    def show_one(self, experience_id: str) -> None:
        """Select an experience in the list it stands in."""
        state = self._states.get(experience_id)
        name = next((n for n in ListName if state is not None and belongs(state, n)), None)
        if name is None:
            self.say("It stands in none of the lists here: there is nothing to decide.")
            return
        self._query = ""
        self._unmark()
        self._list = name
        self.refresh_list(select=experience_id)

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
        self.say(f"{_told(done, state)}\n{self._note}".strip())
        if not self._deciding:
            self._note = ""

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

    def _approve_marked(self) -> None:
        """Those without a risk; each other one needs its own typed word."""
        if self._is_repeat("a"):
            return
        states = list(self._marked.values())
        safe = [s for s in states if is_safe(s.experience) and s.decided_by is None]
        left = len(states) - len(safe)
        self._unmark()
        self._note = ""
        for state in safe:
            self._approve(state, confirmed=False)
        if left:
            self._note = f"{left} of {len(states)} ask for a closer look: approve each alone"
        if left and not safe:
            self.say(self._note)

    def _tags(self) -> frozenset[str]:
        """Those in use, to complete what is typed."""
        contents = (state.experience.content for state in self._states.values())
        return frozenset(tag for c in contents for tag in (*c.tool_tags, *c.task_tags))

    def _unmark(self) -> None:
        self._marked.clear()
        self._show_marks()

    def _show_marks(self) -> None:
        self.queue.show_marks(self._marked)
        count = len(self._marked)
        self.query_one("#left").border_subtitle = f"{count} selected" if count else ""

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

    def _edit(self, shown: ExperienceState, changes: Changes, *, confirmed: bool) -> None:
        self._desk.edit(shown, changes, confirmed=confirmed)
        self._send(shown, leaves=self._list is not ListName.APPROVED)

    def _ask_for_words(self, shown: ExperienceState, changes: Changes) -> None:
        """`changes` are words to go on from."""
        dialog = EditDialog(shown, changes, tags=self._tags())

        def save(made: Changes | None) -> None:
            if made:
                self._edit(shown, made, confirmed=False)

        self.app.push_screen(dialog, save)

    def _ask_for_confirmation(self, asked: Asked) -> None:
        """New words that carry a risk need it as much as proposed ones."""

        def answer(yes: bool | None) -> None:
            if yes:
                self._edit(asked.shown, asked.changes, confirmed=True)
            else:  # what was typed is not lost
                self._ask_for_words(asked.shown, asked.changes)

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
