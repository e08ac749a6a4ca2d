"""The parts of OpenCode's messages as events: one part is one native record.

The same parts, with the same ids, are in an export, in the database and in what
`opencode run --format json` prints. Source: docs/reference/native-formats.md.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from hindsight_cli.capture.draft import Draft, DraftEvent, Problem, SessionInfo
from hindsight_cli.capture.formats.content import take_out_encoded, type_of
from hindsight_cli.capture.formats.injected_text import split_injected
from hindsight_cli.capture.formats.opencode_results import (
    Record,
    file_blob,
    iso_time,
    mapping,
    number,
    string,
    tool_events,
)
from hindsight_cli.capture.status import error_type_of
from hindsight_cli.records.event import Actor, EventType
from hindsight_cli.records.jsonvalue import JsonValue

AGENT = "opencode"
_SILENT = frozenset({"step-start", "snapshot", "patch", "agent"})
_KNOWN = _SILENT | {"text", "reasoning", "tool", "file", "subtask", "compaction", "retry"}
_KNOWN |= {"step-finish"}
# After these reasons the model goes on with what its calls have brought.
_GOES_ON = frozenset({"", "tool-calls", "unknown"})
_END_STATES = {"stop": "completed", "length": "out of tokens", "content-filter": "filtered"}
_TYPED = "The following tool was executed by the user"
_QUOTED = re.compile(r'"((?:[^"\\]|\\[^"]|\\")*)"')
_MAX_HELD = 64
# The first 48 bits of an id are its time in units of 1/4096 ms; what does not fit is cut off.
_ID_TIME = re.compile(r"[a-z]+_([0-9a-f]{12})")
_ID_UNITS_PER_MS = 4096
_ID_CYCLE_MS = 2**48 // _ID_UNITS_PER_MS
_MIN_COPY_AGE_MS = 1_000


@dataclass(slots=True)
class Message:
    """The message that a part belongs to, as far as it is known."""

    about: Record
    ended: bool = True  # whether it will not grow any more

    @property
    def is_user(self) -> bool:
        return self.about.get("role") == "user"

    @property
    def is_summary(self) -> bool:
        """Whether it tells the model what went before, in place of that."""
        return not self.is_user and self.about.get("summary") is True

    @property
    def time(self) -> str | None:
        return iso_time(mapping(self.about.get("time")).get("created"))


@dataclass(slots=True)
class Session:
    """One session of OpenCode: what the events of a part depend on."""

    info: SessionInfo
    created_ms: int | float | None = None
    has_task: bool = False
    typed: str = ""  # the message that says that the next one's command was a person's
    undo: tuple[str, str] = ("", "")  # message and part from which on a person took all back
    is_undone: bool = False
    errors: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, about: Record, session_id: str, *, parent_call_id: str | None = None) -> Session:
        """The session that an `info` of OpenCode describes."""
        model = mapping(about.get("model"))
        info = SessionInfo(
            session_id=string(about, "id") or session_id,
            agent=AGENT,
            agent_version=string(about, "version") or None,
            cwd=string(about, "directory") or None,
            model=string(model, "id", "modelID") or None,
            parent_session_id=string(about, "parentID") or None,
            parent_call_id=parent_call_id,
            closes=True,
        )
        revert = mapping(about.get("revert"))
        undo = string(revert, "messageID"), string(revert, "partID")
        return cls(info, number(mapping(about.get("time")).get("created")), undo=undo)

    def note(self, about: Record) -> None:
        """Take what a message says of its session into account."""
        model = string(about, "modelID") or string(mapping(about.get("model")), "modelID")
        cwd = string(mapping(about.get("path")), "cwd")
        if (model and model != self.info.model) or (cwd and not self.info.cwd):
            self.info = replace(
                self.info, model=model or self.info.model, cwd=self.info.cwd or cwd or None
            )

    def is_copied(self, about: Record) -> bool:
        """Whether a message came with a fork: older than its session, and than its own id.

        A fork begins with copies of another session's messages, under ids of their own.
        """
        made = number(mapping(about.get("time")).get("created"))
        if made is None or self.created_ms is None or made >= self.created_ms:
            return False
        named = _ms_in_id(string(about, "id"))
        if named is None:
            return True
        return _MIN_COPY_AGE_MS <= (named - made) % _ID_CYCLE_MS < _ID_CYCLE_MS // 2

    def draft(self, line: int, part: Record, message: Message) -> Draft:
        """One part; without events when it carries nothing to keep."""
        kind = type_of(part)
        known = kind in _KNOWN
        copied = self.is_copied(message.about)
        events = tuple(self._events(kind, part, message)) if known and not copied else ()
        if self._is_undone(message.about, part):
            events = tuple(map(_abandoned, events))
        return Draft(
            session=self.info,
            line=line,
            native_type=kind or "(no type)",
            native_id=string(part, "id") or None,
            events=events,
            usage=_usage(part) if kind == "step-finish" and not copied else None,
            known=known or copied,
        )

    def error_draft(self, line: int, about: Record) -> Draft | None:
        """The error that ended a reply, and with it the turn; None when there was none."""
        error = about.get("error")
        if not error or self.is_copied(about):
            return None
        times = mapping(about.get("time"))
        time = iso_time(times.get("completed")) or iso_time(times.get("created"))
        text = json.dumps(error, sort_keys=True)
        digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12]
        self.errors[digest] += 1
        event = _error_event(error, time)
        return Draft(
            session=self.info,
            line=line,
            native_type="error",
            # An export and a run tell of the same error, and one may come twice.
            native_id=f"error-{digest}-{self.errors[digest]}",
            events=(_abandoned(event) if self._is_undone(about, {}) else event,),
        )

    def _is_undone(self, about: Record, part: Record) -> bool:
        """Whether a person took a part back, with all that came after it."""
        message_id, part_id = self.undo
        if message_id and message_id == about.get("id"):
            self.is_undone = self.is_undone or part_id in ("", part.get("id"))
        return self.is_undone

    def _events(self, kind: str, part: Record, message: Message) -> Iterator[DraftEvent]:
        time = _time_of(part) or message.time
        if kind == "text":
            yield from self._text(part, message, time)
        elif kind == "reasoning" and (text := string(part, "text")).strip() and message.ended:
            yield _event(EventType.REASONING, Actor.AGENT, text, time)
        elif kind == "tool":
            if message.ended or string(mapping(part.get("state")), "status") != "pending":
                typed = bool(self.typed) and message.about.get("parentID") == self.typed
                yield from tool_events(part, time, typed=typed)
        elif kind == "file":
            yield _file_event(part, message, time)
        elif kind == "subtask" and (text := string(part, "prompt", "description")):
            yield self._spoken(text, time)
        elif kind == "compaction":
            yield _event(EventType.COMPACTION, Actor.SYSTEM, "", time, injected=True)
        elif kind == "retry":
            yield replace(
                _error_event(part.get("error"), time),
                event_type=EventType.OTHER,
                extra={"attempt": number(part.get("attempt"))},
            )
        elif kind == "step-finish" and not message.is_summary:
            yield from _end(part, message, time)

    def _text(self, part: Record, message: Message, time: str | None) -> Iterator[DraftEvent]:
        text = string(part, "text")
        if not text.strip() or not (message.ended or _is_over(part)):
            return
        if message.is_user and text.startswith(_TYPED):
            self.typed = string(message.about, "id")
        text, encoded = take_out_encoded(text)
        if part.get("synthetic") is True or part.get("ignored") is True:
            said = _event(EventType.MESSAGE, Actor.SYSTEM, text, time, injected=True)
            yield replace(said, blobs=encoded)
        elif message.is_summary:
            yield _event(EventType.COMPACTION, Actor.SYSTEM, text, time, injected=True)
        elif not message.is_user:
            yield replace(_event(EventType.MESSAGE, Actor.AGENT, text, time), blobs=encoded)
        else:
            for piece, injected in split_injected(_unquoted(text)):
                if injected:
                    yield _event(EventType.MESSAGE, Actor.SYSTEM, piece, time, injected=True)
                else:
                    yield replace(self._spoken(piece, time), blobs=encoded)
                    encoded = ()

    def _spoken(self, text: str, time: str | None) -> DraftEvent:
        kind = EventType.MESSAGE if self.has_task else EventType.TASK
        self.has_task = True
        return _event(kind, Actor.USER, text, time)


def is_ended(about: Record) -> bool:
    """Whether a message will not grow: one of a person, a reply that is complete or failed."""
    done = number(mapping(about.get("time")).get("completed"))
    return about.get("role") == "user" or done is not None or bool(about.get("error"))


def usage_on_last_part(items: Iterable[Draft | Problem]) -> Iterator[Draft | Problem]:
    """Records in their order, what a step cost on the last of its parts that became an event.

    The part that ends a step, and has the count, is mostly no event itself.
    """
    last: Draft | None = None  # held back until its step has ended
    after: list[Draft | Problem] = []
    for item in items:
        usage = item.usage if isinstance(item, Draft) else None
        if usage and last and isinstance(item, Draft) and not item.events:
            last, item = replace(last, usage=usage), replace(item, usage=None)  # noqa: PLW2901
        is_event = isinstance(item, Draft) and bool(item.events)
        if last and (usage or is_event or len(after) > _MAX_HELD):
            yield from (last, *after)
            last, after = None, []
        if isinstance(item, Draft) and is_event and not usage:
            last = item
        elif last:
            after.append(item)
        else:
            yield item
    yield from (last, *after) if last else ()


def _event(
    event_type: EventType, actor: Actor, text: str, time: str | None, *, injected: bool = False
) -> DraftEvent:
    return DraftEvent(
        event_type=event_type, actor=actor, timestamp=time, text=text, injected=injected
    )


def _abandoned(event: DraftEvent) -> DraftEvent:
    """An event that a person went back on, which is no task of the session."""
    kind = EventType.MESSAGE if event.event_type is EventType.TASK else event.event_type
    return replace(event, event_type=kind, extra={**event.extra, "branch": "abandoned"})


def _end(part: Record, message: Message, time: str | None) -> Iterator[DraftEvent]:
    """The end of the model's turn, where it does not go on with what its calls brought."""
    reason = string(part, "reason")
    if reason in _GOES_ON:
        return
    done = iso_time(mapping(message.about.get("time")).get("completed"))
    extra: Record = {"end_state": _END_STATES.get(reason, reason)}
    yield replace(_event(EventType.END, Actor.SYSTEM, "", done or time), extra=extra)


def _time_of(part: Record) -> str | None:
    times = mapping(part.get("time"))
    return iso_time(times.get("start")) or iso_time(times.get("created"))


def _ms_in_id(identity: str) -> int | None:
    match = _ID_TIME.match(identity)
    return int(match[1], 16) // _ID_UNITS_PER_MS if match else None


def _is_over(part: Record) -> bool:
    return number(mapping(part.get("time")).get("end")) is not None


def _unquoted(text: str) -> str:
    """What a person gave to `opencode run` as one argument, which it puts in quotes."""
    match = _QUOTED.fullmatch(text.strip())
    return match[1].replace('\\"', '"') if match else text


def _file_event(part: Record, message: Message, time: str | None) -> DraftEvent:
    name, mime = string(part, "filename", "url"), string(part, "mime") or "file"
    blob = file_blob(part)
    named = "" if name.startswith("data:") else name
    return replace(
        _event(
            EventType.MESSAGE,
            Actor.USER if message.is_user else Actor.AGENT,
            f"[{mime}: {named}]" if named else f"[{mime}]",
            time,
        ),
        blobs=(blob,) if blob else (),
    )


def _error_event(error: JsonValue, time: str | None) -> DraftEvent:
    body = mapping(error)
    name, detail = string(body, "name"), mapping(body.get("data"))
    text = string(detail, "message") or string(body, "message") or name or json.dumps(error)
    if name == "MessageAbortedError":
        return replace(
            _event(EventType.END, Actor.SYSTEM, text, time), extra={"end_state": "interrupted"}
        )
    extra: dict[str, JsonValue] = {"end_state": "failed"}
    if name:
        extra["error"] = name
    if (code := number(detail.get("statusCode"))) is not None:
        extra["status_code"] = code
    kind = "network" if error_type_of(text) == "network" else "api"
    return replace(_event(EventType.END, Actor.SYSTEM, text, time), extra=extra, error_type=kind)


def _usage(part: Record) -> Mapping[str, JsonValue] | None:
    """Tokens and cost of a step, those of the cache under names of their own."""
    tokens = mapping(part.get("tokens"))
    cache = mapping(tokens.get("cache"))
    counts = {
        **{key: tokens.get(key) for key in ("total", "input", "output", "reasoning")},
        "cache_read": cache.get("read"),
        "cache_write": cache.get("write"),
        "cost": part.get("cost"),
    }
    return {key: value for key, value in counts.items() if number(value) is not None} or None
