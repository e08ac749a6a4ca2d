"""What `hindsight run` costs around a command, against other recorders in the same run.

    python -m tests.bench.run_overhead [--rounds N] [--megabytes N] [--asciinema PATH]

Contestants take turns (A B C A B C ...); each records to a file; medians are quoted, of
the wall of whole processes around `true`, and of the rate of `cat` on a file of lines.
"unrecorded" is `hindsight run` without its recorder. Peers not installed are left out.
Promises: around `true` <= 0.4 x asciinema; 100 MB >= 1.0 x script(1) on a terminal,
>= 3 x in a pipe.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
import tty
from collections.abc import Callable
from pathlib import Path

BARE, SCRIPT, ASCIINEMA, HINDSIGHT = "bare", "script(1)", "asciinema rec", "hindsight run"
UNRECORDED = "HINDSIGHT_CLI_REFLECTING=1"  # what a reflector runs is not recorded
LINE = b"INFO 2026-01-01 12:00:00 worker-3 handled the request in 17 ms without a problem\n"
READ_BYTES = 1 << 18
PROMISES: dict[str, tuple[str, str, Callable[[float], bool]]] = {
    "true": (ASCIINEMA, "<= 0.4 x its wall", lambda ratio: ratio <= 0.4),
    "terminal": (SCRIPT, ">= 1.0 x its rate", lambda ratio: ratio >= 1.0),
    "pipe": (SCRIPT, ">= 3 x its rate", lambda ratio: ratio >= 3.0),
}

Contestants = dict[str, Callable[[list[str]], list[str]]]


def contestants(asciinema: str | None) -> Contestants:
    hindsight = str(Path(sys.executable).with_name("hindsight"))
    found: Contestants = {
        BARE: lambda command: command,
        HINDSIGHT: lambda command: [hindsight, "run", "--", *command],
        "unrecorded": lambda command: ["env", UNRECORDED, hindsight, "run", "--", *command],
    }
    if shutil.which("script"):
        found[SCRIPT] = lambda command: ["script", "-qec", " ".join(command), "typescript"]
    if asciinema:
        options = ["rec", "-q", "-y", "--overwrite"]
        found[ASCIINEMA] = lambda command: [
            *(asciinema, *options, "-c", " ".join(command), "record.cast")
        ]
    return found


def on_terminal(command: list[str], cwd: Path, env: dict[str, str]) -> float:
    """Seconds from start to end on a terminal whose output we read as it comes."""
    master, slave = os.openpty()
    tty.setraw(slave)
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    began = time.perf_counter()
    pid = os.fork()
    if pid == 0:
        _login(slave)
        os.chdir(cwd)
        os.execvpe(command[0], command, env)
    os.close(slave)
    try:
        while os.read(master, READ_BYTES):
            pass
    except OSError:  # EIO: the last one has closed it
        pass
    os.waitpid(pid, 0)
    wall = time.perf_counter() - began
    os.close(master)
    return wall


def _login(slave: int) -> None:
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    for number in range(3):
        os.dup2(slave, number)


def in_pipe(command: list[str], cwd: Path, env: dict[str, str]) -> float:
    began = time.perf_counter()
    process = subprocess.Popen(
        command,
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdout is not None
    while os.read(process.stdout.fileno(), READ_BYTES):
        pass
    process.stdout.close()
    process.wait()
    return time.perf_counter() - began


def measure(
    take: Callable[[list[str], Path, dict[str, str]], float],
    command: list[str],
    among: Contestants,
    rounds: int,
    place: tuple[Path, dict[str, str]],
) -> dict[str, list[float]]:
    walls: dict[str, list[float]] = {name: [] for name in among}
    for wrapped in among.values():
        take(wrapped(["true"]), *place)  # writes bytecode
    for _ in range(rounds):
        for name, wrapped in among.items():
            walls[name].append(take(wrapped(command), *place))
    return walls


def show(what: str, title: str, unit: str, values: dict[str, float]) -> None:
    against, promise, is_kept = PROMISES[what]
    print(f"\n{title:34} {unit:>8} {'x bare':>8} {'x ' + against:>16}")
    for name, value in values.items():
        ratio = value / values[against] if against in values else float("nan")
        verdict = ""
        if name == HINDSIGHT and against in values:
            verdict = f"  {promise}: {'kept' if is_kept(ratio) else 'MISSED'}"
        print(f"{name:34} {value:8.1f} {value / values[BARE]:8.2f} {ratio:16.2f}{verdict}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--asciinema", default=shutil.which("asciinema"))
    options = parser.parse_args()
    among = contestants(options.asciinema)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "project"
        root.mkdir()
        env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        env["HINDSIGHT_CLI_DATA_DIR"] = str(Path(folder) / "user")
        subprocess.run(
            among[HINDSIGHT](["true"]), cwd=root, env=env, stderr=subprocess.DEVNULL, check=True
        )
        place = (root, env)
        walls = measure(on_terminal, ["true"], among, options.rounds, place)
        medians = {name: 1000 * statistics.median(taken) for name, taken in walls.items()}
        show("true", "around true, on a terminal", "ms", medians)
        lines = Path(folder) / "lines"
        lines.write_bytes(LINE * (options.megabytes * 1_000_000 // len(LINE)))
        for what, take in (("terminal", on_terminal), ("pipe", in_pipe)):
            walls = measure(take, ["cat", str(lines)], among, max(3, options.rounds // 2), place)
            medians = {name: statistics.median(taken) for name, taken in walls.items()}
            rates = {name: options.megabytes / median for name, median in medians.items()}
            show(what, f"{options.megabytes} MB of output, {what}", "MB/s", rates)


if __name__ == "__main__":
    main()
