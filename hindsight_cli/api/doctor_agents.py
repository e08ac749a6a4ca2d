"""Whether the hooks and servers in agents' configurations lead to this Hindsight."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from hindsight_cli import __version__
from hindsight_cli.api.config_file import read_file, text_of
from hindsight_cli.api.doctor_program import program_of
from hindsight_cli.api.installing import found_in, present_agents
from hindsight_cli.errors import HindsightError
from hindsight_cli.integrations.places import AGENTS, Registered, Scope
from hindsight_cli.integrations.registration import Found, own_program, own_server
from hindsight_cli.integrations.targets import Target, Where, plugin_source
from hindsight_cli.integrations.toml_edit import TomlSyntaxError, read_table

_TIMEOUT_S = 10
_UNTRUSTED = "Codex skips hooks it does not trust"
_OFF = "all hooks are switched off"


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentState:
    """What was found about one agent."""

    name: str
    ok: bool
    detail: str
    fix: str = ""


def agent_checks(where: Where) -> Iterator[AgentState]:
    """One for each agent that is used here, or has entries of ours."""
    present = {agent.name for agent in present_agents(where)}
    for agent in AGENTS:
        try:
            states = [s for scope in Scope if (s := _in_scope(agent, scope, where)) is not None]
        except HindsightError as error:
            yield AgentState(name=agent.name, ok=False, detail=str(error), fix=error.hint)
            continue
        yield from states
        if not states and agent.name in present:
            detail = f"not installed; `hindsight install {agent.name}` adds hooks and server"
            yield AgentState(name=agent.name, ok=True, detail=detail)


def shell_check(where: Where) -> AgentState:
    """Agents run hooks through a shell: what its profile prints gets in front of the answer."""
    shell = where.env.get("SHELL") or "/bin/sh"
    printed = b""
    for options in ("-lc", "-ic"):
        try:
            done = subprocess.run(
                [shell, options, ":"],
                env=dict(where.env),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                timeout=_TIMEOUT_S,
                start_new_session=True,  # an interactive one would take our terminal
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return AgentState(name="shell", ok=True, detail=f"{shell} was not tried: {error}")
        printed = printed or done.stdout
    if not printed.strip():
        return AgentState(name="shell", ok=True, detail=f"{shell} starts without a word")
    shown = printed.decode("utf-8", "replace").strip().split("\n")[0][:60]
    return AgentState(
        name="shell",
        ok=False,
        detail=f"the profile of {shell} prints {shown!r}: agents read it before a hook's answer",
        fix="Print only on a terminal: `[ -t 1 ] && echo ...` in its profile.",
    )


def _in_scope(agent: Registered, scope: Scope, where: Where) -> AgentState | None:
    """None: nothing of ours is there."""
    problems: list[str] = []
    found_any = False
    for target in agent.targets(where, scope):
        if "source" not in target.holds:  # looked at from where it is named
            found = found_in(target, text_of(target.path, read_file(target.path)))
            found_any |= bool(found.all_ours)
            starts = scope is Scope.USER  # a project's settings may have come with a clone
            problems += _problems_in(agent, target, found, where, starts=starts)
    if not found_any:
        return None
    name = agent.name if scope is Scope.USER else f"{agent.name} (project)"
    flag = "" if scope is Scope.USER else " --scope project"
    if not problems:
        return AgentState(name=name, ok=True, detail="hooks and MCP server lead here")
    fix = f"`hindsight install {agent.name}{flag}` brings it up to date."
    if all(problem.startswith(_OFF) for problem in problems):
        fix = "Take that setting out, if hooks are to run."
    elif all(problem.startswith(_UNTRUSTED) for problem in problems):
        fix = "Start `codex` in a terminal and trust them: it asks, else enter /hooks."
    return AgentState(name=name, ok=False, detail="; ".join(dict.fromkeys(problems)), fix=fix)


def _problems_in(
    agent: Registered, target: Target, found: Found, where: Where, *, starts: bool
) -> list[str]:
    problems: list[str] = []
    if "hooks" in target.holds:
        missing = set(agent.events()) - {event for event, _ in found.hooks}
        problems += [f"no hook for {event}" for event in sorted(missing)]
        programs = [own_program(command) or [] for _, command in found.hooks]
        problems += _problems(programs, where, starts=starts)
        if not problems and starts:
            problems += filter(None, [_tried(found.hooks[0][1], where)])
        if agent.name == "codex":
            problems += _codex_problems(found, target.path, where)
        if found.switched_off:
            problems.append(f"{_OFF} by `{found.switched_off}` in {target.path}")
    if "plugin" in target.holds:
        problems += [] if found.plugins else ["its plugin is not named"]
        problems += filter(None, (_plugin_problem(agent, url, where) for url in found.plugins))
    if found.foreign_server:
        problems.append(f"the server `hindsight` is another program's ({target.path})")
    elif "server" in target.holds:
        problems += [] if found.server else [f"no MCP server in {target.path}"]
        if found.server:
            problems += _problems([own_server(found.server) or []], where, starts=starts)
    return problems


def _problems(programs: Sequence[Sequence[str]], where: Where, *, starts: bool) -> list[str]:
    """What is wrong with programs that entries of ours name, each once.

    Unless it `starts` them, any but the one that runs is a problem, and is not looked at further.
    """
    problems = []
    for program in {tuple(p) for p in programs if p}:
        if not starts and program != tuple(where.program):
            problems.append(f"{' '.join(program)} is not this program")
            continue
        found = program_of(program, where.env)
        if found.problem:
            problems.append(found.problem)
        elif found.version != __version__:
            problems.append(f"{program[0]} is version {found.version}, this is {__version__}")
    return problems


def _codex_problems(found: Found, path: Path, where: Where) -> list[str]:
    """Codex notes in its config.toml which hooks a person has trusted, by file and place."""
    config = next(a for a in AGENTS if a.name == "codex").folder(where) / "config.toml"
    try:
        text = text_of(config, read_file(config))
        known = read_table(text, ("hooks", "state")) or {}
        features = read_table(text, ("features",)) or {}
    except TomlSyntaxError:
        return []  # told of where the file itself is looked at
    if features.get("hooks") is False:
        return [f"{_OFF} by `features.hooks` in {config}"]
    missing = []
    for (event, _), (group, number) in zip(found.hooks, found.places, strict=True):
        name = re.sub(r"(?<!^)(?=[A-Z])", "_", event).lower()
        about = known.get(f"{path}:{name}:{group}:{number}")
        if not isinstance(about, dict) or not about.get("trusted_hash"):
            missing.append(event)
    return [f"{_UNTRUSTED}: {', '.join(missing)}"] if missing else []


def _tried(command: str, where: Where) -> str:
    """What is wrong with a hook, run as agents run it, where there is nothing for it to do."""
    try:
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            cwd="/",
            env=dict(where.env),
            input=b"{}",
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"its hook cannot be run: {error}"
    if done.returncode or done.stdout:
        shown = (done.stderr or done.stdout).decode("utf-8", "replace").strip()[:80]
        return f"its hook ends with {done.returncode} and prints {shown!r}"
    return ""


def _plugin_problem(agent: Registered, url: str, where: Where) -> str:
    path = Path(unquote(urlsplit(url).path))
    if not os.access(path, os.R_OK):
        return f"its plugin {path} is not there"
    if path.read_text("utf-8", "replace") != plugin_source(where.program, agent.events()):
        return f"its plugin {path} is of another version"
    return ""
