"""`hindsight redact`"""

from __future__ import annotations

from typing import Annotated

import typer

from hindsight_cli.cli.options import Root


def add_commands(app: typer.Typer) -> None:
    app.command()(redact)


def redact(
    jsonl: Annotated[
        bool, typer.Option("--jsonl", help="Read {id, text} lines, print {id, text, spans} lines.")
    ] = False,
    root: Root = None,
) -> None:
    """Take secrets out of text: stdin to stdout.

    Example: cat build.log | hindsight redact
    """
    from hindsight_cli.api.redacting import redact_lines, redact_text
    from hindsight_cli.cli.start import start_of

    stdin = typer.get_binary_stream("stdin")
    stdout = typer.get_binary_stream("stdout")
    if jsonl:
        for line in redact_lines(start_of(root), stdin):
            stdout.write(line)
    else:
        stdout.write(redact_text(start_of(root), stdin.read()))
    stdout.flush()
