"""One trace: every step on a line, the selected one beside it as recorded."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message

from hindsight_cli.api.project import Project
from hindsight_cli.api.timeline import attribution_of
from hindsight_cli.api.traces import read_trace
from hindsight_cli.errors import HindsightError
from hindsight_cli.records.attribution import Attribution
from hindsight_cli.records.trace import Trace
from hindsight_cli.terminal import visible
from hindsight_cli.text import one_line
from hindsight_cli.tui.heading import Heading
from hindsight_cli.tui.keybar import Key
from hindsight_cli.tui.list_screen import ListScreen, Unreadable
from hindsight_cli.tui.panes import StepsPane
from hindsight_cli.tui.row_list import RowList
from hindsight_cli.tui.step_list import StepList
from hindsight_cli.tui.steps_view import StepView
from hindsight_cli.tui.text_screen import TextScreen
from hindsight_cli.tui.timeline import Notes, StepLine, full_text, notes_of, step_views_of, timeline

_TASK_CHARS = 120


# Workers that get a trace are described by hand: Textual would write it out in full.
class TraceScreen(ListScreen):
    """Opens at `step`; the steps an experience rests on are marked."""

    HEADING = "trace"
    KEYS: ClassVar[tuple[Key, ...]] = (
        ("j/k", "move"),
        ("n/p", "failure"),
        ("f", "its fix"),
        ("c", "cited"),
        ("↵", "whole text"),
        ("/", "search"),
        ("?", "help"),
        ("esc", "back"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "failure(1)", "Next failure"),
        Binding("p,N", "failure(-1)", "Previous failure"),
        Binding("f", "fix", "From a failure to its fix, and back"),
        Binding("c", "cited", "Next cited step"),
        Binding("J,space", "steps(1)", "Scroll the step", show=False),
        Binding("K,b", "steps(-1)", "Scroll the step back", show=False),
    ]

    class Opened(Message):
        def __init__(self, trace: Trace, lines: Sequence[StepLine], unread: int) -> None:
            super().__init__()
            self.trace = trace
            self.lines = lines
            self.unread = unread

    class Attributed(Message):
        def __init__(self, found: Attribution) -> None:
            super().__init__()
            self.found = found

    class StepRead(Message):
        def __init__(self, line: StepLine, views: Sequence[StepView]) -> None:
            super().__init__()
            self.line = line
            self.views = views

    def __init__(
        self,
        open_project: Callable[[], Project],
        trace_id: str,
        *,
        step: int | None = None,
        cited: Collection[int] = (),
    ) -> None:
        super().__init__(open_project)
        self._trace_id = trace_id
        self._step = step
        self._cited = tuple(cited)
        self._trace: Trace | None = None
        self._lines: Sequence[StepLine] = ()
        self._failed = 0
        self._unread = 0
        self._outcome = ""
        self._seen: StepLine | None = None

    @property
    def steps(self) -> StepList:
        return self.query_one(StepList)

    @property
    def selected(self) -> StepLine | None:
        steps = self.steps
        return steps.items[steps.index] if steps.index < len(steps.items) else None

    def make_list(self) -> RowList:
        return StepList(id="rows")

    def make_detail(self) -> ComposeResult:
        yield StepsPane(id="steps", classes="pane")

    def on_mount(self) -> None:
        super().on_mount()
        self.add_class("-double")
        pane = self.query_one(StepsPane)
        pane.border_title = "step, as recorded"
        pane.show_at_length()
        self.open_trace()

    @work(thread=True, exclusive=True, group="trace", exit_on_error=False)
    def open_trace(self) -> None:
        """First the timeline, then what reflection makes of it: that takes longer."""
        try:
            reading = read_trace(self._open(), self._trace_id)
        except HindsightError as error:
            self.post_message(Unreadable(error))
            return
        trace = reading.trace
        unread = len(reading.unread) + len(reading.bad_lines)
        self.post_message(self.Opened(trace, timeline(trace), unread))
        self.post_message(self.Attributed(attribution_of(trace)))

    @work(thread=True, exclusive=True, group="step", exit_on_error=False, description="read_step")
    def read_step(self, trace: Trace, line: StepLine) -> None:
        self.post_message(self.StepRead(line, step_views_of(trace, line)))

    @work(thread=True, exclusive=True, group="text", exit_on_error=False, description="read_text")
    def read_text(self, trace: Trace, line: StepLine) -> None:
        text = full_text(trace, line)
        name = f"step {line.step_index}, {line.name}"
        self.app.call_from_thread(self.app.push_screen, TextScreen(name, text))

    def on_trace_screen_opened(self, message: Opened) -> None:
        self._trace, self._lines, self._unread = message.trace, message.lines, message.unread
        self._failed = sum(line.failed for line in self._lines)
        self.steps.notes = Notes(cited=frozenset(self._cited))
        if not self._lines:
            self.say_empty("Nothing is recorded in this trace.")
            return
        self._outcome = f"outcome {message.trace.outcome[0].value}"
        self._list(self._lines, self._step)

    def on_trace_screen_attributed(self, message: Attributed) -> None:
        self.steps.notes = notes_of(message.found, self._cited)
        found = message.found
        self._outcome = _outcome(found)
        self._tell()
        self.steps.refresh()

    def on_trace_screen_step_read(self, message: StepRead) -> None:
        if message.line is self.selected:
            self.query_one(StepsPane).show(message.views, None)

    def refresh_list(self) -> None:
        words = self._query.casefold().split()
        selected = self.selected
        found = [line for line in self._lines if line.matches(words)] if words else self._lines
        if not found and self._lines:
            self.say_empty(f"No step matches “{visible(self._query)}”.")
            return
        self._list(found, selected.step_index if selected else None)

    def _list(self, lines: Sequence[StepLine], step: int | None) -> None:
        self.say_empty("")
        places = (i for i, line in enumerate(lines) if step is None or line.step_index >= step)
        self.steps.items = lines
        self.steps.show_rows(len(lines), next(places, len(lines) - 1))

    @on(RowList.Moved)
    def _show_selected(self) -> None:
        self._tell()
        line = self.selected
        if line is None or self._trace is None or line is self._seen:
            return
        self._seen = line
        self.read_step(self._trace, line)

    def _tell(self) -> None:
        trace, steps = self._trace, self.steps
        if trace is None:
            return
        task = one_line(visible(trace.task[:1000]), _TASK_CHARS) or "(no task recorded)"
        told = f"{visible(trace.agent)} · {self._outcome} · {self._failed:,} failed"
        told += f" · {self._unread} unreadable" if self._unread else ""
        self.query_one(Heading).show(task, told)
        place = f"{steps.index + 1:,} of {steps.count:,}"
        self.query_one("#left").border_title = f"timeline: {place}"

    def action_failure(self, by: int) -> None:
        self._seek(by, lambda line: line.failed, "No failed call")

    def action_cited(self) -> None:
        cited = frozenset(self._cited)
        self._seek(1, lambda line: line.step_index in cited, "No other cited step")

    def action_fix(self) -> None:
        line, notes = self.selected, self.steps.notes
        if line is None:
            return
        step = line.step_index
        target = notes.fixed_by.get(step, notes.fixes.get(step))
        if target is None:
            self.notify("No recovery is known for this step.", markup=False, timeout=3)
            return
        self._list(self.steps.items, target)

    def action_open(self) -> None:
        if self._trace is not None and self.selected is not None:
            self.read_text(self._trace, self.selected)

    def action_steps(self, direction: int) -> None:
        pane = self.query_one(StepsPane)
        scroll = pane.scroll_page_down if direction > 0 else pane.scroll_page_up
        scroll(animate=False)

    def _seek(self, by: int, is_sought: Callable[[StepLine], bool], none: str) -> None:
        """Select the next such step in this direction, past the end from the other one."""
        steps = self.steps
        for away in range(1, steps.count + 1):
            place = (steps.index + by * away) % steps.count
            if is_sought(steps.items[place]):
                steps.select(place)
                return
        self.notify(f"{none} in this list.", markup=False, timeout=3)


def _outcome(found: Attribution) -> str:
    """The outcome, and what it is known from."""
    source = "" if found.outcome_source == "none" else f", by {found.outcome_source}"
    return f"outcome {found.outcome.value}{source}"
