"""`hindsight reflect --with llm` as a person runs it: every process real, the model scripted."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator

import pytest

from hindsight_cli.api.project import Project
from hindsight_cli.api.reflect_job import last_job
from tests.answers import an_answer
from tests.conftest import Hindsight
from tests.models import configure, recorded, without_keys
from tests.scripted_model import ScriptedModel, serving

KEY = "sk-scripted-9f8e7d6c5b4a39281706"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedModel]:
    without_keys(monkeypatch)
    with serving({"text": an_answer()}) as server:
        configure(monkeypatch, server)
        yield server


@pytest.fixture
def trace_id(project: Project) -> str:
    return recorded(project)


def test_a_model_is_waited_for_and_its_proposal_waits_for_review(
    hindsight: Hindsight, server: ScriptedModel, trace_id: str
) -> None:
    done = hindsight("reflect", trace_id, "--with", "llm", "--wait", "--json")
    assert (done.code, done.document["status"], done.document["messages"]) == (0, "success", [])
    assert set(done.data) == {"attributions", "proposed", "dropped"}
    assert done.data["attributions"][0]["votes"] == len(server.requests) == 3
    (waiting,) = hindsight("experiences", "list", "--json").data["experiences"]
    assert (waiting["status"], waiting["source"]["votes"]) == ("pending", 3)
    assert "reflection   done" in hindsight("status").out


def test_when_the_model_fails_rules_stand_in_and_the_exit_code_says_so(
    hindsight: Hindsight, server: ScriptedModel, trace_id: str
) -> None:
    server.play({"status": 401, "message": f"Incorrect API key provided: {KEY}."})
    done = hindsight("reflect", "--with", "llm", "--wait", HINDSIGHT_CLI_LLM_API_KEY=KEY)
    assert done.code == 3
    assert "2 proposed" in done.out
    assert "error[model_failed]: openai/scripted: its key is missing or not accepted" in done.err
    assert "hint: The trace is kept." in done.err
    assert KEY not in done.out + done.err
    job = hindsight("status", "--json").data["reflection"]
    assert (job["state"], "not accepted" in job["message"]) == ("failed", True)


@pytest.mark.parametrize("wait", [[], ["--wait"]])
def test_without_a_model_rules_reflect_and_it_is_said_how_to_set_one(
    hindsight: Hindsight, trace_id: str, wait: list[str]
) -> None:
    done = hindsight("reflect", "--with", "llm", *wait)
    assert (done.code, "2 proposed" in done.out) == (3, True)
    assert "error[model_not_configured]" in done.err
    assert "hindsight config set llm_model" in done.err
    document = hindsight("reflect", "--with", "llm", *wait, "--json").document
    assert document["status"] == "partial"
    assert [e["code"] for e in document["errors"]] == ["model_not_configured"]


def test_a_provider_of_its_own_needs_its_key_and_nothing_is_sent_without(
    hindsight: Hindsight, server: ScriptedModel, trace_id: str
) -> None:
    env = {"HINDSIGHT_CLI_LLM_MODEL": "deepseek/deepseek-chat", "HINDSIGHT_CLI_LLM_API_BASE": ""}
    done = hindsight("reflect", "--with", "llm", "--wait", **env)
    assert done.code == 3
    assert "deepseek needs a key and DEEPSEEK_API_KEY is not set" in done.err
    assert server.requests == []


def test_a_dry_run_says_what_would_go_where_and_sends_nothing(
    hindsight: Hindsight, server: ScriptedModel, project: Project, trace_id: str
) -> None:
    done = hindsight("reflect", "--with", "llm", "--dry-run")
    for part in ("openai/scripted", f"{server.address}/v1", "3 (1 trace, 3 each)", "60 left today"):
        assert part in done.out
    found = hindsight("reflect", "--with", "llm", "--dry-run", "--samples", "5", "--json").data
    estimate = found["estimate"]
    assert (estimate["calls"], [t["trace_id"] for t in estimate["traces"]]) == (5, [trace_id])
    assert estimate["tokens"] == 5 * estimate["traces"][0]["tokens"] > 5000
    assert (server.requests, last_job(project)) == ([], None)


def test_a_repository_does_not_choose_where_traces_go(
    hindsight: Hindsight, server: ScriptedModel, project: Project, trace_id: str
) -> None:
    (project.folder / "project.toml").write_text(
        'reflect_with = "llm"\nllm_model = "openai/theirs"\nllm_api_base = "https://evil.test"\n'
        'reflect_command = "touch owned"\n'
    )
    done = hindsight("reflect")
    assert (done.code, server.requests) == (0, [])
    for name in ("reflect_with", "llm_model", "llm_api_base", "reflect_command"):
        assert f"{name} in {project.folder / 'project.toml'} is ignored" in done.err
    hindsight("reflect", "--with", "llm", "--wait")
    assert [b["model"] for b in server.bodies] == ["scripted"] * 3
    assert not (project.root / "owned").exists()


def test_no_env_file_is_read() -> None:
    """One beside a virtual environment in a repository would say where traces go."""
    probe = """
import dotenv
dotenv.load_dotenv = lambda *given, **more: print("an env file is read")
from hindsight_cli.providers.llm import load_litellm
load_litellm()
"""
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")


def test_no_secret_of_the_trace_or_the_environment_is_sent(
    hindsight: Hindsight, server: ScriptedModel, project: Project, trace_id: str
) -> None:
    canaries = {"file": "kT7vQ2mXz9RpLw4HsJ8d", "environment": "plain-words-but-a-password"}
    session = hindsight("record", "start", "--task", "Open the vault", "--json").data["session_id"]
    event = {
        "session": session,
        "event_type": "tool_call",
        "tool_name": "bash",
        "input": {"command": f"vault login {canaries['environment']}"},
        "output": f"MYSQL_ROOT_PASSWORD={canaries['file']}",
        "exit_code": 1,
    }
    hindsight("record", "event", "--session", session, stdin=json.dumps(event))
    hindsight("record", "end", "--session", session)
    # Known only since: nothing of it was redacted when it was recorded.
    env = {"VAULT_PASSWORD": canaries["environment"]}
    assert hindsight("reflect", "--all", "--with", "llm", "--wait", **env).code == 0
    assert len(server.requests) == 6
    sent = json.dumps([[r.body, dict(r.headers)] for r in server.requests])
    assert "vault login" in sent
    for canary in canaries.values():
        assert canary not in sent


def test_nothing_leaves_for_any_other_address(server: ScriptedModel) -> None:
    probe = """
import socket, sys
real, seen = socket.socket.connect, []
def connect(self, address):
    seen.append(str(address[0])); return real(self, address)
socket.socket.connect = connect
looked = socket.getaddrinfo
def getaddrinfo(host, *rest, **more):
    seen.append(str(host)); return looked(host, *rest, **more)
socket.getaddrinfo = getaddrinfo
from hindsight_cli.providers.answering import Question, ask
from hindsight_cli.providers.llm import LlmModel
question = Question("hi", {"type": "object", "properties": {}, "additionalProperties": False})
print(ask(LlmModel("openai/scripted", sys.argv[1]), question, samples=2, timeout_s=20))
print("seen:", *sorted(set(seen)))
"""
    done = subprocess.run(
        [sys.executable, "-c", probe, f"{server.address}/v1"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "seen: 127.0.0.1"
    assert done.stderr == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ["--with", "magic"],
        ["--with", "llm", "--samples", "0"],
        ["--with", "llm", "--samples", "10"],
        ["--dry-run", "--prompt-only"],
        ["--last", "--all"],
    ],
)
def test_options_that_make_no_sense_are_refused(
    hindsight: Hindsight, trace_id: str, arguments: list[str]
) -> None:
    assert hindsight("reflect", *arguments).code == 2


def test_rules_and_help_load_no_model_library(project: Project, trace_id: str) -> None:
    probe = """
import sys
from hindsight_cli.__main__ import main
try:
    main()
except SystemExit:
    pass
print("loaded:", *[m for m in ("litellm", "openai", "httpx") if m in sys.modules])
"""
    for arguments in (
        ["reflect", "--with", "rules"],
        ["reflect", "--help"],
        ["reflect", "--dry-run"],
    ):
        done = subprocess.run(
            [sys.executable, "-c", probe, *arguments],
            cwd=project.root,
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.splitlines()[-1].strip() == "loaded:", arguments
