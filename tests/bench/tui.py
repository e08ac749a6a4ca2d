"""How fast the review room is: start, 10,000 waiting experiences, a trace of 50,000 steps.

python -m tests.bench.tui [--experiences 10000] [--steps 50000]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import pty
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from hindsight_cli.api.traces import list_traces
from hindsight_cli.tui.row_list import RowList
from hindsight_cli.tui.trace_screen import TraceScreen
from tests.tui.projects import Review, a_call, a_review, an_experience
from tests.tui.waiting import room, until, until_read

_MOVES = 60
_ROUND = 100


def first_paint(review: Review) -> float:
    """Milliseconds from the start of the process to the first line of the room."""
    outer, inner = pty.openpty()
    env = {**review.env, "PATH": os.environ["PATH"], "TERM": "xterm-256color", "LANG": "C.UTF-8"}
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "hindsight_cli", "tui", "--project", str(review.root)],
        stdin=inner,
        stdout=inner,
        stderr=inner,
        env=env,
        start_new_session=True,
    )
    os.close(inner)
    written = b""
    while b"pending" not in written:
        written += os.read(outer, 1 << 16)
    took = time.perf_counter() - start
    process.kill()
    process.wait()
    os.close(outer)
    return took * 1000


def many(folder: Path, count: int) -> Review:
    review = a_review(folder)
    session = review.record_session()
    review.propose(*(an_experience(n, session_id=session) for n in range(1, count + 1)))
    return review


def long_trace(folder: Path, steps: int) -> Review:
    """A task of `steps` calls, one of a hundred failing and ended by the next.

    A hundred are recorded; the file goes on with copies of them under their own numbers.
    """
    review = a_review(folder)
    calls = [
        a_call(
            f"make part-{n // 2}",
            output=f"part {n}: {'missing header' if n == _ROUND - 1 else 'done'}",
            status="error" if n == _ROUND - 1 else "ok",
            exit_code=2 if n == _ROUND - 1 else 0,
        )
        for n in range(1, _ROUND + 1)
    ]
    session = review.record(*calls)
    path = review.project.traces.find(session)
    assert path is not None
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    body = [line for line in lines if line["event_type"] in ("tool_call", "tool_result")]
    head, seq = [line for line in lines if line["step_index"] == 1], 1
    with path.open("w", encoding="utf-8") as file:
        file.writelines(f"{json.dumps(line)}\n" for line in head)
        seq = len(head)
        for turn in range(steps // _ROUND):
            for line in body:
                seq += 1
                step = line["step_index"] + turn * _ROUND
                again = {"seq": seq, "step_index": step, "event_id": f"{line['event_id']}-{turn}"}
                if line.get("call_id"):
                    again["call_id"] = f"{line['call_id']}-{turn}"
                file.write(f"{json.dumps(line | again)}\n")
    list_traces(review.project)
    return review


async def key_to_item(review: Review) -> tuple[list[float], float]:
    """Milliseconds from `j` to the next item on screen, its rows drawn; CPU of each."""
    times = []
    async with review.run(size=(140, 45)) as pilot:
        await until_read(pilot)
        queue = room(pilot).queue
        cpu = time.process_time()
        for _ in range(_MOVES):
            before = queue.index
            times.append(await _timed(pilot, lambda: queue.index != before))  # noqa: B023
        cpu = time.process_time() - cpu
    return times, cpu * 1000 / _MOVES


async def _timed(pilot: Pilot[Any], moved: Callable[[], bool]) -> float:
    start = time.perf_counter()
    pilot.app.simulate_key("j")
    while not moved():
        await asyncio.sleep(0)
    drawn = asyncio.Event()
    pilot.app.screen.call_after_refresh(drawn.set)
    await drawn.wait()
    took = time.perf_counter() - start
    await asyncio.sleep(0.02)
    return took * 1000


async def open_trace(review: Review) -> tuple[float, float, float]:
    """Seconds to the timeline and to the recoveries, and milliseconds from key to step."""
    async with review.run(size=(140, 45)) as pilot:
        await until_read(pilot)
        await pilot.press("t")
        await until(pilot, lambda: pilot.app.screen.query_one("#rows", RowList).count == 1)
        start = time.perf_counter()
        pilot.app.simulate_key("enter")
        while not isinstance(pilot.app.screen, TraceScreen):
            await asyncio.sleep(0.001)
        screen = pilot.app.screen
        while not screen.is_mounted or screen.selected is None:
            await asyncio.sleep(0.005)
        shown = time.perf_counter() - start
        while not (screen.steps.notes.fixed_by or screen.steps.notes.key):
            await asyncio.sleep(0.02)
            if time.perf_counter() - start > 120:
                break
        known = time.perf_counter() - start
        moves = []
        for _ in range(_MOVES):
            before = screen.steps.index
            moves.append(await _timed(pilot, lambda: screen.steps.index != before))  # noqa: B023
        return shown, known, _p95(moves)


def _p95(times: list[float]) -> float:
    return sorted(times)[int(len(times) * 0.95)]


def _memory_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description="Speed of the review room.")
    parser.add_argument("--experiences", type=int, default=10_000)
    parser.add_argument("--steps", type=int, default=50_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name in ("few", "many", "long"):
            Path(folder, name).mkdir()
        few = many(Path(folder, "few"), 3)
        starts = sorted(first_paint(few) for _ in range(5))
        print(f"start to first paint, 3 waiting       {starts[2]:8.0f} ms (median of 5)")
        full = many(Path(folder, "many"), given.experiences)
        starts = sorted(first_paint(full) for _ in range(3))
        print(f"start to first paint, {given.experiences:,} waiting  {starts[1]:8.0f} ms")
        moves, cpu = asyncio.run(key_to_item(full))
        print(f"j to next item, {given.experiences:,} waiting: p95   {_p95(moves):8.1f} ms")
        print(f"  CPU of a key, its steps read and drawn {cpu:6.1f} ms")
        print(f"memory with {given.experiences:,} waiting          {_memory_mb():8.0f} MB")
        long = long_trace(Path(folder, "long"), given.steps)
        shown, known, move = asyncio.run(open_trace(long))
        print(f"open a trace of {given.steps:,} steps         {shown * 1000:8.0f} ms")
        print(f"  its recoveries and key steps        {known * 1000:8.0f} ms")
        print(f"  j to next step: p95                 {move:8.1f} ms")
        print(f"memory at the end                     {_memory_mb():8.0f} MB")


if __name__ == "__main__":
    main()
