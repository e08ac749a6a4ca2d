"""`hindsight run`"""

from __future__ import annotations

from typing import Annotated

import typer

from hindsight_cli.cli.options import Root


def add_commands(app: typer.Typer) -> None:
    app.command(context_settings={"allow_interspersed_args": False})(run)


def run(
    command: Annotated[
        list[str], typer.Argument(help="The agent's command and its arguments, word for word.")
    ],
    task: Annotated[
        str | None, typer.Option("--task", help="What it is to do (default: its own prompt).")
    ] = None,
    no_inject: Annotated[
        bool, typer.Option("--no-inject", help="Put nothing before the agent.")
    ] = False,
    no_reflect: Annotated[
        bool, typer.Option("--no-reflect", help="Only record; reflect later.")
    ] = False,
    root: Root = None,
) -> None:
    """Run an agent: lessons before, a record during, reflection after.

    The command gets your terminal, its exit code is yours. Only what a recognised
    agent documents is added to its arguments, and said on stderr.

    Of an agent that is known its own transcript is read. Another program is recorded as
    what its terminal showed, which only a model can learn from, unless it records its own
    steps: `hindsight record event`.

    Example: hindsight run --task "deploy mysql" -- claude -p "deploy mysql in a container"
    """
    from hindsight_cli.api.running import RunRequest
    from hindsight_cli.cli.running import run_run
    from hindsight_cli.cli.start import start_of

    request = RunRequest(
        command, task=task, start=start_of(root), inject=not no_inject, reflect=not no_reflect
    )
    raise typer.Exit(run_run(request))
