"""What must be remembered of an OpenHands stream to make the next event of it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping

from hindsight_cli.capture.draft import Blob, DraftEvent
from hindsight_cli.capture.formats.calls import Call
from hindsight_cli.capture.formats.content import blobs_of, blocks_of, take_out_encoded
from hindsight_cli.capture.formats.injected_text import split_injected
from hindsight_cli.capture.formats.openhands_results import Members, mapping, string
from hindsight_cli.capture.formats.results import judged_result
from hindsight_cli.capture.formats.swe_agent_text import split_task
from hindsight_cli.capture.status import Verdict, error_type_of
from hindsight_cli.records.event import Actor, EventType
from hindsight_cli.records.jsonvalue import JsonValue

_MAX_REMEMBERED = 4096
_EVALUATION = "<uploaded_files>"  # how the prompts of its evaluations begin, round the task

Answered = tuple[Call, str | None]  # with the id that the model gave the call


class Stream:
    """Makes events; knows the open calls, the replies already told, and whether it ended."""

    def __init__(self) -> None:
        self._calls: OrderedDict[str, Answered] = OrderedDict()
        self._replies: OrderedDict[str, None] = OrderedDict()
        self._has_task = False
        self.ended = False

    def event(
        self,
        record: Members,
        event_type: EventType,
        text: str,
        actor: Actor = Actor.SYSTEM,
        pictures: JsonValue = None,
    ) -> DraftEvent:
        self.ended = False
        text, encoded = take_out_encoded(text)
        return DraftEvent(
            event_type=event_type,
            actor=actor,
            timestamp=string(record, "timestamp") or None,
            text=text,
            blobs=blobs_of(pictures) + encoded,
        )

    def message(
        self,
        record: Members,
        actor: Actor,
        text: str,
        *,
        injected: bool = False,
        pictures: JsonValue = None,
    ) -> DraftEvent:
        self.ended = False
        text, encoded = take_out_encoded(text)
        return DraftEvent(
            event_type=EventType.MESSAGE,
            actor=actor,
            timestamp=string(record, "timestamp") or None,
            text=text,
            injected=injected,
            blobs=blobs_of(pictures) + encoded,
        )

    def spoken(
        self, record: Members, text: str, *, pictures: JsonValue = None
    ) -> Iterator[DraftEvent]:
        """A person's words: the task, if they are the first."""
        rest = ""
        if not self._has_task and text.startswith(_EVALUATION):
            text, rest = split_task(text)
        for part, injected in split_injected(text):
            if injected:
                yield self.message(record, Actor.SYSTEM, part, injected=True)
                continue
            kind = EventType.MESSAGE if self._has_task else EventType.TASK
            self._has_task = True
            yield self.event(record, kind, part, Actor.USER, pictures)
            pictures = None
        if rest:
            yield self.message(record, Actor.SYSTEM, rest, injected=True)

    def is_new_reply(self, reply_id: str) -> bool:
        """Whether a model's reply is told for the first time: every call of it repeats it."""
        if not reply_id or reply_id in self._replies:
            return not reply_id
        self._replies[reply_id] = None
        if len(self._replies) > _MAX_REMEMBERED:
            self._replies.popitem(last=False)
        return True

    def thoughts(self, record: Members, written: Members) -> Iterator[DraftEvent]:
        """What the model thought before it spoke or called, where that is kept."""
        text = string(written, "reasoning_content") or string(record, "reasoning_content")
        if not text:
            blocks = blocks_of(record.get("thinking_blocks"))
            text = "\n".join(found for block in blocks if (found := string(block, "thinking")))
        if text.strip():
            yield self.event(record, EventType.REASONING, text, Actor.AGENT)

    def call(
        self,
        record: Members,
        call: Call,
        given: JsonValue,
        call_id: str | None,
        actor: Actor = Actor.AGENT,
    ) -> DraftEvent:
        self.ended = False
        key = _key(record.get("id"))
        if call_id is None and key:
            call_id = f"event-{key}"
        self._calls[key or call_id or ""] = (call, call_id)
        if len(self._calls) > _MAX_REMEMBERED:
            self._calls.popitem(last=False)
        return DraftEvent(
            event_type=EventType.TOOL_CALL,
            actor=actor,
            timestamp=string(record, "timestamp") or None,
            tool_name=call.name,
            tool_kind=call.kind,
            server=call.server,
            call_id=call_id,
            input=given,
        )

    def answers(self, record: Members) -> Answered | None:
        """The open call that a result answers: by its cause, else by the call's id, else the last.

        Only the oldest files name no cause.
        """
        key = self._answered_key(record)
        return self._calls[key] if key is not None else None

    def take(self, record: Members) -> Answered | None:
        key = self._answered_key(record)
        return self._calls.pop(key) if key is not None else None

    def _answered_key(self, record: Members) -> str | None:
        cause = record.get("cause", record.get("action_id"))
        if cause is not None and _key(cause) in self._calls:
            return _key(cause)
        named = string(record, "tool_call_id") or string(
            mapping(record.get("tool_call_metadata")), "tool_call_id"
        )
        by_id = [key for key, (_, call_id) in self._calls.items() if named and call_id == named]
        if by_id:
            return by_id[-1]
        nameless = cause is None and not named and record.get("source", "agent") == "agent"
        return next(reversed(self._calls), None) if nameless else None

    def result(
        self,
        record: Members,
        answered: Answered,
        verdict: Verdict,
        text: str,
        kept: tuple[str | None, tuple[Blob, ...]],
    ) -> DraftEvent:
        """The result of a call; `kept` are the program's own flag and the binaries in it."""
        self.ended = False
        call, call_id = answered
        text, encoded = take_out_encoded(text)
        return judged_result(
            call,
            verdict,
            timestamp=string(record, "timestamp") or None,
            text=text,
            call_id=call_id,
            native_status=kept[0],
            blobs=kept[1] + encoded,
        )

    def told(self, record: Members, text: str) -> DraftEvent:
        """An error that answers no call: the reply held none that could be made."""
        self.ended = False
        kind = error_type_of(text)
        return DraftEvent(
            event_type=EventType.OBSERVATION,
            actor=Actor.TOOL,
            timestamp=string(record, "timestamp") or None,
            text=text,
            error_type=kind if kind in {"unknown_tool", "invalid_args"} else "harness",
        )

    def end(
        self, record: Members, state: str, extra: Mapping[str, JsonValue]
    ) -> Iterator[DraftEvent]:
        """The end of the run, or of this part of it; told once where it is recorded twice."""
        if self.ended:
            return
        self.ended = True
        yield DraftEvent(
            event_type=EventType.END,
            actor=Actor.SYSTEM,
            timestamp=string(record, "timestamp") or None,
            extra={"end_state": state, **extra},
        )


def _key(value: JsonValue) -> str:
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
