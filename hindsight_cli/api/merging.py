"""A session seen from several sides: its transcript, our hooks, the proxies of MCP servers.

The transcript is what is read; the others only fill what it left empty, call by call.
Nothing is counted twice, and what cannot be told apart stays as it is.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from hindsight_cli.api.project import Project
from hindsight_cli.errors import StorageError
from hindsight_cli.records.event import Event, EventType
from hindsight_cli.traces.files import HOOKS, BadLine

_CALLS = (EventType.TOOL_CALL, EventType.TOOL_RESULT)
_ALWAYS = ("timestamp", "duration_ms")
_OF_PROXIES = ("server", "status", "status_rule")
_NO_NAME = re.compile(r"[^A-Za-z0-9]+")
_IF_AGREED = ("exit_code", "error_type")  # of the same status: else the two saw different things


def read_merged(project: Project, path: Path) -> tuple[list[Event], list[BadLine]]:
    """The events of the file that a session is read from, what hooks and proxies know filled in.

    Raises:
        StorageError: the file cannot be read.
    """
    events, bad = project.traces.read(path)
    if not events or "." in path.stem:  # a file of another source is not completed
        return events, bad
    try:
        beside = project.traces.find_source(events[0].session_id, HOOKS)
        told = project.traces.read(beside)[0] if beside is not None else []
        proxies = project.traces.find_proxies(events[0].session_id)
        seen = [project.traces.read(proxy)[0] for proxy in proxies]
    except StorageError:  # a link in its place: the session itself can be read
        return events, bad
    return filled_by_proxies(filled(events, told), seen), bad


def filled(events: Sequence[Event], told: Sequence[Event]) -> list[Event]:
    """`events` with their empty fields taken from the events of `told` for the same call.

    By call id and type, where that names one event on each side: ids repeat. Pure.
    """
    ours = Counter(_key(event) for event in events)
    theirs = Counter(_key(event) for event in told)
    by_call = {_key(e): e for e in told if e.call_id and theirs[_key(e)] == 1}
    return [
        _filled(event, by_call[key]) if ours[key := _key(event)] == 1 and key in by_call else event
        for event in events
    ]


def filled_by_proxies(events: Sequence[Event], seen: Sequence[Sequence[Event]]) -> list[Event]:
    """`events` with their empty fields taken from what proxies saw of the same calls.

    `seen`: the events of each proxy's file. A call is the same by server, tool and equal
    arguments, the n-th here the n-th there; where one side has more of them than the other,
    or an id was ambiguous, all of those stay apart. Pure.
    """
    theirs = _calls_seen(seen)
    if not theirs:
        return list(events)
    ours: dict[str, list[Event]] = {}
    for event in events:
        if event.event_type is EventType.TOOL_CALL and (key := _call_key(event)) in theirs:
            ours.setdefault(key, []).append(event)
    calls: dict[int, Event] = {}
    results: dict[int, Event] = {}
    for key, mine in ours.items():
        others = theirs[key]
        if len(mine) != len(others) or any(c.extra.get("ambiguous_id") for c, _ in others):
            continue
        for event, (call, answer) in zip(mine, others, strict=True):
            calls[event.step_index] = call
            if answer is not None:
                results[event.step_index] = answer
    found = {EventType.TOOL_CALL: calls, EventType.TOOL_RESULT: results}
    matches = [found.get(event.event_type, {}).get(event.step_index) for event in events]
    return [
        event if other is None else _filled(event, other, _OF_PROXIES)
        for event, other in zip(events, matches, strict=True)
    ]


def _calls_seen(seen: Sequence[Sequence[Event]]) -> dict[str, list[tuple[Event, Event | None]]]:
    """Calls of proxies with their results, in order, by what they are."""
    found: dict[str, list[tuple[Event, Event | None]]] = {}
    for own in seen:
        results = {e.step_index: e for e in own if e.event_type is EventType.TOOL_RESULT}
        for call in own:
            if call.event_type is EventType.TOOL_CALL:
                pair = (call, results.get(call.step_index))
                found.setdefault(_call_key(call), []).append(pair)
    return found


def _call_key(call: Event) -> str:
    """Equal for one call as an agent and as a proxy tells of it.

    Agents name a tool of a server `mcp__server__tool`, `mcp_server_tool`, `server_tool`, or by
    both in two fields, and put `_` for what may not stand in a name.
    """
    name = call.tool_name or ""
    for prefix in ("mcp__", "mcp_"):
        if name.startswith(prefix):
            name = name[len(prefix) :]
            break
    else:
        if call.server and not name.startswith(call.server):
            name = f"{call.server}_{name}"
    given = json.dumps([call.input or {}, call.extra.get("input_ref")], sort_keys=True, default=str)
    return f"{_NO_NAME.sub('_', name)} {given}"


def _filled(event: Event, other: Event, also: Sequence[str] = ()) -> Event:
    names = (*_ALWAYS, *also, *(_IF_AGREED if event.status == other.status else ()))
    new = {
        name: value
        for name in names
        if getattr(event, name) is None and (value := getattr(other, name)) is not None
    }
    return replace(event, **new) if new else event


def _key(event: Event) -> tuple[EventType, str | None]:
    is_call = event.event_type in _CALLS and bool(event.call_id)
    return (event.event_type, event.call_id if is_call else None)
