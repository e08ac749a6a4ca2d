"""Where the search for the project begins."""

from __future__ import annotations

from pathlib import Path

from hindsight_cli.errors import SourceNotFoundError

TYPE_CHECKING = False  # as typing's, without loading typing on the hot path
if TYPE_CHECKING:
    from hindsight_cli.api.project import Project
    from hindsight_cli.cli.render import Output


def start_of(root: Path | None) -> Path | None:
    """The folder to look upwards from; one that was named must exist.

    Raises:
        SourceNotFoundError: it does not.
    """
    if root is not None and not root.is_dir():
        raise SourceNotFoundError(str(root), hint="--project takes a folder that exists.")
    return root


def tell_of_repository(project: Project, root: Path | None, output: Output) -> None:
    """Say so where this git repository is part of the project of a folder above it."""
    top = project.repository_below(root)
    if top is not None and project.is_made:
        output.say(
            f"The project is {project.root}, above this git repository ({top}): "
            "`hindsight init` here makes one of its own."
        )
