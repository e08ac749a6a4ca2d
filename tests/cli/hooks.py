"""An agent's hooks as it fires them: payloads of Claude Code, one process a call."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hindsight_cli.api.project import Project
from hindsight_cli.records.event import Event
from hindsight_cli.records.ledger import EntryKind, LedgerEntry
from hindsight_cli.traces.files import HOOKS
from tests.conftest import Done

SESSION = "5b0d6f5e-1c1c-4c53-9d0a-3f2d1f6a7b11"
TASK = "Deploy MySQL in a container for the shop"
ERROR = (
    "Exit code 125\ndocker: no matching manifest for linux/arm64/v8 in the manifest list entries."
)
FOR_ERROR: dict[str, Any] = {
    "scenario": "docker run fails: no matching manifest for linux/arm64/v8 in the manifest list",
    "recommend": "Pass `--platform linux/amd64` to docker run.",
    "avoid": "Pulling again and again.",
    "tool_tags": ["docker"],
    "task_tags": ["containers"],
}
TOOL: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": "docker run mysql:8.0"}}
WAIT_S = 40


def payload(project: Project, event: str, **fields: Any) -> bytes:
    given = {"session_id": SESSION, "cwd": str(project.root), "hook_event_name": event, **fields}
    return json.dumps(given).encode()


@dataclass(frozen=True, kw_only=True)
class Place:
    """Who fires a hook, and from where."""

    agent: str = "claude-code"
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: Path | None = None  # None: the project


def fire(
    project: Project,
    event: str,
    raw: bytes | None = None,
    place: Place | None = None,
    **fields: Any,
) -> Done:
    """One call of a hook, with a payload of its event unless another is given."""
    place = place or Place()
    done = subprocess.run(
        [sys.executable, "-m", "hindsight_cli", "hook", place.agent, event],
        cwd=place.cwd or project.root,
        env={**os.environ, **place.env},
        input=payload(project, event, **fields) if raw is None else raw,
        capture_output=True,
        check=False,
        timeout=60,
    )
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


def context(done: Done) -> str:
    """What a hook put before the model; the document is one, in Claude Code's words."""
    assert (done.code, done.err) == (0, "")
    if not done.out:
        return ""
    document = json.loads(done.out)
    assert set(document) <= {"systemMessage", "hookSpecificOutput"}
    return str(document.get("hookSpecificOutput", {}).get("additionalContext", ""))


def wait_until(is_so: Callable[[], object], *, timeout_s: float = WAIT_S) -> None:
    """What a hook does behind the agent's back takes its time."""
    deadline = time.monotonic() + timeout_s
    while not is_so():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)


def hooked(project: Project, session_id: str = SESSION) -> list[Event]:
    """What hooks wrote down of a session."""
    path = project.traces.find_source(session_id, HOOKS)
    return project.traces.read(path)[0] if path is not None else []


def receipts(project: Project) -> list[LedgerEntry]:
    return [e for e in project.ledger.read()[0] if e.entry is EntryKind.INJECTED]


def log_of(project: Project) -> str:
    path = project.folder / "logs" / "hook.log"
    return path.read_text(encoding="utf-8") if path.exists() else ""
