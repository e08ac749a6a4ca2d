"""Options that many commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Root = Annotated[
    Path | None,
    typer.Option("--project", "-p", help="Project folder (default: found from here upwards)."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout.")]
