"""A session that was forked from another: what it copied counts once, what it adds is its own."""

from __future__ import annotations

import itertools
import json
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from hindsight_cli.api.importing import import_paths
from hindsight_cli.api.project import Project
from hindsight_cli.api.traces import list_traces
from hindsight_cli.traces.aside import first_event

_MARKED, _UNMARKED = "marked", "only by ids"
Record = dict[str, Any]


def _records(session: str, words: Sequence[str]) -> list[Record]:
    """For each text: what a person says, a call, and its failure."""
    found: list[Record] = []

    def add(kind: str, content: object) -> None:
        number = len(found)
        found.append(
            {
                "type": kind,
                "uuid": str(uuid.uuid5(uuid.NAMESPACE_OID, f"{session}-{number}")),
                "parentUuid": found[-1]["uuid"] if found else None,
                "sessionId": session,
                "timestamp": f"2026-11-30T10:{number:02d}:00.000Z",
                "message": {"role": kind, "id": f"{session}-{number}", "content": content},
            }
        )

    for n, text in enumerate(words):
        call = f"{session}-call-{n}"
        use = {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": f"make {n}"}}
        told = {"type": "tool_result", "tool_use_id": call, "is_error": True, "content": "no rule"}
        add("user", text)
        add("assistant", [use])
        add("user", [told])
    return found


def _forked(history: list[Record], session: str, words: Sequence[str], how: str) -> list[Record]:
    copies = []
    for record in history:
        copy = {**record, "sessionId": session}
        if how == _MARKED:
            origin = {"sessionId": record["sessionId"], "messageUuid": record["uuid"]}
            copy["forkedFrom"] = origin
        copies.append(copy)
    own = _records(session, words)
    own[0]["parentUuid"] = history[-1]["uuid"]
    return [*copies, *own]


def _write(folder: Path, session: str, records: list[Record]) -> Path:
    path = folder / f"{session}.jsonl"
    path.write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
    return path


def _counts(project: Project) -> dict[str, tuple[int, int]]:
    rows = list_traces(project)
    return {row.session_id: (row.tool_calls, row.failed_tool_calls) for row in rows}


@pytest.mark.parametrize("how", [_MARKED, _UNMARKED])
def test_a_fork_holds_its_own_steps_and_names_its_origin(
    project: Project, tmp_path: Path, how: str
) -> None:
    origin = _records("origin", ["build it", "again"])
    files = [
        _write(tmp_path, "origin", origin),
        _write(tmp_path, "fork", _forked(origin, "fork", ["test it"], how)),
    ]
    import_paths(project, files)
    assert _counts(project) == {"origin": (2, 2), "fork": (1, 1)}
    (row,) = [row for row in list_traces(project) if row.session_id == "fork"]
    assert row.task == "test it"
    path = project.traces.find_source("fork")
    event = first_event(path) if path else None
    assert event is not None
    assert event.extra["session"]["forked_from"] == "origin"
    again = import_paths(project, files)
    assert again.total("imported") == 0


@pytest.mark.parametrize("how", [_MARKED, _UNMARKED])
@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_forks_of_forks_count_each_call_once_in_any_order(
    project: Project, tmp_path: Path, how: str, order: tuple[int, ...]
) -> None:
    origin = _records("origin", ["build it"])
    fork = _forked(origin, "fork", ["test it"], how)
    deeper = _forked(fork, "deeper", ["ship it"], how)
    files = [
        _write(tmp_path, "origin", origin),
        _write(tmp_path, "fork", fork),
        _write(tmp_path, "deeper", deeper),
    ]
    for n in order:
        import_paths(project, [files[n]])
    counts = _counts(project)
    assert sum(calls for calls, _ in counts.values()) == 3
    for path in files:
        assert import_paths(project, [path]).total("imported") == 0
    assert _counts(project) == counts


def test_a_fork_that_adds_nothing_makes_no_session(project: Project, tmp_path: Path) -> None:
    origin = _records("origin", ["build it"])
    _write(tmp_path, "origin", origin)
    _write(tmp_path, "zfork", [{**record, "sessionId": "zfork"} for record in origin])
    import_paths(project, [tmp_path])
    assert _counts(project) == {"origin": (1, 1)}
