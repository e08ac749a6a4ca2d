"""Importing a large Claude Code transcript, against only parsing it in the same run.

    python -m tests.bench.import_large [--megabytes N] [--line-kilobytes N] [--rounds N]
                                       [--orjson-python PATH]

The transcript is made up, in a temporary folder: calls of a shell whose outputs (logs,
listings, code, tests) make lines of 1 MB, each output twice, as Claude Code writes it.
Contestants take turns (A B A B ...), each a process of its own; medians of wall and CPU
are quoted, and the highest peak of memory. "parse" is `json.loads` of line after line,
"orjson" the same with `orjson.loads`: by the Python at PATH, else by this one, else by one
in a temporary folder, for which pip downloads it. Without the package that line is left out.
Promises: import <= 4 x the CPU of parse; <= 400 MB of memory.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

SESSION = "6f1f7a34-52a8-4f7e-9a55-3f0f1f0c2b11"
PARSE = """
import json, sys
with open(sys.argv[1], "rb") as file:
    for line in file:
        json.loads(line)
"""
ORJSON = PARSE.replace("json", "orjson")
POOL_LINES = 40_000
MAX_RATIO, MAX_PEAK_MB = 4.0, 400


class Taken(NamedTuple):
    """What one run of a contestant took."""

    wall: float  # seconds, as the next one
    cpu: float
    peak_mb: float


def output_lines(seed: int) -> list[str]:
    """Lines as the tools of an agent print them; no two alike."""
    chance = random.Random(seed)
    stems = [
        "cart",
        "order",
        "stock",
        "price",
        "parcel",
        "refund",
        "invoice",
        "basket",
        "voucher",
        "depot",
    ]
    kinds: list[Callable[[str, int], str]] = [
        lambda s, n: (
            f"2026-03-{n % 28 + 1:02d}T10:{n % 60:02d}:07Z INFO  {s}-service handled "
            f"request {n} in {n % 900} ms"
        ),
        lambda s, n: f"src/{s}/{s}_{n}.py:{n % 400}:        total = sum(line.net for line in {s})",
        lambda s, n: f"-rw-r--r-- 1 dev dev {n:>8} Mar  4 10:{n % 60:02d} {s}_{n}.py",
        lambda s, n: f"tests/test_{s}.py::test_{s}_number_{n} PASSED{n % 100:>30}%",
        lambda s, n: f"    def {s}_{n}(self, {s}: dict[str, int]) -> None:",
        lambda s, n: f'        return {{"{s}": {n}, "count": len({s}), "note": None}}',
        lambda s, n: f"added {n % 90} packages from https://registry.example/{s}-{n} in 3s",
        lambda s, n: f"commit {chance.getrandbits(160):040x}  keep the {s} of day {n}",
    ]
    return [
        chance.choice(kinds)(chance.choice(stems), chance.randrange(1_000_000))
        for _ in range(POOL_LINES)
    ]


def records(megabytes: int, line_bytes: int) -> Iterator[bytes]:
    """The lines of the transcript, until they hold so many megabytes."""
    pool, chance = output_lines(seed=7), random.Random(11)
    envelope = {"sessionId": SESSION, "version": "2.1.7", "cwd": "/srv/shop"}
    size = number = 0
    opening = {"type": "user", "message": {"role": "user", "content": "Find the slow page."}}
    waiting: list[dict[str, Any]] = [opening]
    while size < megabytes * 1_000_000:
        for record in waiting:
            stamp = f"2026-03-04T{number // 3600 % 24:02d}:{number // 60 % 60:02d}:00.000Z"
            about = {"uuid": f"u-{size}-{number}", "timestamp": stamp}
            line = json.dumps({**envelope, **about, **record}).encode() + b"\n"
            size += len(line)
            yield line
        number += 1
        waiting = exchange(number, output(pool, chance, line_bytes // 2))


def output(pool: list[str], chance: random.Random, max_chars: int) -> str:
    at, length, parts = chance.randrange(len(pool)), 0, []
    while length < max_chars:
        parts.append(pool[at % len(pool)])
        length += len(parts[-1]) + 2  # a line's end is two characters in JSON
        at += 1
    return "\n".join(parts)


def exchange(number: int, text: str) -> list[dict[str, Any]]:
    """A call and its result, with the output once for the model and once for the program."""
    call_id, usage = f"toolu_{number:08d}", {"input_tokens": 900, "output_tokens": 40}
    block = {"type": "tool_use", "id": call_id, "name": "Bash", "input": {"command": f"./{number}"}}
    message = {"id": f"msg_{number}", "role": "assistant", "model": "m", "content": [block]}
    result = {"type": "tool_result", "tool_use_id": call_id, "content": text, "is_error": False}
    facts = {"stdout": text, "stderr": "", "interrupted": False, "isImage": False}
    return [
        {"type": "assistant", "message": {**message, "usage": usage}},
        {
            "type": "user",
            "message": {"role": "user", "content": [result]},
            "toolUseResult": facts,
        },
    ]


def take(command: list[str], cwd: Path, env: dict[str, str]) -> Taken:
    began = time.perf_counter()
    process = subprocess.Popen(command, cwd=cwd, env=env, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command[0]} ended with {process.returncode}")
    return Taken(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000)


def python_with_orjson(folder: Path, given: str | None) -> str | None:
    """A Python that has orjson, or None; installed in `folder` where none was given."""
    python = given or sys.executable
    if runs([python, "-c", "import orjson"]):
        return python
    if given:
        raise SystemExit(f"{given} has no orjson")
    python = str(folder / "orjson" / "bin" / "python")
    make = [sys.executable, "-m", "venv", str(folder / "orjson")]
    install = [python, "-m", "pip", "install", "--quiet", "orjson"]
    return python if runs(make) and runs(install) else None


def runs(command: list[str]) -> bool:
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


def measure(
    transcript: Path, folder: Path, rounds: int, orjson: str | None
) -> dict[str, list[Taken]]:
    hindsight = str(Path(sys.executable).with_name("hindsight"))
    env = {**os.environ, "HINDSIGHT_CLI_DATA_DIR": str(folder / "user")}
    commands = {"parse": [sys.executable, "-c", PARSE]}
    if orjson:
        commands["orjson"] = [orjson, "-c", ORJSON]
    commands["hindsight import"] = [hindsight, "import"]
    taken: dict[str, list[Taken]] = {name: [] for name in commands}
    for number in range(rounds):
        root = folder / f"project-{number}"
        root.mkdir()
        for name, command in commands.items():
            taken[name].append(take([*command, str(transcript)], root, env))
        shutil.rmtree(root)
    return taken


def show(taken: dict[str, list[Taken]], megabytes: float) -> None:
    floor = statistics.median(one.cpu for one in taken["parse"])
    print(f"{'':16} {'MB/s':>7} {'wall s':>7} {'CPU s':>7} {'x parse':>8} {'peak MB':>8}")
    for name, runs in taken.items():
        wall = statistics.median(one.wall for one in runs)
        cpu = statistics.median(one.cpu for one in runs)
        peak = max(one.peak_mb for one in runs)
        verdict = ""
        if name == "hindsight import":
            kept = cpu / floor <= MAX_RATIO, peak <= MAX_PEAK_MB
            words = ["kept" if one else "MISSED" for one in kept]
            verdict = f"  <= {MAX_RATIO:g} x: {words[0]}, <= {MAX_PEAK_MB} MB: {words[1]}"
        figures = f"{megabytes / wall:7.1f} {wall:7.1f} {cpu:7.1f} {cpu / floor:8.2f} {peak:8.0f}"
        print(f"{name:16} {figures}{verdict}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--megabytes", type=int, default=1000)
    parser.add_argument("--line-kilobytes", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--orjson-python", metavar="PATH")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        free = shutil.disk_usage(folder).free // 1_000_000
        if free < 3 * options.megabytes:
            raise SystemExit(f"{free} MB free, {3 * options.megabytes} needed")
        transcript = folder / f"{SESSION}.jsonl"
        with transcript.open("wb") as file:
            for line in records(options.megabytes, options.line_kilobytes * 1000):
                file.write(line)
        size = transcript.stat().st_size / 1_000_000
        print(f"a transcript of {size:.0f} MB, lines of {options.line_kilobytes} kB")
        orjson = python_with_orjson(folder, options.orjson_python)
        show(measure(transcript, folder, options.rounds, orjson), size)


if __name__ == "__main__":
    main()
