"""Codex rollouts written line by line, and what a reader made of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from hindsight_cli.capture.draft import Draft, DraftEvent, Problem
from hindsight_cli.capture.formats import codex
from hindsight_cli.records.event import EventType, Status

FOLDER = Path(__file__).parent.parent / "fixtures" / "codex"
EARLY, MID, TODAY = sorted(FOLDER.glob("*.jsonl"))
OWN, PARENT = "019f0a10-2b3c-7d4e-8f50-617283940a1b", "019f0a10-0000-7d4e-8f50-617283940a1b"
Json = Mapping[str, Any]


def records_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def read(path: Path) -> list[Draft]:
    records = list(codex.read(path))
    assert not [record for record in records if isinstance(record, Problem)]
    return [record for record in records if isinstance(record, Draft)]


def read_records(folder: Path, records: Iterable[Json]) -> list[Draft]:
    path = folder / f"rollout-2026-09-14T08-29-59-{OWN}.jsonl"
    path.write_text("".join(f"{json.dumps(r)}\n" for r in records), encoding="utf-8")
    return read(path)


def events(drafts: list[Draft], *types: EventType) -> list[DraftEvent]:
    return [e for d in drafts for e in d.events if not types or e.event_type in types]


def results(drafts: list[Draft]) -> list[tuple[Status | None, str | None, int | None]]:
    found = events(drafts, EventType.TOOL_RESULT)
    return [(e.status, e.status_rule, e.exit_code) for e in found]


def said(drafts: list[Draft]) -> list[str]:
    """What the person and the agent said, in order."""
    return [e.text for e in events(drafts, EventType.TASK, EventType.MESSAGE) if not e.injected]


def a_line(kind: str, payload: Json, *, second: float = 0, **more: Any) -> dict[str, Any]:
    return {
        "timestamp": f"2026-09-14T08:30:{second:06.3f}Z",
        "type": kind,
        "payload": payload,
        **more,
    }


def a_meta(session_id: str = OWN, *, created: str = "08:30:00", **more: Any) -> dict[str, Any]:
    about = {"id": session_id, "timestamp": f"2026-09-14T{created}Z", "cli_version": "0.171.0"}
    return a_line("session_meta", {**about, **more})


def an_item(kind: str, *, second: float = 0, **payload: Any) -> dict[str, Any]:
    return a_line("response_item", {"type": kind, **payload}, second=second)


def a_message(role: str, text: str, *, second: float = 0) -> dict[str, Any]:
    return an_item("message", role=role, content=[{"type": "x_text", "text": text}], second=second)


def an_event(kind: str, *, second: float = 0, **payload: Any) -> dict[str, Any]:
    return a_line("event_msg", {"type": kind, **payload}, second=second)


def a_call(
    arguments: Any, name: str = "exec_command", call_id: str = "c", *, second: float = 0
) -> dict[str, Any]:
    written = json.dumps(arguments)
    return an_item("function_call", name=name, arguments=written, call_id=call_id, second=second)


def an_output(output: Any, call_id: str = "c", *, second: float = 0) -> dict[str, Any]:
    return an_item("function_call_output", call_id=call_id, output=output, second=second)
