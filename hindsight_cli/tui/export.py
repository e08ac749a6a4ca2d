"""The experience on screen as plain text, for the clipboard and for a file."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

from hindsight_cli.errors import StorageError
from hindsight_cli.records.experience import ExperienceState
from hindsight_cli.tui.experience_view import experience_content
from hindsight_cli.tui.steps_view import StepsLayout, StepView, steps_content

_WIDTH = 100
# Terminals and multiplexers drop longer clipboard sequences, some at 74,994 bytes of base64.
CLIPBOARD_CHARS = 18_000


def as_text(state: ExperienceState, views: Sequence[StepView]) -> str:
    """What the two panes show, below each other."""
    layout = StepsLayout(width=_WIDTH, rows=0, whole=True)
    experience = experience_content(state, None, _WIDTH).plain
    steps = steps_content(views, None, layout).plain
    lines = f"{experience}\n\n{steps}".split("\n")
    return "\n".join(line.rstrip() for line in lines) + "\n"


def write_export(text: str, experience_id: str) -> Path:
    """Write `text` to a file of its own that only this user can read.

    Outside the project: what is deleted there must not live on in an export.

    Raises:
        StorageError: the temp folder takes no file.
    """
    name = re.sub(r"[^A-Za-z0-9-]", "_", experience_id)[:40]
    try:
        folder = tempfile.mkdtemp(prefix="hindsight-")
        path = Path(folder, f"{name}.txt")
        path.write_text(text, encoding="utf-8", errors="replace")
    except OSError as error:
        raise StorageError(tempfile.gettempdir(), error.strerror or str(error)) from error
    return path
