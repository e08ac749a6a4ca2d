"""Measure reflection by rules on runs labelled by hand.

usage: python tests/quality/measure_reflection.py CORPUS LABELS CALLS --score SCORE.py
           [--half even|odd] [--per-run] [--show] [--output FILE]

CORPUS holds the transcripts; LABELS and CALLS are JSON Lines: what a person says of each run
(its path below CORPUS, the lines or the index that select it), and every call of it by
reference. SCORE.py compares OUTPUT with them: the table it prints is printed here. Then the
guard's verdict on every proposal, which should drop none.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from hindsight_cli.capture.draft import Draft
from hindsight_cli.capture.formats import format_names, load_format
from hindsight_cli.capture.numbering import SessionState
from hindsight_cli.capture.recorder import EventBuilder
from hindsight_cli.guard.candidate import SchemaError, parse_candidate
from hindsight_cli.guard.gate import judge
from hindsight_cli.records.event import EventType
from hindsight_cli.records.trace import Trace
from hindsight_cli.redact import Redactor
from hindsight_cli.reflect.rules import Reflection, reflect_by_rules

READERS = {
    "claude_code": ("claude-code",),
    "tau_bench": ("messages",),
    "swe_agent": ("swe-agent",),
    "mini_swe_agent": ("mini-swe-agent",),
    "openhands": ("openhands",),
}
MAX_MS = 2_000  # what `run` allows reflection after an agent's process


def drafts_of(corpus: Path, run: Mapping[str, Any], reader: str) -> Iterator[Draft]:
    """The native records of one labelled run."""
    selector = run["selector"]
    first, last = selector.get("first_line", 1), selector.get("last_line", sys.maxsize)
    sessions: dict[str, None] = {}
    for record in load_format(reader).read(corpus / run["path"]):
        if not isinstance(record, Draft):
            continue
        sessions.setdefault(record.session.session_id)
        if "index" in selector:
            if list(sessions).index(record.session.session_id) == selector["index"]:
                yield record
        elif first <= record.line <= last:
            yield record


def trace_of(corpus: Path, run: Mapping[str, Any], reader: str) -> Trace:
    """The run as capture would store it: redacted, numbered, long texts by hash."""
    outputs: dict[str, str] = {}

    def put(content: bytes) -> str:
        key = hashlib.sha256(content).hexdigest()
        outputs[key] = content.decode("utf-8", "replace")
        return key

    builder = EventBuilder(SessionState.begin(run["id"]), Redactor(), put)
    events = [e for draft in drafts_of(corpus, run, reader) for e in builder.build(draft)]
    texts = {e.seq: outputs[e.output_ref] for e in events if e.output_ref in outputs}
    inputs = {
        e.seq: json.loads(outputs[str(e.extra["input_ref"])])
        for e in events
        if e.extra.get("input_ref") in outputs
    }
    return Trace(run["id"], run["id"], reader, events, texts, inputs)


def references(
    trace: Trace, run: Mapping[str, Any], calls: Sequence[Mapping[str, Any]]
) -> dict[int, str]:
    """The label file's name of every call, by step."""
    known = {call["ref"] for call in calls}
    made = [e for e in trace.events if e.event_type is EventType.TOOL_CALL]
    if run["format"] == "claude_code":
        return {e.step_index: e.call_id or "" for e in made if e.call_id in known}
    if len(made) != len(calls):  # some readers take thinking aloud for a thought, not for a call
        calls = [call for call in calls if call["tool"] != "think"]
    if len(made) != len(calls):
        print(f"!! {run['id']}: {len(made)} calls imported, {len(calls)} labelled", file=sys.stderr)
    return {e.step_index: call["ref"] for e, call in zip(made, calls, strict=False)}


def output_of(
    run_id: str, trace: Trace, found: Reflection, refs: Mapping[int, str]
) -> dict[str, Any]:
    """What SCORE.py reads."""

    def ref(step: int) -> str:
        return refs.get(step, f"step {step}")

    attribution = found.attribution
    return {
        "id": run_id,
        "outcome": attribution.outcome.value,
        "failed_calls": [ref(c.step_index) for c in trace.calls if c.failed],
        "recoveries": [
            {"failed_call": ref(r.failed_step), "fixed_by_call": ref(r.fixed_by_step)}
            for r in attribution.recoveries
        ],
        "invalid_calls": [ref(s.step_index) for s in attribution.invalid_steps],
        "workarounds": [ref(w.step_index) for w in attribution.workarounds],
        "boundaries": [],
        "lessons": [
            {**proposal, "cites": [ref(cite["step"]) for cite in proposal["cites"]]}
            for proposal in found.proposals
        ],
    }


def guard_codes(trace: Trace, proposals: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for proposal in proposals:
        try:
            verdict = judge(parse_candidate(proposal), trace)
        except SchemaError as error:
            yield f"drop {error.code} ({error.detail})"
            continue
        first = verdict.findings[0] if verdict.findings else None
        yield f"{verdict.verdict} {f'{first.code} ({first.detail})' if first else ''}"


def show(run_id: str, found: Reflection) -> None:
    print(f"== {run_id}: {found.attribution.outcome} ({found.attribution.outcome_source})")
    for proposal in found.proposals:
        print(f" * {proposal['kind']} {[cite['step'] for cite in proposal['cites']]}")
        for name in ("scenario", "recommend", "avoid", "why"):
            print(f"     {name}: {proposal[name]}")


def reader_of(native: str) -> str | None:
    return next((name for name in READERS.get(native, ()) if name in format_names()), None)


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    for name in ("corpus", "labels", "calls"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--score", type=Path, required=True)
    parser.add_argument("--half", choices=("even", "odd"), help="every second run only")
    parser.add_argument("--per-run", action="store_true")
    parser.add_argument("--show", action="store_true", help="print every proposal")
    parser.add_argument("--output", type=Path, help="keep what is scored")
    asked = parser.parse_args()
    calls = {entry["id"]: entry["calls"] for entry in read_lines(asked.calls)}
    labels = read_lines(asked.labels)
    if asked.half:
        labels = labels[asked.half == "odd" :: 2]
    outputs, scored, codes, slowest = [], [], Counter[str](), 0.0
    for label in labels:
        run = label["run"]
        reader = reader_of(run["format"])
        if reader is None:
            print(f"no reader for {run['format']}: {run['id']} left out")
            continue
        trace = trace_of(asked.corpus, run, reader)
        started = time.perf_counter()
        found = reflect_by_rules(trace)
        slowest = max(slowest, (time.perf_counter() - started) * 1000)
        refs = references(trace, run, calls[run["id"]])
        outputs.append(output_of(run["id"], trace, found, refs))
        scored.append(label)
        codes.update(guard_codes(trace, found.proposals))
        if asked.show:
            show(run["id"], found)
    print_scores(asked, scored, outputs)
    print(f"slowest reflection {slowest:.0f} ms (limit {MAX_MS})")
    print("guard: " + "; ".join(f"{code.strip()} {count}" for code, count in codes.most_common()))
    dropped = sum(count for code, count in codes.items() if code.startswith(("drop", "quarantine")))
    return 1 if dropped or slowest > MAX_MS else 0


def print_scores(
    asked: argparse.Namespace,
    labels: Sequence[Mapping[str, Any]],
    outputs: Sequence[Mapping[str, Any]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        label_file = Path(folder) / "labels.jsonl"
        output_file = asked.output or Path(folder) / "output.jsonl"
        label_file.write_text("\n".join(map(json.dumps, labels)), encoding="utf-8")
        output_file.write_text("\n".join(map(json.dumps, outputs)), encoding="utf-8")
        command = [sys.executable, asked.score, label_file, asked.calls, output_file]
        subprocess.run([*command, *(["--per-run"] if asked.per_run else [])], check=True)
    wrong = [
        (label["outcome"], output["outcome"])
        for label, output in zip(labels, outputs, strict=True)
        if label["outcome_certain"]
    ]
    lost = [said for true, said in wrong if true in ("failure", "partial")]
    seen = sum(said in ("failure", "partial") for said in lost)
    libelled = sum(t == "success" and s in ("failure", "partial") for t, s in wrong)
    print(f"non-success recognised {seen}/{len(lost)}; success called otherwise {libelled}")


if __name__ == "__main__":
    sys.exit(main())
