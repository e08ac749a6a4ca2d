"""Whether an outcome is ever claimed from what an agent says, on runs whose reward is known.

usage: python -m tests.quality.measure_outcomes FILE_OR_FOLDER ...

The transcripts hold runs with a recorded reward (JSON lists of {traj, reward}). Each run is read
twice by rules: as it is, and without the recorded reward, so that only the conversation is left,
in which nearly every agent says that all went well. Prints both tables; exit code 1 when a run
that earned nothing is called a success, or a claim rests on no evidence.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from hindsight_cli.api.importing import import_paths
from hindsight_cli.api.project import Project
from hindsight_cli.api.traces import read_trace
from hindsight_cli.records.event import EventType, Outcome
from hindsight_cli.records.trace import Trace
from hindsight_cli.reflect.rules import reflect_by_rules

_NO_EVIDENCE = ("none", "agent")


def rewarded(paths: list[Path], folder: Path) -> Iterator[Trace]:
    """The runs that have a recorded outcome."""
    env = {"HINDSIGHT_CLI_DATA_DIR": str(folder / "user"), "HOME": str(folder)}
    root = folder / "project"
    root.mkdir()
    project = Project.open_or_init(root, env=env)
    for row in import_paths(project, paths).traces:
        trace = read_trace(project, row.trace_id).trace
        if trace.outcome[0] is not Outcome.UNKNOWN:
            yield trace


def without_reward(trace: Trace) -> Trace:
    events = [e for e in trace.events if e.event_type is not EventType.OUTCOME]
    return replace(trace, events=events)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("paths", type=Path, nargs="+")
    asked = parser.parse_args()
    seen: Counter[tuple[str, str, str]] = Counter()
    blind: Counter[tuple[str, str, str]] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for trace in rewarded(asked.paths, Path(folder)):
            true = trace.outcome[0].value
            for counts, shown in ((seen, trace), (blind, without_reward(trace))):
                found = reflect_by_rules(shown).attribution
                counts[true, found.outcome.value, found.outcome_source] += 1
    for title, counts in (("with the reward", seen), ("without it", blind)):
        print(f"{title}: {sum(counts.values())} runs")
        for (true, said, source), count in sorted(counts.items()):
            print(f"   {true:8} -> {said:8} (source: {source:7}) {count:4}")
    claims = [key for counts in (seen, blind) for key in counts.elements() if key[1] == "success"]
    wrong = sum(true != "success" for true, _, _ in claims)
    empty = sum(source in _NO_EVIDENCE for _, _, source in claims)
    print(f"success claimed where the reward says otherwise: {wrong}")
    print(f"success claimed with no evidence: {empty}")
    return 1 if wrong or empty or not seen else 0


if __name__ == "__main__":
    sys.exit(main())
