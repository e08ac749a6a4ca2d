"""CPU of a cold start, as ratios against plain Python in the same run.

    python -m tests.bench.start_up [ROUNDS]

Contestants take turns (A B C A B C ...); medians of user + system time of each whole
process are quoted, with what it leaves to a process of its own. Promises: `--version` <= 1.5,
`search` and `inject` <= 2.5, `hook` <= 4 times `python -c "import sqlite3, json, argparse"`;
`--help` <= 8 times `python -c pass`. How long an agent waits for its hook is quoted beside.
"""

from __future__ import annotations

import ctypes
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
    "hindsight hook (a call)": (FLOOR, 4.0),
    "hindsight hook (a failed call)": (FLOOR, 4.0),
    "hindsight hook (first prompt)": (FLOOR, 4.0),
    "hindsight hook (no project)": (FLOOR, 4.0),
    "hindsight --help": (PASS, 8.0),
}
CALL = {"tool_name": "Bash", "tool_input": {"command": "docker run mysql:8.0"}}
ERROR = "Exit code 125\ndocker: no matching manifest for linux/arm64/v8 in the manifest list."
OUTPUT = "\n".join(f"#{n} building layer {n} of the shop's image" for n in range(60))
HOOKS: dict[str, tuple[str, dict[str, Any]]] = {
    "hindsight hook (a call)": ("PostToolUse", {**CALL, "tool_response": {"stdout": OUTPUT}}),
    "hindsight hook (a failed call)": ("PostToolUseFailure", {**CALL, "error": ERROR}),
    "hindsight hook (first prompt)": ("UserPromptSubmit", {"prompt": "deploy mysql"}),
    "hindsight hook (no project)": ("PostToolUse", {"cwd": "/"}),
}
_PR_SET_CHILD_SUBREAPER = 36


@dataclass(frozen=True)
class Cost:
    cpu_ms: float
    wall_ms: float  # until the process that was started ended


def contestants() -> dict[str, list[str]]:
    hindsight = str(Path(sys.executable).with_name("hindsight"))
    found = {
        PASS: [sys.executable, "-c", "pass"],
        FLOOR: [sys.executable, "-c", "import sqlite3, json, argparse"],
        "hindsight --version": [hindsight, "--version"],
        "hindsight search (lexical)": [hindsight, "search", "deploy mysql"],
        "hindsight inject": [hindsight, "inject", "deploy mysql"],
        **{name: [hindsight, "hook", "claude-code", event] for name, (event, _) in HOOKS.items()},
        "hindsight --help": [hindsight, "--help"],
        "hindsight experiences list": [hindsight, "experiences", "list"],
    }
    sqlite_utils = Path(sys.executable).with_name("sqlite-utils")
    if sqlite_utils.exists():
        found["sqlite-utils --help"] = [str(sqlite_utils), "--help"]
    return found


def adopt_what_is_left_behind() -> None:
    """Become the parent of what a process leaves to run on: its time counts as well."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def cost(command: list[str], cwd: Path, env: dict[str, str], given: Path) -> Cost:
    with given.open("rb") as stdin:
        began = time.perf_counter()
        process = subprocess.Popen(
            command,
            cwd=cwd,
            env=env,
            stdin=stdin,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    _, _, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - began
    process.returncode = 0
    cpu = usage.ru_utime + usage.ru_stime
    while True:
        try:
            _, _, usage = os.wait4(-1, 0)
        except ChildProcessError:
            return Cost(1000 * cpu, 1000 * wall)
        cpu += usage.ru_utime + usage.ru_stime


def payload(name: str, number: int, cwd: Path) -> bytes:
    """What the agent tells its hook; every call is of another session, as none was told of."""
    _, fields = HOOKS.get(name, ("", {}))
    session = f"5b0d6f5e-1c1c-4c53-9d0a-3f2d1f6a{number:04d}"
    return json.dumps({"session_id": session, "cwd": str(cwd), **fields}).encode()


def main() -> None:
    adopt_what_is_left_behind()
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
        costs: dict[str, list[Cost]] = {name: [] for name in commands}
        given = Path(folder) / "given"
        for number in range(rounds + 1):
            for name, command in commands.items():
                given.write_bytes(payload(name, number, root))
                costs[name].append(cost(command, root, env, given))
    # The first one writes bytecode and makes the index.
    medians = {n: statistics.median(c.cpu_ms for c in all_[1:]) for n, all_ in costs.items()}
    walls = {n: statistics.median(c.wall_ms for c in all_[1:]) for n, all_ in costs.items()}
    print(f"{'command':40} {'CPU ms':>8} {'x floor':>8} {'x pass':>8} {'wall ms':>8}  promise")
    for name, median in medians.items():
        against, limit = PROMISES.get(name, ("", 0.0))
        kept = "" if not against else f"<= {limit} x {against.removeprefix('python ')}"
        if against:
            kept += "  kept" if median <= limit * medians[against] else "  MISSED"
        ratios = f"{median / medians[FLOOR]:8.2f} {median / medians[PASS]:8.2f}"
        print(f"{name:40} {median:8.1f} {ratios} {walls[name]:8.0f}  {kept}")


if __name__ == "__main__":
    main()
