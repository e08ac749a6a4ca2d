"""`hindsight reflect` and `validate`"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hindsight_cli.cli.options import AsJson, Root


def add_commands(app: typer.Typer) -> None:
    app.command()(reflect)
    app.command()(validate)


def reflect(
    trace_ids: Annotated[
        list[str] | None, typer.Argument(help="Traces (default: the newest).")
    ] = None,
    last: Annotated[bool, typer.Option("--last", help="The newest trace.")] = False,
    all_traces: Annotated[bool, typer.Option("--all", help="Every trace.")] = False,
    reflector: Annotated[
        str | None,
        typer.Option("--with", help="rules, llm or command (default: `reflect_with` as set)."),
    ] = None,
    samples: Annotated[
        int | None,
        typer.Option("--samples", min=1, max=9, help="Answers to vote on (default: as set, 3)."),
    ] = None,
    wait: Annotated[
        bool, typer.Option("--wait", help="Stay until the model has answered.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be sent where; send nothing.")
    ] = False,
    reply: Annotated[
        list[Path] | None,
        typer.Option("--reply", help="A model's answer in a file; give it again for more votes."),
    ] = None,
    prompt_only: Annotated[
        bool, typer.Option("--prompt-only", help="Print the prompt for a model, send nothing.")
    ] = False,
    language: Annotated[
        str | None,
        typer.Option("--language", help="Of the prompt: en or zh (default: as the task)."),
    ] = None,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Work out what helped; propose experiences for review.

    By rules, with no model and no network, until a model or a command is set with
    `hindsight config set`. A model is asked in the background; `hindsight status` shows
    how it goes. Or take its answer to the prompt of --prompt-only with --reply.

    Example: hindsight reflect --last
    """
    from hindsight_cli.api.project import Project
    from hindsight_cli.cli import reflecting
    from hindsight_cli.cli.render import Output
    from hindsight_cli.cli.start import start_of

    request = reflecting.ReflectRequest(
        trace_ids=tuple(trace_ids or ()),
        all_traces=all_traces,
        reflector=reflector,
        samples=samples,
        language=language,
        replies=tuple(reply or ()),
    )
    mode = reflecting.mode_of(request, last=last, dry_run=dry_run, prompt_only=prompt_only)
    project = Project.open(start_of(root))
    code = reflecting.run_reflect(
        project, request, mode, Output("reflect", as_json=as_json), wait=wait
    )
    raise typer.Exit(code)


def validate(
    experience_ids: Annotated[
        list[str] | None, typer.Argument(help="Experiences (default: pending and approved).")
    ] = None,
    stdin: Annotated[
        bool, typer.Option("--stdin", help="Judge JSON Lines {id, experience, trace?} instead.")
    ] = False,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Check experiences against the traces they cite.

    Exit 1 if one fails.

    Example: hindsight validate
    """
    import sys

    from hindsight_cli.api import validating
    from hindsight_cli.api.project import Project
    from hindsight_cli.cli.render import Output
    from hindsight_cli.cli.start import start_of

    output = Output("validate", as_json=as_json)
    if stdin:
        results = validating.judge_lines(sys.stdin.buffer)
        rows = [
            (str(r["id"]), r["verdict"], *map(",".join, (r["codes"], r["risk"]))) for r in results
        ]
        output.result({"results": results}, "\n".join("\t".join(row) for row in rows))
        return
    report = validating.validate(Project.open(start_of(root)), experience_ids or ())
    for message in report.messages:
        output.say(message)
    failed = [
        {"experience_id": f.experience_id, "code": f.code, "detail": f.detail}
        for f in report.failed
    ]
    lines = [f"{report.checked} checked, {report.ok} ok, {report.checked - report.ok} failed"]
    lines += [f"  {f.experience_id}  {f.code}: {f.detail}" for f in report.failed]
    output.result(
        {"checked": report.checked, "ok": report.ok, "failed": failed},
        "\n".join(lines),
        status="error" if failed else "success",
    )
    if failed:
        raise typer.Exit(1)
