"""Where the search for the project begins."""

from __future__ import annotations

from pathlib import Path

from hindsight_cli.errors import SourceNotFoundError


def start_of(root: Path | None) -> Path:
    """The folder to look upwards from; one that was named must exist.

    Raises:
        SourceNotFoundError: it does not.
    """
    if root is None:
        return Path.cwd()
    if not root.is_dir():
        raise SourceNotFoundError(str(root))
    return root
