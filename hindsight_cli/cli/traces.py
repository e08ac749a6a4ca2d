"""`hindsight traces ...`"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hindsight_cli.cli.options import AsJson, Root

if TYPE_CHECKING:
    from hindsight_cli.api.splitting import Rearranged

app = typer.Typer(help="List and read traces.", no_args_is_help=True, rich_markup_mode=None)
_OFFERED = 3  # places to split at, in `show`
_NARROW = ("agent", "outcome", "started", "calls")  # columns that a small terminal goes without


@app.command("list")
def list_(root: Root = None, as_json: AsJson = False) -> None:
    """List traces, newest first.

    Example: hindsight traces list
    """
    from hindsight_cli.api.project import Project
    from hindsight_cli.api.traces import list_traces
    from hindsight_cli.cli import shapes
    from hindsight_cli.cli.render import Output, table
    from hindsight_cli.cli.start import start_of

    output = Output("traces list", as_json=as_json)
    rows = list_traces(Project.open(start_of(root)))
    headers = ["trace", "started", "agent", "steps", "calls", "failed", "outcome", "task"]
    cells = [
        [
            *(r.trace_id, (r.started_at or "-")[:16], r.agent, str(r.steps), str(r.tool_calls)),
            *(str(r.failed_tool_calls), r.outcome if r.outcome != "unknown" else "-"),
            r.task or "-",
        ]
        for r in rows
    ]
    if not rows:
        output.say("No traces yet: hindsight import PATH")
    output.result(
        {"traces": [shapes.trace_row(r) for r in rows]},
        table(headers, cells, ids="trace", drop=_NARROW) if rows else "",
    )


@app.command()
def show(
    trace_id: Annotated[str, typer.Argument(help="Id of a trace, or its beginning.")],
    steps: Annotated[
        str | None, typer.Option("--steps", help="Only these steps: 7, or 5-9.")
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="Whole texts, not summaries.")] = False,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Show a trace step by step: what a citation points at.

    Example: hindsight traces show 0ccf1a04 --steps 5-9 --full
    """
    from hindsight_cli.api.project import Project
    from hindsight_cli.api.splitting import offered_starts
    from hindsight_cli.api.traces import read_trace, resolve_trace
    from hindsight_cli.cli import shapes
    from hindsight_cli.cli.render import Output
    from hindsight_cli.cli.start import start_of
    from hindsight_cli.cli.trace_text import trace_text, wanted_steps
    from hindsight_cli.records.event import event_to_dict

    output = Output("traces show", as_json=as_json)
    project = Project.open(start_of(root))
    row = resolve_trace(project, trace_id)
    reading = read_trace(project, row.trace_id)
    first, last = wanted_steps(steps)
    events = [e for e in reading.trace.events if first <= e.step_index <= last]
    if not events:
        last = max((e.step_index for e in reading.trace.events), default=0)
        output.say(f"No step {steps}: this trace has {last}.")
    for bad in reading.bad_lines:
        output.say(f"{bad.path}, line {bad.line}: {bad.reason} (passed over)")
    for step in offered_starts(reading)[:_OFFERED]:
        how = f"hindsight traces split {row.trace_id} --at {step}"
        output.say(f"Step {step} may start another task: `{how}`")
    output.result(
        {
            "trace": shapes.trace_row(row),
            "events": [event_to_dict(e) for e in events],
            "unread": [shapes.unread(found) for found in reading.unread],
        },
        trace_text(row, reading, events, full=full),
    )


@app.command()
def split(
    trace_id: Annotated[str, typer.Argument(help="Id of a trace, or its beginning.")],
    at: Annotated[int, typer.Option("--at", help="The step at which another task begins.")],
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Make two traces of one: the later one begins at the step given.

    Steps keep their numbers, and experiences what they cite.

    Example: hindsight traces split 0ccf1a04 --at 42
    """
    from hindsight_cli.api.project import Project
    from hindsight_cli.api.splitting import split as split_trace
    from hindsight_cli.cli.start import start_of

    made = split_trace(Project.open(start_of(root)), trace_id, at)
    _show_rearranged("traces split", made, as_json=as_json)


@app.command()
def join(
    trace_id: Annotated[str, typer.Argument(help="Id of a trace, or its beginning.")],
    other: Annotated[str, typer.Argument(help="The trace before or after it.")],
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Make one trace of two that follow each other in a session.

    It keeps the id of the earlier one.

    Example: hindsight traces join 0ccf1a04 0ccf1a04.2
    """
    from hindsight_cli.api.project import Project
    from hindsight_cli.api.splitting import join as join_traces
    from hindsight_cli.cli.start import start_of

    made = join_traces(Project.open(start_of(root)), trace_id, other)
    _show_rearranged("traces join", made, as_json=as_json)


def _show_rearranged(command: str, made: Rearranged, *, as_json: bool) -> None:
    from hindsight_cli.cli import shapes
    from hindsight_cli.cli.render import Output, count
    from hindsight_cli.text import one_line

    output = Output(command, as_json=as_json)
    for message in made.messages:
        output.say(message)
    lines = [
        f"{row.trace_id}  {count(row.steps, 'step')}  {one_line(row.task, 80) or '-'}"
        for row in made.traces
    ]
    output.result({"traces": [shapes.trace_row(r) for r in made.traces]}, "\n".join(lines))


@app.command()
def export(
    trace_id: Annotated[str, typer.Argument(help="Id of a trace, or its beginning.")],
    export_format: Annotated[str, typer.Option("--format", help="Format to write: atif.")] = "atif",
    output_file: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write (default: stdout).")
    ] = None,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Write a trace for other tools: an ATIF document, its subagents in it.

    Hindsight reads it back with the same steps and statuses.

    Example: hindsight traces export 0ccf1a04 -o run.json
    """
    from hindsight_cli.api.exporting import export_trace, parse_format, write_export
    from hindsight_cli.api.project import Project
    from hindsight_cli.cli.render import Output, count
    from hindsight_cli.cli.start import start_of

    output = Output("traces export", as_json=as_json)
    chosen = parse_format(export_format)
    exported = export_trace(Project.open(start_of(root)), trace_id, export_format=chosen)
    for bad in exported.bad_lines:
        output.say(f"{bad.path}, line {bad.line}: {bad.reason} (passed over)")
    data = {
        "trace_id": exported.trace_id,
        "format": exported.format,
        "steps": exported.steps,
        "subagents": exported.subagents,
    }
    if output_file is None:
        document = {**data, "document": exported.document}
        output.result(document, "" if as_json else exported.text(ascii_only=True))
        return
    write_export(exported, output_file)
    output.result(
        {**data, "path": str(output_file)},
        f"Wrote {count(exported.steps, 'step')} to {output_file}.",
    )


@app.command()
def delete(
    trace_id: Annotated[str, typer.Argument(help="Id of a trace, or its beginning.")],
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Delete a session's trace file and the full outputs only it refers to.

    Experiences that cite it keep their short evidence.

    Example: hindsight traces delete 0ccf1a04
    """
    from hindsight_cli.api.deleting import delete_trace
    from hindsight_cli.api.project import Project
    from hindsight_cli.cli.render import Output, count
    from hindsight_cli.cli.start import start_of

    output = Output("traces delete", as_json=as_json)
    deleted = delete_trace(Project.open(start_of(root)), trace_id)
    data = {"session_id": deleted.session_id, "outputs": deleted.outputs}
    output.result(
        {"deleted": data},
        f"Deleted {deleted.session_id} and {count(deleted.outputs, 'full output')}.",
    )
