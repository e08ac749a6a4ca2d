"""`run`, shared by the fast door and the full command line."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from hindsight_cli import config
from hindsight_cli.api.running import RunPlan, run
from hindsight_cli.cli.start import start_of
from hindsight_cli.terminal import visible


class RunRequest:
    """What was asked for; `argv` is the command, word for word."""

    __slots__ = ("argv", "inject", "reflect", "root", "task")

    def __init__(
        self,
        argv: Sequence[str],
        *,
        root: Path | None = None,
        task: str | None = None,
        inject: bool = True,
        reflect: bool = True,
    ) -> None:
        self.argv = argv
        self.root = root
        self.task = task
        self.inject = inject
        self.reflect = reflect


def run_run(request: RunRequest) -> int:
    """Run the command; its exit code. What we say goes to stderr, a line each."""
    plan = RunPlan(
        request.argv,
        task=request.task,
        start=start_of(request.root),
        env=config.environment(),
        inject=request.inject,
        reflect=request.reflect,
    )
    return run(plan, _say)


def _say(message: str) -> None:
    try:
        print(f"hindsight: {visible(message)}", file=sys.stderr, flush=True)
    except OSError:
        pass  # nobody reads stderr: the run does not end for that
