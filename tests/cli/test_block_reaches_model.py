"""What a person approved arrives at the model, once, and nothing else does.

The body of the request that the model's server received is the proof: no line of ours about
it is believed.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hindsight_cli.api.project import Project
from hindsight_cli.api.proposing import add_experiences
from tests import asking_agent
from tests.conftest import Done, Hindsight
from tests.scripted_model import ScriptedModel, serving

AGENT = Path(asking_agent.__file__)
TASK = "Deploy MySQL in a container for the shop"
ADVICE = "Hand `--env-file .env` to docker run, so that a root password is set."
OPENING = "<hindsight-experience "


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with serving({"text": "Deployed."}) as model:
        yield model


@pytest.fixture
def ask(hindsight: Hindsight, model: ScriptedModel) -> Callable[..., Done]:
    """Run the asking agent under `hindsight run`."""

    def run(*options: str, task: str = TASK, **env: str) -> Done:
        command = [sys.executable, str(AGENT), model.address, task]
        return hindsight("run", "--task", task, *options, "--", *command, **env)

    return run


def system_prompt(model: ScriptedModel) -> str:
    (body,) = model.bodies
    (content,) = [m["content"] for m in body["messages"] if m["role"] == "system"]
    return str(content)


def file_named_in(done: Done) -> str:
    """What the agent found in the variable."""
    return done.out.splitlines()[1]


def test_the_approved_text_stands_once_in_the_request(
    ask: Callable[..., Done], approved: Callable[..., str], model: ScriptedModel
) -> None:
    experience_id = approved()

    done = ask()

    prompt = system_prompt(model)
    assert done.code == 0
    assert str(model.bodies).count(OPENING) == 1
    assert prompt.count("</hindsight-experience>") == 1
    assert experience_id in prompt
    assert ADVICE in prompt
    receipt = re.search(r'receipt="([\w-]+)"', prompt)
    assert receipt is not None
    assert receipt[1] in done.err


def test_nothing_that_was_not_approved_is_in_it(
    project: Project,
    hindsight: Hindsight,
    ask: Callable[..., Done],
    approved: Callable[..., str],
    model: ScriptedModel,
) -> None:
    approved()
    gone = approved(
        scenario="Deploying MySQL in a container twice", recommend="Remove the volume `twice`."
    )
    assert hindsight("experiences", "forget", gone).code == 0
    waiting = {
        "kind": "success_pattern",
        "scenario": "Deploying MySQL in a container for a shop",
        "recommend": "Publish the port with `-p 3307:3306`.",
        "avoid": "",
        "tool_tags": ["docker", "mysql"],
        "task_tags": ["deployment"],
    }
    (pending,) = add_experiences(project, [waiting], approve=False)
    rejected_too = {**waiting, "recommend": "Mount `/srv/data` into it."}
    (rejected,) = add_experiences(project, [rejected_too], approve=False)
    assert hindsight("experiences", "reject", rejected.experience.experience_id).code == 0

    ask()

    body = str(model.bodies)
    assert ADVICE in body
    for words in ("3307:3306", "/srv/data", "volume `twice`", pending.experience.experience_id):
        assert words not in body

    assert hindsight("experiences", "approve", pending.experience.experience_id).code == 0
    model.play({"text": "Deployed."})
    ask()
    assert "3307:3306" in str(model.bodies)


def test_an_approval_this_user_never_gave_is_none(
    ask: Callable[..., Done],
    approved: Callable[..., str],
    model: ScriptedModel,
    tmp_path: Path,
) -> None:
    approved()

    done = ask(HINDSIGHT_CLI_DATA_DIR=str(tmp_path / "another-user"))

    assert OPENING not in str(model.bodies)
    assert file_named_in(done) == "None"


def test_without_a_match_there_is_no_variable_and_no_block(
    ask: Callable[..., Done], approved: Callable[..., str], model: ScriptedModel
) -> None:
    approved()

    done = ask(task="Translate the poem into French")

    assert OPENING not in str(model.bodies)
    assert system_prompt(model) == "You deploy shops.\n\n"
    assert file_named_in(done) == "None"
    assert "Put" not in done.err


def test_no_inject_leaves_the_request_alone(
    ask: Callable[..., Done], approved: Callable[..., str], model: ScriptedModel
) -> None:
    approved()

    done = ask("--no-inject")

    assert OPENING not in str(model.bodies)
    assert file_named_in(done) == "None"


@pytest.mark.parametrize("options", [[], ["--no-inject"]])
def test_the_block_of_another_run_is_not_inherited(
    ask: Callable[..., Done], model: ScriptedModel, tmp_path: Path, options: list[str]
) -> None:
    stale = tmp_path / "stale.md"
    stale.write_text(f"{OPENING}of another task>", encoding="utf-8")

    done = ask(*options, HINDSIGHT_CLI_INJECTION_FILE=str(stale))

    assert OPENING not in str(model.bodies)
    assert file_named_in(done) == "None"


def test_the_file_is_gone_after_the_run(
    ask: Callable[..., Done], approved: Callable[..., str]
) -> None:
    approved()

    done = ask()

    named = Path(file_named_in(done))
    assert named.is_absolute()
    assert not named.exists()
