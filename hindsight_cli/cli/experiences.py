"""`hindsight experiences ...`"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hindsight_cli.cli.options import AsJson, Root

if TYPE_CHECKING:
    from hindsight_cli.api.project import Project
    from hindsight_cli.api.reviewing import Decision
    from hindsight_cli.records.experience import ExperienceState

app = typer.Typer(
    help="List and review what was learned.", no_args_is_help=True, rich_markup_mode=None
)
ExperienceId = Annotated[str, typer.Argument(help="Id of an experience, or its beginning.")]


def _project(root: Path | None) -> Project:
    from hindsight_cli.api.project import Project
    from hindsight_cli.cli.start import start_of

    return Project.open(start_of(root))


@app.command("list")
def list_(
    status: Annotated[
        str | None,
        typer.Option(
            "--status", help="pending, approved, rejected, suspended, superseded, forgotten, all."
        ),
    ] = None,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """List experiences (default: pending and approved).

    Example: hindsight experiences list --status pending
    """
    from hindsight_cli.api.experiences import list_experiences
    from hindsight_cli.cli import shapes
    from hindsight_cli.cli.render import Output, remind, table
    from hindsight_cli.errors import UsageError
    from hindsight_cli.records.experience import ReviewStatus

    output = Output("experiences list", as_json=as_json)
    if status not in (None, "all", *ReviewStatus):
        allowed = ", ".join([*ReviewStatus, "all"])
        raise UsageError(f"Status {status!r} is unknown.", hint=f"One of {allowed}.")
    if status is None:
        wanted = [ReviewStatus.PENDING, ReviewStatus.APPROVED]
    else:
        wanted = list(ReviewStatus) if status == "all" else [ReviewStatus(status)]
    states = list_experiences(_project(root), wanted)
    rows = [
        [
            *(s.experience.experience_id, _status(s), s.experience.content.kind.value),
            s.experience.content.scenario,
        ]
        for s in states
    ]
    if not states:
        output.say("No experiences yet: hindsight reflect" if status is None else "None.")
    text = table(["experience", "status", "kind", "when"], rows) if rows else ""
    output.result({"experiences": [shapes.experience(s) for s in states]}, text)
    remind(output, sum(s.status is ReviewStatus.PENDING for s in states))


@app.command()
def show(experience_id: ExperienceId, root: Root = None, as_json: AsJson = False) -> None:
    """Show an experience with the steps it cites and its history.

    Example: hindsight experiences show ex-1a2b
    """
    from hindsight_cli.api.experiences import show_experience
    from hindsight_cli.cli import shapes
    from hindsight_cli.cli.experience_text import detail_text
    from hindsight_cli.cli.render import Output

    output = Output("experiences show", as_json=as_json)
    detail = show_experience(_project(root), experience_id)
    output.result({"experience": shapes.experience_detail(detail)}, detail_text(detail))


@app.command()
def approve(
    experience_ids: Annotated[list[str] | None, typer.Argument(help="Ids.")] = None,
    all_safe: Annotated[
        bool, typer.Option("--all-safe", help="All without risk or words from outside.")
    ] = False,
    confirm: Annotated[
        str | None, typer.Option("--confirm", help="Repeat the id of a risky one.")
    ] = None,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Make experiences retrievable.

    Example: hindsight experiences approve ex-1a2b
    """
    from hindsight_cli.api import reviewing
    from hindsight_cli.api.experiences import find_experience
    from hindsight_cli.cli.render import Output
    from hindsight_cli.errors import UsageError

    output = Output("experiences approve", as_json=as_json)
    if bool(experience_ids) == all_safe:
        raise UsageError("Give ids, or --all-safe.", hint="hindsight experiences list")
    project = _project(root)
    if all_safe:
        decisions, left = reviewing.approve_all_safe(project)
        for state in left:
            output.say(f"{state.experience.experience_id} left for a closer look")
    else:
        known = [find_experience(project, i) for i in experience_ids or ()]  # all, or none
        ids = [s.experience.experience_id for s in known]
        decisions = [reviewing.approve(project, i, confirm=confirm) for i in ids]
    if not decisions:
        output.result({"experiences": []}, "Nothing to approve.")
        return
    _show_all("experiences approve", decisions, "Approved", as_json=as_json)


@app.command()
def edit(
    experience_id: ExperienceId,
    scenario: Annotated[str | None, typer.Option("--scenario", help="When it applies.")] = None,
    recommend: Annotated[str | None, typer.Option("--recommend", help="What to do.")] = None,
    avoid: Annotated[str | None, typer.Option("--avoid", help="What not to do.")] = None,
    why: Annotated[str | None, typer.Option("--why", help="Why.")] = None,
    file: Annotated[
        Path | None, typer.Option("--from", help="JSON object of new fields; - for stdin.")
    ] = None,
    confirm: Annotated[
        str | None, typer.Option("--confirm", help="Repeat the id of a risky one.")
    ] = None,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Approve an experience with better words.

    Example: hindsight experiences edit ex-1a2b --recommend "use -p 3307:3306"
    """
    from hindsight_cli.api import reviewing
    from hindsight_cli.errors import UsageError

    flags = {"scenario": scenario, "recommend": recommend, "avoid": avoid, "why": why}
    changes: dict[str, Any] = {k: v for k, v in flags.items() if v is not None}
    if file is not None:
        changes = {**_json_lines(file)[0], **changes}
    if not changes:
        raise UsageError("Nothing to change.", hint="Give --recommend TEXT, or --from FILE.")
    decision = reviewing.edit(_project(root), experience_id, changes, confirm=confirm)
    _show("experiences edit", decision.state, "Edited and approved", as_json=as_json)


@app.command()
def promote(experience_id: ExperienceId, root: Root = None, as_json: AsJson = False) -> None:
    """Make an approved tip a general principle.

    Example: hindsight experiences promote ex-1a2b
    """
    from hindsight_cli.api import reviewing

    decision = reviewing.promote(_project(root), experience_id)
    _show("experiences promote", decision.state, "Made general", as_json=as_json)


@app.command()
def reject(
    experience_ids: Annotated[list[str], typer.Argument(help="Ids, or their beginnings.")],
    reason: Annotated[str, typer.Option("--reason", help="Why; kept with it.")] = "",
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Turn experiences down; they are not proposed again.

    Example: hindsight experiences reject ex-1a2b --reason "only true on my laptop"
    """
    from hindsight_cli.api import reviewing

    project = _project(root)
    decisions = [reviewing.reject(project, i, reason=reason) for i in experience_ids]
    _show_all("experiences reject", decisions, "Rejected", as_json=as_json)


@app.command()
def verify(
    experience_ids: Annotated[list[str], typer.Argument(help="Ids, or their beginnings.")],
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Say that approved experiences still hold; they are fresh again.

    Example: hindsight experiences verify ex-1a2b
    """
    from hindsight_cli.api import reviewing

    project = _project(root)
    decisions = [reviewing.verify(project, i) for i in experience_ids]
    _show_all("experiences verify", decisions, "Verified", as_json=as_json)


@app.command()
def undo(
    experience_id: Annotated[
        str | None, typer.Argument(help="Id (default: the last decision of all).")
    ] = None,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Take back the last decision.

    Example: hindsight experiences undo
    """
    from hindsight_cli.api import reviewing

    decision = reviewing.undo(_project(root), experience_id)
    status = decision.state.status
    _show("experiences undo", decision.state, f"Undone, {status} again:", as_json=as_json)


@app.command()
def forget(experience_id: ExperienceId, root: Root = None, as_json: AsJson = False) -> None:
    """Delete an experience's text everywhere; it does not come back.

    Example: hindsight experiences forget ex-1a2b
    """
    from hindsight_cli.api import reviewing
    from hindsight_cli.cli.render import Output

    gone = reviewing.forget(_project(root), experience_id)
    output = Output("experiences forget", as_json=as_json)
    output.result({"forgotten": gone}, f"Forgot {gone}: its text is deleted.")


@app.command()
def add(
    scenario: Annotated[
        str | None, typer.Option("--scenario", help="When it applies: the task, the error.")
    ] = None,
    recommend: Annotated[str | None, typer.Option("--recommend", help="What to do then.")] = None,
    avoid: Annotated[str | None, typer.Option("--avoid", help="What not to do.")] = None,
    kind: Annotated[
        str, typer.Option("--kind", help="failure_lesson, success_pattern or key_decision.")
    ] = "failure_lesson",
    tools: Annotated[
        list[str] | None, typer.Option("--tool", help="A tool it is about; may be repeated.")
    ] = None,
    file: Annotated[
        Path | None, typer.Option("--from", help="Many, as JSON Lines; - for stdin.")
    ] = None,
    approve_now: Annotated[
        bool, typer.Option("--approve", help="Approve all at once: they are your own words.")
    ] = False,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Add your own experience, or many from a file.

    Each line of a file is like {"kind": "failure_lesson", "scenario": "...", "recommend":
    "...", "avoid": "...", "tool_tags": ["docker"], "task_tags": ["deployment"]}.

    Example: hindsight experiences add --scenario "Deploying MySQL" --recommend
    "Hand over `--env-file .env`" --tool docker --approve
    """
    from hindsight_cli.api.project import Project
    from hindsight_cli.api.proposing import add_experiences
    from hindsight_cli.cli import shapes
    from hindsight_cli.cli.render import Output
    from hindsight_cli.cli.start import start_of
    from hindsight_cli.errors import UsageError

    given = {"scenario": scenario, "recommend": recommend, "avoid": avoid, "tool_tags": tools}
    given = {name: value for name, value in given.items() if value}
    if (file is None) == (not given):
        raise UsageError(
            "Give either --scenario and --recommend, or --from FILE.",
            hint="See `hindsight experiences add --help`.",
        )
    objects = [{"kind": kind, **given}] if file is None else _json_lines(file)
    project = Project.open_or_init(start_of(root))
    states = add_experiences(project, objects, approve=approve_now)
    output = Output("experiences add", as_json=as_json)
    said = "Added and approved" if approve_now else "Added for review"
    text = "\n".join(
        f"{'Already approved' if s.retrievable and not approve_now else said} "
        f"{s.experience.experience_id}"
        for s in states
    )
    output.result({"experiences": [shapes.experience(s) for s in states]}, text)


def _status(state: ExperienceState) -> str:
    if state.stale:
        return "stale"
    return state.status.value if state.trusted else "untrusted"


def _show_all(command: str, decisions: list[Decision], what: str, *, as_json: bool) -> None:
    from hindsight_cli.cli import shapes
    from hindsight_cli.cli.render import Output

    text = "\n".join(f"{what} {d.state.experience.experience_id}" for d in decisions)
    data: dict[str, Any] = {"experiences": [shapes.experience(d.state) for d in decisions]}
    if len(decisions) == 1:
        data["experience"] = data["experiences"][0]
    Output(command, as_json=as_json).result(data, text)


def _show(command: str, state: ExperienceState, what: str, *, as_json: bool) -> None:
    from hindsight_cli.cli import shapes
    from hindsight_cli.cli.render import Output

    output = Output(command, as_json=as_json)
    text = f"{what} {state.experience.experience_id}"
    output.result({"experience": shapes.experience(state)}, text)


def _json_lines(file: Path) -> list[dict[str, Any]]:
    """The JSON objects of a file or of stdin, one a line (or one document)."""
    from hindsight_cli.errors import InvalidExperienceError, SourceNotFoundError

    try:
        raw = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    except OSError as error:
        raise SourceNotFoundError(str(file), hint="--from takes a file of JSON Lines.") from error
    objects: list[dict[str, Any]] = []
    for number, line in enumerate(raw.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            data = json.loads(line)
        except (ValueError, RecursionError) as error:
            where = f"{file}, line {number}"
            raise InvalidExperienceError(where, f"not JSON ({str(error)[:60]})") from error
        if not isinstance(data, dict):
            raise InvalidExperienceError(f"{file}, line {number}", "not a JSON object")
        objects.append(data)
    if not objects:
        raise InvalidExperienceError(str(file), "no JSON object in it")
    return objects
