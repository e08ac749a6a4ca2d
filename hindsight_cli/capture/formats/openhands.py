"""OpenHands event lists: exported trajectories, `output.jsonl` of evaluations, event folders.

An event of the stream is one native record; both generations are read, V0 with `action`
and `observation`, the SDK's with `kind`. Source: docs/reference/native-formats.md.
"""

from __future__ import annotations

import codecs
import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path

from hindsight_cli.capture.draft import Draft, DraftEvent, Problem, SessionInfo
from hindsight_cli.capture.formats.json_members import JsonCursor
from hindsight_cli.capture.formats.jsonlines_reader import (
    Record,
    no_record,
    parse_json,
    read_json_lines,
    why_not_read,
)
from hindsight_cli.capture.formats.openhands_events import events_of, is_event, type_of_event
from hindsight_cli.capture.formats.openhands_results import Members, mapping, string
from hindsight_cli.capture.formats.openhands_sdk import is_sdk_event, sdk_events
from hindsight_cli.capture.formats.openhands_stream import Stream
from hindsight_cli.records.event import Actor, EventType, Outcome
from hindsight_cli.records.jsonvalue import JsonValue

_AGENT = "openhands"
_LISTS = ("history", "trajectory", "events")
_NEAR_BYTES = 1024 * 1024
_MAX_OPENING = 40
_SOURCE = rb'"source"\s*:\s*"(?:agent|user|environment|hook)"'
_BEGINNING = re.compile(
    rb'\A[\[\s]*\{\s*"(?:id|timestamp|source|action|observation|message|kind|cause)"\s*:'
    rb'|\A\{\s*"(?:trajectory|events|history)"\s*:\s*\['
)
_FIRST_EVENT = re.compile(rb'"history"\s*:\s*\[\s*(?:\[\s*)?\{(.{0,400000})', re.DOTALL)
_V0 = re.compile(rb'"(?:action|observation)"\s*:\s*"[a-z_]+"')
_V0_BODY = re.compile(rb'"(?:args|extras)"\s*:\s*\{')
_SDK = re.compile(
    rb'"kind"\s*:\s*"(?:\w+Event|UserRejectObservation|Condensation\w*)"',
)
_SDK_BODY = re.compile(rb'"(?:llm_message|system_prompt|tool_call_id|key|summary)"\s*:')
_NUMBER = re.compile(r"(?:event-)?(\d+)(?:-.*)?")
_LIMIT = re.compile(r"maximum iteration|max(?:imum)? budget|iteration limit", re.IGNORECASE)


def recognizes(path: Path, head: bytes) -> bool:
    """Whether the file holds events with a source, alone, in a list, or in an evaluation's row."""
    head = head.removeprefix(codecs.BOM_UTF8).lstrip()
    if path.parent.name == "event_cache":  # the same events again, a page a file
        return False
    near = head[:_NEAR_BYTES]
    if not _BEGINNING.match(near):
        row = head.startswith((b"{", b"[")) and b'"instance_id"' in near
        found = _FIRST_EVENT.search(head) if row else None
        if found is None:
            return False
        near = found[1]
    if not re.search(_SOURCE, near):
        return False
    v0 = _V0.search(near) and _V0_BODY.search(near)
    return bool(v0 or (_SDK.search(near) and _SDK_BODY.search(near)))


def read(path: Path) -> Iterator[Draft | Problem]:
    """Every event of every run in the file, in order.

    Of a folder with a file an event, the first file gives all of them and the others
    none: they have to be read in the order of their numbers.
    """
    siblings = _siblings(path)
    if siblings and siblings[0] != path:
        yield _elsewhere(path)
        return
    line = 0
    runs = _folder(siblings) if siblings else _runs(path)
    for about, events in runs:
        for record in _records(about, events):
            line += 1
            yield replace(record, line=max(line, record.line))


def _siblings(path: Path) -> list[Path]:
    """The event files of the conversation that a file belongs to, in order; [] for others."""
    if path.parent.name != "events" or not _NUMBER.fullmatch(path.stem):
        return []
    found = [
        (int(match[1]), other)
        for other in path.parent.glob("*.json")
        if (match := _NUMBER.fullmatch(other.stem)) and len(match[1]) < 16  # noqa: PLR2004
    ]
    return [other for _, other in sorted(found)]


def _elsewhere(path: Path) -> Draft:
    session = SessionInfo(session_id=path.parent.parent.name, agent=_AGENT)
    return Draft(session=session, line=1, native_type="event", native_id=f"file-{path.stem}")


Run = tuple[dict[str, JsonValue], "Iterator[JsonValue | Problem]"]


def _folder(paths: list[Path]) -> Iterator[Run]:
    def events() -> Iterator[JsonValue | Problem]:
        for path in paths:
            try:
                yield parse_json(path.read_bytes().removeprefix(codecs.BOM_UTF8))
            except (OSError, ValueError, RecursionError) as error:
                yield Problem(line=1, reason=f"{path.name}: {why_not_read(error)}")

    folder = paths[0].parent.parent
    about: dict[str, JsonValue] = {"session": folder.name}
    try:
        state = mapping(parse_json((folder / "base_state.json").read_bytes()))
    except (OSError, ValueError, RecursionError):
        state = {}
    about["model"] = mapping(mapping(state.get("agent")).get("llm")).get("model")
    about["cwd"] = mapping(state.get("workspace")).get("working_dir")
    yield about, events()


def _runs(path: Path) -> Iterator[Run]:
    """The runs of a file: one of bare events, and one for each row that holds a list."""
    with path.open("rb") as file:
        head = file.read(_NEAR_BYTES).removeprefix(codecs.BOM_UTF8).lstrip()
    first = head.split(b"\n", 1)[0]
    if head.startswith(b"[") or (head.startswith(b"{") and not _is_whole(first, head)):
        with path.open("rb") as file:
            cursor = JsonCursor(file)
            if cursor.peek() == "[":
                yield from _among(_elements(cursor))
            else:
                about: dict[str, JsonValue] = {}
                yield about, _streamed(cursor, about)
        return
    values = (r.value if isinstance(r, Record) else r for r in read_json_lines(path))
    yield from _among(values)


def _is_whole(first: bytes, head: bytes) -> bool:
    """Whether the first line is a document of its own, or too long to tell."""
    if len(first) == len(head):
        return not (head.startswith(b"{") and _BEGINNING.match(head))
    try:
        parse_json(first)
    except (ValueError, RecursionError):
        return False
    return True


def _elements(cursor: JsonCursor) -> Iterator[JsonValue | Problem]:
    try:
        yield from cursor.elements()
    except (ValueError, RecursionError) as error:
        yield _cut(cursor, error)


def _cut(cursor: JsonCursor, error: Exception) -> Problem:
    return Problem(line=1, reason=why_not_read(error), excerpt=cursor.excerpt())


def _streamed(cursor: JsonCursor, about: dict[str, JsonValue]) -> Iterator[JsonValue | Problem]:
    """The events of the object at the cursor; what stands beside them goes to `about`."""
    try:
        if not cursor.skip("{"):
            raise ValueError("no object")
        while not cursor.skip("}"):
            key = cursor.value()
            if not isinstance(key, str) or not cursor.skip(":"):
                raise ValueError("no member")
            if key in _LISTS and cursor.peek() == "[":
                yield from cursor.elements()
            else:
                about[key] = cursor.value()
        if is_event(about) or is_sdk_event(about):
            yield dict(about)
    except (ValueError, RecursionError) as error:
        yield _cut(cursor, error)


def _among(values: Iterator[JsonValue | Problem]) -> Iterator[Run]:
    """Bare events are one run; a row with a list of events is one of its own."""
    for value in values:
        row = mapping(value) if not isinstance(value, Problem) else {}
        key = next((key for key in _LISTS if isinstance(row.get(key), list)), None)
        if key is None:
            yield {}, chain([value], values)
            return
        events = row[key]
        yield (
            {k: v for k, v in row.items() if k != key},
            iter(events if isinstance(events, list) else []),
        )


def _flat(events: Iterator[JsonValue | Problem]) -> Iterator[JsonValue | Problem]:
    """The oldest files pair an action with its observation."""
    for event in events:
        if isinstance(event, list):
            yield from event
        else:
            yield event


def _records(
    about: dict[str, JsonValue], events: Iterator[JsonValue | Problem]
) -> Iterator[Draft | Problem]:
    events = _flat(events)
    opening: list[JsonValue | Problem] = []
    for event in events:
        opening.append(event)
        if (isinstance(event, dict) and _model_of(event)) or len(opening) >= _MAX_OPENING:
            break
    session, stream = _session(about, opening), Stream()
    held: Draft | Problem | None = None
    for position, event in enumerate(chain(opening, events)):
        if held is not None:
            yield held
        held = _record(event, position, session, stream)
    if isinstance(held, Draft):
        held = replace(held, events=(*held.events, *_closing(about, stream)))
    if held is not None:
        yield held


def _record(
    event: JsonValue | Problem, position: int, session: SessionInfo, stream: Stream
) -> Draft | Problem:
    if isinstance(event, Problem):
        return event
    if not isinstance(event, dict):
        return no_record(1, event)
    sdk = is_sdk_event(event)
    known = events = None
    if sdk:
        events = sdk_events(event, stream)
    elif is_event(event):
        events = events_of(event, stream)
    known = events is not None
    name = string(event, "kind") if sdk else type_of_event(event) if is_event(event) else ""
    given = event.get("id")
    is_id = isinstance(given, str | int) and not isinstance(given, bool) and given != ""
    return Draft(
        session=session,
        line=1,
        native_type=name or "(no type)",
        native_id=f"e{given}" if is_id else f"p{position}-{_digest(event)[:8]}",
        events=tuple(events) if events is not None else (),
        usage=_usage(event, stream),
        known=known,
    )


def _usage(event: Members, stream: Stream) -> Mapping[str, JsonValue] | None:
    """Tokens of the reply that a call belongs to, once however many calls it made."""
    if not isinstance(event.get("action"), str):
        return None
    response = mapping(mapping(event.get("tool_call_metadata")).get("model_response"))
    usage = mapping(response.get("usage"))
    kept = {k: v for k, v in usage.items() if type(v) in (int, float)}
    return kept if kept and stream.is_new_reply(string(response, "id")) else None


def _model_of(event: Members) -> str:
    return string(mapping(mapping(event.get("tool_call_metadata")).get("model_response")), "model")


def _session(about: Members, opening: list[JsonValue | Problem]) -> SessionInfo:
    events = [event for event in opening if isinstance(event, dict)]
    first = events[0] if events else {}
    stamps: list[JsonValue] = [first.get(key) for key in ("id", "timestamp", "source", "message")]
    instance, attempt = about.get("instance_id"), about.get("attempt")
    known: list[JsonValue] = stamps if first.get("timestamp") else [dict(e) for e in events]
    named = about.get("session")
    config = mapping(about.get("metadata"))
    config = mapping(config.get("llm_config")) or mapping(config.get("llm"))
    model = about.get("model") or config.get("model")
    model = model or next((found for event in events if (found := _model_of(event))), None)
    version = next(
        (v for e in events if (v := mapping(e.get("args")).get("openhands_version"))), None
    )
    cwd = about.get("cwd")
    identity = f"{_AGENT}-{_digest([instance, attempt, *known])[:16]}"
    return SessionInfo(
        session_id=named if isinstance(named, str) and named else identity,
        agent=_AGENT,
        agent_version=version if isinstance(version, str) else None,
        cwd=cwd if isinstance(cwd, str) and cwd else None,
        model=model if isinstance(model, str) else None,
    )


def _closing(about: Members, stream: Stream) -> Iterator[DraftEvent]:
    """What an evaluation says of the run: whether it was resolved, and what stopped it."""
    report = mapping(about.get("report")) or mapping(
        mapping(about.get("test_result")).get("report")
    )
    resolved = report.get("resolved", about.get("resolved"))
    if isinstance(resolved, bool):
        outcome = Outcome.SUCCESS if resolved else Outcome.FAILURE
        extra: dict[str, JsonValue] = {"outcome": outcome.value, "source": "resolved"}
        yield DraftEvent(event_type=EventType.OUTCOME, actor=Actor.SYSTEM, extra=extra)
    error = about.get("error")
    if isinstance(error, str) and error:
        state = "limits exceeded" if _LIMIT.search(error) else "crashed"
        yield from stream.end({}, state, {"detail": error[:2_000]})


def _digest(value: JsonValue) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
