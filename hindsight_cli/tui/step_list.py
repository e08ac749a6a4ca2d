"""The timeline of a trace: a row a step."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from hindsight_cli.records.event import EventType, Importance, Status
from hindsight_cli.tui.row_list import Part, RowList, column, cut
from hindsight_cli.tui.timeline import Notes, StepLine

_NAME_CELLS = 12
_FEW_CELLS = 50
_SIGNS = {
    EventType.TASK: ("▸", "bar"),
    EventType.MESSAGE: ("·", "calm"),
    EventType.REASONING: ("…", "faint"),
    EventType.DECISION: ("◆", "calm"),
    EventType.OUTCOME: ("■", "bar"),
    EventType.END: ("■", "faint"),
}


class StepList(RowList):
    """Its number, what became of it, its tool, what it did, and what is known of it."""

    items: Sequence[StepLine] = ()
    notes = Notes()

    def draw(self, place: int, part: int, width: int) -> Sequence[Part]:
        line = self.items[place]
        sign, tone = _sign(line)
        names = _NAME_CELLS if width >= _FEW_CELLS else _NAME_CELLS - 4
        weight = "faint" if line.importance is Importance.LOW else "text"
        flags = flags_of(line, self.notes)
        room = width - 6 - 2 - names - 1 - sum(cell_len(text) + 1 for text, _ in flags)
        if room < _NAME_CELLS and flags:  # the words of the flags give way to their signs
            flags = [(text[:1], flag) for text, flag in flags]
            room = width - 9 - names - 2 * len(flags)
        parts: list[Part] = [
            (column(f"{line.step_index:,}", 5, right=True) + " ", "faint"),
            (f"{sign} ", tone),
            (column(line.name, names) + " ", "strong" if _is_weighty(line) else weight),
            (column(cut(line.text, room), room), "bad" if line.failed else weight),
        ]
        for text, flag in flags:
            parts.append((f" {text}", flag))
        return parts


def flags_of(line: StepLine, notes: Notes) -> list[Part]:
    """What is known of a step beyond its own record, the weightiest last."""
    if line.stands_alone:
        return []  # it only has the number of the step before it
    step = line.step_index
    flags: list[Part] = []
    if step in notes.invalid:
        flags.append(("~ no help", "faint"))
    if step in notes.key:
        flags.append(("★ key", "careful"))
    if step in notes.fixed_by:
        flags.append((f"→ {notes.fixed_by[step]}", "good"))
    if step in notes.fixes:
        flags.append((f"← {notes.fixes[step]}", "good"))
    if step in notes.cited:
        flags.append(("● cited", "bar"))
    return flags


def _is_weighty(line: StepLine) -> bool:
    return line.importance is Importance.HIGH


def _sign(line: StepLine) -> Part:
    if line.status is None:
        return _SIGNS.get(line.events[0].event_type, ("·", "faint"))
    if line.failed:
        return "✗", "bad"
    return ("✓", "good") if line.status is Status.OK else ("–", "careful")
