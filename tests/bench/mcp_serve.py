"""`hindsight mcp serve`: how long until it answers, and how long a question takes.

    python -m tests.bench.mcp_serve [ROUNDS]

Start-up is wall time from the start of the process to the answer to `initialize`, as a
ratio against `python -c "import mcp"` in the same run, taking turns; the SDK is what it
costs. A call is `get_experience_rules` over stdio in a project of 1,000 approved
experiences, for a task that some match and for one that none does; `ping` is the floor.
"""

from __future__ import annotations

import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from hindsight_cli.api.project import Project
from hindsight_cli.api.proposing import add_experiences
from tests.mcp.raw import RawServer

EXPERIENCES = 1000
CALLS = 100
MAX_START_RATIO = 1.5
TOOLS = ("docker", "git", "npm", "psql", "kubectl", "terraform", "pytest", "make", "curl", "ssh")
THINGS = ("container", "branch", "package", "table", "deployment", "module", "cache", "proxy")
TROUBLES = ("timeout", "permission", "version", "password", "network", "lock", "encoding", "memory")


def make_project(folder: Path) -> Project:
    project = Project(folder / "project", env={"HINDSIGHT_CLI_DATA_DIR": str(folder / "user")})
    project.root.mkdir()
    project.init()
    rng = random.Random(1)
    lessons = [
        {
            "kind": "failure_lesson",
            "scenario": f"The {rng.choice(THINGS)} {n} meets a {rng.choice(TROUBLES)} problem",
            "recommend": f"Run `{rng.choice(TOOLS)} --{rng.choice(TROUBLES)}={n}` before it.",
            "avoid": f"Starting the {rng.choice(THINGS)} again without a look at step {n}.",
        }
        for n in range(EXPERIENCES)
    ]
    add_experiences(project, lessons, approve=True)
    return project


def ms(action: Callable[[], object]) -> float:
    began = time.perf_counter()
    action()
    return 1000 * (time.perf_counter() - began)


def start_ms(project: Project) -> float:
    began = time.perf_counter()
    with RawServer(project.root, **project.env):
        return 1000 * (time.perf_counter() - began)


def import_ms() -> float:
    return ms(lambda: subprocess.run([sys.executable, "-c", "import mcp"], check=True))


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    os.environ.pop("HINDSIGHT_CLI_SESSION", None)
    with tempfile.TemporaryDirectory() as folder:
        project = make_project(Path(folder))
        start_ms(project)  # writes bytecode
        pairs = [(import_ms(), start_ms(project)) for _ in range(rounds)]
        base, start = (statistics.median(column) for column in zip(*pairs, strict=True))
        kept = "kept" if start <= MAX_START_RATIO * base else "MISSED"
        print(f'python -c "import mcp"          {base:7.0f} ms')
        print(f"start until initialize answered {start:7.0f} ms  {start / base:.2f} x", end="")
        print(f"  <= {MAX_START_RATIO} x  {kept}")
        with RawServer(project.root, **project.env) as server:
            server.rules("warm")
            tell("ping", [partial(server.ask, "ping", {}) for _ in range(CALLS)])
            tasks = [f"{TOOLS[n % 10]} container {n}" for n in range(CALLS)]
            tell("rules for a task", [partial(server.rules, task) for task in tasks])
            others = [f"translate menu {n} into Italian" for n in range(CALLS)]
            tell("no rule", [partial(server.rules, other) for other in others])


def tell(name: str, calls: list[Callable[[], object]]) -> None:
    took = sorted(map(ms, calls))
    p50, p95 = took[len(took) // 2], took[len(took) * 95 // 100]
    print(f"{name:24} p50 {p50:6.1f} ms  p95 {p95:6.1f} ms")


if __name__ == "__main__":
    main()
