"""`hindsight hook`, as help knows it. Every call goes through the fast door instead."""

from __future__ import annotations

from typing import Annotated

import typer


def add_commands(app: typer.Typer) -> None:
    app.command()(hook)


def hook(
    agent: Annotated[
        str, typer.Argument(help="claude-code, codex, gemini-cli, qwen-code or opencode.")
    ],
    event: Annotated[str, typer.Argument(help="The agent's own name of the event.")],
) -> None:
    """What an agent's hooks call: the payload on stdin, nothing or one JSON document out.

    Not for people. Injects what fits a session's first prompt or a failed call, appends
    calls and results to the session, and at its end imports the transcript and reflects.
    Outside a project it does nothing. It always exits 0, and within two seconds.

    Example: hindsight hook claude-code UserPromptSubmit < payload.json
    """
    from hindsight_cli.cli.hooking import run_hook

    raise typer.Exit(run_hook([agent, event]))
