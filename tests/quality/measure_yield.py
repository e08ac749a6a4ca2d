"""What reflection by rules proposes on real sessions, and some of it to be judged by a person.

usage: python -m tests.quality.measure_yield CORPUS [--draw 30] [--seed 1] [--all-kinds] [--full]

CORPUS holds transcripts, and may hold manifest.tsv (columns path and kind: only files of the
kind `real` are read then, unless --all-kinds). Everything is imported into a project of its own
that is thrown away, every trace is reflected on by rules, and each proposal passes the guard.
Prints the yield, then proposals drawn at random, each with the steps that it cites: whoever
judges them should see nothing else.
"""

from __future__ import annotations

import argparse
import csv
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from hindsight_cli.api.importing import ImportReport, import_paths
from hindsight_cli.api.project import Project
from hindsight_cli.api.reflecting import reflect
from hindsight_cli.api.traces import read_trace
from hindsight_cli.records.experience import Experience
from hindsight_cli.text import one_line

_SHOWN = 500  # characters of a cited input or output
_SHOWN_FULL = 3_000


def transcripts(corpus: Path, *, all_kinds: bool) -> list[Path]:
    """The files to read, by the manifest where there is one."""
    manifest = corpus / "manifest.tsv"
    if not manifest.is_file():
        return [corpus]
    with manifest.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    named = [corpus / row["path"] for row in rows if all_kinds or row["kind"].startswith("real")]
    return [path for path in named if path.exists()]


def shown(project: Project, experience: Experience, *, chars: int) -> Iterator[str]:
    trace = read_trace(project, str(experience.trace_id)).trace
    content = experience.content
    yield f"   task: {one_line(trace.task, chars)}"
    for citation in content.citations:
        call = trace.call_by_step.get(citation.step_index)
        if call is None:
            yield f"   step {citation.step_index}: no call"
            continue
        given = call.command or call.input
        yield f"   step {call.step_index} {call.tool_name} [{call.status}]"
        yield f"      in:  {one_line(str(given), chars)}"
        yield f"      out: {one_line(call.output, chars)}"
    for name in ("scenario", "recommend", "avoid", "why"):
        yield f"   {name.upper()}: {getattr(content, name)}"


def print_yield(report: ImportReport, proposed: Sequence[Experience], dropped: Counter[str]) -> int:
    acting = [row for row in report.traces if row.tool_calls]
    told = Counter(str(experience.trace_id) for experience in proposed)
    print(f"sessions {len(report.traces)}, of them with calls {len(acting)}")
    for name, count in (("sessions", len(report.traces)), ("sessions with calls", len(acting))):
        print(f"proposals per 100 {name}: {100 * len(proposed) / max(1, count):.1f}")
    print(
        f"proposals {len(proposed)}, from {len(told)} sessions; most from one {max(told.values())}"
    )
    print("by kind: " + ", ".join(f"{k} {n}" for k, n in _kinds(proposed).most_common()))
    print("not proposed: " + ", ".join(f"{k} {n}" for k, n in dropped.most_common()))
    print(f"files that could not be read: {len(report.failed_files)}")
    return len(proposed)


def _kinds(proposed: Sequence[Experience]) -> Counter[str]:
    return Counter(experience.content.kind.value for experience in proposed)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--draw", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--all-kinds", action="store_true", help="fixtures and generated ones too")
    parser.add_argument("--full", action="store_true", help="show more of each cited step")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "project"
        root.mkdir()
        env = {"HINDSIGHT_CLI_DATA_DIR": str(Path(folder) / "user"), "HOME": folder}
        project = Project.open_or_init(root, env=env)
        report = import_paths(project, transcripts(asked.corpus, all_kinds=asked.all_kinds))
        found = reflect(project, sorted(row.trace_id for row in report.traces))
        dropped = Counter(drop.code for drop in found.dropped)
        if not print_yield(report, found.proposed, dropped):
            return 1
        drawn = random.Random(asked.seed).sample(
            found.proposed, min(asked.draw, len(found.proposed))
        )
        for number, experience in enumerate(drawn, 1):
            print(f"\n{number}. {experience.content.kind} of {experience.trace_id}")
            chars = _SHOWN_FULL if asked.full else _SHOWN
            print("\n".join(shown(project, experience, chars=chars)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
