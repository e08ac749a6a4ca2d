"""ATIF trajectories, the interchange format of Harbor: one JSON document a trajectory.

Schema versions 1.0 to 1.8. A step is one native record, numbered through the file;
subagents inside the document are sessions of their own. Files that a document names are
never opened. Source: docs/reference/native-formats.md.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from hindsight_cli.capture.draft import Draft, DraftEvent, Problem, SessionInfo
from hindsight_cli.capture.formats.atif_document import (
    STEPS,
    SUBAGENTS,
    Outline,
    dicts_in,
    members,
    outline_of,
)
from hindsight_cli.capture.formats.atif_own import own_of
from hindsight_cli.capture.formats.atif_steps import SOURCES, Conversation, events_of
from hindsight_cli.capture.formats.json_members import JsonCursor
from hindsight_cli.capture.formats.jsonlines_reader import excerpt_of, why_not_read
from hindsight_cli.records.event import Actor, EventType, Outcome
from hindsight_cli.records.interchange import SESSION_KEY, USAGE_KEY
from hindsight_cli.records.jsonvalue import JsonValue

# Not the run's own id: its transcript tells the same steps once more, and so may both of these.
_CONVERTED = "-atif"
_EXPORTED = "-export"
_NEAR_BYTES = 64 * 1024
_MEMBER = (
    rb"schema_version|session_id|trajectory_id|agent|steps|notes|final_metrics|extra"
    rb"|continued_trajectory_ref|subagent_trajectories"
)
_OPENING = re.compile(rb'\A[\s\[]*\{\s*"(?:' + _MEMBER + rb')"\s*:')
_VERSION = re.compile(rb'"schema_version"\s*:\s*"ATIF-v\d')
_STEP = re.compile(rb'"steps"\s*:\s*\[\s*\{[^{}]{0,2000}?"step_id"\s*:\s*\d')
_UNKNOWN = frozenset({"", "unknown"})


def recognizes(path: Path, head: bytes) -> bool:
    """Whether the file begins with a trajectory that names its version, or has numbered steps."""
    head = head.removeprefix(b"\xef\xbb\xbf")
    if not _OPENING.match(head[:_NEAR_BYTES]):
        return False
    return bool(_VERSION.search(head) or _STEP.search(head[:_NEAR_BYTES]))


def read(path: Path) -> Iterator[Draft | Problem]:
    """Every step of every trajectory in the file, in order; one step in memory at a time."""
    with path.open("rb") as file, path.open("rb") as ahead:
        records = _documents(JsonCursor(file), JsonCursor(ahead))
        for line, record in enumerate(records, start=1):
            yield replace(record, line=line)


def _documents(cursor: JsonCursor, ahead: JsonCursor) -> Iterator[Draft | Problem]:
    """The records of each trajectory: one, several a line, or several in a list."""
    cursor.skip("[")
    ahead.skip("[")
    while cursor.peek() not in ("", "]"):
        try:
            if cursor.peek() == "{":
                outline = outline_of(ahead)
                yield from _trajectory(cursor, outline, _root_session(outline))
            else:
                ahead.value()
                yield _no_object(cursor.value(), "a trajectory")
        except (ValueError, RecursionError) as error:
            yield Problem(line=1, reason=why_not_read(error), excerpt=cursor.excerpt())
            return


def _no_object(value: JsonValue, expected: str) -> Problem:
    excerpt = excerpt_of(json.dumps(value)[:400].encode())
    reason = f"a JSON {type(value).__name__} where {expected} was expected"
    return Problem(line=1, reason=reason, excerpt=excerpt)


def _trajectory(
    cursor: JsonCursor, outline: Outline, session: SessionInfo
) -> Iterator[Draft | Problem]:
    """The steps of the trajectory that comes next, then how it ended, subagents at their place.

    Raises:
        ValueError, RecursionError: the document breaks off.
    """
    conversation, position = Conversation(session), 0
    for key in members(cursor):
        if key == STEPS and cursor.peek() == "[":
            for step in cursor.elements():
                position += 1
                yield _record(step, position, conversation, outline)
        elif key == SUBAGENTS and cursor.peek() == "[":
            yield from _subagents(cursor, outline, session)
        else:
            cursor.value()
    for event in _endings(outline):
        kind = event.event_type.value
        yield Draft(session=session, line=1, native_type=kind, native_id=kind, events=(event,))


def _subagents(
    cursor: JsonCursor, outline: Outline, session: SessionInfo
) -> Iterator[Draft | Problem]:
    cursor.skip("[")
    known = iter(outline.subagents)
    while not cursor.skip("]"):
        inner = next(known, Outline())
        if cursor.peek() == "{":
            yield from _trajectory(cursor, inner, _sub_session(inner, outline, session))
        else:
            yield _no_object(cursor.value(), "a trajectory")


def _record(
    step: JsonValue, position: int, conversation: Conversation, outline: Outline
) -> Draft | Problem:
    if not isinstance(step, dict):
        return _no_object(step, "a step")
    source = step.get("source")
    if not isinstance(source, str):
        return Problem(line=1, reason="a step without a source", excerpt=_excerpt(step))
    known = source in SOURCES
    return Draft(
        session=conversation.session,
        line=1,
        native_type=source,
        native_id=_identity(step, position, outline),
        events=tuple(events_of(step, conversation)) if known else (),
        usage=_usage(step),
        known=known,
    )


def _excerpt(step: Mapping[str, JsonValue]) -> str:
    return excerpt_of(json.dumps(step, ensure_ascii=False)[:400].encode())


def _identity(step: Mapping[str, JsonValue], position: int, outline: Outline) -> str:
    """What a step is known by: its place, and what does not change while its calls are answered."""
    calls = [
        [call.get(key) for key in ("tool_call_id", "function_name", "arguments")]
        for call in dicts_in(step.get("tool_calls"))
    ]
    said = [step.get(key) for key in ("source", "timestamp", "message", "reasoning_content")]
    document = outline.about.get("trajectory_id")
    told = json.dumps([document, said, calls], sort_keys=True)
    return f"s{position}-{hashlib.sha256(told.encode('utf-8', 'replace')).hexdigest()[:12]}"


def _usage(step: Mapping[str, JsonValue]) -> Mapping[str, JsonValue] | None:
    """Tokens and cost of a step that is no copy."""
    own = own_of(step).get(USAGE_KEY)
    if isinstance(own, dict):
        return own
    metrics = step.get("metrics")
    if step.get("is_copied_context") is True or not isinstance(metrics, dict):
        return None
    more = metrics.get("extra")
    numbers = {**(more if isinstance(more, dict) else {}), **metrics}
    kept = {key: value for key, value in numbers.items() if type(value) in (int, float)}
    return kept or None


def _endings(outline: Outline) -> Iterator[DraftEvent]:
    """Where the trajectory goes on, and what a benchmark says of it."""
    further = outline.about.get("continued_trajectory_ref")
    if isinstance(further, str) and further:
        yield DraftEvent(
            event_type=EventType.END,
            actor=Actor.SYSTEM,
            extra={"end_state": "continued", "continued_in": further},
        )
    metrics = outline.about.get("final_metrics")
    for holder in (outline.about, metrics if isinstance(metrics, dict) else {}):
        about = holder.get("extra")
        outcome = outcome_of(about) if isinstance(about, dict) else None
        if outcome is not None:
            yield DraftEvent(event_type=EventType.OUTCOME, actor=Actor.SYSTEM, extra=outcome)
            return


def outcome_of(about: Mapping[str, JsonValue]) -> dict[str, JsonValue] | None:
    """An outcome out of a reward from 0 to 1, or out of whether the task was resolved."""
    reward, resolved = about.get("reward"), about.get("resolved")
    if isinstance(reward, int | float) and not isinstance(reward, bool):
        outcome = Outcome.PARTIAL
        if reward >= 1:
            outcome = Outcome.SUCCESS
        elif reward <= 0:
            outcome = Outcome.FAILURE
        return {"outcome": outcome.value, "source": "reward", "reward": reward}
    if isinstance(resolved, bool):
        outcome = Outcome.SUCCESS if resolved else Outcome.FAILURE
        return {"outcome": outcome.value, "source": "resolved"}
    return None


# sessions


def _root_session(outline: Outline) -> SessionInfo:
    named = _text(outline.about.get("session_id")) or _text(outline.about.get("trajectory_id"))
    is_own = bool(own_of(outline.about))
    if named is None or not (is_own or any(character.isdigit() for character in named)):
        # Converters that know no id write the agent's name, or "unknown", into every file.
        named = f"{named or _agent(outline)[0]}-{outline.digest()}"
    suffix = _EXPORTED if is_own else _CONVERTED
    return _session(named if named.endswith(suffix) else f"{named}{suffix}", outline)


def _sub_session(inner: Outline, outer: Outline, parent: SessionInfo) -> SessionInfo:
    """A subagent's session; session ids of subagents may be those of their parents."""
    name = _text(inner.about.get("trajectory_id")) or _text(inner.about.get("session_id"))
    session = _session(f"{parent.session_id}-agent-{name or inner.digest()}", inner)
    call_id = outer.refs.get(name or "")
    return replace(session, parent_session_id=parent.session_id, parent_call_id=call_id)


def _session(session_id: str, outline: Outline) -> SessionInfo:
    name, about = _agent(outline)
    kept = own_of(outline.about).get(SESSION_KEY)
    own = kept if isinstance(kept, dict) else {}
    version = _text(about.get("version"))
    closes = own.get("closes")
    return SessionInfo(
        session_id=session_id,
        agent=name,
        agent_version=None if version in _UNKNOWN else version,
        cwd=_text(own.get("cwd")) or _folder(about),
        model=_text(about.get("model_name")),
        one_task=True if own.get("one_task") is True else None,
        closes=closes if isinstance(closes, bool) else None,
    )


def _agent(outline: Outline) -> tuple[str, Mapping[str, JsonValue]]:
    about = outline.about.get("agent")
    about = about if isinstance(about, dict) else {}
    return _text(about.get("name")) or "atif", about


def _folder(agent: Mapping[str, JsonValue]) -> str | None:
    """The folder that the agent worked in; the first of several."""
    extra = agent.get("extra")
    told = extra if isinstance(extra, dict) else {}
    several = told.get("cwds")
    first = several[0] if isinstance(several, list) and several else None
    return _text(told.get("cwd")) or _text(told.get("working_directory")) or _text(first)


def _text(value: JsonValue) -> str | None:
    return value if isinstance(value, str) and value else None
