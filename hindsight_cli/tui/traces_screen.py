"""Every trace of the project: agent, outcome, failures, how long and how large."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on, work
from textual.message import Message
from textual.widgets import Static

from hindsight_cli.api.timeline import TraceFacts, list_trace_facts
from hindsight_cli.errors import HindsightError
from hindsight_cli.terminal import visible
from hindsight_cli.text import one_line
from hindsight_cli.tui.heading import Heading
from hindsight_cli.tui.keybar import Key
from hindsight_cli.tui.list_screen import ListScreen, Unreadable
from hindsight_cli.tui.row_list import Part, RowList, column
from hindsight_cli.tui.trace_screen import TraceScreen

_OUTCOMES = {"success": ("✓", "good"), "failure": ("✗", "bad"), "partial": ("~", "careful")}
_NO_TRACES = (
    "Nothing is recorded yet.\n\n"
    "hindsight import          brings in what your agents did here\n"
    "hindsight run -- AGENT    records a run from now on"
)
_WIDE_CELLS = 90
_MINUTE, _HOUR, _DAY = 60, 3600, 86400
_KIB = 1024


class TraceList(RowList):
    """A row a trace; in a narrow list the less needed columns give way."""

    items: Sequence[TraceFacts] = ()

    def columns(self, width: int) -> str:
        """What the columns are called, as `draw` places them."""
        right = ["steps".rjust(7), "failed".rjust(7), "time".rjust(8)]
        left = ["  "]
        if width >= _WIDE_CELLS:
            left.append("started".ljust(18))
            right.append("size".rjust(9))
        left.append("agent".ljust(14))
        room = width - sum(map(len, left)) - sum(map(len, right))
        return "".join([*left, column("task", room), *right])

    def draw(self, place: int, part: int, width: int) -> Sequence[Part]:
        facts = self.items[place]
        row = facts.row
        sign, tone = _OUTCOMES.get(row.outcome, ("·", "faint"))
        failed = str(row.failed_tool_calls) if row.failed_tool_calls else ""
        left: list[Part] = [(f"{sign} ", tone)]
        right: list[Part] = [
            (column(f"{row.steps:,}", 7, right=True), "text"),
            (column(failed, 7, right=True), "bad"),
            (column(duration(facts.seconds), 8, right=True), "faint"),
        ]
        if width >= _WIDE_CELLS:
            left.append((column((row.started_at or "")[:16].replace("T", " "), 18), "faint"))
            right.append((column(size(facts.size), 9, right=True), "faint"))
        left.append((column(visible(row.agent), 14), "calm"))
        used = sum(len(text) for text, _ in left[:-1] + right) + 14
        task = one_line(visible(row.task[:1000]), 300) or "(no task recorded)"
        return [*left, (column(task, width - used), "text"), *right]


class TracesScreen(ListScreen):
    """Where one looks for a run."""

    HEADING = "traces"
    KEYS: ClassVar[tuple[Key, ...]] = (
        ("enter", "open"),
        ("j/k", "move"),
        ("/", "filter and search"),
        ("?", "help"),
        ("esc", "back to the review"),
    )

    class Listed(Message):
        def __init__(self, facts: Sequence[TraceFacts]) -> None:
            super().__init__()
            self.facts = facts

    _facts: Sequence[TraceFacts] | None = None

    def make_list(self) -> RowList:
        return TraceList(id="rows")

    def on_mount(self) -> None:
        super().on_mount()
        self.add_class("-single")
        self.list_traces()

    @work(thread=True, exclusive=True, group="read", exit_on_error=False)
    def list_traces(self) -> None:
        try:
            facts = list_trace_facts(self._open())
        except HindsightError as error:
            self.post_message(Unreadable(error))
        else:
            self.post_message(self.Listed(facts))

    def on_traces_screen_listed(self, message: Listed) -> None:
        self._facts = message.facts
        self.refresh_list()

    def refresh_list(self) -> None:
        if self._facts is None:
            return
        words = self._query.casefold().split()
        found = [f for f in self._facts if all(word in _text_of(f) for word in words)]
        rows = self.query_one(TraceList)
        rows.items = found
        rows.show_rows(len(found), rows.index)
        if found:
            self.say_empty("")
        else:
            self.say_empty(f"No trace matches “{visible(self._query)}”." if words else _NO_TRACES)

    @on(RowList.Moved)
    def _tell_place(self) -> None:
        rows = self.rows
        failures = sum(f.row.failed_tool_calls for f in self._facts or ())
        self.query_one(Heading).show(
            "what your agents did here",
            f"{len(self._facts or ()):,} traces, {failures:,} failed calls",
        )
        width = self.query_one(TraceList).size.width
        self.query_one("#columns", Static).update(
            " " + self.query_one(TraceList).columns(width - 2)
        )
        place = f"{rows.index + 1} of {rows.count}" if rows.count else "none"
        self.query_one("#left").border_title = f"traces: {place}"

    def action_open(self) -> None:
        rows = self.query_one(TraceList)
        if rows.count:
            self.app.push_screen(TraceScreen(self._open, rows.items[rows.index].row.trace_id))


def duration(seconds: float | None) -> str:
    """As a person says it: 42s, 7m, 3h05."""
    if seconds is None or seconds < 0:
        return ""
    if seconds < _MINUTE:
        return f"{seconds:.0f}s"
    if seconds < _HOUR:
        return f"{seconds / _MINUTE:.0f}m"
    if seconds < _DAY:
        return f"{seconds // _HOUR:.0f}h{seconds % _HOUR // _MINUTE:02.0f}"
    return f"{seconds / _DAY:.0f}d"


def size(count: int) -> str:
    for unit in ("B", "kB", "MB"):
        if count < _KIB:
            return f"{count:,.0f} {unit}"
        count //= _KIB
    return f"{count:,} GB"


def _text_of(facts: TraceFacts) -> str:
    row = facts.row
    return f"{row.task}\n{row.agent}\n{row.outcome}\n{row.trace_id}\n{row.started_at}".casefold()
