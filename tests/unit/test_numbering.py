from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindsight_cli.capture.draft import Blob, Draft, DraftEvent, SessionInfo
from hindsight_cli.capture.numbering import SessionState, safe_session_id
from hindsight_cli.capture.recorder import EventBuilder
from hindsight_cli.records.event import (
    Actor,
    Event,
    EventType,
    Importance,
    Status,
    event_from_dict,
    event_to_dict,
)
from hindsight_cli.redact import Redactor

INFO = SessionInfo(session_id="s1", agent="test")
stored: dict[str, bytes] = {}


def put(data: bytes) -> str:
    ref = f"{len(data):064d}"
    stored[ref] = data
    return ref


def build(*drafts: DraftEvent, state: SessionState | None = None) -> list[Event]:
    builder = EventBuilder(state or SessionState.begin("s1"), Redactor(), put)
    return [
        event
        for line, draft in enumerate(drafts, 1)
        for event in builder.build(
            Draft(session=INFO, line=line, native_type="x", native_id=f"n{line}", events=(draft,))
        )
    ]


def call(call_id: str | None, name: str = "Bash", **more: Any) -> DraftEvent:
    return DraftEvent(
        event_type=EventType.TOOL_CALL,
        actor=Actor.AGENT,
        call_id=call_id,
        tool_name=name,
        **more,
    )


def result(call_id: str | None, status: Status = Status.OK, **more: Any) -> DraftEvent:
    return DraftEvent(
        event_type=EventType.TOOL_RESULT,
        actor=Actor.TOOL,
        call_id=call_id,
        status=status,
        **more,
    )


def say(text: str = "hi") -> DraftEvent:
    return DraftEvent(event_type=EventType.MESSAGE, actor=Actor.AGENT, text=text)


def test_a_call_and_its_result_share_a_step_whatever_comes_between() -> None:
    events = build(say(), call("a"), call("b"), say(), result("b"), result("a"))
    assert [e.step_index for e in events] == [1, 2, 3, 4, 3, 2]
    assert [e.seq for e in events] == [1, 2, 3, 4, 5, 6]


def test_call_ids_that_repeat_pair_with_the_nearest_unanswered_call() -> None:
    events = build(call("a"), result("a"), call("a"), result("a"), call("a"), call("a"))
    assert [e.step_index for e in events] == [1, 1, 2, 2, 3, 4]
    events = build(call("a"), call("a"), result("a"), result("a"))
    assert [e.step_index for e in events] == [1, 2, 2, 1]


def test_a_result_without_a_call_is_a_step_of_its_own() -> None:
    events = build(say(), result("lost"), say())
    assert [e.step_index for e in events] == [1, 2, 3]


def test_results_without_ids_answer_the_last_open_call_of_their_tool() -> None:
    events = build(call(None, "A"), call(None, "B"), result(None, tool_name="A"))
    assert events[2].step_index == 1


def test_the_same_call_again_is_the_next_attempt_and_matters() -> None:
    again: dict[str, Any] = {"input": {"command": "make", "description": "first"}}
    other: dict[str, Any] = {"input": {"command": "make", "description": "second"}}
    events = build(call("a", **again), result("a", Status.ERROR), call("b", **other), result("b"))
    assert [e.attempt for e in events] == [1, 1, 2, 2]
    assert [e.importance for e in events] == [
        *(Importance.NORMAL, Importance.HIGH, Importance.HIGH, Importance.HIGH)
    ]


def test_only_the_first_task_of_a_session_is_its_task() -> None:
    task = DraftEvent(event_type=EventType.TASK, actor=Actor.USER, text="one")
    assert [e.event_type for e in build(task, task)] == [EventType.TASK, EventType.MESSAGE]


def test_records_seen_before_are_not_built_again() -> None:
    state = SessionState.begin("s1")
    first = build(say("a"), call("x"), state=state)
    again = build(say("a"), call("x"), result("x"), state=SessionState.of("s1", first))
    assert [(e.seq, e.event_type) for e in again] == [(3, EventType.TOOL_RESULT)]


def test_long_texts_lie_aside_in_full_and_short_ones_inline() -> None:
    long = "head " + "x" * 5000 + " tail"
    event, short = build(say(long), say("y" * 200))
    assert len(event.output_summary) <= 200
    assert event.output_summary.startswith("head")
    assert event.output_summary.endswith("tail")
    assert event.output_ref is not None
    assert stored[event.output_ref].decode() == long
    assert (short.output_ref, short.output_summary) == (None, "y" * 200)


def test_secrets_are_gone_from_texts_arguments_and_what_lies_aside() -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 3 + "F6g7h8"
    text = f"export GITHUB_TOKEN={secret}\n" + "log line\n" * 100
    events = build(call("a", input={"command": text}), result("a", text=text))
    for event in events:
        assert secret not in str(event_to_dict(event))
    assert all(secret.encode() not in data for data in stored.values())


@given(st.lists(st.sampled_from(["say", "call", "result"]), max_size=40), st.integers(0, 40))
def test_numbering_in_one_go_or_in_two_is_the_same(kinds: list[str], cut: int) -> None:
    drafts = [{"say": say(), "call": call("a"), "result": result("a")}[kind] for kind in kinds]
    whole = build(*drafts)
    head = build(*drafts[:cut])
    joined = build(*drafts, state=SessionState.of("s1", head))
    assert [*head, *joined] == whole


@pytest.mark.parametrize(
    "native",
    ["../../etc/passwd", "a/b", "", "x" * 300, "con.hooks", "日本語", "a\x00b", "..", "a b"],
)
def test_any_session_id_becomes_one_plain_file_name(native: str) -> None:
    safe = safe_session_id(native)
    assert safe == safe_session_id(native)
    assert 1 <= len(safe) <= 100
    assert not set(safe) & set("/\\.\0 *?")
    assert safe != safe_session_id(native + "2")


def test_events_of_a_later_version_keep_what_this_one_does_not_know() -> None:
    (event,) = build(say())
    data = {**event_to_dict(event), "v": 9, "novel": {"a": 1}, "event_type": "hologram"}
    read = event_from_dict(data)
    assert read.event_type is EventType.OTHER
    assert event_to_dict(read)["novel"] == {"a": 1}


def test_an_event_of_an_earlier_version_without_later_fields_is_read() -> None:
    least = {"session_id": "s", "trace_id": "s", "seq": 1, "step_index": 1, "event_id": "e"}
    assert event_from_dict({**least, "event_type": "message", "actor": "agent"}).v == 1


def test_arguments_of_any_depth_are_shortened_and_kept_in_full_aside() -> None:
    deep: Any = {"leaf": "x" * 3000}
    for n in range(600):
        deep = {"a": deep} if n % 2 else [deep]
    (event,) = build(call("a", input=deep))
    assert len(json.dumps(event.input)) < 4000
    assert b"leaf" in stored[event.extra["input_ref"]]


SECRET = "ghp_" + "a1B2c3D4e5" * 3 + "F6g7h8"


def test_secrets_are_gone_from_names_ids_times_and_counts() -> None:
    given = call(
        f"call {SECRET}", f"tool {SECRET}", server=f"at {SECRET}", timestamp=f"today {SECRET}"
    )
    answer = result(
        f"call {SECRET}",
        Status.ERROR,
        error_type=f"error {SECRET}",
        native_status=f"failed {SECRET}",
        extra={f"key {SECRET}": [f"x {SECRET}"]},
    )
    builder = EventBuilder(SessionState.begin("s1"), Redactor(), put)
    events = [
        event
        for line, draft in enumerate((given, answer, say()), 1)
        for event in builder.build(
            Draft(
                session=INFO,
                line=line,
                native_type=f"type {SECRET}",
                native_id=f"{line} {SECRET}",
                events=(draft,) if line < 3 else (),
                usage={"input_tokens": 5, f"tier {SECRET}": f"tier {SECRET}", "more": [SECRET]},
                known=line < 3,
            )
        )
    ]
    assert len(events) == 3
    assert SECRET not in json.dumps([event_to_dict(event) for event in events])
    assert events[0].step_index == events[1].step_index  # they still pair
    assert events[0].call_id == events[1].call_id
    assert events[0].native.usage is not None
    assert events[0].native.usage["input_tokens"] == 5


def test_what_extra_means_to_us_no_one_else_can_say() -> None:
    given = {"session": "x", "blobs": 5, "input_ref": [1], "mine": 1}
    (event,) = build(call("a", extra=given))
    assert event_from_dict(event_to_dict(event)) == event
    assert event.extra["session"] == {"session_id": "s1", "agent": "test"}
    assert (event.extra["given_blobs"], event.extra["mine"]) == (5, 1)


TEXTS = {
    "an env file": f"GITHUB_TOKEN={SECRET}\nNAME=web\n".encode(),
    "one torn character": f"é GITHUB_TOKEN={SECRET}\n é".encode()[:-1],
    "a registry login": json.dumps({"auths": {"r.io": {"auth": SECRET}}}).encode(),
    "utf-16": f"\ufeffGITHUB_TOKEN={SECRET}\n".encode("utf-16-le"),
    "utf-16 without a mark": f"GITHUB_TOKEN={SECRET}\nNAME=web\n".encode("utf-16-le"),
    "a tar of it": bytes(512) + f"GITHUB_TOKEN={SECRET}\n".encode() + bytes(range(256)) * 9,
}


@pytest.mark.parametrize("data", TEXTS.values(), ids=list(TEXTS))
@pytest.mark.parametrize("mime", ["text/plain", "application/pdf", "image/png"])
def test_secrets_are_gone_from_binaries_that_hold_text(data: bytes, mime: str) -> None:
    stored.clear()
    (event,) = build(result("a", blobs=(Blob(mime=mime, data=data),)))
    (kept,) = stored.values()
    for encoding in ("utf-8", "utf-16-le"):
        assert SECRET.encode(encoding) not in kept
    (blob,) = event.extra["blobs"]
    assert (blob["mime"], blob["bytes"]) == (mime, len(kept))


def test_pictures_and_texts_without_secrets_stay_as_they_are() -> None:
    for data in (bytes(range(256)) * 50, "plain text, ü\n".encode() * 9, "ü x".encode("utf-16")):
        stored.clear()
        build(result("a", blobs=(Blob(mime="image/png", data=data),)))
        assert list(stored.values()) == [data]


def test_short_arguments_too_deep_for_a_reader_are_shortened() -> None:
    deep: Any = []
    for _ in range(900):
        deep = [deep]
    (event,) = build(call("a", input=deep))
    assert json.dumps(event.input).count("[") < 100
    assert event.extra["input_ref"] in stored
