from __future__ import annotations

import random
from typing import Any

import pytest

from hindsight_cli.guard.candidate import parse_candidate
from hindsight_cli.records.event import Status
from hindsight_cli.reflect.prompt import build_prompt
from hindsight_cli.reflect.rules import reflect_by_rules
from tests.unit.reflect_builder import TraceBuilder

_PIECES = [
    *(
        "git",
        "rebase",
        "--abort",
        "pytest",
        "-k",
        "not",
        "make",
        "test",
        "sleep 5",
        "&&",
        "||",
        "|",
    ),
    *("{", "}", "{x}", "`a`", "``", '"', "'", "$(", "(", "bash -c", "timeout", "env", "-", "--"),
    *(
        "cat <<EOF\nx\nEOF",
        "a/b.py",
        "错误",
        "error:",
        "FAIL",
        "--- FAIL: TestA",
        "3306",
        "x" * 300,
    ),
    *(
        "\ud800",
        "\x00",
        "\x1b[31m",
        "no such file or directory: /a/b",
        "Found 3 matches",
        "not found",
    ),
]
_TOOLS = ("Bash", "Edit", "Read", "Grep", "Write", "Task", "book", "cancel_x", "apply_patch", "")


def a_wild_trace(seed: int) -> TraceBuilder:
    rng = random.Random(seed)

    def text(most: int) -> str:
        glue = rng.choice([" ", "\n", ""])
        return glue.join(rng.choice(_PIECES) for _ in range(rng.randrange(most)))

    def arguments() -> Any:
        return rng.choice(
            [
                None,
                7,
                text(6),
                [1, {"a": [2]}],
                {"command": text(8)},
                {"command": [text(2), text(3)]},
                {"file_path": "a.py", "old_string": text(6), "new_string": text(6)},
                {"edits": [{"old_string": text(3), "new_string": text(3)}, 3]},
                {"a": {"b": [1, None, {"c": text(3)}]}, "id": rng.randrange(3)},
                {"patch": "*** Begin Patch\n*** Update File: a.py\n-x\n+y\n*** End Patch"},
            ]
        )

    trace = TraceBuilder(text(8))
    for _ in range(rng.randrange(30)):
        if rng.random() < 0.2:
            trace.user(text(8), injected=rng.random() < 0.3)
        else:
            status = rng.choice(list(Status))
            trace.call(rng.choice(_TOOLS), arguments(), text(12), status)
    return trace


@pytest.mark.parametrize("block", range(8))
def test_no_trace_breaks_reflection_and_every_proposal_fits_the_schema(block: int) -> None:
    for seed in range(block * 50, block * 50 + 50):
        trace = a_wild_trace(seed).build()

        for proposal in reflect_by_rules(trace).proposals:
            parse_candidate(proposal)
        build_prompt(trace, language="zh", token_budget=2_000).encode("utf-8")


def test_one_endless_line_is_read_in_time() -> None:
    trace = TraceBuilder("x" * 200_000)
    line = "error: " + "a/" * 400_000
    trace.shell("make " + "a" * 300_000, line, Status.ERROR)
    trace.edit("a.py", "b" * 500_000, "c" * 500_000, line, Status.ERROR)
    trace.edit("a.py", "b" * 500_000, "c" * 500_000)
    trace.shell("make", line)

    reflect_by_rules(trace.build())
