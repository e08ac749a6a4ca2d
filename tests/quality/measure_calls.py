"""Measure the transcript readers on a corpus of real runs, and the status of each call on labels.

usage: python tests/quality/measure_calls.py CORPUS_DIR [--labels LABELS CALLS] [--verbose]

CORPUS_DIR holds manifest.tsv (columns format, path, records, tool_calls, failed_calls).
LABELS and CALLS are JSON Lines: a run with its failed calls, rejections and so on, and
every call of the run by reference. Prints one line a file, then the scores.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from hindsight_cli.capture.draft import Draft, DraftEvent, Problem
from hindsight_cli.capture.formats import load_format
from hindsight_cli.records.event import FAILED_STATUSES, EventType

READERS = {
    "claude_code": "claude-code",
    "tau_bench": "messages",
    "openai_messages": "messages",
    "pi": "pi",
    "openclaw": "pi",
    "copilot": "copilot",
    "copilot_stream_json": "copilot",
}
LABELLED = frozenset({"claude_code", "tau_bench"})


@dataclass
class Counts:
    """What one file holds according to its reader."""

    found: int = 0
    calls: int = 0
    failed: int = 0
    problems: list[str] = field(default_factory=list)


def count(corpus: Path, native: str, path: str) -> Counts:
    counts = Counts()
    for record in load_format(READERS[native]).read(corpus / path):
        counts.found += 1
        if isinstance(record, Problem):
            counts.problems.append(f"{record.line}: {record.reason}")
            continue
        if not record.known:
            counts.problems.append(f"{record.line}: unknown type {record.native_type}")
        for event in record.events:
            counts.calls += event.event_type is EventType.TOOL_CALL
            counts.failed += has_failed(event)
    return counts


def has_failed(event: DraftEvent) -> bool:
    return event.event_type is EventType.TOOL_RESULT and event.status in FAILED_STATUSES


def print_files(corpus: Path) -> int:
    """One line a file of the manifest; the number of files whose calls or records differ."""
    lines = (corpus / "manifest.tsv").read_text(encoding="utf-8").splitlines()
    names = lines[0].split("\t")
    differing = 0
    print(f"{'file':56} {'found/records':>14} {'calls/manifest':>15} {'failed/flagged':>15}")
    for line in lines[1:]:
        row = dict(zip(names, line.split("\t"), strict=False))
        if row["format"] not in READERS or not (corpus / row["path"]).is_file():
            continue
        counts = count(corpus, row["format"], row["path"])
        same = [str(counts.found), str(counts.calls)] == [row["records"], row["tool_calls"]]
        differing += not same
        print(
            f"{row['path'][-56:]:56} {counts.found:>7}/{row['records']:>6}"
            f" {counts.calls:>8}/{row['tool_calls']:>6} {counts.failed:>8}/{row['failed_calls']:>6}"
            f"{'' if same else '  DIFFERS'}"
        )
        for problem in counts.problems:
            print(f"      line {problem}")
    return differing


def results_of(corpus: Path, run: Mapping[str, Any]) -> Iterator[tuple[str, DraftEvent]]:
    """The results of a labelled run, each with the label file's reference of its call."""
    records = load_format(READERS[run["format"]]).read(corpus / run["path"])
    drafts = (record for record in records if isinstance(record, Draft))
    if run["format"] == "claude_code":
        first, last = run["selector"]["first_line"], run["selector"]["last_line"]
        for draft in drafts:
            for event in draft.events if first <= draft.line <= last else ():
                if event.event_type is EventType.TOOL_RESULT:
                    yield event.call_id or "", event
        return
    runs = [list(group) for _, group in groupby(drafts, key=lambda d: d.session.session_id)]
    opened: list[tuple[str | None, str]] = []
    for position, draft in enumerate(runs[run["selector"]["index"]]):
        for event in draft.events:
            if event.event_type is EventType.TOOL_CALL:
                opened.append((event.call_id, f"m{position}"))
            elif event.event_type is EventType.TOOL_RESULT:
                call = next(entry for entry in opened if entry[0] == event.call_id)
                opened.remove(call)
                yield call[1], event


def print_scores(corpus: Path, labels: Path, calls: Path, *, verbose: bool) -> None:
    known = {run["id"]: run["calls"] for run in read_lines(calls)}
    total: Counter[str] = Counter()
    for label in read_lines(labels):
        run = label["run"]
        if run["format"] not in LABELLED:
            continue
        results = dict(results_of(corpus, run))
        total["calls missed"] += len({c["ref"] for c in known[run["id"]]} - results.keys())
        total["calls missed"] -= len(label["unanswered"])
        failed = {ref for ref, event in results.items() if has_failed(event)}
        said, truth = failed - set(label["expected_failures"]), set(label["failed_calls"])
        silent = set(label["failed_without_native_flag"])
        refused = set(label["rejections"]) | set(label["not_run"])
        total.update(
            tp=len(said & truth),
            fp=len(said - truth),
            fn=len(truth - said),
            silent=len(silent),
            silent_found=len(silent & said),
            refused=len(refused),
            refused_called_failed=len(refused & said),
        )
        for ref in sorted((said ^ truth) if verbose else ()):
            event = results.get(ref)
            side = "missed" if ref in truth else "false"
            rule = event.status_rule if event else "no result"
            print(f"{side} {run['id']} {ref} {rule}: {event.text[:300] if event else ''!r}")
    precision = total["tp"] / max(1, total["tp"] + total["fp"])
    recall = total["tp"] / max(1, total["tp"] + total["fn"])
    f1 = 2 * precision * recall / max(1e-9, precision + recall)
    print(f"failed calls: precision {precision:.3f} recall {recall:.3f} F1 {f1:.3f}", end="  ")
    print(f"(tp {total['tp']} fp {total['fp']} fn {total['fn']})")
    print(f"failures without a flag found: {total['silent_found']}/{total['silent']}")
    print(f"refusals called failures: {total['refused_called_failed']}/{total['refused']}")
    print(f"labelled calls without a result: {total['calls missed']}")


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--labels", type=Path, nargs=2, metavar=("LABELS", "CALLS"))
    parser.add_argument("--verbose", action="store_true", help="print every wrong call")
    arguments = parser.parse_args()
    differing = print_files(arguments.corpus)
    if arguments.labels:
        labels, calls = arguments.labels
        print_scores(arguments.corpus, labels, calls, verbose=arguments.verbose)
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
