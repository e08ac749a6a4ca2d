"""`hindsight demo`"""

from __future__ import annotations

import typer

from hindsight_cli.cli.options import AsJson


def add_commands(app: typer.Typer) -> None:
    app.command()(demo)


def demo(as_json: AsJson = False) -> None:
    """Play the whole loop: three sample traces, then a scripted agent run twice.

    In temporary projects that are then deleted.

    Example: hindsight demo
    """
    from hindsight_cli.cli.render import Output
    from hindsight_cli.demo.story import play

    Output("demo", as_json=as_json).result(play(aloud=not as_json), "")
