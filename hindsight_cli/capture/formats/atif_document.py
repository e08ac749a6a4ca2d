"""An ATIF document taken apart member by member, its steps never all in memory."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from hindsight_cli.capture.formats.json_members import JsonCursor
from hindsight_cli.records.jsonvalue import JsonValue

STEPS = "steps"
SUBAGENTS = "subagent_trajectories"
_MAX_DEPTH = 20  # of subagents inside subagents
_MAX_REFS = 4096
_MAX_OPENING = 8


@dataclass(slots=True)
class Outline:
    """What is said of a trajectory anywhere in its document; found before its steps are read."""

    about: dict[str, JsonValue] = field(default_factory=dict)  # members that are no long lists
    refs: dict[str, str] = field(default_factory=dict)  # trajectory id: the call that it answers
    opening: list[JsonValue] = field(default_factory=list)  # what tells two runs apart
    subagents: list[Outline] = field(default_factory=list)

    def digest(self) -> str:
        told = json.dumps(self.opening, sort_keys=True)
        return hashlib.sha256(told.encode("utf-8", "replace")).hexdigest()[:12]


def members(cursor: JsonCursor) -> Iterator[str]:
    """The keys of the object that comes next, the cursor before the value of each.

    Whoever asks for the next key has taken the value.

    Raises:
        ValueError, RecursionError: as `JsonCursor.value`.
    """
    if not cursor.skip("{"):
        raise ValueError("no object")
    while not cursor.skip("}"):
        key = cursor.value()
        if not isinstance(key, str) or not cursor.skip(":"):
            raise ValueError("no member")
        yield key


def outline_of(cursor: JsonCursor, depth: int = 0) -> Outline:
    """The outline of the trajectory that comes next; of one that is cut off, what is there."""
    outline = Outline()
    try:
        for key in members(cursor):
            if key == STEPS and cursor.peek() == "[":
                for step in cursor.elements():
                    _note_step(outline, step)
            elif key == SUBAGENTS and cursor.peek() == "[" and depth < _MAX_DEPTH:
                cursor.skip("[")
                while not cursor.skip("]"):
                    if cursor.peek() == "{":
                        outline.subagents.append(outline_of(cursor, depth + 1))
                    else:
                        cursor.value()
                        outline.subagents.append(Outline())
            else:
                value = cursor.value()
                if key not in (STEPS, SUBAGENTS):
                    outline.about[key] = value
    except (ValueError, RecursionError):
        pass  # told where the steps are read
    return outline


def _note_step(outline: Outline, step: JsonValue) -> None:
    if not isinstance(step, dict):
        return
    spoken = any(isinstance(one, dict) and one.get("by") == "agent" for one in outline.opening)
    if not spoken and len(outline.opening) < _MAX_OPENING:
        outline.opening.append(
            {"by": step.get("source"), "at": step.get("timestamp"), "said": step.get("message")}
        )
    for result in results_of(step):
        call_id = result.get("source_call_id")
        for ref in refs_of(result):
            name = ref.get("trajectory_id")
            if isinstance(name, str) and isinstance(call_id, str) and len(outline.refs) < _MAX_REFS:
                outline.refs.setdefault(name, call_id)


def dicts_in(value: JsonValue) -> list[Mapping[str, JsonValue]]:
    """The objects in a list, other things passed over."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def results_of(step: Mapping[str, JsonValue]) -> list[Mapping[str, JsonValue]]:
    observation = step.get("observation")
    return dicts_in(observation.get("results")) if isinstance(observation, dict) else []


def refs_of(result: Mapping[str, JsonValue]) -> list[Mapping[str, JsonValue]]:
    """Subagents that a result refers to; up to version 1.3 one, not a list."""
    refs = result.get("subagent_trajectory_ref")
    return [refs] if isinstance(refs, dict) else dicts_in(refs)
