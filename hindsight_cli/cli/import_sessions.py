"""`hindsight import`"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hindsight_cli.cli.options import AsJson, Root
from hindsight_cli.cli.render import Output, count

if TYPE_CHECKING:
    from hindsight_cli.api.discovering import FoundSession, Wanted
    from hindsight_cli.api.importing import How, ImportReport
    from hindsight_cli.api.project import Project
    from hindsight_cli.integrations.past import PastFile

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
    from hindsight_cli.api.discovering import Wanted
    from hindsight_cli.api.importing import How
    from hindsight_cli.api.project import Project
    from hindsight_cli.api.short_names import full_agent_name, full_format_name
    from hindsight_cli.cli.durations import days_of
    from hindsight_cli.cli.start import start_of, tell_of_repository
    from hindsight_cli.errors import UsageError

    if paths and all_projects:
        raise UsageError(
            "--all-projects is for sessions that are looked for.", hint="Give PATHS or this."
        )
    wanted = Wanted(
        agent=full_agent_name(agent) if agent else None,
        since_days=days_of(since) if since else None,
        all_projects=all_projects,
    )
    run = _Import(
        project=Project.found_or_to_make(start_of(root)),
        output=Output("import", as_json=as_json),
        how=How(format_name=full_format_name(format_name) if format_name else None, strict=strict),
        wanted=wanted,
        given=tuple(paths or ()),
    )
    tell_of_repository(run.project, root, run.output)
    if dry_run:
        run.preview()
    elif watch:
        run.watch()
    elif paths:
        run.paths()
    else:
        run.found()


@dataclass(frozen=True, kw_only=True)
class _Import:
    project: Project
    output: Output
    how: How
    wanted: Wanted
    given: tuple[Path, ...]

    @property
    def everywhere(self) -> bool:
        """Sessions of any project are wanted."""
        return self.wanted.all_projects or bool(self.given)

    def paths(self) -> None:
        from hindsight_cli.api.importing import import_paths
        from hindsight_cli.cli.import_progress import progress

        paths: Sequence[Path] = self.given
        if self.wanted.agent or self.wanted.since_days is not None:
            paths = [f.file.path for f in self._looker()()]
        with progress(None, quiet=self.output.as_json) as bar:
            how = replace(self.how, on_bytes=bar.on_bytes) if bar.is_shown else self.how
            report = import_paths(self.project, paths, how, on_file=bar.on_path)
        self._show(report, [])

    def preview(self) -> None:
        from hindsight_cli.cli import shapes

        found = self._looker()()
        data = {"discovered": [shapes.found_file(f) for f in found]}
        text = "\n".join(filter(None, [self._found_text(found), self._earlier(found)]))
        self.output.result(data, text)

    def found(self) -> None:
        found = self._looker()()
        self.output.part(self._found_text(found))
        self._show(self._import(found), found)

    def watch(self) -> None:
        """Until Ctrl-C; what is imported is told as it comes, as JSON one document for each."""
        from hindsight_cli.errors import ImportInterruptedError

        if not self.output.as_json:
            self.output.say("Watching for what agents write; Ctrl-C ends it.")
        tried: dict[Path, tuple[int, int]] = {}
        with contextlib.suppress(KeyboardInterrupt, ImportInterruptedError):
            look = self._looker()
            while True:
                began = time.monotonic()
                found = [f for f in look() if tried.get(f.file.path) != _stamp(f.file)]
                tried |= {f.file.path: _stamp(f.file) for f in found}
                if any(f.is_new for f in found):
                    self._tell(self._import(found))
                time.sleep(max(_WATCH_S, _WATCH_SHARE * (time.monotonic() - began)))

    def _tell(self, report: ImportReport) -> None:
        from hindsight_cli.cli import shapes
        from hindsight_cli.cli.import_text import problem_lines

        output = Output("import", as_json=self.output.as_json)
        partial = bool(report.failed_files) or report.total("failed") > 0
        if output.as_json:
            for message in report.messages:
                output.say(message)
            status = "partial" if partial else "success"
            data = shapes.import_report(report)
            output.result(data, "", status=status, errors=report.failed_files)
            sys.stdout.flush()
            return
        for line in [*map(str, report.failed_files), *problem_lines(report)]:
            output.say(line)
        if imported := report.total("imported"):
            output.say(f"{count(imported, 'record')} imported: {', '.join(report.sessions)}")

    def _looker(self) -> Callable[[], list[FoundSession]]:
        """What looks for transcripts; what it passes over at given paths is told of once."""
        from hindsight_cli.api.discovering import discover
        from hindsight_cli.api.files_at import FilesAt

        if not self.given:
            return lambda: discover(self.project, self.wanted)
        files = FilesAt(self.project, self.given, self.wanted, format_name=self.how.format_name)
        files.look()
        for message in files.messages():
            self.output.say(message)
        return files.look

    def _found_text(self, found: list[FoundSession]) -> str:
        from hindsight_cli.api.discovering import repositories_below
        from hindsight_cli.cli.import_text import found_text, repositories_text

        root, everywhere = self.project.root, self.everywhere
        below = [] if everywhere else repositories_below(self.project, found)
        text = found_text(found, root, everywhere=everywhere, named=bool(self.given))
        return "\n".join(filter(None, [text, repositories_text(below, root)]))

    def _earlier(self, found: list[FoundSession]) -> str:
        from hindsight_cli.cli.import_text import earlier_text

        return earlier_text(found)

    def _import(self, found: list[FoundSession]) -> ImportReport:
        from hindsight_cli.api.discovering import import_found
        from hindsight_cli.cli.import_progress import progress

        with progress(found, quiet=self.output.as_json) as bar:
            how = replace(self.how, on_bytes=bar.on_bytes) if bar.is_shown else self.how
            return import_found(
                self.project, found, how, everywhere=self.everywhere, on_file=bar.on_file
            )

    def _show(self, report: ImportReport, found: list[FoundSession]) -> None:
        from hindsight_cli.api.overview import overview
        from hindsight_cli.cli import shapes
        from hindsight_cli.cli.import_text import import_text, overview_text, problem_lines

        for message in report.messages:
            self.output.say(message)
        partial = bool(report.failed_files) or report.total("failed") > 0
        known = overview(self.project)
        if not self.output.as_json:
            for line in problem_lines(report):
                self.output.say(line)
        texts = [import_text(report), self._earlier(found), overview_text(known, report)]
        self.output.result(
            {
                **shapes.import_report(report),
                "discovered": [shapes.found_file(f) for f in found],
                "overview": shapes.overview(known),
            },
            "\n".join(filter(None, texts)),
            status="partial" if partial else "success",
            errors=report.failed_files,
        )
        if partial:
            raise typer.Exit(EXIT_PARTIAL)


def _stamp(file: PastFile) -> tuple[int, int]:
    return file.size_bytes, file.modified_ns
