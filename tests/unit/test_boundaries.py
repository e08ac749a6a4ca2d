"""Where a session is split: on what the person says outright, never on a guess."""

from __future__ import annotations

import pytest

from hindsight_cli.capture.boundaries import Sign, TaskState, likely_starts, next_trace_id
from hindsight_cli.capture.draft import Draft, DraftEvent, SessionInfo
from hindsight_cli.capture.numbering import SessionState
from hindsight_cli.capture.recorder import EventBuilder
from hindsight_cli.records.event import Actor, Event, EventType, Importance
from hindsight_cli.records.trace import boundary_starts, split_traces
from hindsight_cli.redact import Redactor
from tests.factories import an_event

TASK = "Start a mysql container for the shop, port 3306 is taken"
TASK_ZH = "帮我启动一个数据库容器，端口被占用了"


def said(text: str, actor: Actor = Actor.USER, *, injected: bool = False) -> DraftEvent:
    return DraftEvent(
        event_type=EventType.MESSAGE, actor=actor, text=text, injected=injected, timestamp=None
    )


def asked(text: str = TASK) -> DraftEvent:
    return DraftEvent(event_type=EventType.TASK, actor=Actor.USER, text=text)


def answered(text: str = "The container listens on 3307.") -> DraftEvent:
    return said(text, Actor.AGENT)


def build(
    *drafts: DraftEvent,
    state: SessionState | None = None,
    parent: str | None = None,
    first: int = 1,
) -> list[Event]:
    info = SessionInfo(session_id="s1", agent="test", parent_session_id=parent)
    builder = EventBuilder(state or SessionState.begin("s1"), Redactor(), lambda _: "0" * 64)
    return [
        event
        for line, draft in enumerate(drafts, first)
        for event in builder.build(
            Draft(session=info, line=line, native_type="x", native_id=f"n{line}", events=(draft,))
        )
    ]


def starts(task: str, follow_up: str, reply: str = "Done.") -> list[int]:
    return list(boundary_starts(build(asked(task), answered(reply), said(follow_up))))


@pytest.mark.parametrize(
    "follow_up",
    [
        "New task: write the release notes",
        "Thanks! Next task - translate the README",
        "next task:\nbump the version of the parser",
        "Unrelated: why is CI slow on Mondays?",
        "ok, unrelated question, how do I rotate logs",
        "Switching topics: the login page has a typo",
        "Different topic. Rename the billing module",
        "Another question: how do I rotate nginx logs?",
        "Great, thank you. I have another question, how are invoices rounded?",
        "One more thing: translate the README to German",
        "/new translate the README",
    ],
)
def test_what_is_said_outright_begins_a_task(follow_up: str) -> None:
    assert starts(TASK, follow_up) == [3]


@pytest.mark.parametrize(
    "follow_up",
    [
        "新任务：翻译说明文档",
        "下一个任务：给登录页面加验证码",
        "好的，谢谢。换个话题，日志怎么轮转",
        "另外一个问题，发票金额怎么四舍五入",
        "还有一个问题：日志怎么轮转比较合适",
        "谢谢！还有个问题，登录页面的验证码怎么关闭",
        "跟刚才无关：发票金额怎么四舍五入",
    ],
)
def test_what_is_said_outright_in_chinese_begins_a_task(follow_up: str) -> None:
    assert starts(TASK_ZH, follow_up) == [3]


@pytest.mark.parametrize(
    ("task", "follow_up"),
    [
        (TASK, "Another question: will the container survive a reboot?"),
        (TASK, "One more thing, the port should be in .env"),
        (TASK, "another question: why did you do it like that?"),
        (TASK, "Another question"),
        (TASK, "next task"),
        (TASK, "Next task please"),
        (TASK, "The new task form is broken, add a button: red"),
        (TASK, "There is another question: how do I rotate nginx logs?"),
        (TASK, "now add tests for the invoices"),
        (TASK, "Also translate the README to German"),
        (TASK, "newtask: rotate nginx logs"),
        (TASK, "/newsletter send it to everybody"),
        (TASK, "/compact"),
        (TASK_ZH, "还有一个问题，容器的端口怎么改"),
        (TASK_ZH, "另外一个问题：刚才的命令为什么失败"),
        (TASK_ZH, "另外，翻译说明文档"),
        (TASK_ZH, "下一个任务"),
        (TASK_ZH, "还有一个问题"),
        (TASK_ZH, "新任务列表的按钮颜色不对"),
    ],
)
def test_a_follow_up_stays_in_its_task(task: str, follow_up: str) -> None:
    assert starts(task, follow_up) == []


def test_what_the_agent_spoke_of_last_is_no_other_subject() -> None:
    follow_up = "Another question: how do I rotate nginx logs?"
    assert starts(TASK, follow_up, reply="It runs, and nginx is in front of it.") == []


@pytest.mark.parametrize(
    "command",
    [
        said("/clear", injected=True),
        said("/new"),
        said("/reset", injected=True),
        said("A new session was started via /new or /reset. Greet the user.", injected=True),
    ],
)
def test_a_session_command_ends_the_task(command: DraftEvent) -> None:
    again = said("the port of the container again"), answered(), said("and now the volume")
    events = build(asked(), answered(), command, *again)
    assert list(boundary_starts(events)) == [4]


def test_a_session_command_at_the_start_of_a_file_ends_nothing() -> None:
    events = build(said("/clear", injected=True), asked(), answered(), said("the volume, too"))
    assert boundary_starts(events) == {}


@pytest.mark.parametrize(
    "drafts",
    [
        [asked(), said("New task: write the release notes")],  # nothing was done yet
        [asked(), answered(), said("New task: write the notes", injected=True)],
        [asked(), answered(), said("New task: write the notes", Actor.AGENT)],
        [asked("New task: write the release notes"), answered(), said("go on")],
    ],
)
def test_nothing_else_splits_a_session(drafts: list[DraftEvent]) -> None:
    assert boundary_starts(build(*drafts)) == {}


def test_a_subagent_has_one_task() -> None:
    events = build(asked(), answered(), said("New task: write the release notes"), parent="s0")
    assert boundary_starts(events) == {}


def test_a_boundary_stands_before_the_task_it_begins() -> None:
    follow_up = said("New task: write the release notes")
    events = build(asked(), answered(), follow_up, answered(), said("next task: tag it"))
    assert [e.event_type.value for e in events] == [
        *("task", "message", "boundary", "task", "message", "boundary", "task"),
    ]
    assert [e.seq for e in events] == [1, 2, 3, 4, 5, 6, 7]
    assert [e.step_index for e in events] == [1, 2, 2, 3, 4, 4, 5]
    assert [e.trace_id for e in events] == ["s1", "s1", *["s1.2"] * 3, *["s1.3"] * 2]
    assert events[3].importance is Importance.HIGH
    assert {i: [e.seq for e in own] for i, own in split_traces(events).items()} == {
        "s1": [1, 2],
        "s1.2": [4, 5],
        "s1.3": [7],
    }


def test_a_session_that_grows_is_split_as_one_read_at_once() -> None:
    drafts = [
        *(asked(), answered(), said("Another question: how do I rotate nginx logs?"), answered()),
        *(said("/clear", injected=True), said("Fix the login page"), answered(), said("and now?")),
    ]
    whole = build(*drafts)
    grown: list[Event] = []
    for n, draft in enumerate(drafts, 1):
        grown += build(draft, state=SessionState.of("s1", grown), first=n)
    assert boundary_starts(whole) == {3: "s1.2", 6: "s1.3"}
    assert [(e.seq, e.step_index, e.trace_id, e.event_type) for e in grown] == [
        (e.seq, e.step_index, e.trace_id, e.event_type) for e in whole
    ]
    assert build(*drafts, state=SessionState.of("s1", grown)) == []


def test_an_id_given_once_is_not_given_again() -> None:
    assert next_trace_id("s1", {"s1"}) == "s1.2"
    assert next_trace_id("s1", {"s1", "s1.3"}) == "s1.4"


def test_an_id_of_a_trace_is_no_id_of_a_session() -> None:
    from hindsight_cli.capture.numbering import safe_session_id

    assert safe_session_id(next_trace_id("s1", [])) != next_trace_id("s1", [])


def test_a_soft_sign_is_offered() -> None:
    events = build(asked(), answered(), said("Now translate the README to German"), answered())
    assert boundary_starts(events) == {}
    assert likely_starts(events) == [3]
    assert likely_starts(build(asked(), answered(), said("Now restart the container"))) == []


def test_the_sign_of_a_message_leaves_the_state_as_it_is() -> None:
    state = TaskState()
    state.note(an_event(actor=Actor.AGENT))
    follow_up = an_event(
        event_type=EventType.MESSAGE, actor=Actor.USER, output_summary="New task: tag the release"
    )
    assert [state.sign_of(follow_up), state.sign_of(follow_up)] == [Sign.HARD, Sign.HARD]
