"""What tests of reflection with a model need: a recorded trace, and a model to ask about it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hindsight_cli.api.importing import import_paths
from hindsight_cli.api.project import Project
from hindsight_cli.api.reflect_job import Job, JobState, last_job
from tests.conftest import SAMPLES
from tests.scripted_model import ScriptedModel

# How a model is named decides how it is asked for JSON.
OPENAI = "openai/scripted"  # response_format: json_schema
FORCED_TOOL = "anthropic/scripted"  # a Claude that litellm does not know: a forced tool
NATIVE = "anthropic/claude-sonnet-4-5"  # output_format
WAIT_S = 60.0  # for what a process of its own does


def recorded(project: Project, sample: str = "mysql-container") -> str:
    """Import a sample; the id of its trace."""
    (row,) = import_paths(project, [SAMPLES / f"{sample}.jsonl"]).traces
    return row.trace_id


def address_for(model: str, server: ScriptedModel) -> str:
    return server.address + ("/v1" if model.startswith("openai/") else "")


def configure(monkeypatch: pytest.MonkeyPatch, server: ScriptedModel, model: str = OPENAI) -> None:
    """Have this process and those it starts reflect with `server`."""
    monkeypatch.setenv("HINDSIGHT_CLI_LLM_MODEL", model)
    monkeypatch.setenv("HINDSIGHT_CLI_LLM_API_BASE", address_for(model, server))
    monkeypatch.setenv("HINDSIGHT_CLI_LLM_TIMEOUT_S", "20")


def without_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test finds a key or an address of whoever runs it."""
    for name in ("OPENAI", "ANTHROPIC", "DEEPSEEK"):
        for end in ("API_KEY", "API_BASE", "BASE_URL", "AUTH_TOKEN"):
            monkeypatch.delenv(f"{name}_{end}", raising=False)


def script(path: Path, text: str) -> str:
    """A program written to `path`, to be run as a command."""
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o700)
    return str(path)


def is_alive(pid: int) -> bool:
    """Whether a process runs: one that ended and was not waited for does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"


def until(condition: Callable[[], Any]) -> None:
    deadline = time.monotonic() + WAIT_S
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)


def job_of(project: Project) -> Job:
    job = last_job(project)
    assert job is not None
    return job


def ended(project: Project) -> Job:
    until(lambda: job_of(project).state is not JobState.RUNNING)
    return job_of(project)
