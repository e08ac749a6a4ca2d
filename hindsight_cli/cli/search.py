"""`hindsight search`, `inject`, `expire`, `trust`"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hindsight_cli.cli.options import AsJson, Root


def add_commands(app: typer.Typer) -> None:
    app.command()(search)
    app.command()(inject)
    app.command()(expire)
    app.command()(trust)


def search(
    query: Annotated[
        str | None, typer.Argument(help="A task in plain words, or an error text.")
    ] = None,
    error: Annotated[bool, typer.Option("--error", help="The query is an error text.")] = False,
    tool: Annotated[str | None, typer.Option("--tool", help="Only with this tool tag.")] = None,
    tag: Annotated[str | None, typer.Option("--tag", help="Only with this task tag.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-k", help="At most so many, 1 to 5.")] = 3,
    mode: Annotated[str, typer.Option("--mode", help="auto, lexical, vector or hybrid.")] = "auto",
    explain: Annotated[bool, typer.Option("--explain", help="Say why each matched.")] = False,
    queries: Annotated[
        Path | None, typer.Option("--queries", help="JSON Lines {id, query} to answer at once.")
    ] = None,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Find approved experiences for a task or an error.

    Nothing, when nothing fits well enough.

    Example: hindsight search "deploy mysql"
    """
    from hindsight_cli.cli.searching import SearchRequest, run_search

    request = SearchRequest(
        root=root,
        as_json=as_json,
        query=query,
        queries=queries,
        error=error,
        tool=tool,
        tag=tag,
        limit=limit,
        mode=mode,
        explain=explain,
    )
    raise typer.Exit(run_search(request))


def inject(
    task: Annotated[str, typer.Argument(help="The task, or the error text with --error.")],
    error: Annotated[bool, typer.Option("--error", help="The text is an error text.")] = False,
    session: Annotated[
        str | None,
        typer.Option(
            "--session",
            help="Do not repeat what this session was shown (default: $HINDSIGHT_CLI_SESSION).",
        ),
    ] = None,
    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", help="Longest block (default: 600).")
    ] = None,
    whole: Annotated[
        bool, typer.Option("--whole", help="All of it, for an agent that cannot ask for more.")
    ] = False,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Print what to put before an agent.

    Nothing, when nothing fits well enough.

    Example: hindsight inject "deploy mysql in a container"
    """
    from hindsight_cli.cli.injecting import InjectRequest, run_inject

    request = InjectRequest(
        root=root,
        as_json=as_json,
        task=task,
        error=error,
        session=session,
        max_tokens=max_tokens,
        whole=whole,
    )
    raise typer.Exit(run_inject(request))


def expire(
    days: Annotated[
        int | None, typer.Option("--days", min=0, help="Verified longer ago than so many days.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be.")] = False,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Send long unverified experiences back for review.

    By default those not verified for 30 days.

    Example: hindsight expire --dry-run
    """
    from dataclasses import asdict

    from hindsight_cli.api.expiring import expire as run_expire
    from hindsight_cli.api.project import Project
    from hindsight_cli.cli.render import Output
    from hindsight_cli.cli.start import start_of

    output = Output("expire", as_json=as_json)
    report = run_expire(Project.open(start_of(root)), days=days, dry_run=dry_run)
    verb = "would be stale" if dry_run else "stale"
    lines = [f"{len(report.stale)} {verb}, {report.fresh} fresh"]
    lines += [f"  {s.experience_id}  {s.reason}" for s in report.stale]
    if report.stale and not dry_run:
        lines.append("Look at each, then: hindsight experiences verify ID, or reject ID")
    data = {"stale": [asdict(s) for s in report.stale], "fresh": report.fresh}
    output.result(data, "\n".join(lines))


def trust(
    experience_ids: Annotated[
        list[str] | None, typer.Argument(help="Ids (default: only show what waits).")
    ] = None,
    accept_all: Annotated[bool, typer.Option("--all", help="Accept all without risk.")] = False,
    confirm: Annotated[
        str | None, typer.Option("--confirm", help="Repeat the id of a risky one.")
    ] = None,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Show and accept approvals of other people.

    They came with the repository; accept them by id, or all without risk with --all.
    Until then they count as pending here: cloning a repository is not approving it.

    Example: hindsight trust
    """
    from hindsight_cli.api import reviewing
    from hindsight_cli.api.project import Project
    from hindsight_cli.cli import shapes
    from hindsight_cli.cli.reflect_text import experience_lines
    from hindsight_cli.cli.render import Output
    from hindsight_cli.cli.start import start_of

    output = Output("trust", as_json=as_json)
    project = Project.open(start_of(root))
    if accept_all or experience_ids:
        states, left = reviewing.trust(project, experience_ids or None, confirm=confirm)
        for state in left:
            own = state.experience.experience_id
            output.say(f"{own} carries a risk: read it, then hindsight trust {own} --confirm {own}")
        text = "\n".join(f"Trusted {s.experience.experience_id}" for s in states)
        text = text or "Nothing waits to be trusted."
    else:
        states = reviewing.untrusted(project)
        text = "\n\n".join("\n".join(experience_lines(s.experience)) for s in states)
        text = text or "Nothing waits to be trusted."
        if states:
            output.say("Accept with: hindsight trust ID, or hindsight trust --all")
    output.result({"experiences": [shapes.experience(s) for s in states]}, text)
