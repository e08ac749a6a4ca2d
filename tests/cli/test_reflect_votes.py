"""What a model answers, over real HTTP in each protocol: which votes count, and what they move."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest

from hindsight_cli.api.daily_calls import DailyCalls
from hindsight_cli.api.model_reflecting import reflect_with_model
from hindsight_cli.api.project import Project
from hindsight_cli.api.reflect_plan import plan_of
from hindsight_cli.api.reflect_report import ReflectReport
from hindsight_cli.records.event import Outcome
from tests.answers import an_answer, said
from tests.models import FORCED_TOOL, NATIVE, OPENAI, configure, recorded, without_keys
from tests.scripted_model import ScriptedModel, Turn, serving

EVERY_PROTOCOL = pytest.mark.parametrize("model", [OPENAI, FORCED_TOOL, NATIVE])
KEY = "sk-scripted-9f8e7d6c5b4a39281706"
RULES_PROPOSE = 2  # by rules, from the sample


class Asked:
    """A project with one trace, and a model that is asked about it."""

    def __init__(
        self, project: Project, server: ScriptedModel, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.project = project
        self.server = server
        self.trace_id = recorded(project)
        self._monkeypatch = monkeypatch

    def __call__(
        self, *turns: Turn, model: str = OPENAI, samples: int = 3, **settings: str
    ) -> ReflectReport:
        configure(self._monkeypatch, self.server, model)
        for name, value in settings.items():
            self._monkeypatch.setenv(f"HINDSIGHT_CLI_{name.upper()}", value)
        self.server.play(*turns)
        plan = plan_of(self.project, "llm", samples=samples)
        return reflect_with_model(self.project, [self.trace_id], plan)


@pytest.fixture
def asked(project: Project, monkeypatch: pytest.MonkeyPatch) -> Iterator[Asked]:
    without_keys(monkeypatch)
    with serving({"text": ""}) as server:
        yield Asked(project, server, monkeypatch)


def codes(report: ReflectReport) -> list[str]:
    return [error.code for error in report.problems]


def told(report: ReflectReport) -> str:
    return " ".join([*map(str, report.problems), *(e.hint for e in report.problems)])


@EVERY_PROTOCOL
def test_three_answers_that_agree_become_one_proposal_with_three_votes(
    asked: Asked, model: str
) -> None:
    report = asked({"text": an_answer()}, model=model)

    (proposed,) = report.proposed
    assert proposed.source.votes == 3
    assert proposed.source.reflector == "llm"
    assert proposed.source.model == model
    assert [c.step_index for c in proposed.content.citations] == [15, 17]
    (attribution,) = report.attributions
    assert (attribution.votes, attribution.outcome, attribution.key_steps) == (
        3,
        Outcome.SUCCESS,
        (14, 17),
    )
    assert (report.messages, report.problems, len(asked.server.requests)) == ([], [], 3)


def test_each_protocol_is_asked_for_json_in_its_strict_form(asked: Asked) -> None:
    asked({"text": an_answer()}, model=OPENAI, samples=1)
    (body,) = asked.server.bodies
    wanted = body["response_format"]["json_schema"]
    assert (wanted["strict"], body["temperature"]) == (True, 0.2)
    assert wanted["schema"]["additionalProperties"] is False

    asked({"text": an_answer()}, model=FORCED_TOOL, samples=1)
    (body,) = asked.server.bodies
    (tool,) = body["tools"]
    assert body["tool_choice"]["name"] == tool["name"]
    assert "task_status" in tool["input_schema"]["properties"]

    asked({"text": an_answer()}, model=NATIVE, samples=1)
    (body,) = asked.server.bodies
    assert body["output_format"]["type"] == "json_schema"
    assert ("tools" in body, body["temperature"]) == (False, 0.2)


def test_the_prompt_holds_the_examples_the_schema_and_the_record(asked: Asked) -> None:
    asked({"text": an_answer()}, samples=1)
    prompt = asked.server.bodies[0]["messages"][0]["content"]

    for part in ("## Example 1", '"task_status"', "step 15 Bash error", "mysqld is alive"):
        assert part in prompt


def test_what_only_one_of_three_says_is_shown_and_left_out(asked: Asked) -> None:
    alone = said(kind="key_decision", cites=[{"step": 12, "tool": "Bash"}])
    report = asked(
        {"text": an_answer()},
        {"text": an_answer(task_status="failure")},
        {"text": an_answer(alone, task_status="partial")},
    )

    assert [e.content.kind for e in report.proposed] == ["failure_lesson"]
    assert report.attributions[0].outcome is Outcome.UNKNOWN
    text = " ".join(report.messages)
    assert "disagree about the outcome" in text
    assert "Only 1 of 3 answers has a key_decision about steps 12" in text
    assert not report.is_partial


LIES = {
    "step_not_in_trace": said(cites=[{"step": 42, "tool": "Bash"}]),
    "tool_not_at_step": said(cites=[{"step": 15, "tool": "Write"}]),
    "literal_not_in_trace": said(avoid="Running `docker run --initdb-skip-tzinfo mysql:8.4`."),
    "status_contradicted": said(
        kind="success_pattern",
        recommend="`docker rm shop-db && docker run -d --name shop-db --env-file .env "
        "-p 3306:3306 mysql:8.4` works.",
        why="Step 9 went through.",
        avoid="",
        cites=[{"step": 9, "tool": "Bash"}],
    ),
    "platitude": said(recommend="Be careful with databases.", avoid="", why="It helps."),
}


@pytest.mark.parametrize("code", LIES)
def test_what_all_three_invent_is_dropped_with_its_code(asked: Asked, code: str) -> None:
    report = asked({"text": an_answer(said(), LIES[code])})

    assert [d.code for d in report.dropped] == [code]
    assert [e.content.scenario for e in report.proposed] == [said()["scenario"]]


def test_an_option_that_nobody_tried_is_proposed_with_a_flag(asked: Asked) -> None:
    new = said(recommend="Wait with `docker run --health-cmd 'mysqladmin ping' mysql:8.4`.")
    (proposed,) = asked({"text": an_answer(new)}).proposed

    assert "untried_literal" in proposed.risk


GOOD = an_answer()
BAD: dict[str, str] = {
    "empty": "",
    "prose": "I cannot help with that.",
    "truncated": GOOD[: len(GOOD) // 2],
    "thought": f"<think>Perhaps {GOOD}",
    "unknown field": an_answer(verdict="fine"),
    "no status": json.dumps({"experiences": []}),
    "wrong status": an_answer(task_status="great"),
    "twice a key": GOOD[:-1] + ', "task_status": "failure"}',
    "a list": f"[{GOOD}]"[1:-3],
    "two commas": GOOD.replace(", ", ",, ", 1),
    "a call of something else": json.dumps({"name": "reflection", "arguments": "yes"}),
}
WRAPPED: dict[str, str] = {
    "fenced": f"Here it is:\n```json\n{GOOD}\n```\nGood luck!",
    "thought": f'<think>Maybe {{"task_status": "failure"}}?</think>\n{GOOD}',
    "thought without its begin": f"so it failed {{}} </think>{GOOD}",
    "trailing comma": f"{GOOD[:-1]},}}",
    "tool call": f'<tool_call>{{"name": "reflection", "arguments": {GOOD}}}</tool_call>',
    "two objects": f"{an_answer(task_status='failure')}\nNo, better:\n{GOOD}",
}


@EVERY_PROTOCOL
@pytest.mark.parametrize("form", WRAPPED)
def test_an_answer_is_found_in_what_stands_around_it(asked: Asked, model: str, form: str) -> None:
    report = asked({"text": WRAPPED[form]}, model=model, samples=1)

    assert (len(report.proposed), report.attributions[0].outcome) == (1, Outcome.SUCCESS)
    assert report.problems == []


@pytest.mark.parametrize("fault", BAD)
def test_an_unusable_answer_is_one_lost_vote(asked: Asked, fault: str) -> None:
    report = asked({"text": GOOD}, {"text": GOOD}, {"text": BAD[fault]})

    assert [e.source.votes for e in report.proposed] == [2]
    assert sum("Its vote is lost." in m for m in report.messages) == 1
    assert not report.is_partial


@pytest.mark.parametrize("fault", BAD)
def test_when_no_answer_is_usable_rules_stand_in(asked: Asked, fault: str) -> None:
    report = asked({"text": BAD[fault]})

    assert (codes(report), len(report.proposed)) == (["unusable_reply"], RULES_PROPOSE)
    assert {e.source.reflector for e in report.proposed} == {"rules"}
    assert "Rules reflected instead." in report.messages
    assert report.problems[0].hint


@EVERY_PROTOCOL
@pytest.mark.parametrize(
    ("turn", "says", "requests"),
    [
        ({"status": 401, "message": f"Incorrect API key provided: {KEY}"}, "not accepted", 3),
        ({"status": 403}, "may not use the model", 3),
        ({"status": 404}, "no such model", 3),
        ({"status": 429, "message": "You exceeded your current quota."}, "no credit left", 3),
        ({"status": 400, "message": "maximum context length is 8192 tokens"}, "longer than", 3),
    ],
)
def test_what_a_person_must_change_is_said_once_and_not_asked_again(
    asked: Asked, model: str, turn: dict[str, Any], says: str, requests: int
) -> None:
    report = asked(turn, model=model, llm_api_key=KEY)

    assert codes(report) == ["model_failed"]
    assert says in told(report)
    assert "The trace is kept." in told(report)
    assert len(asked.server.requests) == requests
    assert len(report.proposed) == RULES_PROPOSE
    assert KEY not in f"{told(report)} {report.messages}"


@EVERY_PROTOCOL
@pytest.mark.parametrize("status", [429, 500, 529])
def test_a_busy_or_broken_endpoint_is_asked_again(asked: Asked, model: str, status: int) -> None:
    report = asked({"status": status}, {"text": GOOD}, model=model, samples=1)

    assert (len(report.proposed), report.problems) == (1, [])
    assert len(asked.server.requests) == 2


def test_an_endpoint_says_how_long_to_wait(asked: Asked) -> None:
    began = time.monotonic()
    report = asked({"status": 429, "retry_after": 2}, {"text": GOOD}, samples=1)

    assert time.monotonic() - began >= 2
    assert len(report.proposed) == 1


@pytest.mark.parametrize("turn", [{"hang": True}, {"text": GOOD, "delay_s": 30}, {"status": 429}])
def test_one_deadline_is_over_everything(asked: Asked, turn: dict[str, Any]) -> None:
    asked({"text": GOOD}, samples=1)  # what takes long at first is loaded
    began = time.monotonic()
    report = asked(turn, llm_timeout_s="1")

    assert time.monotonic() - began < 3
    assert codes(report) == ["model_failed"]


def test_a_slow_answer_does_not_cost_the_others(asked: Asked) -> None:
    report = asked({"hang": True}, {"text": GOOD}, {"text": GOOD}, llm_timeout_s="3")

    assert [e.source.votes for e in report.proposed] == [2]
    assert any("no answer within 3 s" in message for message in report.messages)


def test_a_body_cut_off_on_the_way_is_asked_for_again(asked: Asked) -> None:
    report = asked({"text": GOOD, "truncated": True}, {"text": GOOD}, samples=1)

    assert (len(report.proposed), report.problems) == (1, [])


def test_nobody_at_the_address_is_said_with_where_to_look(asked: Asked) -> None:
    asked.server.close()
    report = asked({"text": GOOD}, samples=1)

    assert codes(report) == ["model_failed"]
    assert "cannot be reached" in told(report)
    assert "hindsight config show" in told(report)
    assert len(report.proposed) == RULES_PROPOSE


@EVERY_PROTOCOL
@pytest.mark.parametrize(
    ("refused", "says"), [("temperature", "no temperature"), ("response_format", "no JSON schema")]
)
def test_what_a_model_refuses_is_not_asked_for_again(
    asked: Asked, model: str, refused: str, says: str
) -> None:
    turn = {"text": GOOD, "refuse": refused}
    report = asked(turn, model=model, samples=1)

    assert (len(report.proposed), report.problems) == (1, [])
    (message,) = report.messages
    assert says in message
    first, second = asked.server.bodies
    assert set(first) - set(second)
    assert "messages" in second


def test_what_was_refused_for_one_trace_is_not_tried_for_the_next(
    asked: Asked, project: Project
) -> None:
    asked({"text": GOOD}, samples=1)
    other = recorded(project, "wrong-table")
    asked.server.play({"text": GOOD, "refuse": "temperature"})
    reflect_with_model(project, [asked.trace_id, other], plan_of(project, "llm", samples=1))

    assert ["temperature" in body for body in asked.server.bodies] == [True, False, False]


def test_a_model_known_to_take_no_temperature_is_asked_without_in_one_request(
    asked: Asked,
) -> None:
    report = asked({"text": GOOD}, model="openai/o3-mini", samples=1)

    (body,) = asked.server.bodies
    assert ("temperature" in body, len(report.proposed)) == (False, 1)


def test_no_more_is_asked_than_a_day_allows(asked: Asked) -> None:
    report = asked({"text": GOOD}, llm_daily_calls="4")
    assert (len(report.proposed), DailyCalls(asked.project).spent()) == (1, 3)

    report = asked({"text": GOOD}, llm_daily_calls="4")
    assert [d.code for d in report.dropped] == ["already_proposed"]
    assert sum("All 4 model calls" in message for message in report.messages) == 2
    assert len(asked.server.requests) == 1

    report = asked({"text": GOOD}, llm_daily_calls="4")
    assert (codes(report), asked.server.requests) == (["daily_calls_spent"], [])
    assert len(report.proposed) == RULES_PROPOSE


def test_a_second_try_counts_as_a_call(asked: Asked) -> None:
    asked({"status": 500}, {"text": GOOD}, samples=1)
    assert DailyCalls(asked.project).spent() == 2


def test_a_stale_experience_is_handed_in_and_its_verdict_is_only_told(
    asked: Asked, project: Project
) -> None:
    from hindsight_cli.api.expiring import expire
    from hindsight_cli.api.proposing import add_experiences

    own = said(cites=[])
    del own["cites"], own["scope"]
    (state,) = add_experiences(project, [own], approve=True)
    expire(project, days=0)
    known = state.experience.experience_id
    verdict = {"experience_id": known, "verdict": "contradicted"}
    other = said(kind="key_decision", scenario="`ss -ltnp | grep 3306` shows a listener")
    report = asked({"text": an_answer(other, verdicts=[verdict])})

    assert known in asked.server.bodies[0]["messages"][0]["content"]
    assert f"The answer says that {known} is contradicted: look at it yourself." in report.messages


def test_a_trace_in_chinese_is_asked_about_in_chinese(asked: Asked, project: Project) -> None:
    asked.trace_id = recorded(project, "wrong-table")
    asked({"text": an_answer()}, samples=1)
    prompt = asked.server.bodies[0]["messages"][0]["content"]

    assert prompt.startswith("你")
