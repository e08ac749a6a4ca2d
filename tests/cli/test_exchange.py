"""`hindsight traces export`, and what comes back."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from hindsight_cli.api.project import Project
from tests.conftest import MYSQL, SAMPLES, Done, Hindsight, run_hindsight

CLAUDE = Path(__file__).parent.parent / "fixtures" / "atif" / "bakery.json"


def steps(hindsight: Hindsight, trace: str) -> list[tuple[Any, ...]]:
    events = hindsight("traces", "show", trace, "--json").data["events"]
    names = ("step_index", "event_type", "tool_name", "status", "exit_code", "error_type", "input")
    return [tuple(event[name] for name in names) for event in events]


@pytest.fixture
def elsewhere(tmp_path: Path) -> Hindsight:
    """Another project: where the run is already, its export tells nothing new."""
    root = tmp_path / "elsewhere"
    Project(root).root.mkdir()
    Project(root).init()

    def run(*arguments: str) -> Done:
        return run_hindsight(arguments, cwd=root, env={})

    return run


@pytest.fixture
def sample(hindsight: Hindsight) -> str:
    hindsight("import", str(SAMPLES / "mysql-container.jsonl"))
    return MYSQL


def test_a_trace_comes_back_with_its_steps_and_statuses(
    hindsight: Hindsight, elsewhere: Hindsight, sample: str, tmp_path: Path
) -> None:
    file = tmp_path / "run.json"

    exported = hindsight("traces", "export", sample, "-o", str(file), "--json").data
    imported = elsewhere("import", str(file), "--json").data

    assert (exported["trace_id"], exported["path"]) == (sample, str(file))
    assert imported["imported"] == imported["found"] == exported["steps"]
    (row,) = imported["traces"]
    assert row["trace_id"] == f"{sample}-export"
    assert steps(elsewhere, row["trace_id"]) == steps(hindsight, sample)
    assert elsewhere("import", str(file), "--json").data["imported"] == 0
    assert hindsight("import", str(file), "--json").data["imported"] == 0


def test_the_file_is_for_this_user_alone(hindsight: Hindsight, sample: str, tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    hindsight("traces", "export", sample, "-o", str(file))

    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_without_a_file_stdout_is_the_document(hindsight: Hindsight, sample: str) -> None:
    document = json.loads(hindsight("traces", "export", sample).out)

    assert document["schema_version"] == "ATIF-v1.7"
    assert [step["step_id"] for step in document["steps"]] == list(
        range(1, len(document["steps"]) + 1)
    )
    for step in document["steps"]:
        calls = {call["tool_call_id"] for call in step.get("tool_calls", [])}
        answers = [r["source_call_id"] for r in step.get("observation", {}).get("results", [])]
        assert set(answers) <= calls
        assert step["source"] == "agent" or not step.keys() & {"tool_calls", "metrics"}


def test_subagents_go_along_and_come_back(
    hindsight: Hindsight, elsewhere: Hindsight, tmp_path: Path
) -> None:
    hindsight("import", str(CLAUDE))
    main = "5f0c7b1e-2222-4a00-9c00-0000000000aa-atif"
    file = tmp_path / "run.json"

    exported = hindsight("traces", "export", main, "-o", str(file), "--json").data
    rows = elsewhere("import", str(file), "--json").data["traces"]

    assert exported["subagents"] == 1
    assert {row["trace_id"] for row in rows} == {
        f"{main}-export",
        f"{main}-export-agent-heater-1",
    }
    assert {row["outcome"] for row in rows} == {"success", "unknown"}
    for suffix in ("", "-agent-heater-1"):
        back = steps(elsewhere, f"{main}-export{suffix}")
        assert back == steps(hindsight, f"{main}{suffix}")


def test_a_format_that_cannot_be_written_is_named(hindsight: Hindsight, sample: str) -> None:
    result = hindsight("traces", "export", sample, "--format", "otlp", "--json")

    assert (result.code, result.document["errors"][0]["code"]) == (2, "format_not_found")
