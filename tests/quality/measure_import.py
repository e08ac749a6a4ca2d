"""Import a corpus of real runs and set the counts beside those of its manifest.

usage: python tests/quality/measure_import.py CORPUS [--all]

CORPUS holds manifest.tsv (columns format, path, records, tool_calls, failed_calls, note).
A line for every file: records, tool calls and failed calls, ours/the manifest's, and denied
ones; under it each difference with the rule that explains it. A manifest counts failures by
the agent's own flag (or exit code); ours add those found by rule (+) and take out flags that
do not mean a failure (-). Then the agreement on tool calls with conversions to ATIF that
another program made of the same files, and the runs of one scripted task (paths with
"giveup") side by side. Ends with 1 when a difference is not explained.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from hindsight_cli.capture.draft import Draft, DraftEvent, Problem
from hindsight_cli.capture.formats import detect_format, load_format
from hindsight_cli.records.event import FAILED_STATUSES, EventType, Status

FAILED_FLAGS = frozenset({"error", "failed", "failure"})
_SAME_FAILURES = 3
# Why a count differs by kind of format. A difference without a line here is unexplained.
NOTES = {
    ("otel_otlp_json", "records"): "a record is a span, a log or a metric, not a request",
    ("tau2_bench", "records"): "a file without runs has one record, its header",
    ("codex", "calls"): "searches and pictures that the model's service makes are calls too",
    ("copilot", "calls"): "a call is what the model asked for, begun or not",
    ("openhands", "failed"): "the manifest knows exit codes and error observations only",
    ("swe_agent", "failed"): "the manifest takes certain words in an observation for a failure",
    ("mini_swe_agent", "failed"): "the manifest counts the submission as well",
}
# Folders of formats that no reader is for; told, not counted.
UNREAD = frozenset({"aider", "other_agents"})


@dataclass
class Counts:
    """What one file holds according to its reader."""

    records: int = 0
    calls: int = 0
    failed: int = 0
    denied: int = 0
    flagged: int = 0  # results whose native flag says that the call failed
    nonzero: int = 0  # ... or that have an exit code other than 0
    found: Counter[str] = field(default_factory=Counter)  # failed without a flag, by rule
    withdrawn: Counter[str] = field(default_factory=Counter)  # flagged and not failed, by rule
    call_types: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)

    def add(self, record: Draft | Problem) -> None:
        self.records += 1
        if isinstance(record, Problem):
            self.problems.append(f"line {record.line}: {record.reason}")
            return
        if not record.known:
            self.problems.append(f"line {record.line}: unknown type {record.native_type}")
        for event in record.events:
            if event.event_type is EventType.TOOL_CALL:
                self.calls += 1
                self.call_types[record.native_type] += 1
            elif event.event_type is EventType.TOOL_RESULT:
                self._add_result(event)

    def _add_result(self, event: DraftEvent) -> None:
        failed, flagged = event.status in FAILED_STATUSES, event.native_status in FAILED_FLAGS
        rule = event.status_rule or "?"
        self.failed += failed
        self.denied += event.status is Status.DENIED
        self.flagged += flagged
        self.nonzero += flagged or bool(event.exit_code)
        if failed and not flagged:
            self.found[rule] += 1
        elif flagged and not failed:
            self.withdrawn[rule] += 1


@dataclass
class Summary:
    """The tally over all files."""

    files: int = 0
    equal: Counter[str] = field(default_factory=Counter)
    explained: int = 0
    unexplained: int = 0


def rows_of(corpus: Path) -> list[dict[str, str]]:
    with (corpus / "manifest.tsv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [row for row in rows if (corpus / row["path"]).is_file()]


def count(path: Path, name: str) -> Counts:
    counts = Counts()
    for record in load_format(name).read(path):
        counts.add(record)
    return counts


def differences(native: str, row: dict[str, str], counts: Counts) -> list[tuple[str, str, bool]]:
    """Of each count that differs: its name, the rule that explains it, and whether one does."""
    told = []
    for name, ours, column in (
        ("records", counts.records, "records"),
        ("calls", counts.calls, "tool_calls"),
        ("failed", counts.failed, "failed_calls"),
    ):
        theirs = row[column]
        if not theirs or (int(theirs) == ours and not (name == "failed" and counts.withdrawn)):
            continue
        note = NOTES.get((native, name), "")
        if name == "calls":
            tally = ", ".join(f"{n} {kind}" for kind, n in counts.call_types.most_common())
            why, known = f"{note or 'UNEXPLAINED'} ({tally})", bool(note)
        elif name == "failed":
            why, known = why_failed(int(theirs), counts, note)
        else:
            why, known = note or "UNEXPLAINED", bool(note)
        told.append((f"{name} {ours - int(theirs):+d}", why, known))
    return told


def why_failed(theirs: int, counts: Counts, note: str) -> tuple[str, bool]:
    """What rules make of the manifest's count, and whether they and it add up to ours."""
    steps = [f"+{n} {rule}" for rule, n in counts.found.most_common()]
    steps += [f"-{n} {rule}" for rule, n in counts.withdrawn.most_common()]
    tally = ", ".join(steps) or "no rule"
    if theirs == counts.flagged:
        return f"{tally} on {theirs} flags", True
    if theirs == counts.nonzero:
        return f"{tally}; the manifest counts {theirs} flags and exit codes", True
    base = f"{counts.flagged} flags, {tally}"
    return (f"{note} ({base})", True) if note else (f"UNEXPLAINED ({base})", False)


def print_files(corpus: Path, *, everything: bool) -> Summary:
    summary = Summary()
    print(f"{'file':52} {'format':14} {'records':>10} {'calls':>9} {'failed':>7} {'denied':>6}")
    for row in rows_of(corpus):
        path, native = corpus / row["path"], row["format"]
        name = detect_format(path)
        label = row["path"] if len(row["path"]) <= 52 else "…" + row["path"][-51:]
        if name is None:
            why = "no reader is asked for" if native in UNREAD else "UNEXPLAINED: no reader"
            summary.unexplained += native not in UNREAD
            print(f"{label:52} {'-':14} {why}")
            continue
        counts = count(path, name)
        summary.files += 1
        told = differences(native, row, counts)
        for column in ("records", "calls", "failed"):
            differs = any(what.startswith(column) and what[-2:] != "+0" for what, _, _ in told)
            summary.equal[column] += not differs
        summary.explained += sum(known for _, _, known in told)
        summary.unexplained += sum(not known for _, _, known in told)
        print(
            f"{label:52} {name:14} {counts.records:>5}/{row['records'] or '-':<4}"
            f" {counts.calls:>4}/{row['tool_calls'] or '-':<4}"
            f" {counts.failed:>3}/{row['failed_calls'] or '-':<3} {counts.denied:>6}"
        )
        for what, why, _ in told:
            print(f"    {what}: {why}")
        for problem in counts.problems if everything else ():
            print(f"    {problem}")
    return summary


# the same runs as another program converted them


def calls_of(path: Path) -> list[tuple[str, str]]:
    """The calls of a file by our reader, as pairs of id and tool; copies of a record once."""
    found: dict[tuple[str, str | None, int], tuple[str, str]] = {}
    name = detect_format(path)
    for record in load_format(name).read(path) if name else ():
        for index, event in enumerate(record.events if isinstance(record, Draft) else ()):
            if isinstance(record, Draft) and event.event_type is EventType.TOOL_CALL:
                key = (record.session.session_id, record.native_id or str(record.line), index)
                found[key] = (event.call_id or "", event.tool_name or "")
    return list(found.values())


def converted_calls(path: Path) -> list[tuple[str, str]]:
    """The calls in an ATIF document, read without any reader of ours."""
    document = json.loads(path.read_text(encoding="utf-8"))
    steps = document.get("steps") or []
    calls = [call for step in steps for call in step.get("tool_calls") or []]
    return [(call.get("tool_call_id") or "", call.get("function_name") or "") for call in calls]


def print_conversions(corpus: Path) -> int:
    """Ours, the converter's and our reading of the converter's; the number that disagree."""
    rows = rows_of(corpus)
    wrong = total = 0
    print(f"\n{'converted to ATIF by another program':52} {'ours':>6} {'theirs':>7} {'reread':>7}")
    for row in rows:
        source = row.get("note", "").partition("source: ")[2]
        if row["format"] != "atif" or not source:
            continue
        family = Path(row["path"]).name.partition("_")[0]
        candidates = [r["path"] for r in rows if r["path"].endswith("/" + source)]
        mine = [path for path in candidates if path.startswith(family)]
        converted = sorted(converted_calls(corpus / row["path"]))
        reread = sorted(calls_of(corpus / row["path"]))
        ours = sorted(calls_of(corpus / mine[0])) if mine else None
        agree = reread == converted and ours in (None, converted)
        told = "source not in the corpus" if ours is None else "" if agree else "DIFFERS"
        wrong += not agree
        total += 1
        number = "-" if ours is None else str(len(ours))
        print(f"{row['path'][-52:]:52} {number:>6} {len(converted):>7} {len(reread):>7}  {told}")
    print(f"same calls by id and tool: {total - wrong}/{total}")
    return wrong


# one scripted task as every agent recorded it


def ends_of(path: Path, name: str) -> list[tuple[str, str, int | None, str]]:
    """Of each answered call: its command, status, exit code and the agent's own flag."""
    commands: dict[str | None, str] = {}
    ends = []
    for record in load_format(name).read(path):
        for event in record.events if isinstance(record, Draft) else ():
            if event.event_type is EventType.TOOL_CALL:
                given = event.input if isinstance(event.input, dict) else {}
                command = given.get("command") or given.get("cmd") or event.input
                commands[event.call_id] = str(command)
            elif event.event_type is EventType.TOOL_RESULT:
                command, flag = commands.get(event.call_id, ""), event.native_status or "none"
                ends.append((command, str(event.status), event.exit_code, flag))
    return ends


def print_giveups(corpus: Path) -> int:
    """The calls of each run; the number of runs that do not fail as the first one does."""
    print("\nthe same task as every agent recorded it: status and exit code of its calls")
    wrong, first = 0, None
    for row in rows_of(corpus):
        path = corpus / row["path"]
        name = detect_format(path) if "giveup" in row["path"] else None
        if name is None:
            continue
        ends = ends_of(path, name)
        codes = [(status, code) for _, status, code, _ in ends]
        first = first or codes
        alike = codes == first and sum(s == "error" for s, _ in codes) > _SAME_FAILURES
        wrong += not alike
        shown = " ".join(f"{status}:{'-' if code is None else code}" for status, code in codes)
        flags = "/".join(sorted({flag for *_, flag in ends}))
        print(f"  {name:14} {shown}  (own flag: {flags})  {'alike' if alike else 'DIFFERS'}")
        for command, *_ in ends:
            print(f"      {command[-90:]}")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--all", action="store_true", help="print unreadable records as well")
    arguments = parser.parse_args()
    summary = print_files(arguments.corpus, everything=arguments.all)
    unlike = print_conversions(arguments.corpus) + print_giveups(arguments.corpus)
    equal = ", ".join(f"{name} {n}" for name, n in summary.equal.items())
    print(
        f"\n{summary.files} files read; equal to the manifest: {equal}; differences explained"
        f" by rule {summary.explained}, unexplained {summary.unexplained}, disagreements {unlike}"
    )
    return 1 if summary.unexplained or unlike else 0


if __name__ == "__main__":
    sys.exit(main())
