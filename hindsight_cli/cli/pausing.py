"""`hindsight pause`, `resume`"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from hindsight_cli.cli.options import AsJson, Root

if TYPE_CHECKING:
    from hindsight_cli.api.project import Project

Everywhere = Annotated[
    bool, typer.Option("--everywhere", help="For all projects of yours, not only this one.")
]


def add_commands(app: typer.Typer) -> None:
    app.command()(pause)
    app.command()(resume)


def pause(root: Root = None, everywhere: Everywhere = False, as_json: AsJson = False) -> None:
    """Record nothing more: neither hooks nor `run`, `import` and `record` do.

    Agents run on as before, and nothing is injected by hooks or `run`.

    Example: hindsight pause
    """
    from hindsight_cli import config
    from hindsight_cli.api.privacy import pause as set_paused
    from hindsight_cli.cli.render import Output

    project = _project(root, everywhere=everywhere)
    marker = set_paused(project, config.environment())
    where = "everywhere" if project is None else f"in {project.root}"
    Output("pause", as_json=as_json).result(
        {"paused": True, "by": str(marker)},
        f"Paused {where}. Go on with `hindsight resume{' --everywhere' * everywhere}`.",
    )


def resume(root: Root = None, everywhere: Everywhere = False, as_json: AsJson = False) -> None:
    """Record again after `pause`. What happened meanwhile is not caught up with.

    Example: hindsight resume
    """
    from hindsight_cli import config
    from hindsight_cli.api.privacy import resume as set_resumed
    from hindsight_cli.cli.render import Output

    project = _project(root, everywhere=everywhere)
    still = set_resumed(project, config.environment())
    text = "Recording again."
    if still is not None:
        text = f"Still paused by {still}: `hindsight resume --everywhere`."
    Output("resume", as_json=as_json).result(
        {"paused": still is not None, "by": None if still is None else str(still)}, text
    )


def _project(root: Root, *, everywhere: bool) -> Project | None:
    from hindsight_cli.api.project import Project
    from hindsight_cli.cli.start import start_of

    return None if everywhere else Project.open(start_of(root))
