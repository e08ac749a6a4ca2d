"""SWE-agent trajectories: `*.traj` of all versions, and the data sets made of them.

A step of the agent, its action and what came of it, is one native record; the prompt
belongs to the first. The agent writes the whole file anew after every step. Source:
docs/reference/native-formats.md.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

from hindsight_cli.capture.draft import Draft, DraftEvent, Problem, SessionInfo
from hindsight_cli.capture.formats.json_members import JsonCursor
from hindsight_cli.capture.formats.jsonlines_reader import (
    Record,
    holds_lines,
    no_record,
    parse_json,
    read_json_lines,
    why_not_read,
)
from hindsight_cli.capture.formats.swe_agent_chat import (
    Message,
    Step,
    is_reply,
    is_step,
    step_of,
    steps_in,
)
from hindsight_cli.capture.formats.swe_agent_steps import (
    end_event,
    opening_events,
    outcome_event,
    step_events,
)
from hindsight_cli.records.jsonvalue import JsonValue

_AGENT = "swe-agent"
_NEAR_BYTES = 64 * 1024
_LISTS = ("trajectory", "history")
_MAX_OPENING = 400  # messages: a demonstration may be told one by one
_STEPS = re.compile(
    rb'"trajectory"\s*:\s*\[\s*\{\s*"(?:action|observation|response|thought|state)"\s*:'
    rb'|\A\{\s*"environment"\s*:\s*"[^"]{0,400}"\s*,\s*"(?:trajectory|history)"\s*:\s*\['
    rb'|\A\{\s*"trajectory"\s*:\s*\[\s*\]\s*,\s*"history"\s*:\s*\['
)
_HISTORY = re.compile(rb'\A\{\s*"history"\s*:\s*\[\s*\{')
_HISTORY_SIGN = re.compile(
    rb'"message_type"\s*:\s*"system_prompt"|"agent"\s*:\s*"(?:main|primary)"'
)
_ROWS = re.compile(rb'\A[\[\s]*\{[^\[\]]{0,2000}"trajectory"\s*:\s*\[\s*\{')
_ROW_SIGNS = (b'"instance_id"', b"(Current directory: ")


def recognizes(path: Path, head: bytes) -> bool:
    """Whether the file begins with an agent's steps, or a chat that its shell answers."""
    near = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:_NEAR_BYTES]
    if near[:1] not in (b"{", b"["):
        return False
    if _STEPS.search(near) or (_HISTORY.match(near) and _HISTORY_SIGN.search(near)):
        return True
    return bool(_ROWS.match(near)) and all(sign in near for sign in _ROW_SIGNS)


@dataclass(slots=True)
class _About:
    """What a document says beside its steps, gathered before they are told."""

    members: dict[str, JsonValue] = field(default_factory=dict)
    opening: list[Message] = field(default_factory=list)
    key: str = ""  # the list that holds the steps
    attempts: int = 0  # runs of their own, one of which stands beside them as well
    first: JsonValue = None
    all_steps: str = ""  # a digest of every step, for files that tell no times


def read(path: Path) -> Iterator[Draft | Problem]:
    """Every step of every run in the file, in order; of one big run one step in memory."""
    line = 0
    for records in _runs(path):
        for record in records:
            line += 1
            yield replace(record, line=line)


def _runs(path: Path) -> Iterator[Iterator[Draft | Problem]]:
    if holds_lines(path):
        for line in read_json_lines(path):
            yield _row(line.value if isinstance(line, Record) else line)
        return
    with path.open("rb") as file:
        cursor = JsonCursor(file)
        if cursor.peek() == "[":
            yield from map(_row, _elements(cursor))
            return
        about, broken = _survey(_members(cursor)) if cursor.peek() else (None, None)
    if about is None:
        return
    if about.attempts:
        yield from map(_row, _streamed(path, "attempts"))
    else:
        yield _records(about, lambda: _streamed(path, about.key), broken)


def _elements(cursor: JsonCursor) -> Iterator[JsonValue | Problem]:
    try:
        yield from cursor.elements()
    except (ValueError, RecursionError) as error:
        yield _cut(cursor, error)


def _cut(cursor: JsonCursor, error: Exception) -> Problem:
    return Problem(line=1, reason=why_not_read(error), excerpt=cursor.excerpt())


def _row(value: JsonValue | Problem) -> Iterator[Draft | Problem]:
    """The records of a run that is in memory as a whole."""
    if isinstance(value, Problem):
        return iter([value])
    if not isinstance(value, dict):
        return iter([no_record(1, value)])
    attempts = value.get("attempts")
    if isinstance(attempts, list):
        return chain.from_iterable(map(_row, attempts))

    def members() -> Iterator[tuple[str, Iterator[JsonValue] | JsonValue]]:
        for key, inner in value.items():
            yield key, iter(inner) if key in _LISTS and isinstance(inner, list) else inner

    about, _ = _survey(members())
    found = value.get(about.key)
    steps: list[JsonValue | Problem] = list(found) if isinstance(found, list) else []
    return _records(about, lambda: iter(steps), None)


Members = Iterator[tuple[str, "Iterator[JsonValue] | JsonValue"]]


def _members(cursor: JsonCursor) -> Members:
    """The members of the object that comes next, long lists as iterators.

    Raises:
        ValueError, RecursionError: what follows is not JSON, or cut off.
    """
    if not cursor.skip("{"):
        raise ValueError("no object")
    while not cursor.skip("}"):
        key = cursor.value()
        if not isinstance(key, str) or not cursor.skip(":"):
            raise ValueError("no member")
        if key in (*_LISTS, "attempts") and cursor.peek() == "[":
            yield key, cursor.elements()
        else:
            yield key, cursor.value()


def _survey(members: Members) -> tuple[_About, Problem | None]:
    """Everything that must be known before the first step can be told."""
    about, seen = _About(), {key: hashlib.sha256() for key in _LISTS}
    counts, firsts = dict.fromkeys(_LISTS, 0), dict[str, JsonValue]()
    steps, broken = False, None
    try:
        for key, value in members:
            if not isinstance(value, Iterator):
                about.members[key] = value
                continue
            if key == "attempts":
                about.attempts = sum(1 for _ in value)
                continue
            opening: list[Message] = []
            for element in value:
                lean = _lean(element)
                if is_step(element) or is_reply(element):
                    firsts.setdefault(key, lean)
                    steps = steps or (key == "trajectory" and is_step(element))
                elif key not in firsts and isinstance(element, dict):
                    opening += [element] if len(opening) < _MAX_OPENING else []
                counts[key] += 1
                seen[key].update(_digest(lean).encode())
            about.opening = opening or about.opening
    except (ValueError, RecursionError) as error:
        broken = Problem(line=1, reason=why_not_read(error))
    has_chat = counts["trajectory"] and not steps
    about.key = "trajectory" if steps or has_chat or not counts["history"] else "history"
    about.first = firsts.get(about.key)
    about.all_steps = seen[about.key].hexdigest()
    return about, broken


def _lean(element: JsonValue) -> JsonValue:
    """A step without the whole prompt that newer versions repeat in each."""
    if not isinstance(element, dict):
        return element
    return {k: v for k, v in element.items() if k not in ("query", "messages")}


def _streamed(path: Path, wanted: str) -> Iterator[JsonValue | Problem]:
    with path.open("rb") as file:
        cursor = JsonCursor(file)
        try:
            for key, value in _members(cursor):
                if isinstance(value, Iterator):
                    for element in value:
                        if key == wanted:
                            yield element
                    if key == wanted:
                        return
        except (ValueError, RecursionError) as error:
            yield _cut(cursor, error)


def _records(
    about: _About, values: Callable[[], Iterator[JsonValue | Problem]], broken: Problem | None
) -> Iterator[Draft | Problem]:
    """One draft a step, made when it is known what follows it."""
    session = _session(about)
    prompt = tuple(opening_events(about.opening))
    closing = _closing(about)
    position, held = 0, None
    for step in chain(_steps(about, values()), [None]):
        if isinstance(held, Step):
            following = step if isinstance(step, Step) else None
            events = step_events(
                held, following, submitted=_submits(about, held, last=step is None)
            )
            ending = closing if step is None else ()
            yield _draft(session, position, held, (*prompt, *events, *ending))
            position, prompt = position + 1, ()
        held = step
        if step is not None and not isinstance(step, Step):
            yield step if isinstance(step, Problem) else no_record(1, step)
    if prompt:
        yield _draft(session, 0, Step(raw="prompt"), (*prompt, *closing))
    if broken is not None and broken.reason.endswith("no object"):
        yield broken


def _steps(
    about: _About, values: Iterator[JsonValue | Problem]
) -> Iterator[Step | Problem | JsonValue]:
    if is_step(about.first):
        for value in values:
            yield step_of(value) if isinstance(value, dict) else value
        return
    rest = iter(values)
    for value in rest:
        if is_reply(value) or not isinstance(value, dict):
            yield from steps_in(chain([value], rest))


def _submits(about: _About, step: Step, *, last: bool) -> bool:
    status = _exit_status(about)
    return last and status == "submitted" and bool(step.action.strip() or step.call)


def _exit_status(about: _About) -> str:
    info = about.members.get("info")
    status = info.get("exit_status") if isinstance(info, dict) else None
    status = status or about.members.get("exit_status")
    return status if isinstance(status, str) else ""


def _closing(about: _About) -> tuple[DraftEvent, ...]:
    info = about.members.get("info")
    stats = info.get("model_stats") if isinstance(info, dict) else None
    status, outcome = _exit_status(about), outcome_event(about.members)
    end = (end_event(status, stats),) if status else ()
    return (*((outcome,) if outcome else ()), *end)


def _draft(
    session: SessionInfo, position: int, step: Step, events: tuple[DraftEvent, ...]
) -> Draft:
    known = bool(events) or not isinstance(step.raw, dict) or is_step(step.raw)
    return Draft(
        session=session,
        line=1,
        native_type="step" if known else "(no action)",
        native_id=f"s{position}-{_digest(step.raw)[:8]}",
        events=events,
        known=known,
    )


def _session(about: _About) -> SessionInfo:
    members = about.members
    info = members.get("info")
    version = info.get("swe_agent_version") if isinstance(info, dict) else None
    timed = isinstance(about.first, dict) and "execution_time" in about.first
    named = [members.get(key) for key in ("environment", "instance_id", "model_name")]
    steps: JsonValue = about.first if timed else about.all_steps
    identity = _digest([named, [dict(message) for message in about.opening], steps])
    first = step_of(about.first) if isinstance(about.first, dict) else Step()
    return SessionInfo(
        session_id=f"{_AGENT}-{identity[:16]}",
        agent=_AGENT,
        agent_version=version if isinstance(version, str) else None,
        cwd=first.cwd,
        model=_model(members),
        closes=True if "info" in members or "exit_status" in members else None,
    )


def _model(members: Mapping[str, JsonValue]) -> str | None:
    named, config = members.get("model_name"), members.get("replay_config")
    if isinstance(config, str):
        try:
            config = parse_json(config)
        except (ValueError, RecursionError):
            config = None
    for key in ("agent", "model", "name"):
        config = config.get(key) if isinstance(config, dict) else None
    found = named or config
    return found if isinstance(found, str) else None


def _digest(value: JsonValue) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
