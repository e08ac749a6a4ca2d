"""Any command as the reflector: prompt on stdin, answer on stdout, a deadline over its group."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from hindsight_cli.api.project import Project
from tests.answers import an_answer
from tests.conftest import Hindsight
from tests.models import ended, is_alive, recorded, script

WAIT = ("reflect", "--with", "command", "--wait")


@pytest.fixture
def trace_id(project: Project) -> str:
    return recorded(project)


@pytest.fixture
def answer(tmp_path: Path) -> Path:
    path = tmp_path / "answer.json"
    path.write_text(an_answer())
    return path


def test_a_command_reads_the_prompt_and_its_answer_is_proposed(
    hindsight: Hindsight, trace_id: str, answer: Path, tmp_path: Path
) -> None:
    text = f"cat > {tmp_path}/prompt.$$; echo Thinking; cat {answer}; echo noise >&2"
    command = f"{script(tmp_path / 'model', text)} 'an argument'"
    assert hindsight("config", "set", "reflect_command", command).code == 0
    done = hindsight(*WAIT, "--json")
    assert (done.code, [e["source"] for e in done.data["proposed"]]) == (
        0,
        [{"reflector": "command", "votes": 3, "model": "model", "by_rules": False}],
    )
    prompts = [p.read_text() for p in tmp_path.glob("prompt.*")]
    assert len(prompts) == 3
    assert {hindsight("reflect", "--prompt-only").out.rstrip()} == {p.rstrip() for p in prompts}


def test_what_the_user_set_is_what_reflects_when_nothing_is_said(
    hindsight: Hindsight, trace_id: str, answer: Path, tmp_path: Path
) -> None:
    command = script(tmp_path / "model", f"echo x >> {tmp_path}/calls; cat {answer}")
    for name, value in {
        "reflect_with": "command",
        "reflect_command": command,
        "llm_samples": "1",
    }.items():
        assert hindsight("config", "set", name, value).code == 0
    assert "1 proposed" in hindsight("reflect", "--wait").out
    assert hindsight("reflect", "--with", "rules").code == 0
    assert (tmp_path / "calls").read_text() == "x\n"


def test_a_command_works_in_an_empty_folder_of_its_own_that_is_gone_afterwards(
    hindsight: Hindsight, project: Project, trace_id: str, answer: Path, tmp_path: Path
) -> None:
    text = f"pwd > {tmp_path}/where; ls -A > {tmp_path}/there; touch rubbish; cat {answer}"
    command = script(tmp_path / "model", text)
    done = hindsight(*WAIT, "--samples", "1", HINDSIGHT_CLI_REFLECT_COMMAND=command)
    assert done.code == 0
    where = Path((tmp_path / "where").read_text().strip())
    assert (where.exists(), (tmp_path / "there").read_text()) == (False, "")
    assert project.root not in (where, *where.parents)


def test_what_a_command_runs_is_not_recorded_and_does_not_reflect_again(
    hindsight: Hindsight, project: Project, trace_id: str, answer: Path, tmp_path: Path
) -> None:
    import sys

    ours = f"{sys.executable} -m hindsight_cli"
    text = (
        f"{ours} reflect --project {project.root} --with command --wait 2> {tmp_path}/told\n"
        f"echo $? > {tmp_path}/code; echo $HINDSIGHT_CLI_SESSION > {tmp_path}/session; cat {answer}"
    )
    command = script(tmp_path / "model", text)
    env = {"HINDSIGHT_CLI_REFLECT_COMMAND": command, "HINDSIGHT_CLI_SESSION": "run-1"}
    assert hindsight(*WAIT, "--samples", "1", **env).code == 0
    assert "error[nested_reflection]" in (tmp_path / "told").read_text()
    assert (tmp_path / "code").read_text() == "1\n"
    assert (tmp_path / "session").read_text() == "\n"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("exit 7", "exit code 7"),
        ("echo 'Invalid API key' >&2; exit 1", "exit code 1: Invalid API key"),
        ("kill -9 $$", "SIGKILL"),
        ("exit 127", "(not found)"),
        ("true", "the reply is empty"),
        ("yes", "printed more than"),
        ("yes >&2", "printed more than"),
    ],
)
def test_a_command_that_fails_is_said_with_its_own_last_words_and_rules_stand_in(
    hindsight: Hindsight, trace_id: str, tmp_path: Path, text: str, says: str
) -> None:
    command = script(tmp_path / "model", text)
    done = hindsight(*WAIT, HINDSIGHT_CLI_REFLECT_COMMAND=command)
    assert done.code == 3
    assert says in done.err
    assert "  hint: " in done.err
    assert "2 proposed" in done.out


def test_a_command_that_does_not_exist_is_not_tried_for_every_trace(
    hindsight: Hindsight, project: Project, trace_id: str
) -> None:
    recorded(project, "wrong-table")
    command = "/nowhere/to/be-found --prompt"
    done = hindsight(*WAIT, "--all", HINDSIGHT_CLI_REFLECT_COMMAND=command)
    assert done.code == 3
    assert done.err.count("error[model_failed]") == 1
    assert "cannot be run: No such file or directory" in done.err
    assert done.err.count("Nothing more was sent: rules reflected on") == 1


def test_the_deadline_ends_a_command_with_all_that_it_started(
    hindsight: Hindsight, trace_id: str, tmp_path: Path
) -> None:
    stubborn = f"trap '' TERM; echo $$ >> {tmp_path}/pids; sleep 600"
    inner = script(tmp_path / "inner", stubborn)
    command = script(tmp_path / "model", f"{inner} & {stubborn}")
    env = {"HINDSIGHT_CLI_REFLECT_COMMAND": command, "HINDSIGHT_CLI_LLM_TIMEOUT_S": "1"}
    began = time.monotonic()
    done = hindsight(*WAIT, **env)
    assert time.monotonic() - began < 20
    assert (done.code, "no answer within 1 s" in done.err) == (3, True)
    pids = [int(line) for line in (tmp_path / "pids").read_text().split()]
    assert len(pids) == 6
    assert not any(map(is_alive, pids))


def test_a_secret_that_a_command_tells_is_redacted(
    hindsight: Hindsight, trace_id: str, tmp_path: Path
) -> None:
    command = script(tmp_path / "model", 'echo "bad token: $VAULT_TOKEN" >&2; exit 1')
    secret = "only-known-from-the-environment"
    env = {"HINDSIGHT_CLI_REFLECT_COMMAND": command, "VAULT_TOKEN": secret}
    done = hindsight(*WAIT, **env)
    assert "bad token: [REDACTED" in done.err
    assert secret not in done.err + json.dumps(hindsight("status", "--json", **env).data)


def test_commands_count_against_the_calls_of_a_day(
    hindsight: Hindsight, trace_id: str, answer: Path, tmp_path: Path
) -> None:
    command = script(tmp_path / "model", f"cat {answer}")
    env = {"HINDSIGHT_CLI_REFLECT_COMMAND": command, "HINDSIGHT_CLI_LLM_DAILY_CALLS": "3"}
    assert hindsight(*WAIT, **env).code == 0
    done = hindsight(*WAIT, **env)
    assert (done.code, "error[daily_calls_spent]" in done.err) == (3, True)
    dry = hindsight("reflect", "--with", "command", "--dry-run", **env).out
    assert "0 left today" in dry


def test_after_a_run_rules_reflect_at_once_and_the_command_in_the_background(
    hindsight: Hindsight, project: Project, tmp_path: Path
) -> None:
    import sys

    ours = f"{sys.executable} -m hindsight_cli record event --tool Bash --type tool_call"
    agent = script(
        tmp_path / "agent",
        f"{ours} --input '{{\"command\": \"make\"}}' --exit-code 2 --output 'No rule to make'\n"
        f'{ours} --input \'{{"command": "make all"}}\' --exit-code 0 --output built',
    )
    command = script(tmp_path / "model", f"cat > {tmp_path}/prompt; sleep 1; echo '{{}}'")
    assert hindsight("config", "set", "reflect_with", "command").code == 0
    assert hindsight("config", "set", "reflect_command", command).code == 0
    done = hindsight("run", "--task", "Build it", "--", agent)
    assert (done.code, "proposed" in done.err) == (0, True)
    job = ended(project)
    assert (job.state, len(job.trace_ids)) == ("failed", 1)
    assert "it has no task_status" in job.message
    assert "No rule to make" in (tmp_path / "prompt").read_text()
