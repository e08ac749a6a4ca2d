"""The list on the left: what waits, and what was decided."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from rich.cells import cell_len, set_cell_size
from textual.reactive import reactive

from hindsight_cli.records.experience import ExperienceState
from hindsight_cli.terminal import visible
from hindsight_cli.text import one_line
from hindsight_cli.tui.labels import KINDS, LETTERS, flags_of, sign_of
from hindsight_cli.tui.row_list import TONES, Part, RowList, cut
from hindsight_cli.tui.wrapping import wrap_text

_SCENARIO_CHARS = 300
_ONE_ROW_KIND = 16
_LAST_TEXT_ROW = 2
_WORDS_CELLS = 36  # less than that, letters stand for the kind and the flags
_MORE = "  l list"  # where the list is down to one row


class QueueList(RowList):
    """Experiences one below the other: two to four rows each, or one where space is short."""

    rows_each: reactive[int] = reactive(3)

    def __init__(self, *, id: str) -> None:  # noqa: A002  # Textual's own name for it
        super().__init__(id=id)
        self._items: Sequence[ExperienceState] = ()
        self.marks: frozenset[str] = frozenset()  # ids taken together

    @property
    def items(self) -> Sequence[ExperienceState]:
        return self._items

    @property
    def selected(self) -> ExperienceState | None:
        return self._items[self.index] if self.index < len(self._items) else None

    def show(self, items: Sequence[ExperienceState], *, select: str | None = None) -> None:
        """List `items`; select the one with id `select`, else keep the place."""
        places = {s.experience.experience_id: i for i, s in enumerate(items)}
        wanted = places.get(select, self.index) if select is not None else self.index
        self._items = items
        self.show_rows(len(items), wanted)

    def show_marks(self, marks: Collection[str]) -> None:
        self.marks = frozenset(marks)
        self.refresh()

    def mark(self, place: int) -> Part | None:
        own = self._items[place].experience.experience_id
        return ("●", "bar") if own in self.marks else None

    def draw(self, place: int, part: int, width: int) -> Sequence[Part]:
        state = self._items[place]
        if self.rows_each > 1:
            in_words = width >= _WORDS_CELLS
            return _row_in_words(state, part, width) if in_words else _row(state, part, width)
        if self.size.height > 1:
            return _one_row(state, width)
        where = f"{self.index + 1} of {len(self._items)}  "
        room = width - cell_len(where) - cell_len(_MORE)
        return [(where, "faint"), *_one_row(state, room), (_MORE, "faint")]


def _row(state: ExperienceState, part: int, width: int) -> list[Part]:
    """The kind and the weightiest flag, a character each, before two rows of the scenario."""
    if part == 0:
        kind = state.experience.content.kind
        mark = (LETTERS[kind], TONES[KINDS[kind][1]])
    elif part == 1:
        sign, tone = sign_of(state)
        mark = (sign, TONES[tone])
    else:
        return []
    lines = wrap_text(_scenario(state), width - 2)
    rest = cut(one_line(" ".join(lines[1:]), _SCENARIO_CHARS), width - 2)
    text = (rest, "faint") if part else (lines[0], "text")
    return [mark, (" ", "text"), text]


def _row_in_words(state: ExperienceState, part: int, width: int) -> list[Part]:
    """One of the rows of an item: kind and flags, the scenario on two, an empty one."""
    if part == 0:
        word, tone = KINDS[state.experience.content.kind]
        flags = _flags(state, width - cell_len(word) - 1)
        gap = width - cell_len(word) - sum(cell_len(text) for text, _ in flags)
        return [(word, TONES[tone]), (" " * max(gap, 1), "text"), *flags]
    lines = wrap_text(_scenario(state), width)
    if part == 1:
        return [(lines[0], "text")]
    if part == _LAST_TEXT_ROW:
        rest = one_line(" ".join(lines[1:]), _SCENARIO_CHARS)
        return [(cut(rest, width), "faint")]
    return []


def _one_row(state: ExperienceState, width: int) -> list[Part]:
    word, tone = KINDS[state.experience.content.kind]
    flags = _flags(state, width // 3)
    room = width - _ONE_ROW_KIND - sum(cell_len(text) for text, _ in flags) - 1
    scenario = set_cell_size(cut(_scenario(state), room), room)
    kind = word.ljust(_ONE_ROW_KIND)
    return [(kind, TONES[tone]), (scenario, "text"), (" ", "text"), *flags]


def _flags(state: ExperienceState, width: int) -> list[Part]:
    """As many flags as fit, the weightiest first; a "+" says that there are more."""
    parts: list[Part] = []
    for flag in flags_of(state):
        text = f" {flag.word}" if parts else flag.word
        if sum(cell_len(t) for t, _ in parts) + cell_len(text) > width - 1:
            return [*parts, ("+", "careful")]
        parts.append((text, TONES[flag.tone]))
    return parts


def _scenario(state: ExperienceState) -> str:
    return one_line(visible(state.experience.content.scenario[:2000]), _SCENARIO_CHARS)
