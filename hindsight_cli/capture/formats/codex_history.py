"""Whose record a line of a Codex rollout is: the session's own, or copied from another.

A fork and a subagent begin with the history of the session they come from, line by
line; that session has a file of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hindsight_cli.capture.draft import SessionInfo
from hindsight_cli.capture.formats.content import text_of, type_of
from hindsight_cli.capture.formats.jsonlines_reader import Record, read_json_lines
from hindsight_cli.records.jsonvalue import JsonValue

AGENT = "codex"
_ID_IN_NAME = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
# What the call that made a subagent answers in the subagent's copy of its parent's history.
_SPAWNED = "You are the newly spawned agent"
# A copy is written in one go; what the session itself does comes later.
_PAUSE = timedelta(milliseconds=250)
_ORDERED_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-")
_MAX_MODEL_LINES = 200
_TURN_STARTS = frozenset({"task_started", "turn_started"})
_TURN_ENDS = frozenset({"task_complete", "turn_complete", "turn_aborted"})


def starts_session(record: Mapping[str, JsonValue]) -> bool:
    """Whether a record without a type describes a session, as rollouts began in early 2025."""
    return (
        "type" not in record
        and isinstance(record.get("id"), str)
        and isinstance(record.get("timestamp"), str)
        and ("instructions" in record or "git" in record)
    )


class SessionTracker:
    """The session of each line. The first description in a file is the file's own.

    A later one of an older session heads a copy; one of a younger session means that
    two rollouts were joined into one file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._about: Mapping[str, JsonValue] | None = None
        self._copied = _Copy()
        named = _ID_IN_NAME.search(path.name)
        self.session = SessionInfo(session_id=named[0] if named else path.stem, agent=AGENT)
        self.is_new = False  # whether the last line began another session

    def note(self, line: int, record: Mapping[str, JsonValue]) -> bool:
        """Take a line into account; whether it is the session's own."""
        self.is_new = False
        payload = _payload(record)
        if type_of(record) == "session_meta" or starts_session(record):
            self._note_description(line, payload)
        elif self._about is not None and type_of(payload) in _TURN_STARTS:
            if not (self.session.closes or self._copied.has(line, record)):
                self.session = replace(self.session, closes=True)
        elif type_of(record) == "turn_context" and not self._copied.has(line, record):
            self.session = replace(
                self.session,
                model=_text(payload, "model") or self.session.model,
                cwd=_text(payload, "cwd") or self.session.cwd,
            )
        return not self._copied.has(line, record)

    def _note_description(self, line: int, about: Mapping[str, JsonValue]) -> None:
        if self._about is not None:
            mine, other = _when(self._about), _when(about)
            is_other = bool(_text(about, "id")) and _text(about, "id") != _text(self._about, "id")
            if not (is_other and mine and other and other > mine):
                return
            self.is_new = True
        self._about = about
        self._copied = _copied_after(self._path, line, about)
        parent = _parent_of(about)
        self.session = SessionInfo(
            session_id=_text(about, "id") or _text(about, "session_id") or self.session.session_id,
            agent=AGENT,
            agent_version=_text(about, "cli_version"),
            cwd=_text(about, "cwd"),
            model=self._copied.model,
            parent_session_id=parent,
            parent_call_id=self._copied.spawned_by if parent else None,
        )


def _payload(record: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    payload = record.get("payload")
    return payload if isinstance(payload, dict) else record


def _text(record: Mapping[str, JsonValue], key: str) -> str | None:
    value = record.get(key)
    return value if isinstance(value, str) and value else None


def _parent_of(about: Mapping[str, JsonValue]) -> str | None:
    """The session that a subagent works for; None for any other session."""
    source = about.get("source")
    subagent = source.get("subagent") if isinstance(source, dict) else None
    spawn = subagent.get("thread_spawn") if isinstance(subagent, dict) else None
    named = _text(spawn, "parent_thread_id") if isinstance(spawn, dict) else None
    if named or subagent is not None or _text(about, "thread_source") == "subagent":
        return named or _text(about, "parent_thread_id")
    return _text(about, "parent_thread_id")


def _when(record: Mapping[str, JsonValue]) -> datetime | None:
    try:
        found = datetime.fromisoformat(_text(record, "timestamp") or "")
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class _Copy:
    """Which lines of a file are copied, and what its first lines tell of the session."""

    first_line: int = 0  # the first of the session's own; earlier ones are copied
    first_ordinal: int | None = None  # the same, where lines are numbered
    spawned_by: str | None = None  # the parent's call
    model: str | None = None  # of the session's first turn

    def has(self, line: int, record: Mapping[str, JsonValue]) -> bool:
        ordinal = record.get("ordinal")
        if self.first_ordinal is not None and type(ordinal) is int:
            return bool(ordinal < self.first_ordinal)
        return line < self.first_line


def _copied_after(path: Path, line: int, about: Mapping[str, JsonValue]) -> _Copy:
    """What of the lines after a session's description is copied from another session."""
    ordinal = about.get("subagent_history_start_ordinal")
    if type(ordinal) is int:
        found = _Copy(first_ordinal=ordinal, spawned_by=_spawning_call(path, line, ordinal))
        return replace(found, model=_first_model(path, line, found))
    is_headed = _is_headed(path, line, about)
    found = _Copy()
    if is_headed or _parent_of(about) or _text(about, "forked_from_id"):
        found = _measured(path, line, about, is_headed=is_headed)
    return replace(found, model=_first_model(path, line, found))


def _is_headed(path: Path, line: int, about: Mapping[str, JsonValue]) -> bool:
    """Whether the description of another session follows at once."""
    _, first = next(_records(path, line), (0, {}))
    return type_of(first) == "session_meta" and _text(_payload(first), "id") != _text(about, "id")


def _records(path: Path, after: int) -> Iterator[tuple[int, Mapping[str, JsonValue]]]:
    for item in read_json_lines(path):
        if isinstance(item, Record) and item.line > after and isinstance(item.value, dict):
            yield item.line, item.value


def _spawning_call(path: Path, line: int, ordinal: int) -> str | None:
    """The last call of the copied history: it was running when the history was copied."""
    found = None
    for _, record in _records(path, line):
        number = record.get("ordinal")
        if type(number) is not int or number >= ordinal:
            break
        payload = _payload(record)
        if type_of(payload) == "function_call" and "spawn" in (_text(payload, "name") or ""):
            found = _text(payload, "call_id")
    return found


def _measured(path: Path, line: int, about: Mapping[str, JsonValue], *, is_headed: bool) -> _Copy:
    """A copy without numbers: told by its mark, by the ids of turns, else by its times."""
    marked, last, open_turns = None, line, list[int]()
    for number, record in _at_once(path, line, _when(about)):
        last, payload = number, _payload(record)
        kind = type_of(payload)
        if kind == "function_call_output" and text_of(payload.get("output")).startswith(_SPAWNED):
            marked = _Copy(first_line=number + 1, spawned_by=_text(payload, "call_id"))
        elif kind in _TURN_STARTS:
            open_turns.append(number)
        elif kind in _TURN_ENDS:
            open_turns.clear()
    if marked or not is_headed:
        return marked or _Copy()
    if own := _own_turn(path, line, _text(about, "id") or ""):
        return _Copy(first_line=own)
    # A parent's turn goes on while it makes a subagent; a forked history has ended.
    if len(open_turns) > (1 if _parent_of(about) else 0):
        return _Copy(first_line=open_turns[-1])
    return _Copy(first_line=last + 1)


def _own_turn(path: Path, line: int, session_id: str) -> int | None:
    """The line that begins the session's first turn, where ids grow with time.

    A copied turn is older than the session, and its id smaller than the session's.
    """
    if not _ORDERED_ID.match(session_id):
        return None
    for number, record in _records(path, line):
        turn_id = _text(_payload(record), "turn_id") or ""
        if _ORDERED_ID.match(turn_id) and turn_id > session_id:
            return number
    return None


def _at_once(
    path: Path, line: int, start: datetime | None
) -> Iterator[tuple[int, Mapping[str, JsonValue]]]:
    """The lines that were written without a pause, or before the session began."""
    previous = start
    for number, record in _records(path, line):
        written = _when(record)
        if not _is_at_once(written, previous, start):
            return
        previous = written or previous
        yield number, record


def _is_at_once(
    written: datetime | None, previous: datetime | None, start: datetime | None
) -> bool:
    """Whether a line was written in one go with the one before it, or before the session began."""
    if written is None or previous is None or start is None:
        return True
    return written <= max(start, previous + _PAUSE)


def _first_model(path: Path, line: int, copied: _Copy) -> str | None:
    """The model of the first turn, which is named only after the first events."""
    start = max(line, copied.first_line - 1)
    for number, record in _records(path, start):
        if type_of(record) == "turn_context" and not copied.has(number, record):
            return _text(_payload(record), "model")
        if number > start + _MAX_MODEL_LINES:
            break
    return None
