"""What a trace does not bear out never becomes memory; what is merely paraphrased may."""

from __future__ import annotations

from typing import Any

import pytest

from hindsight_cli.guard.candidate import Candidate, Cite, parse_candidate
from hindsight_cli.guard.gate import judge
from hindsight_cli.guard.minitrace import trace_from
from hindsight_cli.guard.verdict import Level
from hindsight_cli.records.trace import Trace

STEPS: list[dict[str, Any]] = [
    {"event_type": "task", "actor": "user", "input": "Deploy MySQL 8.4 with docker, please"},
    {
        "event_type": "tool_call",
        "tool_name": "Bash",
        "input": {"command": "docker run -d -p 3306:3306 mysql:8.4"},
        "output": "Error: port is already allocated (bind: 0.0.0.0:3306)",
        "status": "error",
        "exit_code": 125,
    },
    {"event_type": "reasoning", "actor": "agent", "input": "The host port is taken."},
    {
        "event_type": "tool_call",
        "tool_name": "mcp__fs__read_file",
        "input": {"path": "/repo/deploy/compose.yaml", "max_lines": 200},
        "output": "services:\n  db:\n    image: mysql",
        "status": "ok",
    },
    {
        "event_type": "tool_call",
        "tool_name": "Bash",
        "input": {"command": "docker run -d -p 3307:3306 -e MYSQL_ROOT_PASSWORD=x mysql:8.4"},
        "output": "ready for connections",
        "status": "ok",
    },
    {"event_type": "compaction", "input": "Summary: use --zap"},
    {"event_type": "message", "actor": "user", "input": "use --hush", "injected": True},
]
for number, step in enumerate(STEPS, 1):
    step["step_index"] = number


def the_trace(*, without: int | None = None) -> Trace:
    return trace_from([step for step in STEPS if step["step_index"] != without])


def a_candidate(**changes: Any) -> Candidate:
    raw: dict[str, Any] = {
        "kind": "failure_lesson",
        "scenario": "Starting a container whose host port is taken",
        "recommend": "Publish another host port, `docker run -p 3307:3306 mysql:8.4`.",
        "avoid": "Publishing 3306 again.",
        "cites": [{"step": 2, "tool": "Bash"}, {"step": 5, "tool": "Bash"}],
    }
    return parse_candidate({**raw, **changes})


def codes(**changes: Any) -> list[str]:
    return [finding.code for finding in judge(a_candidate(**changes), the_trace()).findings]


def test_an_honest_experience_is_accepted_as_it_is() -> None:
    verdict = judge(a_candidate(), the_trace())

    assert (verdict.verdict, verdict.findings, verdict.risk) == (Level.ACCEPT, (), ())
    assert verdict.candidate == a_candidate()


@pytest.mark.parametrize(
    ("cites", "code"),
    [
        ([], "no_citation"),
        ([{"step": 99, "tool": "Bash"}], "step_not_in_trace"),
        ([{"step": 0}], "step_not_in_trace"),
        ([{"step": -1}], "step_not_in_trace"),
        ([{"step": 2, "tool": "redis"}], "tool_not_at_step"),
        ([{"step": 4, "tool": "Bash"}], "tool_not_at_step"),
        ([{"step": 4, "tool": "mcp__other__read_file"}], "tool_not_at_step"),
        ([{"step": 3, "tool": "Bash"}], "tool_not_at_step"),
        ([{"step": 1}], "no_citation"),
        ([{"step": 3}], "no_citation"),
        ([{"step": 6}], "step_not_in_trace"),
        ([{"step": 7}], "step_not_in_trace"),
    ],
)
def test_a_citation_that_does_not_hold_is_dropped(cites: list[Any], code: str) -> None:
    verdict = judge(a_candidate(cites=cites), the_trace())

    assert verdict.verdict is Level.DROP
    assert code in [finding.code for finding in verdict.findings]


@pytest.mark.parametrize(
    "cites",
    [
        [{"step": 5, "tool": "bash"}],
        [{"step": 5, "tool": "BASH"}],
        [{"step": 5}],
        [{"step": 4, "tool": "read_file"}],
        [{"step": 4, "tool": "fs.read_file"}],
        [{"step": 4, "tool": "mcp__fs__read_file"}],
        [{"step": 3}, {"step": 5, "tool": "Bash"}],
    ],
)
def test_tools_are_the_same_whatever_their_case_and_server_prefix(cites: list[Any]) -> None:
    assert codes(cites=cites) == []


@pytest.mark.parametrize(
    ("steps", "tools", "code"),
    [
        ([2, 4], ["read_file", "bash"], ""),
        ([2, 5], ["bash"], ""),
        ([2, 4], ["bash", "grep"], "tool_not_at_step"),
        ([2, 5], ["bash", "read_file"], "tool_not_at_step"),
    ],
)
def test_listed_tools_are_exactly_those_of_the_listed_steps(
    steps: list[int], tools: list[str], code: str
) -> None:
    raw = {"kind": "failure_lesson", "scenario": "Port taken", "recommend": "Publish 3307:3306."}
    candidate = parse_candidate({**raw, "cited_steps": steps, "cited_tools": tools})

    found = [finding.code for finding in judge(candidate, the_trace()).findings]

    assert set(found) == ({code} if code else set())


def test_stored_citations_carry_the_tools_that_were_really_used() -> None:
    verdict = judge(a_candidate(cites=[{"step": 4, "tool": "READ_FILE"}, {"step": 5}]), the_trace())

    assert verdict.candidate.cites == (
        Cite(step=4, tool="mcp__fs__read_file"),
        Cite(step=5, tool="Bash"),
    )


FABRICATED = [
    "because `docker run --privileged` was needed",
    "as --net=host was missing",
    "set in /etc/mysql/conf.d/my.cnf",
    "deploy/prod/compose.yaml says so",
    "only in mysql:9.1",
    "since 8.4.7",
    "MYSQL_ALLOW_EMPTY_PASSWORD decides",
    "MYSQL_ROOT_PASSWORD=y decides",
    "get_free_port raises",
    "see https://docs.example.com/ports",
    "fails with ECONNREFUSED",
    "port 3308 is free",
    "exit code 137",
    'it said "address family not supported by protocol"',
    "因为`docker stop db`没有执行",
    "设置了NET_MODE_HOST",
]


@pytest.mark.parametrize("field", ["scenario", "avoid", "why"])
@pytest.mark.parametrize("text", FABRICATED)
def test_a_fabricated_literal_drops_the_experience(field: str, text: str) -> None:
    verdict = judge(a_candidate(**{field: text}), the_trace())

    assert verdict.verdict is Level.DROP
    assert "literal_not_in_trace" in [finding.code for finding in verdict.findings]


@pytest.mark.parametrize("text", FABRICATED)
def test_a_literal_only_in_recommend_is_kept_as_untried(text: str) -> None:
    verdict = judge(a_candidate(recommend=f"Free the port first: {text}."), the_trace())

    assert verdict.verdict is Level.REVIEW
    assert "untried_literal" in verdict.risk


@pytest.mark.parametrize(
    "text",
    [
        "`docker run -p 3307:3306` was enough",
        "DOCKER RUN -D -P 3307:3306 worked",
        "docker run … mysql:8.4",
        '"port is already allocated"',
        "exit code 125",
        "exit status 125",
        "MYSQL_ROOT_PASSWORD was unset",
        "deploy/compose.yaml has the image",
        "./deploy/compose.yaml has the image",
        "/repo/deploy/compose.yaml",
        "max_lines=200",
        "the mcp__fs__read_file tool",
        "bind: '0.0.0.0:3306'",
        "端口3306被占用",
        "the daemon refused because something else was listening there",
    ],
)
def test_what_stands_in_the_trace_may_be_told_in_other_words(text: str) -> None:
    assert codes(why=text) == []


@pytest.mark.parametrize("text", ["passing --zap helps", "passing --hush helps"])
def test_summaries_and_injected_text_are_no_evidence(text: str) -> None:
    assert "literal_not_in_trace" in codes(why=text)


@pytest.mark.parametrize(
    "why",
    [
        "Step 2 fixed it.",
        "It worked in step 2.",
        "(step 2, passed)",
        "第 2 步已成功。",
        "Step 5 failed.",
        "第 5 步失败了。",
        "`docker run -d -p 3306:3306 mysql:8.4` solved it.",
    ],
)
def test_a_claim_against_the_recorded_status_is_dropped(why: str) -> None:
    assert "status_contradicted" in codes(why=why)


@pytest.mark.parametrize(
    "why",
    [
        "Step 2 failed and step 5 worked.",
        "Step 5 fixed the failure of step 2.",
        "第 2 步失败,第 5 步成功。",
        "Check that step 2 passes before going on.",
        "Step 2 did not succeed.",
        "Step 2 of the guide works everywhere.",
        "`docker run -d -p 3306:3306 mysql:8.4` never worked.",
    ],
)
def test_true_claims_hedges_and_negations_stand(why: str) -> None:
    assert codes(why=why) == []


def test_a_step_spoken_of_must_exist_too() -> None:
    assert "step_not_in_trace" in codes(why="Step 12 shows the reason.")


def test_success_cannot_rest_on_failed_steps_alone() -> None:
    failed = [{"step": 2, "tool": "Bash"}]

    assert "success_from_failed_steps" in codes(kind="success_pattern", cites=failed)
    assert codes(kind="failure_lesson", cites=failed) == []


@pytest.mark.parametrize("status", ["denied", "cancelled", "missing", "timeout"])
def test_a_call_that_never_ran_is_no_success(status: str) -> None:
    trace = trace_from([{**STEPS[4], "status": status}])
    candidate = a_candidate(kind="success_pattern", cites=[{"step": 5}], avoid="")

    found = [finding.code for finding in judge(candidate, trace).findings]

    assert "success_from_failed_steps" in found


def test_a_success_in_a_run_that_ends_badly_needs_a_look() -> None:
    tail = {**STEPS[1], "step_index": 9, "input": "mysqladmin ping", "output": "failed"}
    trace = trace_from([*STEPS, tail])
    candidate = a_candidate(kind="success_pattern", cites=[{"step": 5}])

    verdict = judge(candidate, trace)

    assert (verdict.verdict, verdict.risk) == (Level.REVIEW, ("success_not_final",))


def test_without_a_trace_only_the_text_is_judged() -> None:
    assert judge(a_candidate(cites=[]), None).verdict is Level.ACCEPT
