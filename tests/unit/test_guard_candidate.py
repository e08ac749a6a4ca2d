from __future__ import annotations

import json
from typing import Any

import pytest

from hindsight_cli.guard.candidate import Cite, SchemaError, load_strict, parse_candidate
from hindsight_cli.records.experience import ExperienceKind, Layer, Scope

PROPOSAL: dict[str, Any] = {
    "kind": "failure_lesson",
    "scenario": "Port 3306 is taken",
    "recommend": "Publish `-p 3307:3306`.",
    "cites": [{"step": 3, "tool": "Bash"}],
}


def refused(raw: Any) -> str:
    with pytest.raises(SchemaError) as caught:
        parse_candidate(raw)
    return caught.value.code


def test_a_proposal_in_the_documented_shape_is_read_whole() -> None:
    candidate = parse_candidate(
        {
            **PROPOSAL,
            "avoid": "Restarting.",
            "why": "The host runs mysqld.",
            "workaround": True,
            "layer": "general",
            "scope": {"paths": ["db/**"], "tools": {"docker": ">=20"}},
            "tool_tags": ["docker", "docker"],
            "task_tags": ["deploy"],
        }
    )

    assert candidate.kind is ExperienceKind.FAILURE_LESSON
    assert candidate.cites == (Cite(step=3, tool="Bash"),)
    assert candidate.scope == Scope(paths=("db/**",), tools={"docker": ">=20"})
    assert (candidate.layer, candidate.workaround) == (Layer.GENERAL, True)
    assert candidate.tool_tags == ("docker",)


def test_lists_of_steps_and_tools_are_read_without_guessing_which_belong_together() -> None:
    raw = {k: v for k, v in PROPOSAL.items() if k != "cites"}

    one = parse_candidate({**raw, "cited_steps": [1, 2], "cited_tools": ["bash"]})
    two = parse_candidate({**raw, "cited_steps": [1, 2], "cited_tools": ["bash", "read"]})

    assert one.cites == (Cite(step=1, tool="bash"), Cite(step=2, tool="bash"))
    assert (two.cites, two.any_tool) == ((Cite(step=1), Cite(step=2)), ("bash", "read"))


@pytest.mark.parametrize(
    "change",
    [
        {"status": "approved"},
        {"weight": 1.0},
        {"verified": True},
        {"__proto__": {}},
        {"note": "x"},
        {"kind": "tip"},
        {"kind": None},
        {"scenario": ""},
        {"recommend": "   "},
        {"recommend": 7},
        {"recommend": "x\x00"},
        {"recommend": "\ud800"},
        {"cites": [{"step": "3"}]},
        {"cites": [{"step": True}]},
        {"cites": [{"step": 10**40}]},
        {"cites": [{"step": float("nan")}]},
        {"cites": [{"step": 1, "why": "x"}]},
        {"cites": {"step": 1}},
        {"cites": [3]},
        {"cited_steps": [1]},
        {"workaround": "yes"},
        {"layer": "secret"},
        {"scope": []},
        {"scope": {"everything": True}},
        {"scope": {"tools": {"docker": 20}}},
        {"tool_tags": "docker"},
        {"tool_tags": ["a\u202eb"]},
    ],
)
def test_whatever_is_not_in_the_schema_is_refused(change: dict[str, Any]) -> None:
    assert refused({**PROPOSAL, **change}) == "schema"


@pytest.mark.parametrize("raw", [None, [], "text", 1])
def test_only_an_object_is_a_proposal(raw: Any) -> None:
    assert refused(raw) == "schema"


@pytest.mark.parametrize(
    ("recommend", "fits"),
    [
        ("word " * 280, True),
        ("word " * 310, False),
        ("字" * 480, True),
        ("字" * 510, False),
        ("字" * 300 + " word" * 150, False),
        ("x" * 2100, False),
    ],
)
def test_advice_is_at_most_500_chinese_characters_or_300_words(recommend: str, fits: bool) -> None:
    raw = {**PROPOSAL, "recommend": recommend}
    if fits:
        assert parse_candidate(raw).recommend
    else:
        assert refused(raw) == "too_long"


@pytest.mark.parametrize(
    "text",
    [
        '{"kind":"a","kind":"b"}',
        '{"weight":NaN}',
        '{"weight":Infinity}',
        '{"weight":1e999}',
        '{"step":' + "1" * 400 + "}",
        '{"a":' + "[" * 5000 + "]" * 5000 + "}",
        "[" * 100_000,
        "not json",
        "[]",
        '"text"',
        '{"a": "' + "x" * 300_000 + '"}',
    ],
)
def test_only_plain_bounded_json_without_repeated_keys_is_read(text: str) -> None:
    with pytest.raises(SchemaError):
        load_strict(text)


def test_brackets_inside_strings_are_no_nesting() -> None:
    data = {"recommend": 'Use `[[[[[[[[[[[[[[[[` and "{{{{{{{{{{{{{{{{" \\'}

    assert load_strict(json.dumps(data)) == data
