"""`hindsight failures`"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from hindsight_cli.cli.options import AsJson, Root

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hindsight_cli.api.failures import Failure

_SHOWN = 20  # on a terminal


def add_commands(app: typer.Typer) -> None:
    app.command()(failures)


def failures(
    error: Annotated[
        str | None,
        typer.Argument(help="An error as it is listed, or its beginning: where it came up."),
    ] = None,
    since: Annotated[
        str | None, typer.Option("--since", help="Only from this time on, like 30d or 12h.")
    ] = None,
    recurring: Annotated[
        bool, typer.Option("--recurring", help="Only errors seen in two or more sessions.")
    ] = False,
    show_all: Annotated[
        bool, typer.Option("--all", help="All of them (in a terminal: the first 20).")
    ] = False,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """List errors by kind, the most recurring first; or the steps at which one came up.

    Example: hindsight failures --since 30d
    """
    from hindsight_cli.api.failures import list_failures
    from hindsight_cli.api.project import Project
    from hindsight_cli.cli import shapes
    from hindsight_cli.cli.durations import days_of
    from hindsight_cli.cli.render import Output
    from hindsight_cli.cli.start import start_of

    output = Output("failures", as_json=as_json)
    found = list_failures(
        Project.open(start_of(root)),
        since_days=days_of(since) if since else None,
        min_sessions=2 if recurring else 1,
        error=error,
    )
    data = {"failures": [shapes.failure(f) for f in found]}
    if not found:
        output.say("No failed calls recorded." if error is None else f"No error like {error!r}.")
        output.result(data, "")
    elif error is not None:
        output.result(data, _places(found))
    else:
        cut = sys.stdout.isatty() and not show_all and not as_json
        output.result(data, _kinds(found[: _SHOWN if cut else None]))
        if cut and len(found) > _SHOWN:
            output.say(f"{len(found) - _SHOWN} more: --all, or --recurring")
        if sys.stdout.isatty() and not as_json:
            output.say('Where: hindsight failures "BEGINNING OF AN ERROR"')


def _kinds(found: Sequence[Failure]) -> str:
    from hindsight_cli.cli.render import count, table

    rows = [
        [
            *(count(f.row.sessions, "session"), count(f.row.count, "time")),
            f"{f.row.recovered} recovered",
            *(f.row.tool_name or "-", ", ".join(f.experience_ids) or "-", f.row.fingerprint),
        ]
        for f in found
    ]
    headers = ["seen in", "failed", "then ok", "tool", "experiences", "error"]
    return table(headers, rows, drop=("experiences", "then ok", "failed", "tool"))


def _places(found: Sequence[Failure]) -> str:
    """One line for each step, the newest of each error first."""
    from hindsight_cli.cli.render import table

    rows = [
        [
            *(at.trace_id, str(at.step_index), (at.timestamp or "-")[:16]),
            *("recovered" if at.recovered else "-", f.row.tool_name or "-", f.row.fingerprint),
        ]
        for f in found
        for at in f.at
    ]
    headers = ["trace", "step", "time", "then", "tool", "error"]
    return table(headers, rows, ids="trace", drop=("tool", "time", "then"))
