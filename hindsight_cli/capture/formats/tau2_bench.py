"""tau2-bench results: `simulations` in one file, or a file each beside `results.json`.

A message, or a tick of a simulation by voice, is one native record; what is said of
the simulation goes to its last. Source: docs/reference/native-formats.md.
"""

from __future__ import annotations

import codecs
import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from hindsight_cli.capture.draft import Draft, Problem, SessionInfo
from hindsight_cli.capture.formats.json_members import JsonCursor
from hindsight_cli.capture.formats.jsonlines_reader import (
    Record,
    holds_lines,
    no_record,
    parse_json,
    read_json_lines,
    why_not_read,
)
from hindsight_cli.capture.formats.tau2_events import (
    ROLES,
    Members,
    Simulation,
    closing_events,
    is_tick,
    mapping,
    string,
    usage_of,
)
from hindsight_cli.records.jsonvalue import JsonValue

_AGENT = "tau2-bench"
_NEAR_BYTES = 64 * 1024
_LISTS = ("messages", "ticks")
_MAX_RESULTS_BYTES = 16 * 1024 * 1024
_RESULTS = re.compile(rb'\A\{(?:[^{}]{0,2000},)?\s*"info"\s*:\s*\{')
_RESULTS_SIGN = re.compile(rb'"num_trials"\s*:\s*\d')
_SIMULATIONS = re.compile(rb'\A\{\s*"simulations"\s*:\s*\[\s*\{')
_RUN = re.compile(rb'\A[\[\s]*\{\s*"(?:id|task_id|timestamp)"\s*:')
_RUN_SIGNS = (
    re.compile(rb'"task_id"\s*:'),
    re.compile(rb'"termination_reason"\s*:\s*"'),
    re.compile(rb'"(?:duration|trial|reward_info|ticks|start_time)"\s*:'),
)


def recognizes(path: Path, head: bytes) -> bool:
    """Whether the file begins as an experiment's results, or as one simulation."""
    near = head.removeprefix(codecs.BOM_UTF8).lstrip()[:_NEAR_BYTES]
    if _RESULTS.match(near) and _RESULTS_SIGN.search(near):
        return True
    if not (_RUN.match(near) or _SIMULATIONS.match(near)):
        return False
    return all(sign.search(near) for sign in _RUN_SIGNS)


def read(path: Path) -> Iterator[Draft | Problem]:
    """Every message of every simulation in the file, in order; one simulation in memory."""
    records = _lines(path) if holds_lines(path) else _whole(path)
    for line, record in enumerate(records, start=1):
        yield replace(record, line=max(line, record.line))


def _lines(path: Path) -> Iterator[Draft | Problem]:
    for line in read_json_lines(path):
        if isinstance(line, Record):
            yield from _in_memory(line.value, {})
        else:
            yield line


def _whole(path: Path) -> Iterator[Draft | Problem]:
    with path.open("rb") as file:
        yield from _documents(JsonCursor(file), path)


def _documents(cursor: JsonCursor, path: Path) -> Iterator[Draft | Problem]:
    try:
        if cursor.peek() == "[":
            for value in cursor.elements():
                yield from _in_memory(value, {})
            return
        if cursor.peek():
            yield from _document(cursor, path)
    except (ValueError, RecursionError) as error:
        yield Problem(line=1, reason=why_not_read(error), excerpt=cursor.excerpt())


def _document(cursor: JsonCursor, path: Path) -> Iterator[Draft | Problem]:
    """One object: an experiment with its simulations, or one simulation.

    Raises:
        ValueError, RecursionError: what follows is not JSON, or cut off.
    """
    about: dict[str, JsonValue] = {}
    run: _Run | None = None
    has_runs = False
    if not cursor.skip("{"):
        raise ValueError("no object")
    while not cursor.skip("}"):
        key = cursor.value()
        if not isinstance(key, str) or not cursor.skip(":"):
            raise ValueError("no member")
        is_list = cursor.peek() == "["
        if key == "simulations" and is_list:
            has_runs = True
            for value in cursor.elements():
                yield from _in_memory(value, mapping(about.get("info")))
        elif key in _LISTS and is_list and string(about, "id"):
            run = run or _Run(about, _info_beside(path))
            yield from run.records(cursor.elements())
        else:
            about[key] = cursor.value()
    if run is not None:
        yield from run.last()
    elif not has_runs:
        info = mapping(about.get("info"))
        yield from _in_memory(about, {} if "task_id" not in about else info)


def _in_memory(value: JsonValue, info: Members) -> Iterator[Draft | Problem]:
    if not isinstance(value, dict):
        yield no_record(1, value)
        return
    run = _Run(value, info)
    for key in _LISTS:
        listed = value.get(key)
        if isinstance(listed, list):
            yield from run.records(iter(listed))
    yield from run.last()


def _info_beside(path: Path) -> Members:
    """What `results.json` says of the experiment that a simulation's own file belongs to."""
    beside = path.parent.parent / "results.json"
    try:
        if path.parent.name != "simulations" or beside.stat().st_size > _MAX_RESULTS_BYTES:
            return {}
        return mapping(mapping(parse_json(beside.read_bytes())).get("info"))
    except (OSError, ValueError, RecursionError):
        return {}


class _Run:
    """One simulation. `about` may still grow until `last` is asked for."""

    def __init__(self, about: Members, info: Members) -> None:
        self._about = about
        self._session = _session(about, info)
        self._simulation = Simulation()
        self._position = 0
        self._held: Draft | Problem | None = None

    def records(self, values: Iterator[JsonValue]) -> Iterator[Draft | Problem]:
        try:
            for value in values:
                if self._held is not None:
                    yield self._held
                self._held = self._record(value)
                self._position += 1
        except (ValueError, RecursionError):  # the file is cut off: there is no last record
            if self._held is not None:
                yield self._held
            raise

    def last(self) -> Iterator[Draft | Problem]:
        """The last record, with what is said of the simulation as a whole."""
        if isinstance(self._held, Problem):
            yield self._held
            self._held = None
        closing = (*self._simulation.rest(None), *closing_events(self._about))
        kind = "simulation" if "task_id" in self._about else "results"
        held = self._held or Draft(session=self._session, line=1, native_type=kind, native_id=kind)
        yield replace(held, events=(*held.events, *closing))

    def _record(self, value: JsonValue) -> Draft | Problem:
        if not isinstance(value, dict):
            return no_record(1, value)
        role = string(value, "role")
        known = is_tick(value) or role in ROLES
        events = self._simulation.tick(value) if is_tick(value) else self._simulation.message(value)
        said = [value.get(key) for key in ("role", "content", "tool_calls", "tick_id", "id")]
        return Draft(
            session=self._session,
            line=1,
            native_type="tick" if is_tick(value) else role or "(no role)",
            native_id=f"m{self._position}-{_digest(said)[:8]}",
            events=tuple(events) if known else (),
            usage=usage_of(value),
            known=known,
        )


def _session(about: Members, info: Members) -> SessionInfo:
    named = string(about, "id")
    keys = ("task_id", "trial", "seed", "timestamp", "start_time", "messages", "info", "tasks")
    agent = mapping(info.get("agent_info"))
    model = string(agent, "llm") or string(about, "model")
    return SessionInfo(
        session_id=named or f"{_AGENT}-{_digest([about.get(key) for key in keys])[:16]}",
        agent=_AGENT,
        model=model or None,
        closes=True,
    )


def _digest(value: JsonValue) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
