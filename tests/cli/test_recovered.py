"""`failures` and `reflect` mean the same by recovered, and reflect says why it proposes nothing."""

from __future__ import annotations

import json

import pytest

from tests.conftest import Hindsight

PUSH = ("git push", "fatal: The current branch pay has no upstream branch.", 128)
RUNS = {
    "never": ([PUSH, PUSH, ("git status", "On branch pay", 0)], 0, set()),
    "at last": ([PUSH, PUSH, ("git push -u origin pay", "new branch", 0)], 2, set()),
    "typing error": (
        [("git psuh", "git: 'psuh' is not a git command.", 1), ("git push", "done", 0)],
        1,
        {"typing_error"},
    ),
}


@pytest.mark.parametrize("name", RUNS)
def test_what_counts_as_recovered_is_what_reflection_pairs(hindsight: Hindsight, name: str) -> None:
    steps, recovered, codes = RUNS[name]
    session = hindsight("record", "start", "--task", "Publish the branch").out.strip()
    events = [
        {"type": "tool_call", "tool": "bash", "input": {"command": c}, "output": o, "exit_code": x}
        for c, o, x in steps
    ]
    hindsight("record", "event", "--session", session, stdin="\n".join(map(json.dumps, events)))
    hindsight("record", "end", "--session", session)

    told = hindsight("reflect", "--last", "--json").data
    failures = hindsight("failures", "--json").data["failures"]

    assert sum(f["recovered"] for f in failures) == recovered
    assert len(told["attributions"][0]["recoveries"]) == recovered
    silent = {d["code"] for d in told["dropped"]}
    assert silent >= codes
    assert bool(told["proposed"]) or bool(silent) or not recovered


def test_failures_look_again_when_a_session_goes_on(hindsight: Hindsight) -> None:
    session = hindsight("record", "start", "--task", "Publish the branch").out.strip()

    def step(command: str, output: str, code: int) -> int:
        event = {"type": "tool_call", "tool": "bash", "input": {"command": command}}
        text = json.dumps({**event, "output": output, "exit_code": code})
        hindsight("record", "event", "--session", session, stdin=text)
        return sum(f["recovered"] for f in hindsight("failures", "--json").data["failures"])

    assert [step(*PUSH), step("git push -u origin pay", "new branch", 0)] == [0, 1]
