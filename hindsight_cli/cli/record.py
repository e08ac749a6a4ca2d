"""`hindsight record ...`"""

from __future__ import annotations

import json
import os
import sys
from typing import Annotated, Any

import typer

from hindsight_cli.cli.options import AsJson, Root

app = typer.Typer(
    help="Record any program's own events.", no_args_is_help=True, rich_markup_mode=None
)
SESSION_VARIABLE = "HINDSIGHT_CLI_SESSION"


@app.command()
def start(
    task: Annotated[str, typer.Option("--task", help="What the run is to do.")],
    agent: Annotated[str, typer.Option("--agent", help="Who does it.")] = "record",
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Begin a session; prints its id.

    Example: S=$(hindsight record start --task "deploy mysql")
    """
    from hindsight_cli.api import recording
    from hindsight_cli.api.project import Project
    from hindsight_cli.cli.start import start_of

    project = Project.open_or_init(start_of(root))
    recorded = recording.start(project, task, agent=agent)
    _show("record start", recorded, recorded.session_id, as_json=as_json)


@app.command()
def event(
    session: Annotated[
        str | None, typer.Option("--session", help=f"The session's id (or ${SESSION_VARIABLE}).")
    ] = None,
    event_type: Annotated[
        str | None,
        typer.Option("--type", help="tool_call, tool_result, message, observation, decision ..."),
    ] = None,
    tool: Annotated[str | None, typer.Option("--tool", help="Name of the tool.")] = None,
    call_id: Annotated[str | None, typer.Option("--call-id", help="Joins call and result.")] = None,
    arguments: Annotated[
        str | None, typer.Option("--input", help="The call's arguments, as JSON.")
    ] = None,
    text: Annotated[
        str | None,
        typer.Option("--output", "--text", help="Output of the tool, or text of the message."),
    ] = None,
    status: Annotated[
        str | None, typer.Option("--status", help="ok, error, denied ... (default: derived)")
    ] = None,
    exit_code: Annotated[int | None, typer.Option("--exit-code", help="Of a command.")] = None,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Append one event given by flags, or JSON Lines of events from stdin.

    A tool_call with an output, status or exit code becomes a call and its result.

    Example: hindsight record event --session $S --type tool_call --tool bash
    --input '{"command": "make"}' --output "make: *** [all] Error 2" --exit-code 2
    """
    from hindsight_cli.api import recording
    from hindsight_cli.api.project import Project
    from hindsight_cli.cli.start import start_of
    from hindsight_cli.errors import UsageError

    given = {
        "event_type": event_type,
        "tool_name": tool,
        "call_id": call_id,
        "input": _arguments(arguments),
        "output": text,
        "status": status,
        "exit_code": exit_code,
    }
    chosen = {k: v for k, v in given.items() if v is not None}
    if event_type is None and chosen:
        raise UsageError("--type is missing.", hint="For example --type tool_call.")
    objects = [chosen] if chosen else _stdin_events()
    session = session or os.environ.get(SESSION_VARIABLE) or _session_in(objects)
    project = Project.open(start_of(root))
    recorded = recording.record(project, session, objects)
    text = f"{recorded.session_id}\tstep {recorded.step_index}"
    _show("record event", recorded, text, as_json=as_json)


@app.command()
def end(
    session: Annotated[
        str | None, typer.Option("--session", help=f"The session's id (or ${SESSION_VARIABLE}).")
    ] = None,
    outcome: Annotated[
        str | None, typer.Option("--outcome", help="success, failure, partial or unknown.")
    ] = None,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Close a session.

    Example: hindsight record end --session $S --outcome success
    """
    from hindsight_cli.api import recording
    from hindsight_cli.api.project import Project
    from hindsight_cli.cli.start import start_of
    from hindsight_cli.errors import UsageError
    from hindsight_cli.records.event import Outcome
    from hindsight_cli.review.decisions import agent_variable

    session = session or os.environ.get(SESSION_VARIABLE)
    if not session:
        raise UsageError("--session is missing.", hint=f"Give it, or set {SESSION_VARIABLE}.")
    if outcome is not None and outcome not in list(Outcome):
        raise UsageError(f"Outcome {outcome!r} is unknown.", hint=f"One of {', '.join(Outcome)}.")
    project = Project.open(start_of(root))
    recorded = recording.end(
        project,
        session,
        outcome=Outcome(outcome) if outcome else None,
        source="agent" if agent_variable(project.env) else "human",
    )
    _show("record end", recorded, f"{session} closed", as_json=as_json)


def _show(command: str, recorded: Any, text: str, *, as_json: bool) -> None:
    from dataclasses import asdict

    from hindsight_cli.cli.render import Output

    Output(command, as_json=as_json).result(asdict(recorded), text)


def _arguments(text: str | None) -> Any:
    from hindsight_cli.errors import UsageError

    if text is None:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(
            f"--input is not JSON: {error}.", hint="""Quote it: --input '{"command": "ls"}'"""
        ) from error


def _stdin_events() -> list[dict[str, Any]]:
    from hindsight_cli.errors import InvalidEventError, UsageError

    if sys.stdin.isatty():
        raise UsageError("No event given.", hint="Use --type ..., or pipe JSON Lines in.")
    objects = []
    for number, raw in enumerate(sys.stdin.buffer.read().split(b"\n"), 1):
        if not raw.strip():
            continue
        try:
            data = json.loads(raw)
        except (ValueError, RecursionError) as error:
            raise InvalidEventError(f"line {number}", f"not JSON: {str(error)[:80]}") from error
        if not isinstance(data, dict):
            raise InvalidEventError(f"line {number}", "not a JSON object")
        objects.append(data)
    if not objects:
        raise UsageError("No event on stdin.", hint="One JSON object a line.")
    return objects


def _session_in(objects: list[dict[str, Any]]) -> str:
    from hindsight_cli.errors import UsageError

    named = {str(o["session_id"]) for o in objects if o.get("session_id")}
    if len(named) != 1:
        raise UsageError("--session is missing.", hint=f"Give it, or set {SESSION_VARIABLE}.")
    return named.pop()
