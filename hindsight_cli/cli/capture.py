"""`hindsight init`, `import`, `redact`, `status`"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hindsight_cli.cli.options import AsJson, Root

EXIT_PARTIAL = 3


def add_commands(app: typer.Typer) -> None:
    app.command()(init)
    app.command("import")(import_)
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
        "Next: hindsight import PATH   (a transcript, or a folder of them)"
    )
    output.result({"project": str(project.root), "created": made}, text)


def import_(
    paths: Annotated[list[Path], typer.Argument(help="Transcripts, or folders that hold some.")],
    format_name: Annotated[
        str | None, typer.Option("--format", help="Read as this format instead of detecting it.")
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Leave out whole files with unreadable records.")
    ] = False,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Import past runs of agents.

    Claude Code transcripts, chat message lists (OpenAI, Anthropic) and tau-bench results,
    found by their content. Importing again adds only what is new. Secrets are redacted
    before anything is written.

    Example: hindsight import ~/.claude/projects/-home-me-shop
    """
    from hindsight_cli.api.importing import How, import_paths
    from hindsight_cli.api.project import Project
    from hindsight_cli.cli import shapes
    from hindsight_cli.cli.import_text import import_text, progress
    from hindsight_cli.cli.render import Output
    from hindsight_cli.cli.start import start_of

    output = Output("import", as_json=as_json)
    project = Project.open_or_init(start_of(root))
    with progress(quiet=as_json) as on_file:
        how = How(format_name=format_name, strict=strict)
        report = import_paths(project, paths, how, on_file=on_file)
    for message in report.messages:
        output.say(message)
    partial = bool(report.failed_files) or report.total("failed") > 0
    output.result(
        shapes.import_report(report),
        import_text(report),
        status="partial" if partial else "success",
        errors=report.failed_files,
    )
    if partial:
        raise typer.Exit(EXIT_PARTIAL)


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
