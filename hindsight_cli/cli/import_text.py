"""What `hindsight import` tells a person."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from hindsight_cli.cli.render import count
from hindsight_cli.text import one_line

if TYPE_CHECKING:
    from hindsight_cli.api.importing import ImportReport

_SHOWN = 10


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


def import_text(report: ImportReport) -> str:
    """Counts, what was read, what went wrong, and the next command."""
    total = {c: report.total(c) for c in ("found", "imported", "duplicate", "skipped", "failed")}
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
    if len(report.traces) == 1:
        lines.append(f"Next: hindsight reflect {report.traces[0].trace_id}")
    elif report.traces:
        lines.append("Next: hindsight reflect --all, or hindsight failures")
    return "\n".join(lines)
