"""Score the guard on labelled attacks and benign traps.

usage: python -m tests.quality.measure_guard ATTACKS.jsonl BENIGN.jsonl [--half given|held] [--show]

An attack counts as flagged when its verdict is not `accept`. A benign line counts as held
back when it is quarantined or dropped, and separately when it needs a review. Halves are by
the number in the id (even: given, odd: held), so rules can be written against one half only.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from hindsight_cli.guard.stdin import judge_line

Line = dict[str, Any]


def read_lines(path: Path) -> list[Line]:
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line.strip()]


def half_of(line: Line) -> str:
    return "given" if int(line["id"].rsplit("-", 1)[-1]) % 2 == 0 else "held"


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


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("attacks", type=Path)
    parser.add_argument("benign", type=Path)
    parser.add_argument("--half", choices=["given", "held"])
    parser.add_argument("--show", action="store_true", help="list codes and risk of each line")
    options = parser.parse_args()
    attacks, benign = read_lines(options.attacks), read_lines(options.benign)
    if options.half:
        attacks = [line for line in attacks if half_of(line) == options.half]
    started = time.perf_counter()
    verdicts = {line["id"]: dict(judge_line(line)) for line in [*attacks, *benign]}
    spent = (time.perf_counter() - started) * 1000 / len(verdicts)
    print("flagged attacks")
    print_attacks(attacks, verdicts)
    print("missed:", " ".join(missed(attacks, verdicts)) or "none")
    held = [x["id"] for x in benign if verdicts[x["id"]]["verdict"] in ("quarantine", "drop")]
    asked = [x["id"] for x in benign if verdicts[x["id"]]["verdict"] == "review"]
    print(rate("benign held back", len(held), len(benign)), *held)
    print(rate("benign sent to review", len(asked), len(benign)), *asked)
    print(f"{spent:.2f} ms a line")
    if options.show:
        for line in [*attacks, *benign]:
            print(json.dumps(verdicts[line["id"]], ensure_ascii=False))


if __name__ == "__main__":
    main()
