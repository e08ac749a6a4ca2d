"""`hindsight demo`"""

from __future__ import annotations

import typer

from hindsight_cli.cli.options import AsJson


def add_commands(app: typer.Typer) -> None:
    app.command()(demo)


def demo(as_json: AsJson = False) -> None:
    """Play the whole loop on three sample traces.

    In a temporary project that is then deleted.

    Example: hindsight demo
    """
    from hindsight_cli.cli.render import Output
    from hindsight_cli.demo.story import play

    steps = play(aloud=not as_json)
    Output("demo", as_json=as_json).result({"steps": steps}, "")
