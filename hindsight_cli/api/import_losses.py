"""What a source of an import has lost: content that is stored here, a parent that is not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Set
from pathlib import Path

from hindsight_cli.api.project import Project
from hindsight_cli.capture.draft import Draft
from hindsight_cli.capture.recorder import event_id_of
from hindsight_cli.text import one_line

_NAMED = 3
_MAX_NAME_CHARS = 80


class LostContent:
    """Records of one file that hold nothing, though an earlier import found something in them.

    Agents blank what they compact. What was stored is kept; this only counts.
    """

    def __init__(self, project: Project) -> None:
        self._project = project
        self._empty: dict[str, set[str]] = defaultdict(set)
        self._full: dict[str, set[str]] = defaultdict(set)

    def note(self, session_id: str, draft: Draft) -> None:
        """Take a record of the file into account; one without an id cannot be found again."""
        if draft.native_id and draft.known:
            seen = self._full if draft.events else self._empty
            seen[session_id].add(event_id_of(session_id, draft, 0))

    def messages(self, path: Path, written: Mapping[str, Set[str]]) -> list[str]:
        """One for each session of the file that has more here than there.

        `written` has the event ids of sessions that were written to, so as not to read them.
        """
        told = []
        for session_id, empty in self._empty.items():
            stored = written.get(session_id) or self._stored(session_id)
            lost = len((empty - self._full[session_id]) & stored)
            if lost:
                told.append(
                    f"{path} lost the content of {lost} record(s) of session {session_id}; "
                    "what was imported before is kept"
                )
        return told

    def _stored(self, session_id: str) -> set[str]:
        path = self._project.traces.find(session_id)
        return {e.event_id for e in self._project.traces.read(path)[0]} if path else set()


def missing_parents(parents: Mapping[str, str], known: Collection[str]) -> list[str]:
    """Say which subagents were imported without the session that called them.

    Args:
        parents: the parent of each subagent's session.
        known: sessions that are stored.
    """
    lost = sorted({parent for parent in parents.values() if parent not in known})
    if not lost:
        return []
    names = ", ".join(one_line(parent, _MAX_NAME_CHARS) for parent in lost[:_NAMED])
    children = sum(parent in lost for parent in parents.values())
    return [
        f"Parent missing: {children} subagent session(s) of {names}"
        + (" …" if len(lost) > _NAMED else "")
        + ", which is neither here nor among these files"
    ]
