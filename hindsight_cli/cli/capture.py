"""`hindsight init`, `redact`"""

from __future__ import annotations

from typing import Annotated

import typer

from hindsight_cli.cli.options import AsJson, Root


def add_commands(app: typer.Typer) -> None:
    app.command()(init)
    app.command()(redact)


def init(root: Root = None, as_json: AsJson = False) -> None:
    """Make a project here (at the git top level, if there is one).

    Example: hindsight init
    """
    from hindsight_cli.api.project import Project
    from hindsight_cli.cli.render import Output
    from hindsight_cli.cli.start import start_of

    output = Output("init", as_json=as_json)
    project = Project.find(start_of(root)) if root is None else None
    made = False
    if project is None:
        project = Project.to_make(start_of(root), exact=root is not None)
        made = project.init()
    what = "Project ready" if made else "Already a project"
    text = (
        f"{what}: {project.root}\n"
        "Traces stay in .hindsight/ on this machine; only reviewed experiences\n"
        "(.hindsight/experiences.jsonl) are meant for git.\n"
        "Next: hindsight import   (finds what agents left on this machine for this project)"
    )
    output.result({"project": str(project.root), "created": made}, text)


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
