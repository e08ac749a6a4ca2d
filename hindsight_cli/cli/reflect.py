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

    By rules, with no model and no network. Or take a model's answer to the prompt
    that --prompt-only prints, with --reply.

    Example: hindsight reflect --last
    """
    from hindsight_cli.api import reflecting
    from hindsight_cli.api.project import Project
    from hindsight_cli.cli import shapes
    from hindsight_cli.cli.reflect_text import reflect_text
    from hindsight_cli.cli.render import Output
    from hindsight_cli.cli.start import start_of
    from hindsight_cli.errors import UsageError

    output = Output("reflect", as_json=as_json)
    project = Project.open(start_of(root))
    if trace_ids and (last or all_traces):
        raise UsageError("Give trace ids, or --last, or --all.", hint="Not two of them.")
    ids = reflecting.pick_traces(project, trace_ids or (), all_traces=all_traces)
    if (reply or prompt_only) and len(ids) != 1:
        raise UsageError("--reply and --prompt-only take one trace.", hint="Give its id.")
    if language not in (None, "en", "zh"):
        raise UsageError(f"Language {language!r} is not available.", hint="One of en, zh.")
    if prompt_only:
        prompt = reflecting.prompt_for(project, ids[0], language=language)
        output.result({"trace_id": ids[0], "prompt": prompt}, prompt)
        return
    report = reflecting.reflect(project, ids, replies=reply or ())
    for message in report.messages:
        output.say(message)
    output.result(shapes.reflect_report(report), reflect_text(report))


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
