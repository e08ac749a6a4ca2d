"""`hindsight demo`"""

from __future__ import annotations

import typer

from hindsight_cli.cli.options import AsJson


def add_commands(app: typer.Typer) -> None:
    app.command()(demo)


def demo(as_json: AsJson = False) -> None:
    """Play the whole loop on sample traces, in a temporary project.

    Example: hindsight demo
    """
    from hindsight_cli.api.demo import run_demo
    from hindsight_cli.cli.render import Output

    output = Output("demo", as_json=as_json)
    lines: list[str] = []
    data = run_demo(lines.append)
    output.result(data, "\n".join(lines))
