"""A model's reply read into a closed schema: JSON out of thoughts, fences and prose. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from hindsight_cli.records.attribution import InvalidStep
from hindsight_cli.records.event import Outcome
from hindsight_cli.records.jsonvalue import JsonValue

MAX_REPLY_CHARS = 400_000
_MAX_ATTEMPTS = 2_000  # places where an object may begin
_OPEN_THOUGHT = re.compile(r"<(think|thinking|thought|reasoning|reflection)>", re.I)
_CLOSED_THOUGHT = re.compile(r"</(?:think|thinking|thought|reasoning|reflection)>", re.I)
_TOP_LEVEL = frozenset({"task_status", "key_steps", "invalid_steps", "experiences", "verdicts"})
_VERDICTS = frozenset({"verified", "contradicted"})
_TEXTS = ("kind", "scenario", "recommend", "avoid", "why", "layer")
_MAX_COMMAS = 50  # after which nothing follows, in one reply
_COMMA_CHARS = 200  # between such a comma and what closes there
_CLOSING_AFTER_COMMA = re.compile(r",\s*[\]}]")
_ARGUMENTS = ("arguments", "parameters", "input")
_LISTS = ("cites", "tool_tags", "task_tags")


class UnusableReply(ValueError):
    """No answer in it; the message says why in words for a person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StaleVerdict:
    """What the trace says about an experience that was handed in."""

    experience_id: str
    verdict: str  # verified | contradicted


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAnswer:
    """One model's answer. `experiences` are untrusted objects, for the guard to judge."""

    task_status: Outcome
    key_steps: tuple[int, ...] = ()
    invalid_steps: tuple[InvalidStep, ...] = ()
    experiences: tuple[Mapping[str, JsonValue], ...] = ()
    verdicts: tuple[StaleVerdict, ...] = ()
    problems: tuple[str, ...] = ()  # about single experiences; the rest of the answer stands


def parse_reply(text: str) -> ModelAnswer:
    """The answer in a reply: the last complete JSON object that fits the schema.

    Thoughts in tags are skipped, also when the opening tag was swallowed; objects may
    stand in code fences or between prose.

    Raises:
        UnusableReply: empty, truncated, no object, or none that fits.
    """
    if not text.strip():
        raise UnusableReply("the reply is empty")
    if len(text) > MAX_REPLY_CHARS:
        raise UnusableReply(f"the reply is longer than {MAX_REPLY_CHARS:,} characters")
    scan = _scan(text)
    reason = scan.reason
    for candidate in reversed(scan.objects):
        try:
            return _answer(_called_with(candidate))
        except UnusableReply as error:
            is_piece = scan.broken and "task_status" not in candidate
            reason = reason if scan.truncated or is_piece else str(error)
    raise UnusableReply(reason)


@dataclass(slots=True)
class _Scan:
    objects: list[dict[str, Any]]
    reason: str = "there is no JSON object in it"
    truncated: bool = False
    broken: bool = False  # some object cannot be read: those found later may be its pieces
    commas: int = _MAX_COMMAS  # that may still be passed over: each costs a reading


def _scan(text: str) -> _Scan:
    """Every complete object outside thoughts, in order; objects are stepped over whole."""
    scan = _Scan(objects=[])
    at = attempts = 0
    while at < len(text) and attempts < _MAX_ATTEMPTS:
        start = _next_mark(text, at)
        if start is None:
            break
        if text[start] == "{":
            attempts += 1
            at = _take_object(text, start, scan)
        elif opened := _OPEN_THOUGHT.match(text, start):
            closed = _CLOSED_THOUGHT.search(text, opened.end())
            if closed is None:
                if not scan.objects:
                    scan.reason = "it ends inside its reasoning"
                break
            at = closed.end()
        else:  # a closing tag without an opening one: all before was thought
            scan.objects.clear()
            scan.truncated = False
            at = start + 1
    return scan


_MARK = re.compile(rf"\{{|{_OPEN_THOUGHT.pattern}|{_CLOSED_THOUGHT.pattern}", re.I)


def _next_mark(text: str, at: int) -> int | None:
    match = _MARK.search(text, at)
    return match.start() if match else None


def _take_object(text: str, start: int, scan: _Scan) -> int:
    """Read the object at `start`; where to look on."""
    try:
        value, end = _decoded(text, start, scan)
    except json.JSONDecodeError as error:
        at_end = error.pos >= len(text.rstrip()) - 1 or error.msg.startswith("Unterminated")
        if at_end and not scan.truncated:
            scan.truncated = True
            scan.reason = "it is truncated: the JSON object has no end"
        elif not scan.truncated:
            scan.broken = True
            scan.reason = f"its JSON is broken: {error.msg} at character {error.pos}"
        return start + 1
    except (ValueError, RecursionError) as error:
        scan.reason = f"its JSON is not strict: {error}"
        return start + 1
    if isinstance(value, dict):
        scan.objects.append(value)
    return int(end)


def _decoded(text: str, start: int, scan: _Scan) -> tuple[JsonValue, int]:
    """The value at `start` and where it ends; commas that nothing follows are passed over.

    Raises:
        JSONDecodeError: it is none.
    """
    while True:
        try:
            return _DECODER.raw_decode(text, start)
        except json.JSONDecodeError as error:
            at = _CLOSING_AFTER_COMMA.search(text, max(start, error.pos - _COMMA_CHARS))
            if at is None or not at.start() <= error.pos < at.end() or not scan.commas:
                raise
            scan.commas -= 1
            text = f"{text[: at.start()]} {text[at.start() + 1 :]}"


def _called_with(data: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    """The arguments, where a model wrote its answer as the call of a tool."""
    if "task_status" in data or "name" not in data:
        return data
    given = next((data[key] for key in _ARGUMENTS if key in data), None)
    if isinstance(given, str):
        try:
            given = _DECODER.decode(given)
        except (ValueError, RecursionError) as error:
            raise UnusableReply(f"the arguments of its tool call are no JSON: {error}") from error
    return given if isinstance(given, dict) else data


def _unique(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    data = dict(pairs)
    if len(data) != len(pairs):
        raise ValueError("the same key twice")
    return data


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant)


def _answer(data: Mapping[str, JsonValue]) -> ModelAnswer:
    unknown = sorted(set(data) - _TOP_LEVEL)
    if unknown:
        raise UnusableReply(f"it has an unknown field {unknown[0]!r}")
    for name in ("task_status", "experiences"):
        if name not in data:
            raise UnusableReply(f"it has no {name}")
    status = data["task_status"]
    if not isinstance(status, str) or status not in Outcome._value2member_map_:
        raise UnusableReply(f"task_status is {status!r}")
    problems: list[str] = []
    return ModelAnswer(
        task_status=Outcome(status),
        key_steps=tuple(_step(s, "key_steps") for s in _list(data, "key_steps")),
        invalid_steps=tuple(_invalid(item) for item in _list(data, "invalid_steps")),
        experiences=tuple(_experiences(_list(data, "experiences"), problems)),
        verdicts=tuple(_verdict(item) for item in _list(data, "verdicts")),
        problems=tuple(problems),
    )


def _list(data: Mapping[str, JsonValue], name: str) -> Sequence[JsonValue]:
    value = data.get(name, [])
    if not isinstance(value, list):
        raise UnusableReply(f"{name} is not a list")
    return value


def _step(value: JsonValue, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise UnusableReply(f"{where} holds {value!r}, which is no step number")
    return value


def _invalid(item: JsonValue) -> InvalidStep:
    if not isinstance(item, dict) or not isinstance(item.get("reason", ""), str):
        raise UnusableReply("invalid_steps holds something other than {step, reason}")
    return InvalidStep(
        step_index=_step(item.get("step"), "invalid_steps"), reason=item.get("reason", "")
    )


def _verdict(item: JsonValue) -> StaleVerdict:
    if not isinstance(item, dict) or item.get("verdict") not in _VERDICTS:
        raise UnusableReply("verdicts holds something other than verified or contradicted")
    return StaleVerdict(experience_id=str(item.get("experience_id", "")), verdict=item["verdict"])


def _experiences(
    items: Sequence[JsonValue], problems: list[str]
) -> Iterator[Mapping[str, JsonValue]]:
    """The objects as they are; what is wrong with one is noted and left to the guard."""
    for number, item in enumerate(items, 1):
        if not isinstance(item, dict):
            problems.append(f"experience {number} is no object")
            continue
        problems += [f"experience {number}: {text}" for text in _complaints(item)]
        yield _with_mapped_tools(item)


def _with_mapped_tools(item: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    """The strict schema's list of {tool, versions} as the mapping it stands for.

    Left as it is, for the guard to refuse, when it is no such list or names a tool twice.
    """
    scope = item.get("scope")
    tools = scope.get("tools") if isinstance(scope, dict) else None
    if not isinstance(scope, dict) or not isinstance(tools, list):
        return item
    pairs = [
        (pair["tool"], pair["versions"])
        for pair in tools
        if isinstance(pair, dict) and set(pair) == {"tool", "versions"}
    ]
    names = {name for name, _ in pairs if isinstance(name, str)}
    if len(names) != len(tools):
        return item
    return {**item, "scope": {**scope, "tools": dict(pairs)}}


def _complaints(item: Mapping[str, JsonValue]) -> Iterator[str]:
    for name in ("scenario", "recommend"):
        if not item.get(name):
            yield f"{name} is missing"
    for name in _TEXTS:
        if not isinstance(item.get(name, ""), str):
            yield f"{name} is no text"
    for name in _LISTS:
        if not isinstance(item.get(name, []), list):
            yield f"{name} is no list"
    if not cited_steps(item):
        yield "cites no step"


def cited_steps(experience: Mapping[str, JsonValue]) -> frozenset[int]:
    """Step numbers an untrusted experience cites, whatever else is wrong with it."""
    cites = experience.get("cites")
    if not isinstance(cites, list):
        return frozenset()
    steps = [cite.get("step") for cite in cites if isinstance(cite, dict)]
    return frozenset(s for s in steps if isinstance(s, int) and not isinstance(s, bool))
