"""`hindsight init`: a project, and on a terminal the offer of what goes with it."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from hindsight_cli.cli.options import AsJson, Root

TYPE_CHECKING = False  # as typing's, without loading typing on the hot path
if TYPE_CHECKING:
    from hindsight_cli.api.installing import Plan
    from hindsight_cli.api.project import Project
    from hindsight_cli.cli.render import Output
    from hindsight_cli.integrations.targets import Where

_COMMANDS = {
    "claude": "claude -p",
    "codex": "codex exec --skip-git-repo-check --ephemeral -",
}
_ABOUT = """\
Traces stay in .hindsight/ on this machine; only reviewed experiences
(.hindsight/experiences.jsonl) are meant for git."""

_NEXT = "Next: hindsight import   (finds what agents left on this machine for this project)"


def add_commands(app: typer.Typer) -> None:
    app.command()(init)


def init(
    agents: Annotated[
        list[str] | None,
        typer.Option("--agent", help="Install into this agent too; can be given several times."),
    ] = None,
    no_input: Annotated[
        bool, typer.Option("--no-input", help="Ask nothing; agents named are installed into.")
    ] = False,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Make a project here (at the git top level, if there is one).

    On a terminal it then offers what it finds: to install into the agents you have, to
    import this project's past sessions, and a model to reflect with. Nothing of it is done
    unasked.

    Example: hindsight init
    """
    from hindsight_cli.api.installing import get_registered, where_of
    from hindsight_cli.api.project import Project
    from hindsight_cli.cli.render import Output
    from hindsight_cli.cli.start import start_of
    from hindsight_cli.config import environment
    from hindsight_cli.errors import UsageError

    names = [get_registered(name).name for name in agents or ()]
    asks = not (no_input or as_json) and sys.stdin.isatty() and sys.stdout.isatty()
    if names and not (asks or no_input):
        raise UsageError(
            "Installing into an agent changes its configuration and needs your consent.",
            hint="Look at it with `hindsight install AGENT --dry-run`, then give --no-input.",
        )
    output = Output("init", as_json=as_json)
    project = Project.find(start_of(root)) if root is None else None
    made = False
    if project is not None and project.repository_below(None) is not None:
        output.say(f"{project.root} is a project too; this git repository gets one of its own.")
        project = None
    if project is None:
        project = Project.to_make(start_of(root), exact=root is not None)
        made = project.init()
    output.part(f"{'Project ready' if made else 'Already a project'}: {project.root}\n{_ABOUT}")
    where = where_of(project.root, environment())
    plans = _install(names, where, output, asks=asks)
    data = {"project": str(project.root), "created": made}
    if names:
        changes = [change for plan in plans for change in plan.changes]
        data["changed"] = [{"path": str(c.path), "diff": c.diff} for c in changes]
    next_text = _NEXT
    if asks:
        _offer_import(project, output)
        _offer_reflector(where, output)
        next_text = "Next: hindsight doctor   (says whether all is in order)"
    output.result(data, next_text)


def _install(names: list[str], where: Where, output: Output, *, asks: bool) -> list[Plan]:
    """Into the agents named; with none named, into those present that a person wants."""
    from hindsight_cli.api.installing import plan_install, present_agents
    from hindsight_cli.cli.install import apply, result_text
    from hindsight_cli.errors import HindsightError
    from hindsight_cli.integrations.places import Scope

    wanted = names or [agent.name for agent in (present_agents(where) if asks else ())]
    plans = []
    for name in wanted:
        try:
            plan = plan_install(name, Scope.USER, where)
            if not plan.changes or (asks and not names and not _wants(name)):
                continue
            apply(plan, output, ask=asks, dry_run=False)
        except typer.Abort:
            output.say(f"{name}: left as it is.")
            continue
        except HindsightError as error:
            if names:
                raise
            output.say(f"{name}: {error} {error.hint}")
            continue
        output.part(result_text("install", plan, dry_run=False))
        plans.append(plan)
    return plans


def _wants(name: str) -> bool:
    question = f"Found {name}. Add our hooks and MCP server? The difference is shown first"
    return typer.confirm(question, default=False, err=True)


def _offer_import(project: Project, output: Output) -> None:
    from hindsight_cli.api.discovering import Wanted, discover, import_found
    from hindsight_cli.api.importing import How
    from hindsight_cli.cli.import_progress import progress
    from hindsight_cli.cli.import_text import import_text, problem_lines
    from hindsight_cli.cli.render import count

    found = [f for f in discover(project, Wanted()) if f.is_new]
    if not found:
        return
    question = f"Import {count(len(found), 'past session file')} of this project?"
    if typer.confirm(question, default=True, err=True):
        with progress(found, quiet=False) as bar:
            report = import_found(project, found, How(on_bytes=bar.on_bytes), on_file=bar.on_file)
        output.part(import_text(report))
        for line in problem_lines(report):
            output.say(line)


def _offer_reflector(where: Where, output: Output) -> None:
    """Only while nothing is chosen. Rules are the default: offline, and no key."""
    from hindsight_cli.api.configuring import set_setting
    from hindsight_cli.config.user import UserSettings, read_user_settings

    if read_user_settings(where.env).reflect_with != UserSettings().reflect_with:
        return
    commands = _commands(where)
    lines = ["What reflects on your traces?", "  1  rules: at once, offline, no key"]
    lines += [f"  {n}  {command}: traces go to its model" for n, command in enumerate(commands, 2)]
    of_model = len(commands) + 2
    lines.append(f"  {of_model}  a model of your choice, by its key in your environment")
    output.say("\n".join(lines))
    chosen = _number(of_model)
    if chosen == 1:
        return
    if chosen < of_model:
        settings = {"reflect_command": commands[chosen - 2], "reflect_with": "command"}
    else:
        name = typer.prompt("Model, like anthropic/claude-sonnet-4-5", err=True)
        settings = {"llm_model": name, "reflect_with": "llm"}
    for key, value in settings.items():
        set_setting(key, value, where.env)
        output.say(f"{key} = {value}")


def _commands(where: Where) -> list[str]:
    import os
    import shutil

    path = where.env.get("PATH", os.defpath)
    return [line for name, line in _COMMANDS.items() if shutil.which(name, path=path)]


def _number(most: int) -> int:
    """Asked for until it is one from 1 to `most`."""
    while True:
        given = str(typer.prompt("Number", default="1", err=True)).strip()
        if given.isascii() and given.isdigit() and 1 <= int(given[:9]) <= most:
            return int(given)
