"""OpenTelemetry of agents: order, refusals, calls told twice, contents left out."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from hindsight_cli.capture.draft import Draft, Problem
from hindsight_cli.capture.formats import detect_format, otlp
from hindsight_cli.records.event import EventType, Status, ToolKind
from tests.unit.format_reading import events, reader_of
from tests.unit.test_format_shapes import assert_sound, bent

FOLDER = Path(__file__).parent.parent / "fixtures" / "otlp"
CLAUDE_LOGS, CLAUDE_SPANS, GENAI = (
    FOLDER / f"{name}.jsonl" for name in ("claude_logs", "claude_spans", "genai")
)
GEMINI = FOLDER / "gemini_logs.json"
ALL = [CLAUDE_LOGS, CLAUDE_SPANS, GENAI, GEMINI]


drafts = reader_of(otlp)


def attributes(**named: Any) -> list[dict[str, Any]]:
    return [
        {"key": key.replace("__", "."), "value": {"stringValue": value}}
        for key, value in named.items()
    ]


def a_log(name: str, body: Any = None, **named: Any) -> dict[str, Any]:
    record = {"timeUnixNano": "1790000001000000000", "attributes": attributes(**named)}
    return record | {"eventName": name} | ({"body": body} if body is not None else {})


def logs(path: Path, *records: dict[str, Any]) -> Path:
    request = {"resourceLogs": [{"scopeLogs": [{"logRecords": list(records)}]}]}
    path.write_text(json.dumps(request), encoding="utf-8")
    return path


def a_span(span_id: str, start: int, **named: Any) -> dict[str, Any]:
    return {
        "traceId": "t",
        "spanId": span_id,
        "name": "chat",
        "startTimeUnixNano": 1790000000000000000 + start,
        "attributes": attributes(**named),
    }


def spans(path: Path, *records: dict[str, Any]) -> Path:
    request = {"resourceSpans": [{"scopeSpans": [{"spans": list(records)}]}]}
    path.write_text(json.dumps(request), encoding="utf-8")
    return path


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_requests_of_every_signal_are_recognised(path: Path) -> None:
    assert detect_format(path) == "otlp"


def test_claude_codes_logs_tell_prompts_replies_calls_and_failures() -> None:
    found = events(drafts(CLAUDE_LOGS))

    assert [(e.event_type.value, e.text) for e in found[:4]] == [
        ("task", "Bake the rye order."),
        ("message", "I bake."),
        ("tool_call", ""),
        ("tool_result", "Shell command failed"),
    ]
    call, result = found[2:4]
    assert call.input == {"command": "make rye", "description": "Bake"}
    assert (result.status, result.duration_ms, result.native_status) == (Status.ERROR, 40, "error")
    assert result.extra == {"error_class": "ShellError"}


def test_the_programs_own_requests_are_no_part_of_the_run() -> None:
    assert "Short title" not in [e.text for e in events(drafts(CLAUDE_LOGS))]


def test_who_refused_a_call_is_told() -> None:
    answers = {e.call_id: e for e in events(drafts(CLAUDE_LOGS), EventType.TOOL_RESULT)}

    assert (answers["t2"].status, answers["t2"].status_rule) == (Status.DENIED, "denied_by_user")
    assert (answers["t3"].status, answers["t3"].status_rule) == (Status.DENIED, "denied_by_policy")


def test_an_allowed_call_that_never_ended_has_no_result() -> None:
    mine = [e for e in events(drafts(CLAUDE_LOGS)) if e.call_id == "t4"]

    (call,) = mine
    assert (call.event_type, call.server, call.tool_kind) == (
        EventType.TOOL_CALL,
        "oven",
        ToolKind.MCP,
    )


def test_a_call_keeps_its_identity_when_its_end_is_logged(tmp_path: Path) -> None:
    lines = CLAUDE_LOGS.read_text(encoding="utf-8").splitlines()
    begun = tmp_path / "begun.jsonl"
    begun.write_text(lines[0] + "\n", encoding="utf-8")

    (before,) = [d for d in drafts(begun) if events([d], EventType.TOOL_CALL)]
    (after, *_) = [d for d in drafts(CLAUDE_LOGS) if events([d], EventType.TOOL_CALL)]

    assert before.native_id == after.native_id
    assert (len(before.events), len(after.events)) == (1, 2)


def test_tokens_of_a_reply_are_counted_once() -> None:
    counted = [d.usage for d in drafts(CLAUDE_LOGS) if d.usage]
    assert counted == [{"input_tokens": 12, "output_tokens": 3, "cost_usd": 0.5}]
    counted = [d.usage for d in drafts(GENAI) if d.usage]
    assert [usage["input_tokens"] for usage in counted] == [10, 20]


def test_every_record_is_counted_and_unknown_ones_are_named() -> None:
    found = drafts(CLAUDE_LOGS)

    assert len(found) == 12
    assert [d.native_type for d in found if not d.known] == ["log/claude_code.oven_warmed"]


def test_geminis_success_of_a_command_is_no_word_on_its_outcome() -> None:
    shell, read, heat = events(drafts(GEMINI), EventType.TOOL_RESULT)

    assert (shell.status, shell.status_rule) == (Status.OK, "no_failure_signal")
    assert shell.native_status == "success"
    assert (read.status, read.error_type) == (Status.ERROR, "not_found")
    assert (heat.status, heat.server) == (Status.DENIED, "oven")


def test_claude_codes_spans_are_judged_by_the_part_that_ran() -> None:
    answers = {e.call_id: e for e in events(drafts(CLAUDE_SPANS), EventType.TOOL_RESULT)}

    assert (answers["t1"].status, answers["t1"].text) == (
        Status.ERROR,
        "make: *** [rye] Error 2",
    )
    assert answers["t2"].status is Status.DENIED
    assert answers["t3"].status is Status.OK
    calls = events(drafts(CLAUDE_SPANS), EventType.TOOL_CALL)
    assert calls[0].input == {"command": "make rye"}


def test_spans_are_told_in_the_order_in_which_they_began() -> None:
    main = [d for d in drafts(GENAI) if "-agent-" not in d.session.session_id]

    assert [(e.event_type.value, e.text or e.tool_name) for e in events(main)] == [
        ("task", "Bake the rye order."),
        ("message", "You bake."),
        ("reasoning", "Which oven?"),
        ("message", "I bake."),
        ("tool_call", "shell"),
        ("tool_result", "oven 3 is cold"),
        ("message", "The oven is cold."),
        ("tool_call", "delegate"),
        ("tool_result", "delegate"),
    ]
    assert events(main)[1].injected


def test_an_agent_inside_an_agent_is_a_session_linked_to_its_call() -> None:
    inner = [d for d in drafts(GENAI) if "-agent-" in d.session.session_id]

    session = inner[0].session
    assert (session.parent_session_id, session.parent_call_id) == ("conv-7-otlp-spans", "c2")
    assert [e.tool_name for e in events(inner, EventType.TOOL_CALL)] == ["heat"]


def test_what_lies_in_claude_codes_agent_tool_is_a_subagents(tmp_path: Path) -> None:
    records = [
        a_span("1", 1, session__id="c", user_prompt="Bake.") | {"name": "claude_code.interaction"},
        a_span("2", 2, session__id="c", tool_name="Agent", tool_use_id="t1"),
        a_span("3", 3, session__id="c", tool_name="Read", tool_use_id="t2"),
    ]
    for number, record in enumerate(records[1:], start=1):
        record |= {"name": "claude_code.tool", "parentSpanId": str(number)}

    found = drafts(spans(tmp_path / "t.json", *records))

    sessions = {e.tool_name: d.session for d in found for e in d.events if e.tool_name}
    assert sessions["Agent"].session_id == "c-otlp-spans"
    assert sessions["Read"].session_id == "c-otlp-spans-agent-2"
    assert sessions["Read"].parent_call_id == "t1"


def test_a_span_that_names_no_session_is_of_its_traces(tmp_path: Path) -> None:
    tool = {"gen_ai__operation__name": "execute_tool", "gen_ai__tool__name": "heat"}
    path = spans(
        tmp_path / "t.json",
        a_span("1", 2, **tool),
        a_span("2", 1, gen_ai__operation__name="chat", gen_ai__conversation__id="c9"),
    )

    assert {d.session.session_id for d in drafts(path)} == {"c9-otlp-spans"}


def test_without_contents_a_call_is_still_a_call(tmp_path: Path) -> None:
    tool = {"gen_ai__operation__name": "execute_tool", "gen_ai__tool__name": "heat"}
    path = spans(tmp_path / "t.json", a_span("1", 1, **tool, error__type="timeout"))

    call, result = events(drafts(path))

    assert (call.input, result.text) == (None, "")
    assert result.status is Status.ERROR


def test_openinference_tools_are_read(tmp_path: Path) -> None:
    named = {"tool.name": "shell", "input.value": '{"command": "make"}', "output.value": "done"}
    given = {key.replace(".", "__"): value for key, value in named.items()}
    path = spans(tmp_path / "t.json", a_span("1", 1, openinference__span__kind="TOOL", **given))

    call, result = events(drafts(path))

    assert (call.input, result.text) == ({"command": "make"}, "done")


def test_messages_as_log_events_are_read_once(tmp_path: Path) -> None:
    user = a_log("gen_ai.user.message", {"stringValue": "Bake."}, session__id="s")
    call = {
        "kvlistValue": {
            "values": [
                {"key": "content", "value": {"stringValue": "Ok."}},
                {"key": "tool_calls", "value": {"stringValue": '[{"id": "c1", "name": "heat"}]'}},
            ]
        }
    }
    path = logs(
        tmp_path / "t.json",
        user,
        a_log("gen_ai.choice", {"kvlistValue": {"values": [{"key": "message", "value": call}]}}),
        user,
    )

    found = events(drafts(path))

    assert [(e.event_type.value, e.text or e.tool_name) for e in found] == [
        ("task", "Bake."),
        ("message", "Ok."),
        ("tool_call", "heat"),
    ]


def test_numbers_may_be_written_either_way() -> None:
    for written in (7, "7"):
        assert otlp_value({"intValue": written}) == 7


def otlp_value(value: dict[str, Any]) -> Any:
    from hindsight_cli.capture.formats.otlp_signals import value_of

    return value_of(value)


def test_records_that_geminis_sdk_prints_are_read(tmp_path: Path) -> None:
    record = {
        "hrTime": [1790000000, 0],
        "resource": {"attributes": {"service.name": "gemini-cli"}},
        "attributes": {
            "session.id": "g2",
            "event.name": "gemini_cli.user_prompt",
            "prompt": "Bake.",
        },
    }
    path = tmp_path / "telemetry.log"
    path.write_text("\n".join(json.dumps(record, indent=2) for _ in range(2)), encoding="utf-8")

    assert detect_format(path) == "otlp"
    assert [e.text for e in events(drafts(path))] == ["Bake.", "Bake."]


def test_metrics_hold_nothing_of_a_run(tmp_path: Path) -> None:
    path = tmp_path / "metrics.json"
    request = {"resourceMetrics": [{"scopeMetrics": [{"metrics": [{"name": "claude_code.cost"}]}]}]}
    path.write_text(json.dumps(request), encoding="utf-8")

    (draft,) = drafts(path)

    assert (detect_format(path), draft.known, draft.events) == ("otlp", True, ())


def test_a_broken_line_costs_only_itself(tmp_path: Path) -> None:
    path = tmp_path / "broken.jsonl"
    lines = CLAUDE_LOGS.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([lines[0], '{"resourceLogs": [', "7", lines[1], ""]), "utf-8")

    records = list(otlp.read(path))

    assert [r.line for r in records if isinstance(r, Problem)] == [2, 3]
    assert len([r for r in records if isinstance(r, Draft)]) == 12


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_bent_telemetry_is_read_without_a_crash(tmp_path: Path, path: Path) -> None:
    chance = random.Random(path.stem)
    text = path.read_text(encoding="utf-8")
    lines = [text] if path is GEMINI else text.splitlines()
    requests = [json.loads(line) for line in lines]
    given = tmp_path / "bent.jsonl"
    for _ in range(60):
        given.write_text("\n".join(json.dumps(bent(r, chance)) for r in requests), "utf-8")

        detect_format(given)

        for record in otlp.read(given):
            if isinstance(record, Draft):
                assert_sound(record)
