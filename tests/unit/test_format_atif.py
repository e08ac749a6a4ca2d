"""ATIF trajectories: statuses out of what converters leave, copies, subagents, odd documents."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from hindsight_cli.capture.draft import Draft, DraftEvent, Problem
from hindsight_cli.capture.formats import atif, detect_format
from hindsight_cli.records.event import EventType, Status, ToolKind
from tests.unit.format_reading import events, reader_of
from tests.unit.test_format_shapes import assert_sound, bent

BAKERY = Path(__file__).parent.parent / "fixtures" / "atif" / "bakery.json"
MAIN = "5f0c7b1e-2222-4a00-9c00-0000000000aa-atif"


drafts = reader_of(atif)


def document(*steps: dict[str, Any], **more: Any) -> dict[str, Any]:
    numbered = [{"step_id": n, **step} for n, step in enumerate(steps, start=1)]
    agent = {"name": "oven-agent", "version": "1"}
    return {
        "schema_version": "ATIF-v1.6",
        "session_id": "run-1",
        "agent": agent,
        "steps": numbered,
        **more,
    }


def written(path: Path, *documents: Any) -> Path:
    path.write_text("\n".join(json.dumps(one) for one in documents), encoding="utf-8")
    return path


def a_call(call_id: str, name: str = "Bash", **arguments: Any) -> dict[str, Any]:
    return {"tool_call_id": call_id, "function_name": name, "arguments": arguments}


def result_of(path: Path, content: Any, *, tool: str = "Bash", **more: Any) -> DraftEvent:
    """The one result of a document with one call of `bake`."""
    call_extra = more.pop("call_extra", None)
    call = a_call("c1", tool, command="bake") | ({"extra": call_extra} if call_extra else {})
    result = {"source_call_id": "c1", "content": content, **more}
    step = {
        "source": "agent",
        "message": "",
        "tool_calls": [call],
        "observation": {"results": [result]},
    }
    (event,) = events(drafts(written(path, document(step))), EventType.TOOL_RESULT)
    return event


def test_a_step_is_a_record_and_its_parts_are_events_in_order() -> None:
    main = [d for d in drafts(BAKERY) if d.session.session_id == MAIN]

    assert [d.line for d in drafts(BAKERY)] == list(range(1, 11))
    assert [(e.event_type.value, e.text) for e in main[3].events] == [
        ("reasoning", "There may be two rye orders."),
        ("message", "I look at both orders."),
        ("tool_call", ""),
        ("tool_call", ""),
        ("tool_result", '[[order]]\nname = "rye"'),
        ("tool_result", "oven 3 is cold"),
    ]
    assert main[3].usage == {
        "prompt_tokens": 120,
        "completion_tokens": 8,
        "cached_tokens": 100,
        "cache_creation_input_tokens": 4,
    }


def test_only_what_a_person_said_is_the_task() -> None:
    opening = events(drafts(BAKERY)[:3])

    assert [(e.event_type.value, e.injected) for e in opening] == [
        ("message", True),
        ("message", True),
        ("task", False),
    ]
    assert opening[2].text.startswith("Bake the rye order")
    assert opening[2].extra == {"media": ["images/order.png"]}


def test_an_exit_code_beside_a_success_flag_is_a_failure() -> None:
    answers = {e.call_id: e for e in events(drafts(BAKERY), EventType.TOOL_RESULT)}

    failed = answers["c1"]
    assert (failed.status, failed.status_rule) == (Status.ERROR, "exit_code")
    assert (failed.exit_code, failed.native_status) == (7, "success")
    assert answers["c2"].status is Status.OK


@pytest.mark.parametrize(
    ("content", "more", "status", "rule"),
    [
        ("fine", {"extra": {"is_error": False}}, Status.OK, "flag"),
        ("no flour", {"extra": {"is_error": True}}, Status.ERROR, "flag"),
        ("no flour", {"extra": {"error": "no flour"}}, Status.ERROR, "flag"),
        ("no flour", {"call_extra": {"status": "failed"}}, Status.ERROR, "flag"),
        ("no", {"extra": {"status": "declined"}}, Status.DENIED, "denied_by_user"),
        ("", {"extra": {"status": "cancelled"}}, Status.CANCELLED, "interrupted"),
        ("x", {"extra": {"metadata": {"exit": 2}}}, Status.ERROR, "exit_code"),
        ("x\n\n[exit_code] 3", {}, Status.ERROR, "exit_code"),
        ("no flour\n\n[error] tool reported failure", {}, Status.ERROR, "flag"),
        ("Output: x\nExit Code: 4\nProcess Group PGID: 9", {}, Status.ERROR, "exit_code"),
        ("bash: bake: command not found", {"extra": {"success": True}}, Status.ERROR, None),
        ("baked", {"extra": {"success": True}}, Status.OK, "no_failure_signal"),
    ],
)
def test_the_status_is_derived_from_whatever_the_converter_left(
    tmp_path: Path, content: str, more: dict[str, Any], status: Status, rule: str | None
) -> None:
    event = result_of(tmp_path / "t.json", content, **more)

    assert event.status is status
    assert rule is None or event.status_rule == rule


def test_an_output_is_taken_as_the_model_saw_it(tmp_path: Path) -> None:
    raw = {"tool_result_metadata": {"raw_tool_result": {"type": "tool_result", "content": "baked"}}}

    event = result_of(tmp_path / "t.json", 'baked\n\n[metadata] {"kind": "x"}', extra=raw)

    assert (event.text, event.status_rule) == ("baked", "flag")


def test_codex_frames_round_an_output_are_taken_off(tmp_path: Path) -> None:
    frame = "Wall time: 0.5000 seconds\nProcess exited with code 2\nOutput:\nno rule"
    step = {
        "source": "agent",
        "message": "",
        "tool_calls": [a_call("c1", "exec_command", cmd="make")],
        "observation": {"results": [{"source_call_id": "c1", "content": frame}]},
    }
    path = written(tmp_path / "t.json", document(step, agent={"name": "codex", "version": "1"}))

    (event,) = events(drafts(path), EventType.TOOL_RESULT)

    assert (event.text, event.exit_code, event.duration_ms) == ("no rule", 2, 500)
    assert event.status is Status.ERROR


def test_keystrokes_sent_to_a_terminal_are_a_command(tmp_path: Path) -> None:
    step = {
        "source": "agent",
        "message": "",
        "tool_calls": [a_call("c1", "bash_command", keystrokes="bake rye\n", duration=1.0)],
        "observation": {
            "results": [{"source_call_id": "c1", "content": "bash: bake: command not found"}]
        },
    }

    (event,) = events(drafts(written(tmp_path / "t.json", document(step))), EventType.TOOL_RESULT)

    assert (event.tool_kind, event.status) == (ToolKind.SHELL, Status.ERROR)


def test_what_only_a_converter_says_is_no_message() -> None:
    step = next(d for d in drafts(BAKERY) if d.line == 5)

    assert [e.event_type.value for e in step.events] == ["tool_call", "tool_result"]


def test_results_without_a_call_are_observations() -> None:
    step = next(d for d in drafts(BAKERY) if d.line == 6)

    kinds = [e.event_type.value for e in step.events]
    assert kinds == ["tool_call", "observation", "observation"]


def test_the_only_result_answers_the_only_call(tmp_path: Path) -> None:
    step = {
        "source": "agent",
        "message": "",
        "tool_calls": [a_call("c1", command="bake")],
        "observation": {"results": [{"content": "baked"}]},
    }

    (event,) = events(drafts(written(tmp_path / "t.json", document(step))), EventType.TOOL_RESULT)

    assert (event.call_id, event.tool_name) == ("c1", "Bash")


def test_calls_with_one_id_keep_their_own_results(tmp_path: Path) -> None:
    results = [{"source_call_id": "x", "content": text} for text in ("first", "second")]
    step = {
        "source": "agent",
        "message": "",
        "tool_calls": [a_call("x", command="one"), a_call("x", command="two")],
        "observation": {"results": results},
    }

    found = events(drafts(written(tmp_path / "t.json", document(step))))

    assert [e.text or e.input["command"] for e in found] == ["one", "first", "two", "second"]


def test_a_subagent_is_a_session_of_its_own_linked_to_its_call() -> None:
    inner = [d for d in drafts(BAKERY) if d.session.session_id != MAIN]

    session = inner[0].session
    assert session.session_id == f"{MAIN}-agent-heater-1"
    assert (session.parent_session_id, session.parent_call_id) == (MAIN, "c3")
    assert session.agent_version == "2.1"
    (refused,) = events(inner, EventType.TOOL_RESULT)
    assert refused.status is Status.DENIED
    (made,) = [e for e in events(drafts(BAKERY)) if e.call_id == "c3" and e.text]
    assert made.extra["agent_id"] == "heater-1"


def test_a_reward_is_the_outcome_and_its_source_is_told() -> None:
    (outcome,) = events(drafts(BAKERY), EventType.OUTCOME)

    assert outcome.extra == {"outcome": "success", "source": "reward", "reward": 1.0}


def test_copied_context_is_not_counted_twice_but_keeps_the_task(tmp_path: Path) -> None:
    copied: list[dict[str, Any]] = [
        {"source": "user", "message": "Bake rye.", "is_copied_context": True},
        {
            "source": "agent",
            "message": "Baking.",
            "tool_calls": [a_call("c1", command="bake")],
            "observation": {"results": [{"source_call_id": "c1", "content": "x"}]},
            "metrics": {"prompt_tokens": 5},
            "is_copied_context": True,
        },
    ]
    steps = [*copied, {"source": "user", "message": "Go on."}]
    more = {"continued_trajectory_ref": "trajectory.cont-2.json"}

    found = drafts(written(tmp_path / "t.json", document(*steps, **more)))

    assert [(e.event_type.value, e.text) for e in events(found)] == [
        ("task", "Bake rye."),
        ("message", "Go on."),
        ("end", ""),
    ]
    assert [d.usage for d in found] == [None] * 4
    assert found[-1].events[0].extra["end_state"] == "continued"


@pytest.mark.parametrize("name", ["unknown", "oven-agent", None])
def test_an_id_that_converters_give_to_every_run_does_not_merge_runs(
    tmp_path: Path, name: str | None
) -> None:
    ids = set()
    for number, words in enumerate(["Bake rye.", "Bake wheat."]):
        one = document({"source": "user", "message": words}, session_id=name)
        ids |= {d.session.session_id for d in drafts(written(tmp_path / f"{number}.json", one))}

    assert len(ids) == 2


def test_a_run_that_goes_on_keeps_the_identity_of_its_steps(tmp_path: Path) -> None:
    call = {"source": "agent", "message": "", "tool_calls": [a_call("c1", command="bake")]}
    answered = {**call, "observation": {"results": [{"source_call_id": "c1", "content": "x"}]}}
    task = {"source": "user", "message": "Bake rye."}

    before = drafts(written(tmp_path / "a.json", document(task, call)))
    after = drafts(written(tmp_path / "b.json", document(task, answered)))

    assert [d.native_id for d in before] == [d.native_id for d in after]


@pytest.mark.parametrize("several", ["lines", "list"])
def test_several_trajectories_in_a_file_are_all_read(tmp_path: Path, several: str) -> None:
    runs = [
        document({"source": "user", "message": "Bake."}, session_id=f"run-{n}") for n in range(3)
    ]
    path = tmp_path / "runs.json"
    written(path, *runs) if several == "lines" else written(path, runs)

    assert detect_format(path) == "atif"
    assert [d.session.session_id for d in drafts(path)] == [f"run-{n}-atif" for n in range(3)]


def test_what_stands_behind_the_steps_still_names_the_session(tmp_path: Path) -> None:
    given = document({"source": "user", "message": "Bake."})
    path = tmp_path / "sorted.json"
    path.write_text(json.dumps(dict(reversed(given.items()))), encoding="utf-8")

    assert drafts(path)[0].session.session_id == "run-1-atif"


def test_one_bad_step_costs_only_itself(tmp_path: Path) -> None:
    given = document({"source": "user", "message": "Bake."})
    given["steps"] += [7, {"message": "no source"}, {"source": "oven", "message": "hot"}]
    given["steps"].append({"source": "agent", "message": "Done."})

    records = list(atif.read(written(tmp_path / "t.json", given)))

    assert [r.line for r in records if isinstance(r, Problem)] == [2, 3]
    kept = [r for r in records if isinstance(r, Draft)]
    assert [(d.native_type, d.known) for d in kept] == [
        ("user", True),
        ("oven", False),
        ("agent", True),
    ]


def test_a_document_that_is_cut_off_keeps_the_steps_before_the_cut(tmp_path: Path) -> None:
    text = json.dumps(document(*[{"source": "user", "message": f"{n}"} for n in range(9)]))
    path = tmp_path / "cut.json"
    path.write_text(text[: len(text) - 40], encoding="utf-8")

    records = list(atif.read(path))

    assert isinstance(records[-1], Problem)
    assert len([r for r in records if isinstance(r, Draft)]) >= 7


@pytest.mark.parametrize("seed", range(3))
def test_bent_trajectories_are_read_without_a_crash(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    source = json.loads(BAKERY.read_text(encoding="utf-8"))
    path = tmp_path / "bent.json"
    for _ in range(60):
        written(path, bent(source, chance))

        detect_format(path)

        for record in atif.read(path):
            if isinstance(record, Draft):
                assert_sound(record)


@pytest.mark.parametrize("version", range(9))
def test_every_version_is_recognised(tmp_path: Path, version: int) -> None:
    given = document({"source": "user", "message": "Bake."}, schema_version=f"ATIF-v1.{version}")

    assert detect_format(written(tmp_path / "t.json", given)) == "atif"


def test_a_transcript_that_speaks_of_atif_is_not_taken_for_it(tmp_path: Path) -> None:
    said = json.dumps(document({"source": "user", "message": "Bake."}))
    path = written(tmp_path / "t.json", [{"role": "user", "content": said}])

    assert detect_format(path) == "messages"
