"""kill -9 in the middle of recording: what was acknowledged must be there, once and whole.

    python -m tests.faults.kill_writers [KILLS]

Several processes record events into one session and say each event's number on stdout
only after it was recorded; each is killed at a random moment, again and again.
Promise: acknowledged events lost, doubled or glued 0 / 0 / 0; no gap in the step numbers.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from hindsight_cli.api import recording
from hindsight_cli.api.project import Project

WRITERS = 4
WRITER = """
import sys
from pathlib import Path
from hindsight_cli.api import recording
from hindsight_cli.api.project import Project
project, session, own, n = Project(Path(sys.argv[1])), sys.argv[2], sys.argv[3], 0
while True:
    n += 1
    text = f"{own}-{n} " + "x" * (n * 7919 % 190)
    call = {"type": "tool_call", "tool": "t", "call_id": f"{own}-{n}", "input": {"n": n}}
    answer = {"type": "tool_result", "tool": "t", "call_id": f"{own}-{n}", "output": text}
    recording.record(project, session, [call])
    recording.record(project, session, [answer])
    print(f"{own}-{n}", flush=True)
"""


def main() -> None:
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    chance = random.Random(7)
    acknowledged: list[str] = []
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "project"
        root.mkdir()
        project = Project(root)
        project.init()
        session = recording.start(project, "kill me").session_id
        for round_ in range(0, kills, WRITERS):
            running = [
                subprocess.Popen(
                    [sys.executable, "-c", WRITER, str(root), session, f"w{round_ + w}"],
                    stdout=subprocess.PIPE,
                    text=True,
                )
                for w in range(WRITERS)
            ]
            time.sleep(0.4 + chance.random() * 0.6)
            for writer in running:
                os.kill(writer.pid, signal.SIGKILL)
            for writer in running:
                # The last line may be half written: only whole ones are acknowledgements.
                said = writer.communicate()[0].split("\n")[:-1]
                acknowledged += said
        recording.end(project, session)
        path = project.traces.find(session)
        assert path is not None
        events, bad = project.traces.read(path)
    results = Counter(e.call_id for e in events if e.event_type == "tool_result")
    calls = Counter(e.call_id for e in events if e.event_type == "tool_call")
    steps = [e.step_index for e in events if e.event_type == "tool_call"]
    lost = sum(1 for own in acknowledged if not (results[own] and calls[own]))
    doubled = sum(n - 1 for n in (*results.values(), *calls.values()))
    gaps = sum(1 for at, step in enumerate(steps, 2) if at != step)
    print(f"{'kills':32}{kills:>10}")
    print(f"{'acknowledged events':32}{2 * len(acknowledged):>10}")
    print(f"{'events in the file':32}{len(events):>10}")
    print(f"{'acknowledged and lost':32}{2 * lost:>10}   promise 0")
    print(f"{'doubled':32}{doubled:>10}   promise 0")
    print(f"{'lines glued or torn':32}{len(bad):>10}   promise 0")
    print(f"{'gaps in the step numbers':32}{gaps:>10}   promise 0")
    print(f"{'seconds':32}{time.monotonic() - began:>10.0f}")
    raise SystemExit(1 if lost or doubled or bad or gaps else 0)


if __name__ == "__main__":
    main()
