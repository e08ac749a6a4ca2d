"""What a source of an import has lost: content that is stored here, a parent that is not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence, Set
from pathlib import Path

from hindsight_cli.api.project import Project
from hindsight_cli.capture.draft import Draft
from hindsight_cli.capture.recorder import event_id_of
from hindsight_cli.text import one_line
from hindsight_cli.traces.unread import UnreadLine, write_unread

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


class UnreadLines:
    """Lines of one file that could not be read, to be kept beside the sessions they are in."""

    def __init__(self, project: Project, path: Path) -> None:
        self._project = project
        self._source = str(path)
        self._found: dict[str, list[UnreadLine]] = defaultdict(list)
        self.session_id = ""  # of the record before; "" before all

    def note(self, line: int, reason: str) -> None:
        """Take a line into account; `reason` is redacted."""
        self._found[self.session_id].append(UnreadLine(self._source, line, reason))

    def keep(self, sessions: Sequence[str]) -> None:
        """Write them beside the sessions of the file, the first of which has what precedes all.

        Raises:
            StorageError: not written.
        """
        for session_id in sessions:
            path = self._project.traces.find_source(session_id)
            if path is not None:
                before = self._found[""] if session_id == sessions[0] else []
                write_unread(path, self._source, before + self._found[session_id])


def gaps_message(path: Path, gaps: int) -> list[str]:
    """Say how many records of a file go on from one that is missing from it; [] when none."""
    if not gaps:
        return []
    what = "1 gap" if gaps == 1 else f"{gaps} gaps"
    return [
        f"{path} has {what}: the record before is missing. All others are imported; "
        "`hindsight traces show` says where"
    ]


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
