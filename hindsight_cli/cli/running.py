"""`run`, shared by the fast door and the full command line."""

from __future__ import annotations

import contextlib
import os
import sys

from hindsight_cli.api.running import RunPlan, RunRequest, run
from hindsight_cli.terminal import visible


def run_run(request: RunRequest) -> int:
    """Run the command; its exit code. What we say goes to stderr, a line each."""
    # Not by config, which loads what only the recorder needs: the command starts sooner.
    return run(RunPlan(request, os.environ), _say)


def _say(message: str) -> None:
    with contextlib.suppress(OSError):  # nobody reads stderr: the run does not end for that
        sys.stderr.write(f"hindsight: {visible(message)}\n")
        sys.stderr.flush()
