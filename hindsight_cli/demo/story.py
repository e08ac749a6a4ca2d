"""What `hindsight demo` plays: the README's story, for real, in temporary projects.

Every command is a real process of its own, as a person would type it; what is printed
is what it printed.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hindsight_cli.errors import HindsightError

_HERE = Path(__file__).parent
_TASK = "deploy mysql in a container for the shop"
_TRACE = "283439cd-095e-44ed-ab97-24325a25aff0"  # mysql-container.jsonl
_ANSWER = "model-answer.json"
_PATIENCE_S = 30
_REPORT = "Run `hindsight demo --json`: it has every command's output."


class DemoFailedError(HindsightError):
    code = "demo_failed"


def play(*, aloud: bool) -> dict[str, Any]:
    """Play the story, printing it as it goes when `aloud`.

    Gives {steps: [{command, exit_code, stdout, stderr}], effect: {first_run, second_run:
    {tool_calls, failed_tool_calls}, weight_before, weight_after}}.

    Raises:
        DemoFailedError: a command did not end as the story has it.
    """
    with tempfile.TemporaryDirectory(prefix="hindsight-demo-") as folder:
        story = _Story(Path(folder).resolve(), aloud=aloud)
        story.play()
    return {"steps": story.steps, "effect": story.effect}


def samples_folder() -> Path:
    """Where the sample traces are: inside the installed package, or beside it in a checkout."""
    package = Path(__file__).parent.parent
    inside = package / "samples"
    return inside if inside.is_dir() else package.parent / "traces"


@dataclass
class _Story:
    root: Path
    aloud: bool
    steps: list[dict[str, Any]] = field(default_factory=list)
    effect: dict[str, Any] = field(default_factory=dict)
    cwd: Path = field(init=False)

    def play(self) -> None:
        self._first_act()
        self._second_act()

    def _first_act(self) -> None:
        self._enter("past")
        samples = sorted(samples_folder().glob("*.jsonl"))
        self._tell("Three past runs of an agent. Secrets are redacted before anything is written.")
        self._run(["init"], shown=1)
        self._run(["import", *map(str, samples)])
        self._run(["failures", "--recurring"])
        self._tell("Rules, without a model: what failed, what ended it, what to remember.")
        self._run(["reflect", _TRACE])
        self._tell(
            "A model's answer may be invented. This one holds one experience the trace bears out\n"
            "and one it does not: a step that does not exist, options nobody used."
        )
        (self.cwd / _ANSWER).write_text(json.dumps(_MODEL_ANSWER), encoding="utf-8")
        self._run(["reflect", _TRACE, "--reply", _ANSWER])
        self._tell("Nothing is found until a person approves it (in `hindsight tui`, or so):")
        self._run(["search", "deploy mysql"])
        chosen = self._pending_about("3306")
        self._run(["experiences", "approve", chosen])
        self._tell("Now it is there for a task, for an error text, and not for something else.")
        self._run(["search", "set up a mysql database container for the shop"])
        self._run(["search", "--error", _ERROR])
        self._run(["search", "translate the onboarding page into French"])
        self._tell("And this is what the next agent gets to read, once, before it starts.")
        self._run(["inject", "deploy mysql in a container"])

    def _second_act(self) -> None:
        """The loop closed: the same agent run twice, a reviewed lesson between the runs."""
        self._tell(
            "Second act, in a project without a past. A scripted agent and a stand-in docker:\n"
            "this shows that a lesson reaches an agent, not that a model obeys it."
        )
        self._enter("shop")
        docker = self.root / "bin" / "docker"
        docker.parent.mkdir()
        docker.write_bytes((_HERE / "docker").read_bytes())
        docker.chmod(0o700)
        self._run(["init"], shown=1)
        agent = ["run", "--task", _TASK, "--", sys.executable, str(_HERE / "agent.py")]
        self._run(agent)
        self._tell("It stumbled and recovered. The lesson, approved by a person:")
        self._run(["experiences", "approve", self._pending_about("3307")])
        before = self._approved()
        self._tell("The same agent, the same task:")
        self._run(agent)
        second, first = self._data(["traces", "list", "--json"])["traces"]
        self._tell(
            f"First run: {first['tool_calls']} calls, {first['failed_tool_calls']} failed. "
            f"Second run: {second['tool_calls']} calls, {second['failed_tool_calls']} failed.\n"
            "That the advice was followed is in the trace; that it went well, a person says:"
        )
        self._run(["feedback", self._receipt(), "--outcome", "success"])
        after = self._approved()
        counted = ("tool_calls", "failed_tool_calls")
        self.effect = {
            "first_run": {name: first[name] for name in counted},
            "second_run": {name: second[name] for name in counted},
            "weight_before": before["weight"],
            "weight_after": after["weight"],
        }
        self._tell(
            f"Shown {after['shown']} time, followed {after['followed']} time: "
            f"its weight went from {before['weight']:.2f} to {after['weight']:.2f}."
        )

    def _approved(self) -> dict[str, Any]:
        """The only approved experience."""
        listed = self._data(["experiences", "list", "--status", "approved", "--json"])
        (experience,) = listed["experiences"]
        return dict(experience)

    def _receipt(self) -> str:
        """The receipt of what the last command put before the agent."""
        found = re.search(r"receipt (inj-\w+)", str(self.steps[-1]["stderr"]))
        if found is None:
            raise DemoFailedError("Nothing was put before the second run.", hint=_REPORT)
        return found[1]

    def _enter(self, folder: str) -> None:
        self.cwd = self.root / folder
        self.cwd.mkdir()

    def _pending_about(self, word: str) -> str:
        """The id of the pending experience about `word`.

        After a run on a busy machine it may still be worked out in the background.
        """
        deadline = time.monotonic() + _PATIENCE_S
        while True:
            listed = self._data(["experiences", "list", "--status", "pending", "--json"])
            for one in listed["experiences"]:
                if word in json.dumps([one["recommend"], one["avoid"]]):
                    return str(one["experience_id"])
            if time.monotonic() > deadline:
                raise DemoFailedError(f"No proposal about {word}.", hint=_REPORT)
            time.sleep(0.2)

    def _data(self, arguments: Sequence[str]) -> dict[str, Any]:
        data: dict[str, Any] = json.loads(self._call(arguments).stdout)["data"]
        return data

    def _run(self, arguments: Sequence[str], *, shown: int | None = None) -> None:
        done = self._call(arguments)
        named = [Path(a).name if a.startswith(os.sep) else a for a in arguments]
        command = shlex.join(["hindsight", *named])
        self.steps.append(
            {
                "command": command,
                "exit_code": done.returncode,
                "stdout": done.stdout,
                "stderr": done.stderr,
            }
        )
        lines = [*done.stdout.splitlines()[:shown], *done.stderr.splitlines()]
        self._print(f"$ {command}")
        self._print("".join(f"  {line}\n" for line in lines))
        if done.returncode:
            raise DemoFailedError(f"`{command}` ended with {done.returncode}.", hint=_REPORT)

    def _call(self, arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "hindsight_cli", *arguments],
            cwd=self.cwd,
            env=_environment(self.root),
            capture_output=True,
            encoding="utf-8",
            check=False,
        )

    def _tell(self, text: str) -> None:
        self._print("".join(f"# {line}\n" for line in text.split("\n")).rstrip())

    def _print(self, text: str) -> None:
        if self.aloud:
            sys.stdout.write(text + "\n")
            sys.stdout.flush()


def _environment(root: Path) -> Mapping[str, str]:
    """The user's environment, but with settings, a trust list and projects of the demo's own."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("HINDSIGHT_CLI_")}
    return {
        **inherited,
        "PATH": os.pathsep.join([str(root / "bin"), os.environ.get("PATH", os.defpath)]),
        "HINDSIGHT_CLI_DATA_DIR": str(root / "user-data"),
        "HINDSIGHT_CLI_ALLOW_AGENT_REVIEW": "1",  # the demo approves in its own project only
        "PYTHONUTF8": "1",
    }


_ERROR = (
    "docker: Error response from daemon: driver failed programming external connectivity: "
    "Bind for 0.0.0.0:5432 failed: port is already allocated"
)
_MODEL_ANSWER = {
    "task_status": "success",
    "key_steps": [5, 9, 14, 17],
    "invalid_steps": [{"step": 3, "reason": "started without a root password option"}],
    "experiences": [
        {
            "kind": "success_pattern",
            "scenario": "Starting the mysql:8.4 image when .env holds MYSQL_ROOT_PASSWORD",
            "recommend": "Hand the file over: `docker run -d --env-file .env mysql:8.4`, so that "
            "the password is not on the command line.",
            "avoid": "`docker run` of mysql:8.4 without a root password option: it exits at once.",
            "why": "The entrypoint asks for MYSQL_ROOT_PASSWORD in the log of step 5.",
            "cites": [{"step": 5, "tool": "Bash"}, {"step": 14, "tool": "Bash"}],
            "workaround": False,
            "layer": "specific",
            "scope": {},
            "tool_tags": ["docker", "mysql"],
            "task_tags": ["deployment"],
        },
        {
            "kind": "success_pattern",
            "scenario": "MySQL in a container starts slowly",
            "recommend": "Start it with `--skip-innodb-warmup`, which made it come up at once.",
            "avoid": "",
            "why": "Step 42 shows `--skip-innodb-warmup` cutting the start to 2 seconds.",
            "cites": [{"step": 42, "tool": "Bash"}],
            "workaround": False,
            "layer": "specific",
            "scope": {},
            "tool_tags": ["docker", "mysql"],
            "task_tags": ["deployment"],
        },
    ],
    "verdicts": [],
}
