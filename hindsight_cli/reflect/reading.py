"""A trace prepared for the detectors: calls in order, words between them, what was undone."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from hindsight_cli.records.event import Actor, EventType, Status
from hindsight_cli.records.trace import Call, Trace
from hindsight_cli.reflect import shell
from hindsight_cli.reflect.calls import FileEdit, base_name, edits_of, same_file
from hindsight_cli.reflect.silences import SILENCES

_TALK = frozenset({EventType.MESSAGE, EventType.REASONING, EventType.DECISION})
_MIN_TELLING_CHARS = 4
_LOOKED_BACK = 40  # changes of one file; none is taken back after so many others
_ROLLBACK = re.compile(r"git (?:checkout|restore|reset)\b")
_TAKES_BACK = re.compile(rf"{_ROLLBACK.pattern}|\b(?:rm|rmdir|unlink)\b")
_MOST = 0.8  # share of the added lines that must be gone again


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """Words of the user after the task was given."""

    step_index: int
    text: str
    after: int  # number of calls made before


@dataclass(frozen=True)
class Reading:
    """Not slotted: derived views are computed once."""

    trace: Trace

    @cached_property
    def calls(self) -> Sequence[Call]:
        return self.trace.calls

    @cached_property
    def index_of(self) -> dict[int, int]:
        """Position in `calls` by step."""
        return {call.step_index: index for index, call in enumerate(self.calls)}

    @cached_property
    def said_before(self) -> tuple[str, ...]:
        """What the agent said or thought between the previous call and each call."""
        texts: list[str] = []
        told: list[str] = []
        positions = {call.call_event.seq for call in self.calls}
        for event in self.trace.events:
            if event.seq in positions:
                told.append("\n".join(texts))
                texts = []
            elif event.actor is Actor.AGENT and event.event_type in _TALK:
                texts.append(self.trace.text(event))
        return tuple(told)

    @cached_property
    def user_said(self) -> tuple[Said, ...]:
        """Every later message of the user that no harness wrote."""
        said: list[Said] = []
        seen_task = False
        calls = 0
        positions = {call.call_event.seq for call in self.calls}
        for event in self.trace.events:
            calls += event.seq in positions
            if event.actor is not Actor.USER or event.injected:
                continue
            if event.event_type not in {EventType.TASK, EventType.MESSAGE}:
                continue
            if seen_task:
                said.append(
                    Said(step_index=event.step_index, text=self.trace.text(event), after=calls)
                )
            seen_task = True
        return tuple(said)

    @cached_property
    def last_said(self) -> str:
        """The agent's closing words, "" when a call comes last."""
        last_call = self.calls[-1].call_event.seq if self.calls else 0
        return "\n".join(
            self.trace.text(e)
            for e in self.trace.events
            if e.seq > last_call and e.actor is Actor.AGENT and e.event_type in _TALK
        )

    @cached_property
    def silencing_lines(self) -> tuple[tuple[int, str], ...]:
        """Lines of edits that keep a check quiet, each with the position of its call."""
        return tuple(
            (at, line)
            for at, call in enumerate(self.calls)
            for edit in edits_of(call)
            if SILENCES.search(edit.new)
            for line in edit.new.split("\n")
            if SILENCES.search(line)
        )

    @cached_property
    def undone_by(self) -> dict[int, int]:
        """Position of an accepted change -> position of the call that took it back."""
        found: dict[int, int] = {}
        standing: dict[str, list[tuple[int, FileEdit]]] = defaultdict(list)  # by file name
        for later, call in enumerate(self.calls):
            if call.status is not Status.OK:
                continue
            edits = edits_of(call)
            for edit in edits:
                earlier = standing[base_name(edit.path)][-_LOOKED_BACK:]
                found |= {a: later for a, done in earlier if a not in found and _undoes(edit, done)}
            if not edits and _TAKES_BACK.search(call.command):
                earlier = [change for changes in standing.values() for change in changes]
                gone = {at for at, done in earlier if self._shell_undoes(call.command, at, done)}
                found |= dict.fromkeys(gone - found.keys(), later)
                for changes in standing.values():
                    changes[:] = [change for change in changes if change[0] not in gone]
            for edit in edits:
                standing[base_name(edit.path)].append((later, edit))
        return found

    def _shell_undoes(self, command: str, earlier: int, done: FileEdit) -> bool:
        if any(same_file(done.path, gone) for gone in shell.removed_files(command)):
            return True
        if not _ROLLBACK.search(command) or "--soft" in command:
            return False
        if "reset --hard" in command:
            return not self._committed_since(earlier, command)
        named = [w for one in shell.invocations(command) for w in one.words if w[:1] != "-"]
        return any(same_file(word, done.path) for word in named)

    def _committed_since(self, earlier: int, command: str) -> bool:
        """Whether a commit came between a change and a later command."""
        for call in self.calls[earlier + 1 :]:
            if call.command == command:
                return False
            if call.status is Status.OK and "git commit" in shell.intents(call.command):
                return True
        return False


def _undoes(late: FileEdit, early: FileEdit) -> bool:
    return same_file(late.path, early.path) and _takes_back(
        late.old, late.new, early.old, early.new
    )


def _takes_back(late_old: str, late_new: str, early_old: str, early_new: str) -> bool:
    """Whether the later change removes what the earlier one added and brings back what it took."""
    added = _added_lines(early_old, early_new)
    if not added or not late_old:
        return False
    removed = set(_lines(late_old)) - set(_lines(late_new))
    gone = [line for line in added if line in removed]
    if len(gone) < len(added) * _MOST or sum(map(len, added)) < _MIN_TELLING_CHARS:
        return False
    taken = set(_lines(early_old)) - set(_lines(early_new))
    return not taken or len(taken & set(_lines(late_new))) * 2 >= len(taken)


def _added_lines(old: str, new: str) -> list[str]:
    before = set(_lines(old))
    return [line for line in _lines(new) if line not in before]


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if line.strip()]
