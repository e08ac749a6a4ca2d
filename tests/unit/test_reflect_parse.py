from __future__ import annotations

import json
from typing import Any

import pytest

from hindsight_cli.records.event import Outcome
from hindsight_cli.reflect.parse import UnusableReply, parse_reply

ANSWER: dict[str, Any] = {
    "task_status": "success",
    "key_steps": [1, 3],
    "invalid_steps": [{"step": 2, "reason": "the same again"}],
    "experiences": [
        {"kind": "failure_lesson", "scenario": "a {", "recommend": "b", "cites": [{"step": 2}]}
    ],
    "verdicts": [{"experience_id": "ex-1", "verdict": "verified"}],
}
JSON = json.dumps(ANSWER)


@pytest.mark.parametrize(
    "reply",
    [
        JSON,
        f"```json\n{JSON}\n```",
        f'<think>Perhaps {{"task_status": 1}}?</think>\n{JSON}',
        f"Let me see ... {{no json}} ...</think>Here it is:\n\n{JSON}\nHope this helps!",
        f'{{"task_status":"failure","experiences":[]}}\nWait, better:\n{JSON}',
        f'{JSON}\n\nThe shape was {{"a": 1}}.',
        f'<thinking>{{"task_status":"failure","experiences":[]}}\n</thinking>{JSON}',
        f'<tool_call>\n{{"name": "reflection", "arguments": {JSON}}}\n</tool_call>',
        f'<function_call>{{"name": "reflection", "parameters": {JSON}}}</function_call>',
        json.dumps({"name": "reflection", "arguments": JSON}),
        f"<tool_call>{JSON}</tool_call>",
        f"{JSON[:-1]},\n}}",
        JSON.replace("]", ",]").replace("[,]", "[]"),
    ],
)
def test_the_same_answer_is_read_out_of_every_wrapping(reply: str) -> None:
    answer = parse_reply(reply)

    assert answer.task_status is Outcome.SUCCESS
    assert answer.key_steps == (1, 3)
    assert [s.step_index for s in answer.invalid_steps] == [2]
    assert answer.experiences == tuple(ANSWER["experiences"])
    assert answer.verdicts[0].verdict == "verified"


def test_tags_inside_the_json_are_text() -> None:
    told = dict(ANSWER, experiences=[{"scenario": "strip </think> and <think>", "cites": []}])

    answer = parse_reply(json.dumps(told))

    assert answer.experiences[0]["scenario"] == "strip </think> and <think>"


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "empty"),
        ("  \n", "empty"),
        ("I cannot help with that.", "no JSON object"),
        (JSON[:-30], "truncated"),
        ("<think>" + JSON, "reasoning"),
        ('{"task_status":"success"}', "experiences"),
        ('{"task_status":"great","experiences":[]}', "task_status"),
        ('{"task_status":"success","experiences":[],"note":1}', "note"),
        ('{"task_status":"success","experiences":{}}', "experiences"),
        ('{"task_status":"success","experiences":[],"key_steps":["3"]}', "key_steps"),
        ('{"task_status":"success","experiences":[],"key_steps":[true]}', "key_steps"),
        ('{"task_status":"success","experiences":[],"invalid_steps":[3]}', "invalid_steps"),
        ('{"task_status":"success","experiences":[],"experiences":[]}', "twice"),
        ('{"task_status":"success","experiences":[],"key_steps":[NaN]}', "NaN"),
        (JSON.replace(", ", ",, ", 1), "broken"),
        ('{"name":"reflection","arguments":"{"}', "tool call"),
        ("{" * 50_000, "JSON"),
        ('{"a":' * 3_000, "JSON"),
        ("x" * 500_000, "longer"),
        ('{"a":[1,],' * 30_000, "JSON"),
    ],
    ids=range(20),
)
def test_an_unusable_reply_says_why(reply: str, reason: str) -> None:
    with pytest.raises(UnusableReply, match=reason):
        parse_reply(reply)


def test_what_is_wrong_with_one_experience_is_reported_and_left_to_the_guard() -> None:
    broken = {"kind": 7, "recommend": "b", "cites": "2"}
    told = dict(ANSWER, experiences=[*ANSWER["experiences"], broken, "text"])

    answer = parse_reply(json.dumps(told))

    assert answer.experiences[1] == broken
    assert len(answer.experiences) == 2
    assert any("experience 2" in p and "scenario" in p for p in answer.problems)
    assert any("experience 3 is no object" in p for p in answer.problems)
