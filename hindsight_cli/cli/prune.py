"""`hindsight prune`"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from hindsight_cli.cli.options import AsJson, Root

if TYPE_CHECKING:
    from hindsight_cli.api.pruning import Pruned

_SHOWN = 20


def add_commands(app: typer.Typer) -> None:
    app.command()(prune)


def prune(
    days: Annotated[
        float, typer.Option("--days", min=0, help="Sessions whose last event is older go.")
    ] = 30,
    cited: Annotated[
        bool, typer.Option("--cited", help="Also those that an experience rests on.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would go.")] = False,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Delete old sessions, and full outputs that no trace refers to.

    What an experience rests on stays, unless that was rejected or forgotten.

    Example: hindsight prune --days 90 --dry-run
    """
    from dataclasses import asdict

    from hindsight_cli.api.project import Project
    from hindsight_cli.api.pruning import prune as prune_project
    from hindsight_cli.cli.render import Output
    from hindsight_cli.cli.start import start_of

    project = Project.open(start_of(root))
    done = prune_project(project, days=days, cited=cited, dry_run=dry_run)
    Output("prune", as_json=as_json).result(asdict(done), _text(done))


def _text(done: Pruned) -> str:
    from hindsight_cli.cli.render import count

    lines = [
        f"{one.session_id}  last event {one.last_at[:10]}  {one.bytes / 1e3:.1f} kB"
        for one in done.pruned[:_SHOWN]
    ]
    if len(done.pruned) > _SHOWN:
        lines.append(f"… and {len(done.pruned) - _SHOWN} more: use --json")
    verb = "Would delete" if done.dry_run else "Deleted"
    lines.append(
        f"{verb} {count(len(done.pruned), 'session')} and {count(done.outputs, 'full output')}, "
        f"{done.bytes / 1e6:.1f} MB. {count(done.kept, 'session')} kept."
    )
    if done.cited:
        lines.append(
            f"{count(len(done.cited), 'old session')} kept as experiences rest on them: "
            "`--cited` deletes those too."
        )
    return "\n".join(lines)
