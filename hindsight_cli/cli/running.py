"""`run`, shared by the fast door and the full command line."""

from __future__ import annotations

import contextlib
import sys

from hindsight_cli import config
from hindsight_cli.api.running import RunPlan, RunRequest, run
from hindsight_cli.terminal import visible


def run_run(request: RunRequest) -> int:
    """Run the command; its exit code. What we say goes to stderr, a line each."""
    return run(RunPlan(request, config.environment()), _say)


def _say(message: str) -> None:
    with contextlib.suppress(OSError):  # nobody reads stderr: the run does not end for that
        sys.stderr.write(f"hindsight: {visible(message)}\n")
        sys.stderr.flush()
