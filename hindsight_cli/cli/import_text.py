"""What `hindsight import` tells a person."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from hindsight_cli.cli.render import count
from hindsight_cli.text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hindsight_cli.api.discovering import FoundSession
    from hindsight_cli.api.importing import ImportReport
    from hindsight_cli.api.overview import Overview
    from hindsight_cli.traces.index import TraceRow

_SHOWN = 10
_RECURRING_SHOWN = 5
_KILO = 1000


def found_text(
    found: Sequence[FoundSession], root: Path, *, everywhere: bool, named: bool = False
) -> str:
    """By agent: how many transcripts, how large, how many of them new.

    `named`: they lie at paths that were given.
    """
    if not found and named:
        return "Nothing at these paths is to be imported."
    if not found:
        begun = "" if everywhere else f" that began in {root}"
        return (
            f"No sessions{begun} were found on this machine.\n"
            "Elsewhere: hindsight import PATH, or --all-projects for those of every folder."
        )
    whose = "all projects" if everywhere else str(root)
    lines = ["Transcripts at these paths:" if named else f"Sessions of {whose} on this machine:"]
    for agent in sorted({f.file.agent for f in found}):
        own = [f for f in found if f.file.agent == agent]
        new = [f for f in own if f.is_new]
        size = size_text(sum(f.file.size_bytes for f in own))
        fresh = f"{len(new)} new, {size_text(sum(f.file.size_bytes for f in new))}"
        lines.append(
            f"  {agent or '(not told)':12} {count(len(own), 'file'):>10} {size:>9}   {fresh}"
        )
    return "\n".join(lines)


def repositories_text(tops: Sequence[Path], root: Path) -> str:
    """Which git repositories below the project are part of it only for want of their own."""
    if not tops:
        return ""
    names = ", ".join(str(top.relative_to(root)) for top in tops[:_RECURRING_SHOWN])
    more = " …" if len(tops) > _RECURRING_SHOWN else ""
    return (
        f"Among them are sessions of git repositories inside it: {names}{more}\n"
        "  `hindsight init` in one of these gives it a project of its own."
    )


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
    if len(known.recurring) > _RECURRING_SHOWN:
        more = len(known.recurring) - _RECURRING_SHOWN
        lines.append(f"  {more} more: hindsight failures --recurring")
    which = report.traces[0].trace_id if len(report.traces) == 1 else "--all"
    failures = ", or hindsight failures" if known.recurring else ""
    lines.append(f"Next: hindsight reflect {which}{failures}")
    return "\n".join(lines)


def import_text(report: ImportReport) -> str:
    """Counts, and what was read."""
    total = {c: report.total(c) for c in ("found", "imported", "duplicate", "skipped", "failed")}
    if not report.files:
        return "Nothing new." if not report.failed_files else ""
    lines = [
        f"{count(len(report.files), 'file')}: {count(total['found'], 'record')} = "
        f"{total['imported']} imported + {total['duplicate']} already there"
        f" + {total['skipped']} without content + {total['failed']} unreadable"
    ]
    for row in report.traces[:_SHOWN]:
        task = one_line(row.task, 60) or "(no task text)"
        lines.append(f"  {row.trace_id}  {task}  ({counts_text(row)})")
    if len(report.traces) > _SHOWN:
        lines.append(f"  … and {len(report.traces) - _SHOWN} more: hindsight traces list")
    if report.unknown_records:
        kinds = ", ".join(f"{n} x {t}" for t, n in report.unknown_records.most_common(8))
        lines.append(f"Record types unknown to this version, kept as they are: {kinds}")
    return "\n".join(lines)


def counts_text(row: TraceRow) -> str:
    """`20 steps, 1 call, 0 failed`"""
    text = f"{count(row.steps, 'step')}, {count(row.tool_calls, 'call')}"
    text += f", {row.failed_tool_calls} failed"
    return text + (f", {row.denied_tool_calls} denied" if row.denied_tool_calls else "")


def problem_lines(report: ImportReport, *, most: int = _SHOWN) -> list[str]:
    """Records that could not be read. Files are not among them: each is an error of its own."""
    records = [p for p in report.problems if p.line]
    lines = [f"{Path(p.path).name}, line {p.line}: {p.reason}" for p in records[:most]]
    if len(records) > most:
        lines.append(f"… and {len(records) - most} more problems (see --json)")
    if failed := report.total("failed"):
        lines.append(
            f"{count(failed, 'record')} could not be read, the others are imported"
            " (exit code 3: partial)"
        )
    return lines


def earlier_text(found: Sequence[FoundSession]) -> str:
    """What stands in the way of having all of it: records never read, sessions deleted here."""
    lines = []
    for item in [f for f in found if f.read is not None and f.read.failed][:_SHOWN]:
        told = item.read
        if told is not None:
            lines.append(
                f"Not whole since it was imported: {item.file.path}: "
                f"{count(told.failed, 'record')} could not be read; {one_line(told.reason, 100)}"
            )
    gone = [f for f in found if f.deleted]
    if gone:
        number = len({session for f in gone for session in f.deleted})
        lines.append(
            f"{count(number, 'session')} you deleted here stay so; to bring one back name its file:"
        )
        lines += [f"  hindsight import {shlex.quote(str(f.file.path))}" for f in gone[:_SHOWN]]
        if len(gone) > _SHOWN:
            lines.append(f"  … and {len(gone) - _SHOWN} more (see --json)")
    return "\n".join(lines)
