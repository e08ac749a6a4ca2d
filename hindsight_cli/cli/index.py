"""`hindsight index rebuild`, `status`, `tui`"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Annotated

import typer

from hindsight_cli.cli.options import AsJson, Root

group = typer.Typer(help="The derived index.", no_args_is_help=True, rich_markup_mode=None)

_HOOK_CHARS = 200


def add_commands(app: typer.Typer) -> None:
    app.add_typer(group, name="index")
    app.command()(status)
    app.command()(tui)


@group.command()
def rebuild(root: Root = None, as_json: AsJson = False) -> None:
    """Make the index again from the files.

    Nothing but time is lost by deleting it.

    Example: hindsight index rebuild
    """
    from hindsight_cli.api.index import Index, delete_index, use_index
    from hindsight_cli.api.project import Project
    from hindsight_cli.cli.render import Output, count
    from hindsight_cli.cli.start import start_of
    from hindsight_cli.records.experience import ReviewStatus

    project = Project.open(start_of(root))
    delete_index(project)

    def sync(opened: Index) -> tuple[int, int]:
        sessions = opened.sync_traces()
        opened.sync_experiences()
        kept = [s for s in ReviewStatus if s is not ReviewStatus.FORGOTTEN]
        return sessions, len(opened.experiences.with_status(*kept))

    sessions, experiences = use_index(project, sync)
    data = {"sessions": sessions, "experiences": experiences}
    counted = f"{count(sessions, 'session')}, {count(experiences, 'experience')}"
    text = f"Index made again: {counted}."
    Output("index rebuild", as_json=as_json).result(data, text)


@group.command()
def embed(
    download: Annotated[
        bool, typer.Option("--download", help="Fetch the configured model from its hub first.")
    ] = False,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Make the vectors that search by meaning needs.

    A search makes a few missing ones by itself; after a change of model, or in a store
    of hundreds, make them here. Until all are made, those before stay in use.

    Example: hindsight index embed
    """
    from hindsight_cli.api.meaning import embed_index
    from hindsight_cli.api.project import Project
    from hindsight_cli.cli.render import Output, count
    from hindsight_cli.cli.start import start_of

    output = Output("index embed", as_json=as_json)
    project = Project.open(start_of(root))
    with _embedding_bar() as advance:
        vectors = embed_index(project, download=download, progress=advance)
    meta = vectors.meta
    data = {
        "experiences": len(meta.ids),
        "model": meta.model,
        "dimension": meta.dimension,
        "reads_chinese": meta.reads_chinese,
    }
    text = f"{count(len(meta.ids), 'experience')} can be found by meaning, with {meta.model}."
    if not meta.reads_chinese:
        text += "\nIt does not read Chinese: Chinese questions are answered by words."
    output.result(data, text)


@contextlib.contextmanager
def _embedding_bar() -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr; nothing where that is no terminal."""
    from rich.console import Console  # only here: a second of work at least
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("embedding", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def status(root: Root = None, as_json: AsJson = False) -> None:
    """Say what is stored here and what waits for review.

    Example: hindsight status
    """
    from dataclasses import asdict

    from hindsight_cli.api.project import Project
    from hindsight_cli.api.status import project_status
    from hindsight_cli.cli.reflect_text import reflection_lines
    from hindsight_cli.cli.render import Output
    from hindsight_cli.cli.start import start_of, tell_of_repository
    from hindsight_cli.terminal import visible

    project = Project.open(start_of(root))
    output = Output("status", as_json=as_json)
    tell_of_repository(project, root, output)
    found = project_status(project)
    counts = ", ".join(f"{n} {name}" for name, n in found.experiences.items() if n) or "none"
    lines = [
        f"project      {found.project}",
        f"sessions     {found.sessions}",
        f"experiences  {counts}",
        f"on disk      {found.bytes_on_disk / 1e6:.1f} MB",
    ]
    if found.reflection:
        lines += reflection_lines(found.reflection)
    lines += [f"hook         {visible(line)[:_HOOK_CHARS]}" for line in found.hooks]
    if found.paused_by:
        lines.append(f"paused       by {found.paused_by}: hindsight resume")
    if found.oldest_pending:
        lines.append(f"waiting      since {found.oldest_pending[:10]}: hindsight tui")
    output.result(asdict(found), "\n".join(lines))


def tui(
    root: Root = None,
    no_mouse: Annotated[
        bool,
        typer.Option("--no-mouse", help="Leave the mouse to the terminal, to select text with."),
    ] = False,
) -> None:
    """Review experiences in the terminal.

    The proposal on the left, the steps it cites on the right.

    Example: hindsight tui
    """
    import sys

    from hindsight_cli.api.project import Project
    from hindsight_cli.cli.start import start_of
    from hindsight_cli.errors import UsageError

    project = Project.open(start_of(root))
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError(
            "`hindsight tui` needs a terminal.",
            hint="In scripts use `hindsight experiences list|approve|reject`.",
        )
    from hindsight_cli.tui.app import ReviewApp

    ReviewApp(project.root).run(mouse=not no_mouse)
