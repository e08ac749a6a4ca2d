"""The prompt for a model: rules, examples and the trace, cut by importance to a budget. Pure.

The texts are in prompts/, one file a language.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from hindsight_cli.records.attribution import Attribution
from hindsight_cli.records.event import Actor, Event, EventType, Importance
from hindsight_cli.records.experience import Experience
from hindsight_cli.records.jsonvalue import JsonValue
from hindsight_cli.records.trace import Call, Trace
from hindsight_cli.reflect.facts import facts_text
from hindsight_cli.reflect.rules import reflect_by_rules
from hindsight_cli.text import plain_utf8, summarize

LANGUAGES = ("en", "zh")
_CHARS_PER_TOKEN = 3.6  # of Latin text and code, on the careful side; other scripts count one each
_ENDS = 3  # first and last shown steps that are never left out
_SHOWN_TYPES = frozenset(
    {
        EventType.TASK,
        EventType.MESSAGE,
        EventType.REASONING,
        EventType.TOOL_CALL,
        EventType.OBSERVATION,
        EventType.DECISION,
        EventType.OUTCOME,
        EventType.END,
    }
)


@dataclass(frozen=True, slots=True)
class _Cut:
    """Characters shown of a step's input and output, by importance."""

    high: int
    normal: int
    low: int

    def of(self, importance: Importance) -> int:
        return {
            Importance.HIGH: self.high,
            Importance.NORMAL: self.normal,
            Importance.LOW: self.low,
        }[importance]


def _cut(high: int) -> _Cut:
    """Less important steps get less, and nothing when that would say nothing."""
    normal, low = high * 2 // 5, high // 8
    return _Cut(high, normal if normal >= _LEAST else 0, low if low >= _LEAST else 0)


_LEAST = 60
# Tried in this order until the record fits.
_CUTS = tuple(
    map(
        _cut, (6000, 4200, 3000, 2200, 1600, 1200, 900, 700, 560, 480, 400, 320, 240, 180, 140, 100)
    )
)


def build_prompt(
    trace: Trace,
    *,
    language: str,
    token_budget: int = 24_000,
    stale: Sequence[Experience] = (),
) -> str:
    """Instructions and the whole record, at most about `token_budget` tokens.

    Text injected by a harness or by us is left out, and what the person went back on. What
    stays is chosen by importance: failures, what ended them and the steps that decided are
    shown longest.

    Raises:
        ValueError: `language` is none of LANGUAGES.
    """
    if language not in LANGUAGES:
        raise ValueError(f"no prompt in {language!r}, only in {', '.join(LANGUAGES)}")
    template = _template(language)
    told = _stale(stale)
    found = reflect_by_rules(trace)
    facts = facts_text(found, language)
    room = token_budget - sum(map(estimated_tokens, (template, told, facts)))
    record = _record(trace.kept, found.attribution, max(room, 0))
    data = f"{facts}\n{record}".encode("utf-8", "surrogatepass")
    digest = hashlib.sha256(data).hexdigest()[:16]
    fence = f"=====RECORD-{digest}====="  # depends on the record, so it cannot stand in it
    parts = {"stale": told, "fence": fence, "facts": facts, "trace": record}
    # In one pass: what a part says is never read as a mark.
    return plain_utf8(re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match.group(1)], template))


def estimated_tokens(text: str) -> int:
    """Tokens by rule of thumb, rather too many than too few."""
    wide = sum(1 for char in text if ord(char) > 0x2E7F)  # noqa: PLR2004 - CJK and beyond
    return int((len(text) - wide) / _CHARS_PER_TOKEN) + wide


@lru_cache(maxsize=len(LANGUAGES))
def _template(language: str) -> str:
    return files(__package__).joinpath("prompts", f"{language}.md").read_text(encoding="utf-8")


def _stale(experiences: Sequence[Experience]) -> str:
    lines = [
        json.dumps(
            {
                "experience_id": e.experience_id,
                "scenario": e.content.scenario,
                "recommend": e.content.recommend,
                "avoid": e.content.avoid,
            },
            ensure_ascii=False,
        )
        for e in experiences
    ]
    return "\n".join(lines) or "-"


def _record(trace: Trace, found: Attribution, room: int) -> str:
    shown = [e for e in trace.events if e.event_type in _SHOWN_TYPES and not e.injected]
    ranks = _importance(trace, found, shown)
    text = ""
    for cut in _CUTS:
        text = "\n".join(_rendered(trace, shown, ranks, cut))
        if estimated_tokens(text) <= room:
            return text
    return summarize(text, max(int(room * _CHARS_PER_TOKEN / 2), 200))


def _importance(
    trace: Trace, found: Attribution, shown: Sequence[Event]
) -> Mapping[int, Importance]:
    """By step: what capture said, overridden by what the rules find to have decided."""
    ranks = {event.step_index: event.importance for event in shown}
    ranks |= {c.step_index: Importance.HIGH for c in trace.calls if c.failed}
    decided = {*found.key_steps, *(r.fixed_by_step for r in found.recoveries)}
    decided |= {w.step_index for w in found.workarounds}
    ranks |= dict.fromkeys(decided, Importance.HIGH)
    ends = [e.step_index for e in (*shown[:_ENDS], *shown[-_ENDS:])]
    users = [e.step_index for e in shown if e.actor is Actor.USER]
    return {**ranks, **dict.fromkeys([*ends, *users], Importance.HIGH)}


def _rendered(
    trace: Trace, shown: Sequence[Event], ranks: Mapping[int, Importance], cut: _Cut
) -> Iterator[str]:
    left_out: list[int] = []
    calls = {call.call_event.seq: call for call in trace.calls}
    for event in shown:
        limit = cut.of(ranks[event.step_index])
        if limit == 0:
            left_out.append(event.step_index)
            continue
        if left_out:
            yield _gap(left_out)
            left_out = []
        call = calls.get(event.seq)
        yield _call(call, limit) if call else _words(trace, event, limit)
    if left_out:
        yield _gap(left_out)


def _gap(steps: Sequence[int]) -> str:
    return f"[steps {steps[0]} to {steps[-1]} left out]"


def _call(call: Call, limit: int) -> str:
    arguments = call.command or _json(call.input)
    code = "" if call.exit_code is None else f" (exit {call.exit_code})"
    return (
        f"step {call.step_index} {call.tool_name} {call.status}{code}\n"
        f"  input: {summarize(arguments, limit)}\n"
        f"  output: {summarize(call.output, limit)}"
    )


def _words(trace: Trace, event: Event, limit: int) -> str:
    text = trace.text(event)
    if event.event_type is EventType.OUTCOME:
        text = _json(dict(event.extra))
    return f"step {event.step_index} {event.event_type} by {event.actor}: {summarize(text, limit)}"


def _json(value: JsonValue) -> str:
    return "" if value is None else json.dumps(value, ensure_ascii=False, default=str)
