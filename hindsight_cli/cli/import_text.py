"""What `hindsight import` tells a person."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from hindsight_cli.cli.render import count
from hindsight_cli.terminal import visible
from hindsight_cli.text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hindsight_cli.api.discovering import FoundSession
    from hindsight_cli.api.importing import ImportReport
    from hindsight_cli.api.overview import Overview
    from hindsight_cli.integrations.past import PastFile

_SHOWN = 10
_RECURRING_SHOWN = 5
_KILO = 1000


@contextlib.contextmanager
def progress(*, quiet: bool) -> Iterator[Callable[[Path], None]]:
    """A spinner with the file being read, on a terminal; nothing elsewhere."""
    if quiet or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True).status(Text("Importing")) as status:
        yield lambda path: status.update(Text(f"Importing {path.name}"))


@contextlib.contextmanager
def progress_of(
    found: Sequence[FoundSession], *, quiet: bool
) -> Iterator[Callable[[PastFile], None]]:
    """A bar over the bytes of what is new, on a terminal; nothing elsewhere."""
    total = sum(f.file.size_bytes for f in found if f.is_new)
    if quiet or not total or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (BarColumn(), DownloadColumn(), TimeRemainingColumn(), TextColumn("{task.fields[n]}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total, n="")
        before = 0

        def on_file(file: PastFile) -> None:
            nonlocal before
            bar.update(task, advance=before, n=visible(file.path.name))
            before = file.size_bytes

        yield on_file


def found_text(found: Sequence[FoundSession], root: Path, *, everywhere: bool) -> str:
    """By agent: how many transcripts, how large, how many of them new."""
    if not found:
        whose = "" if everywhere else f" that began in {root}"
        return (
            f"No sessions{whose} were found on this machine.\n"
            "Elsewhere: hindsight import PATH, or --all-projects for those of every folder."
        )
    lines = [f"Sessions of {'all projects' if everywhere else root} on this machine:"]
    for agent in sorted({f.file.agent for f in found}):
        own = [f for f in found if f.file.agent == agent]
        new = [f for f in own if f.is_new]
        size = size_text(sum(f.file.size_bytes for f in own))
        fresh = f"{len(new)} new, {size_text(sum(f.file.size_bytes for f in new))}"
        lines.append(f"  {agent:12} {count(len(own), 'file'):>10} {size:>9}   {fresh}")
    return "\n".join(lines)


def size_text(size_bytes: int) -> str:
    """`18 B`, `4.2 MB`."""
    size = float(size_bytes)
    for unit in ("B", "KB", "MB"):
        if size < _KILO:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= _KILO
    return f"{size:.1f} GB"


def overview_text(known: Overview, report: ImportReport) -> str:
    """All that is known by now, the errors that come back, and what to type next."""
    if not known.sessions:
        return ""
    lines = [
        f"In all: {count(known.sessions, 'session')}, {count(known.tool_calls, 'call')}, "
        f"{known.failed_tool_calls} failed."
    ]
    if known.recurring:
        verb = "comes" if len(known.recurring) == 1 else "come"
        lines.append(f"{count(len(known.recurring), 'error')} {verb} back over sessions:")
    for failure in known.recurring[:_RECURRING_SHOWN]:
        row = failure.row
        seen = f"{count(row.sessions, 'session')}, {count(row.count, 'time')}"
        lines.append(f"  {seen:>22}  {row.tool_name}  {one_line(row.fingerprint, 60)}")
    which = report.traces[0].trace_id if len(report.traces) == 1 else "--all"
    failures = ", or hindsight failures" if known.recurring else ""
    lines.append(f"Next: hindsight reflect {which}{failures}")
    return "\n".join(lines)


def import_text(report: ImportReport) -> str:
    """Counts, what was read, what went wrong, and the next command."""
    total = {c: report.total(c) for c in ("found", "imported", "duplicate", "skipped", "failed")}
    if not report.files:
        return "Nothing new." if not report.failed_files else ""
    lines = [
        f"{count(len(report.files), 'file')}: {total['found']} records = "
        f"{total['imported']} imported + {total['duplicate']} already there"
        f" + {total['skipped']} without content + {total['failed']} unreadable"
    ]
    for row in report.traces[:_SHOWN]:
        task = one_line(row.task, 60) or "(no task text)"
        counts = f"{row.steps} steps, {row.tool_calls} calls, {row.failed_tool_calls} failed"
        if row.denied_tool_calls:
            counts += f", {row.denied_tool_calls} denied"
        lines.append(f"  {row.trace_id}  {task}  ({counts})")
    if len(report.traces) > _SHOWN:
        lines.append(f"  … and {len(report.traces) - _SHOWN} more: hindsight traces list")
    if report.unknown_records:
        kinds = ", ".join(f"{n} x {t}" for t, n in report.unknown_records.most_common(8))
        lines.append(f"Record types unknown to this version, kept as they are: {kinds}")
    for problem in report.problems[:_SHOWN]:
        where = f"line {problem.line}" if problem.line else "the file"
        lines.append(f"  {Path(problem.path).name}, {where}: {problem.reason}")
    if len(report.problems) > _SHOWN:
        lines.append(f"  … and {len(report.problems) - _SHOWN} more problems (see --json)")
    if total["failed"]:
        lines.append(
            f"{count(total['failed'], 'record')} could not be read, the others are imported"
            " (exit code 3: partial)"
        )
    return "\n".join(lines)
