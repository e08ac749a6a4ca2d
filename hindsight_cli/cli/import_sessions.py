"""`hindsight import`"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hindsight_cli.cli.options import AsJson, Root
from hindsight_cli.cli.render import Output, count

if TYPE_CHECKING:
    from hindsight_cli.api.discovering import FoundSession
    from hindsight_cli.api.importing import How, ImportReport
    from hindsight_cli.api.project import Project

EXIT_PARTIAL = 3
_WATCH_S = 2.0  # between two looks; longer when an import takes long
_WATCH_SHARE = 5  # so much longer than the import itself


def add_commands(app: typer.Typer) -> None:
    app.command("import")(import_)


def import_(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(help="Transcripts, or folders that hold some (default: this project's)."),
    ] = None,
    format_name: Annotated[
        str | None, typer.Option("--format", help="Read as this format instead of detecting it.")
    ] = None,
    agent: Annotated[
        str | None, typer.Option("--agent", help="Only sessions of this agent.")
    ] = None,
    since: Annotated[
        str | None, typer.Option("--since", help="Only what was touched since, like 7d or 12h.")
    ] = None,
    all_projects: Annotated[
        bool, typer.Option("--all-projects", help="Sessions of all projects, into this one.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only list what would be imported.")
    ] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Go on importing what is added, until Ctrl-C.")
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Leave out whole files with unreadable records.")
    ] = False,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Import past runs of agents: those found on this machine, or PATHS.

    Without PATHS it looks where agents keep their sessions and takes those of this
    project. Formats are told by content. Importing again adds only what is new. Secrets
    are redacted before anything is written.

    Example: hindsight import --dry-run
    """
    from hindsight_cli.api.discovering import Wanted, discover, files_at
    from hindsight_cli.api.importing import How
    from hindsight_cli.api.project import Project
    from hindsight_cli.cli.durations import days_of
    from hindsight_cli.cli.start import start_of
    from hindsight_cli.errors import UsageError

    if paths and (agent or since or all_projects or dry_run):
        raise UsageError(
            "--agent, --since, --all-projects and --dry-run are for sessions that are looked for.",
            hint="Give either PATHS or these.",
        )
    days = days_of(since) if since else None
    wanted = Wanted(agent=agent, since_days=days, all_projects=all_projects)
    project = Project.open_or_init(start_of(root))
    run = _Import(
        project=project,
        output=Output("import", as_json=as_json),
        how=How(format_name=format_name, strict=strict),
        look=lambda: files_at(project, paths) if paths else discover(project, wanted),
        everywhere=all_projects or bool(paths),
    )
    if paths and not watch:
        run.paths(paths)
    elif dry_run:
        run.preview()
    elif watch:
        run.watch()
    else:
        run.found()


@dataclass(frozen=True, kw_only=True)
class _Import:
    project: Project
    output: Output
    how: How
    look: Callable[[], list[FoundSession]]
    everywhere: bool  # sessions of any project are wanted

    def paths(self, paths: list[Path]) -> None:
        from hindsight_cli.api.importing import import_paths
        from hindsight_cli.cli.import_text import progress

        with progress(quiet=self.output.as_json) as on_file:
            report = import_paths(self.project, paths, self.how, on_file=on_file)
        self._show(report, [])

    def preview(self) -> None:
        from hindsight_cli.cli import shapes
        from hindsight_cli.cli.import_text import found_text

        found = self.look()
        data = {"discovered": [shapes.found_file(f) for f in found]}
        self.output.result(data, found_text(found, self.project.root, everywhere=self.everywhere))

    def found(self) -> None:
        from hindsight_cli.cli.import_text import found_text

        found = self.look()
        self.output.part(found_text(found, self.project.root, everywhere=self.everywhere))
        self._show(self._import(found), found)

    def watch(self) -> None:
        """Until Ctrl-C; what is imported is told as it comes."""
        if not self.output.as_json:
            self.output.say("Watching for what agents write; Ctrl-C ends it.")
        with contextlib.suppress(KeyboardInterrupt):
            while True:
                began = time.monotonic()
                report = self._import(self.look())
                for error in report.failed_files:
                    self.output.say(f"{error} {error.hint}")
                if imported := report.total("imported"):
                    sessions = ", ".join(report.sessions)
                    self.output.say(f"{count(imported, 'record')} imported: {sessions}")
                time.sleep(max(_WATCH_S, _WATCH_SHARE * (time.monotonic() - began)))
        if self.output.as_json:
            self.output.result({}, "")

    def _import(self, found: list[FoundSession]) -> ImportReport:
        from hindsight_cli.api.discovering import import_found
        from hindsight_cli.cli.import_text import progress_of

        with progress_of(found, quiet=self.output.as_json) as on_file:
            return import_found(
                self.project, found, self.how, everywhere=self.everywhere, on_file=on_file
            )

    def _show(self, report: ImportReport, found: list[FoundSession]) -> None:
        from hindsight_cli.api.overview import overview
        from hindsight_cli.cli import shapes
        from hindsight_cli.cli.import_text import import_text, overview_text

        for message in report.messages:
            self.output.say(message)
        partial = bool(report.failed_files) or report.total("failed") > 0
        known = overview(self.project)
        self.output.result(
            {
                **shapes.import_report(report),
                "discovered": [shapes.found_file(f) for f in found],
                "overview": shapes.overview(known),
            },
            "\n".join([import_text(report), overview_text(known, report)]).strip("\n"),
            status="partial" if partial else "success",
            errors=report.failed_files,
        )
        if partial:
            raise typer.Exit(EXIT_PARTIAL)
