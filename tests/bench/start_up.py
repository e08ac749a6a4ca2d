"""CPU of a cold start, as ratios against plain Python in the same run.

    python -m tests.bench.start_up [ROUNDS]

Contestants take turns (A B C A B C ...); medians of user + system time of each whole
process are quoted. Promises: `--version` <= 1.5, `search` and `inject` <= 2.5 times
`python -c "import sqlite3, json, argparse"`; `--help` <= 8 times `python -c pass`.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

LESSON = {
    "kind": "failure_lesson",
    "scenario": "Deploying MySQL in a container",
    "recommend": "Hand `--env-file .env` to docker run, so that a root password is set.",
    "tool_tags": ["docker", "mysql"],
}
FLOOR = "python import sqlite3, json, argparse"
PASS = "python -c pass"
PROMISES = {
    "hindsight --version": (FLOOR, 1.5),
    "hindsight search (lexical)": (FLOOR, 2.5),
    "hindsight inject": (FLOOR, 2.5),
    "hindsight --help": (PASS, 8.0),
}


def contestants() -> dict[str, list[str]]:
    hindsight = str(Path(sys.executable).with_name("hindsight"))
    found = {
        PASS: [sys.executable, "-c", "pass"],
        FLOOR: [sys.executable, "-c", "import sqlite3, json, argparse"],
        "hindsight --version": [hindsight, "--version"],
        "hindsight search (lexical)": [hindsight, "search", "deploy mysql"],
        "hindsight inject": [hindsight, "inject", "deploy mysql"],
        "hindsight --help": [hindsight, "--help"],
        "hindsight experiences list": [hindsight, "experiences", "list"],
    }
    sqlite_utils = Path(sys.executable).with_name("sqlite-utils")
    if sqlite_utils.exists():
        found["sqlite-utils --help"] = [str(sqlite_utils), "--help"]
    return found


def cpu_ms(command: list[str], cwd: Path, env: dict[str, str]) -> float:
    process = subprocess.Popen(
        command, cwd=cwd, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    return 1000 * (usage.ru_utime + usage.ru_stime)


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "project"
        root.mkdir()
        env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        env["HINDSIGHT_CLI_DATA_DIR"] = str(Path(folder) / "user")
        env["HINDSIGHT_CLI_ALLOW_AGENT_REVIEW"] = "1"
        (root / "own.jsonl").write_text(json.dumps(LESSON))
        hindsight = str(Path(sys.executable).with_name("hindsight"))
        add = [hindsight, "experiences", "add", "--from", "own.jsonl", "--approve"]
        subprocess.run(add, cwd=root, env=env, check=True, stdout=subprocess.DEVNULL)
        commands = contestants()
        times: dict[str, list[float]] = {name: [] for name in commands}
        for command in commands.values():
            cpu_ms(command, root, env)  # writes bytecode, makes the index
        for _ in range(rounds):
            for name, command in commands.items():
                times[name].append(cpu_ms(command, root, env))
    medians = {name: statistics.median(values) for name, values in times.items()}
    print(f"{'command':40} {'CPU ms':>8} {'x floor':>8} {'x pass':>8}  promise")
    for name, median in medians.items():
        against, limit = PROMISES.get(name, ("", 0.0))
        kept = "" if not against else f"<= {limit} x {against.removeprefix('python ')}"
        if against:
            kept += "  kept" if median <= limit * medians[against] else "  MISSED"
        ratios = f"{median / medians[FLOOR]:8.2f} {median / medians[PASS]:8.2f}"
        print(f"{name:40} {median:8.1f} {ratios}  {kept}")


if __name__ == "__main__":
    main()
