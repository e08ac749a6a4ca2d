"""An untrusted proposal read into a closed schema."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NoReturn, TypeVar

from hindsight_cli.records.experience import ExperienceKind, Layer, Scope
from hindsight_cli.records.jsonvalue import JsonValue

MAX_CJK_CHARS = 500  # of the whole advice; English counts in words
MAX_WORDS = 300
MAX_FIELD_CHARS = {"scenario": 600, "recommend": 2000, "avoid": 2000, "why": 2000}
MAX_CITES = 64
MAX_TAGS = 24
MAX_NAME_CHARS = 200  # tags, tool names, globs, version ranges
MAX_STEP = 10**9
MAX_JSON_CHARS = 200_000
MAX_JSON_DEPTH = 12
MAX_INT_DIGITS = 18

_FIELDS = frozenset(
    {
        *("kind", "scenario", "recommend", "avoid", "why", "cites", "cited_steps", "cited_tools"),
        *("workaround", "layer", "scope", "tool_tags", "task_tags"),
    }
)
# What only a human, the ledger or this guard may say: worth its own sentence when refused.
_RESERVED = frozenset(
    {
        *("status", "weight", "verified", "verified_at", "last_verified_at", "approved", "stale"),
        *("trusted", "origin", "risk", "evidence", "experience_id", "content_hash", "decided_by"),
        *("confidence", "votes", "shown", "followed", "success", "failure", "reviewer"),
    }
)

_E = TypeVar("_E", bound=StrEnum)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cite:
    """A step the proposal rests on; `tool` None: the proposal does not name one."""

    step: int
    tool: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """What a reflector proposes, before ids and evidence.

    `any_tool` holds the tools of the form with two lists (`cited_steps`, `cited_tools`),
    which says which tools were used but not at which of the steps.
    """

    kind: ExperienceKind
    scenario: str
    recommend: str
    avoid: str = ""
    why: str = ""
    cites: tuple[Cite, ...] = ()
    any_tool: tuple[str, ...] = ()
    workaround: bool = False
    layer: Layer = Layer.SPECIFIC
    scope: Scope = field(default_factory=Scope)
    tool_tags: tuple[str, ...] = ()
    task_tags: tuple[str, ...] = ()


class SchemaError(ValueError):
    """The proposal is not one: `code` is `schema` or `too_long`, `detail` says where."""

    def __init__(self, detail: str, *, code: str = "schema") -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail


def parse_candidate(raw: JsonValue) -> Candidate:
    """Read one proposal; nothing is coerced, nothing unknown is ignored.

    Raises:
        SchemaError: an unknown, reserved, missing, mistyped or over-long field.
    """
    if not isinstance(raw, Mapping):
        _refuse("a proposal must be an object")
    _check_keys(raw, _FIELDS, where="")
    texts = {name: _text(raw, name, limit) for name, limit in MAX_FIELD_CHARS.items()}
    for name in ("scenario", "recommend"):
        if not texts[name].strip():
            _refuse(f"{name}: must say something")
    _check_length(" ".join(texts.values()))
    cites, any_tool = _cites(raw)
    workaround = raw.get("workaround", False)
    if not isinstance(workaround, bool):
        _refuse("workaround: must be true or false")
    return Candidate(
        kind=_member(ExperienceKind, raw.get("kind"), "kind"),
        **texts,
        cites=cites,
        any_tool=any_tool,
        workaround=workaround,
        layer=_member(Layer, raw.get("layer", Layer.SPECIFIC), "layer"),
        scope=_scope(raw.get("scope", {})),
        tool_tags=_names(raw, "tool_tags"),
        task_tags=_names(raw, "task_tags"),
    )


def load_strict(text: str) -> Mapping[str, JsonValue]:
    """The one JSON object in `text`; no NaN, no duplicate keys, bounded size, depth and digits.

    Raises:
        SchemaError: the text is anything else.
    """
    if len(text) > MAX_JSON_CHARS:
        _refuse(f"longer than {MAX_JSON_CHARS} characters")
    if _depth(text) > MAX_JSON_DEPTH:
        _refuse(f"nested deeper than {MAX_JSON_DEPTH}")
    try:
        data = json.loads(
            text,
            object_pairs_hook=_unique,
            parse_int=_bounded_int,
            parse_float=_finite,
            parse_constant=lambda name: _refuse(f"{name} is not JSON"),
        )
    except json.JSONDecodeError as error:
        raise SchemaError(f"not JSON: {error.msg} at {error.pos}") from error
    if not isinstance(data, Mapping):
        _refuse("a proposal must be an object")
    return data


def advice_length(text: str) -> float:
    """The share of the allowed length `text` takes: 1.0 is the limit, in either language."""
    cjk = sum(1 for char in text if is_cjk(char))
    words = sum(1 for word in text.split() if not all(is_cjk(char) for char in word))
    return cjk / MAX_CJK_CHARS + words / MAX_WORDS


def is_cjk(char: str) -> bool:
    return "\u3040" <= char <= "\u30ff" or "\u3400" <= char <= "\u9fff" or "가" <= char <= "힣"


def _refuse(detail: str, *, code: str = "schema") -> NoReturn:
    raise SchemaError(detail, code=code)


def _check_keys(raw: Mapping[str, JsonValue], allowed: frozenset[str], *, where: str) -> None:
    for key in raw:
        if not isinstance(key, str) or key not in allowed:
            kind = "reserved" if key in _RESERVED else "unknown"
            _refuse(f"{where}{_shown(key)}: {kind} field")


def _text(raw: Mapping[str, JsonValue], name: str, limit: int) -> str:
    value = raw.get(name, "")
    if not isinstance(value, str):
        _refuse(f"{name}: must be text")
    if len(value) > limit:
        _refuse(f"{name}: {len(value)} characters, at most {limit}", code="too_long")
    _check_storable(value, name)
    return value


def _check_storable(value: str, where: str) -> None:
    if "\0" in value or any("\ud800" <= char <= "\udfff" for char in value):
        _refuse(f"{where}: holds a NUL or half a surrogate pair")


def _check_length(advice: str) -> None:
    share = advice_length(advice)
    if share > 1:
        limit = f"{MAX_CJK_CHARS} Chinese characters or {MAX_WORDS} words"
        _refuse(f"{share:.1f} times the limit of {limit}", code="too_long")


def _member(enum: type[_E], value: JsonValue, where: str) -> _E:
    if not isinstance(value, str) or value not in enum._value2member_map_:
        _refuse(f"{where}: {_shown(value)} is none of {', '.join(enum)}")
    return enum(value)


def _cites(raw: Mapping[str, JsonValue]) -> tuple[tuple[Cite, ...], tuple[str, ...]]:
    lists = "cited_steps" in raw or "cited_tools" in raw
    if "cites" in raw and lists:
        _refuse("cites: given twice, as cites and as cited_steps or cited_tools")
    if not lists:
        return tuple(_cite(item) for item in _sequence(raw, "cites", MAX_CITES)), ()
    steps = [_step(item, "cited_steps") for item in _sequence(raw, "cited_steps", MAX_CITES)]
    tools = _names(raw, "cited_tools")
    only = tools[0] if len(tools) == 1 else None
    cites = tuple(Cite(step=step, tool=only) for step in steps)
    return cites, () if only else tools


def _cite(item: JsonValue) -> Cite:
    if not isinstance(item, Mapping):
        _refuse("cites: must hold objects with step and tool")
    _check_keys(item, frozenset({"step", "tool"}), where="cites.")
    tool = item.get("tool")
    if tool is not None:
        tool = _name(tool, "cites.tool")
    return Cite(step=_step(item.get("step"), "cites.step"), tool=tool)


def _step(value: JsonValue, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) > MAX_STEP:
        _refuse(f"{where}: must be a step number")
    return value


def _sequence(raw: Mapping[str, JsonValue], name: str, limit: int) -> Sequence[JsonValue]:
    value = raw.get(name, [])
    if not isinstance(value, (list, tuple)):
        _refuse(f"{name}: must be a list")
    if len(value) > limit:
        _refuse(f"{name}: {len(value)} items, at most {limit}", code="too_long")
    return value


def _names(raw: Mapping[str, JsonValue], name: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_name(v, name) for v in _sequence(raw, name, MAX_TAGS)))


def _name(value: JsonValue, where: str) -> str:
    if not isinstance(value, str) or not value.strip():
        _refuse(f"{where}: must be text")
    if len(value) > MAX_NAME_CHARS:
        _refuse(f"{where}: longer than {MAX_NAME_CHARS} characters", code="too_long")
    if not value.isprintable():
        _refuse(f"{where}: holds invisible characters")
    return value.strip()


def _scope(value: JsonValue) -> Scope:
    if not isinstance(value, Mapping):
        _refuse("scope: must be an object")
    _check_keys(value, frozenset({"paths", "tools"}), where="scope.")
    tools = value.get("tools", {})
    if not isinstance(tools, Mapping) or len(tools) > MAX_TAGS:
        _refuse(f"scope.tools: must be an object of at most {MAX_TAGS} tools")
    named = {_name(k, "scope.tools"): _name(v, "scope.tools") for k, v in tools.items()}
    return Scope(paths=_names(value, "paths"), tools=named)


def _unique(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    data = dict(pairs)
    if len(data) != len(pairs):
        _refuse("the same key twice")
    return data


def _bounded_int(digits: str) -> int:
    if len(digits) > MAX_INT_DIGITS:
        _refuse(f"a number of {len(digits)} digits")
    return int(digits)


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        _refuse("a number beyond measure")
    return value


def _depth(text: str) -> int:
    """The deepest nesting of brackets, those inside strings not counted."""
    depth = deepest = 0
    in_string = escaped = False
    for char in text:
        if in_string:
            if escaped or char == "\\":
                escaped = not escaped
            elif char == '"':
                in_string = False
        elif char == '"':
            in_string = True
        elif char in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif char in "]}":
            depth -= 1
    return deepest


def _shown(value: JsonValue) -> str:
    return repr(value)[:40]
