"""Records that a fork copied from another session count once: in the session that has them.

Agents that say whose a copied record is are read so (capture/formats). Others write the history
once more under the fork's own id; its records keep their ids, and by these it is told.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from hindsight_cli.api.project import Project
from hindsight_cli.capture.draft import Draft
from hindsight_cli.records.event import Actor, EventType
from hindsight_cli.traces.aside import first_event

# Ids that are the same in two sessions are copies only if they are unique in the world.
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


@dataclass(slots=True)
class Held:
    """With which record the stored sessions begin, and which of them are forks of which.

    A copied history begins as the session did that it was copied from.
    """

    by_format: dict[str, _Begun] = field(default_factory=dict)


@dataclass(slots=True)
class _Begun:
    first: dict[str, str] = field(default_factory=dict)  # native id -> session
    forks: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def family(self, session_id: str) -> set[str]:
        """A session, its forks and theirs."""
        found, todo = {session_id}, [session_id]
        while todo:
            new = self.forks.get(todo.pop(), set()) - found
            found |= new
            todo += new
        return found


@dataclass(slots=True)
class _Seen:
    """What is known of a session of the file that is read."""

    copied: dict[str, str] = field(default_factory=dict)  # native id -> the session that has it
    forked_from: str | None = None
    has_task: bool = True  # False: what a person says next is what the fork is for


class Forks:
    """Decides, for one file, which of its records another session of the same format has."""

    def __init__(self, project: Project, format_name: str, held: Held) -> None:
        self._project = project
        self._format = format_name
        self._held = held
        self._seen: dict[str, _Seen] = {}

    def own(self, session_id: str, draft: Draft) -> tuple[Draft, str | None]:
        """The record as the session's own, and the session that has it already, if any."""
        seen = self._seen.get(session_id)
        if seen is None:
            seen = self._seen[session_id] = self._look(session_id, draft.native_id)
        holder = seen.copied.get(draft.native_id or "")
        if holder is not None:
            seen.forked_from, seen.has_task = holder, False
            return draft, holder
        if seen.forked_from is None:
            return draft, None
        draft = replace(draft, session=replace(draft.session, forked_from=seen.forked_from))
        if not seen.has_task:
            draft, seen.has_task = _as_task(draft)
        return draft, None

    def note(self, session_id: str, first: Draft) -> None:
        """Take a session into account that was written; `first` is a record of it."""
        begun = self._begun()
        if first.native_id and _UUID.match(first.native_id):
            begun.first.setdefault(first.native_id, session_id)
        self._link(begun, session_id, first.session.forked_from)

    def _link(self, begun: _Begun, session_id: str, forked_from: str | None) -> None:
        if forked_from and forked_from != session_id:
            begun.forks[forked_from].add(session_id)

    def _look(self, session_id: str, native_id: str | None) -> _Seen:
        if not native_id or not _UUID.match(native_id):
            return _Seen()
        begun = self._begun()
        first = begun.first.get(native_id)
        if first is None or first == session_id:
            return _Seen()
        copied: dict[str, str] = {}
        for other in sorted(begun.family(first) - {session_id}, key=lambda s: s != first):
            path = self._project.traces.find_source(other)
            for event in self._project.traces.read(path)[0] if path else ():
                if event.native.id:
                    copied.setdefault(event.native.id, other)
        return _Seen(copied)

    def _begun(self) -> _Begun:
        known = self._held.by_format.get(self._format)
        if known is not None:
            return known
        known = self._held.by_format[self._format] = _Begun()
        for file in self._project.traces.sessions():
            event = first_event(file.path)
            about = event.extra.get("session") if event is not None else None
            if event is None or not isinstance(about, Mapping):
                continue
            if about.get("format") != self._format:
                continue
            if event.native.id and _UUID.match(event.native.id):
                known.first.setdefault(event.native.id, file.session_id)
            origin = about.get("forked_from")
            self._link(known, file.session_id, origin if isinstance(origin, str) else None)
        return known


def _as_task(draft: Draft) -> tuple[Draft, bool]:
    """The record, the first thing a person says in it as the task; whether there is one."""
    for n, event in enumerate(draft.events):
        said = event.event_type in (EventType.MESSAGE, EventType.TASK)
        if said and event.actor is Actor.USER and not event.injected:
            task = replace(event, event_type=EventType.TASK)
            return replace(draft, events=(*draft.events[:n], task, *draft.events[n + 1 :])), True
    return draft, False
