"""Answers a model might give about the MySQL sample; a test changes what it is about."""

from __future__ import annotations

import json
from typing import Any

# What the sample bears out, word for word: step 15 fails, step 17 shows why it was no fault.
_EXPERIENCE: dict[str, Any] = {
    "kind": "failure_lesson",
    "scenario": "`mysqladmin -u root ping` right after the first start of a mysql:8.4 container",
    "recommend": "Give the first start time: `sleep 15` before `mysqladmin -u root ping`.",
    "avoid": "Taking `Can't connect to local MySQL server` for a broken setup.",
    "why": "Step 15 said `Can't connect to local MySQL server`, step 17 `mysqld is alive`.",
    "cites": [{"step": 15, "tool": "Bash"}, {"step": 17, "tool": "Bash"}],
    "workaround": False,
    "layer": "specific",
    "scope": {"paths": [], "tools": []},
    "tool_tags": ["docker", "mysql"],
    "task_tags": ["deployment"],
}


def said(**changes: Any) -> dict[str, Any]:
    """One experience as a model words it."""
    return {**_EXPERIENCE, **changes}


def an_answer(*experiences: dict[str, Any], **changes: Any) -> str:
    """A whole answer; without `experiences` it holds the one that the sample bears out."""
    answer = {
        "task_status": "success",
        "key_steps": [14, 17],
        "invalid_steps": [],
        "experiences": list(experiences) or [said()],
        "verdicts": [],
    }
    return json.dumps({**answer, **changes}, ensure_ascii=False)
