"""`hindsight impact`"""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from hindsight_cli.cli.options import AsJson, Root

if TYPE_CHECKING:
    from hindsight_cli.api.impact import Impact


def add_commands(app: typer.Typer) -> None:
    app.command()(impact)


def impact(root: Root = None, as_json: AsJson = False) -> None:
    """Show whether what was injected helped.

    Counts of injections, of runs that followed them, and how those ended.

    Example: hindsight impact
    """
    from dataclasses import asdict

    from hindsight_cli.api.impact import impact_of
    from hindsight_cli.api.project import Project
    from hindsight_cli.cli.render import Output
    from hindsight_cli.cli.start import start_of

    found = impact_of(Project.open(start_of(root)))
    Output("impact", as_json=as_json).result(asdict(found), _text(found))


def _text(found: Impact) -> str:
    lines = [
        f"{found.injections} injections, {found.followed} followed: {found.success} success,"
        f" {found.failure} failure"
    ]
    for e in found.by_experience:
        interval = f"{e.low:.0%} to {e.high:.0%}" if e.success + e.failure else "nothing known"
        lines.append(
            f"  {e.experience_id}  shown {e.shown}, followed {e.followed},"
            f" success {e.success}, failure {e.failure}  ({interval})"
        )
    if found.is_enough:
        lines.append(
            f"Of the runs that followed, {found.low:.0%} to {found.high:.0%} succeed (95 %)."
            " That is no comparison with runs without it."
        )
    else:
        lines.append("Too few followed outcomes to say whether it helps.")
    return "\n".join(lines)
