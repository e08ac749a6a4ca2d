"""What a trace can bear out: its steps, its words, and whose words they are.

Built once a trace and used for every candidate about it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from hindsight_cli.records.event import (
    FAILED_STATUSES,
    STEP_OPENERS,
    Actor,
    Event,
    EventType,
    Outcome,
    Status,
)
from hindsight_cli.records.jsonvalue import JsonValue
from hindsight_cli.records.trace import Call, Trace

NOT_RUN = frozenset({Status.DENIED, Status.CANCELLED, Status.MISSING})
_BORDER = "\n\x00\n"  # between two texts: no match may cross it
_QUOTES = str.maketrans(dict.fromkeys("\"'`“”‘’«»「」\\", None))
_ESCAPED_SPACE = re.compile(r"\\[nrt]")
_ANSI = re.compile(r"\x1b\[[0-9;:?]*[A-Za-z]")
_WORD_CHARS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_")
_MAX_TRIES = 400  # occurrences of a first part that are followed up
_NOT_EVIDENCE = frozenset(
    {EventType.COMPACTION, EventType.BOUNDARY, EventType.OTHER, EventType.OUTCOME, EventType.END}
)


def normalized(text: str) -> str:
    """`text` for comparing: case, white space, quotes and terminal colours are folded away."""
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    if "\\" in text:
        text = _ESCAPED_SPACE.sub(" ", text)
    return " ".join(text.translate(_QUOTES).casefold().split())


def flattened(value: JsonValue) -> Iterator[str]:
    """Keys and values of an argument tree as text."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield f"{key}: {item}" if not isinstance(item, (Mapping, list)) else str(key)
            if isinstance(item, (Mapping, list)):
                yield from flattened(item)
    elif isinstance(value, list):
        if all(isinstance(item, str) for item in value):
            yield " ".join(value)
        else:
            for item in value:
                yield from flattened(item)
    elif value is not None:
        yield str(value)


@dataclass(frozen=True, slots=True)
class Haystack:
    """Normalized texts laid end to end."""

    text: str

    @classmethod
    def of(cls, texts: Iterator[str] | list[str]) -> Haystack:
        return cls(_BORDER.join(filter(None, map(normalized, texts))))

    def has(self, needle: str) -> bool:
        """Whether the normalized `needle` stands in one text, on its own borders."""
        return next(self.positions(needle), None) is not None

    def has_near(self, parts: list[str]) -> bool:
        """Whether `parts` follow each other in one text with little between them."""
        if not parts:
            return True
        room = 2 * sum(map(len, parts)) + 16 * len(parts)
        return any(
            self._follow(parts[1:], start + len(parts[0]), start + room)
            for _, start in zip(range(_MAX_TRIES), self.positions(parts[0]), strict=False)
        )

    def around(self, needle: str, reach: int) -> Iterator[str]:
        """What stands within `reach` of `needle`, itself shown as NUL, wherever it stands."""
        for _, start in zip(range(_MAX_TRIES), self.positions(needle), strict=False):
            end = start + len(needle)
            yield f"{self.text[max(0, start - reach) : start]}\0{self.text[end : end + reach]}"

    def share_near(self, words: list[str]) -> float:
        """The largest share of `words` that one stretch of about their length holds."""
        if not words:
            return 1.0
        room = 2 * sum(len(word) + 1 for word in words) + 40
        best = 0
        for anchor in words:
            for _, start in zip(range(_MAX_TRIES), self.positions(anchor), strict=False):
                window = self.text[max(0, start - room) : start + room]
                best = max(best, sum(word in window for word in words))
                if best == len(words):
                    return 1.0
        return best / len(words)

    def positions(self, needle: str) -> Iterator[int]:
        """Where `needle` stands on its own borders."""
        start = self._find(needle, 0, len(self.text))
        while start >= 0:
            yield start
            start = self._find(needle, start + 1, len(self.text))

    def _find(self, needle: str, start: int, limit: int) -> int:
        """Like str.find, but never inside a longer word, flag or number."""
        if not needle:
            return -1
        before, after = _neighbours(needle)
        text, length = self.text, len(needle)
        found = text.find(needle, start, limit)
        while found >= 0:
            end = found + length
            left = found == 0 or text[found - 1] not in before
            if left and (end == len(text) or text[end] not in after):
                return found
            found = text.find(needle, found + 1, limit)
        return -1

    def _follow(self, parts: list[str], start: int, limit: int) -> bool:
        border = self.text.find(_BORDER, start, limit)
        limit = limit if border < 0 else border
        for part in parts:
            found = self._find(part, start, limit)
            if found < 0:
                return False
            start = found + len(part)
        return True


def _neighbours(needle: str) -> tuple[frozenset[str], frozenset[str]]:
    """The characters that may not stand before and after `needle`."""
    if needle[0] == "-":
        return _WORD_CHARS | {"-"}, _WORD_CHARS | {"-"}
    before = _WORD_CHARS if needle[0] in _WORD_CHARS else frozenset[str]()
    if needle[0].isdigit():
        before = before | {"."}
    return before, _WORD_CHARS if needle[-1] in _WORD_CHARS else frozenset()


@dataclass(frozen=True, slots=True)
class Step:
    """What happened at one step number."""

    calls: tuple[Call, ...] = ()
    citable: bool = False  # something happened there that a citation may point at
    decision: bool = False
    failed_observation: bool = False

    @property
    def is_evidence(self) -> bool:
        """A tool call or a decision: what an agent did, not what was said."""
        return bool(self.calls) or self.decision


@dataclass(frozen=True, slots=True)
class Facts:
    steps: Mapping[int, Step]
    everything: Haystack
    own: Haystack  # what the user said and the agent executed
    user: Haystack
    outputs: tuple[Haystack, ...]  # one a tool result: other people's words
    calls: tuple[Call, ...]
    ends_failed: bool
    outcome: Outcome = Outcome.UNKNOWN
    inputs: Mapping[int, Haystack] = field(default_factory=dict)  # by seq of the call


def facts_of(trace: Trace) -> Facts:
    """Read `trace` once. O(size of its texts)."""
    user = Haystack.of(_user_texts(trace))
    ran = [text for call in trace.calls if call.status not in NOT_RUN for text in _input(call)]
    return Facts(
        steps=_steps(trace),
        everything=Haystack.of(_all_texts(trace)),
        own=Haystack.of([*_user_texts(trace), *ran]),
        user=user,
        outputs=tuple(Haystack.of([call.output]) for call in trace.calls if call.output),
        calls=trace.calls,
        ends_failed=_ends_failed(trace),
        outcome=trace.outcome[0],
        inputs={call.call_event.seq: Haystack.of(_input(call)) for call in trace.calls},
    )


def _input(call: Call) -> list[str]:
    if isinstance(call.input, str):
        return [call.input]
    return ["\n".join(flattened(call.input))]


def _steps(trace: Trace) -> dict[int, Step]:
    calls: dict[int, tuple[Call, ...]] = {}
    for call in trace.calls:
        if not call.call_event.injected:
            calls[call.step_index] = (*calls.get(call.step_index, ()), call)
    found: dict[int, Step] = {}
    for event in trace.events:
        if event.injected or event.event_type in _NOT_EVIDENCE:
            continue
        step = found.get(event.step_index, Step())
        found[event.step_index] = Step(
            calls=calls.get(event.step_index, ()),
            citable=step.citable or _opens(event) or bool(calls.get(event.step_index)),
            decision=step.decision or event.event_type is EventType.DECISION,
            failed_observation=step.failed_observation or _is_failed_observation(event),
        )
    return found


def _opens(event: Event) -> bool:
    return event.event_type in STEP_OPENERS


def _is_failed_observation(event: Event) -> bool:
    return event.event_type is EventType.OBSERVATION and event.failed


def _user_texts(trace: Trace) -> list[str]:
    return [
        trace.text(event)
        for event in trace.events
        if event.actor is Actor.USER and not event.injected
    ]


def _all_texts(trace: Trace) -> Iterator[str]:
    for event in trace.events:
        if event.injected or event.event_type in _NOT_EVIDENCE:
            continue
        yield trace.text(event)
        if event.event_type is EventType.TOOL_CALL:
            value = trace.input(event)
            yield value if isinstance(value, str) else "\n".join(flattened(value))
        yield _labels(event)


def _labels(event: Event) -> str:
    """The facts of an event that stand in fields, written as an author would."""
    parts = [event.tool_name, event.server, event.error_type]
    if event.exit_code is not None:
        parts += [f"exit code {event.exit_code}", f"exit status {event.exit_code}"]
    return " ".join(filter(None, parts))


def _ends_failed(trace: Trace) -> bool:
    """Whether the last thing that has a status is a failure."""
    for event in reversed(trace.events):
        if event.injected or event.status is None:
            continue
        if event.event_type in (EventType.TOOL_RESULT, EventType.OBSERVATION):
            return event.status in FAILED_STATUSES
    return False
