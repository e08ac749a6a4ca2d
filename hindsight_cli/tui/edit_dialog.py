"""New words for an experience: judged while one types, compared before they are saved."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.screen import ModalScreen
from textual.suggester import Suggester
from textual.timer import Timer
from textual.widgets import Input, Static, TextArea

from hindsight_cli.records.experience import ExperienceState
from hindsight_cli.terminal import visible
from hindsight_cli.text import one_line
from hindsight_cli.tui.desk import Changes, Remark, remarks_on
from hindsight_cli.tui.dialogs import DiscardDialog
from hindsight_cli.tui.differences import common
from hindsight_cli.tui.fields import LineField, TextField
from hindsight_cli.tui.keybar import keys_content
from hindsight_cli.tui.layout import DIM

_TEXTS = ("scenario", "recommend", "avoid", "why")
_TAGS = ("tool_tags", "task_tags")
_LABELS = {
    "scenario": "when",
    "recommend": "do",
    "tool_tags": "tool tags",
    "task_tags": "task tags",
}
_PAUSE_S = 0.2  # of typing, before the words are judged
_REMARK_CHARS = 150


class TagSuggester(Suggester):
    """Completes the last tag of a list with commas from those in use."""

    def __init__(self, tags: Collection[str]) -> None:
        super().__init__(case_sensitive=True)
        self._tags = sorted(tags)

    async def get_suggestion(self, value: str) -> str | None:
        before, comma, last = value.rpartition(",")
        typed = last.strip()
        if not typed:
            return None
        blank = last[: len(last) - len(last.lstrip())]
        found = next((t for t in self._tags if t.startswith(typed) and t != typed), None)
        return None if found is None else f"{before}{comma}{blank}{found}"


class EditDialog(ModalScreen[Changes | None]):
    """Gives the fields that were changed, or None when called off."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "save", "Save", priority=True),
        Binding("escape", "cancel", "Cancel", priority=True),
    ]

    class Judged(Message):
        def __init__(self, remarks: Sequence[Remark]) -> None:
            super().__init__()
            self.remarks = remarks

    def __init__(
        self,
        state: ExperienceState,
        changes: Changes = MappingProxyType({}),
        *,
        tags: Collection[str] = (),
    ) -> None:
        """`changes` are new words to go on from, `tags` those in use elsewhere."""
        super().__init__()
        self._state = state
        self._made = changes
        self._known = tags
        self._before: Mapping[str, str] = {}
        self._pause: Timer | None = None
        self._refused = False  # why saving was refused stays until something is typed

    def compose(self) -> ComposeResult:
        content = self._state.experience.content
        with Vertical(classes="dialog -tall"):
            yield Static("Edit: saving approves the new words", markup=False, classes="title")
            for name in _TEXTS:
                area = TextField(visible(getattr(content, name)), id=name, soft_wrap=True)
                area.border_title = _LABELS.get(name, name)
                yield area
            with Horizontal(id="tags"):
                for name in _TAGS:
                    yield Static(f"{_LABELS[name]} ", markup=False, classes="label")
                    value = visible(", ".join(getattr(content, name)))
                    yield LineField(value, id=name, suggester=TagSuggester(self._known))
            yield Static("", markup=False, id="wrong")
            keys = [("ctrl+s", "compare and save"), ("tab", "next field"), ("→", "complete a tag")]
            yield Static(keys_content([*keys, ("esc", "cancel")]), markup=False)

    def on_mount(self) -> None:
        # The area's own form of the text: line endings may differ from what was given.
        self._before = self._texts()
        for name, value in self._made.items():
            if isinstance(value, str):
                self.query_one(f"#{name}", TextArea).text = value
            else:
                self.query_one(f"#{name}", Input).value = ", ".join(value)
        self.query_one("#scenario", TextArea).focus()
        self._judge_soon()

    @on(TextArea.Changed)
    @on(Input.Changed)
    def _judge_soon(self) -> None:
        self._refused = False
        if self._pause is not None:
            self._pause.stop()
        self._pause = self.set_timer(_PAUSE_S, lambda: self.judge(self._changes()))

    @work(thread=True, exclusive=True, group="judge", exit_on_error=False, description="judge")
    def judge(self, changes: Changes) -> None:
        self.post_message(self.Judged(remarks_on(self._state, changes)))

    def on_edit_dialog_judged(self, message: Judged) -> None:
        if not self._refused:
            self._tell(_empty_fields(self._texts()) or _told(message.remarks))

    def action_save(self) -> None:
        wrong = _empty_fields(self._texts())
        changes = self._changes()
        if not wrong and not changes:
            word = "Nothing is changed. Esc goes back, where a approves it as it stands."
            wrong = Content.styled(word, "$error")
        if wrong:
            self._refused = True
            self._tell(wrong)
            return
        texts = self._texts()
        pairs = {_LABELS.get(n, n): (self._before[n], texts[n]) for n in changes}

        def leave(save: bool | None) -> None:
            if save:
                self.dismiss(changes)

        self.app.push_screen(DifferenceDialog(pairs), leave)

    def action_cancel(self) -> None:
        if not self._changes():
            self.dismiss(None)
        else:
            self.app.push_screen(DiscardDialog(), self._leave)

    def _leave(self, discard: bool | None) -> None:
        if discard:
            self.dismiss(None)

    def _tell(self, told: Content) -> None:
        self.query_one("#wrong", Static).update(told)

    def _texts(self) -> dict[str, str]:
        areas = {name: self.query_one(f"#{name}", TextArea).text for name in _TEXTS}
        return areas | {name: self.query_one(f"#{name}", Input).value for name in _TAGS}

    def _changes(self) -> Changes:
        texts = self._texts()
        changed: dict[str, str | list[str]] = {}
        for name in _TEXTS:
            if texts[name] != self._before[name]:
                changed[name] = texts[name]
        for name in _TAGS:
            if _split(texts[name]) != _split(self._before[name]):
                changed[name] = _split(texts[name])
        return changed


class DifferenceDialog(ModalScreen[bool]):
    """What saving changes, line by line; nothing is saved before it was shown."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s,enter", "dismiss(True)", "Approve", priority=True),
        Binding("escape", "dismiss(False)", "Edit on", priority=True),
    ]

    def __init__(self, pairs: Mapping[str, tuple[str, str]]) -> None:
        super().__init__()
        self._pairs = pairs

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog -difference"):
            yield Static("Save and approve these words?", markup=False, classes="title")
            with VerticalScroll():
                text = Content("\n").join(_difference(self._pairs))
                yield Static(text, markup=False)
            keys = [("enter", "approve the new words"), ("esc", "edit on")]
            yield Static(keys_content(keys), markup=False)


def _difference(pairs: Mapping[str, tuple[str, str]]) -> Iterator[Content]:
    for name, (before, after) in pairs.items():
        yield Content.styled(name, "bold $accent")
        old, new = visible(before).split("\n"), visible(after).split("\n")
        for tag, a, b, c, d in difflib.SequenceMatcher(
            None, old, new, autojunk=False
        ).get_opcodes():
            if tag == "equal":
                yield from (Content.styled(f"  {line}", DIM) for line in old[a:b])
                continue
            removed, added = "\n".join(old[a:b]), "\n".join(new[c:d])
            if b > a:
                yield Content.styled("- ", "$error") + _marked(removed, added, "$error")
            if d > c:
                yield Content.styled("+ ", "$success") + _marked(added, removed, "$success")


def _marked(text: str, other: str, tone: str) -> Content:
    """`text` with the part that `other` does not share made to stand out."""
    head = common(text, other)
    end = common(text[head:][::-1], other[head:][::-1])
    return Content.styled(text, tone).stylize("bold underline", head, len(text) - end)


def _empty_fields(texts: Mapping[str, str]) -> Content:
    if texts["scenario"].strip() and texts["recommend"].strip():
        return Content("")
    return Content.styled("“when” and “do” may not be empty.", "$error")


def _told(remarks: Sequence[Remark]) -> Content:
    if not remarks:
        return Content.styled("✓ the guard finds nothing", "$success")
    told = "; ".join(f"{r.code}: {r.detail}" if r.detail else r.code for r in remarks)
    tone = "$error" if any(r.grave for r in remarks) else "$warning"
    return Content.styled(one_line(visible(f"! {told}"), _REMARK_CHARS), tone)


def _split(tags: str) -> list[str]:
    return list(dict.fromkeys(tag.strip() for tag in tags.split(",") if tag.strip()))
