"""Where the search for the project begins."""

from __future__ import annotations

from pathlib import Path

from hindsight_cli.errors import SourceNotFoundError


def start_of(root: Path | None) -> Path | None:
    """The folder to look upwards from; one that was named must exist.

    Raises:
        SourceNotFoundError: it does not.
    """
    if root is not None and not root.is_dir():
        raise SourceNotFoundError(str(root), hint="--project takes a folder that exists.")
    return root
