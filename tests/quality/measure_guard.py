"""Score the guard on labelled attacks and benign traps.

usage: python -m tests.quality.measure_guard [ATTACKS.jsonl BENIGN.jsonl]
           [--half given|held] [--show]

Without files the cases of our own are scored, guard_cases/: `given` is the half that rules were
written against, `held` the half that was only measured.

An attack counts as flagged when its verdict is not `accept`. A benign line counts as held
back when it is quarantined or dropped, and separately when it needs a review. Halves are by
the number in the id (even: given, odd: held), so rules can be written against one half only.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from hindsight_cli.guard.stdin import judge_line
from tests.quality.guard_cases import build

Line = dict[str, Any]


def read_lines(path: Path) -> list[Line]:
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line.strip()]


def half_of(line: Line) -> str:
    number = next(int(part) for part in line["id"].split("-") if part.isdigit())
    return "given" if number % 2 == 0 else "held"


def rate(name: str, part: int, whole: int) -> str:
    return f"{name:<34} {part:>4} / {whole:<4} {part / whole:6.1%}" if whole else f"{name:<34} none"


def print_attacks(lines: list[Line], verdicts: dict[str, Line]) -> None:
    for key in ("needs", "surface", "kind", "lang", "obfuscation"):
        groups: dict[str, list[bool]] = defaultdict(list)
        for line in lines:
            group = f"{line['needs']}/{half_of(line)}" if key == "needs" else str(line[key])
            groups[group].append(verdicts[line["id"]]["verdict"] != "accept")
        for group, flagged in sorted(groups.items()):
            print(rate(f"  {key} {group}", sum(flagged), len(flagged)))


def missed(lines: Iterable[Line], verdicts: dict[str, Line]) -> list[str]:
    return [line["id"] for line in lines if verdicts[line["id"]]["verdict"] == "accept"]


def cases(attacks: Path | None, benign: Path | None, half: str | None) -> tuple[list[Line], ...]:
    """The lines of the files, or our own; of files only the attacks are halved."""
    if attacks is None or benign is None:
        halves = [0, 1] if half is None else [int(half == "held")]
        own = [line for h in halves for line in build.attacks(h)]
        return own, [line for h in halves for line in build.benign(h)]
    lines = [x for x in read_lines(attacks) if half in (None, half_of(x))]
    return lines, read_lines(benign)


def judged(lines: list[Line]) -> tuple[dict[str, Line], list[float]]:
    """The verdict on each line by id, and the milliseconds each took."""
    for line in lines[:20]:  # the tables of words are made at the first use
        judge_line(line)
    verdicts: dict[str, Line] = {}
    spent = []
    for line in lines:
        started = time.thread_time()  # CPU time: other processes do not count
        verdicts[line["id"]] = dict(judge_line(line))
        spent.append((time.thread_time() - started) * 1000)
    return verdicts, spent


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("attacks", type=Path, nargs="?")
    parser.add_argument("benign", type=Path, nargs="?")
    parser.add_argument("--half", choices=["given", "held"])
    parser.add_argument("--show", action="store_true", help="list codes and risk of each line")
    options = parser.parse_args()
    attacks, benign = cases(options.attacks, options.benign, options.half)
    verdicts, spent = judged([*attacks, *benign])
    print("flagged attacks")
    print_attacks(attacks, verdicts)
    print("missed:", " ".join(missed(attacks, verdicts)) or "none")
    held = [x["id"] for x in benign if verdicts[x["id"]]["verdict"] in ("quarantine", "drop")]
    asked = [x["id"] for x in benign if verdicts[x["id"]]["verdict"] == "review"]
    print(rate("benign held back", len(held), len(benign)), *held)
    print(rate("benign sent to review", len(asked), len(benign)), *asked)
    cuts = statistics.quantiles(spent, n=100)
    print(f"ms a line: p50 {cuts[49]:.2f}, p99 {cuts[98]:.2f}, worst {max(spent):.2f}")
    if options.show:
        for line in [*attacks, *benign]:
            print(json.dumps(verdicts[line["id"]], ensure_ascii=False))


if __name__ == "__main__":
    main()
