"""A run that several files tell of counts once: the richest of them is its session.

An agent keeps a transcript, may print the run as a stream, and may send it as telemetry;
a converter makes a trajectory of it. Which is richer: docs/reference/native-formats.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from hindsight_cli.api.project import Project
from hindsight_cli.capture.draft import SessionInfo
from hindsight_cli.capture.numbering import SessionState
from hindsight_cli.experiences.fold import fold
from hindsight_cli.records.event import Event, EventType
from hindsight_cli.records.experience import ReviewStatus
from hindsight_cli.records.jsonvalue import JsonValue
from hindsight_cli.traces.aside import first_event, set_aside

_SUBAGENT = "-agent-"
_NAMED = 3
_NOTED = "record"  # native type of what a person or a program said of a session
# What tells of an agent's run, richest first. Those of one rank have one id for a record, and
# add to each other. Formats that are not here tell of runs of their own.
_RANKS = tuple(
    names.split()
    for names in (
        "claude-code codex copilot gemini opencode opencode-db pi qwen",
        "claude-stream opencode-run",
        "codex-exec gemini-stream pi-stream",
        "atif",
        "otlp",
    )
)
# Their records have the ids that the transcript has: they add to it what it lacks, its end.
_COMPLETING = frozenset(_RANKS[1])
_RANK_OF = {name: rank for rank, names in enumerate(_RANKS) for name in names}
# What the ids of their sessions have behind the agent's own, by format.
_SUFFIXES = {
    "codex-exec": ("-exec",),
    "pi-stream": ("-json",),
    "atif": ("-atif", "-export"),
    "otlp": ("-otlp-spans", "-otlp"),
}
_ALL_SUFFIXES = ("", *(suffix for suffixes in _SUFFIXES.values() for suffix in suffixes))


def richness(format_name: str) -> int:
    """A place in the order in which files of one run are best imported."""
    return _RANK_OF.get(format_name, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Told:
    """A session that is stored, and what it was read from."""

    session_id: str
    path: Path
    format: str
    rank: int


@dataclass(slots=True)
class _Run:
    """What is done with one run that a file tells of."""

    holder: str = ""  # the session that stays; "": this file's own
    poorer: list[_Told] = field(default_factory=list)  # sessions that give way to it


class SameRun:
    """Decides, for one file in one format, whose session a run is."""

    def __init__(
        self, project: Project, path: Path, format_name: str, to_id: Callable[[str], str]
    ) -> None:
        self._project = project
        self._path = path
        self._format = format_name
        self._rank = _RANK_OF.get(format_name)
        self._to_id = to_id  # from an agent's id to that of a session here
        self._runs: dict[str, _Run] = {}
        self._own: dict[str, str] = {}  # the session that this file makes of a run
        self._gave_way: list[str] = []
        self._completing: dict[str, Path] = {}  # by session: the stream that gave way to it

    def messages(self) -> list[str]:
        """What to say of the file, once it is read."""
        holders = list(dict.fromkeys(run.holder for run in self._runs.values() if run.holder))
        told = list(self._gave_way)
        if holders:
            which = "The same run is" if len(holders) == 1 else f"The same {len(holders)} runs are"
            named = ", ".join(holders[:_NAMED]) + (" …" if len(holders) > _NAMED else "")
            told.append(f"{which} already here as {named}; nothing of it added from {self._path}")
        return told

    def holder(self, session: SessionInfo) -> str | None:
        """The session that tells of this run already, and no worse; None: import it."""
        if self._rank is None:
            return None
        root = session.session_id.partition(_SUBAGENT)[0]
        run = self._runs.get(root)
        if run is None:
            run = self._runs[root] = self._decide(root, session.agent, self._rank)
        return run.holder or None

    def make_room(self, native_id: str) -> list[str]:
        """Put away the poorer sessions of a run about to be written; gives their ids.

        Their files stay beside the session's own, as another source of it.
        """
        run = self._runs.get(native_id)  # none for a subagent: the session it works for decides
        if run is None or not run.poorer:
            return []
        root = self._to_id(native_id)
        gone = [one.session_id for one in run.poorer]
        for told in run.poorer:
            _, mark, name = told.session_id.partition(_SUBAGENT)
            place = set_aside(told.path, root, f"{told.format}{mark}{name}")
            if told.format in _COMPLETING:
                self._completing[root] = place
            self._gave_way.append(
                f"Session {told.session_id}, read from {told.format}, gives way to {root}, "
                f"the same run read from {self._format}"
            )
        run.poorer.clear()
        return gone

    def left_over(self, session_id: str, state: SessionState) -> list[Event]:
        """What only a stream told of a session that it gave way to, in its place at the end."""
        path = self._completing.pop(session_id, None)
        told = [] if path is None else self._project.traces.read(path)[0]
        added = []
        for event in told:
            if event.event_id in state.event_ids or event.event_type is EventType.BOUNDARY:
                continue
            place = state.place(event.event_type, event.call_id, event.tool_name)
            extra = {key: value for key, value in event.extra.items() if key != "session"}
            moved = replace(
                event,
                seq=place.seq,
                step_index=place.step_index,
                trace_id=place.trace_id,
                extra=extra,
            )
            state.note(moved)
            added.append(moved)
        return added

    def _decide(self, root: str, agent: str, rank: int) -> _Run:
        base, suffix = self._base(root)
        mine = self._to_id(root)
        first = self._own.setdefault(base, mine)
        if first != mine:  # telemetry tells of a run in spans and once more in logs
            return _Run(holder=first)
        poorer = []
        for other in _ALL_SUFFIXES:
            told = self._told(self._to_id(base + other), agent)
            if told is None:
                continue
            if told.rank == 0 and self._format in _COMPLETING:
                return _Run()
            if told.rank < rank or (told.rank == rank and other != suffix):
                return _Run(holder=told.session_id)
            if told.rank > rank:
                poorer.append(told)
        used = next((told for told in poorer if self._is_used(told)), None)
        if used is not None:
            goes_on = rank == 0 and used.format in _COMPLETING
            return _Run(holder="" if goes_on else used.session_id)
        return _Run(poorer=[*poorer, *self._subagents(poorer)])

    def _base(self, root: str) -> tuple[str, str]:
        """The agent's own id of a run, and what this format put behind it."""
        for suffix in _SUFFIXES.get(self._format, ()):
            if root.endswith(suffix) and root != suffix:
                return root.removesuffix(suffix), suffix
        return root, ""

    def _told(self, session_id: str, agent: str) -> _Told | None:
        path = self._project.traces.find_source(session_id)
        about = self._about(path) if path is not None else {}
        name = str(about.get("format"))
        if path is None or name not in _RANK_OF or about.get("agent") != agent:
            return None
        return _Told(session_id=session_id, path=path, format=name, rank=_RANK_OF[name])

    def _about(self, path: Path) -> Mapping[str, JsonValue]:
        """What the first event of a session's file says of it."""
        event = first_event(path)
        about = event.extra.get("session") if event is not None else None
        return about if isinstance(about, Mapping) else {}

    def _is_used(self, told: _Told) -> bool:
        """Whether an experience rests on a session, or somebody said how it ended."""
        events = self._project.traces.read(told.path)[0]
        if any(event.native.type == _NOTED for event in events):
            return True
        entries, _ = self._project.ledger.read()
        states = fold(entries, self._project.trust.digests()).values()
        gone = (ReviewStatus.REJECTED, ReviewStatus.FORGOTTEN)
        return any(
            citation.session_id == told.session_id
            for state in states
            if state.status not in gone
            for citation in state.experience.content.citations
        )

    def _subagents(self, poorer: list[_Told]) -> Iterator[_Told]:
        if not poorer:
            return
        for file in self._project.traces.sessions():
            root, mark, _ = file.session_id.partition(_SUBAGENT)
            above = next((told for told in poorer if told.session_id == root), None)
            if above is None or above.format in _COMPLETING:  # its subagents are the same here
                continue
            if mark and self._about(file.path).get("format") == above.format:
                yield _Told(
                    session_id=file.session_id,
                    path=file.path,
                    format=above.format,
                    rank=above.rank,
                )
