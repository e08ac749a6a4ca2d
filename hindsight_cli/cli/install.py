"""`hindsight install`, `uninstall`"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from hindsight_cli.cli.options import AsJson, Root

TYPE_CHECKING = False  # as typing's, without loading typing on the hot path
if TYPE_CHECKING:
    from hindsight_cli.api.installing import Plan
    from hindsight_cli.cli.render import Output

Agent = Annotated[
    str, typer.Argument(help="claude-code, codex, gemini-cli, opencode or qwen-code.")
]
ScopeName = Annotated[
    str,
    typer.Option("--scope", metavar="user|project", help="For all your projects, or this one."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


def add_commands(app: typer.Typer) -> None:
    app.command()(install)
    app.command()(uninstall)


def install(
    agent: Agent,
    scope: ScopeName = "user",
    dry_run: DryRun = False,
    yes: Yes = False,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Add our hooks and MCP server to an agent's own configuration.

    The difference is shown first. Comments, order and everything else there stay as they
    are; installing again changes nothing.

    Example: hindsight install claude-code --dry-run
    """
    _run("install", agent, scope, root, ask=not yes, dry_run=dry_run, as_json=as_json)


def uninstall(
    agent: Agent,
    scope: ScopeName = "user",
    dry_run: DryRun = False,
    yes: Yes = False,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Take out of an agent's configuration exactly what `install` put there.

    Example: hindsight uninstall claude-code
    """
    _run("uninstall", agent, scope, root, ask=not yes, dry_run=dry_run, as_json=as_json)


def _run(
    command: str,
    agent: str,
    scope_name: str,
    root: Root,
    *,
    ask: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    from hindsight_cli.api import installing
    from hindsight_cli.cli.render import Output
    from hindsight_cli.cli.start import start_of
    from hindsight_cli.config import environment
    from hindsight_cli.errors import UsageError
    from hindsight_cli.integrations.places import Scope

    if scope_name not in tuple(Scope):
        raise UsageError(f"There is no scope {scope_name!r}.", hint="One of user, project.")
    output = Output(command, as_json=as_json)
    where = installing.where_of(start_of(root), environment())
    make_plan = installing.plan_install if command == "install" else installing.plan_uninstall
    plan = make_plan(agent, Scope(scope_name), where)
    apply(plan, output, ask=ask, dry_run=dry_run)
    for todo in plan.todo if as_json and plan.changes else ():
        output.say(todo)
    data = {"changed": [{"path": str(c.path), "diff": c.diff} for c in plan.changes]}
    output.result(data, result_text(command, plan, dry_run=dry_run))


def apply(plan: Plan, output: Output, *, ask: bool, dry_run: bool) -> None:
    """Show the difference, ask if need be, and write it.

    Raises:
        UsageError: nobody can be asked.
        typer.Abort: the answer is no.
    """
    from hindsight_cli.api.installing import carry_out
    from hindsight_cli.errors import UsageError

    for change in plan.changes:
        output.part(change.diff + "\n")
    for message in plan.messages:
        output.say(message)
    if dry_run or not plan.changes:
        return
    if ask:
        if output.as_json or not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise UsageError(
                f"Changing the configuration of {plan.agent} needs your consent.",
                hint="Look at it with --dry-run, then give --yes.",
            )
        typer.confirm("Write this?", abort=True, err=True)
    carry_out(plan)


def result_text(command: str, plan: Plan, *, dry_run: bool) -> str:
    """What was done, and what is left to the person."""
    if not plan.changes:
        state = "is in place already" if command == "install" else "is not there"
        return f"Nothing to change: what we {'write' if command == 'install' else 'wrote'} {state}."
    lines = [f"{'Would change' if dry_run else 'Changed'}: {c.path}" for c in plan.changes]
    lines += [f"Next: {todo}" for todo in plan.todo]
    if command == "install" and not dry_run:
        lines.append("Check it any time with: hindsight doctor")
    return "\n".join(lines)
